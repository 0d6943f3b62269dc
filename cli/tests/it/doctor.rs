//! What stands between a machine and the service.

use crate::shell::{Shell, account};
use http::StatusCode;
use secmon_mock::Fault;

#[test]
fn a_good_connection_has_nothing_to_mend() {
    let run = Shell::of(&account()).line("doctor -o json").exits(0).json();
    let checks = run.as_array().expect("a list");
    assert!(
        checks.len() >= 6 && checks.iter().all(|check| check["result"] == "good"),
        "{run}"
    );
}

#[test]
fn the_worst_check_decides_and_names_its_fix() {
    let wrong_key = Shell::of(&account())
        .with("SECMON_API_KEY", "nobody-has-this-key")
        .line("doctor")
        .exits(3);
    assert!(
        wrong_key.stdout.contains("✘ account") && wrong_key.stdout.contains("auth login"),
        "{wrong_key:?}"
    );
    assert!(!wrong_key.stdout.contains("nobody-has"), "{wrong_key:?}");
    let nowhere = Shell::new()
        .with("SECMON_BASE_URL", "http://127.0.0.1:1")
        .with("SECMON_API_KEY", "a-key-for-nobody");
    assert!(
        nowhere
            .line("doctor --timeout 1s")
            .exits(7)
            .stdout
            .contains("✘ reachable")
    );
    let mock = account();
    let no_tls = Shell::of(&mock)
        .with("SECMON_BASE_URL", &mock.url().replace("http:", "https:"))
        .line("doctor")
        .exits(7)
        .stdout;
    assert!(
        no_tls.contains("✘ tls") && no_tls.contains("may be one for plain http"),
        "{no_tls}"
    );
    Shell::new().line("doctor").exits(2);
    let local = Shell::new();
    local.line("--local mock clock advance 48h").exits(0);
    local.line("--local doctor").exits(0);
}

/// The result of one check.
fn check(run: &crate::shell::Run, name: &str) -> serde_json::Value {
    let checks = run.json();
    let checks = checks.as_array().expect("a list").clone();
    let found = checks.into_iter().find(|check| check["check"] == name);
    found.unwrap_or_else(|| panic!("no check {name}: {run:?}"))
}

#[test]
fn the_portal_is_judged_by_a_call_that_can_do_nothing() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let good = shell.line("doctor -o json").exits(0);
    assert_eq!(check(&good, "portal")["result"], "good");
    let calls = tenant.calls("POST", "/api/v1/billing/suspend");
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].status, Some(422));
    let other = Fault::code(StatusCode::FORBIDDEN, "TENANT_MISMATCH");
    tenant.fault(other.on("POST", "*/suspend"));
    let run = shell.line("doctor -o json").exits(3);
    let portal = check(&run, "portal");
    assert_eq!(portal["result"], "bad");
    assert!(!portal["fix"].to_string().contains('`'), "{portal}");
    shell.line("doctor -n").exits(0);
    assert_eq!(tenant.calls("POST", "/api/v1/billing/suspend").len(), 2);
}

#[test]
fn files_that_others_can_read_are_named() {
    use std::os::unix::fs::PermissionsExt;
    let tenant = account();
    let shell = Shell::new();
    let login = ["auth", "login", "--base-url", tenant.url(), "--key-stdin"];
    shell.feed(tenant.api_key(), &login).exits(0);
    assert_eq!(
        check(&shell.line("doctor -o json").exits(0), "files")["result"],
        "good"
    );
    let key = shell.path(".config/secmon/keys/default");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o640)).expect("ours");
    let run = shell.line("doctor -o json").exits(2);
    assert_eq!(check(&run, "files")["result"], "bad");
    assert!(
        check(&run, "files")["about"]
            .to_string()
            .contains("keys/default")
    );
}

#[test]
fn a_name_without_an_address_and_a_shell_without_completion_are_told() {
    let shell = Shell::new()
        .with("SECMON_BASE_URL", "https://portal.invalid")
        .with("SECMON_API_KEY", "a-key-for-nobody");
    let run = shell.line("doctor -o json --timeout 2s").exits(7);
    assert_eq!(check(&run, "dns")["result"], "bad");

    let shell = Shell::of(&account()).with("SHELL", "/usr/bin/fish");
    let run = shell.line("doctor -o json").exits(0);
    let completion = check(&run, "completion");
    assert_eq!(completion["result"], "advice");
    assert!(completion["fix"].to_string().contains("completion fish"));
    std::fs::create_dir_all(shell.path(".config/fish/completions")).expect("a folder");
    let script = shell.line("completion fish").exits(0).stdout;
    shell.file(".config/fish/completions/secmon.fish", &script);
    let run = shell.line("doctor -o json").exits(0);
    assert_eq!(check(&run, "completion")["result"], "good");
}

#[test]
fn a_state_that_lacks_a_part_is_told() {
    for part in ["table seen", "view resumable"] {
        let shell = Shell::of(&account());
        shell.line("provision 203.0.113.1 -c 42").exits(0);
        let run = shell.line("doctor -o json").exits(0);
        assert_eq!(check(&run, "memory")["result"], "good", "{part}");
        let path = shell.path(".local/state/secmon/state.db");
        let database = rusqlite::Connection::open(path).expect("a database");
        let drop = database.execute_batch(&format!("DROP {part}"));
        drop.expect("it is there");
        let run = shell.line("doctor -o json");
        assert_ne!(run.code, 0, "{part}");
        let memory = check(&run, "memory");
        assert_eq!(memory["result"], "bad", "{part}: {memory}");
        assert!(
            memory["about"]
                .to_string()
                .contains(part.split(' ').nth(1).unwrap_or_default()),
            "{memory}"
        );
    }
}
