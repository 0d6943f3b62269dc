//! Servers that are looked for: by a part of a name, by whose they are, by an open port.

use crate::shell::{Shell, account, provision};
use secmon_mock::{OpenPort, Protocol, ScanOutcome};
use std::num::NonZeroU16;

fn names(shell: &Shell, options: &str) -> String {
    let line = format!("endpoint list {options} -o csv --no-headers --columns nickname");
    let listed = shell.line(&line).exits(0).stdout;
    listed.lines().collect::<Vec<_>>().join(" ")
}

#[test]
fn servers_are_found_by_a_part_of_a_name_an_address_and_their_customer() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    provision(&shell, "203.0.113.11", "Web-2");
    provision(&shell, "198.51.100.1", "db-1");
    shell
        .line("provision 198.51.100.7 -c 7 --nickname shop")
        .exits(0);
    shell.line("endpoint suspend web-1").exits(0);
    for (options, found) in [
        ("--search WEB", "web-1 Web-2"),
        ("--search 198.51.100.", "shop db-1"),
        ("--search 198.51.100. -c 42", "db-1"),
        ("--search 7", "shop"),
        ("--search web --status paused", "web-1"),
        ("--search web -L 1", "web-1"),
        ("--search nothing", ""),
    ] {
        assert_eq!(names(&shell, options), found, "{options}");
    }
    let cut = shell.line("endpoint list --search web -L 1").exits(0);
    assert!(cut.stderr.contains("1 more not shown"), "{cut:?}");
    let lines = shell.line("endpoint list --search web -o jsonl").exits(0);
    assert_eq!(lines.stdout.lines().count(), 2);
    shell.run(&["endpoint", "list", "--search", " "]).exits(2);
}

#[test]
fn servers_are_found_by_a_port_that_their_last_scan_found_open() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let id = provision(&shell, "203.0.113.10", "web-1");
    provision(&shell, "203.0.113.11", "web-2");
    let port = OpenPort {
        port: NonZeroU16::new(3306).expect("a port"),
        protocol: Protocol::Tcp,
    };
    let id = id.parse().expect("an id");
    tenant.set_ports(id, &[port]).expect("the server is there");
    tenant
        .scan_now(id, ScanOutcome::Completed)
        .expect("the server is active");
    for (options, found) in [
        ("--port 3306", "web-1"),
        ("--port mysql", "web-1"),
        ("--port 3000-4000", "web-1"),
        ("--port 443", "web-2"),
        ("--port 443 --search web-1", ""),
        ("--port 25", ""),
    ] {
        assert_eq!(names(&shell, options), found, "{options}");
    }
    shell.line("endpoint list --port 70000").exits(2);
    tenant
        .set_progress(secmon_mock::Progress::Manual)
        .expect("the account is there");
    provision(&shell, "203.0.113.12", "web-3");
    let run = shell.line("endpoint list --port 443").exits(0);
    assert!(run.stderr.contains("web-3"), "{run:?}");
    assert!(run.stderr.contains("no scan"), "{run:?}");
}
