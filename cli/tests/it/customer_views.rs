//! `secmon customer`: who there is, and how they stand.

use crate::shell::{Account, Shell, account, provision};
use serde_json::json;

fn two_customers() -> (Account, Shell) {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    provision(&shell, "203.0.113.11", "web-2");
    shell.line("endpoint suspend web-2").exits(0);
    shell
        .line("provision 203.0.113.77 -c 7 --nickname shop")
        .exits(0);
    (tenant, shell)
}

#[test]
fn the_customers_are_listed_by_their_servers_and_the_domains_that_were_seen() {
    let (tenant, shell) = two_customers();
    shell
        .line("subscription set 501 --product domain_monitoring --quantity 2 -c 9")
        .exits(0);
    shell
        .line("domain provision example.org --service 501 -c 9")
        .exits(0);
    let listed = shell.line("customer list -o json").exits(0).json();
    assert_eq!(
        listed,
        json!([
            { "billing_customer_id": 7, "servers": 1, "paused": 0, "domains_seen": 0 },
            { "billing_customer_id": 9, "servers": 0, "paused": 0, "domains_seen": 1 },
            { "billing_customer_id": 42, "servers": 2, "paused": 1, "domains_seen": 0 },
        ])
    );
    let run = shell.line("customers list").exits(0);
    assert!(run.stderr.contains("this computer has seen"), "{run:?}");
    let ids = |line: &str| shell.line(line).exits(0).stdout;
    assert_eq!(ids("customer list -o ids"), "7\n9\n42\n");
    assert_eq!(ids("customer list -o ids -c 42"), "42\n");
    for (text, found) in [
        ("SHOP", "7\n"),
        ("203.0.113.1", "42\n"),
        ("9", "9\n"),
        ("nobody", ""),
    ] {
        let line = format!("customer list --search {text} -o ids");
        assert_eq!(ids(&line), found, "{text}");
    }
    // Another machine has seen no domain.
    let elsewhere = Shell::of(&tenant).line("customer list -o ids");
    assert_eq!(elsewhere.exits(0).stdout, "7\n42\n");
}

#[test]
fn a_customer_is_shown_as_status_shows_them() {
    let (tenant, shell) = two_customers();
    let shown = shell.line("customer show 42 -o json").exits(0).json();
    let status = shell.line("status -c 42 -o json").exits(0).json();
    assert_eq!(shown, status);
    assert_eq!(shown["servers"]["total"], 2);
    // What the environment prefers is no contradiction; what was typed beside it is.
    let preferring = Shell::of(&tenant).with("SECMON_CUSTOMER", "7");
    let shown = preferring.line("customer show 42 -o json").exits(0).json();
    assert_eq!(shown["billing_customer_id"], 42);
    shell.line("customer show 42 -c 7").exits(2);
    let unknown = shell.line("customer show 99999").exits(4);
    assert!(unknown.stderr.contains("customer 99999"), "{unknown:?}");
    shell.line("customer show web-1").exits(2);
}

#[test]
fn the_counts_of_customers_come_from_the_service() {
    let tenant = account();
    let elsewhere = Shell::of(&tenant);
    provision(&elsewhere, "203.0.113.10", "web-1");
    for line in [
        "provision 203.0.113.77 -c 77",
        "subscription set 501 --product domain_monitoring --quantity 3 -c 42",
        "domain provision example.com --service 501 -c 42",
    ] {
        elsewhere.line(line).exits(0);
    }
    // Another computer, which has seen none of it.
    let shell = Shell::of(&tenant);
    let columns = "billing_customer_id,servers,domains,slots_total,critical_alerts";
    let line = format!("customer list --counts -o csv --no-headers --columns {columns}");
    let counted = shell.line(&line).exits(0).stdout;
    assert_eq!(counted, "42,1,1,3,1\n77,1,0,0,0\n");
    let plain = shell.line("customer list -o csv").exits(0).stdout;
    assert!(!plain.contains("critical"), "{plain}");
}
