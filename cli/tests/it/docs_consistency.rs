//! What an option promises, and what a sentence says was done.

use crate::shell::{Shell, account, mock, provision};

/// A customer with a server.
fn furnished() -> Shell {
    let shell = Shell::of(&account()).with("SECMON_CUSTOMER", "42");
    provision(&shell, "203.0.113.10", "web-1");
    shell.with("SECMON_MOCK_ADMIN_URL", mock().admin_url())
}

#[test]
fn a_number_that_is_confirmed_must_be_right_and_answers_the_question() {
    let shell = furnished();
    shell
        .line("subscription set 501 --product domain_monitoring --quantity 3")
        .exits(0);
    let services = |status: &str| {
        let row = format!("501,42,domain_monitoring,{status}\n");
        let heading = "service_id,client_id,product_slug,status\n";
        shell.file(&format!("{status}.csv"), &format!("{heading}{row}"))
    };
    for status in ["active", "cancelled"] {
        let sync = format!("sync -f {}", services(status));
        let refused = shell.line(&format!("{sync} --confirm=312")).exits(2).stderr;
        assert!(refused.contains("it must be --confirm=1."), "{refused}");
        shell.line(&format!("{sync} --confirm=1")).exits(0);
    }
}

#[test]
fn a_port_of_a_suspended_server_opens_and_nobody_claims_that_it_was_scanned() {
    let shell = furnished();
    shell.line("endpoint suspend web-1").exits(0);
    let opened = shell.line("mock trigger port-open web-1 3307").exits(0);
    assert!(
        opened.stdout.contains("3307 is open on web-1"),
        "{opened:?}"
    );
    assert!(opened.stdout.contains("there was no scan"), "{opened:?}");
    shell.line("mock trigger leak x.example --count 0").exits(2);
}

#[test]
fn a_dry_run_of_a_report_writes_no_file_and_a_dash_is_standard_output() {
    let shell = furnished();
    let file = shell.path("report.html");
    let line = format!("report --html {}", file.display());
    let run = shell.line(&format!("{line} -n")).exits(0);
    assert!(run.stdout.contains("would write"), "{run:?}");
    assert!(!file.exists());
    let page = shell.line("report --html -").exits(0).stdout;
    assert!(page.starts_with("<!doctype html>"), "{page}");
}

#[test]
fn a_profile_has_an_address_that_can_be_called_and_a_name_that_is_known() {
    let shell = Shell::new();
    shell.line("profile create x --base-url nonsense").exits(2);
    shell
        .line("profile create x --base-url https://x.example")
        .exits(0);
    let refused = shell.line("config set profiles.typo.customer 7").exits(2);
    assert!(refused.stderr.contains("profile list"), "{refused:?}");
    let warned = shell.line("--config nowhere.toml profile list").exits(0);
    assert!(warned.stderr.contains("nowhere.toml"), "{warned:?}");
}

#[test]
fn one_server_with_nothing_to_resume_is_refused_as_two_are() {
    let shell = furnished();
    for targets in ["203.0.113.11", "203.0.113.11 203.0.113.12"] {
        let line = format!("provision {targets} --resume");
        let refused = shell.line(&line).exits(2);
        assert!(refused.stderr.contains("--resume"), "{refused:?}");
    }
}

#[test]
fn what_comes_next_can_be_run_as_it_stands() {
    let shell = furnished();
    shell
        .line("subscription set 501 --product domain_monitoring --quantity 3")
        .exits(0);
    let made = shell.line("provision https://Example.com/ --service 501");
    let made = made.exits(0).stdout;
    let next = made.split("secmon domain show ").nth(1).unwrap_or_default();
    let next = next.split(" -c 42").next().unwrap_or_default();
    shell.line(&format!("domain show {next} -c 42")).exits(0);
}

#[test]
fn nobody_says_that_a_paused_server_is_monitored() {
    let shell = furnished();
    let added = shell.line("endpoint add 203.0.113.11 --status paused");
    let said = added.exits(0).stdout;
    assert!(
        said.contains("has been added as paused for customer 42"),
        "{said}"
    );
}

#[test]
fn a_port_is_allowed_once_however_often_it_is_asked_for() {
    let shell = furnished();
    let ids = shell.line("alert list --kind port -o ids").exits(0).stdout;
    let alert = ids.lines().next().expect("an alert");
    let allow = ["alert", "allow", alert, "-m", "needed by the shop"];
    shell.run(&allow).exits(0);
    let rules = || shell.line("rules list -o ids").exits(0).stdout;
    let before = rules();
    shell.run(&allow).exits(0);
    assert_eq!(rules(), before);
}
