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
            "the name web-a in place of web-b",
        ),
        (
            "rules add web-1 77 -m for-the-old-console",
            "rules add web-1 99 -m for-the-old-console",
            "the port 77/tcp in place of 99/tcp",
        ),
        (
            "rules edit RULE -m for-the-first-reason",
            "rules edit RULE -m for-the-second-reason",
            "the reason for-the-first-reason in place of for-the-second-reason",
        ),
        (
            "rules edit RULE --port 8444",
            "rules edit RULE --port 8445",
            "the port 8444/tcp in place of 8445/tcp",
        ),
        (
            "endpoint add 203.0.113.50 -c 42",
            "endpoint add 203.0.113.51 -c 42",
            "the address 203.0.113.50 in place of 203.0.113.51",
        ),
        (
            "endpoint add 203.0.113.50 -c 42",
            "endpoint add 203.0.113.50 -c 42 --status paused",
            "the status active in place of paused",
        ),
        (
            "subscription set 601 --product domain_monitoring --quantity 3 -c 42",
            "subscription set 601 --product domain_monitoring --quantity 6 -c 42",
            "the quantity 3 in place of 6",
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
    assert!(run.stderr.contains("the status terminated"), "{run:?}");
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
