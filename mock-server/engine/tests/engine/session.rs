//! What opening and ending a session does for every operation.

use secmon_engine::{Progress, Table};
use serde_json::Value;

use crate::bench::Bench;

#[test]
fn what_a_call_makes_due_at_once_is_among_what_it_changed() {
    let mut bench = Bench::new();
    bench
        .account
        .at(bench.now)
        .set_progress(Progress::Immediate);
    bench.provision(42, "203.0.113.10");
    let changes = bench.account.take_changes();
    let server = changes
        .into_iter()
        .find(|change| change.table == Table::Endpoints)
        .and_then(|change| change.value)
        .expect("a server");
    let server: Value = serde_json::from_slice(&server).expect("JSON");
    assert_eq!(server["last_scan"]["outcome"], "completed");
}
