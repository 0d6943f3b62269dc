//! The journal (M1, M6, M11).

use std::time::Duration;

use std::cmp::Reverse;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::{AdminCall, Answered, input};
use crate::AdminError;
use crate::fields::{Fields, Raw, readers};
use crate::journal::{Journal, JournalEntry, Redaction, Wanted};
use crate::store::Commit;

/// Longest wait for calls to come, in seconds.
const LONGEST_WAIT: f64 = 60.0;

struct Filter {
    wanted: Wanted,
    limit: usize,
    /// How many must come before it is answered, and how long they may take.
    count: usize,
    wait: Duration,
}

impl Filter {
    fn read(call: &AdminCall) -> Result<Self, AdminError> {
        let mut fields = Fields::of_query(&call.query);
        let method = fields.optional("method", readers::text(1..=32));
        let path = fields.optional("path", readers::text(1..=4096));
        let status = fields.optional("status", readers::integer(100..=599));
        let since = fields.optional("since", readers::integer(0..=i64::MAX));
        let body = fields.optional("body", part);
        let limit = fields.optional("limit", readers::integer(0..=i64::MAX));
        let count = fields.optional("count", readers::integer(1..=1000));
        let wait = fields.optional("wait", readers::number(0.0..=LONGEST_WAIT));
        let size = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
        input::finish(fields, || {
            Some(Self {
                wanted: Wanted {
                    method: method.map(|method| method.to_ascii_uppercase()),
                    path,
                    status: status.and_then(|status| u16::try_from(status).ok()),
                    since: since.map_or(0, i64::unsigned_abs),
                    body,
                },
                limit: limit.map_or(usize::MAX, size),
                count: count.map_or(1, size),
                wait: Duration::from_secs_f64(wait.unwrap_or(0.0)),
            })
        })
    }
}

/// A part of a body, as JSON.
fn part(raw: Raw) -> readers::Read<Value> {
    serde_json::from_str(readers::string(raw)?)
        .map_err(|_| r#"must be JSON, such as {"client_id":42}."#.to_owned())
}

#[derive(Serialize)]
struct Listed {
    dropped: u64,
    /// As text: as values, all of them at once could take a hundred times as much.
    requests: Vec<Box<RawValue>>,
}

pub(crate) fn list(call: &AdminCall) -> Result<Answered, AdminError> {
    let Filter { wanted, limit, .. } = Filter::read(call)?;
    let of = |tenant: Option<&str>, journal: &mut Journal| {
        let taken = journal.entries().filter(|entry| wanted.takes(entry));
        let taken = taken.map(|entry| (tenant.map(str::to_owned), entry));
        (journal.dropped(), taken.collect::<Vec<_>>())
    };
    let (dropped, taken): (Vec<u64>, Vec<_>) = call
        .mock
        .with_journals(tenant(call), of)?
        .into_iter()
        .unzip();
    let mut taken: Vec<_> = taken.into_iter().flatten().collect();
    taken.sort_unstable_by_key(|(_, entry)| Reverse(entry.id));
    let secrets = call.mock.secrets();
    let redaction = Redaction::new(secrets.iter().map(String::as_str));
    let shown = taken
        .iter()
        .map(|(tenant, entry)| JournalEntry::new(tenant.as_deref(), entry, &redaction));
    let newest = shown.filter(|entry| wanted.takes_shown(entry)).take(limit);
    // An entry has text keys and no serializer that fails.
    let mut requests: Vec<_> = newest
        .filter_map(|entry| to_raw_value(&entry).ok())
        .collect();
    requests.reverse();
    Ok(Answered::shown(&Listed {
        dropped: dropped.into_iter().sum(),
        requests,
    }))
}

fn tenant(call: &AdminCall) -> Option<&str> {
    call.query.get("tenant").map(String::as_str)
}

/// Returns once as many calls came as are waited for, or when the wait is over.
pub(crate) async fn arrival(call: &AdminCall) -> Result<(), AdminError> {
    let Filter {
        wanted,
        count,
        wait,
        ..
    } = Filter::read(call)?;
    call.mock.arrival(tenant(call), &wanted, count, wait).await
}

pub(crate) fn clear(call: &AdminCall) -> Result<Answered, AdminError> {
    call.mock.clear_journals(tenant(call))?;
    Ok(Answered::done(Commit::done()))
}
