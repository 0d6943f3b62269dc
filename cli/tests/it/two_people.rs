//! Two people, two computers, two terminals and two accounts: nobody undoes, resumes or ends what is another's.

use crate::shell::{Run, Shell, account, finished, provision};
use secmon_mock::Tenant;
use serde_json::Value;
use std::process::Command;

/// Customer 42 with two servers, a rule, and a domain with its subscription.
fn furnished(tenant: &Tenant) -> Shell {
    let shell = Shell::of(tenant);
    provision(&shell, "203.0.113.1", "web-1");
    provision(&shell, "203.0.113.2", "web-2");
    for line in [
        "subscription set 501 --product domain_monitoring --quantity 3 -c 42",
        "domain provision a.example --service 501 -c 42",
        "rules add web-1 22 -m for-the-operations-team",
    ] {
        shell.line(line).exits(0);
    }
    shell
}

fn writes(tenant: &Tenant) -> usize {
    let calls = tenant.journal();
    calls.iter().filter(|call| call.method != "GET").count()
}

fn listed(shell: &Shell, line: &str) -> Vec<Value> {
    let listed = shell.line(&format!("{line} -o json")).exits(0).json();
    listed.as_array().expect("a list").clone()
}

fn status_of(shell: &Shell, nickname: &str) -> String {
    let servers = listed(shell, "endpoint list");
    let found = servers.iter().find(|server| server["nickname"] == nickname);
    found.expect("the server")["status"]
        .as_str()
        .expect("a status")
        .to_owned()
}

