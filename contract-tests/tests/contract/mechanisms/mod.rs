//! Mechanisms: what holds of every operation, those of tomorrow too. Each is put to each operation of `contract.toml`, with
//! the requests that stand there.

mod again;
mod derived;
mod instants;
mod journal;
mod lists;
mod still;

use chrono::{DateTime, Duration, FixedOffset};
use http::Method;
use secmon_contract_tests::table::{NAMESPACES, Row, TABLE};
use secmon_contract_tests::{Account, Body, Case, Check, Namespace, Need, Playing};

/// Every mechanism, put to every operation.
pub fn cases() -> Vec<Case> {
    [
        still::cases(),
        again::cases(),
        lists::cases(),
        instants::cases(),
        derived::CASES.to_vec(),
        journal::cases(),
    ]
    .concat()
}

/// What of the mechanisms is no case.
pub const CHECKS: &[Check] = lists::CHECKS;

/// A mechanism, put to each of some operations with what it needs there.
fn of_each(
    path: &'static str,
    play: fn(&'static Row) -> Playing,
    needs: fn(&'static Row) -> Option<&'static [Need]>,
) -> Vec<Case> {
    let rows = TABLE
        .operations()
        .filter(|row| row.namespace == NAMESPACES[0]);
    let cases = rows.filter_map(|row| {
        Some(Case {
            path,
            needs: needs(row)?,
            namespace: Namespace::Billing,
            body: Body::Of(play, row),
        })
    });
    cases.collect()
}

/// What a service must be able to do for any call of an operation.
fn own_needs(row: &Row) -> &'static [Need] {
    match row.group.as_str() {
        "sandbox" => &[Need::Sandbox],
        _ => &[],
    }
}

/// The time by the account's clock, in the whole seconds that are shown.
async fn now(account: &Account) -> DateTime<FixedOffset> {
    let path = "/api/v1/whitelists/endpoint-summary?billing_customer_id=1";
    let answer = account
        .raw(Method::GET, path)
        .send()
        .await
        .expect("an answer");
    let shown = answer.json["meta"]["timestamp"]
        .as_str()
        .unwrap_or_default();
    DateTime::parse_from_rfc3339(shown).unwrap_or_else(|_| panic!("no time in {}", answer.json))
}

/// A day from now, as a rule's end takes it.
async fn day_in(account: &Account, days: i64) -> String {
    let day = now(account).await + Duration::days(days);
    day.format("%Y-%m-%d").to_string()
}
