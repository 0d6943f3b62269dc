//! Runs that end before their end, and the same command again.

use crate::every_change::await_the_next_second;
use crate::shell::{Account, Run, Shell, account, mock_with_short_windows};
use crate::wire::{Moment, Wire, signal};
use secmon_mock::{CloseAt, Fault, Tenant};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const ROWS: usize = 500;

/// 500 servers of 50 customers.
fn sheet() -> String {
    let rows: String = (0..ROWS)
        .map(|i| format!("203.0.{}.{},{}\n", i / 10, i % 10, 100 + i / 10))
        .collect();
    format!("target,customer\n{rows}")
}

pub fn quiet(shell: &Shell, arguments: &[&str]) -> Command {
    let mut command = shell.command(arguments);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

pub fn start(shell: &Shell, arguments: &[&str]) -> Child {
    let mut command = shell.command(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

pub fn ended(child: Child) -> Run {
    Run::of(&child.wait_with_output().expect("the program ends"))
}

/// How often a call to this path was answered with 2xx, by what stands under a field of its body.
fn done(tenant: &Tenant, path: &str, name: impl Fn(&Value) -> String) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for call in tenant.journal() {
        if call.method == "POST" && call.path.ends_with(path) {
            *counts.entry(name(&call.body)).or_default() += 1;
        }
    }
    counts
}

pub fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !condition() {
        assert!(Instant::now() < deadline, "{what} never came");
        std::thread::yield_now();
    }
}

fn address(body: &Value) -> String {
    body["ip_address"].as_str().unwrap_or_default().to_owned()
}

fn created(tenant: &Tenant) -> usize {
    let calls = tenant.journal();
    let made = |path: &str| path.ends_with("/provision") || path.ends_with("/whitelists");
    calls
        .iter()
        .filter(|call| made(&call.path) && call.status == Some(201))
        .count()
}

#[test]
fn a_spreadsheet_whose_run_is_killed_three_times_and_loses_answers_is_done_once() {
    let mock = mock_with_short_windows();
    let tenant = Account::of(mock.tenant());
    let wire = Wire::to(tenant.url());
    let shell = Shell::of(&tenant)
        .with("SECMON_RATE_LIMITS", "60,100/2s")
        .with("SECMON_BASE_URL", wire.url());
    let file = shell.file("servers.csv", &sheet());
    let report = shell.path("report.csv").display().to_string();
    let line = ["provision", "-f", &file, "--report", &report, "-o", "json"];
    for (moment, nth) in [
        (Moment::Unsent, 70),
        (Moment::Unanswered, 90),
        (Moment::Unwritten, 80),
    ] {
        wire.run_and_kill(quiet(&shell, &line), moment, nth);
    }
    tenant.fault(
        Fault::close(CloseAt::After)
            .on("POST", "*/provision")
            .times(5),
    );
    let run = shell.run(&line).exits(0).json();

    let items = run["items"].as_array().expect("items");
    assert_eq!(run["summary"]["failed"], 0, "{}", run["summary"]);
    assert_eq!(items.len(), ROWS);
    assert!(items.iter().all(|item| item["id"].is_string()));
    let sent = done(&tenant, "/provision", address);
    assert_eq!(sent.len(), ROWS, "every row was sent");
    let repeated = sent.values().filter(|count| **count > 1).count();
    assert!(repeated <= 3 * 8 + 5, "{repeated} rows were sent again");
    let written = std::fs::read_to_string(&report).expect("the report");
    assert_eq!(written.lines().count(), ROWS + 1);
    let servers = shell.line("endpoint list -o json").exits(0).json();
    assert_eq!(servers.as_array().map(Vec::len), Some(ROWS));
}

#[test]
fn rules_whose_run_is_killed_three_times_and_loses_answers_are_added_once() {
    let mock = mock_with_short_windows();
    let tenant = Account::of(mock.tenant());
    let wire = Wire::to(tenant.url());
    let shell = Shell::of(&tenant)
        .with("SECMON_RATE_LIMITS", "60,100/2s")
        .with("SECMON_BASE_URL", wire.url());
    let servers: String = (0..50)
        .map(|i| format!("203.0.113.{i},{}\n", 100 + i))
        .collect();
    let file = shell.file("servers.csv", &format!("target,customer\n{servers}"));
    shell.run(&["provision", "-f", &file]).exits(0);

    let ports: Vec<String> = (0..10).map(|i| (2000 + i).to_string()).collect();
    let addresses: Vec<String> = (0..50).map(|i| format!("203.0.113.{i}")).collect();
    let mut line = vec!["rules", "add", "-m", "ports of the platform", "-o", "json"];
    line.extend(addresses.iter().flat_map(|address| ["-e", address]));
    line.extend(ports.iter().map(String::as_str));
    for (moment, nth) in [
        (Moment::Unsent, 70),
        (Moment::Unanswered, 90),
        (Moment::Unwritten, 80),
    ] {
        wire.run_and_kill(quiet(&shell, &line), moment, nth);
    }
    tenant.fault(
        Fault::close(CloseAt::After)
            .on("POST", "*/whitelists")
            .times(5),
    );
    let run = shell.run(&line).exits(0).json();

    assert_eq!(
        (&run["summary"]["total"], &run["summary"]["failed"]),
        (&ROWS.into(), &0.into())
    );
    let rules = shell.line("rules list -o json").exits(0).json();
    let rules = rules.as_array().expect("a list");
    let places: BTreeSet<String> = rules
        .iter()
        .map(|rule| format!("{} {}", rule["endpoint_id"], rule["port_start"]))
        .collect();
    assert_eq!((rules.len(), places.len()), (ROWS, ROWS));
}

#[test]
fn a_customer_whose_leaving_is_killed_four_times_and_loses_answers_is_ended_once() {
    let tenant = account();
    let (wire, shell) = wired(&tenant);
    let plan = "subscription set 501 --product port_monitoring --plan enterprise -c 42";
    shell.line(plan).exits(0);
    let servers: String = (0..ROWS)
        .map(|i| format!("203.0.{}.{},42\n", i / 10, i % 10))
        .collect();
    let file = shell.file("servers.csv", &format!("target,customer\n{servers}"));
    shell.run(&["provision", "-f", &file]).exits(0);

    await_the_next_second();
    let line = ["customer", "leave", "42", "--confirm=42", "-o", "json"];
    for (moment, nth) in [
        (Moment::Unsent, 70),
        (Moment::Unanswered, 90),
        (Moment::Unwritten, 80),
        (Moment::Unanswered, 60),
    ] {
        wire.run_and_kill(quiet(&shell, &line), moment, nth);
    }
    tenant.fault(
        Fault::close(CloseAt::After)
            .on("POST", "*/terminate")
            .times(5),
    );
    let run = shell.run(&line).exits(0).json();

    assert_eq!(run["summary"]["failed"], 0, "{}", run["summary"]);
    let server = |body: &Value| body["endpoint_id"].to_string();
    let sent = done(&tenant, "/terminate", server);
    assert_eq!(sent.len(), ROWS, "every server was ended");
    let repeated = sent.values().filter(|count| **count > 1).count();
    assert!(repeated <= 4 * 8 + 5, "{repeated} were sent again");
    let subscription = done(&tenant, "/terminate-subscription", |_| String::new());
    assert_eq!(subscription.values().sum::<usize>(), 1);
    let left = shell.line("endpoint list -c 42 -o ids").exits(0).stdout;
    assert_eq!(left, "");
}

/// Twelve servers of one customer, of which some were provisioned before the run was killed.
fn killed(wire: &Wire, shell: &Shell) -> String {
    let rows: String = (1..=12).map(|i| format!("203.0.113.{i},42\n")).collect();
    let file = shell.file("servers.csv", &format!("target,customer\n{rows}"));
    let run = quiet(shell, &["provision", "-f", &file]);
    wire.run_and_kill(run, Moment::Unanswered, 10);
    file
}

pub fn wired(tenant: &Tenant) -> (Wire, Shell) {
    let wire = Wire::to(tenant.url());
    let shell = Shell::of(tenant).with("SECMON_BASE_URL", wire.url());
    (wire, shell)
}

#[test]
fn a_nickname_that_was_not_set_is_set_by_the_same_command() {
    let tenant = account();
    let (wire, shell) = wired(&tenant);
    let rows: String = (1..=12)
        .map(|i| format!("203.0.113.{i},42,web-{i}\n"))
        .collect();
    let file = shell.file("servers.csv", &format!("target,customer,nickname\n{rows}"));
    tenant.fault(Fault::status(http::StatusCode::FORBIDDEN).on("PUT", "*"));
    let line = ["provision", "-f", &file];
    wire.run_and_kill(quiet(&shell, &line), Moment::Unanswered, 11);
    shell.run(&line).exits(0);
    let servers = shell.line("endpoint list -o json").exits(0).json();
    let servers = servers.as_array().expect("a list");
    let named = servers.iter().filter(|server| {
        let nickname = server["nickname"].as_str().unwrap_or_default();
        nickname.starts_with("web-")
    });
    assert_eq!(named.count(), 12, "{servers:?}");
}

#[test]
fn a_row_that_was_corrected_in_between_is_sent() {
    let tenant = account();
    let (wire, shell) = wired(&tenant);
    let file = killed(&wire, &shell);
    let text = std::fs::read_to_string(&file).expect("the file");
    let text = text.replace("203.0.113.2,42", "203.0.113.99,42");
    let text = text.replace("target,customer", "target,customer,hostname");
    let text = text.replace(",42\n", ",42,\n");
    let text = text.replace("203.0.113.1,42,", "203.0.113.1,42,web.example.com");
    std::fs::write(&file, text).expect("the file is written");
    let run = shell
        .run(&["provision", "-f", &file, "-o", "json"])
        .exits(0);
    assert!(run.json()["summary"]["failed"] == 0, "{run:?}");
    let servers = shell.line("endpoint list -o csv").exits(0).stdout;
    assert!(servers.contains("203.0.113.99"), "{servers}");
}

#[test]
fn a_run_that_ended_is_no_excuse_for_not_doing_it_again() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let file = shell.file(
        "servers.csv",
        "target,customer\n203.0.113.1,42\n203.0.113.2,42\n",
    );
    shell.run(&["provision", "-f", &file]).exits(0);
    shell.line("endpoint terminate 203.0.113.1 -y").exits(0);
    let again = shell
        .run(&["provision", "-f", &file, "-o", "json"])
        .exits(0)
        .json();
    assert_eq!(again["items"][1]["status"], "skipped", "{again}");
    let servers = shell.line("endpoint list -o json").exits(0).json();
    assert_eq!(servers.as_array().map(Vec::len), Some(2), "{servers}");
}

