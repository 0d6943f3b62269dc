//! Text from outside that means harm: to a terminal, to a spreadsheet, to a reader.

use crate::shell::{Shell, account, provision};
use http::StatusCode;
use secmon_mock::{Fault, Tenant};
use serde_json::json;

/// A screen that is cleared, a clipboard that is written, text that runs backwards, a row that is broken, a formula.
const HOSTILE: &str =
    "=cmd|' /C calc'!A0\u{1b}[2J\u{1b}]52;c;aGk=\u{7}\u{202e}gpj.exe\r\n\u{9b}31mred";

fn is_inert(text: &str) -> bool {
    let control = |c: char| c.is_control() && c != '\n';
    !text.chars().any(control) && !text.contains(['\u{202e}', '\u{feff}'])
}

const ID: &str = "7f9c24e5-2f1b-4a57-9d0e-3a5cf0f6b1aa";

/// Lists that carry the hostile text in every place a person reads.
fn poisoned(tenant: &Tenant) -> [&'static str; 5] {
    for (path, answer) in answers() {
        let fault = Fault::body(StatusCode::OK, answer.to_string());
        tenant.fault(fault.on("GET", path).times(0));
    }
    [
        "endpoint list",
        "rules list",
        "alert list -c 42 --kind port",
        "domain list -c 42",
        "domain mentions 7f9c24e5-2f1b-4a57-9d0e-3a5cf0f6b1aa -c 42",
    ]
}

fn answers() -> [(&'static str, serde_json::Value); 5] {
    let id = ID;
    let domain = json!({
        "id": id, "domain": HOSTILE, "status": "active", "scan_status": HOSTILE,
        "employees_compromised": 1, "customers_compromised": 1, "third_parties_compromised": 1,
        "dark_web_mentions_count": 1,
    });
    let endpoint = json!({
        "id": id, "ip_address": "203.0.113.10", "hostname": HOSTILE, "nickname": HOSTILE, "platform": HOSTILE,
        "status": HOSTILE, "billing_customer_id": 42,
    });
    let rule = json!({
        "id": id, "port": 22, "port_start": 22, "port_end": 22, "protocol": "tcp", "service": HOSTILE,
        "justification": HOSTILE, "is_active": true, "endpoint": endpoint,
    });
    let mention = json!({
        "id": id, "title": HOSTILE, "content_preview": HOSTILE, "source_name": HOSTILE, "author": HOSTILE,
    });
    let alert = json!({
        "id": id, "port": 22, "protocol": "tcp", "service": HOSTILE, "severity": HOSTILE, "status": "open",
        "title": HOSTILE, "endpoint_id": id, "ip_address": HOSTILE,
    });
    let one_page = json!({ "total": 1, "current_page": 1, "last_page": 1, "has_more": false });
    let page = |name: &str, item: &serde_json::Value| {
        let mut data = one_page.clone();
        data[name] = json!([item]);
        json!({ "success": true, "data": data, "meta": {} })
    };
    let resource = json!({ "current_page": 1, "per_page": 25, "total": 1 });
    [
        (
            "/api/v1/endpoints",
            json!({ "data": [endpoint], "meta": resource }),
        ),
        (
            "/api/v1/whitelists",
            json!({ "data": [rule], "meta": resource }),
        ),
        ("/api/v1/alerts", page("alerts", &alert)),
        (
            "/api/v1/domains",
            json!({ "success": true, "data": {
            "subscribed": true, "domains": [domain], "slots_used": 1, "slots_total": 1 }, "meta": {} }),
        ),
        (
            "/api/v1/domains/*/dark-web-mentions",
            page("mentions", &mention),
        ),
    ]
}

#[test]
fn tables_and_spreadsheets_are_inert_and_json_is_exact() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    for line in poisoned(&tenant) {
        for form in ["table", "wide"] {
            let run = shell.line(&format!("{line} -o {form}")).exits(0);
            assert!(is_inert(&run.stdout), "{line}: {:?}", run.stdout);
            assert!(is_inert(&run.stderr), "{line}: {:?}", run.stderr);
        }
        let csv = shell.line(&format!("{line} -o csv")).exits(0).stdout;
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let record = reader.records().next().expect("a row").expect("CSV");
        let starts = |cell: &str, marks: &[char]| cell.starts_with(marks);
        assert!(
            record.iter().all(|cell| is_inert(&cell.replace('\n', ""))),
            "{line}: {csv:?}"
        );
        assert!(
            record
                .iter()
                .all(|cell| !starts(cell, &['=', '+', '-', '@', '\t', '\r'])),
            "{csv:?}"
        );
        assert!(csv.contains("'=cmd"), "{line}: {csv:?}");
        let json = shell.line(&format!("{line} -o json")).exits(0).json();
        assert!(holds(&json, HOSTILE), "{line}: {json}");
        let raw = shell
            .line(&format!("{line} -o csv --csv raw"))
            .exits(0)
            .stdout;
        let mut reader = csv::Reader::from_reader(raw.as_bytes());
        let record = reader.records().next().expect("a row").expect("CSV");
        assert!(record.iter().any(|cell| cell == HOSTILE), "{line}: {raw:?}");
    }
}

fn holds(value: &serde_json::Value, text: &str) -> bool {
    match value {
        serde_json::Value::String(found) => found == text,
        serde_json::Value::Array(items) => items.iter().any(|item| holds(item, text)),
        serde_json::Value::Object(fields) => fields.values().any(|field| holds(field, text)),
        _ => false,
    }
}

#[test]
fn an_error_of_the_service_is_inert_too() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let body = json!({ "success": false, "error": { "code": HOSTILE, "message": HOSTILE, "details": {} }, "meta": {} });
    tenant.fault(Fault::body(StatusCode::CONFLICT, body.to_string()).times(0));
    let run = shell.line("endpoint list -vv").exits(5);
    assert!(
        is_inert(&run.stderr.replace("\r\n", "\n")),
        "{:?}",
        run.stderr
    );
    let error = shell.line("endpoint list -o json").exits(5).error();
    let code = error["code"].as_str().expect("a code");
    assert!(
        is_inert(code) && code.starts_with("=cmd|' /C calc'!A0"),
        "{code:?}"
    );
}

#[test]
fn a_name_that_was_really_given_stays_whole_in_json_and_inert_in_a_table() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let name = "=1+1\u{202e}\u{1b}[31m";
    let id = provision(&shell, "203.0.113.10", "web-1");
    shell.run(&["endpoint", "rename", &id, name]).exits(0);
    assert!(is_inert(&shell.line("endpoint list").exits(0).stdout));
    assert!(is_inert(
        &shell.line("endpoint show 203.0.113.10").exits(0).stdout
    ));
    assert!(is_inert(&shell.line("alert list -c 42").exits(0).stdout));
    let shown = shell.line("endpoint list -o json").exits(0).json();
    assert_eq!(shown[0]["nickname"], name);
}
