//! Which leaked addresses are new since they were last looked at.

use crate::shell::{Shell, account, mock};
use serde_json::Value;

fn emails(listed: &Value) -> Vec<String> {
    let records = listed.as_array().expect("a list").iter();
    let emails = records.filter_map(|record| record["email"].as_str());
    emails.map(str::to_owned).collect()
}

/// Makes everything that was shown a day older.
fn yesterday(shell: &Shell) {
    let file = shell.path(".local/state/secmon/state.db");
    let state = rusqlite::Connection::open(file).expect("the database");
    let sql = "UPDATE leak_seen SET first_ms = first_ms - 86400000";
    state.execute(sql, ()).expect("it is ours");
}

#[test]
fn only_what_was_not_shown_before_is_new_and_no_address_is_kept() {
    let tenant = account();
    let shell = Shell::of(&tenant).with("SECMON_CUSTOMER", "42");
    for line in [
        "subscription set 501 --product domain_monitoring --quantity 3",
        "domain provision a.example --service 501",
    ] {
        shell.line(line).exits(0);
    }
    let look = "domain leaks a.example --new -o json";
    let run = shell.line("domain leaks a.example --new -n").exits(0);
    assert!(run.stderr.contains("all count as new"), "{run:?}");
    let first = emails(&shell.line(look).exits(0).json());
    assert!(!first.is_empty());
    // A look uses nothing up: what was first shown today is new all day.
    assert_eq!(emails(&shell.line(look).exits(0).json()), first);
    yesterday(&shell);
    assert!(emails(&shell.line(look).exits(0).json()).is_empty());

    let shell = shell.with("SECMON_MOCK_ADMIN_URL", mock().admin_url());
    shell
        .line("mock trigger leak a.example --count 2 -c 42")
        .exits(0);
    let new = emails(&shell.line(look).exits(0).json());
    assert!(!new.is_empty());
    let known = new.iter().filter(|email| first.contains(email));
    assert_eq!(known.count(), 0, "{new:?}");
    let all = emails(&shell.line("domain leaks a.example -o json").exits(0).json());
    assert_eq!(all.len(), first.len() + new.len());
    let kept = shell.everything_kept();
    for email in &all {
        assert!(!kept.contains(email.as_str()), "{email} is kept");
    }
}

#[test]
fn leaks_are_narrowed_to_those_of_a_time() {
    let tenant = account();
    let shell = Shell::of(&tenant).with("SECMON_CUSTOMER", "42");
    for line in [
        "subscription set 501 --product domain_monitoring --quantity 3",
        "domain provision a.example --service 501",
    ] {
        shell.line(line).exits(0);
    }
    let listed = |since: &str| {
        let line = format!("domain leaks a.example -o json{since}");
        shell.line(&line).exits(0).json()
    };
    let dates = |listed: &Value| {
        let records = listed.as_array().expect("a list").iter();
        let dates = records.filter_map(|record| record["leaked_at"].as_str());
        dates.map(str::to_owned).collect::<Vec<_>>()
    };
    let all = dates(&listed(""));
    assert!(all.len() > 1, "{all:?}");
    let day = &all[all.len() / 2][..10];
    let expected: Vec<String> = all.iter().filter(|at| &at[..10] >= day).cloned().collect();
    assert!(expected.len() < all.len(), "{all:?}");
    let since = format!(" --since {day}");
    assert_eq!(dates(&listed(&since)), expected);
    assert_eq!(dates(&listed(" --since 1h")), Vec::<String>::new());
    let lines = format!("domain leaks a.example -o jsonl{since}");
    let lines = shell.line(&lines).exits(0).stdout;
    assert_eq!(lines.lines().count(), expected.len());
    shell.line("domain leaks a.example --since soon").exits(2);
}
