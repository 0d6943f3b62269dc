//! The command line itself: help, completion, wrong usage.

use crate::shell::Shell;
use clap_complete::Shell as Completing;

#[test]
fn wrong_usage_is_an_object_where_json_is_asked_for() {
    let shell = Shell::new();
    for arguments in [
        ["endpoint", "lisst", "-o", "json"].as_slice(),
        &["--output=json", "nonsense"],
        &["lisst", "-qojson"],
        &["lisst", "-yo", "json"],
        &["-ojson", "provision", "--nonsense"],
        &["lisst", "-o", "JSON"],
    ] {
        let error = shell.run(arguments).exits(2).error();
        assert_eq!(error["exit_code"], 2, "{error}");
    }
    let error = Shell::new()
        .with("SECMON_OUTPUT", "json")
        .line("scan")
        .exits(2)
        .error();
    assert_eq!(error["code"], "usage");
    let plain = shell.line("scan").exits(2);
    assert!(plain.stderr.contains("Usage:"), "{plain:?}");
}

#[test]
fn every_page_of_help_can_be_read_without_a_home() {
    let shell = Shell::new();
    for line in [
        "--help",
        "help",
        "help provision",
        "help rules add",
        "rules add --help",
        "help exit-codes",
        "help environment",
        "help output",
        "help references",
        "help pace",
        "help csv",
    ] {
        let run = shell.line(line).exits(0);
        assert!(run.stdout.lines().count() > 3, "{line}: {run:?}");
    }
    shell.line("help nonsense").exits(2);
}

#[test]
fn options_in_front_do_not_hide_the_command() {
    let shell = Shell::new();
    let page = shell.line("endpoint list --help").exits(0).stdout;
    for options in [
        // A value that is a command's name, in each way that it can be written.
        "--profile scan",
        "--profile=scan --local",
        "-qyn --columns id,status",
        "-c 42 -L5",
        "-qc scan",
        "--client-id 42 --sort -name",
        "-vvojson",
    ] {
        let run = shell.line(&format!("{options} endpoint list --help"));
        assert_eq!(run.exits(0).stdout, page, "{options}");
    }
    for line in ["--nonsense endpoint list", "-Z endpoint list"] {
        let run = shell.line(line).exits(2);
        assert!(run.stderr.contains("unexpected argument"), "{run:?}");
    }
    let whole = shell.line("--help").exits(0).stdout;
    assert_eq!(shell.line("--help endpoint list").exits(0).stdout, whole);
}

#[test]
fn completion_is_printed_for_every_shell() {
    for name in [
        Completing::Bash,
        Completing::Zsh,
        Completing::Fish,
        Completing::PowerShell,
        Completing::Elvish,
    ] {
        let run = Shell::new().line(&format!("completion {name}")).exits(0);
        assert!(run.stdout.contains("SECMON_COMPLETE"), "{name}");
    }
}

#[test]
fn the_licences_of_the_program_and_its_crates_are_printed() {
    let told = Shell::new().line("version --licenses").exits(0).stdout;
    for text in [
        "Permission is hereby granted, free of charge",
        "Apache License",
        "The crates that secmon is made of",
        "* clap ",
    ] {
        assert!(told.contains(text), "{text}");
    }
}

#[test]
fn the_version_is_told_in_two_forms() {
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        Shell::new().line("version").exits(0).stdout,
        format!("secmon {version}\n")
    );
    assert_eq!(
        Shell::new().line("version -o json").exits(0).json()["version"],
        version
    );
    assert_eq!(
        Shell::new().line("--version").exits(0).stdout,
        format!("secmon {version}\n")
    );
}

#[test]
fn nothing_is_asked_without_a_terminal() {
    let shell = Shell::new();
    for line in [
        "provision 203.0.113.1 --local",
        "status --local --customer",
        "auth login",
        "alert list --local",
        "rules summary --local",
    ] {
        shell.line(line).exits(2);
    }
}

#[test]
fn switches_of_the_environment_are_read_as_people_write_them() {
    for value in ["1", "true", "YES", "on", "0", "false", "No", "off", ""] {
        Shell::new()
            .with("SECMON_NO_INPUT", value)
            .line("profile list")
            .exits(0);
    }
    let run = Shell::new()
        .with("SECMON_NO_INPUT", "maybe")
        .line("profile list -o json")
        .exits(2);
    assert!(
        run.error()["message"]
            .as_str()
            .unwrap_or_default()
            .contains("SECMON_NO_INPUT"),
        "{run:?}"
    );
}

#[test]
fn words_that_people_try_first_lead_to_the_command() {
    for (tried, command) in [
        ("suspend", "endpoint suspend"),
        ("ports", "endpoint show"),
        ("import", "provision -f"),
    ] {
        let run = Shell::new().run(&[tried, "203.0.113.1"]).exits(2);
        assert!(run.stderr.contains(command), "{run:?}");
        let error = Shell::new()
            .run(&[tried, "203.0.113.1", "-o", "json"])
            .exits(2)
            .error();
        assert!(
            error["hint"].as_str().unwrap_or_default().contains(command),
            "{error}"
        );
    }
    let error = Shell::new()
        .line("--color bogus status -o json")
        .exits(2)
        .error();
    assert!(
        error["message"]
            .as_str()
            .unwrap_or_default()
            .contains("never"),
        "{error}"
    );
}

#[test]
fn manual_pages_are_made_for_every_command() {
    let shell = Shell::new();
    assert!(shell.line("man").exits(0).stdout.starts_with(".ie"));
    shell.line("man --dir pages").exits(0);
    for page in ["secmon.1", "secmon-provision.1", "secmon-rules-add.1"] {
        assert!(shell.path("pages").join(page).exists(), "{page}");
    }
}

#[test]
fn lengths_beyond_reason_are_refused() {
    let shell = Shell::new();
    for line in [
        "--local alert list -c 42 --since 300000y",
        "--local rules list --expiring 300000y",
        "--local endpoint wait x --wait-timeout 18446744073709551615s",
        "--rate-limits 60,100/18446744073709551615s --local status",
    ] {
        shell.line(line).exits(2);
    }
}
