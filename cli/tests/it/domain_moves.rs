//! A domain gets another customer.

use crate::every_change::await_the_next_second;
use crate::journal::{quiet, wired};
use crate::shell::{Shell, account};
use crate::wire::Moment;
use secmon_mock::Tenant;

const MOVE: &str =
    "domain move example.org -c 42 --customer-to 43 --service 602 -y --existing-customers";

/// Customer 42 watches a domain, and customer 43 has slots.
fn with_domain(shell: &Shell, slots: &str) {
    for line in [
        "subscription set 601 --product domain_monitoring -c 42 -y",
        &format!("subscription set 602 --product domain_monitoring --quantity {slots} -c 43 -y"),
        "domain provision example.org --service 601 -c 42",
    ] {
        shell.line(line).exits(0);
    }
}

/// Name and state of each domain of a customer.
fn domains(shell: &Shell, customer: u32) -> Vec<(String, String)> {
    let listed = shell.line(&format!("domain list -c {customer} -o json"));
    let listed = listed.exits(0).json();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let domains = listed.as_array().expect("a list").iter();
    domains
        .map(|domain| (text(&domain["domain"]), text(&domain["status"])))
        .collect()
}

fn one(status: &str) -> Vec<(String, String)> {
    vec![("example.org".to_owned(), status.to_owned())]
}

fn changes(tenant: &Tenant) -> usize {
    tenant.calls("POST", "*").len()
}

#[test]
fn the_new_customer_has_it_and_the_old_record_ends() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    with_domain(&shell, "1");
    let asked = shell.line("domain move example.org -c 42 --customer-to 43 --service 602");
    let asked = asked.exits(2).stderr;
    for said in ["customer 42", "customer 43", "service 602", "--yes"] {
        assert!(asked.contains(said), "{said}: {asked}");
    }
    let planned = shell.line(&format!("{MOVE} -n")).exits(0).stdout;
    assert_eq!(planned.lines().count(), 2, "{planned}");
    assert_eq!(domains(&shell, 42), one("active"));
    let done = shell.line(MOVE).exits(0).stdout;
    assert!(done.contains("is monitored for customer 43"), "{done}");
    assert_eq!(
        (domains(&shell, 42), domains(&shell, 43)),
        (vec![], one("active"))
    );
    let sent = changes(&tenant);
    let again = shell.line(&format!("{MOVE} -o json")).exits(0).json();
    assert_eq!(again["items"][0]["note"], "already moved", "{again}");
    assert_eq!(changes(&tenant), sent);
}

#[test]
fn what_is_suspended_stays_so_and_what_the_new_customer_has_already_too() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    with_domain(&shell, "1");
    shell.line("domain suspend example.org -c 42").exits(0);
    let planned = shell.line(&format!("{MOVE} -n")).exits(0).stdout;
    assert!(
        planned.contains("suspend domain example.org (customer 43)")
            || planned.contains("domain example.org of customer 43"),
        "{planned}"
    );
    shell.line(MOVE).exits(0);
    assert_eq!(
        (domains(&shell, 42), domains(&shell, 43)),
        (vec![], one("paused"))
    );

    let tenant = account();
    let shell = Shell::of(&tenant);
    with_domain(&shell, "1");
    shell.line("domain suspend example.org -c 42").exits(0);
    shell
        .line("domain provision example.org --service 602 -c 43")
        .exits(0);
    let asked = shell.line("domain move example.org -c 42 --customer-to 43 --service 602");
    let asked = asked.exits(2).stderr;
    assert!(
        asked.contains("Customer 43 has this domain already"),
        "{asked}"
    );
    shell.line(MOVE).exits(0);
    assert_eq!(
        (domains(&shell, 42), domains(&shell, 43)),
        (vec![], one("active"))
    );
}

#[test]
fn without_a_free_slot_nothing_is_changed() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    with_domain(&shell, "1");
    shell
        .line("domain provision other.example --service 602 -c 43")
        .exits(0);
    let asked = shell.line("domain move example.org -c 42 --customer-to 43 --service 602");
    let asked = asked.exits(2).stderr;
    assert!(asked.contains("no free slot (1 of 1 in use)"), "{asked}");
    let refused = shell.line(&format!("{MOVE} -o json")).exits(8).json();
    assert_eq!(
        refused["items"][1]["error"]["code"], "not_sent",
        "{refused}"
    );
    assert_eq!(domains(&shell, 42), one("active"));
}

#[test]
fn a_move_to_the_same_customer_or_to_nobody_known_changes_nothing() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    with_domain(&shell, "1");
    let sent = changes(&tenant);
    let same = shell.line("domain move example.org -c 42 --customer-to 42 --service 601 -y");
    let same = same.exits(2).stderr;
    assert!(same.contains("already belongs to customer 42"), "{same}");
    let nobody =
        "domain move example.org -c 42 --customer-to 430 --service 602 -y --existing-customers";
    shell.line(nobody).exits(4);
    assert_eq!(changes(&tenant), sent);
}

#[test]
fn a_move_that_was_killed_at_any_step_goes_on() {
    for moment in [Moment::Unsent, Moment::Unanswered, Moment::Unwritten] {
        for call in 1..=3 {
            let tenant = account();
            let (wire, shell) = wired(&tenant);
            with_domain(&shell, "1");
            shell.line("domain suspend example.org -c 42").exits(0);
            let line: Vec<&str> = MOVE.split(' ').collect();
            await_the_next_second();
            wire.run_and_kill(quiet(&shell, &line), moment, call);
            shell.run(&line).exits(0);
            let now = (domains(&shell, 42), domains(&shell, 43));
            assert_eq!(now, (vec![], one("paused")), "{moment:?} {call}");
        }
    }
}
