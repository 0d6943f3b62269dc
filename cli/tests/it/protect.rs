//! What a profile protects is changed only after its name was typed.

use crate::shell::{Shell, account, provision};
use secmon_mock::Tenant;

/// Customers 42 and 77; a profile that protects the one, and a server of the other.
fn protecting(tenant: &Tenant) -> Shell {
    let shell = Shell::of(tenant);
    provision(&shell, "203.0.113.1", "web-1");
    shell.line("provision 203.0.113.77 -c 77").exits(0);
    shell.line("provision 203.0.113.78 -c 77").exits(0);
    std::fs::create_dir_all(shell.path(".config/secmon")).expect("a folder");
    let profile = |name: &str, more: &str| {
        let url = tenant.url();
        format!(
            "[profiles.{name}]\nbase_url = \"{url}\"\nkey_file = \"key\"\nrate_limits = \"off\"\n{more}\n"
        )
    };
    let careful = profile("careful", "protect = [42, \"ip:203.0.113.77\"]");
    let config = format!("{careful}{}", profile("other", ""));
    shell.file(".config/secmon/config.toml", &config);
    shell.private_file(".config/secmon/key", tenant.api_key());
    shell.with("SECMON_PROFILE", "careful")
}

fn writes(tenant: &Tenant) -> usize {
    let calls = tenant.journal();
    calls.iter().filter(|call| call.method != "GET").count()
}

#[test]
fn every_change_of_what_is_protected_is_typed() {
    let tenant = account();
    let shell = protecting(&tenant);
    for (line, name) in [
        ("endpoint rename web-1 web-9", "42"),
        ("endpoint suspend web-1 -y", "42"),
        ("rules add web-1 22 -m for-the-operations-team", "42"),
        ("provision 203.0.113.2 -c 42", "42"),
        ("scan web-1", "42"),
        ("api suspend -f client_id=42 -f endpoint_id=x", "42"),
        ("customer suspend 42 -y", "42"),
        ("endpoint suspend 203.0.113.77", "203.0.113.77"),
        (
            "rules add 203.0.113.77 22 -m for-the-operations-team",
            "203.0.113.77",
        ),
    ] {
        let before = writes(&tenant);
        let asked = shell.line(line);
        let said = format!("{}{}", asked.stdout, asked.stderr);
        assert_ne!(asked.code, 0, "{line}: {asked:?}");
        assert!(
            said.contains(&format!("--confirm={name}")),
            "{line}: {asked:?}"
        );
        assert_eq!(writes(&tenant), before, "{line}: nothing is sent");
    }
    shell.line("endpoint rename web-1 web-9 -n").exits(0);
    shell
        .line("endpoint rename web-1 web-9 --confirm=42")
        .exits(0);
    shell
        .line("endpoint suspend 203.0.113.77 --confirm=203.0.113.77")
        .exits(0);
    shell.line("endpoint suspend 203.0.113.78").exits(0);
    shell.line("endpoint list -c 42").exits(0);
}

#[test]
fn profile_and_portal_are_named_where_there_are_several() {
    let tenant = account();
    let shell = protecting(&tenant);
    let asked = shell
        .line("endpoint terminate 203.0.113.78")
        .exits(2)
        .stderr;
    let place = format!(
        "This is profile careful, {}",
        tenant.url().trim_end_matches('/')
    );
    assert!(asked.contains(&place), "{asked}");
    let done = shell.line("endpoint terminate 203.0.113.78 -y").exits(0);
    assert!(
        done.stderr.contains("Changed using profile careful, "),
        "{done:?}"
    );
    let history = shell.line("history -o ids").exits(0).stdout;
    let last = history.lines().last().expect("a change").to_owned();
    let shown = shell.line(&format!("history show {last}")).exits(0).stdout;
    assert!(shown.contains("profile careful, "), "{shown}");
}

#[test]
fn a_scan_changes_nothing_and_so_no_profile_is_named() {
    let tenant = account();
    let shell = protecting(&tenant);
    tenant
        .advance(std::time::Duration::from_secs(600))
        .expect("the account is there");
    let scanned = shell.line("scan 203.0.113.78").exits(0);
    assert!(!scanned.stderr.contains("changed with"), "{scanned:?}");
}

#[test]
fn what_cannot_be_protected_is_refused() {
    let shell = Shell::new();
    std::fs::create_dir_all(shell.path(".config/secmon")).expect("a folder");
    for wrong in ["0", "\"web-1\"", "\"ip:web-1\""] {
        let config = format!("[profiles.mine]\nprotect = [{wrong}]\n");
        shell.file(".config/secmon/config.toml", &config);
        let run = shell.line("--profile mine endpoint list").exits(2);
        assert!(
            run.stderr.contains("neither a customer's number"),
            "{wrong}: {run:?}"
        );
    }
}
