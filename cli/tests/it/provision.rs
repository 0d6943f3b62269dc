//! `provision` of one server, and what comes of waiting.

use crate::shell::{Account, Shell, account, mock, provision};
use secmon_mock::{Fault, Progress};
use serde_json::json;

#[test]
fn a_new_server_is_reported_as_created_and_an_old_one_is_not() {
    let shell = Shell::of(&account());
    let first = shell
        .line("provision 203.0.113.10 -c 42 --nickname web-1 -o json")
        .exits(0)
        .json();
    assert_eq!(first["created"], true);
    assert_eq!(first["status"], "active");
    assert_eq!(first["nickname"], "web-1");
    let again = shell
        .line("provision 203.0.113.10 -c 42 -o json")
        .exits(0)
        .json();
    assert_eq!(again["created"], false);
    assert_eq!(again["endpoint_id"], first["endpoint_id"]);
    assert!(again["note"].is_string(), "{again}");
}

#[test]
fn waiting_shows_what_the_scan_found() {
    let shell = Shell::of(&account());
    let found = shell
        .line("provision 2001:db8::10 -c 42 -w -o json")
        .exits(0)
        .json();
    assert_eq!(
        found["latest_scan"]["open_ports"],
        json!([22, 80, 443, 8080])
    );
}

#[test]
fn every_option_reaches_the_service() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    shell
        .run(&[
            "provision",
            "--ip-address",
            "203.0.113.9",
            "--client-id",
            "42",
            "--hostname",
            "web.example.com",
            "--service",
            "501",
            "--product",
            "endpoint",
            "--plan",
            "starter",
            "--mrr",
            "12.5",
            "--client-name",
            "ACME, Inc.",
            "--client-email",
            "it@acme.example",
        ])
        .exits(0);
    let calls = tenant.journal();
    let call = calls
        .iter()
        .find(|call| call.path == "/api/v1/billing/provision")
        .expect("the call");
    let expected = json!({
        "client_id": 42, "ip_address": "203.0.113.9", "hostname": "web.example.com", "service_id": 501,
        "product_slug": "endpoint", "plan_slug": "starter", "mrr": 12.5,
        "client_name": "ACME, Inc.", "client_email": "it@acme.example",
    });
    assert_eq!(call.body, expected);
}

#[test]
fn the_other_namespace_is_used_when_it_is_named() {
    let tenant = account();
    Shell::of(&tenant)
        .line("--namespace provisioning provision 203.0.113.9 -c 42")
        .exits(0);
    assert!(
        tenant
            .journal()
            .iter()
            .any(|call| call.path == "/api/v1/provisioning/provision")
    );
}

#[test]
fn a_host_name_is_a_server_only_when_somebody_says_so() {
    let shell = Shell::of(&account());
    let refused = shell
        .line("provision web.example.com -c 42 -o json")
        .exits(2);
    assert!(
        refused.error()["message"]
            .as_str()
            .unwrap_or_default()
            .contains("--server"),
        "{refused:?}"
    );
    shell
        .line("provision web.example.com --server -c 42")
        .exits(0);
    let unknown = shell
        .line("provision nowhere.invalid --server -c 42 -o json")
        .exits(5);
    assert_eq!(unknown.error()["code"], "DNS_RESOLUTION_FAILED");
}

#[test]
fn bad_values_are_refused_before_anything_is_sent() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    for line in [
        "provision 203.0.113.300 -c 42",
        "provision 203.0.113.0/24 -c 42",
        "provision 203.0.113.1 -c 0",
        "provision 203.0.113.1 -c abc",
        "provision 203.0.113.1 -c 42 --mrr 0",
        "provision 203.0.113.1 -c 42 --mrr NaN",
        "provision 203.0.113.1 -c 42 --service 0",
        "provision 203.0.113.1 -c 42 --client-email nobody",
        "provision 203.0.113.1",
        "provision -c 42",
        "provision 203.0.113.1 203.0.113.2 -c 42 --nickname both",
    ] {
        shell.line(line).exits(2);
    }
    assert_eq!(tenant.journal().len(), 0);
}

#[test]
fn a_nickname_that_fails_does_not_hide_the_server_that_is_monitored() {
    let tenant = account();
    tenant.fault(Fault::status(http::StatusCode::FORBIDDEN).on("PUT", "*"));
    let made = Shell::of(&tenant)
        .line("provision 203.0.113.10 -c 42 --nickname web-1 -o json")
        .exits(0)
        .json();
    assert!(made["endpoint_id"].is_string(), "{made}");
    assert!(
        made["note"]
            .as_str()
            .unwrap_or_default()
            .contains("the nickname was not set"),
        "{made}"
    );
}

#[test]
fn names_of_hex_letters_are_names() {
    let shell = Shell::of(&account());
    shell.line("provision cafe.de --server -c 42").exits(0);
    for broken in ["1.2.3", "203.0.113.300", "2001:db8:::1", "10.0.0.0/8"] {
        shell
            .line(&format!("provision {broken} --server -c 42"))
            .exits(2);
    }
}