#[test]
fn what_was_undone_in_between_is_done_again() {
    let tenant = account();
    let (wire, shell) = wired(&tenant);
    let file = killed(&wire, &shell);
    let direct = Shell::of(&tenant);
    direct.line("endpoint terminate 203.0.113.1 -y").exits(0);
    shell.run(&["provision", "-f", &file]).exits(0);
    let servers = direct.line("endpoint list -o json").exits(0).json();
    assert_eq!(servers.as_array().map(Vec::len), Some(12), "{servers}");
}

#[test]
fn what_is_suspended_already_is_counted_when_a_run_goes_on() {
    let tenant = account();
    let (wire, shell) = wired(&tenant);
    shell
        .run(&["provision", "-f", &killed(&wire, &shell)])
        .exits(0);
    let file = killed_suspend(&wire, &shell);
    let run = shell
        .run(&["endpoint", "suspend", "-f", &file, "-y"])
        .exits(0);
    assert!(run.stdout.contains("12 in all: "), "{run:?}");
    assert!(run.stdout.contains(" already suspended"), "{run:?}");
}

fn names(shell: &Shell) -> String {
    let names: String = (1..=12).map(|i| format!("203.0.113.{i}\n")).collect();
    shell.file("names.txt", &format!("# servers\n{names}"))
}

