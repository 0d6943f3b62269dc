//! Domains: from a subscription to findings and alerts.

use crate::shell::{Shell, account};
use secmon_mock::{CloseAt, Fault, Tenant};
use serde_json::json;

/// A customer with slots for three domains.
fn with_slots(tenant: &Tenant) -> Shell {
    let shell = Shell::of(tenant).with("SECMON_CUSTOMER", "42");
    shell
        .line("subscription set 501 --product domain_monitoring --quantity 3")
        .exits(0);
    shell
}

#[test]
fn a_domain_goes_through_its_states() {
    let tenant = account();
    let shell = with_slots(&tenant);
    let made = shell
        .line("domain provision https://Example.com/login --service 501 -o json")
        .exits(0)
        .json();
    assert_eq!(
        (&made["domain"], &made["created"]),
        (&json!("example.com"), &json!(true))
    );
    let again = shell
        .line("domain provision example.com --service 501 -o json")
        .exits(0)
        .json();
    assert_eq!(again["created"], false);
    assert_eq!(
        shell
            .line("domain suspend example.com -o json")
            .exits(0)
            .json()["status"],
        "paused"
    );
    assert_eq!(
        shell
            .line("domain resume EXAMPLE.com. -o json")
            .exits(0)
            .json()["status"],
        "active"
    );
    shell.line("domain rename example.com example.org").exits(0);
    let listed = shell.line("domains list -o json").exits(0).json();
    assert_eq!(listed[0]["domain"], "example.org");
    shell.line("domain terminate example.org").exits(2);
    shell.line("domain terminate example.org -y").exits(0);
    shell.line("domain show example.org").exits(4);
}

#[test]
fn giving_up_a_slot_wants_the_name_typed() {
    let tenant = account();
    let shell = with_slots(&tenant);
    shell
        .line("domain provision example.com --service 501")
        .exits(0);
    let refused = shell
        .line("domain release example.com --service 501 -y -o json")
        .exits(2);
    assert!(
        refused.error()["message"]
            .as_str()
            .unwrap_or_default()
            .contains("--confirm=example.com"),
        "{refused:?}"
    );
    let released = shell
        .line("domain release example.com --service 501 --confirm=example.com -o json")
        .exits(0)
        .json();
    assert_eq!(
        (&released["released"], &released["slots_total"]),
        (&json!(true), &json!(2))
    );
}

#[test]
fn slots_that_run_out_are_an_error_with_a_way_out() {
    let shell = Shell::of(&account()).with("SECMON_CUSTOMER", "42");
    let run = shell
        .line("domain provision example.com --service 501 -o json")
        .exits(5);
    assert_eq!(run.error()["code"], "DOMAIN_LIMIT_EXCEEDED");
    let missing = shell.line("domain provision example.com -o json").exits(2);
    assert!(
        missing.error()["message"]
            .as_str()
            .unwrap_or_default()
            .contains("--service"),
        "{missing:?}"
    );
    let named = shell
        .line("--namespace provisioning domain release example.com --service 1 -o json")
        .exits(2);
    assert!(
        named.error()["message"]
            .as_str()
            .unwrap_or_default()
            .contains("billing"),
        "{named:?}"
    );
}

/// The same with one domain, and what the first scan found of it.
fn with_findings(tenant: &Tenant) -> Shell {
    let shell = with_slots(tenant);
    shell
        .line("domain provision example.com --service 501")
        .exits(0);
    shell
}

#[test]
fn findings_are_shown() {
    let shell = with_findings(&account());
    let summary = shell
        .line("domain show example.com -o json")
        .exits(0)
        .json();
    assert_eq!(summary["employees_compromised"], 2);
    let shown = shell.line("domain show example.com").exits(0).stdout;
    assert!(shown.contains('█'), "{shown}");
    for (list, count) in [
        ("leaks example.com", 8),
        ("leaks example.com --category employees", 2),
        ("mentions example.com --new", 1),
        ("history example.com", 1),
    ] {
        let found = shell
            .line(&format!("domain {list} -o json"))
            .exits(0)
            .json();
        assert_eq!(found.as_array().map(Vec::len), Some(count), "{list}");
    }
}

#[test]
fn alerts_are_worked_off() {
    let shell = with_findings(&account());
    let medium = shell
        .line("alert list --kind domain --severity medium -o ids")
        .exits(0)
        .stdout;
    assert!(medium.starts_with("example.com/"), "{medium}");
    shell
        .run(&["alert", "resolve", medium.trim(), "-o", "json"])
        .exits(5);
    let done = shell
        .line("alert ack --all --severity medium -o json")
        .exits(0)
        .json();
    assert_eq!(done["status"], "acknowledged");
    shell.feed(&medium, &["alert", "ack", "-"]).exits(0);
    shell.run(&["alert", "resolve", medium.trim()]).exits(0);
    let open = shell
        .line("alert list --kind domain --status open -o ids")
        .exits(0)
        .stdout;
    let first = open.lines().next().expect("an open alert");
    shell.run(&["alert", "resolve", first, "--ack"]).exits(0);
    let shown = shell.run(&["alert", "show", first]).exits(0).stdout;
    assert!(shown.contains("resolved"), "{shown}");
}

