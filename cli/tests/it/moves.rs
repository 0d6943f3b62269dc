//! A server gets another address, with its name and its rules.

use crate::every_change::await_the_next_second;
use crate::journal::{quiet, wired};
use crate::shell::{Shell, account, provision};
use crate::wire::Moment;
use http::StatusCode;
use secmon_mock::{Fault, Tenant};
use serde_json::json;

const MOVE: [&str; 4] = ["endpoint", "move", "web-1", "198.51.100.7"];

fn with_rules(shell: &Shell) {
    provision(shell, "203.0.113.1", "web-1");
    for line in [
        "rules add web-1 22 -m for-the-operations-team --service ssh",
        "rules add web-1 8000-8100/udp -m for-the-streaming-service --expires 90d",
    ] {
        shell.line(line).exits(0);
    }
}

/// Address and name of each server, and the ports of its rules.
fn servers(shell: &Shell) -> Vec<(String, String, Vec<String>)> {
    let listed = shell.line("endpoint list -c 42 -o json").exits(0).json();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let servers = listed.as_array().expect("a list").iter();
    servers
        .map(|server| {
            let rules = format!("rules list {} -o json", text(&server["id"]));
            let rules = shell.line(&rules).exits(0).json();
            let rules = rules.as_array().expect("a list").iter();
            let mut ports: Vec<String> = rules
                .map(|rule| format!("{}/{}", rule["port_start"], text(&rule["protocol"])))
                .collect();
            ports.sort();
            (
                text(&server["ip_address"]),
                text(&server["nickname"]),
                ports,
            )
        })
        .collect()
}

fn moved() -> Vec<(String, String, Vec<String>)> {
    let ports = ["22/tcp", "8000/udp"].map(str::to_owned).to_vec();
    vec![("198.51.100.7".to_owned(), "web-1".to_owned(), ports)]
}

fn terminated(tenant: &Tenant) -> usize {
    tenant.calls("POST", "*/terminate").len()
}

#[test]
fn name_and_rules_go_along_and_the_old_address_ends() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    with_rules(&shell);
    let before = servers(&shell);
    let reads_of_one = || {
        let lists = tenant.calls("GET", "/api/v1/endpoints").into_iter();
        let is_of_one = |query: &str| query.split('&').any(|pair| pair == "per_page=1");
        lists
            .filter(|call| call.query.as_deref().is_some_and(is_of_one))
            .count()
    };
    let earlier = reads_of_one();
    let reads_of_room = || reads_of_one() - earlier;
    let asked = shell.run(&MOVE).exits(2).stderr;
    for said in ["203.0.113.1", "198.51.100.7", "2 rules", "--yes"] {
        assert!(asked.contains(said), "{said}: {asked}");
    }
    let planned = shell.run(&[&MOVE[..], &["-n"]].concat()).exits(0).stdout;
    assert_eq!(planned.lines().count(), 4, "{planned}");
    assert_eq!(servers(&shell), before);
    let asked_and_planned = reads_of_room();
    assert!(asked_and_planned > 0);
    let done = shell.run(&[&MOVE[..], &["-y"]].concat()).exits(0).stdout;
    // Who is not asked does not pay for what the question says.
    assert_eq!(reads_of_room(), asked_and_planned);
    assert!(
        done.contains("is monitored at 198.51.100.7, with 2 rules"),
        "{done}"
    );
    assert_eq!(servers(&shell), moved());
}

#[test]
fn a_move_that_was_killed_at_any_step_goes_on() {
    for moment in [Moment::Unsent, Moment::Unanswered, Moment::Unwritten] {
        for call in 1..=4 {
            let tenant = account();
            let (wire, shell) = wired(&tenant);
            with_rules(&shell);
            let line = [&MOVE[..], &["-y", "-o", "json"]].concat();
            await_the_next_second();
            wire.run_and_kill(quiet(&shell, &line), moment, call);
            let again = shell.run(&line).exits(0).json();
            assert_eq!(again["summary"]["failed"], 0, "{moment:?} {call}: {again}");
            assert_eq!(servers(&shell), moved(), "{moment:?} {call}");
        }
    }
}