fn killed_suspend(wire: &Wire, shell: &Shell) -> String {
    let file = names(shell);
    let run = quiet(shell, &["endpoint", "suspend", "-f", &file, "-y"]);
    wire.run_and_kill(run, Moment::Unwritten, 11);
    file
}

#[test]
fn servers_whose_names_are_gone_are_still_told_as_terminated() {
    let tenant = account();
    let (wire, shell) = wired(&tenant);
    shell
        .run(&["provision", "-f", &killed(&wire, &shell)])
        .exits(0);
    let file = names(&shell);
    let line = ["endpoint", "terminate", "-f", &file, "-y", "-o", "json"];
    await_the_next_second();
    wire.run_and_kill(quiet(&shell, &line), Moment::Unanswered, 11);
    let run = shell.run(&line).exits(0).json();
    assert_eq!(
        (&run["summary"]["total"], &run["summary"]["failed"]),
        (&12.into(), &0.into()),
        "{run}"
    );
    let rows: Vec<u64> = run["items"]
        .as_array()
        .expect("items")
        .iter()
        .flat_map(|item| item["row"].as_u64())
        .collect();
    assert_eq!(rows, (2..=13).collect::<Vec<_>>());
    let left = shell.line("endpoint list -o json").exits(0).json();
    assert_eq!(left, serde_json::json!([]));
}