#[test]
fn alerts_of_ports_and_domains_stand_in_one_list() {
    let tenant = account();
    let shell = with_slots(&tenant);
    shell
        .line("domain provision example.com --service 501")
        .exits(0);
    shell.line("provision 203.0.113.10").exits(0);
    let count = |line: &str| shell.line(line).exits(0).json().as_array().map(Vec::len);
    assert_eq!(count("alert list -o json"), Some(8));
    assert_eq!(count("alert list --kind port -o json"), Some(4));
    assert_eq!(count("alert list --domain example.com -o json"), Some(4));
    assert_eq!(count("alert list --endpoint 203.0.113.10 -o json"), Some(4));
    assert_eq!(count("alert list --severity critical -o json"), Some(1));
    let port = shell.line("alert list --kind port -o ids").exits(0).stdout;
    let port = port.lines().next().expect("a port alert");
    let refused = shell.run(&["alert", "ack", port, "-o", "json"]).exits(2);
    assert!(
        refused.error()["hint"]
            .as_str()
            .unwrap_or_default()
            .contains("alert allow"),
        "{refused:?}"
    );
    let domain = shell
        .line("alert list --kind domain -o ids")
        .exits(0)
        .stdout;
    let domain = domain.lines().next().expect("a domain alert");
    shell
        .run(&["alert", "allow", domain, "-m", "meant to be open"])
        .exits(2);
}

#[test]
fn domains_are_provisioned_beside_servers() {
    let tenant = account();
    let shell = with_slots(&tenant);
    let one = shell
        .line("provision https://example.com/ --service 501 --wait -o json")
        .exits(0)
        .json();
    assert_eq!(
        (&one["domain"], &one["created"]),
        (&json!("example.com"), &json!(true))
    );
    assert_eq!(one["summary"]["employees_compromised"], 2);
    shell.line("provision example.org --service 501").exits(2);
    shell
        .line("provision example.org --domain --service 501")
        .exits(0);
    // Of another computer, which has seen no billing service.
    let elsewhere = Shell::of(&tenant).with("SECMON_CUSTOMER", "42");
    elsewhere.line("provision https://example.net").exits(2);
    let file = shell.file(
        "mixed.csv",
        "target,customer,service_id\nhttps://example.net,42,501\n203.0.113.1,42,\n",
    );
    let both = shell
        .run(&["provision", "-f", &file, "-o", "json"])
        .exits(0)
        .json();
    assert_eq!(both["summary"]["succeeded"], 2);
}

#[test]
fn a_domain_of_another_customer_is_not_touched() {
    let tenant = account();
    let shell = with_slots(&tenant);
    let made = shell
        .line("domain provision example.com --service 501 -o json")
        .exits(0)
        .json();
    let id = made["monitored_domain_id"].as_str().expect("an id");
    shell.line(&format!("domain suspend {id} -c 43")).exits(4);
    assert_eq!(
        shell.line("domain list -o json").exits(0).json()[0]["status"],
        "active"
    );
    let chosen = shell.line("domain list --columns domain").exits(0).stdout;
    assert!(!chosen.contains("active"), "{chosen}");
}

#[test]
fn all_domains_of_a_customer_are_suspended_and_resumed_at_once() {
    let tenant = account();
    let shell = with_slots(&tenant);
    shell
        .line("domain provision a.example b.example --service 501")
        .exits(0);
    shell.line("domain suspend a.example").exits(0);

    let writes = || tenant.calls("POST", "*/suspend-domain").len();
    let before = writes();
    let plan = shell.line("domain suspend --all --dry-run").exits(0);
    let said = format!("{}{}", plan.stdout, plan.stderr);
    assert!(
        said.contains("b.example") && !said.contains("a.example"),
        "{said}"
    );
    assert_eq!(writes(), before);

    let run = shell.line("domain suspend --all").exits(0);
    assert!(
        run.stdout
            .contains("Customer 42 has 2 domains; 1 was not already suspended."),
        "{run:?}"
    );
    assert!(run.stdout.contains("domain resume --all -c 42"), "{run:?}");
    assert_eq!(writes(), before + 1);
    let resumed = shell.line("domain resume --all -o json").exits(0).json();
    // The one that was suspended by name stays so, however often the line is repeated.
    assert_eq!(resumed["summary"]["succeeded"], 1, "{resumed}");
    let again = shell.line("domain resume --all -y -o json").exits(0).json();
    assert_eq!(again["summary"]["succeeded"], 0, "{again}");

    shell.line("domain suspend --all a.example").exits(2);
    shell.line("domain suspend").exits(2);
}

