//! A spreadsheet of servers.

use crate::shell::{Account, Shell, account, mock_with_short_windows, provision};
use secmon_mock::{Fault, Tenant};
use std::fmt::Write;

/// 200 servers of 20 customers, ten each, IPv4 and IPv6, a quoted cell, a byte-order mark.
fn spreadsheet() -> String {
    let mut text = "\u{FEFF}target,customer,nickname\n".to_owned();
    for customer in 100..120 {
        for i in 0..10 {
            let address = if i % 2 == 0 {
                format!("203.0.{customer}.{i}")
            } else {
                format!("2001:db8:{customer}::{i}")
            };
            let nickname = if i == 3 {
                format!("\"rack {i}, room {customer}\"")
            } else {
                format!("web-{customer}-{i}")
            };
            let _ = writeln!(text, "{address},{customer},{nickname}");
        }
    }
    text
}

fn writes(tenant: &Tenant) -> usize {
    tenant
        .journal()
        .iter()
        .filter(|call| call.method != "GET")
        .count()
}

#[test]
fn bad_rows_are_all_named_before_anything_is_sent() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let broken = spreadsheet()
        .replacen("203.0.100.0", "203.0.100.999", 1)
        .replacen("2001:db8:119::9,119", "2001:db8:119::9,none", 1);
    let file = shell.file("servers.csv", &broken);
    let run = shell.run(&["provision", "-f", &file]).exits(2);
    assert!(run.stderr.contains("row 2: target"), "{run:?}");
    assert!(run.stderr.contains("row 201: customer"), "{run:?}");
    assert_eq!(tenant.journal().len(), 0);
}

#[test]
fn two_hundred_servers_stay_inside_the_rate_window_and_a_second_run_changes_nothing() {
    let mock = mock_with_short_windows();
    let tenant = Account::of(mock.tenant());
    let shell = Shell::of(&tenant).with("SECMON_RATE_LIMITS", "60,100/2s");
    let file = shell.file("servers.csv", &spreadsheet());
    let first = shell
        .run(&["provision", "-f", &file, "-o", "json"])
        .exits(0)
        .json();
    assert_eq!(
        first["summary"],
        serde_json::json!({ "total": 200, "succeeded": 200, "failed": 0, "skipped": 0 })
    );
    assert_eq!(first["items"][3]["row"], 5);
    assert_eq!(first["items"][3]["created"], true);
    assert!(
        tenant.journal().iter().all(|call| call.status != Some(429)),
        "a 429 was earned"
    );

    let before = writes(&tenant);
    let again = shell
        .run(&["provision", "-f", &file, "-o", "json"])
        .exits(0)
        .json();
    assert_eq!(again["summary"]["skipped"], 200);
    assert_eq!(again["items"][3]["status"], "skipped");
    assert_eq!(again["items"][3]["id"], first["items"][3]["id"]);
    assert_eq!(writes(&tenant), before, "the second run changed something");
}

#[test]
fn thirty_servers_of_one_customer_end_with_five_rows_over_the_limit() {
    let shell = Shell::of(&account());
    let rows: String = (1..=30).map(|i| format!("198.51.100.{i}\n")).collect();
    let file = shell.file("thirty.csv", &format!("ip\n{rows}"));
    let run = shell.run(&["provision", "-f", &file, "-c", "7"]).exits(8);
    assert_eq!(
        run.stdout.matches("ENDPOINT_LIMIT_EXCEEDED  ").count(),
        5,
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("hint:"), "{}", run.stdout);
    let again = shell
        .run(&["provision", "-f", &file, "-c", "7", "-o", "json"])
        .exits(8)
        .json();
    assert_eq!(
        again["summary"],
        serde_json::json!({ "total": 30, "succeeded": 0, "failed": 5, "skipped": 25 })
    );
    let failed = again["items"]
        .as_array()
        .and_then(|items| items.iter().find(|item| item["status"] == "failed"));
    let error = &failed.expect("a failed row")["error"];
    assert_eq!(error["code"], "ENDPOINT_LIMIT_EXCEEDED");
    assert_eq!(error["exit_code"], 5);
}

#[test]
fn spreadsheets_as_people_save_them_are_read() {
    let shell = Shell::of(&account());
    let file = shell.file(
        "semicolon.csv",
        "IP Address;Client ID;Nickname;Rack\r\n\r\n203.0.113.1;42;\"a;b\";7\r\n;;;\r\n",
    );
    let run = shell
        .run(&["provision", "-f", &file, "-o", "json"])
        .exits(2);
    let hint = run.error()["hint"].as_str().unwrap_or_default().to_owned();
    assert!(hint.contains("--map Rack=FIELD"), "{hint}");
    let mapped = shell
        .run(&[
            "provision",
            "-f",
            &file,
            "--map",
            "Rack=service_id",
            "-o",
            "json",
        ])
        .exits(0)
        .json();
    assert_eq!(mapped["summary"]["succeeded"], 1);
    let servers = shell.line("endpoint list -c 42 -o json").exits(0).json();
    assert_eq!(servers[0]["nickname"], "a;b");
}

#[test]
fn a_spreadsheet_in_windows_1252_is_read_where_that_is_said() {
    let shell = Shell::of(&account());
    let path = shell.path("excel.csv");
    std::fs::write(
        &path,
        b"Server;Customer ID;Nickname\r\n203.0.113.1;42;M\xfcnchen\r\n",
    )
    .expect("the file is written");
    let file = path.display().to_string();
    let run = shell.run(&["provision", "-f", &file]).exits(2);
    assert!(run.stderr.contains("windows-1252"), "{run:?}");
    shell
        .run(&["provision", "-f", &file, "--encoding", "windows-1252"])
        .exits(0);
    let servers = shell.line("endpoint list -c 42 -o json").exits(0).json();
    assert_eq!(servers[0]["nickname"], "München");
}

