//! What happened on one server, on one screen.

use crate::shell::{Shell, account, provision};

use chrono::{Days, Local};
use secmon_mock::Tenant;
use serde_json::Value;
use std::time::Duration;

/// The events of a server, as JSON.
fn events(shell: &Shell, line: &str) -> Vec<Value> {
    let listed = shell.line(&format!("{line} -o json")).exits(0).json();
    listed.as_array().expect("a list").clone()
}

fn texts(events: &[Value]) -> Vec<&str> {
    let texts = events.iter().map(|event| event["event"].as_str());
    texts.map(Option::unwrap_or_default).collect()
}

const DAY: Duration = Duration::from_secs(86_400);

/// A server that is renamed; after three days a port is open there, and a day later it is allowed.
fn with_history(tenant: &Tenant, shell: &Shell) {
    provision(shell, "203.0.113.1", "web-1");
    tenant.advance(DAY * 3).expect("time goes on");
    let opened = shell.line("mock trigger port-open web-1 3306");
    opened.exits(0);
    tenant.advance(DAY).expect("time goes on");
    let rule = "rules add web-1 3306 -m for-the-database-team";
    shell.line(rule).exits(0);
}

#[test]
fn alerts_rules_scans_and_changes_stand_in_the_order_of_time() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    with_history(&tenant, &shell);
    let all = events(&shell, "endpoint history web-1");
    let texts = texts(&all);
    let at = |text: &str| {
        let found = texts.iter().position(|event| event.contains(text));
        found.unwrap_or_else(|| panic!("{text}: {texts:?}"))
    };
    let order = [
        "added",
        "update endpoint: the nickname",
        "alert: 3306/tcp is open",
        "last scan: open 22 80 443 3306 8080",
        "3306/tcp allowed: for-the-database-team",
    ];
    let order = order.map(at);
    assert!(order.is_sorted(), "{texts:?}");
    assert!(at("alert of 3306/tcp resolved") > order[2], "{texts:?}");
    // The rule is told once, with who made it.
    assert!(all[order[4]]["user"].is_string(), "{all:?}");
    let told_again = texts.iter().any(|event| event.contains("create rule"));
    assert!(!told_again, "{texts:?}");
    let read = shell.line("endpoint history web-1").exits(0).stdout;
    assert!(read.contains("Allowed ports raise no alerts"), "{read}");
}

#[test]
fn whoever_allowed_a_port_is_named_however_it_was_done() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    let rule = "rules add --global 9443 -m for-the-operations-team -c 42";
    shell.line(rule).exits(0);
    let dump = "*filter\n:INPUT DROP [0:0]\n-A INPUT -p tcp --dport 22 -j ACCEPT\nCOMMIT\n";
    let dump = shell.file("dump.txt", dump);
    let import = ["rules", "import", "web-1", &dump, "-y"];
    shell.run(&import).exits(0);
    for line in ["endpoint history web-1", "endpoint history 203.0.113.1"] {
        let all = events(&shell, line);
        let made = all.iter().filter(|event| event["kind"] == "rule_made");
        let users: Vec<&Value> = made.map(|event| &event["user"]).collect();
        assert_eq!(users.len(), 2, "{all:?}");
        assert!(users.iter().all(|user| user.is_string()), "{all:?}");
        // Each is told once.
        let texts = texts(&all);
        let is_again = |text: &&str| text.contains("create rule") || text.contains("ingest");
        assert!(!texts.iter().any(is_again), "{texts:?}");
    }
    // Another server of the customer has the rule for all servers, and not the other one.
    provision(&shell, "203.0.113.2", "db-1");
    let texts = events(&shell, "endpoint history db-1");
    let made = texts.iter().filter(|event| event["kind"] == "rule_made");
    assert_eq!(made.count(), 1, "{texts:?}");
}

#[test]
fn a_day_narrows_it() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    with_history(&tenant, &shell);
    let day = Local::now().date_naive() + Days::new(2);
    let late = events(&shell, &format!("endpoint history web-1 --since {day}"));
    let late = texts(&late);
    assert!(late.contains(&"high alert: 3306/tcp is open"), "{late:?}");
    assert!(!late.contains(&"added"), "{late:?}");
    let never = shell
        .line("endpoint history web-1 --since 2099-01-01")
        .exits(0);
    assert!(
        never.stdout.contains("Nothing found since then"),
        "{}",
        never.stdout
    );
}

#[test]
fn another_customers_server_of_the_same_name_is_not_in_it() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.1", "web-1");
    for line in [
        "provision 203.0.113.9 -c 43 --nickname web-1",
        "endpoint suspend 203.0.113.9",
    ] {
        shell.line(line).exits(0);
    }
    let of_42 = events(&shell, "endpoint history web-1 -c 42");
    assert!(!format!("{of_42:?}").contains("203.0.113.9"), "{of_42:?}");
    shell.line("endpoint history 203.0.113.1 -c 43").exits(2);
}

#[test]
fn a_server_that_moved_keeps_its_history() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.1", "web-1");
    for line in [
        "endpoint suspend web-1",
        "endpoint move web-1 198.51.100.7 -y",
    ] {
        shell.line(line).exits(0);
    }
    let moved = events(&shell, "endpoint history web-1");
    let moved = texts(&moved);
    let suspended = "suspend endpoint: server web-1 (203.0.113.1) of customer 42";
    assert!(moved.contains(&suspended), "{moved:?}");
}

