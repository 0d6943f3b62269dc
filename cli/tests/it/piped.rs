//! What other programs and terminals get: one record a line, and nothing that a screen or a spreadsheet would run.

use crate::shell::{Shell, account};
use http::StatusCode;
use secmon_mock::{Fault, Tenant};
use serde_json::{Value, json};

const ID: &str = "7f9c24e5-2f1b-4a57-9d0e-3a5cf0f6b1aa";
/// A control sequence of one character, a deletion, text that runs backwards, and lines that end in every way.
const HOSTILE: &str = "a\u{9b}31m\u{7f}\u{202e}gpj\u{2066}\u{feff}\nb\r\nc\u{2028}d";

fn servers_named(tenant: &Tenant, names: &[&str]) {
    let server = |name: &&str| {
        json!({ "id": ID, "ip_address": "203.0.113.10", "nickname": name, "status": "active",
            "billing_customer_id": 42 })
    };
    let servers: Vec<Value> = names.iter().map(server).collect();
    let meta = json!({ "current_page": 1, "last_page": 1, "per_page": 100, "total": names.len() });
    let list = json!({ "data": servers, "meta": meta }).to_string();
    tenant.clear_faults();
    tenant.fault(
        Fault::body(StatusCode::OK, list)
            .on("GET", "/api/v1/endpoints")
            .times(0),
    );
}

/// Whether a terminal shows a text as it stands.
fn is_inert(text: &str) -> bool {
    let harmful =
        |c: char| (c.is_control() && c != '\n') || "\u{202e}\u{2066}\u{feff}\u{2028}".contains(c);
    !text.contains(harmful)
}

#[test]
fn json_is_exact_and_holds_nothing_that_a_terminal_would_run() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    servers_named(&tenant, &[HOSTILE]);
    for line in [
        "endpoint list -o json",
        "endpoint list -o jsonl",
        "api endpoints",
    ] {
        let run = shell.line(line).exits(0);
        assert!(is_inert(&run.stdout), "{line}: {:?}", run.stdout);
        assert!(run.json().to_string().contains(&json!(HOSTILE).to_string()));
    }
    let refused = json!({ "success": false, "meta": {},
        "error": { "code": "NO", "message": HOSTILE, "details": {} } });
    tenant.clear_faults();
    tenant.fault(Fault::body(StatusCode::CONFLICT, refused.to_string()));
    let run = shell.line("endpoint list -o json").exits(5);
    assert!(is_inert(&run.stderr), "{:?}", run.stderr);
}

#[test]
fn a_name_with_a_line_end_is_one_line_for_a_pipe() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    servers_named(&tenant, &[HOSTILE, "web-1"]);
    for form in ["csv", "jsonl"] {
        let run = shell.line(&format!("endpoint list --no-headers -o {form}"));
        let said = run.exits(0).stdout;
        assert_eq!(said.lines().count(), 2, "{form}: {said:?}");
    }
    let domain = json!({ "id": ID, "domain": HOSTILE, "status": "active" });
    let overview = json!({ "success": true, "meta": {}, "data": {
        "subscribed": true, "domains": [domain], "slots_used": 1, "slots_total": 1 } });
    let alert = json!({ "id": ID, "monitored_domain_id": ID, "domain": HOSTILE, "type": "credential_leak",
        "category": "employees", "severity": "high", "status": "open", "new_count": 1, "previous_count": 0 });
    let alerts = json!({ "success": true, "meta": {}, "data": {
        "alerts": [alert], "total": 1, "current_page": 1, "last_page": 1, "has_more": false } });
    for (path, body) in [
        ("/api/v1/domains", overview),
        ("/api/v1/domains/*/alerts", alerts),
    ] {
        let fault = Fault::body(StatusCode::OK, body.to_string());
        tenant.fault(fault.on("GET", path).times(0));
    }
    let ids = shell.line("alert list -c 42 --kind domain -o ids").exits(0);
    assert_eq!(ids.stdout.lines().count(), 1, "{ids:?}");
    assert!(is_inert(&ids.stdout), "{:?}", ids.stdout);
}

#[test]
fn no_cell_is_run_by_a_spreadsheet_of_any_locale() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let formulas = [
        "=1+1",
        "+1",
        "-1",
        "@SUM(1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "＝1+1",
        "＋1",
        "－1",
        "＠SUM(1)",
    ];
    servers_named(&tenant, &formulas);
    let csv = |options: &str| {
        let line = format!("endpoint list -o csv --no-headers --columns nickname {options}");
        shell.line(&line).exits(0).stdout
    };
    let guarded = csv("");
    assert_eq!(guarded.lines().count(), formulas.len(), "{guarded:?}");
    for line in guarded.lines() {
        assert!(line.trim_start_matches('"').starts_with('\''), "{line:?}");
    }
    // Where ; separates, what stands behind one is a cell of its own.
    servers_named(&tenant, &["web;=1+1;\"@SUM(1)", "web-1; -1", "no;formula"]);
    let guarded = csv("");
    assert!(
        guarded.contains("web;'=1+1;") && guarded.contains("web-1; '-1"),
        "{guarded}"
    );
    assert!(guarded.contains("\"\"'@SUM"), "{guarded}");
    assert!(guarded.contains("no;formula"), "{guarded}");
    assert!(csv("--csv raw").contains("web;=1+1;"));
}

#[test]
fn a_heading_is_no_formula_either() {
    let shell = Shell::new();
    std::fs::create_dir_all(shell.path(".config/secmon")).expect("a folder");
    let profile = "[profiles.\"=cmd\\u009b31m\"]\nbase_url = \"https://portal.example\"\n";
    shell.file(".config/secmon/config.toml", profile);
    for line in ["config list -o csv", "profile list -o csv"] {
        let run = shell.line(line).exits(0);
        assert!(is_inert(&run.stdout), "{line}: {:?}", run.stdout);
        let starts = |cell: &str| cell.trim_start_matches('"').starts_with('=');
        let bare = run.stdout.split([',', '\n']).any(starts);
        assert!(!bare, "{line}: {:?}", run.stdout);
    }
}
