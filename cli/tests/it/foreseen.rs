//! A dry run refuses what the service would refuse, where what it has read tells so, and says what it leaves out.

use crate::shell::{Shell, account, provision};
use chrono::{Datelike, Days, Utc, Weekday};

const REASON: &str = "asked-for-by-the-customer";

/// A server with rules for two ports, and a domain with alerts.
fn furnished() -> Shell {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    for line in [
        "subscription set 501 --product domain_monitoring --quantity 2 -c 42",
        "domain provision example.com --service 501 -c 42",
        "rules add web-1 22 443 -m asked-for-by-the-customer",
    ] {
        shell.line(line).exits(0);
    }
    shell
}

#[test]
fn a_dry_run_names_the_rows_that_it_would_not_send() {
    let shell = furnished();
    let line = "rules add web-1 22 8443 -m another-reason-than-before -n";
    let planned = shell.line(line).exits(0);
    assert!(planned.stdout.contains("8443/tcp"), "{planned:?}");
    assert!(!planned.stdout.contains("22/tcp on"), "{planned:?}");
    assert!(
        planned.stderr.contains("not sent: 22/tcp on web-1"),
        "{planned:?}"
    );
}

#[test]
fn a_dry_run_refuses_the_scan_of_a_paused_server() {
    let shell = furnished();
    shell.line("scan web-1 -n").exits(0);
    shell.line("endpoint suspend web-1").exits(0);
    let refused = shell.line("scan web-1 -n").exits(5).stderr;
    for said in ["is paused", "endpoint resume"] {
        assert!(refused.contains(said), "{said}: {refused}");
    }
}

#[test]
fn a_dry_run_refuses_to_resolve_what_nobody_has_acknowledged() {
    let shell = furnished();
    let list = "alert list -c 42 --kind domain -o ids";
    let listed = shell.line(list).exits(0).stdout;
    let alert = listed.lines().next().expect("an alert");
    let line = format!("alert resolve {alert} -c 42 -n");
    let refused = shell.line(&line).exits(5).stderr;
    for said in [
        "has not been acknowledged, so it cannot be resolved",
        "--ack",
    ] {
        assert!(refused.contains(said), "{said}: {refused}");
    }
    shell.line(&format!("{line} --ack")).exits(0);
}

#[test]
fn ports_that_another_rule_has_are_no_edit() {
    let shell = furnished();
    let listed = shell.line("rules list web-1 -o json").exits(0).json();
    let rules = listed.as_array().expect("a list");
    let id = |port: u64| {
        let rule = rules.iter().find(|rule| rule["port_start"] == port);
        rule.expect("the rule")["id"].as_str().expect("an id")
    };
    for more in ["", " -n"] {
        let line = format!("rules edit {} --port 22{more}", id(443));
        let refused = shell.line(&line).exits(5).stderr;
        for said in ["already a rule for 22/tcp", id(22)] {
            assert!(refused.contains(said), "{said}: {refused}");
        }
    }
    // Its own ports are in nobody's way.
    let wider = format!("rules edit {} --port 440-450", id(443));
    shell.line(&wider).exits(0);
}

#[test]
fn the_last_day_of_a_rule_may_be_a_day_of_the_week() {
    let shell = furnished();
    let today = Utc::now().date_naive();
    let monday = (1..=7).filter_map(|ahead| today.checked_add_days(Days::new(ahead)));
    let mut monday = monday.filter(|day| day.weekday() == Weekday::Mon);
    let monday = monday.next().expect("one in seven");
    let line = format!("rules add web-1 8443 -m {REASON} -n --expires");
    let planned = shell.line(&format!("{line} Monday")).exits(0).stdout;
    assert!(planned.contains(&format!("until {monday}")), "{planned}");
    shell.line(&format!("{line} tomorrow")).exits(0);
    shell.line(&format!("{line} today")).exits(2);
    shell.line(&format!("{line} yesterday")).exits(2);
}