#[test]
fn a_release_whose_answer_was_lost_is_looked_for() {
    let tenant = account();
    let shell = with_slots(&tenant);
    shell
        .line("domain provision example.com --service 501")
        .exits(0);
    tenant.fault(Fault::close(CloseAt::After).on("POST", "*/release-domain"));
    let released = shell
        .line("domain release example.com --service 501 --confirm=example.com -o json")
        .exits(0)
        .json();
    assert_eq!(released["released"], true);
    assert_eq!(tenant.calls("POST", "*/release-domain").len(), 1);
    shell
        .line("domain provision example.org --service 501")
        .exits(0);
    tenant.fault(Fault::close(CloseAt::Before).on("POST", "*/release-domain"));
    shell
        .line("domain release example.org --service 501 --confirm=example.org")
        .exits(7);
}

#[test]
fn alerts_are_acknowledged_by_kind_and_severity() {
    let tenant = account();
    let shell = with_slots(&tenant);
    shell
        .line("domain provision example.com --service 501")
        .exits(0);
    let refused = shell.line("alert ack --severity medium").exits(2);
    let hint = "secmon alert ack --all --severity medium -c 42";
    assert!(refused.stderr.contains("no alert given"), "{refused:?}");
    assert!(refused.stderr.contains(hint), "{refused:?}");
    let refused = shell.line("alert ack --all --kind port").exits(2);
    assert!(refused.stderr.contains("alert allow"), "{refused:?}");
    let refused = shell.feed("", &["alert", "ack"]).exits(2);
    assert!(refused.stderr.contains("alert ack -\n"), "{refused:?}");
    let refused = shell.line("alert ack 4e6f0c --severity medium").exits(2);
    assert!(
        refused.stderr.contains("cannot be used with"),
        "{refused:?}"
    );
    assert!(
        refused.stderr.contains("alert ack [OPTIONS] ALERT...\n"),
        "{refused:?}"
    );

    let medium = shell.line("alert ack --all --type domain --severity medium");
    let said = medium.exits(0).stdout;
    assert!(
        said.contains("Customer 42: 1 medium domain alert acknowledged."),
        "{said}"
    );
    let all = shell.line("alert ack --all --kind domain").exits(0).stdout;
    assert!(all.contains("domain alerts acknowledged."), "{all}");
    let none = shell.line("alert ack --all").exits(0).stdout;
    assert!(
        none.contains("Customer 42: 0 domain alerts acknowledged."),
        "{none}"
    );
    let listed = shell
        .line("alert list --type domain -o ids")
        .exits(0)
        .stdout;
    let again = shell.feed(&listed, &["alert", "ack", "-"]).exits(0).stdout;
    assert!(
        again.contains("Customer 42: 0 domain alerts acknowledged, ")
            && again.contains(" already acknowledged."),
        "{again}"
    );
}

#[test]
fn an_id_of_too_few_digits_says_how_many_are_needed() {
    let shell = Shell::of(&account()).with("SECMON_CUSTOMER", "42");
    for line in [
        "alert ack 543e",
        "alert show example.com/543e",
        "rules show 12345",
    ] {
        let refused = shell.line(line).exits(2);
        assert!(
            refused.stderr.contains("at least the first 6 characters"),
            "{refused:?}"
        );
    }
}

#[test]
fn a_release_that_was_killed_after_it_arrived_is_told_by_the_same_line() {
    let tenant = account();
    let (wire, shell) = crate::journal::wired(&tenant);
    for line in [
        "subscription set 501 --product domain_monitoring -c 42",
        "domain provision example.com --service 501 -c 42",
    ] {
        shell.line(line).exits(0);
    }
    let line = "domain release example.com --service 501 -c 42 --confirm=example.com -o json";
    let line: Vec<&str> = line.split(' ').collect();
    wire.run_and_kill(
        crate::journal::quiet(&shell, &line),
        crate::wire::Moment::Unanswered,
        1,
    );
    let told = shell.run(&line).exits(0).json();
    assert_eq!(told["released"], true, "{told}");
    assert_eq!(tenant.calls("POST", "*/release-domain").len(), 1);
    let again = shell.run(&line).exits(0).json();
    assert_eq!(again["released"], true, "{again}");
    // What somebody else has released is not found.
    let other = "domain release example.org --service 501 -c 42 --confirm=example.org";
    shell.line(other).exits(4);
}
