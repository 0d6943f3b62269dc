//! Scans whose answers are lost: they are looked for before they are asked for again, and what happened is no failure.

use crate::journal::{quiet, wired};
use crate::shell::{Account, Shell, account, mock, provision};
use crate::wire::Moment;
use http::StatusCode;
use secmon_mock::{CloseAt, Fault, Progress, ScanOutcome};
use std::time::Duration;

/// An account whose scans end when they are told to.
fn slow_account() -> Account {
    let tenant = Account::of(mock().tenant());
    tenant
        .set_progress(Progress::Manual)
        .expect("the account is there");
    tenant
}

fn servers(shell: &Shell) -> Vec<String> {
    (1..=3)
        .map(|i| provision(shell, &format!("203.0.113.{i}"), &format!("web-{i}")))
        .collect()
}

const ALL: &str = "scan web-1 web-2 web-3 -o json";

#[test]
fn a_scan_whose_answer_was_lost_is_no_failure() {
    let tenant = slow_account();
    let shell = Shell::of(&tenant);
    servers(&shell);
    tenant.fault(Fault::close(CloseAt::After).on("POST", "*/scan-endpoint"));
    let one = shell.line("scan web-1 -o json").exits(0).json();
    let note = one["note"].as_str().unwrap_or_default();
    assert!(note.contains("the answer was lost"), "{one}");
    assert_eq!(tenant.calls("POST", "*/scan-endpoint").len(), 2);
    assert!(!tenant.calls("GET", "/api/v1/endpoints/*").is_empty());
}

#[test]
fn a_scan_that_ended_behind_a_lost_answer_is_not_asked_for_again() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.1", "web-1");
    tenant.advance(Duration::from_secs(60)).expect("a clock");
    tenant.fault(Fault::close(CloseAt::After).on("POST", "*/scan-endpoint"));
    shell.line("scan web-1 -o json").exits(0);
    assert_eq!(tenant.calls("POST", "*/scan-endpoint").len(), 1);
}

#[test]
fn a_scan_that_never_arrived_is_asked_for_again() {
    let tenant = slow_account();
    let shell = Shell::of(&tenant);
    servers(&shell);
    let lost = Fault::close(CloseAt::Before).on("POST", "*/scan-endpoint");
    tenant.fault(lost);
    let run = shell.line(ALL).exits(0).json();
    assert_eq!(run["summary"]["succeeded"], 3, "{run}");
    let accepted = tenant.calls("POST", "*/scan-endpoint");
    let accepted = accepted.iter().filter(|call| call.status == Some(202));
    assert_eq!(accepted.count(), 3);
}

#[test]
fn answers_that_stay_away_are_told_and_not_asked_for_without_an_end() {
    let tenant = slow_account();
    let shell = Shell::of(&tenant);
    servers(&shell);
    let lost = Fault::close(CloseAt::Before).on("POST", "*/scan-endpoint");
    tenant.fault(lost.times(0));
    shell.line("scan web-1").exits(7);
    assert_eq!(tenant.calls("POST", "*/scan-endpoint").len(), 2);
}

#[test]
fn scans_whose_run_was_killed_are_gone_on_with() {
    for moment in [Moment::Unsent, Moment::Unanswered, Moment::Unwritten] {
        let tenant = slow_account().provoking_notices();
        let (wire, shell) = wired(&tenant);
        servers(&shell);
        let words: Vec<&str> = ALL.split(' ').collect();
        wire.run_and_kill(quiet(&shell, &words), moment, 3);
        let run = shell.line(ALL).exits(0).json();
        assert_eq!(run["summary"]["failed"], 0, "{moment:?}: {run}");
        let calls = tenant.calls("POST", "*/scan-endpoint");
        let accepted = calls.iter().filter(|call| call.status == Some(202));
        assert_eq!(accepted.count(), 3, "{moment:?}");
        // What ended is wanted anew the next time: now the service refuses it itself.
        shell.line(ALL).exits(8);
    }
}

#[test]
fn a_scan_that_another_person_asked_for_is_still_told_as_such() {
    let shell = Shell::of(&account());
    servers(&shell);
    shell.line("scan web-1").exits(0);
    let run = shell.line(ALL).exits(8).json();
    assert_eq!(run["summary"]["failed"], 1, "{run}");
    assert_eq!(run["items"][0]["error"]["code"], "RATE_LIMITED", "{run}");
}

#[test]
fn a_scan_that_could_not_be_queued_is_asked_for_again_and_no_other() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    provision(&shell, "203.0.113.11", "web-2");
    let failed = StatusCode::INTERNAL_SERVER_ERROR;
    let fault = Fault::code(failed, "SCAN_DISPATCH_FAILED").on("POST", "*/scan-endpoint");
    tenant.fault(fault.after(1));
    shell.line("scan web-1 web-2 --timeout 1s").exits(8);
    shell.line("scan web-1 web-2 --timeout 1s").exits(0);
    assert_eq!(tenant.calls("POST", "*/scan-endpoint").len(), 3);
}

#[test]
fn servers_of_several_customers_are_waited_for_together() {
    let tenant = slow_account();
    let shell = Shell::of(&tenant);
    let ids: Vec<String> = ["43", "42"]
        .map(|customer| {
            let line = format!("provision 203.0.113.1 -c {customer} -y -o json");
            let run = shell.line(&line).exits(0).json();
            run["endpoint_id"].as_str().expect("an id").to_owned()
        })
        .to_vec();
    let wait = format!("endpoint wait {} -o json", ids.join(" "));
    let run = shell.line(&format!("{wait} --wait-timeout 1s")).exits(9);
    assert_eq!(run.error()["code"], "wait_ran_out", "{run:?}");
    for id in &ids {
        let id = id.parse().expect("an id");
        let scan = tenant.scan_now(id, ScanOutcome::Completed);
        scan.expect("the server is active");
    }
    let run = shell.line(&wait).exits(0).json();
    let scanned = [0, 1].map(|at| run["items"][at]["id"].as_str().expect("an id").to_owned());
    assert_eq!(scanned.to_vec(), ids, "{run}");
    shell.line(&format!("endpoint suspend {}", ids[0])).exits(0);
    let later = format!("{wait} --after 2200-01-01T00:00:00+00:00");
    assert_eq!(shell.line(&later).exits(5).error()["code"], "paused");
}
