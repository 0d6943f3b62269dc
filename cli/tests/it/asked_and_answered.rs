//! An answer that shows something else than was asked for is no success, whatever its status.

use crate::journal::wired;
use crate::shell::{Account, Shell, account, provision};
use secmon_mock::Fault;
use serde_json::Value;

/// Customer 42 with a server, and a rule that allows 8443 on it.
fn furnished() -> (Account, Shell) {
    let tenant = account().provoking_notices();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.1", "web-1");
    shell
        .line("rules add web-1 8443 -m for-the-console")
        .exits(0);
    (tenant, shell)
}

/// The last change that the service answered, and how.
fn last_answer(tenant: &Account) -> (u16, Value) {
    let calls = tenant.journal();
    let last = calls.into_iter().rfind(|call| call.method != "GET");
    let last = last.expect("a change");
    (last.status.expect("an answer"), last.response)
}

/// From here on every change is answered so.
fn answer_with(tenant: &Account, status: u16, body: &Value) {
    let status = http::StatusCode::from_u16(status).expect("a status");
    for method in ["POST", "PUT"] {
        let fault = Fault::body(status, body.to_string()).on(method, "/api/*");
        tenant.fault(fault.times(0));
    }
}

#[test]
fn an_answer_that_shows_the_last_change_in_place_of_this_one_is_no_success() {
    for (before, line, difference) in [
        (
            "endpoint rename web-1 web-a",
            "endpoint rename 203.0.113.1 web-b",
            "the name web-a instead of web-b",
        ),
        (
            "rules add web-1 77 -m for-the-old-console",
            "rules add web-1 99 -m for-the-old-console",
            "the port 77/tcp instead of 99/tcp",
        ),
        (
            "rules edit RULE -m for-the-first-reason",
            "rules edit RULE -m for-the-second-reason",
            "the reason for-the-first-reason instead of for-the-second-reason",
        ),
        (
            "rules edit RULE --port 8444",
            "rules edit RULE --port 8445",
            "the port 8444/tcp instead of 8445/tcp",
        ),
        (
            "endpoint add 203.0.113.50 -c 42",
            "endpoint add 203.0.113.51 -c 42",
            "the address 203.0.113.50 instead of 203.0.113.51",
        ),
        (
            "endpoint add 203.0.113.50 -c 42",
            "endpoint add 203.0.113.50 -c 42 --status paused",
            "the status active instead of paused",
        ),
        (
            "subscription set 601 --product domain_monitoring --quantity 3 -c 42",
            "subscription set 601 --product domain_monitoring --quantity 6 -c 42",
            "the quantity 3 instead of 6",
        ),
    ] {
        let (tenant, shell) = furnished();
        let rule = shell.line("rules list -o ids").exits(0).stdout;
        let named = |line: &str| line.replace("RULE", rule.trim());
        shell.line(&named(before)).exits(0);
        let (status, body) = last_answer(&tenant);
        answer_with(&tenant, status, &body);
        let run = shell.line(&named(line)).exits(7);
        assert!(run.stderr.contains(difference), "{line}: {run:?}");
    }
}

#[test]
fn what_is_new_and_has_ended_is_no_success() {
    let (tenant, shell) = furnished();
    shell.line("provision 203.0.113.2 -c 42").exits(0);
    let (status, mut body) = last_answer(&tenant);
    body["data"]["status"] = "terminated".into();
    answer_with(&tenant, status, &body);
    let run = shell.line("provision 203.0.113.3 -c 42").exits(7);
    assert!(
        run.stderr.contains("a new record does not begin"),
        "{run:?}"
    );
}

/// A line, a member of its answer that is bent, and what is said of it.
const BENT: [(&str, &str, &str, &str); 13] = [
    (
        "rules add web-1 99 -m for-the-console --expires 2027-06-30",
        "expires_at",
        "\"2028-01-31T00:00:00+00:00\"",
        "the last day 2028-01-31T00:00:00+00:00 instead of 2027-06-30",
    ),
    (
        "rules add web-1 99 -m for-the-console --expires 2027-06-30",
        "expires_at",
        "null",
        "the last day (none) instead of 2027-06-30",
    ),
    (
        "rules add web-1 99 -m for-the-console --service ssh",
        "service",
        "\"rdp\"",
        "the service name rdp instead of ssh",
    ),
    (
        "rules add web-1 99 -m for-the-console",
        "protocol",
        "\"udp\"",
        "the port 99/udp instead of 99/tcp",
    ),
    (
        "rules add web-1 99 -m for-the-console",
        "endpoint_id",
        "\"00000000-0000-4000-8000-000000000001\"",
        "another one than was asked for",
    ),
    (
        "rules add --global 99 -m for-the-console -c 42",
        "endpoint_id",
        "\"00000000-0000-4000-8000-000000000001\"",
        "instead of all servers",
    ),
    (
        "rules edit RULE --expires never",
        "expires_at",
        "\"2028-01-31T00:00:00+00:00\"",
        "the last day 2028-01-31T00:00:00+00:00 instead of (none)",
    ),
    (
        "provision 203.0.113.9 -c 42",
        "ip_address",
        "\"203.0.113.8\"",
        "the address 203.0.113.8 instead of 203.0.113.9",
    ),
    (
        "provision 203.0.113.9 -c 42",
        "client_id",
        "43",
        "another one than was asked for",
    ),
    (
        "domain provision new.example --service 601 -c 42",
        "domain",
        "\"old.example\"",
        "the domain old.example instead of new.example",
    ),
    (
        "domain rename first.example second.example -c 42",
        "domain",
        "\"first.example\"",
        "the domain first.example instead of second.example",
    ),
    (
        "subscription set 777 --product port_monitoring --plan starter -c 42 -y",
        "status",
        "\"cancelled\"",
        "a new record does not begin",
    ),
    (
        "subscription change 601 --product domain_monitoring --quantity 4 -c 42 -y",
        "product_slug",
        "\"port_monitoring\"",
        "another one than was asked for",
    ),
];

