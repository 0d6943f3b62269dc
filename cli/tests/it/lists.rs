//! What every list understands: columns, order, length, headings, and the ways to write a time.

use crate::shell::{Shell, account};
use crate::tree::Scene;

/// The commands whose result is a list, with a column to sort by.
const LISTS: [(&str, &str); 12] = [
    ("endpoint list", "nickname"),
    ("rules list", "ports"),
    ("rules summary -c 42", "ip_address"),
    ("domain list -c 42", "domain"),
    ("domain leaks example.com -c 42", "email"),
    ("domain mentions example.com -c 42", "title"),
    ("domain history example.com -c 42", "status"),
    ("alert list -c 42", "severity"),
    ("alert list -c 42 --kind port", "port"),
    ("profile list", "name"),
    ("config list", "key"),
    ("history", "operation"),
];

#[test]
fn every_list_is_narrowed_sorted_and_cut() {
    let scene = Scene::new();
    let shell = &scene.shell;
    let rows = |line: &str| {
        let run = shell.line(&format!("{line} -o csv --no-headers")).exits(0);
        run.stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    for (list, column) in LISTS {
        let all = rows(&format!("{list} --columns {column}"));
        assert!(!all.is_empty(), "{list}");
        let sorted = rows(&format!("{list} --columns {column} --sort {column}"));
        let backwards = rows(&format!("{list} --columns {column} --sort -{column}"));
        let mut turned = backwards.clone();
        turned.reverse();
        assert_eq!(sorted, turned, "{list}");
        assert_eq!(sorted.len(), all.len(), "{list}");
        assert_eq!(
            rows(&format!("{list} --sort {column} --columns {column} -L 1")),
            sorted[..1],
            "{list}"
        );

        let json = shell.line(&format!("{list} -o json -L 1")).exits(0).json();
        // The summary of the rules is a record with a list in it.
        assert!(
            json["endpoints"].is_array() || json.as_array().map(Vec::len) == Some(1),
            "{list}: {json}"
        );
        let table = |options: &str| shell.line(&format!("{list} {options}")).exits(0).stdout;
        let headed = table(&format!("--columns {column}"));
        let bare = table(&format!("--columns {column} --no-headers"));
        assert!(
            headed.ends_with(&bare) && headed != bare,
            "{list}: {headed} {bare}"
        );
        let upper = headed.lines().next().unwrap_or_default().trim();
        assert_eq!(upper, upper.to_uppercase(), "{list}");
        let wrong = shell.line(&format!("{list} --columns nonsense")).exits(2);
        assert!(wrong.stderr.contains(column), "{list}: {wrong:?}");
        shell.line(&format!("{list} --sort nonsense")).exits(2);
    }
}

#[test]
fn a_time_is_written_in_three_ways() {
    let scene = Scene::new();
    let cell = |style: &str| {
        let line = format!("endpoint list --columns last_scan_at --no-headers -L 1 --time {style}");
        let shell = scene.shell.line(&line).exits(0).stdout;
        shell.trim().to_owned()
    };
    assert_eq!(cell("utc"), "2026-01-01T00:00:00+00:00");
    assert!(cell("relative").ends_with(" ago"), "{}", cell("relative"));
    assert_eq!(cell("local"), "2026-01-01 00:00:00");
    scene.shell.line("endpoint list --time tomorrow").exits(2);
}

#[test]
fn the_columns_of_alerts_follow_from_what_was_asked_for_and_not_from_what_is_found() {
    let scene = Scene::new();
    scene.shell.line("provision 198.51.100.77 -c 43").exits(0);
    let heading = |line: &str| {
        let run = scene.shell.line(&format!("{line} -o csv")).exits(0);
        run.stdout.lines().next().unwrap_or_default().to_owned()
    };
    let both = heading("alert list -c 42");
    assert_eq!(heading("alert list -c 43"), both, "ports alone");
    assert_eq!(heading("alert list -c 42 --kind domain"), both);
    assert_eq!(heading("alert list -c 44"), both, "none at all");
    let ports = heading("alert list -c 42 --kind port");
    assert_ne!(ports, both);
    assert_eq!(heading("alert list --endpoint web-1"), ports);
}

#[test]
fn findings_that_a_limit_cuts_say_how_many_more_there_are() {
    let shell = Shell::of(&account()).with("SECMON_CUSTOMER", "42");
    shell.line("sandbox scenario set critical").exits(0);
    shell
        .line("subscription set 501 --product domain_monitoring --quantity 3")
        .exits(0);
    shell
        .line("domain provision example.com --service 501")
        .exits(0);
    let mentions = |options: &str| {
        let line = format!("domain mentions example.com {options}");
        shell.line(&line).exits(0).stdout
    };
    // The first look marks them as seen.
    mentions("-q");
    let whole: Vec<serde_json::Value> = serde_json::from_str(&mentions("-o json")).expect("a list");
    let lines = mentions("-o jsonl -L 4");
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("a mention"));
    assert_eq!(lines.collect::<Vec<serde_json::Value>>()[..], whole[..4]);
    for (list, more) in [("leaks", 177 - 3), ("mentions", 9 - 3)] {
        let run = shell.line(&format!("domain {list} example.com -L 3 -o table"));
        let told = format!("{more} more not shown");
        assert!(run.stderr.contains(&told), "{list}: {run:?}");
        let ids = shell.line(&format!("domain {list} example.com -L 3 -o csv"));
        assert_eq!(ids.exits(0).stdout.lines().count(), 1 + 3, "{list}");
        let whole = shell.line(&format!("domain {list} example.com -L 500"));
        assert!(!whole.exits(0).stderr.contains("more not shown"), "{list}");
    }
}

