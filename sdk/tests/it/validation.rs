//! What the SDK refuses before it sends anything.

use http::StatusCode;
use secmon::model::*;
use secmon::operations::*;
use secmon::{Delivery, ErrorKind, Operation};
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
    assert_eq!(error.delivery(), Delivery::NotSent);
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
        .mrr(money("10000"));
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
    let server = |hostname: usize, slug: usize, mrr: &str| {
        ProvisionEndpoint::new(customer())
            .hostname(letters(hostname))
            .product_slug(letters(slug))
            .mrr(money(mrr))
    };
    assert!(passes(server(255, 50, "0.01")).await);
    assert!(passes(server(255, 50, "9999.99")).await);
    assert_eq!(refused(server(256, 50, "1.0")).await, ["hostname"]);
    assert_eq!(refused(server(255, 51, "1.0")).await, ["product_slug"]);
    assert_eq!(refused(server(1, 1, "0.009")).await, ["mrr"]);

    let rule = |justification: usize, service: usize| {
        CreateRule::account_wide(
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
    let renamed = UpdateEndpoint::new(customer(), endpoint_id()).nickname(letters(256));
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
        refused(ListEndpoints::account_wide().status(status.clone())).await,
        ["status"]
    );
    let create = CreateEndpoint::new(customer(), "web").status(status);
    assert_eq!(refused(create).await, ["status"]);
    let rules = ListRules::account_wide()
        .scope("nearby".into())
        .status("asleep".into())
        .page(0)
        .per_page(0);
    assert_eq!(
        refused(rules).await,
        ["page", "per_page", "scope", "status"]
    );
    let port = "22".parse().expect("a port");
    let mut rule = CreateRule::account_wide(port, "icmp".into(), "For the monitoring");
    rule.scope = RuleScope::Endpoint;
    assert_eq!(refused(rule).await, ["endpoint_id", "protocol"]);
    assert!("next week".parse::<Expiry>().is_err());
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
        .with(|call| call.validation(false))
        .send()
        .await
        .expect_err("refused by the service");
    assert_eq!(error.kind(), ErrorKind::Api);
    assert_eq!(error.delivery(), Delivery::Answered);
    let fields = error.field_errors().expect("fields");
    assert_eq!(fields.get("ip_address"), ["It is required."]);
    assert_eq!(
        fields.get("client_email"),
        ["It must be an e-mail address."]
    );
    assert_eq!(fields.len(), 2);
}

fn service() -> ServiceId {
    ServiceId::try_from(501).expect("a service")
}

#[tokio::test]
async fn domains_and_subscriptions_keep_to_their_limits() {
    let domain = |name: usize| ProvisionDomain::new(customer(), letters(name), service());
    assert!(passes(domain(253)).await);
    assert_eq!(refused(domain(254)).await, ["domain"]);
    assert_eq!(
        refused(domain(0).client_email("x").client_name(letters(256))).await,
        ["client_email", "client_name", "domain"]
    );
    let id: DomainId = ID.parse().expect("an id");
    assert_eq!(refused(UpdateDomain::new(id, "")).await, ["domain"]);

    let subscription = |quantity: u32| {
        ProvisionSubscription::new(customer(), service(), "domain_monitoring").quantity(quantity)
    };
    assert!(passes(subscription(1)).await && passes(subscription(10_000)).await);
    for quantity in [0, 10_001] {
        let bad = subscription(quantity)
            .mrr(money("0"))
            .plan_slug(letters(51));
        assert_eq!(refused(bad).await, ["mrr", "plan_slug", "quantity"]);
    }
    let long = letters(51);
    let unnamed = SuspendSubscription::new(customer(), service(), long.as_str());
    assert_eq!(refused(unnamed).await, ["product_slug"]);

    let change = || ChangeSubscription::new(customer(), service(), "port_monitoring");
    assert_eq!(refused(change()).await, ["new_plan_slug", "new_quantity"]);
    assert_eq!(refused(change().new_quantity(0)).await, ["new_quantity"]);
    assert!(passes(change().new_plan_slug("business")).await);
}

#[tokio::test]
async fn a_sync_has_1_to_500_services_and_names_the_bad_ones_by_their_place() {
    let service =
        |product: &str, status: &str| ServiceReport::new(customer(), service(), product, status);
    let good = || service("endpoint", "active");
    assert_eq!(refused(SyncServices::new([])).await, ["services"]);
    assert!(passes(SyncServices::new(vec![good(); 500])).await);
    assert_eq!(
        refused(SyncServices::new(vec![good(); 501])).await,
        ["services"]
    );
    let mixed = SyncServices::new([
        good(),
        service("voip", "active"),
        service("endpoint", "asleep"),
    ])
    .module_version(letters(21));
    assert_eq!(
        refused(mixed).await,
        [
            "module_version",
            "services.1.product_slug",
            "services.2.status"
        ]
    );
}

#[tokio::test]
async fn the_other_reads_and_the_assumed_operations_keep_to_their_limits() {
    let id: DomainId = ID.parse().expect("an id");
    let alerts = ListDomainAlerts::new(customer(), id);
    assert!(passes(alerts.clone().per_page(50)).await);
    let bad = alerts
        .status("x".into())
        .kind("x".into())
        .category("x".into())
        .severity(Severity::Low)
        .per_page(51)
        .page(0);
    assert_eq!(
        refused(bad).await,
        ["category", "page", "per_page", "severity", "status", "type"]
    );
    assert_eq!(
        refused(ListMentions::new(customer(), id).per_page(0)).await,
        ["per_page"]
    );
    let leaks = ListCredentialLeaks::new(customer(), id)
        .page(0)
        .category("x".into());
    assert_eq!(refused(leaks).await, ["category", "page"]);

    assert_eq!(
        refused(SetPrice::new("", money("-1"), "EURO").plan_slug(letters(51))).await,
        ["currency", "plan_slug", "price", "product_slug"]
    );
    assert_eq!(refused(RemovePrice::new("")).await, ["product_slug"]);
    let both = SetScenario::new("odd".into())
        .endpoint_id(endpoint_id())
        .monitored_domain_id(id);
    assert_eq!(
        refused(both).await,
        ["endpoint_id", "monitored_domain_id", "scenario"]
    );
    let dump = |bytes: usize| IngestFirewall::new(customer(), endpoint_id(), "x".repeat(bytes));
    assert!(passes(dump(256 * 1024)).await);
    assert_eq!(refused(dump(256 * 1024 + 1)).await, ["content"]);
    assert_eq!(
        refused(dump(0).format("pf".into())).await,
        ["content", "format"]
    );
    for path in ["domains", "//elsewhere.example", "/\\elsewhere.example", ""] {
        let token = CreateSsoToken::new(customer()).redirect_path(path);
        assert_eq!(refused(token).await, ["redirect_path"], "{path}");
    }
}
