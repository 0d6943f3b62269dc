//! What is said beside a result: about customers nobody knows, clocks that differ, lists that are cut.

use crate::shell::{Account, Shell, account, provision};
use secmon_mock::MockServer;
use std::time::Duration;

const UNKNOWN: &str = "No servers or domains found for customer 9999. Is the number right?";

#[test]
fn a_customer_of_whom_nothing_is_known_is_told_as_one() {
    let shell = Shell::of(&account());
    for line in [
        "alert list",
        "endpoint list",
        "endpoint list --status paused",
        "status",
    ] {
        let run = shell.line(&format!("{line} -c 9999")).exits(0);
        assert!(run.stderr.contains(UNKNOWN), "{line}: {run:?}");
    }
    shell
        .line("subscription set 501 --product domain_monitoring --quantity 1 -c 9999")
        .exits(0);
    provision(&shell, "203.0.113.10", "web-1");
    for line in [
        "alert list -c 9999",
        "status -c 9999",
        "endpoint list -c 42 --status paused",
    ] {
        let run = shell.line(line).exits(0);
        assert!(!run.stderr.contains("nothing is known"), "{line}: {run:?}");
    }
}

#[test]
fn an_empty_report_is_not_written() {
    let shell = Shell::of(&account());
    let run = shell.line("report -c 9999 --html report.html").exits(4);
    assert!(
        run.stderr.contains("nothing to report for customer 9999"),
        "{run:?}"
    );
    assert!(!shell.path("report.html").exists());
}

#[test]
fn an_address_of_another_customer_is_told_without_a_call() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    shell.line("provision 203.0.113.12 -c 43").exits(0);
    let before = tenant.journal().len();
    let run = shell.line("provision 203.0.113.10 -c 43 -y").exits(0);
    let said = "warning: already monitored: 203.0.113.10 for customer 42";
    assert!(run.stderr.contains(said), "{run:?}");
    assert_eq!(tenant.journal().len() - before, 1);
    let file = shell.file(
        "servers.csv",
        "ip,customer\n203.0.113.10,44\n203.0.113.11,44\n",
    );
    let run = shell.run(&["provision", "-f", &file, "-y"]).exits(0);
    assert!(run.stderr.contains(said), "{run:?}");
    let own = shell.line("provision 203.0.113.11 -c 44").exits(0);
    assert!(!own.stderr.contains("warning"), "{own:?}");
}

#[test]
fn what_is_over_is_never_ahead_however_the_clocks_differ() {
    let mock = MockServer::start().expect("the mock starts");
    let tenant = Account::of(mock.tenant());
    let shell = Shell::of(&tenant);
    tenant
        .advance(Duration::from_secs(3_600))
        .expect("an account");
    provision(&shell, "203.0.113.10", "web-1");
    tenant
        .advance(Duration::from_secs(3_600))
        .expect("an account");
    for line in ["endpoint show web-1", "alert list -c 42"] {
        let shown = shell.line(line).exits(0).stdout;
        assert!(shown.contains("just now"), "{line}: {shown}");
    }
    let shown = shell.line("endpoint show web-1").exits(0).stdout;
    let ahead: Vec<&str> = shown.lines().filter(|line| line.contains(" in ")).collect();
    assert!(
        ahead.iter().all(|line| line.contains("next scan")),
        "{shown}"
    );
    assert_eq!(ahead.len(), 1, "{shown}");
}

#[test]
fn the_worst_alerts_come_first_and_a_cut_list_says_how_many_are_missing() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    provision(&shell, "203.0.113.11", "web-2");
    let severities = |arguments: &str| {
        let shown = shell.line(&format!(
            "alert list -c 42 -o csv --no-headers --columns severity {arguments}"
        ));
        let shown = shown.exits(0).stdout;
        shown.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let rank = |name: &String| {
        ["critical", "high", "medium", "low"]
            .iter()
            .position(|known| known == name)
    };
    let shown = severities("");
    assert!(shown.is_sorted_by_key(rank), "{shown:?}");
    assert_ne!(shown.first(), shown.last());
    let other_way = severities("--sort severity");
    assert_eq!(other_way.first(), shown.last());
    let run = shell.line("alert list -c 42 -L 3").exits(0);
    assert!(run.stderr.contains("5 more not shown"), "{run:?}");
    let servers = shell.line("endpoint list -L 1").exits(0);
    assert!(servers.stderr.contains("1 more not shown"), "{servers:?}");
    let whole = shell.line("alert list -c 42 -L 8").exits(0);
    assert!(!whole.stderr.contains("not shown"), "{whole:?}");
}

#[test]
fn a_restored_server_is_not_said_to_have_been_there_and_one_with_a_scan_has_no_first_one() {
    let shell = Shell::of(&account());
    let first = shell.line("provision 203.0.113.10 -c 42").exits(0).stdout;
    assert!(first.contains("wait for the first scan"), "{first}");
    shell.line("endpoint delete 203.0.113.10 -y").exits(0);
    for line in [
        "provision 203.0.113.10 -c 42",
        "endpoint add 203.0.113.10 -c 42",
    ] {
        let said = shell.line(line).exits(0).stdout;
        assert!(
            said.contains("restored") && !said.contains("already"),
            "{said}"
        );
        assert!(!said.contains("first scan"), "{said}");
        shell.line("endpoint delete 203.0.113.10 -y").exits(0);
    }
}

#[test]
fn status_and_report_call_the_same_rules_about_to_expire() {
    let shell = Shell::of(&account()).with("SECMON_CUSTOMER", "42");
    provision(&shell, "203.0.113.10", "web-1");
    for (port, days) in [("22", "7d"), ("80", "20d")] {
        shell
            .run(&[
                "rules",
                "add",
                "web-1",
                port,
                "-m",
                "asked for by them",
                "--expires",
                days,
            ])
            .exits(0);
    }
    let status = shell.line("status").exits(0).stdout;
    assert!(status.contains("1 expires within 14 days"), "{status}");
    shell.line("report --html report.html").exits(0);
    let page = std::fs::read_to_string(shell.path("report.html")).expect("the page");
    assert!(
        page.contains("1 port allowed only until a date in the next 14 days"),
        "{page}"
    );
}
