//! What this computer remembers: before a call is sent, without secrets, and without standing in the way.

use crate::every_change::await_the_next_second;
use crate::journal::{quiet, wired};
use crate::shell::{Shell, account, finished, provision};
use crate::wire::Moment;
use rusqlite::Connection;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::{Command, Stdio};

fn database(shell: &Shell) -> PathBuf {
    shell.path(".local/state/secmon/state.db")
}

fn count(shell: &Shell, sql: &str) -> i64 {
    let connection = Connection::open(database(shell)).expect("the database");
    connection
        .query_row(sql, (), |row| row.get(0))
        .expect("a count")
}

#[test]
fn a_change_is_recorded_before_it_is_sent() {
    for moment in [Moment::Unsent, Moment::Unanswered, Moment::Unwritten] {
        let tenant = account();
        let (wire, shell) = wired(&tenant);
        provision(&shell, "203.0.113.1", "web-1");
        let command = quiet(&shell, &["endpoint", "suspend", "web-1"]);
        wire.run_and_kill(command, moment, 1);
        let pending = "SELECT count(*) FROM change WHERE operation = 'suspend_endpoint' AND result = 'pending'";
        assert_eq!(count(&shell, pending), 1, "{moment:?}");
        let changes = shell.line("history -o json").exits(0).json();
        let last = changes
            .as_array()
            .and_then(|list| list.last())
            .expect("a change");
        assert_eq!(last["result"], "pending", "{moment:?}");
        for line in ["history", "status", "doctor"] {
            let told = shell.line(line).stdout;
            assert!(
                told.contains("endpoint suspend web-1"),
                "{moment:?} {line}: {told}"
            );
        }
        // The same command goes on, and then nothing is open any more.
        shell.line("endpoint suspend web-1").exits(0);
        let told = shell.line("status").exits(0).stdout;
        assert!(!told.contains("Interrupted"), "{moment:?}: {told}");
    }
}

#[test]
fn a_killed_suspend_of_all_that_is_repeated_is_resumed_whole() {
    let tenant = account();
    let (wire, shell) = wired(&tenant);
    for i in 1..=6 {
        provision(&shell, &format!("203.0.113.{i}"), &format!("web-{i}"));
    }
    shell.line("endpoint suspend web-6").exits(0);
    // Times are told to the second: what was lost is newer than what was answered.
    await_the_next_second();
    let line = ["endpoint", "suspend", "--all", "-c", "42"];
    wire.run_and_kill(quiet(&shell, &line), Moment::Unanswered, 3);
    shell.run(&line).exits(0);
    shell.line("endpoint resume --all -c 42").exits(0);
    let paused = shell
        .line("endpoint list --status paused -o json")
        .exits(0)
        .json();
    let names: Vec<&str> = paused
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|server| server["nickname"].as_str())
        .collect();
    assert_eq!(names, ["web-6"]);
}

#[test]
fn no_key_stands_in_what_is_remembered_whatever_field_it_came_in() {
    let tenant = account().provoking_notices();
    let shell = Shell::of(&tenant);
    let key = tenant.api_key();
    shell
        .run(&["provision", "203.0.113.1", "-c", "42", "--nickname", key])
        .exits(0);
    let reason = format!("the key is {key}");
    shell
        .run(&["rules", "add", "203.0.113.1", "22", "-m", &reason])
        .exits(0);
    shell
        .run(&["endpoint", "rename", "203.0.113.1", "web-1"])
        .exits(0);
    shell.line("sso link -c 42").exits(0);
    let kept = shell.everything_kept();
    assert!(!kept.contains(key), "the key is kept");
    // An image that held the key is never written back.
    let refused = shell.line("undo -y");
    assert_ne!(refused.code, 0, "{refused:?}");
}

#[test]
fn what_is_remembered_is_private_and_follows_no_link() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let program = shell.command(&["provision", "203.0.113.1", "-c", "42"]);
    let mut open = Command::new("sh");
    open.args(["-c", "umask 000; exec \"$@\"", "sh"])
        .arg(program.get_program())
        .args(program.get_args())
        .env_clear()
        .envs(
            program
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .stdin(Stdio::null());
    finished(open).exits(0);
    let mode = |path: PathBuf| {
        let found = std::fs::metadata(path).expect("it is there");
        found.permissions().mode() & 0o777
    };
    assert_eq!(mode(database(&shell)), 0o600);
    assert_eq!(mode(shell.path(".local/state/secmon")), 0o700);

    let other = Shell::of(&tenant);
    std::fs::create_dir_all(other.path(".local/state/secmon")).expect("a folder");
    let target = other.file("precious.txt", "precious");
    symlink(&target, database(&other)).expect("a link");
    let run = other.line("endpoint suspend 203.0.113.1").exits(0);
    assert!(run.stderr.contains("not recorded"), "{run:?}");
    let kept = std::fs::read_to_string(&target).expect("the file");
    assert_eq!(kept, "precious");
}

