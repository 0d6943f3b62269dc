//! `--local`: no account, no network, from an empty home.

use crate::shell::{Shell, account, finished};
use std::process::Stdio;

#[test]
fn the_main_job_from_an_empty_home() {
    let shell = Shell::new();
    let run = shell
        .line("--local provision 203.0.113.10 -c 42 --nickname web-1 --wait")
        .exits(0);
    for port in ["22/tcp", "80/tcp", "443/tcp", "8080/tcp"] {
        assert!(
            run.stdout.contains(port),
            "{port} is missing: {}",
            run.stdout
        );
    }
    let next: Vec<&str> = run
        .stdout
        .lines()
        .filter(|line| line.contains(" --local "))
        .collect();
    assert_eq!(next.len(), 2, "{}", run.stdout);

    for command in next {
        let command = command.replace("-m TEXT", "-m 'SSH for the operations team'");
        let printed = shell.command(&[]);
        let mut typed = std::process::Command::new("sh");
        typed
            .args(["-c", command.trim()])
            .env_clear()
            .stdin(Stdio::null());
        typed.envs(
            printed
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        finished(typed).exits(0);
    }

    let alerts = shell
        .line("--local alert list -c 42 -o json")
        .exits(0)
        .json();
    for alert in alerts.as_array().expect("a list") {
        let expected = if alert["port"] == 22 {
            "resolved"
        } else {
            "open"
        };
        assert_eq!(alert["status"], expected, "{alert}");
    }
    assert_eq!(alerts.as_array().map(Vec::len), Some(4));
}

#[test]
fn two_invocations_at_once_queue_for_the_state() {
    let shell = Shell::new();
    let start = |address: &str| {
        let mut command =
            shell.command(&["--local", "provision", address, "-c", "42", "-o", "json"]);
        command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts")
    };
    let both = [start("203.0.113.1"), start("203.0.113.2")];
    for child in both {
        let output = child.wait_with_output().expect("the program ends");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let servers = shell.line("--local endpoint list -o json").exits(0).json();
    assert_eq!(servers.as_array().map(Vec::len), Some(2));
}

#[test]
fn a_waiting_invocation_does_not_keep_others_out() {
    let shell = Shell::new();
    shell
        .line("--local provision 203.0.113.1 -c 42 -o json")
        .exits(0);
    let mut waiting = shell
        .command(&[
            "--local",
            "endpoint",
            "wait",
            "203.0.113.1",
            "--for",
            "paused",
        ])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    shell.line("--local endpoint suspend 203.0.113.1").exits(0);
    let ended = waiting.wait().expect("the wait ends");
    assert_eq!(ended.code(), Some(0));
}

#[test]
fn a_state_that_is_never_given_back_is_an_error_that_names_the_holder() {
    let shell = Shell::new();
    shell.line("--local status").exits(0);
    let lock = shell.path(".local/share/secmon/local/lock");
    let holder = std::fs::File::options()
        .write(true)
        .open(lock)
        .expect("the lock file is there");
    holder.lock().expect("nobody else holds it");
    let run = shell.line("--local status -o json").exits(7);
    let message = run.error()["message"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert!(message.contains("in use by process "), "{message}");
}

#[test]
fn the_embedded_mock_takes_no_second_address() {
    let shell = Shell::new();
    let run = shell
        .line("--local --base-url http://127.0.0.1:1 status -o json")
        .exits(2);
    assert!(
        run.error()["message"]
            .as_str()
            .unwrap_or_default()
            .contains("--base-url"),
        "{run:?}"
    );
}

#[test]
fn the_profile_local_is_the_embedded_mock() {
    let shell = Shell::new().with("SECMON_PROFILE", "local");
    assert_eq!(
        shell.line("status -o json").exits(0).json()["servers"]["total"],
        0
    );
}

#[test]
fn a_new_state_starts_with_the_fixtures_that_the_environment_names() {
    let shell = Shell::new();
    let file = shell.file("broken.toml", "[[customers]]\nid = 42\nserver = []\n");
    let shell = shell.with("SECMON_MOCK_FIXTURES", &file);
    let run = shell.line("--local endpoint list").exits(2);
    assert!(run.stderr.contains("customers.0"), "{run:?}");
    assert!(run.stderr.contains("server"), "{run:?}");

    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../mock-server/fixtures.toml");
    let shell = shell.with("SECMON_MOCK_FIXTURES", example);
    let first = shell.line("--local endpoint list -c 42 -o ids").exits(0);
    assert_eq!(first.stdout.lines().count(), 6, "{first:?}");
    assert_eq!(first.stderr, "");

    let shell = shell.with("SECMON_MOCK_FIXTURES", "");
    shell
        .line("--local endpoint terminate web-1 -c 42 -y")
        .exits(0);
    let shell = shell.with("SECMON_MOCK_FIXTURES", example);
    let later = shell.line("--local endpoint list -c 42 -o ids").exits(0);
    assert_eq!(later.stdout.lines().count(), 5, "{later:?}");
    assert!(later.stderr.contains("has one already"), "{later:?}");
    let reset = shell.line("--local mock reset").exits(0);
    assert_eq!(reset.stderr, "", "it does what the note would tell");
    let anew = shell.line("--local endpoint list -c 42 -o ids -q").exits(0);
    assert_eq!(anew.stdout.lines().count(), 6, "{anew:?}");
}

#[test]
fn a_mock_that_was_reset_leaves_nothing_of_its_records_behind() {
    let shell = Shell::new();
    for line in [
        "--local provision 203.0.113.10 -c 42 --nickname web-1",
        "--local subscription set 501 --product domain_monitoring --quantity 2 -c 42",
        "--local endpoint suspend --all -c 42 -y",
        "--local mock reset",
    ] {
        shell.line(line).exits(0);
    }
    let history = shell.line("--local history -o ids").exits(0).stdout;
    assert_eq!(history, "");
    let undone = shell.line("--local undo -y").exits(4).stderr;
    assert!(!undone.contains("203.0.113.10"), "{undone}");
    shell.line("--local provision 203.0.113.11 -c 42").exits(0);
    let left = shell.line("--local customer leave 42 -n").exits(0);
    let told = format!("{}{}", left.stdout, left.stderr);
    assert!(!told.contains("501"), "{told}");
}

#[test]
fn a_mock_that_is_no_part_of_the_account_takes_no_history_with_it() {
    let shell = Shell::of(&account());
    shell.line("provision 203.0.113.10 -c 42").exits(0);
    let other = secmon_mock::MockServer::builder().start().expect("a mock");
    let reset = ["mock", "reset", "--admin-url", other.url()];
    shell.run(&reset).exits(0);
    let history = shell.line("history -o ids").exits(0).stdout;
    assert_eq!(history.lines().count(), 1, "{history}");
}
