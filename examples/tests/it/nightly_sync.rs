//! Corrections: in chunks, with mistakes named first, and never claiming what nobody told.

use crate::support::{Account, Ran, account, run};
use http::StatusCode;
use secmon::Client;
use secmon::operations::{ProvisionEndpoint, ProvisionSubscription};
use secmon_mock::{CloseAt, Fault};
use serde_json::json;

fn sync(account: &Account, rows: &str) -> Ran {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("services.csv");
    std::fs::write(&file, format!("customer,service,product,status\n{rows}")).expect("written");
    run(
        account
            .program(env!("CARGO_BIN_EXE_nightly-sync"))
            .arg(&file),
        "",
    )
}

/// Customer 42 with a plan and two servers.
async fn a_customer(account: &Account) {
    let key = secmon::ApiKey::new(account.api_key()).expect("a key");
    let client = Client::builder(account.url(), key)
        .build()
        .expect("a client");
    let customer = "42".parse().expect("an id");
    let service = 501u64.try_into().expect("an id");
    let plan =
        ProvisionSubscription::new(customer, service, "port_monitoring").plan_slug("starter");
    client.send(plan).await.expect("a plan");
    for address in ["203.0.113.1", "203.0.113.2"] {
        let server = ProvisionEndpoint::new(customer).ip_address(address);
        client.send(server).await.expect("a server");
    }
}

#[tokio::test]
async fn what_a_correction_changed_is_told_customer_by_customer() {
    let account = account();
    a_customer(&account).await;
    let ran = sync(
        &account,
        "42,501,port_monitoring,suspended\n42,999,port_monitoring,active\n",
    );
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(
        lines[0],
        "services reported: 2, of them 1 changed, 0 as before"
    );
    assert!(
        lines[1].starts_with("customer 42, port_monitoring: paused 203.0.113."),
        "{lines:?}"
    );
    assert!(
        ran.out.contains("the service does not know: ") && ran.out.contains("999"),
        "{}",
        ran.out
    );
    // Somebody has to look at the service that is not known.
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    let again = sync(&account, "42,501,port_monitoring,suspended\n");
    assert!(
        again
            .out
            .starts_with("services reported: 1, of them 0 changed, 1 as before")
    );
    assert_eq!(again.code, Some(0));
    let back = sync(&account, "42,501,port_monitoring,active\n");
    assert!(
        back.out.contains("watched again 203.0.113."),
        "{}",
        back.out
    );
    assert_eq!(back.code, Some(0));
}

#[tokio::test]
async fn a_lost_answer_leaves_open_what_it_told() {
    let account = account();
    a_customer(&account).await;
    account.fault(Fault::close(CloseAt::After).on("POST", "*/sync-services"));
    let ran = sync(&account, "42,501,port_monitoring,suspended\n");
    assert!(ran.out.contains("an unknown number changed"), "{}", ran.out);
    assert!(
        ran.out
            .contains("open: lines 2 to 2: what the first attempt"),
        "{}",
        ran.out
    );
    assert_eq!(ran.code, Some(1));
}

#[test]
fn services_go_500_at_a_time_and_a_refused_chunk_does_not_stop_the_others() {
    let account = account();
    let told = json!({ "success": true, "data": { "unchanged": 500 },
        "meta": { "version": "v1", "timestamp": "2026-01-01T00:00:00+00:00" } });
    account.fault(Fault::status(StatusCode::UNPROCESSABLE_ENTITY).on("POST", "*/sync-services"));
    account.fault(Fault::body(StatusCode::OK, told.to_string()).on("POST", "*/sync-services"));
    let rows: String = (1..=1201)
        .map(|service| format!("42,{service},port_monitoring,active\n"))
        .collect();
    let ran = sync(&account, &rows);
    let sizes: Vec<_> = account
        .calls("POST", "*/sync-services")
        .iter()
        .map(|call| call.body["services"].as_array().map_or(0, Vec::len))
        .collect();
    assert_eq!(sizes, [500, 500, 201]);
    assert!(
        ran.out.contains("not reported: lines 2 to 501: "),
        "{}",
        ran.out
    );
    // The second chunk's answer is silent about most of it: that is said, and no zero.
    assert!(
        ran.out
            .contains("open: lines 502 to 1001: what was paused is not told"),
        "{}",
        ran.out
    );
    assert!(
        ran.out
            .starts_with("services reported: 701, of them an unknown number changed")
    );
    assert_eq!(ran.code, Some(1));
}

#[test]
fn an_outage_asks_for_another_run_and_a_refused_key_ends_it() {
    let account = account();
    let down = Fault::status(StatusCode::SERVICE_UNAVAILABLE).on("POST", "*/sync-services");
    account.fault(down.times(0));
    let ran = sync(&account, "42,501,port_monitoring,active\n");
    assert_eq!(ran.code, Some(2), "{}", ran.out);
    assert!(
        ran.out.contains("not reported: lines 2 to 2: try it again"),
        "{}",
        ran.out
    );
    account.clear_faults();
    let rows: String = (1..=501)
        .map(|service| format!("42,{service},port_monitoring,active\n"))
        .collect();
    account.fault(Fault::status(StatusCode::UNAUTHORIZED).on("POST", "*/sync-services"));
    let ran = sync(&account, &rows);
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    assert!(
        ran.out
            .contains("lines 2 to 501: nothing works until somebody looks"),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains("lines 502"), "{}", ran.out);
}

#[test]
fn every_mistake_of_the_file_is_named_by_its_line_and_nothing_is_sent() {
    let account = account();
    let ran = sync(
        &account,
        "42,501,port_monitoring,active\nx,502,port_monitoring,active\n42,503,port-monitoring,active\n\
         42,501,port_monitoring,suspended\n42,504,port_monitoring\n42,505,port_monitoring,overdue\n",
    );
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    for mistake in [
        "line 3: customer: ",
        "line 4: product: `port-monitoring` is none of endpoint, port_monitoring, domain_monitoring",
        "line 5: service 501 of customer 42 stands in line 2 already",
        "line 6: it has 3 fields, and the header 4",
        "line 7: status: `overdue` is none of ",
    ] {
        assert!(ran.err.contains(mistake), "{mistake}: {}", ran.err);
    }
    assert_eq!(account.journal().len(), 0);
    let mut program = account.program(env!("CARGO_BIN_EXE_nightly-sync"));
    let missing = run(program.arg("no-such.csv"), "");
    assert_eq!(missing.code, Some(1));
    assert!(missing.err.contains("no-such.csv"), "{}", missing.err);
}
