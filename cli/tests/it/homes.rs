//! Where the program's files are, with and without a home.

use crate::shell::{Run, Shell, account, finished};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;

/// A user number that no file of users has.
const NOBODY: u32 = 54_321;

/// Runs the program as somebody without a home; where this is not root, `HOME` alone is missing.
fn homeless(shell: &Shell, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
    let mut command = shell.command(arguments);
    command.env_remove("HOME").envs(variables.iter().copied());
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        let open = std::fs::Permissions::from_mode(0o777);
        std::fs::set_permissions(shell.path(""), open).expect("it is ours");
        command.uid(NOBODY).gid(NOBODY);
    }
    finished(command)
}

#[test]
fn without_a_home_the_folders_that_are_named_are_used() {
    let shell = Shell::of(&account()).with("SECMON_RATE_LIMITS", "60,100/60s");
    let folder = shell.path("");
    let named: Vec<(String, String)> = ["CONFIG", "DATA", "STATE", "CACHE"]
        .into_iter()
        .map(|kind| {
            let path = folder.join(kind.to_lowercase());
            (format!("XDG_{kind}_HOME"), path.display().to_string())
        })
        .collect();
    let named: Vec<(&str, &str)> = named
        .iter()
        .map(|(name, path)| (name.as_str(), path.as_str()))
        .collect();
    let run = homeless(&shell, &["endpoint", "list"], &named).exits(0);
    assert!(!run.stderr.contains("warning"), "{run:?}");
    assert!(shell.path("state/secmon/rate.db").is_file());
    let run = homeless(&shell, &["config", "path", "-o", "json"], &named).exits(0);
    assert!(run.json()["config"].to_string().contains("/config/secmon/"));
}

#[test]
fn a_home_that_is_no_whole_path_is_none() {
    let shell = Shell::of(&account());
    for home in ["~", "~/me", "somewhere"] {
        let mut command = shell.command(&["endpoint", "list"]);
        command.env("HOME", home);
        let run = finished(command).exits(2);
        assert!(
            run.stderr.contains("which is not an absolute path"),
            "{run:?}"
        );
        assert!(!shell.path(home).exists(), "{home}");
    }
}