/// Runs the program in a session of its own, as another terminal is one.
pub fn elsewhere(shell: &Shell, line: &str) -> Run {
    let words: Vec<&str> = line.split_whitespace().collect();
    let program = shell.command(&words);
    let mut command = Command::new("setsid");
    command
        .arg("--wait")
        .arg(program.get_program())
        .args(program.get_args())
        .env_clear()
        .envs(
            program
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .env("PATH", "/usr/bin:/bin")
        .stdin(std::process::Stdio::null());
    finished(command)
}

#[test]
fn a_change_of_another_account_at_the_same_address_is_not_undone() {
    let (acme, globex) = (account(), account());
    let shell = furnished(&acme);
    let other = Shell::of(&globex);
    provision(&other, "203.0.113.1", "web-1");
    shell.line("endpoint suspend web-1").exits(0);
    // The same home, and the key of the other account.
    let shell = shell
        .with("SECMON_BASE_URL", globex.url())
        .with("SECMON_API_KEY", globex.api_key());
    let before = writes(&globex);
    let refused = shell.line("undo -y").exits(4).stderr;
    assert!(refused.contains("no change"), "{refused}");
    shell.line("endpoint resume --all -c 42").exits(0);
    assert_eq!(writes(&globex), before);
    assert_eq!(shell.line("history -o json").exits(0).stdout, "[]\n");
}

#[test]
fn a_profile_that_was_pointed_at_another_portal_has_no_changes_there() {
    let (acme, globex) = (account(), account());
    let shell = Shell::new();
    std::fs::create_dir_all(shell.path(".config/secmon")).expect("a folder");
    let point_at = |tenant: &Tenant| {
        let config = format!(
            "default_profile = \"main\"\n[profiles.main]\nbase_url = \"{}\"\nkey_file = \"key\"\nrate_limits = \"off\"\n",
            tenant.url()
        );
        shell.file(".config/secmon/config.toml", &config);
        shell.private_file(".config/secmon/key", tenant.api_key());
    };
    point_at(&acme);
    provision(&shell, "203.0.113.1", "web-1");
    shell.line("endpoint rename web-1 web-9").exits(0);
    point_at(&globex);
    provision(&shell, "203.0.113.1", "web-1");
    let before = writes(&globex);
    let refused = shell.line("undo -y").exits(2).stderr;
    assert!(
        refused.contains("Cannot be undone") && refused.contains("endpoint terminate"),
        "the last change of this account is the provisioning: {refused}"
    );
    assert_eq!(writes(&globex), before);
}

#[test]
fn what_somebody_else_has_changed_since_is_not_undone() {
    for (mine, theirs) in [
        (
            "endpoint rename web-1 mine",
            "endpoint rename 203.0.113.1 theirs",
        ),
        (
            "rules edit RULE --port 2222",
            "rules edit RULE --port 2022 -m another-reason-of-mine",
        ),
        (
            "rules add web-2 80 -m public-web-site",
            "rules edit NEW --port 8080",
        ),
        (
            "rules remove RULE -y",
            "rules add 203.0.113.1 22 -m another-reason-of-mine",
        ),
        (
            "endpoint suspend web-1",
            "endpoint terminate 203.0.113.1 -y",
        ),
        (
            "domain rename a.example b.example -c 42",
            "domain rename b.example c.example -c 42",
        ),
    ] {
        let tenant = account();
        let shell = furnished(&tenant);
        let colleague = Shell::of(&tenant);
        let rules = |name: &str| {
            let rules = listed(&shell, &format!("rules list {name}"));
            let first = rules.first().and_then(|rule| rule["id"].as_str());
            first.unwrap_or_default().to_owned()
        };
        let rule = rules("web-1");
        shell.line(&mine.replace("RULE", &rule)).exits(0);
        let theirs = theirs
            .replace("RULE", &rule)
            .replace("NEW", &rules("web-2"));
        colleague.line(&theirs).exits(0);
        let before = writes(&tenant);
        let refused = shell.line("undo -y").exits(5).stderr;
        assert!(refused.contains("changed since"), "{mine}: {refused}");
        assert_eq!(writes(&tenant), before, "{mine}: {theirs} stands");
    }
}

#[test]
fn of_a_command_of_which_something_was_changed_since_nothing_is_undone_but_on_demand() {
    let tenant = account();
    let shell = furnished(&tenant);
    shell.line("endpoint suspend web-1 web-2").exits(0);
    let colleague = Shell::of(&tenant);
    colleague.line("endpoint terminate web-2 -y").exits(0);
    let refused = shell.line("undo -y").exits(5).stderr;
    for said in [
        "web-2",
        "no longer there",
        "Still as it was left",
        "--only-unchanged",
    ] {
        assert!(refused.contains(said), "{said}: {refused}");
    }
    assert_eq!(status_of(&shell, "web-1"), "paused");
    shell.line("undo -y --only-unchanged").exits(8);
    assert_eq!(status_of(&shell, "web-1"), "active");
}

#[test]
fn the_question_tells_the_present_and_the_coming_state() {
    let tenant = account();
    let shell = furnished(&tenant);
    shell.line("endpoint rename web-1 web-9").exits(0);
    let asked = shell.line("undo").exits(2).stderr;
    assert!(
        asked.contains("\"web-9\" is named \"web-1\" again"),
        "{asked}"
    );
    shell.line("endpoint suspend web-9").exits(0);
    let asked = shell.line("undo").exits(2).stderr;
    assert!(
        asked.contains("suspended now, active afterwards"),
        "{asked}"
    );
}

#[test]
fn the_change_of_another_terminal_is_not_undone_unless_it_is_named() {
    let tenant = account();
    let shell = furnished(&tenant);
    shell.line("endpoint rename web-1 mine").exits(0);
    let refused = elsewhere(&shell, "undo -y").exits(4).stderr;
    assert!(refused.contains("this terminal"), "{refused}");
    elsewhere(&shell, "endpoint rename web-2 theirs").exits(0);
    shell.line("undo -y").exits(0);
    let names: Vec<Value> = listed(&shell, "endpoint list --sort ip_address")
        .iter()
        .map(|server| server["nickname"].clone())
        .collect();
    assert_eq!(names, ["web-1", "theirs"]);
    let changes = listed(&shell, "history");
    let theirs = changes
        .iter()
        .find(|change| change["command"] == "secmon endpoint rename web-2 theirs");
    let id = theirs.expect("the change")["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    shell.line(&format!("undo {id} -y")).exits(0);
}

#[test]
fn a_typo_does_not_make_undo_propose_an_older_change() {
    let tenant = account();
    let shell = furnished(&tenant);
    shell.line("endpoint rename web-1 web-9").exits(0);
    shell.line("provision 203.0.113.9 -c 42").exits(0);
    let refused = shell.line("undo -y").exits(2).stderr;
    assert!(refused.contains("endpoint terminate"), "{refused}");
    assert!(!refused.contains("web-9"), "{refused}");
}

#[test]
fn what_another_computer_has_paused_or_ended_is_not_resumed_with_all() {
    let tenant = account();
    let shell = furnished(&tenant);
    let colleague = Shell::of(&tenant);
    colleague.line("endpoint suspend web-2").exits(0);
    shell.line("customer suspend 42 -y").exits(0);
    shell.line("customer resume 42").exits(0);
    assert_eq!(status_of(&shell, "web-1"), "active");
    assert_eq!(status_of(&shell, "web-2"), "paused");
}

#[test]
fn a_mark_of_a_suspension_does_not_survive_the_end_of_its_record() {
    let tenant = account();
    let shell = furnished(&tenant);
    shell.line("endpoint suspend --all -c 42").exits(0);
    shell.line("endpoint terminate web-1 -y").exits(0);
    provision(&shell, "203.0.113.1", "web-1");
    shell.line("endpoint suspend web-1").exits(0);
    shell.line("endpoint resume --all -c 42").exits(0);
    assert_eq!(status_of(&shell, "web-1"), "paused");
    assert_eq!(status_of(&shell, "web-2"), "active");
}

#[test]
fn what_a_name_says_is_no_scope() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.1", "customer-suspend");
    provision(&shell, "203.0.113.2", "web-2");
    let names = shell.file("customers-suspend.txt", "web-2\n");
    shell.line("endpoint suspend customer-suspend").exits(0);
    shell.run(&["endpoint", "suspend", "-f", &names]).exits(0);
    let asked = shell.line("customer resume 42").exits(2).stderr;
    assert!(asked.contains("does not say who paused it"), "{asked}");
    assert_eq!(status_of(&shell, "web-2"), "paused");
}

#[test]
fn after_a_resume_that_was_undone_everything_can_be_resumed() {
    let tenant = account();
    let shell = furnished(&tenant);
    shell.line("endpoint suspend --all -c 42").exits(0);
    shell.line("endpoint resume --all -c 42").exits(0);
    shell.line("undo -y").exits(0);
    assert_eq!(status_of(&shell, "web-1"), "paused");
    shell.line("endpoint resume --all -c 42").exits(0);
    assert_eq!(status_of(&shell, "web-1"), "active");
    assert_eq!(status_of(&shell, "web-2"), "active");
}

#[test]
fn from_another_computer_a_leave_says_which_subscription_is_left() {
    let tenant = account();
    furnished(&tenant);
    let colleague = Shell::of(&tenant);
    let left = colleague.line("customer leave 42 --confirm=42").exits(8);
    assert!(
        left.stdout.contains("still has a domain subscription"),
        "{left:?}"
    );
    let line = "subscription terminate SERVICE --product domain_monitoring -c 42";
    assert!(left.stdout.contains(line), "{left:?}");
}

#[test]
fn what_came_since_the_question_is_named_and_left() {
    let tenant = account();
    let shell = furnished(&tenant);
    // Made while the first record ends.
    tenant.fault(
        secmon_mock::Fault::latency(std::time::Duration::from_secs(2)).on("POST", "*/terminate"),
    );
    let child = crate::journal::start(&shell, &["customer", "leave", "42", "--confirm=42"]);
    crate::journal::until("the first end", || {
        let calls = tenant.journal();
        calls.iter().any(|call| call.path.ends_with("/terminate"))
    });
    Shell::of(&tenant)
        .line("provision 203.0.113.9 -c 42")
        .exits(0);
    let left = crate::journal::ended(child).exits(8);
    assert!(
        left.stdout.contains("Added after you confirmed") && left.stdout.contains("203.0.113.9"),
        "{left:?}"
    );
    let servers = listed(&shell, "endpoint list");
    assert_eq!(servers.len(), 1, "{servers:?}");
}

#[test]
fn what_is_protected_is_asked_of_the_service_and_not_of_what_was_seen() {
    let tenant = account();
    furnished(&tenant);
    let shell = Shell::new();
    std::fs::create_dir_all(shell.path(".config/secmon")).expect("a folder");
    let config = format!(
        "default_profile = \"main\"\n[profiles.main]\nbase_url = \"{}\"\nkey_file = \"key\"\nrate_limits = \"off\"\nprotect = [42]\n",
        tenant.url()
    );
    shell.file(".config/secmon/config.toml", &config);
    shell.private_file(".config/secmon/key", tenant.api_key());
    let server = listed(&Shell::of(&tenant), "endpoint list")[0]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let rule = listed(&Shell::of(&tenant), "rules list")[0]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let before = writes(&tenant);
    for line in [
        format!("api -X POST billing/suspend -f endpoint_id={server}"),
        format!("endpoint suspend {server}"),
        format!("rules remove {rule} -y"),
        format!("api -X DELETE whitelists/{rule}"),
    ] {
        let asked = shell.line(&line).exits(2);
        let said = format!("{}{}", asked.stdout, asked.stderr);
        assert!(said.contains("--confirm=42"), "{line}: {said}");
    }
    assert_eq!(writes(&tenant), before);
}

#[test]
fn another_computer_sees_the_same_and_says_what_it_does_not_know() {
    let tenant = account();
    let shell = furnished(&tenant);
    let colleague = Shell::of(&tenant);
    for line in [
        "endpoint list -o json",
        "domain list -c 42 -o json",
        "rules list -o json",
        "alert list -c 42 -o json",
        "status -c 42 -o json",
        "customer show 42 -o json",
    ] {
        let (mine, theirs) = (shell.line(line).exits(0), colleague.line(line).exits(0));
        assert_eq!(mine.stdout, theirs.stdout, "{line}");
    }
}