#[test]
fn a_firewall_dump_whose_import_was_killed_doubles_no_rule() {
    let tenant = account();
    let (wire, shell) = wired(&tenant);
    shell.line("provision 203.0.113.1 -c 42").exits(0);
    let dump = "*filter\n-A INPUT -p tcp --dport 22 -j ACCEPT\n-A INPUT -p tcp --dport 443 -j ACCEPT\nCOMMIT\n";
    let file = shell.file("rules.txt", dump);
    let line = ["rules", "import", "203.0.113.1", &file, "-y"];
    wire.run_and_kill(quiet(&shell, &line), Moment::Unanswered, 1);
    shell.run(&line).exits(0);
    let rules = shell.line("rules list -o json").exits(0).json();
    assert_eq!(rules.as_array().map(Vec::len), Some(2), "{rules}");
}

#[test]
fn a_server_that_was_resumed_in_between_is_suspended_again() {
    let tenant = account();
    let (wire, shell) = wired(&tenant);
    shell
        .run(&["provision", "-f", &killed(&wire, &shell)])
        .exits(0);
    let file = killed_suspend(&wire, &shell);
    shell.line("endpoint resume 203.0.113.1").exits(0);
    shell
        .run(&["endpoint", "suspend", "-f", &file, "-y"])
        .exits(0);
    let active = shell
        .line("endpoint list --status active -o json")
        .exits(0)
        .json();
    assert_eq!(active, serde_json::json!([]));
}

#[test]
fn the_same_run_twice_at_once_makes_nothing_twice() {
    let tenant = account();
    let (wire, shell) = wired(&tenant);
    tenant.fault(Fault::latency(Duration::from_secs(2)).on("POST", "*/provision"));
    let file = shell.file(
        "servers.csv",
        "target,customer\n203.0.113.1,42\n203.0.113.2,42\n",
    );
    let report = shell.path("report.csv").display().to_string();
    let line = ["provision", "-f", &file, "--report", &report, "-o", "json"];
    let first = start(&shell, &line);
    until("the first call", || wire.passed() > 0);
    shell.run(&["provision", "-f", &file]).exits(0);
    ended(first).exits(0);
    assert_eq!(created(&tenant), 2);
    let written = std::fs::read_to_string(&report).expect("the report");
    assert_eq!(written.lines().count(), 3, "{written}");
}

