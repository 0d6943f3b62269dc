//! What the service does not tell is unknown: it is never shown as nothing.

use crate::shell::{Account, Run, Shell, account, provision};
use http::StatusCode;
use secmon_mock::{CloseAt, Fault};
use serde_json::{Value, json};

const ID: &str = "6f9619ff-8b86-4011-b42d-00c04fc964ff";

/// An account whose domains are told in this way.
fn account_telling(overview: &Value) -> Account {
    let tenant = account();
    let body = json!({ "success": true, "data": overview, "meta": { "version": "v1" } });
    let told = Fault::body(StatusCode::OK, body.to_string());
    tenant.fault(told.on("GET", "/api/v1/domains").times(0));
    tenant
}

#[test]
fn domains_that_are_not_told_are_no_empty_list() {
    let tenant = account_telling(&json!({ "subscribed": true, "slots_total": 5 }));
    let shell = Shell::of(&tenant);
    for line in [
        "domain list -c 42 -o json",
        "status -c 42 -o json",
        "alert list -c 42 -o json",
        "domain show shop.example -c 42 -o json",
    ] {
        let error = shell.line(line).exits(7).error();
        assert_eq!(error["code"], "unreadable_answer", "{line}: {error}");
    }
}

#[test]
fn counts_that_are_not_told_are_not_zero() {
    let domain = json!({ "id": ID, "domain": "shop.example", "status": "active" });
    let overview = json!({ "subscribed": true, "domains": [domain] });
    let tenant = account_telling(&overview);
    let shell = Shell::of(&tenant);
    let list = shell.line("domain list -c 42 -o json").exits(0).json();
    assert_eq!(list[0]["employees_compromised"], Value::Null, "{list}");
    let list = shell.line("domain list -c 42").exits(0).stdout;
    let row = list.lines().find(|line| line.contains("shop.example"));
    let row = row.expect("the domain's row");
    assert!(row.contains('-') && !row.contains(" 0 "), "{list}");
}

#[test]
fn a_scan_that_does_not_tell_its_ports_found_not_nothing() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let id = provision(&shell, "203.0.113.10", "web-1");
    let detail = json!({
        "data": { "id": id, "ip_address": "203.0.113.10", "status": "active" },
        "latest_scan": { "status": "completed" },
        "alerts": [], "whitelisted_ports": [], "new_ports": [], "closed_ports": [],
    });
    let told = Fault::body(StatusCode::OK, detail.to_string());
    tenant.fault(told.on("GET", "*/detail").times(0));
    let shown = shell.line("endpoint show web-1").exits(0).stdout;
    assert!(!shown.contains("No open port"), "{shown}");
    let open = shown.lines().find(|line| line.contains("open ports"));
    assert!(open.is_some_and(|line| line.contains("unknown")), "{shown}");
    let ports = shell
        .line("endpoint show web-1 --ports -o json")
        .exits(0)
        .json();
    assert_eq!(ports["open_ports"], Value::Null, "{ports}");
}

/// A command whose first attempt is carried out, and its answer lost.
fn sent_twice(line: &str, path: &str) -> Run {
    let tenant = account();
    tenant.fault(Fault::close(CloseAt::After).on("POST", path));
    Shell::of(&tenant).line(line).exits(0)
}

#[test]
fn a_record_that_a_lost_attempt_may_have_made_is_neither_new_nor_old() {
    for (line, path) in [
        ("provision 203.0.113.10 -c 42", "*/provision"),
        ("endpoint add 203.0.113.10 -c 42", "/api/v1/endpoints"),
        (
            "subscription set 7 --product port_monitoring --plan starter -c 42",
            "*/provision-subscription",
        ),
    ] {
        let told = sent_twice(line, path).stdout;
        assert!(
            told.contains("an earlier attempt may have made it"),
            "{line}: {told}"
        );
        let json = sent_twice(&format!("{line} -o json"), path).json();
        assert_eq!(json.get("created"), Some(&Value::Null), "{line}: {json}");
    }
}

#[test]
fn a_row_that_a_lost_attempt_may_have_made_is_no_skipped_one() {
    let line = "provision 203.0.113.10 203.0.113.11 -c 42 -o json";
    let run = sent_twice(line, "*/provision").json();
    assert_eq!(run["summary"]["succeeded"], 2, "{run}");
    let created = |at: usize| run["items"][at]["created"].clone();
    let mut created = [created(0), created(1)];
    created.sort_by_key(Value::is_null);
    assert_eq!(created, [Value::Bool(true), Value::Null], "{run}");
}
