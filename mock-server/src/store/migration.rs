//! What has to happen to the records of an older state file.
//!
//! Names stand here as they were in the older format: a migration must not change when the code
//! around it does.

use secmon_engine::Instant;
use serde_json::Value;

use super::{Kept, Place};

/// The oldest format that can be read.
const OLDEST: u32 = 1;

/// The first makes format 2 of format 1, and so on.
const STEPS: [fn(&mut Vec<Kept>); 1] = [tell_the_last_moment];

/// The format that this version writes.
pub(super) const FORMAT: u32 = OLDEST + STEPS.len() as u32;

/// Brings the records of a file in an older format up to this version's; none where there is no way.
pub(super) fn migrated(format: u32, mut records: Vec<Kept>) -> Option<Vec<Kept>> {
    let done = usize::try_from(format.checked_sub(OLDEST)?).ok()?;
    for step in STEPS.get(done..)? {
        step(&mut records);
    }
    Some(records)
}

/// Files of format 1 did not always tell the server's time at their last change. What had happened
/// by then tells it: a server that starts earlier would go back in time.
fn tell_the_last_moment(records: &mut Vec<Kept>) {
    let place = Place {
        owner: String::new(),
        table: "server".to_owned(),
        key: "moment".to_owned(),
    };
    let is_known = records.iter().any(|record| record.place == place);
    // A file without any record is as good as new.
    let Some(last) = latest(records).filter(|_| !is_known) else {
        return;
    };
    if let Ok(value) = serde_json::to_vec(&last) {
        records.push(Kept { place, value });
    }
}

/// The latest moment that a record tells of, by the server's clock.
fn latest(records: &[Kept]) -> Option<Instant> {
    let moments = records.iter().filter_map(|record| {
        let value: Value = serde_json::from_slice(&record.value).ok()?;
        let latest = latest_in(&value)?;
        Some(latest.unix_millis() - ahead(records, &record.place.owner))
    });
    let epoch = (!records.is_empty()).then_some(0);
    moments.chain(epoch).max().map(Instant::from_unix_millis)
}

/// How far the clock of an account is ahead of the server's, in milliseconds.
fn ahead(records: &[Kept], account: &str) -> i64 {
    let of_account = |record: &&Kept| {
        let place = &record.place;
        (
            place.owner.as_str(),
            place.table.as_str(),
            place.key.as_str(),
        ) == ("", "partners", account)
    };
    let entry = records.iter().find(of_account);
    let entry = entry.and_then(|entry| serde_json::from_slice::<Value>(&entry.value).ok());
    entry.map_or(0, |entry| entry["clock_offset_ms"].as_i64().unwrap_or(0))
}

/// The latest moment in a record at which something happened; not one at which something is due.
fn latest_in(value: &Value) -> Option<Instant> {
    const HAPPENED: [&str; 4] = ["at", "created_at", "first_detected_at", "updated_at"];
    match value {
        Value::Object(members) => {
            let own = HAPPENED
                .iter()
                .filter_map(|name| members.get(*name)?.as_str());
            let own = own.filter_map(Instant::parse);
            own.chain(members.values().filter_map(latest_in)).max()
        }
        Value::Array(items) => items.iter().filter_map(latest_in).max(),
        _ => None,
    }
}