#[test]
fn where_nothing_can_be_remembered_changes_go_on_and_say_so_once() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.1", "web-1");
    provision(&shell, "203.0.113.2", "web-2");
    type Damage = (&'static str, fn(&Shell));
    let damage: [Damage; 3] = [
        ("damaged", |shell| {
            let state = shell.path(".local/state/secmon");
            std::fs::remove_dir_all(&state).expect("it is ours");
            std::fs::create_dir_all(&state).expect("it is ours");
            std::fs::write(database(shell), "no database at all").expect("it is ours");
        }),
        ("newer", |shell| {
            let connection = Connection::open(database(shell)).expect("the database");
            connection
                .pragma_update(None, "user_version", 99)
                .expect("it is ours");
        }),
        ("no folder", |shell| {
            std::fs::remove_dir_all(shell.path(".local/state")).ok();
            shell.file(".local/state", "a file where a folder should be");
        }),
    ];
    for (name, damage) in damage {
        let shell = Shell::of(&tenant);
        shell.line("endpoint list").exits(0);
        damage(&shell);
        shell.line("endpoint list").exits(0);
        let run = shell.line("endpoint suspend web-1 web-2").exits(0);
        assert_eq!(
            run.stderr.matches("not recorded").count(),
            1,
            "{name}: {run:?}"
        );
        let doctor = shell.line("doctor").stdout;
        assert!(doctor.contains("not recorded"), "{name}: {doctor}");
        let silent = Shell::of(&tenant).with("SECMON_STATE", "off");
        damage(&shell);
        let run = silent.line("endpoint resume web-1 web-2").exits(0);
        assert!(!run.stderr.contains("recorded"), "{name}: {run:?}");
        assert!(!database(&silent).exists(), "{name}");
    }
}

#[test]
fn fifty_processes_at_once_lose_nothing_of_each_other() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let plan = "subscription set 502 --product port_monitoring --plan enterprise -c 42";
    shell.line(plan).exits(0);
    let children: Vec<_> = (0..50)
        .map(|i| {
            let address = format!("203.0.113.{i}");
            let mut command = shell.command(&["provision", &address, "-c", "42"]);
            command.stdout(Stdio::null()).stderr(Stdio::piped());
            command.spawn().expect("it starts")
        })
        .collect();
    for child in children {
        let ended = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(
            ended.status.success() && !said.contains("not recorded"),
            "{said}"
        );
    }
    let answered =
        "SELECT count(*) FROM change WHERE operation = 'provision_endpoint' AND result = 'changed'";
    assert_eq!(count(&shell, answered), 50);
    let whole = "SELECT count(*) FROM batch WHERE outcome = 'complete'";
    assert_eq!(count(&shell, whole), 51);
}

#[test]
fn a_home_that_two_hosts_share_does_not_take_the_other_ones_run_for_its_own() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.1", "web-1");
    shell.line("endpoint rename web-1 web-9").exits(0);
    let connection = Connection::open(database(&shell)).expect("the database");
    connection
        .execute(
            "UPDATE batch SET session = 'another-boot/1/1', process = 'another-boot/1/1', outcome = NULL",
            (),
        )
        .expect("it is ours");
    let refused = shell.line("undo -y").exits(4).stderr;
    assert!(refused.contains("this terminal"), "{refused}");
    let told = shell.line("history").exits(0).stdout;
    assert!(told.contains("Interrupted on"), "{told}");
}

#[test]
fn a_dry_run_and_a_read_only_profile_remember_no_change() {
    let shell = Shell::of(&account());
    let file = shell.file("servers.csv", "target,customer\n203.0.113.1,42\n");
    shell.run(&["provision", "-f", &file, "-n"]).exits(0);
    assert_eq!(shell.line("history -o json").exits(0).stdout, "[]\n");
}

#[test]
fn version_and_help_open_nothing() {
    let shell = Shell::of(&account());
    for line in [
        "--version",
        "--help",
        "endpoint suspend --help",
        "completion bash",
    ] {
        shell.line(line).exits(0);
    }
    assert!(!shell.path(".local").exists());
}

#[test]
fn former_files_are_named_by_the_doctor() {
    let shell = Shell::of(&account());
    std::fs::create_dir_all(shell.path(".local/state/secmon/runs")).expect("a folder");
    shell.file(".local/state/secmon/history.jsonl", "{}\n");
    let told = shell.line("doctor").stdout;
    assert!(
        told.contains("rm -r") && told.contains("history.jsonl"),
        "{told}"
    );
}
