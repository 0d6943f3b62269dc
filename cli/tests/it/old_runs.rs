//! Runs of long ago, and journals that cannot be kept.

use crate::shell::{Shell, account};
use secmon_mock::{Fault, Tenant};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// A run whose second row was not answered, because the service was down.
fn unfinished(tenant: &Tenant, shell: &Shell) -> String {
    let down = Fault::status(http::StatusCode::INTERNAL_SERVER_ERROR);
    tenant.fault(down.on("POST", "*/provision").after(1).times(0));
    let rows = "target,customer\n203.0.113.1,42\n203.0.113.2,42\n";
    let file = shell.file("servers.csv", rows);
    let line = [
        "provision",
        "-f",
        &file,
        "--on-error",
        "stop",
        "--timeout",
        "1s",
    ];
    shell.run(&line).exits(8);
    tenant.clear_faults();
    file
}

fn journals(shell: &Shell) -> Vec<PathBuf> {
    let folder = shell.path(".local/state/secmon/runs");
    let files = std::fs::read_dir(folder).expect("the folder").flatten();
    files.map(|file| file.path()).collect()
}

/// Makes every line of the one journal ten years old.
fn make_old(shell: &Shell) {
    let journals = journals(shell);
    let text = std::fs::read_to_string(&journals[0]).expect("the journal");
    let year = chrono::Utc::now().format("\"at\":\"%Y-").to_string();
    assert!(text.contains(&year), "{text}");
    std::fs::write(&journals[0], text.replace(&year, "\"at\":\"2016-")).expect("it is written");
}

#[test]
fn an_old_run_is_gone_on_with_only_when_that_is_asked_for() {
    for (option, result) in [
        (None, "2 in all: 1 provisioned, 1 already there\n"),
        (Some("--resume"), "2 provisioned\n"),
    ] {
        let tenant = account();
        let shell = Shell::of(&tenant);
        let file = unfinished(&tenant, &shell);
        make_old(&shell);
        let mut line = vec!["provision", "-f", &file];
        line.extend(option);
        let run = shell.run(&line).exits(0);
        assert!(run.stdout.starts_with(result), "{run:?}");
        let says = match option {
            None => "starting again",
            Some(_) => "1 of 2 rows are done",
        };
        assert!(run.stderr.contains(says), "{run:?}");
    }
}

#[test]
fn journals_that_nobody_went_on_with_are_thrown_away() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    unfinished(&tenant, &shell);
    let old = &journals(&shell)[0];
    let two_months = Duration::from_secs(60 * 86_400);
    let file = std::fs::File::options()
        .append(true)
        .open(old)
        .expect("the journal");
    file.set_modified(SystemTime::now() - two_months)
        .expect("its time is set");
    drop(file);
    let other = shell.file("other.csv", "target,customer\n203.0.113.9,42\n");
    shell.run(&["provision", "-f", &other]).exits(0);
    assert!(!old.exists());
    assert_eq!(journals(&shell).len(), 1);
}

#[test]
fn where_no_journal_can_be_kept_the_run_says_so_and_goes_on() {
    let shell = Shell::of(&account());
    std::fs::create_dir_all(shell.path(".local/state/secmon")).expect("a folder");
    shell.file(".local/state/secmon/runs", "no folder");
    let file = shell.file("servers.csv", "target,customer\n203.0.113.1,42\n");
    let run = shell.run(&["provision", "-f", &file]).exits(0);
    assert!(run.stderr.contains("no journal can be kept"), "{run:?}");
}

#[test]
fn a_dry_run_keeps_no_journal() {
    let shell = Shell::of(&account());
    let file = shell.file("servers.csv", "target,customer\n203.0.113.1,42\n");
    shell.run(&["provision", "-f", &file, "-n"]).exits(0);
    assert!(!shell.path(".local/state/secmon/runs").exists());
}