#[test]
fn a_suspended_server_is_suspended_at_its_new_address() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    with_rules(&shell);
    shell.line("endpoint suspend web-1").exits(0);
    let asked = shell.run(&MOVE).exits(2).stderr;
    assert!(asked.contains("suspend it there too"), "{asked}");
    tenant.fault(Fault::status(StatusCode::FORBIDDEN).on("POST", "*/suspend"));
    let line = [&MOVE[..], &["--service", "601", "-y"]].concat();
    shell.run(&line).exits(8);
    assert_eq!(terminated(&tenant), 0, "the old one waits for it");
    let done = shell.run(&line).exits(0).stdout;
    assert!(
        done.contains("is suspended as before at 198.51.100.7"),
        "{done}"
    );
    let listed = shell.line("endpoint list -c 42 -o json").exits(0).json();
    assert_eq!(listed[0]["status"], "paused", "{listed}");
    assert_eq!(servers(&shell), moved());
}

#[test]
fn the_old_address_stays_until_everything_is_at_the_new_one() {
    for path in ["/api/v1/endpoints", "*/whitelists"] {
        let tenant = account();
        let shell = Shell::of(&tenant);
        with_rules(&shell);
        let fault = Fault::status(StatusCode::FORBIDDEN)
            .on("POST", path)
            .times(1);
        tenant.fault(fault);
        let line = [&MOVE[..], &["-y", "-o", "json"]].concat();
        let failed = shell.run(&line).exits(8).json();
        assert_eq!(
            failed["items"][3]["error"]["code"],
            json!("not_sent"),
            "{failed}"
        );
        assert_eq!(terminated(&tenant), 0, "{path}");
        shell.run(&line).exits(0);
        assert_eq!(servers(&shell), moved(), "{path}");
    }
}

#[test]
fn what_passes_by_itself_leads_to_the_same_command_again() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    with_rules(&shell);
    let outage = Fault::status(StatusCode::SERVICE_UNAVAILABLE).on("POST", "*/terminate");
    tenant.fault(outage.times(1000));
    let line = [&MOVE[..], &["-y"]].concat();
    let failed = shell.run(&line).exits(8).stdout;
    assert!(failed.contains("run the same command again"), "{failed}");
    let forbidden = account();
    let shell = Shell::of(&forbidden);
    with_rules(&shell);
    forbidden.fault(Fault::status(StatusCode::FORBIDDEN).on("POST", "*/whitelists"));
    let failed = shell.run(&line).exits(8).stdout;
    assert!(!failed.contains("run the same command again"), "{failed}");
}

#[test]
fn a_server_does_not_move_to_where_it_is() {
    let shell = Shell::of(&account());
    with_rules(&shell);
    let run = shell.line("endpoint move web-1 203.0.113.1 -y").exits(2);
    assert!(run.stderr.contains("already has this address"), "{run:?}");
    shell.line("endpoint move nobody 203.0.113.9 -y").exits(4);
}

#[test]
fn an_address_that_is_another_server_of_the_customer_is_refused_and_nothing_ends() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    provision(&shell, "203.0.113.2", "web-2");
    for flag in ["-y", "-n"] {
        let line = format!("endpoint move web-1 203.0.113.2 {flag}");
        let refused = shell.line(&line).exits(2).stderr;
        assert!(refused.contains("already: web-2"), "{refused}");
        assert!(refused.contains("in a terminal"), "{refused}");
        assert!(!refused.contains("terminate"), "{refused}");
    }
    let listed = shell.line("endpoint list -c 42 -o json").exits(0).json();
    let names: Vec<_> = (listed.as_array().into_iter().flatten())
        .filter_map(|server| server["nickname"].as_str())
        .collect();
    assert_eq!(names, ["web-1", "web-2"]);
}

