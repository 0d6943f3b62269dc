//! All that a customer has is suspended, resumed and ended by one command.

use crate::every_change::await_the_next_second;
use crate::journal::{quiet, wired};
use crate::shell::{Shell, account, provision};
use crate::wire::Moment;
use secmon_mock::Tenant;
use serde_json::{Value, json};

/// Customer 42 with two servers, two domains and two subscriptions; customer 77 with a server.
fn estate(shell: &Shell) {
    provision(shell, "203.0.113.1", "web-1");
    provision(shell, "203.0.113.2", "web-2");
    shell.line("provision 203.0.113.77 -c 77").exits(0);
    for line in [
        "subscription set 501 --product domain_monitoring --quantity 3 -c 42",
        "subscription set 502 --product port_monitoring --plan business -c 42 -y",
        "domain provision a.example b.example --service 501 -c 42",
    ] {
        shell.line(line).exits(0);
    }
}

/// The states of the records that a list shows, by a field that names them.
fn states(shell: &Shell, line: &str, name: &str) -> Vec<(String, String)> {
    let listed = shell.line(line).exits(0).json();
    let text = |record: &Value, field: &str| record[field].as_str().unwrap_or("?").to_owned();
    let records = listed.as_array().expect("a list").iter();
    let mut states: Vec<(String, String)> = records
        .map(|record| (text(record, name), text(record, "status")))
        .collect();
    states.sort();
    states
}

fn servers(shell: &Shell) -> Vec<(String, String)> {
    states(shell, "endpoint list -c 42 -o json", "nickname")
}

fn domains(shell: &Shell) -> Vec<(String, String)> {
    states(shell, "domain list -c 42 -o json", "domain")
}

fn all_are(records: &[(String, String)], state: &str) -> bool {
    !records.is_empty() && records.iter().all(|(_, status)| status == state)
}

/// The last parts of the paths of all calls that change something, in the order in which they came.
fn changes(tenant: &Tenant) -> Vec<String> {
    let calls = tenant.journal();
    let changes = calls.iter().filter(|call| call.method != "GET");
    let last = changes.filter_map(|call| call.path.rsplit('/').next().map(str::to_owned));
    last.collect()
}

#[test]
fn a_customer_who_does_not_pay_is_suspended_whole_after_one_question() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    estate(&shell);
    let asked = shell.line("customer suspend 42").exits(2).stderr;
    for said in [
        "2 servers (",
        "2 domains (",
        "2 subscriptions (",
        "set up from this computer",
        "--yes",
    ] {
        assert!(asked.contains(said), "{said}: {asked}");
    }
    assert!(all_are(&servers(&shell), "active"));

    let before = changes(&tenant).len();
    let done = shell.line("customer suspend 42 -y -o json").exits(0).json();
    assert_eq!(done["summary"]["succeeded"], 6, "{done}");
    assert!(all_are(&servers(&shell), "paused"));
    assert!(all_are(&domains(&shell), "paused"));
    let sent = changes(&tenant).split_off(before);
    assert_eq!(
        &sent[4..],
        ["suspend-subscription", "suspend-subscription"],
        "the platform is left nothing to choose: {sent:?}"
    );
    let others = states(&shell, "endpoint list -c 77 -o json", "nickname");
    assert!(all_are(&others, "active"));
}

#[test]
fn what_was_suspended_by_hand_stays_suspended_when_the_customer_has_paid() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    estate(&shell);
    shell.line("endpoint suspend web-2").exits(0);
    shell.line("domain suspend b.example -c 42").exits(0);
    shell.line("customer suspend 42 -y").exits(0);
    let before = changes(&tenant).len();
    let resumed = shell.line("customer resume 42").exits(0).stdout;
    assert!(
        resumed.contains("2 left as they are")
            && resumed.contains("stays suspended")
            && resumed.contains("web-2")
            && resumed.contains("b.example"),
        "{resumed}"
    );
    let pair = |name: &str, state: &str| (name.to_owned(), state.to_owned());
    let expected = [pair("web-1", "active"), pair("web-2", "paused")];
    assert_eq!(servers(&shell), expected);
    let expected = [pair("a.example", "active"), pair("b.example", "paused")];
    assert_eq!(domains(&shell), expected);
    let sent = changes(&tenant).split_off(before);
    assert_eq!(&sent[..2], ["resume-subscription", "resume-subscription"]);
    assert_eq!(sent.len(), 4, "{sent:?}");
}