/// What the service answers to a line, on an account of its own.
fn true_answer(line: &str) -> (u16, Value) {
    let (tenant, shell) = with_domain();
    let line = line.replace("RULE", &rule_of(&shell));
    shell.line(&line).exits(0);
    last_answer(&tenant)
}

fn with_domain() -> (Account, Shell) {
    let (tenant, shell) = furnished();
    for line in [
        "subscription set 601 --product domain_monitoring --quantity 3 -c 42",
        "domain provision first.example --service 601 -c 42",
    ] {
        shell.line(line).exits(0);
    }
    (tenant, shell)
}

fn rule_of(shell: &Shell) -> String {
    let rules = shell.line("rules list -o ids").exits(0).stdout;
    rules.lines().next().expect("a rule").to_owned()
}

#[test]
fn a_member_that_is_answered_otherwise_is_no_success() {
    for (line, member, value, said) in BENT {
        let (status, mut body) = true_answer(line);
        body["data"][member] = serde_json::from_str(value).expect("JSON");
        let (tenant, shell) = with_domain();
        let rule = rule_of(&shell);
        // The record that is asked for is this account's.
        if line.starts_with("rules edit") {
            body["data"]["id"] = rule.as_str().into();
        }
        let server = shell.line("endpoint list -o ids -c 42").exits(0).stdout;
        let domain = shell.line("domain list -o ids -c 42").exits(0).stdout;
        if line.starts_with("rules") && member != "endpoint_id" {
            body["data"]["endpoint_id"] = server.trim().into();
            body["data"]["endpoint"] = Value::Null;
        }
        if line.starts_with("domain rename") {
            body["data"]["monitored_domain_id"] = domain.trim().into();
        }
        answer_with(&tenant, status, &body);
        let run = shell.line(&line.replace("RULE", &rule)).exits(7);
        assert!(run.stderr.contains(said), "{line}: {run:?}");
        assert!(run.stdout.is_empty(), "{line}: {run:?}");
    }
}

#[test]
fn a_row_that_is_answered_otherwise_fails_and_its_outcome_stays_unknown() {
    let (tenant, shell) = furnished();
    let (status, body) = true_answer("rules add web-1 99 -m for-the-console");
    let mut body = body;
    let server = shell.line("endpoint list -o ids -c 42").exits(0).stdout;
    body["data"]["endpoint_id"] = server.trim().into();
    body["data"]["endpoint"] = Value::Null;
    answer_with(&tenant, status, &body);
    let run = shell
        .line("rules add web-1 99 100 -m for-the-console -o json")
        .exits(8);
    let items = run.json()["items"].clone();
    // The first is answered as it was asked for, the second with the first one's record.
    assert_eq!(items[1]["status"], "failed", "{items}");
    assert_eq!(items[1]["error"]["exit_code"], 7, "{items}");
    assert!(
        items[1]["error"]["hint"].to_string().contains("rules show"),
        "{items}"
    );
    let told = shell.line("history -o json").exits(0).json();
    let last = told.as_array().and_then(|rows| {
        rows.iter()
            .find(|row| row.to_string().contains("100/tcp"))
            .cloned()
    });
    let last = last.expect("the row of 100");
    assert_ne!(last["result"], "changed", "{last}");
}

#[test]
fn a_scan_that_was_queued_and_has_failed_is_no_success() {
    let (tenant, shell) = furnished();
    tenant
        .advance(std::time::Duration::from_secs(3600))
        .expect("a clock");
    shell.line("scan web-1").exits(0);
    let (status, mut body) = last_answer(&tenant);
    body["data"]["status"] = "failed".into();
    answer_with(&tenant, status, &body);
    shell.line("scan web-1").exits(7);
}

#[test]
fn the_same_rule_that_somebody_adds_meanwhile_is_allowed_already() {
    let (tenant, direct) = furnished();
    let (wire, shell) = wired(&tenant);
    let add = "rules add web-1 1001 1002 1003 -m for-the-console";
    let words: Vec<&str> = add.split_whitespace().collect();
    let mut command = shell.command(&words);
    command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let act = Box::new(move || {
        direct.line(add).exits(0);
    });
    let output = wire.run_beside(command, 1, act);
    let run = crate::shell::Run::of(&output).exits(0);
    assert!(run.stdout.contains("already allowed"), "{run:?}");
    let rules = shell.line("rules list -o ids").exits(0).stdout;
    assert_eq!(rules.lines().count(), 4);
}