#[test]
fn a_wait_that_runs_out_names_the_command_that_goes_on() {
    let tenant = Account::of(mock().tenant());
    tenant
        .set_progress(Progress::Manual)
        .expect("the account is there");
    let shell = Shell::of(&tenant);
    let run = shell
        .line("provision 203.0.113.10 -c 42 --wait --wait-timeout 10ms -o json")
        .exits(9);
    assert!(
        run.error()["hint"]
            .as_str()
            .unwrap_or_default()
            .contains("endpoint wait"),
        "{run:?}"
    );
    assert_eq!(
        run.json()["created"],
        true,
        "the result is told all the same"
    );
}

#[test]
fn a_paused_server_ends_the_wait_at_once() {
    let tenant = Account::of(mock().tenant());
    tenant
        .set_progress(Progress::Manual)
        .expect("the account is there");
    let shell = Shell::of(&tenant);
    let id = provision(&shell, "203.0.113.10", "web-1");
    shell.line(&format!("endpoint suspend {id}")).exits(0);
    let run = shell.line("endpoint wait web-1 -o json").exits(5);
    assert!(
        run.error()["hint"]
            .as_str()
            .unwrap_or_default()
            .contains("endpoint resume"),
        "{run:?}"
    );
}

#[test]
fn the_sandbox_header_goes_along_when_asked_for() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    shell
        .line("--sandbox provision 203.0.113.10 -c 42")
        .exits(0);
    shell.line("endpoint show 203.0.113.10").exits(0);
}

#[test]
fn an_added_server_is_judged_like_a_provisioned_one() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    for (target, wrong) in [
        ("203.0.113. 51", "has a space in it"),
        ("203.0.113.510", "is not an IP address"),
        (" ", "target is empty"),
    ] {
        for dry in ["-n", "-q"] {
            let run = shell.run(&["endpoint", "add", target, "-c", "42", dry]);
            let run = run.exits(2);
            assert!(run.stderr.contains(wrong), "{run:?}");
        }
    }
    assert_eq!(tenant.journal().len(), 0);
    let added = shell.run(&[
        "endpoint",
        "add",
        "2001:DB8:0::51 ",
        "-c",
        "42",
        "-o",
        "json",
    ]);
    assert_eq!(added.exits(0).json()["ip_address"], "2001:db8::51");
}

#[test]
fn a_server_that_ended_and_is_provisioned_again_is_restored_in_the_history_too() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    shell.line("endpoint terminate web-1 -y").exits(0);
    let done = shell.line("provision 203.0.113.10 -c 42").exits(0).stdout;
    assert!(done.contains("is monitored again"), "{done}");
    let told = shell.line("history -o json").exits(0).json();
    let rows = told.as_array().expect("a list");
    let newest = rows
        .iter()
        .find(|row| row["operation"] == "provision_endpoint");
    assert_eq!(newest.expect("a row")["result"], "changed", "{told}");
}

#[test]
fn a_server_that_gets_another_name_only_is_told_as_renamed() {
    let shell = Shell::of(&account());
    let file = |name: &str, mrr: &str| {
        let rows = format!("ip,customer,name,mrr\n203.0.113.1,42,{name},{mrr}\n");
        shell.file("servers.csv", &rows)
    };
    shell.run(&["provision", "-f", &file("a", "9.90")]).exits(0);
    let again = shell
        .run(&["provision", "-f", &file("a", "19.90")])
        .exits(0);
    assert!(again.stderr.contains("1 price not sent"), "{again:?}");
    let renamed = shell
        .run(&["provision", "-f", &file("b", "19.90")])
        .exits(0);
    assert!(renamed.stdout.contains("1 renamed"), "{renamed:?}");
    assert!(!renamed.stdout.contains("provisioned"), "{renamed:?}");
}

/// The service takes them, and a person who typed one learns that nothing will come of it.
#[test]
fn an_address_that_scans_cannot_reach_is_told() {
    let shell = Shell::of(&account());
    let warned = |line: &str| {
        shell
            .line(line)
            .exits(0)
            .stderr
            .contains("no public address")
    };
    for address in [
        "10.0.0.5",
        "192.168.1.9",
        "100.64.0.1",
        "127.0.0.1",
        "fd00::5",
        "fe80::1",
    ] {
        assert!(warned(&format!("provision {address} -c 42")), "{address}");
    }
    assert!(warned("endpoint add 172.16.0.9 -c 42"));
    assert!(warned("endpoint move 172.16.0.9 172.31.0.9 -y -c 42"));
    for address in ["203.0.113.7", "100.128.0.1", "172.32.0.1", "2001:db8::7"] {
        assert!(!warned(&format!("provision {address} -c 42")), "{address}");
    }
}
