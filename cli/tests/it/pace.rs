//! One key, several processes: nobody earns a 429.

use crate::shell::{Account, Shell, mock_with_short_windows};
use crate::terminal::Terminal;
use http::StatusCode;
use secmon_mock::{Fault, MockServer, Tenant};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

fn paced(tenant: &Tenant) -> Shell {
    Shell::of(tenant).with("SECMON_RATE_LIMITS", "60,100/2s")
}

/// Servers of one network, ten for each customer from the first on.
fn sheet(shell: &Shell, name: &str, network: &str, first: usize, rows: usize) -> String {
    let rows: String = (0..rows)
        .map(|i| format!("{network}.{i},{}\n", first + i / 10))
        .collect();
    shell.file(name, &format!("target,customer\n{rows}"))
}

fn start(shell: &Shell, file: &str) -> Child {
    let mut command = shell.command(&["provision", "-f", file, "-o", "json"]);
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

fn refused(tenant: &Tenant) -> usize {
    tenant
        .journal()
        .iter()
        .filter(|call| call.status == Some(429))
        .count()
}

fn provisioned(tenant: &Tenant) -> usize {
    let calls = tenant.journal();
    calls
        .iter()
        .filter(|call| call.path.ends_with("/provision") && call.status == Some(201))
        .count()
}

#[test]
fn two_processes_share_the_windows_of_one_key() {
    let mock = mock_with_short_windows();
    let tenant = Account::of(mock.tenant());
    let shell = paced(&tenant);
    let files = [
        sheet(&shell, "a.csv", "203.0.113", 100, 80),
        sheet(&shell, "b.csv", "198.51.100", 200, 80),
    ];
    for mut child in files.map(|file| start(&shell, &file)) {
        assert!(child.wait().expect("the program ends").success());
    }
    assert_eq!(provisioned(&tenant), 160);
    assert_eq!(refused(&tenant), 0);
}

#[test]
fn what_a_killed_process_sent_still_counts() {
    let mock = mock_with_short_windows();
    let tenant = Account::of(mock.tenant());
    let shell = paced(&tenant);
    let file = sheet(&shell, "a.csv", "203.0.113", 100, 120);
    let mut killed = start(&shell, &file);
    let deadline = Instant::now() + Duration::from_secs(60);
    while provisioned(&tenant) < 30 {
        assert!(Instant::now() < deadline, "the run never began");
        std::thread::yield_now();
    }
    killed.kill().expect("the program runs");
    killed.wait().expect("the program ends");
    shell
        .run(&["provision", "-f", &file, "--timeout", "5m"])
        .exits(0);
    assert_eq!(provisioned(&tenant), 120);
    assert_eq!(refused(&tenant), 0);
}

#[test]
fn a_window_that_others_used_up_is_waited_for() {
    let mock = mock_with_short_windows();
    let tenant = Account::of(mock.tenant());
    let stranger = Shell::of(&tenant);
    let full = sheet(&stranger, "full.csv", "198.51.100", 200, 60);
    stranger.run(&["provision", "-f", &full]).exits(0);
    let shell = paced(&tenant);
    let file = sheet(&shell, "a.csv", "203.0.113", 100, 20);
    shell.run(&["provision", "-f", &file]).exits(0);
    assert_eq!(provisioned(&tenant), 80);
}

/// A refusal without `Retry-After`.
fn busy() -> Fault {
    let body = r#"{"status":"error","message":"Too Many Attempts.","errors":{}}"#;
    Fault::body(StatusCode::TOO_MANY_REQUESTS, body).on("GET", "/api/v1/endpoints")
}

#[test]
fn a_429_that_names_no_time_is_waited_out_longer_each_time() {
    let mock = mock_with_short_windows();
    let tenant = Account::of(mock.tenant());
    tenant.fault(busy().times(2));
    let began = Instant::now();
    paced(&tenant).line("endpoint list").exits(0);
    assert_eq!(tenant.calls("GET", "/api/v1/endpoints").len(), 3);
    assert!(began.elapsed() >= Duration::from_secs(3));
}

/// Windows of which the wait for one is long enough to be told of.
fn mock_with_windows_of_four_seconds() -> MockServer {
    let config = secmon_mock::Config::parse("[rate_limits]\nwindow = 4\n");
    MockServer::builder()
        .config(config.expect("a good configuration"))
        .start()
        .expect("the mock starts")
}

#[test]
fn a_terminal_sees_a_wait_pass() {
    let mock = mock_with_windows_of_four_seconds();
    let tenant = Account::of(mock.tenant());
    let shell = Shell::of(&tenant).with("SECMON_RATE_LIMITS", "60,100/4s");
    let file = sheet(&shell, "a.csv", "203.0.113", 100, 70);
    let mut terminal = Terminal::start(&shell, 120, &["provision", "-f", &file, "-y"]);
    terminal.shows("paced: next request in");
    terminal.shows("paced: next request in 1 s");
    terminal.shows("70/70");
    assert_eq!(terminal.ends().0, 0);
}

#[test]
fn a_run_that_a_stranger_keeps_waiting_says_so_and_ends_well() {
    let mock = mock_with_windows_of_four_seconds();
    let tenant = Account::of(mock.tenant());
    let stranger = Shell::of(&tenant);
    let full = sheet(&stranger, "full.csv", "198.51.100", 200, 60);
    stranger.run(&["provision", "-f", &full]).exits(0);
    let shell = Shell::of(&tenant).with("SECMON_RATE_LIMITS", "60,100/4s");
    let file = sheet(&shell, "a.csv", "203.0.113", 100, 70);
    let run = shell.run(&["provision", "-f", &file]).exits(0);
    assert!(
        run.stderr.contains("the key's calls are used up") || run.stderr.contains("paced"),
        "{run:?}"
    );
    assert!(run.stdout.contains("70 provisioned"), "{run:?}");
    assert!(refused(&tenant) > 0, "the stranger left the window open");
}

#[test]
fn what_is_left_of_the_window_is_shown() {
    let mock = mock_with_short_windows();
    let tenant = Account::of(mock.tenant());
    let shell = Shell::of(&tenant).with("SECMON_RATE_LIMITS", "60,100/60s");
    for i in 0..3 {
        shell
            .line(&format!("provision 203.0.113.{i} -c 42"))
            .exits(0);
    }
    let status = shell.line("status").exits(0).stdout;
    // Three changes, and the look whether the customer is a new one.
    assert!(status.contains("56 for changes and alerts"), "{status}");
}

#[test]
fn a_pace_file_that_cannot_be_trusted_counts_as_full() {
    let mock = mock_with_short_windows();
    let tenant = Account::of(mock.tenant());
    let shell = paced(&tenant);
    shell.line("endpoint list").exits(0);
    let folder = shell.path(".local/state/secmon/pace");
    for entry in std::fs::read_dir(&folder).expect("the folder").flatten() {
        std::fs::write(entry.path(), "{ broken").expect("the file is written");
    }
    shell.line("endpoint list --max-wait 0").exits(6);
    shell.line("endpoint list").exits(0);
}

#[test]
fn a_ledger_that_another_process_holds_hangs_no_command() {
    let mock = mock_with_short_windows();
    let tenant = Account::of(mock.tenant());
    let shell = paced(&tenant);
    shell.line("endpoint list").exits(0);
    let folder = shell.path(".local/state/secmon/pace");
    let mut ledgers = std::fs::read_dir(folder).expect("a folder");
    let ledger = ledgers.next().expect("a ledger").expect("an entry").path();
    let held = std::fs::File::open(&ledger).expect("it opens");
    held.lock().expect("nobody has it");
    let run = shell.line("endpoint list --max-wait 1s").exits(1);
    assert!(
        run.stderr.contains("another process holds"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains(&ledger.display().to_string()),
        "{}",
        run.stderr
    );
    held.unlock().expect("it was held");
    shell.line("endpoint list --max-wait 1s").exits(0);
}
