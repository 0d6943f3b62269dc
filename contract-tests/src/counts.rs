//! What is counted of the sample account's customer, wherever the API shows it, and how far each write moves it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::recipe::text;
use crate::sample_account::SampleAccount;
use crate::snapshot::Snapshot;

/// What is counted: its name, the reads that show it (`~` is the customer's query, `*` anything), the place there, and
/// which items of a list count. Of a member with `+` the numbers are added up.
#[rustfmt::skip]
const COUNTED: [(&str, &str, &str, &str); 9] = [
    ("servers", "all of /api/v1/endpoints?~", "", ""),
    ("active", "all of /api/v1/endpoints?~", "", "status=active"),
    ("platform", "all of /api/v1/endpoints?~", "", "quota_paused=true"),
    ("limit", "/api/v1/endpoints?~&per_page=50&page=1", "/1/meta/endpoint_limit", ""),
    ("slots", "/api/v1/domains?~", "/1/data/slots_total", ""),
    ("domains", "/api/v1/domains?~", "/1/data/domains", ""),
    ("watched", "/api/v1/domains?~", "/1/data/domains", "status=active"),
    ("platform_domains", "/api/v1/domains?~", "/1/data/domains", "quota_paused=true"),
    ("rules", SUMMARY, "/1/data/endpoints", "+rule_count"),
];

const SUMMARY: &str = "/api/v1/whitelists/endpoint-summary?~";

/// What scans move of themselves, and rules of the whole account, which other cases make where nobody has an account of
/// their own.
#[rustfmt::skip]
const STEERED: [(&str, &str, &str, &str); 13] = [
    ("global", SUMMARY, "/1/data/global_count", ""),
    ("listed", "all of /api/v1/whitelists?~", "", ""),
    ("in_force", "all of /api/v1/whitelists?~", "", "is_active=true"),
    ("ports", "/api/v1/endpoints/*/detail?~", "/1/whitelisted_ports", ""),
    ("shown", "/api/v1/endpoints/*/detail?~", "/1/alerts", ""),
    ("open", ALERTS, "", "status=open"),
    ("resolved", ALERTS, "", "status=resolved"),
    ("raised", "all of /api/v1/domains/*/alerts?~", "", "status=open"),
    ("acknowledged", "all of /api/v1/domains/*/alerts?~", "", "status=acknowledged"),
    ("ended", "all of /api/v1/domains/*/alerts?~", "", "status=resolved"),
    ("scans", "/api/v1/domains/*/scan-history?~", "/1/data/scans", ""),
    ("unseen", "all of /api/v1/domains/*?~&is_new=true", "", ""),
    ("seen", "all of /api/v1/domains/*?~&is_new=false", "", ""),
];

const ALERTS: &str = "all of /api/v1/alerts?~";

/// Counts of the sample account's customer, by their names.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Counts(BTreeMap<&'static str, i64>);

impl Counts {
    /// What a snapshot shows.
    pub(crate) async fn of(sample: &SampleAccount) -> Self {
        let snapshot = Snapshot::of(sample).await;
        let customer = sample.value("customer").await;
        let of = format!("billing_customer_id={customer}");
        let is_steered = snapshot.at(&ALERTS.replace('~', &of)).is_array();
        let steered = STEERED.iter().filter(|_| is_steered);
        let counts = COUNTED
            .iter()
            .chain(steered)
            .map(|(name, read, place, which)| {
                let read = read.replace('~', &of);
                let reads = snapshot.reads().filter(|(shown, _)| is_like(shown, &read));
                let values = reads.filter_map(|(_, shown)| shown.pointer(place));
                (*name, values.map(|value| count(value, which)).sum())
            });
        Self(counts.collect())
    }

    /// Looks again after something that moves these counts so far (`+1`, `-1`) or to this number (`=0`), and no others.
    pub(crate) async fn assert_moved(
        self,
        moves: &str,
        sample: &SampleAccount,
        what: &str,
    ) -> Self {
        let mut expected = self;
        for one in moves.split_whitespace() {
            let at = one.find(['=', '+', '-']);
            let at = at.unwrap_or_else(|| panic!("{what}: no move: {one}"));
            let number = sample
                .filled_name(one[at..].trim_start_matches(['=', '+']))
                .await;
            let number: i64 = number.parse().expect("a number");
            // What a service that cannot be steered moves of itself is not counted.
            if let Some(count) = expected.0.get_mut(&one[..at]) {
                if one[at..].starts_with('=') {
                    *count = 0;
                }
                *count += number;
            }
        }
        let after = Self::of(sample).await;
        let otherwise = after.otherwise(&expected);
        assert!(
            otherwise.is_empty(),
            "{what}: counts, which it moves {moves}: {}",
            otherwise.join("; ")
        );
        after
    }

    /// The counts that are not as expected.
    fn otherwise(&self, expected: &Self) -> Vec<String> {
        let pairs = self.0.iter().zip(expected.0.values());
        let others = pairs.filter(|((_, is), should)| is != should);
        let told = others.map(|((name, is), should)| format!("{name} is {is}, not {should}"));
        told.collect()
    }
}

/// A number, or how many items of a list there are that count.
fn count(value: &Value, which: &str) -> i64 {
    let Some(items) = value.as_array() else {
        return value.as_i64().unwrap_or(-1);
    };
    if let Some(member) = which.strip_prefix('+') {
        return items.iter().filter_map(|item| item[member].as_i64()).sum();
    }
    let counts = |item: &&Value| match which.split_once('=') {
        Some((member, wanted)) => text(&item[member]) == wanted,
        None => true,
    };
    let counted = items.iter().filter(counts).count();
    i64::try_from(counted).unwrap_or(i64::MAX)
}

/// Whether a text is one with anything in the place of a `*`.
fn is_like(text: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => text.starts_with(start) && text.ends_with(end),
        None => text == pattern,
    }
}