#[test]
fn a_move_that_finds_no_room_says_that_nothing_was_changed() {
    let shell = Shell::of(&account());
    shell
        .line("subscription set 501 --product port_monitoring --plan starter -c 42")
        .exits(0);
    for number in 1..=5 {
        provision(
            &shell,
            &format!("203.0.113.{number}"),
            &format!("web-{number}"),
        );
    }
    let asked = shell.line("endpoint move web-1 203.0.113.9").exits(2);
    assert!(
        asked.stderr.contains("The plan is full (5 of 5 servers)"),
        "{asked:?}"
    );
    let full = shell.line("endpoint move web-1 203.0.113.9 -y");
    let said = format!("{}{}", full.stdout, full.stderr);
    assert!(
        said.contains("Nothing was changed: web-1 (203.0.113.1) stays where it is."),
        "{said}"
    );
}

#[test]
fn the_same_move_by_the_name_that_went_along_is_done_already() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    with_rules(&shell);
    let line = [&MOVE[..], &["-y"]].concat();
    shell.run(&line).exits(0);
    let again = shell.run(&line).exits(0).stdout;
    assert!(again.contains("already so"), "{again}");
    assert_eq!(terminated(&tenant), 1);
}

#[test]
fn an_address_that_was_known_before_is_told_to_be_restored() {
    let shell = Shell::of(&account());
    provision(&shell, "198.51.100.7", "web-9");
    shell.line("endpoint terminate 198.51.100.7 -y").exits(0);
    with_rules(&shell);
    let done = shell.run(&[&MOVE[..], &["-y"]].concat()).exits(0).stdout;
    assert!(done.contains("has been restored"), "{done}");
}

#[test]
fn a_server_goes_to_another_customer_and_keeps_its_address() {
    for service in ["", " --service 701"] {
        let tenant = account();
        let shell = Shell::of(&tenant);
        with_rules(&shell);
        shell.line("provision 203.0.113.9 -c 43").exits(0);
        let asked = shell.line(&format!("endpoint move web-1 --customer-to 43{service}"));
        let asked = asked.exits(2).stderr;
        for said in [
            "to customer 43: provision 203.0.113.1 for customer 43",
            "terminate 203.0.113.1 of customer 42",
        ] {
            assert!(asked.contains(said), "{said}: {asked}");
        }
        let line = format!("endpoint move web-1 --customer-to 43{service} -y");
        let done = shell.line(&line).exits(0).stdout;
        assert!(done.contains("of customer 43 is monitored at"), "{done}");
        let moved = shell.line("rules list web-1 -c 43 -o json").exits(0).json();
        assert_eq!(moved.as_array().map(Vec::len), Some(2), "{moved}");
        assert_eq!(servers(&shell), []);
        let again = shell.line(&line).exits(0).stdout;
        assert!(again.contains("already so"), "{again}");
        assert_eq!(terminated(&tenant), 1);
    }
}

#[test]
fn a_server_does_not_go_to_its_own_customer_or_to_nobody_known() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    with_rules(&shell);
    let own = shell
        .line("endpoint move web-1 --customer-to 42 -y")
        .exits(2);
    assert!(
        own.stderr.contains("is a server of customer 42 already"),
        "{own:?}"
    );
    let nobody = "endpoint move web-1 --customer-to 430 --existing-customers -y";
    shell.line(nobody).exits(4);
    shell.line("endpoint move web-1 -y").exits(2);
    assert_eq!((servers(&shell).len(), terminated(&tenant)), (1, 0));
}

#[test]
fn the_host_name_goes_along_without_a_billing_service() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let add = "provision 203.0.113.1 -c 42 --nickname web-1 --hostname web1.example.com";
    shell.line(add).exits(0);
    shell.line("endpoint suspend web-1").exits(0);
    let done = shell.run(&[&MOVE[..], &["-y"]].concat()).exits(0).stdout;
    assert!(!done.contains("host name"), "{done}");
    let moved = shell.line("endpoint list -c 42 -o json").exits(0).json();
    assert_eq!(moved[0]["ip_address"], "198.51.100.7");
    assert_eq!(moved[0]["hostname"], "web1.example.com");
    assert_eq!(moved[0]["nickname"], "web-1");
    assert_eq!(moved[0]["status"], "paused");
    let calls = tenant.calls("POST", "/api/v1/billing/provision");
    let last = calls.last().map(|call| call.body.clone());
    let sent = last.expect("what was sent").to_string();
    assert!(!sent.contains("service_id"), "{sent}");
}
