//! The types of requests and results: what goes in and out, and which traits they have.
#![deny(warnings)]

use std::collections::{BTreeSet, HashMap};

use chrono::NaiveDate;
use secmon::model::*;
use secmon::operations::*;
use secmon::{ApiKey, ErrorCode, FieldErrors};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use uuid::Uuid;

// Both can be globbed beside the crate itself without an ambiguous name; `deny(warnings)` above judges it.
#[allow(unused_imports)]
use secmon::*;

use crate::support::{ID, customer, endpoint_id, money, rule_id};

fn round_trips<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) {
    let text = serde_json::to_string(value).expect("JSON");
    assert_eq!(
        serde_json::from_str::<T>(&text).ok().as_ref(),
        Some(value),
        "{text}"
    );
}

#[test]
fn a_stored_request_with_a_misspelt_member_is_refused() {
    let bought = json!({"client_id": 42, "service_id": 7, "product_slug": "domain_monitoring"});
    let rule = json!({
        "scope": "global", "port_start": 22, "port_end": 23, "protocol": "tcp", "justification": "Our own servers"
    });
    let report =
        json!({"client_id": 42, "service_id": 7, "product_slug": "endpoint", "status": "active"});
    let with = |request: &Value, member: &str| {
        let mut request = request.clone();
        request[member] = json!(5);
        request
    };
    let read = |request: Value| serde_json::from_value::<ProvisionSubscription>(request);
    assert!(read(with(&bought, "quantity")).is_ok());
    let error = read(with(&bought, "qty")).expect_err("misspelt");
    assert!(error.to_string().contains("qty"), "{error}");
    // The ports stand among the other members.
    assert!(serde_json::from_value::<CreateRule>(rule.clone()).is_ok());
    let error = serde_json::from_value::<CreateRule>(with(&rule, "expires"));
    assert!(error.expect_err("misspelt").to_string().contains("expires"));
    let error = serde_json::from_value::<ServiceReport>(with(&report, "note"));
    assert!(error.expect_err("misspelt").to_string().contains("note"));
}

#[test]
fn requests_can_be_stored_and_taken_up_again_with_their_ids() {
    let ports: PortRange = "8000-8100".parse().expect("ports");
    round_trips(
        &ProvisionEndpoint::new(customer())
            .ip_address("203.0.113.10")
            .mrr(money("9.5")),
    );
    round_trips(&SuspendEndpoint::new(endpoint_id()));
    round_trips(&GetEndpoint::new(customer(), endpoint_id()));
    round_trips(&UpdateEndpoint::new(customer(), endpoint_id()).nickname("web"));
    round_trips(&UpdateRule::new(
        rule_id(),
        ports,
        Protocol::Any,
        "Application servers",
    ));
    round_trips(
        &CreateRule::for_endpoint(endpoint_id(), ports, Protocol::Tcp, "Application servers")
            .expires_at(NaiveDate::from_ymd_opt(2026, 12, 31).expect("a day").into()),
    );
    round_trips(
        &ListDomainAlerts::new(customer(), DomainId::from(Uuid::nil()))
            .kind(DomainAlertType::DarkWebMention),
    );
    round_trips(&GetDomainAlert::new(
        customer(),
        Uuid::nil().into(),
        Uuid::max().into(),
    ));
    let service = ServiceId::try_from(7).expect("a service");
    let report = ServiceReport::new(customer(), service, "endpoint", "active");
    round_trips(&SyncServices::new([report]).module_version("1.2"));
    let stored = serde_json::to_value(GetEndpoint::account_wide(endpoint_id())).expect("JSON");
    assert_eq!(stored, json!({"endpoint_id": ID}));
}

#[test]
fn only_a_request_that_says_so_is_for_the_whole_account() {
    fn customers(request: impl Serialize) -> Option<serde_json::Value> {
        let stored = serde_json::to_value(request).expect("JSON");
        stored.get("billing_customer_id").cloned()
    }
    let (port, why) = (PortRange::single(Port::MIN), "Application servers");
    let (server, rule) = (endpoint_id(), rule_id());
    let kept = [
        customers(ListEndpoints::new(customer())),
        customers(GetEndpoint::new(customer(), server)),
        customers(GetEndpointDetail::new(customer(), server)),
        customers(DeleteEndpoint::new(customer(), server)),
        customers(ListRules::new(customer())),
        customers(GetRule::new(customer(), rule)),
        customers(DeleteRule::new(customer(), rule)),
        customers(CreateRule::for_customer(
            customer(),
            port,
            Protocol::Tcp,
            why,
        )),
    ];
    assert!(
        kept.iter().all(|customer| *customer == Some(json!(42))),
        "{kept:?}"
    );
    assert_eq!(customers(ListEndpoints::account_wide()), None);
    assert_eq!(customers(DeleteRule::account_wide(rule)), None);
    assert_eq!(
        customers(CreateRule::account_wide(port, Protocol::Tcp, why)),
        None
    );
}

#[test]
fn codes_and_unknown_values_are_read_back_as_what_they_were() {
    for text in ["RATE_LIMITED", "404", "70000", "BRAND_NEW"] {
        let code = ErrorCode::from(text);
        assert_eq!(code.to_string(), text);
        round_trips(&code);
    }
    assert_eq!(ErrorCode::from("404"), ErrorCode::Number(404));
    let Severity::Unknown(value) = Severity::from("dire") else {
        panic!("a value that is known");
    };
    assert_eq!(
        (value.as_str(), value.to_string()),
        ("dire", "dire".to_owned())
    );
}

