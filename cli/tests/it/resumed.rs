//! Runs that were interrupted between the two calls of a row, and rows that a list of servers cannot tell by address.

use crate::journal::{ended, start, until};
use crate::shell::{Shell, account};
use crate::wire::signal;
use http::StatusCode;
use secmon_mock::{Fault, Tenant};

fn names_are_down(tenant: &Tenant) {
    let down = Fault::status(StatusCode::SERVICE_UNAVAILABLE);
    tenant.fault(down.on("PUT", "/api/v1/endpoints/*").times(0));
}

/// Runs the program until it has asked for so many nicknames, and ends it with a Ctrl-C.
fn interrupted(
    tenant: &Tenant,
    shell: &Shell,
    line: &[&str],
    nicknames: usize,
) -> crate::shell::Run {
    let child = start(shell, line);
    let asked = || tenant.calls("PUT", "/api/v1/endpoints/*").len();
    until("the nicknames", || asked() >= nicknames);
    signal(child.id(), "-INT").expect("it runs");
    ended(child).exits(130)
}

#[test]
fn a_row_without_its_nickname_is_told_as_provisioned_and_gone_on_with() {
    let tenant = account().provoking_notices();
    let shell = Shell::of(&tenant);
    let rows = "target,customer,nickname\n203.0.113.1,42,web-1\n203.0.113.2,42,web-2\n";
    let file = shell.file("servers.csv", rows);
    let report = shell.path("report.csv").display().to_string();
    let line = ["provision", "-f", &file, "--report", &report];
    names_are_down(&tenant);
    let run = interrupted(&tenant, &shell, &line, 2);
    assert!(run.stdout.contains("2 provisioned: "), "{run:?}");
    let written = std::fs::read_to_string(&report).expect("the report");
    for text in [&run.stdout, &written] {
        let unnamed = text.matches("the nickname was not set").count();
        assert_eq!(unnamed, 2, "{text}");
    }

    tenant.clear_faults();
    let rest = shell.run(&line).exits(0);
    assert!(rest.stderr.contains("2 rows: 2 servers"), "{rest:?}");
    assert!(rest.stdout.contains("2 renamed"), "{rest:?}");
    let servers = shell.line("endpoint list -o csv").exits(0).stdout;
    assert!(
        servers.contains("web-1") && servers.contains("web-2"),
        "{servers}"
    );
}

#[test]
fn one_server_without_its_nickname_is_told_as_provisioned() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    names_are_down(&tenant);
    let line = [
        "provision",
        "203.0.113.1",
        "-c",
        "42",
        "--nickname",
        "web-1",
    ];
    let run = interrupted(&tenant, &shell, &line, 1);
    let servers = shell.line("endpoint list -o ids").exits(0).stdout;
    let way_on = format!("secmon endpoint rename {} NAME", servers.trim());
    assert!(run.stderr.contains("the server is provisioned"), "{run:?}");
    assert!(run.stderr.contains(&way_on), "{run:?}");
}

/// Runs a file of which the first row is done, and the second is not.
fn half_done(tenant: &Tenant, shell: &Shell, line: &[&str]) {
    let broken = Fault::status(StatusCode::INTERNAL_SERVER_ERROR);
    tenant.fault(broken.on("POST", "*/provision*").after(1).times(0));
    let mut line = line.to_vec();
    line.extend(["--on-error", "stop", "--timeout", "1s"]);
    shell.run(&line).exits(8);
    tenant.clear_faults();
}

#[test]
fn a_host_that_was_deleted_since_is_provisioned_again() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let rows = "target,customer\none.example.com,42\ntwo.example.com,42\n";
    let file = shell.file("hosts.csv", rows);
    let line = ["provision", "-f", &file, "--server"];
    half_done(&tenant, &shell, &line);
    let first = shell.line("endpoint list -o ids").exits(0).stdout;
    let delete = format!("endpoint delete {} -y", first.trim());
    Shell::of(&tenant).line(&delete).exits(0);
    let run = shell.run(&line).exits(0);
    let servers = shell.line("endpoint list -o ids").exits(0).stdout;
    assert_eq!(servers.lines().count(), 2, "{run:?}");
}

#[test]
fn a_host_that_is_still_there_is_not_sent_again() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let rows = "target,customer\none.example.com,42\ntwo.example.com,42\n";
    let file = shell.file("hosts.csv", rows);
    let line = ["provision", "-f", &file, "--server"];
    half_done(&tenant, &shell, &line);
    let before = tenant.calls("POST", "*/provision").len();
    let run = shell.run(&line).exits(0);
    assert_eq!(tenant.calls("POST", "*/provision").len(), before + 1);
    assert!(
        run.stderr
            .contains("2 rows: 2 servers, 1 customer · 1 already monitored\n"),
        "{run:?}"
    );
}
