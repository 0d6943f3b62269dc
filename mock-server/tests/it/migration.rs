//! A state file that an older version wrote: copied, then brought up to date.

use std::path::{Path, PathBuf};

use redb::TableDefinition;
use secmon_mock::{Instant, MockServer};
use serde_json::{Value, json};

use crate::client::{Caller, text};
use crate::durable::{Folder, acme, server};
use crate::program::{command, run};

/// The records of a file that a server of format 1 wrote: key, checksum and JSON value of each.
const FORMAT_1: &str = include_str!("../format-1.records");

/// Its `moment` record, which the first servers of format 1 did not write.
const MOMENT: &str = "/server/moment";

/// Makes the file, with those of its records that are wanted.
fn written(file: &Path, wanted: impl Fn(&str) -> bool) -> Vec<u8> {
    let database = redb::Database::create(file).expect("a database");
    let transaction = database.begin_write().expect("a transaction");
    let formats: TableDefinition<&str, u32> = TableDefinition::new("format");
    let records: TableDefinition<&str, &[u8]> = TableDefinition::new("records");
    let mut table = transaction.open_table(formats).expect("a table");
    table.insert("format", 1).expect("a format");
    drop(table);
    let mut table = transaction.open_table(records).expect("a table");
    for line in FORMAT_1.lines() {
        let mut parts = line.splitn(3, ' ');
        let mut part = || parts.next().expect("three parts");
        let (key, sum, value) = (part(), part(), part());
        if !wanted(key) {
            continue;
        }
        let sum = u32::from_str_radix(sum, 16).expect("a checksum");
        let stored = [&sum.to_be_bytes(), value.as_bytes()].concat();
        let key = key.replacen('/', "\u{1f}", 2);
        table
            .insert(key.as_str(), stored.as_slice())
            .expect("a record");
    }
    drop(table);
    transaction.commit().expect("a commit");
    drop(database);
    std::fs::read(file).expect("a file")
}

fn copy_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".format-1");
    name.into()
}

/// What the older server was told is what this one shows.
fn holds_what_was_told(server: &MockServer) {
    let (caller, admin) = (acme(server.url()), Caller::new(server.url()));
    let servers = caller.get("/api/v1/endpoints").expect(200);
    assert_eq!(servers.at("/meta/total"), 2);
    assert_eq!(
        servers.at("/data/0/id"),
        "52340fc6-eb30-45ef-b1e3-31f688d35d68"
    );
    assert_eq!(servers.at("/data/1/ip_address"), "2001:db8::1");
    let rules = caller.get("/api/v1/whitelists").expect(200);
    assert_eq!(rules.at("/data/0/justification"), "SSH for operations");
    let domains = caller.get("/api/v1/domains?billing_customer_id=42");
    assert_eq!(domains.at("/data/domains/0/domain"), "a.example");
    assert_eq!(domains.at("/data/slots_total"), 2);
    let ahead = admin.get("/_mock/tenants/mine/clock").at("/now");
    assert_eq!(now(server), "2026-01-01T00:01:05+00:00");
    assert_eq!(ahead, "2026-01-01T00:01:12+00:00");
}

fn now(server: &MockServer) -> Value {
    Caller::new(server.url()).get("/_mock/clock").at("/now")
}

#[test]
fn a_file_of_an_older_format_is_copied_and_brought_up_to_date() {
    let folder = Folder::new();
    let file = folder.state();
    let old = written(&file, |_| true);
    for _ in 0..2 {
        let server = server(&file).expect("a server");
        holds_what_was_told(&server);
        let copied = std::fs::read(copy_of(&file)).expect("a copy");
        assert!(copied == old, "the copy is the file as it was");
    }
    let server = server(&file).expect("a server");
    let body = json!({ "client_id": 42, "ip_address": "192.0.2.2" });
    let made = acme(server.url()).post("/api/v1/billing/provision", body);
    made.expect(201);
}

#[test]
fn time_does_not_go_back_in_a_file_that_does_not_tell_its_last_moment() {
    let folder = Folder::new();
    let file = folder.state();
    written(&file, |key| key != MOMENT);
    let server = server(&file).expect("a server");
    holds_what_was_told(&server);
}

#[test]
fn a_file_of_an_older_format_is_exported_and_left_untouched() {
    let folder = Folder::new();
    let file = folder.state();
    let old = written(&file, |key| key != MOMENT);
    let shown = file.to_str().expect("a path");
    let (code, document, error) = run(&mut command(&["export", "--state", shown]));
    assert_eq!(code, Some(0), "{error}");
    let document: Value = serde_json::from_str(&document).expect("a document");
    let moment = Instant::parse(&text(&document["moment"])).expect("a moment");
    let last = Instant::parse("2026-01-01T00:01:05+00:00").expect("a moment");
    assert_eq!(moment, last);
    assert!(std::fs::read(&file).expect("a file") == old);
    assert!(!copy_of(&file).exists());
}

#[test]
fn an_earlier_copy_is_not_overwritten() {
    let folder = Folder::new();
    let file = folder.state();
    let old = written(&file, |_| true);
    std::fs::write(copy_of(&file), b"of another state").expect("a copy");
    let error = server(&file).expect_err("a copy is in the way").to_string();
    assert!(
        error.contains(".format-1") && !error.contains('\n'),
        "{error}"
    );
    assert!(std::fs::read(&file).expect("a file") == old);
    let copy = std::fs::read(copy_of(&file)).expect("a copy");
    assert_eq!(copy, b"of another state");
}