#[test]
fn money_is_exact() {
    let sum = money("0.1") + money("0.2");
    assert_eq!(sum, Money::from_cents(30));
    assert_eq!(serde_json::to_string(&sum).expect("JSON"), "0.3");
    assert_eq!(
        serde_json::to_string(&money("9999.99")).expect("JSON"),
        "9999.99"
    );
    for (text, shown) in [
        ("19.9", "19.90"),
        ("-0.000001", "-0.000001"),
        ("7", "7.00"),
        ("0.100", "0.10"),
        ("007.5", "7.50"),
    ] {
        assert_eq!(money(text).to_string(), shown);
    }
    for bad in [
        "",
        ".",
        "1.",
        ".5",
        "1e3",
        "1,5",
        "0.0000001",
        "1234567890",
        "NaN",
        "--1",
        "+1",
        " 1",
    ] {
        assert!(bad.parse::<Money>().is_err(), "{bad:?}");
    }
    let many: Money = (0..1_000_000).map(|_| money("0.000001")).sum();
    assert_eq!(many, money("1"));
    for (read, amount) in [
        (json!(12.5), "12.5"),
        (json!("12.50"), "12.5"),
        (json!(12), "12"),
        (json!(0.1), "0.1"),
    ] {
        assert_eq!(
            serde_json::from_value::<Money>(read).expect("money"),
            money(amount)
        );
    }
    assert!(serde_json::from_value::<Money>(json!(0.123_456_789)).is_err());
}

#[test]
fn identifiers_convert_both_ways_and_say_what_they_are_not() {
    let uuid = Uuid::from(endpoint_id());
    assert_eq!(EndpointId::from(uuid), endpoint_id());
    assert_eq!(endpoint_id().as_uuid(), &uuid);
    assert_eq!(
        CustomerId::try_from(42).ok(),
        CustomerId::try_from(42_i64).ok()
    );
    assert_eq!(
        CustomerId::try_from(42_u64).ok(),
        CustomerId::try_from(42_u32).ok()
    );
    for bad in [0_i64, -1, i64::MIN] {
        assert!(CustomerId::try_from(bad).is_err());
    }
    assert!(CustomerId::try_from(u64::MAX).is_err());
    let as_text: CustomerId = serde_json::from_value(json!("42")).expect("a number as text");
    assert_eq!(serde_json::to_value(as_text).expect("JSON"), json!(42));
    for bad in [json!("x"), json!(0), json!(4.5), json!(null), json!([])] {
        assert!(serde_json::from_value::<CustomerId>(bad).is_err());
    }
}

#[test]
fn times_are_ordered_by_the_instant_and_written_back_as_they_came() {
    let [zulu, local, later] = [
        "2026-01-01T00:00:00Z",
        "2026-01-01T02:00:00+02:00",
        "2026-01-01T00:00:01Z",
    ]
    .map(|text| text.parse::<Timestamp>().expect("a time"));
    assert!(zulu == local && local < later);
    assert_eq!(local.to_string(), "2026-01-01T02:00:00+02:00");
    assert_eq!(BTreeSet::from([zulu.clone(), local, later]).len(), 2);
    assert_eq!(HashMap::from([(zulu.clone(), 1)])[&zulu], 1);
}

#[test]
fn texts_with_a_meaning_are_types_of_their_own() {
    let address = Address::from("2001:db8::1");
    assert_eq!(address.ip(), "2001:db8::1".parse().ok());
    assert_eq!(Address::from("web.example.com").ip(), None);
    assert_eq!(Address::from(std::net::Ipv4Addr::LOCALHOST), "127.0.0.1");
    assert_eq!(
        "professional".parse::<PlanSlug>().expect("a plan").as_str(),
        "professional"
    );
    assert_eq!(
        "active".parse::<EndpointStatus>(),
        Ok(EndpointStatus::Active)
    );
    assert_eq!(
        "RATE_LIMITED".parse::<ErrorCode>(),
        Ok(ErrorCode::RateLimited)
    );
    assert_eq!(
        "a_key_for_the_portal".parse::<ApiKey>().ok(),
        ApiKey::new("a_key_for_the_portal").ok()
    );
    let instant: Expiry = "2026-12-31T23:00:00+01:00".parse().expect("an instant");
    assert_eq!(instant.to_string(), "2026-12-31T23:00:00+01:00");
    assert!("31.12.2026".parse::<Expiry>().is_err());
    let range: PortRange = Port::new(22).expect("a port").into();
    assert!(range < "22-23".parse().expect("ports"));
}

#[test]
fn maps_can_be_walked_and_field_errors_stored() {
    let mut errors = FieldErrors::default();
    errors.add("port_start", "It is taken.");
    assert_eq!(
        serde_json::to_value(&errors).expect("JSON"),
        json!({"port_start": ["It is taken."]})
    );
    let listed: Vec<(String, Vec<String>)> = errors.into_iter().collect();
    assert_eq!(listed[0].0, "port_start");
    let reports: CapacityReports =
        serde_json::from_value(json!({"port_monitoring": {"usage": 3}})).expect("reports");
    for report in &reports {
        assert_eq!((report.usage, report.capacity), (Some(3), None));
    }
    assert_eq!(reports.into_iter().count(), 1);
}
