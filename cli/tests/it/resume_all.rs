//! `resume --all` takes `suspend --all` back, and nothing that was suspended otherwise.

use crate::shell::{Shell, account, provision};
use secmon_mock::Tenant;

/// The nicknames of the customer's servers that are paused.
fn paused(shell: &Shell) -> Vec<String> {
    let line = "endpoint list -c 42 --status paused -o json --sort nickname";
    let listed = shell.line(line).exits(0).json();
    let servers = listed.as_array().expect("a list").iter();
    let names = servers.filter_map(|server| server["nickname"].as_str());
    names.map(str::to_owned).collect()
}

fn three_servers(tenant: &Tenant) -> Shell {
    let shell = Shell::of(tenant);
    for (at, name) in ["web-1", "web-2", "web-3"].iter().enumerate() {
        provision(&shell, &format!("203.0.113.{at}"), name);
    }
    shell
}

#[test]
fn a_server_that_was_suspended_by_hand_stays_suspended() {
    let tenant = account();
    let shell = three_servers(&tenant);
    shell.line("endpoint suspend web-3").exits(0);
    shell.line("endpoint suspend --all -c 42").exits(0);
    let planned = shell.line("endpoint resume --all -c 42 -n").exits(0).stdout;
    assert_eq!(planned.lines().count(), 2, "{planned}");
    let resumed = shell.line("endpoint resume --all -c 42").exits(0).stdout;
    assert!(
        resumed.contains("stays suspended") && resumed.contains("web-3"),
        "{resumed}"
    );
    assert_eq!(paused(&shell), ["web-3"]);
    // A script that repeats its line resumes no more than the first time.
    let again = shell.line("endpoint resume --all -c 42 -y").exits(0).stdout;
    assert!(
        again.contains("stays suspended") && again.contains("web-3"),
        "{again}"
    );
    assert_eq!(paused(&shell), ["web-3"]);
}

#[test]
fn a_server_that_was_suspended_by_hand_since_stays_suspended() {
    let tenant = account();
    let shell = three_servers(&tenant);
    shell.line("endpoint suspend --all -c 42").exits(0);
    shell.line("endpoint resume web-2").exits(0);
    shell.line("endpoint suspend web-2").exits(0);
    shell.line("endpoint resume --all -c 42").exits(0);
    assert_eq!(paused(&shell), ["web-2"]);
}

#[test]
fn without_a_history_it_says_what_it_would_resume_and_asks() {
    let tenant = account();
    three_servers(&tenant)
        .line("endpoint suspend --all -c 42")
        .exits(0);
    let elsewhere = Shell::of(&tenant);
    let asked = elsewhere.line("endpoint resume --all -c 42").exits(2);
    for said in [
        "web-1",
        "web-2",
        "web-3",
        "does not say who paused it",
        "--yes",
    ] {
        assert!(asked.stderr.contains(said), "{said}: {asked:?}");
    }
    assert_eq!(paused(&elsewhere).len(), 3);
    elsewhere.line("endpoint resume --all -c 42 --yes").exits(0);
    assert!(paused(&elsewhere).is_empty());
    let none = elsewhere.line("endpoint resume --all -c 42").exits(0);
    assert!(
        none.stdout.contains("0 were not already active"),
        "{none:?}"
    );
}

#[test]
fn domains_that_were_suspended_by_hand_stay_suspended_too() {
    let tenant = account();
    let shell = Shell::of(&tenant).with("SECMON_CUSTOMER", "42");
    shell
        .line("subscription set 501 --product domain_monitoring --quantity 3")
        .exits(0);
    shell
        .line("domain provision a.example b.example --service 501")
        .exits(0);
    shell.line("domain suspend a.example").exits(0);
    shell.line("domain suspend --all").exits(0);
    let resumed = shell.line("domain resume --all").exits(0).stdout;
    assert!(resumed.contains("a.example"), "{resumed}");
    let list = shell.line("domain list -o json").exits(0).json();
    let status = |name: &str| {
        let domains = list.as_array().expect("a list").iter();
        let mut named = domains.filter(|domain| domain["domain"] == name);
        named.next().map(|domain| domain["status"].clone())
    };
    assert_eq!(status("a.example"), Some("paused".into()));
    assert_eq!(status("b.example"), Some("active".into()));
    let elsewhere = Shell::of(&tenant).with("SECMON_CUSTOMER", "42");
    let asked = elsewhere.line("domain resume --all").exits(2).stderr;
    assert!(
        asked.contains("a.example") && asked.contains("--yes"),
        "{asked}"
    );
    elsewhere.line("domain resume --all --yes").exits(0);
}