#[test]
fn the_empty_spreadsheet_can_be_filled_in() {
    let shell = Shell::of(&account());
    let template = shell.line("provision --template").exits(0).stdout;
    let file = shell.file(
        "servers.csv",
        &format!("{template}203.0.113.1,42,,web-1,,,,,,\n"),
    );
    shell.run(&["provision", "-f", &file]).exits(0);
}

#[test]
fn a_report_can_be_fed_back_in() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    tenant.fault(
        Fault::code(http::StatusCode::INTERNAL_SERVER_ERROR, "BROKEN")
            .on("POST", "*/provision")
            .times(0),
    );
    let file = shell.file(
        "servers.csv",
        "target,customer\n203.0.113.1,42\n203.0.113.2,42\n",
    );
    let report = shell.path("report.csv").display().to_string();
    shell
        .run(&[
            "provision",
            "-f",
            &file,
            "--report",
            &report,
            "--timeout",
            "1s",
        ])
        .exits(8);
    tenant.clear_faults();
    let again = shell
        .run(&["provision", "-f", &report, "-o", "json"])
        .exits(0)
        .json();
    assert_eq!(again["summary"]["succeeded"], 2);
}

#[test]
fn a_key_that_is_refused_stops_the_run() {
    let tenant = account();
    let shell = Shell::of(&tenant).with("SECMON_API_KEY", "not-the-key-of-anybody");
    let file = shell.file(
        "servers.csv",
        "target,customer\n203.0.113.1,42\n203.0.113.2,43\n",
    );
    shell.run(&["provision", "-f", &file]).exits(3);
    assert_eq!(tenant.journal().len(), 0);
}

#[test]
fn several_targets_on_one_line_are_reported_like_a_file() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    let run = shell
        .line("provision 203.0.113.1 203.0.113.2 -c 42 -o json")
        .exits(0)
        .json();
    assert_eq!(
        run["summary"],
        serde_json::json!({ "total": 2, "succeeded": 1, "failed": 0, "skipped": 1 })
    );
    assert!(run["items"][0]["row"].is_null());
}

#[test]
fn a_report_that_cannot_be_written_stops_the_run_before_it_begins() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let file = shell.file("servers.csv", "target,customer\n203.0.113.1,42\n");
    shell
        .run(&[
            "provision",
            "-f",
            &file,
            "--report",
            "no-such-folder/report.csv",
        ])
        .exits(2);
    assert_eq!(tenant.journal().len(), 0);
    shell
        .line("provision 203.0.113.1 -c 42 --report report.csv")
        .exits(2);
}

#[test]
fn mistakes_in_the_heading_and_repeated_rows_are_named() {
    let shell = Shell::of(&account());
    let file = shell.file("servers.csv", "target,Rack,Shelf\n203.0.113.1,42,web-1\n");
    let run = shell
        .run(&["provision", "-f", &file, "-o", "json"])
        .exits(2);
    let hint = run.error()["hint"].as_str().unwrap_or_default().to_owned();
    assert!(
        hint.contains("--map Rack=FIELD --map Shelf=FIELD"),
        "{hint}"
    );
    let typo = shell
        .run(&["provision", "-f", &file, "--map", "Kundin=customer"])
        .exits(2);
    assert!(typo.stderr.contains("no column \"Kundin\""), "{typo:?}");
    let twice = shell.file(
        "twice.csv",
        "target,customer,nickname\n2001:db8::1,42,a\n2001:DB8:0::1,42,b\n",
    );
    let run = shell.run(&["provision", "-f", &twice]).exits(2);
    assert!(
        run.stderr
            .contains("row 3: \"2001:DB8:0::1\" of customer 42 is already in row 2"),
        "{run:?}"
    );
    let named = shell.line("provision servers.csv -c 42").exits(2);
    assert!(
        named.stderr.contains("provision -f servers.csv"),
        "{named:?}"
    );
}

#[test]
fn nothing_is_sent_after_the_first_failed_row_when_that_is_asked_for() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    tenant.fault(
        Fault::code(http::StatusCode::FORBIDDEN, "ENDPOINT_LIMIT_EXCEEDED")
            .on("POST", "*/provision"),
    );
    let rows: String = (1..20).map(|i| format!("203.0.113.{i},42\n")).collect();
    let file = shell.file("servers.csv", &format!("target,customer\n{rows}"));
    let run = shell
        .run(&["provision", "-f", &file, "--on-error", "stop", "-o", "json"])
        .exits(8)
        .json();
    assert_eq!(
        run["summary"],
        serde_json::json!({ "total": 19, "succeeded": 0, "failed": 19, "skipped": 0 })
    );
    assert_eq!(writes(&tenant), 1);
}

#[test]
fn a_dry_run_writes_no_report() {
    let shell = Shell::of(&account());
    let file = shell.file("servers.csv", "target,customer\n203.0.113.1,42\n");
    let report = shell.file("done.csv", "mine");
    shell
        .run(&["provision", "-f", &file, "--report", &report, "-n"])
        .exits(0);
    assert_eq!(std::fs::read_to_string(&report).expect("the file"), "mine");
    shell
        .run(&["provision", "-f", &file, "--report", &file])
        .exits(2);
}