#[test]
fn a_customer_who_leaves_is_typed_and_nothing_of_them_stays() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    estate(&shell);
    let asked = shell.line("customer leave 42 -y").exits(2).stderr;
    assert!(asked.contains("--confirm=42"), "{asked}");
    let left = shell
        .line("customer leave 42 --confirm=42 -o json")
        .exits(0);
    assert_eq!(left.json()["summary"]["succeeded"], 6, "{left:?}");
    assert_eq!((servers(&shell), domains(&shell)), (vec![], vec![]));
    let again = shell.line("customer leave 42 --confirm=42").exits(0).stdout;
    assert!(
        again.contains("Customer 42 has nothing to terminate"),
        "{again}"
    );
    let others = states(&shell, "endpoint list -c 77 -o json", "nickname");
    assert_eq!(others.len(), 1);
}

#[test]
fn a_subscription_that_this_computer_has_not_recorded_is_named() {
    let tenant = account();
    estate(&Shell::of(&tenant));
    let elsewhere = Shell::of(&tenant);
    let seen = elsewhere.line("customer leave 42").exits(2).stderr;
    assert!(!seen.contains("port_monitoring"), "{seen}");
    let line = "customer leave 42 --confirm=42 --service 502 --product port_monitoring -o json";
    // The one for domains is left, and said so.
    let left = elsewhere.line(line).exits(8).json();
    assert_eq!(left["summary"]["total"], 5, "{left}");
    let calls = tenant.calls("POST", "*/terminate-subscription");
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].body["service_id"], 502);
}

#[test]
fn a_customer_whom_nobody_knows_is_not_found() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    estate(&shell);
    let before = changes(&tenant);
    for verb in ["suspend", "resume", "leave"] {
        let line = format!("customer {verb} 99999 --yes --confirm=99999");
        let refused = shell.line(&line).exits(4).stderr;
        assert!(refused.contains("99999"), "{refused}");
    }
    assert_eq!(changes(&tenant), before);
}

#[test]
fn a_customer_whose_leaving_was_killed_between_records_and_subscriptions_is_ended_whole() {
    let tenant = account();
    let (wire, shell) = wired(&tenant);
    estate(&shell);
    let line = ["customer", "leave", "42", "--confirm=42", "-o", "json"];
    await_the_next_second();
    wire.run_and_kill(quiet(&shell, &line), Moment::Unanswered, 5);
    // What has ended by then is in no list any more; whether a subscription has, nobody can read.
    let again = shell.run(&line).exits(8).json();
    let expected = json!({ "total": 2, "succeeded": 0, "failed": 2, "skipped": 0 });
    assert_eq!(again["summary"], expected, "{again}");
    let why = again["items"][0]["error"]["message"]
        .as_str()
        .unwrap_or_default();
    assert!(why.contains("was lost"), "{again}");
    assert_eq!(tenant.calls("POST", "*/terminate").len(), 2);
    let one = "subscription terminate 501 --product domain_monitoring -c 42 -y";
    shell.line(one).exits(0);
}

#[test]
fn who_leaves_is_told_by_name_and_so_is_what_stays() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.1", "web-1");
    let line = "customer leave 42 --confirm=42";
    let left = shell.line(line).exits(0).stdout;
    assert!(
        left.contains("Customer 42: web-1 (203.0.113.1) terminated."),
        "{left}"
    );
    assert!(
        left.contains("rules and alerts of ended servers and domains stay"),
        "{left}"
    );
    let unknown = shell.line("history --endpoint 198.51.100.9").exits(0);
    for said in ["only changes made from this computer", "computers", "log"] {
        assert!(unknown.stderr.contains(said), "{said}: {unknown:?}");
    }
}

#[test]
fn a_server_that_not_confirmed_is_not_ended_by_an_older_run() {
    let tenant = account();
    let (wire, shell) = wired(&tenant);
    let provision_all = || {
        for i in 1..=12 {
            provision(&shell, &format!("203.0.113.{i}"), &format!("web-{i}"));
        }
    };
    provision_all();
    let line = ["customer", "leave", "42", "--confirm=42"];
    wire.run_and_kill(quiet(&shell, &line), Moment::Unwritten, 10);
    // Whose answers the run has written down depends on the moment.
    provision_all();
    let refused = shell.run(&line).exits(8).stdout;
    assert!(
        refused.contains("(203.0.113.") && refused.contains("exists again"),
        "{refused}"
    );
    assert!(!servers(&shell).is_empty());
}