#[test]
fn the_first_ctrl_c_finishes_what_is_on_its_way() {
    let tenant = account();
    let (wire, shell) = wired(&tenant);
    tenant.fault(
        Fault::latency(Duration::from_secs(3))
            .on("POST", "*/provision")
            .times(8),
    );
    let rows: String = (1..=20).map(|i| format!("203.0.113.{i},42\n")).collect();
    let file = shell.file("servers.csv", &format!("target,customer\n{rows}"));
    let report = shell.path("report.csv").display().to_string();
    let line = ["provision", "-f", &file, "--report", &report];
    let child = start(&shell, &line);
    let pid = child.id();
    until("eight calls", || wire.passed() == 8);
    signal(pid, "-INT").expect("it runs");
    let run = ended(child).exits(130);
    assert!(run.stderr.contains("go on with the rest: "), "{run:?}");
    let again = format!(" provision -f {file} --report {report}\n");
    assert!(run.stderr.contains(&again), "{run:?}");
    assert!(
        run.stdout
            .contains("20 in all: 8 provisioned, 12 not sent\n"),
        "{run:?}"
    );
    let written = std::fs::read_to_string(&report).expect("the report");
    assert_eq!(written.lines().count(), 21, "{written}");
    let finished = written.matches("succeeded").count();
    assert_eq!(finished, 8, "{written}");
    assert_eq!(created(&tenant), finished);
    let rest = shell.run(&line).exits(0);
    assert!(rest.stderr.contains("8 already monitored"), "{rest:?}");
    assert!(
        rest.stdout
            .contains("20 in all: 12 provisioned, 8 already there"),
        "{rest:?}"
    );
    assert_eq!(created(&tenant), 20);
}

#[test]
fn the_second_ctrl_c_ends_at_once_and_leaves_a_line_in_the_history() {
    let tenant = account();
    let (wire, shell) = wired(&tenant);
    tenant.fault(
        Fault::latency(Duration::from_secs(60))
            .on("POST", "*/provision")
            .times(0),
    );
    let file = shell.file(
        "servers.csv",
        "target,customer\n203.0.113.1,42\n203.0.113.2,42\n",
    );
    let mut child = start(&shell, &["provision", "-f", &file]);
    let pid = child.id();
    until("two calls", || wire.passed() == 2);
    let deadline = Instant::now() + Duration::from_secs(30);
    while child.try_wait().expect("a child").is_none() {
        assert!(Instant::now() < deadline, "it did not end");
        signal(pid, "-INT");
    }
    ended(child).exits(130);
    let history = shell.line("history -o json").exits(0).json();
    assert_eq!(history.as_array().map(Vec::len), Some(2), "{history}");
    assert_eq!(
        (&history[0]["result"], &history[0]["code"]),
        (&"pending".into(), &"interrupted".into())
    );
}

#[test]
fn ctrl_c_ends_a_program_that_waits_for_standard_input() {
    let shell = Shell::of(&account());
    let mut command = shell.command(&["endpoint", "suspend", "-"]);
    command.stdin(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let deadline = Instant::now() + Duration::from_secs(30);
    while child.try_wait().expect("a child").is_none() {
        assert!(Instant::now() < deadline, "it did not end");
        signal(child.id(), "-INT");
    }
}

#[test]
fn a_computer_whose_clock_is_behind_goes_on_all_the_same() {
    let tenant = account();
    let hour = std::time::Duration::from_secs(3600);
    tenant.advance(hour).expect("time goes on");
    let (wire, shell) = wired(&tenant);
    let servers: String = (1..=24).map(|i| format!("203.0.113.{i},42\n")).collect();
    let file = shell.file("servers.csv", &format!("target,customer\n{servers}"));
    shell.run(&["provision", "-f", &file]).exits(0);
    // How far the clocks are apart is known to the second.
    await_the_next_second();
    await_the_next_second();
    let line = ["customer", "leave", "42", "--confirm=42", "-o", "json"];
    wire.run_and_kill(quiet(&shell, &line), Moment::Unsent, 24);
    let run = shell.run(&line).exits(0).json();
    assert_eq!(run["summary"]["failed"], 0, "{}", run["summary"]);
}
