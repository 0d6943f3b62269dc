//! One key, several processes: nobody earns a 429.

use crate::shell::{Account, Run, Shell, finished, mock_with_short_windows};
use crate::terminal::Terminal;
use http::StatusCode;
use secmon_mock::{Fault, MockServer, Tenant};
use std::path::PathBuf;
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
    terminal.shows("Rate limit: waiting");
    terminal.shows("Rate limit: waiting 1 s");
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
        run.stderr.contains("the key's calls are used up")
            || run.stderr.contains("Rate limit: waiting"),
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
    assert!(
        status.contains("56 for changes, alerts and domains"),
        "{status}"
    );
}

/// The database of the rate limit of a shell's user.
fn database(shell: &Shell) -> PathBuf {
    shell.path(".local/state/secmon/rate.db")
}

#[test]
fn of_a_damaged_file_half_of_the_window_is_left() {
    let mock = mock_with_short_windows();
    let tenant = Account::of(mock.tenant());
    let shell = Shell::of(&tenant).with("SECMON_RATE_LIMITS", "60,100/60s");
    shell.line("endpoint list").exits(0);
    for end in ["", "-wal"] {
        let name = format!("{}{end}", database(&shell).display());
        std::fs::write(name, "broken").expect("the file is written");
    }
    let status = shell.line("status").exits(0).stdout;
    assert!(
        status.contains("30 for changes, alerts and domains"),
        "{status}"
    );
}

#[test]
fn a_database_that_another_process_holds_hangs_no_command() {
    let mock = mock_with_short_windows();
    let tenant = Account::of(mock.tenant());
    let shell = paced(&tenant);
    shell.line("endpoint list").exits(0);
    let held = rusqlite::Connection::open(database(&shell)).expect("it opens");
    held.execute_batch("BEGIN IMMEDIATE")
        .expect("nobody has it");
    let run = shell.line("endpoint list --max-wait 1s").exits(1);
    assert!(
        run.stderr.contains("another process has locked"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("rate.db"), "{}", run.stderr);
    held.execute_batch("ROLLBACK").expect("it was held");
    shell.line("endpoint list --max-wait 1s").exits(0);
}

/// Says that calls of other processes are not counted, once.
#[track_caller]
fn says_so_once(run: &Run) {
    let told = "calls of other secmon processes are not counted";
    assert_eq!(run.stderr.matches(told).count(), 1, "{run:?}");
}

#[test]
fn where_nothing_can_be_written_each_process_counts_its_own_calls_and_says_so() {
    let mock = mock_with_short_windows();
    let tenant = Account::of(mock.tenant());
    let shell = paced(&tenant).with("XDG_STATE_HOME", "/proc/nothing");
    let file = sheet(&shell, "a.csv", "203.0.113", 100, 80);
    says_so_once(&shell.run(&["provision", "-f", &file, "-y"]).exits(0));
    assert_eq!(provisioned(&tenant), 80);
    assert_eq!(refused(&tenant), 0);
    let run = shell.line("endpoint list -o json").exits(0);
    assert_eq!(run.stderr, "");
    let doctor = shell.line("doctor -o json").json();
    let checks = doctor.as_array().expect("a list");
    let check = checks.iter().find(|check| check["check"] == "rate limit");
    let check = check.expect("the check");
    assert_eq!(check["result"], "advice");
    let about = check["about"].as_str().unwrap_or_default();
    assert!(about.contains("/proc/nothing/secmon"), "{about}");
}

#[test]
fn without_state_no_file_is_made_and_nothing_is_said() {
    let mock = mock_with_short_windows();
    let tenant = Account::of(mock.tenant());
    let shell = paced(&tenant).with("SECMON_STATE", "off");
    let run = shell.line("endpoint list").exits(0);
    assert!(!run.stderr.contains("warning"), "{run:?}");
    assert!(!database(&shell).exists());
}

/// Runs the program so that no file can grow.
fn on_a_full_disk(shell: &Shell, arguments: &[&str]) -> Run {
    let mut command = std::process::Command::new("/bin/sh");
    let line = "trap '' XFSZ; ulimit -f 0; exec \"$@\"";
    let program = shell.command(arguments);
    command
        .args(["-c", line, "sh"])
        .arg(program.get_program())
        .args(program.get_args())
        .env_clear();
    let variables = program.get_envs();
    command.envs(variables.filter_map(|(name, value)| Some((name, value?))));
    command.stdin(Stdio::null());
    finished(command)
}

#[test]
fn on_a_full_disk_each_process_counts_its_own_calls() {
    let mock = mock_with_short_windows();
    let tenant = Account::of(mock.tenant());
    for made_before in [false, true] {
        let shell = paced(&tenant);
        if made_before {
            shell.line("endpoint list").exits(0);
        }
        says_so_once(&on_a_full_disk(&shell, &["endpoint", "list"]).exits(0));
    }
}

#[test]
fn a_file_that_is_deleted_under_a_run_is_made_anew() {
    let mock = mock_with_short_windows();
    let tenant = Account::of(mock.tenant());
    let shell = paced(&tenant);
    let file = sheet(&shell, "a.csv", "203.0.113", 100, 120);
    let mut run = start(&shell, &file);
    let deadline = Instant::now() + Duration::from_secs(60);
    while provisioned(&tenant) < 30 {
        assert!(Instant::now() < deadline, "the run never began");
        std::thread::yield_now();
    }
    for end in ["", "-wal", "-shm"] {
        let name = format!("{}{end}", database(&shell).display());
        std::fs::remove_file(name).expect("it is there");
    }
    assert!(run.wait().expect("the program ends").success());
    assert_eq!(provisioned(&tenant), 120);
    assert!(database(&shell).exists());
}

#[test]
fn fifty_processes_at_once_stay_inside_the_window() {
    let mock = mock_with_windows_of_four_seconds();
    let tenant = Account::of(mock.tenant());
    let shell = Shell::of(&tenant).with("SECMON_RATE_LIMITS", "60,100/4s");
    let children: Vec<Child> = (0..50)
        .map(|i| {
            let line = format!(
                "provision 203.0.113.{i} 198.51.100.{i} -c {} -o json",
                100 + i
            );
            let mut command = shell.command(&line.split_whitespace().collect::<Vec<_>>());
            command.stdout(Stdio::null()).stderr(Stdio::piped());
            command.spawn().expect("the program starts")
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().expect("the program ends");
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(provisioned(&tenant), 100);
    assert_eq!(refused(&tenant), 0);
}
