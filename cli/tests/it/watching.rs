//! `secmon alert watch`: what is new is told once.

use crate::shell::{Shell, account, provision};
use secmon_mock::{OpenPort, Protocol, ScanOutcome, Tenant};
use std::io::{BufRead, BufReader};
use std::num::NonZeroU16;
use std::process::{Child, Stdio};
use uuid::Uuid;

/// A watch that has had its first look.
fn watch(shell: &Shell, line: &str) -> Child {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut command = shell.command(&words);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut said = String::new();
    stderr.read_line(&mut said).expect("a line");
    assert!(said.contains("open now"), "{said}");
    child
}

fn open_port(tenant: &Tenant, endpoint: &str, port: u16) {
    let port = NonZeroU16::new(port).expect("a port");
    let id: Uuid = endpoint.parse().expect("an id");
    let port = OpenPort {
        port,
        protocol: Protocol::Tcp,
    };
    tenant.set_ports(id, &[port]).expect("the server is there");
    tenant
        .scan_now(id, ScanOutcome::Completed)
        .expect("the server is active");
}

#[test]
fn a_new_alert_ends_a_watch_that_asks_for_it() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let id = provision(&shell, "203.0.113.10", "web-1");
    let child = watch(
        &shell,
        "alert watch -c 42 --interval 1s --for 60s --exit-code",
    );
    open_port(&tenant, &id, 3389);
    let output = child.wait_with_output().expect("the program ends");
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("3389") && told.contains("critical"), "{told}");
    assert_eq!(told.lines().count(), 2, "{told}");
    let quiet = shell
        .line("alert watch -c 42 --interval 1s --for 1s --exit-code")
        .exits(0);
    assert_eq!(quiet.stdout, "");
}

#[test]
fn a_command_gets_each_new_alert() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let id = provision(&shell, "203.0.113.10", "web-1");
    let script = shell.file(
        "told.sh",
        "cat > \"$HOME/told\"; echo $SECMON_ALERT_SEVERITY >> \"$HOME/told\"\n",
    );
    let mut command = shell.command(&[
        "alert",
        "watch",
        "-c",
        "42",
        "--interval",
        "1s",
        "--for",
        "60s",
        "--exit-code",
        "-o",
        "jsonl",
        "--kind",
        "port",
        "--exec",
    ]);
    command.arg(format!("sh {script}"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while tenant.calls("GET", "/api/v1/alerts").is_empty() {
        assert!(std::time::Instant::now() < deadline && child.try_wait().is_ok());
        std::thread::yield_now();
    }
    open_port(&tenant, &id, 3389);
    let output = child.wait_with_output().expect("the program ends");
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one line of JSON");
    assert_eq!(told["port"], 3389);
    let got = std::fs::read_to_string(shell.path("told")).expect("the command ran");
    let (alert, severity) = got.split_once('\n').expect("two lines");
    let alert: serde_json::Value = serde_json::from_str(alert).expect("JSON");
    assert_eq!(alert["id"], told["id"]);
    assert_eq!(severity, "critical\n");
}

#[test]
fn a_watch_is_told_what_it_cannot_do() {
    let shell = Shell::of(&account());
    shell.line("alert watch").exits(2);
    shell.line("alert watch -c 42 --interval 0").exits(2);
    shell.line("alert watch -c 42 --for ever").exits(2);
}

#[test]
fn triage_needs_a_terminal_and_names_what_a_script_uses() {
    let run = Shell::of(&account())
        .line("alert triage --status acknowledged -c 42 -o json")
        .exits(2);
    let message = run.error()["message"].to_string();
    assert!(message.contains("alert ack --all"), "{message}");
}

#[test]
fn a_watch_whose_reader_is_gone_ends_with_the_next_news() {
    const LONGEST: std::time::Duration = std::time::Duration::from_secs(30);
    let tenant = account();
    let shell = Shell::of(&tenant);
    let id = provision(&shell, "203.0.113.10", "web-1");
    let mut child = watch(&shell, "alert watch -c 42 --interval 1s --for 60s");
    drop(child.stdout.take());
    let started = std::time::Instant::now();
    open_port(&tenant, &id, 3389);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert!(started.elapsed() < LONGEST);
}

#[test]
fn a_script_that_looks_for_alerts_of_a_mistyped_customer_is_told() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    let line = "alert list --status open --severity critical --exit-code";
    shell.line(&format!("{line} -c 42")).exits(0);
    let unknown = shell.line(&format!("{line} -c 4242")).exits(4);
    assert!(unknown.stderr.contains("customer 4242"), "{unknown:?}");
}