#[test]
fn what_takes_more_than_twenty_calls_is_told_beforehand() {
    let tenant = account();
    let shell = Shell::of(&tenant).with("SECMON_CUSTOMER", "42");
    shell
        .line("subscription set 501 --product domain_monitoring --quantity 30")
        .exits(0);
    let names: Vec<String> = (1..=20).map(|i| format!("d{i}.example")).collect();
    let line = format!("domain provision {} --service 501", names.join(" "));
    shell.line(&line).exits(0);
    let list = "alert list --kind domain";
    let run = shell.line(list).exits(0);
    assert!(!run.stderr.contains("calls"), "{run:?}");
    shell
        .line("domain provision d21.example --service 501")
        .exits(0);
    let before = tenant.calls("GET", "*/alerts").len();
    let run = shell.line(list).exits(0);
    assert!(
        run.stderr
            .contains("reading the alerts of 21 domains takes as many calls"),
        "{run:?}"
    );
    assert_eq!(tenant.calls("GET", "*/alerts").len() - before, 21);
}

#[test]
fn servers_stand_by_customer_and_name_and_a_next_scan_is_never_over() {
    let shell = Shell::of(&account());
    for (address, name, customer) in [
        ("203.0.113.9", "web-10", "43"),
        ("203.0.113.8", "web-9", "43"),
        ("203.0.113.7", "", "42"),
        ("203.0.113.10", "", "42"),
        ("203.0.113.6", "db-1", "42"),
    ] {
        let name = match name {
            "" => String::new(),
            name => format!(" --nickname {name}"),
        };
        shell
            .line(&format!("provision {address}{name} -c {customer}"))
            .exits(0);
    }
    let addresses = |line: &str| {
        let listed = shell.line(line).exits(0).json();
        let servers = listed.as_array().expect("a list").iter();
        let addresses = servers.filter_map(|server| server["ip_address"].as_str());
        addresses.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        addresses("endpoint list -o json"),
        [
            "203.0.113.7",
            "203.0.113.10",
            "203.0.113.6",
            "203.0.113.8",
            "203.0.113.9"
        ]
    );
    let sorted = addresses("endpoint list -o json --sort ip_address");
    assert_eq!(sorted.first().map(String::as_str), Some("203.0.113.10"));
    let line = "endpoint list -o csv --columns next_scan_at --no-headers --time relative";
    let due = shell.line(&line.replace("csv", "table")).exits(0).stdout;
    assert!(!due.contains("just now") && !due.contains("ago"), "{due}");
}

#[test]
fn leaks_stand_newest_first_with_times_as_everywhere() {
    let shell = Shell::of(&account()).with("SECMON_CUSTOMER", "42");
    for line in [
        "subscription set 501 --product domain_monitoring --quantity 3",
        "domain provision a.example --service 501",
    ] {
        shell.line(line).exits(0);
    }
    let leaks = shell.line("domain leaks a.example -o json").exits(0).json();
    let leaks = leaks.as_array().expect("a list").iter();
    let times: Vec<&str> = leaks
        .filter_map(|leak| leak["leaked_at"].as_str())
        .collect();
    assert!(
        times.len() > 1 && times.is_sorted_by(|a, b| a >= b),
        "{times:?}"
    );
    let shown = shell.line("domain leaks a.example").exits(0).stdout;
    assert!(shown.contains(" d ago"), "{shown}");
}
