//! What the SDK refuses before it sends anything.

use http::StatusCode;
use secmon::model::*;
use secmon::operations::*;
use secmon::{ErrorKind, Operation, Sent};
use serde_json::json;

use crate::support::*;

/// The names of the fields that an operation is refused for, with nothing sent.
async fn refused(operation: impl Operation) -> Vec<String> {
    let (client, script) = scripted();
    let error = match client.send(operation).await {
        Ok(_) => panic!("it was sent"),
        Err(error) => error,
    };
    assert_eq!(error.kind(), ErrorKind::Validation);
    assert_eq!(error.sent(), Sent::No);
    assert_eq!(error.attempts(), 0);
    assert!(script.requests().is_empty());
    let fields = error.field_errors().expect("fields");
    assert!(
        fields
            .iter()
            .all(|(field, _)| error.to_string().contains(field))
    );
    fields.iter().map(|(field, _)| field.to_owned()).collect()
}

/// Whether an operation passes; the script has no answer, so sending it ends there.
async fn passes(operation: impl Operation) -> bool {
    let (client, script) = scripted();
    let _ = client.send(operation).await;
    !script.requests().is_empty()
}

fn letters(count: usize) -> String {
    "é".repeat(count)
}

#[tokio::test]
async fn all_fields_at_fault_are_named_at_once() {
    let server = ProvisionEndpoint::new(customer())
        .ip_address("203.0.113.010")
        .hostname(letters(256))
        .client_name(letters(256))
        .client_email("nobody")
        .product_slug(letters(51))
        .plan_slug(letters(51))
        .mrr(10_000.0);
    assert_eq!(
        refused(server).await,
        [
            "client_email",
            "client_name",
            "hostname",
            "ip_address",
            "mrr",
            "plan_slug",
            "product_slug"
        ]
    );
}

#[tokio::test]
async fn every_limit_is_allowed_and_one_more_is_not() {
    let server = |hostname: usize, slug: usize, mrr: f64| {
        ProvisionEndpoint::new(customer())
            .hostname(letters(hostname))
            .product_slug(letters(slug))
            .mrr(mrr)
    };
    assert!(passes(server(255, 50, 0.01)).await);
    assert!(passes(server(255, 50, 9999.99)).await);
    assert_eq!(refused(server(256, 50, 1.0)).await, ["hostname"]);
    assert_eq!(refused(server(255, 51, 1.0)).await, ["product_slug"]);
    assert_eq!(refused(server(1, 1, 0.009)).await, ["mrr"]);
    assert_eq!(refused(server(1, 1, f64::NAN)).await, ["mrr"]);

    let rule = |justification: usize, service: usize| {
        CreateRule::new(
            "22".parse().expect("a port"),
            Protocol::Tcp,
            letters(justification),
        )
        .service(letters(service))
    };
    assert!(passes(rule(10, 100)).await);
    assert!(passes(rule(500, 100)).await);
    assert_eq!(refused(rule(9, 100)).await, ["justification"]);
    assert_eq!(refused(rule(501, 101)).await, ["justification", "service"]);

    let endpoint = |address: usize, nickname: usize| {
        CreateEndpoint::new(customer(), letters(address)).nickname(letters(nickname))
    };
    assert!(passes(endpoint(255, 255)).await);
    assert_eq!(
        refused(endpoint(256, 256)).await,
        ["ip_address", "nickname"]
    );
    assert_eq!(refused(endpoint(0, 0)).await, ["ip_address"]);
    let renamed = UpdateEndpoint::new(endpoint_id(), customer()).nickname(letters(256));
    assert_eq!(refused(renamed).await, ["nickname"]);
}

#[tokio::test]
async fn a_server_needs_an_address_or_a_hostname() {
    assert_eq!(
        refused(ProvisionEndpoint::new(customer())).await,
        ["ip_address"]
    );
    let empty = ProvisionEndpoint::new(customer())
        .ip_address("")
        .hostname("");
    assert_eq!(refused(empty).await, ["ip_address"]);
    assert!(passes(ProvisionEndpoint::new(customer()).hostname("web")).await);
    for bad in ["fe80::1%eth0", "203.0.113.0/24", "1.2.3", "web"] {
        let server = ProvisionEndpoint::new(customer()).ip_address(bad);
        assert_eq!(refused(server).await, ["ip_address"], "{bad}");
    }
}

#[tokio::test]
async fn an_email_address_has_one_at_sign_between_a_name_and_a_host() {
    let with = |email: &str| CreateEndpoint::new(customer(), "web").client_email(email);
    for good in ["a@b", "ann.smith+x@mail.example.com"] {
        assert!(passes(with(good)).await, "{good}");
    }
    for bad in [
        "", "@", "a@", "@b", "a@b@c", "a b@c", "a@b c", "a@-b", "a@b..c",
    ] {
        assert_eq!(refused(with(bad)).await, ["client_email"], "{bad}");
    }
}

#[tokio::test]
async fn values_outside_the_documented_lists_are_refused() {
    let status = EndpointStatus::Terminated;
    assert_eq!(
        refused(ListEndpoints::new().status(status.clone())).await,
        ["status"]
    );
    let create = CreateEndpoint::new(customer(), "web").status(status);
    assert_eq!(refused(create).await, ["status"]);
    let rules = ListRules::new()
        .scope("nearby".into())
        .status("asleep".into())
        .page(0)
        .per_page(0);
    assert_eq!(
        refused(rules).await,
        ["page", "per_page", "scope", "status"]
    );
    let rule = CreateRule::new(
        "22".parse().expect("a port"),
        "icmp".into(),
        "For the monitoring",
    )
    .scope(RuleScope::Endpoint)
    .expires_at("next week");
    assert_eq!(
        refused(rule).await,
        ["endpoint_id", "expires_at", "protocol"]
    );
    assert_eq!(
        refused(ListPortAlerts::new(customer()).page(0).per_page(0)).await,
        ["page", "per_page"]
    );
}

#[tokio::test]
async fn one_call_can_leave_the_judgement_to_the_service() {
    let (client, script) = scripted();
    let answer = json!({"status": "error", "message": "The given data was invalid.",
        "errors": {"ip_address": ["It is required."], "client_email": "It must be an e-mail address."}});
    script.answer(StatusCode::UNPROCESSABLE_ENTITY, answer.to_string());
    let error = client
        .call(ProvisionEndpoint::new(customer()))
        .without_validation()
        .send()
        .await
        .expect_err("refused by the service");
    assert_eq!(error.kind(), ErrorKind::Api);
    assert_eq!(error.sent(), Sent::Yes);
    let fields = error.field_errors().expect("fields");
    assert_eq!(fields.get("ip_address"), ["It is required."]);
    assert_eq!(
        fields.get("client_email"),
        ["It must be an e-mail address."]
    );
    assert_eq!(fields.len(), 2);
}
