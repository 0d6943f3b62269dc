//! Subscriptions, drift correction, prices.

use crate::shell::{Shell, account};
use http::StatusCode;
use secmon_mock::Fault;
use serde_json::json;

#[test]
fn a_subscription_bounds_what_a_customer_may_have() {
    let shell = Shell::of(&account()).with("SECMON_CUSTOMER", "42");
    let set = shell
        .line("sub set 501 --product port_monitoring --plan professional -o json")
        .exits(0)
        .json();
    assert_eq!(
        (&set["plan_slug"], &set["created"]),
        (&json!("professional"), &json!(true))
    );
    for i in 0..7 {
        shell.line(&format!("provision 203.0.113.{i}")).exits(0);
    }
    shell
        .line("subscription change 501 --product port_monitoring --plan starter")
        .exits(2);
    let refused = shell
        .line("subscription change 501 --product port_monitoring --plan starter -y -o json")
        .exits(5);
    assert_eq!(refused.error()["code"], "DOWNGRADE_USAGE_EXCEEDED");
    let forced = shell
        .line("subscription change 501 --product port_monitoring --plan starter -y --force -o json")
        .exits(0)
        .json();
    assert_eq!(
        (&forced["changed"], &forced["direction"]),
        (&json!(true), &json!("downgrade"))
    );
    let paused = shell
        .line("endpoint list --status paused -o ids")
        .exits(0)
        .stdout;
    assert_eq!(paused.lines().count(), 2);
    assert_eq!(
        shell
            .line("subscription suspend 501 --product port_monitoring -y -o json")
            .exits(0)
            .json()["status"],
        "suspended"
    );
    assert_eq!(
        shell
            .line("subscription resume 501 --product port_monitoring -o json")
            .exits(0)
            .json()["status"],
        "active"
    );
    assert_eq!(
        shell
            .line("subscription terminate 501 --product port_monitoring -y -o json")
            .exits(0)
            .json()["status"],
        "cancelled"
    );
    let gone = shell
        .line("subscription resume 9 --product port_monitoring -o json")
        .exits(4);
    assert_eq!(gone.error()["code"], "BILLING_CLIENT_NOT_FOUND");
}

#[test]
fn drift_is_corrected_from_a_file() {
    let shell = Shell::of(&account());
    for customer in [42, 43] {
        shell
            .line(&format!(
                "subscription set 501 --product port_monitoring --plan starter -c {customer}"
            ))
            .exits(0);
        shell
            .line(&format!("provision 203.0.113.{customer} -c {customer}"))
            .exits(0);
    }
    let csv = "service_id;client_id;product_slug;status\r\n501;42;port_monitoring;suspended\r\n501;43;port_monitoring;active\r\n9;44;endpoint;active\r\n";
    let file = shell.file("services.csv", csv);
    let planned = shell.run(&["sync", "-f", &file, "-n"]).exits(0);
    assert!(
        planned
            .stdout
            .contains("would POST /api/v1/billing/sync-services"),
        "{planned:?}"
    );
    let done = shell
        .run(&["sync", "-f", &file, "-o", "json"])
        .exits(0)
        .json();
    assert_eq!(
        (&done["changed"], &done["unchanged"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(done["unknown_services"][0]["client_id"], 44);
    assert_eq!(
        done["enforcement"]["42"]["port_monitoring"]["newly_paused"],
        json!(["203.0.113.42"])
    );
    let one_by_one = shell
        .run(&["sync", "-f", &file, "--chunk", "1", "-o", "json"])
        .exits(0)
        .json();
    assert_eq!(one_by_one["unchanged"], 2);

    let cancelled = shell.file("end.json", r#"[{"service_id":501,"client_id":42,"product_slug":"port_monitoring","status":"cancelled"}]"#);
    shell.run(&["sync", "-f", &cancelled]).exits(2);
    let as_sent = shell.file("sent.json", r#"{"services":[{"service_id":501,"client_id":43,"product_slug":"port_monitoring","status":"active"}]}"#);
    let planned = shell.run(&["sync", "-f", &as_sent, "-n", "-o", "json"]);
    let planned = planned.exits(0).json();
    let sent = &planned["dry_run"][0]["body"]["services"][0]["client_id"];
    assert_eq!(sent, 43, "{planned}");
    shell.run(&["sync", "-f", &cancelled, "-y"]).exits(0);
}

#[test]
fn a_bad_row_stops_the_whole_file() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let file = shell.file("services.csv", "service_id,client_id,product_slug,status\n501,42,port_monitoring,gone\n0,42,endpoint,active\n");
    shell.run(&["sync", "-f", &file]).exits(2);
    let late = shell.file(
        "late.csv",
        "service_id,client_id,product_slug,status\n1,42,endpoint,active\n2,43,nothing,active\n",
    );
    shell.run(&["sync", "-f", &late, "--chunk", "1"]).exits(2);
    assert_eq!(tenant.journal().len(), 0);
}

#[test]
fn prices_are_set_and_removed() {
    let shell = Shell::of(&account());
    let set = shell
        .line("pricing set port_monitoring 9.5 EUR --plan starter -o json")
        .exits(0)
        .json();
    assert_eq!(
        (&set["price"], &set["currency"]),
        (&json!(9.5), &json!("EUR"))
    );
    assert_eq!(
        shell
            .line("pricing remove port_monitoring --plan starter -o json")
            .exits(0)
            .json()["deleted"],
        true
    );
    assert_eq!(
        shell
            .line("pricing set nothing 1 EUR -o json")
            .exits(4)
            .error()["code"],
        "PRODUCT_NOT_FOUND"
    );
}

#[test]
fn what_is_said_of_a_price_and_of_a_domain_is_what_was_answered() {
    let tenant = account();
    let shell = Shell::of(&tenant).with("SECMON_CUSTOMER", "42");
    let stored = json!({
        "status": "success",
        "data": {"product_slug": "endpoint", "plan_slug": null, "price": 2.5, "currency": "EUR"},
        "meta": {"version": "v1", "timestamp": "2026-01-01T00:00:00+00:00"},
    });
    let answer = Fault::body(StatusCode::OK, stored.to_string());
    tenant.fault(answer.on("POST", "/api/v1/billing/pricing"));
    let set = shell.line("pricing set endpoint 2.50 eur").exits(0).stdout;
    assert_eq!(set, "The price of endpoint is 2.50 EUR.\n");
    for line in [
        "sub set 501 --product domain_monitoring --quantity 1",
        "domain provision example.com --service 501",
    ] {
        shell.line(line).exits(0);
    }
    let renamed = shell
        .line("domain rename example.com https://Example.NET./contact")
        .exits(0)
        .stdout;
    assert!(renamed.contains("renamed to example.net;"), "{renamed}");
}