#[test]
fn a_server_that_moved_to_another_customer_keeps_its_history() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.1", "web-1");
    for line in [
        "endpoint suspend web-1",
        "endpoint move web-1 --customer-to 43 -y",
        "endpoint move web-1 198.51.100.7 -y",
    ] {
        shell.line(line).exits(0);
    }
    let moved = events(&shell, "endpoint history web-1");
    let moved = texts(&moved);
    for told in [
        "suspend endpoint: server web-1 (203.0.113.1) of customer 42",
        "terminate endpoint: server web-1 (203.0.113.1) of customer 42",
        "terminate endpoint: server web-1 (203.0.113.1) of customer 43",
        "medium alert: 22/tcp is open on 203.0.113.1 of customer 42",
    ] {
        assert!(moved.contains(&told), "{told}: {moved:?}");
    }
    // Nothing of another customer is shown to who has named one.
    let of_43 = events(&shell, "endpoint history web-1 -c 43");
    let of_43 = texts(&of_43);
    assert!(!format!("{of_43:?}").contains("customer 42"), "{of_43:?}");
    let its_own = "terminate endpoint: server web-1 (203.0.113.1) of customer 43";
    assert!(of_43.contains(&its_own), "{of_43:?}");
}

#[test]
fn a_server_that_went_there_and_back_tells_every_move_once() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.1", "web-1");
    shell.line("endpoint move web-1 198.51.100.7 -y").exits(0);
    for customer in ["43", "42", "43"] {
        let line = format!("endpoint move web-1 --customer-to {customer} -y");
        shell.line(&line).exits(0);
    }
    let moved = events(&shell, "endpoint history web-1");
    let told = |of: &[Value], text: &str| {
        let texts = texts(of);
        texts.iter().filter(|told| told.starts_with(text)).count()
    };
    assert_eq!(told(&moved, "terminate endpoint"), 4, "{moved:?}");
    // The server of 43 was restored: when it was added first is told, and the second time too.
    let restored = "create endpoint: server 198.51.100.7 for customer 43";
    assert_eq!(told(&moved, restored), 1, "{moved:?}");
    let first = "medium alert: 22/tcp is open on 203.0.113.1 of customer 42";
    assert_eq!(told(&moved, first), 1, "{moved:?}");
    // What happened in one second stands in the order in which this computer did it.
    let ends = texts(&moved);
    let place = |text: &str| ends.iter().position(|told| told.starts_with(text));
    let of_43 = "terminate endpoint: server web-1 (198.51.100.7) of customer 43";
    assert!(place(of_43) < place(restored), "{ends:?}");
}

#[test]
fn a_server_that_has_ended_is_asked_for_by_any_of_its_names() {
    for verb in ["terminate", "delete"] {
        let tenant = account();
        let shell = Shell::of(&tenant);
        let id = provision(&shell, "203.0.113.1", "web-1");
        let allow = "rules add web-1 8443 -m for-the-operations-team";
        shell.line(allow).exits(0);
        shell.line(&format!("endpoint {verb} web-1 -y")).exits(0);
        for name in ["web-1", "203.0.113.1", &id] {
            let line = format!("endpoint history {name}");
            let told = events(&shell, &line);
            let told = texts(&told);
            let ended = format!("{verb} endpoint: server web-1 (203.0.113.1) of customer 42");
            assert!(told.contains(&ended.as_str()), "{name}: {told:?}");
            let read = shell.line(&line).exits(0).stdout;
            assert!(read.contains("this server has ended"), "{read}");
        }
        // Nothing of another customer is shown to who has named one.
        let theirs = shell.line("endpoint history 203.0.113.1 -c 43").exits(4);
        assert!(!theirs.stderr.contains("web-1"), "{theirs:?}");
    }
}

#[test]
fn a_name_of_two_servers_that_have_ended_leads_to_both() {
    let shell = Shell::of(&account());
    let first = provision(&shell, "203.0.113.1", "web-1");
    shell.line("endpoint terminate web-1 -y").exits(0);
    shell.line("provision 203.0.113.1 -c 43").exits(0);
    shell
        .line("endpoint terminate 203.0.113.1 -c 43 -y")
        .exits(0);
    let several = shell.line("endpoint history 203.0.113.1").exits(4).stderr;
    for of in [
        &format!("endpoint history {first}"),
        "customer 42",
        "customer 43",
    ] {
        assert!(several.contains(of), "{of}: {several}");
    }
    let of_43 = events(&shell, "endpoint history 203.0.113.1 -c 43");
    assert!(format!("{of_43:?}").contains("customer 43"), "{of_43:?}");
}

#[test]
fn where_a_server_was_moved_is_told_at_its_old_address() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    shell.line("endpoint move web-1 198.51.100.7 -y").exits(0);
    let old = shell.line("endpoint history 203.0.113.1").exits(0).stdout;
    assert!(old.contains("what it was moved to"), "{old}");
    let (_, next) = old.split_once("secmon endpoint history ").expect(&old);
    let id = next.split_whitespace().next().unwrap_or_default();
    let new = shell.line(&format!("endpoint history {id}")).exits(0);
    assert!(new.stdout.contains("web-1 (198.51.100.7)"), "{new:?}");
}

#[test]
fn where_a_server_of_another_customer_stands_is_no_business_of_the_old_one() {
    let shell = Shell::of(&account());
    let id = provision(&shell, "203.0.113.1", "web-1");
    shell
        .line("endpoint move web-1 --customer-to 43 -y")
        .exits(0);
    let line = format!("endpoint history {id} -c 42");
    let theirs = shell.line(&line).exits(0);
    assert!(theirs.stdout.contains("has ended"), "{theirs:?}");
    assert!(!theirs.stdout.contains("moved to"), "{theirs:?}");
}

#[test]
fn a_limit_leaves_the_latest_of_what_happened() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    shell.line("endpoint suspend web-1").exits(0);
    let cut = shell.line("endpoint history web-1 -L 1").exits(0);
    assert!(cut.stdout.contains("suspend endpoint"), "{cut:?}");
    assert!(cut.stderr.contains("earlier events not shown"), "{cut:?}");
}
