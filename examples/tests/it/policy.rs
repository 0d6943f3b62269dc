//! What an error or a lost answer leads to.

use secmon::operations::{
    ChangeSubscription, GetEndpoint, ListCredentialLeaks, ProvisionDomain, ProvisionEndpoint,
    ResumeEndpoint, ResumeSubscription, ScanEndpoint, TerminateEndpoint, TerminateSubscription,
};
use secmon::testing::{self, MockTransport};
use secmon::transport::TransportErrorKind;
use secmon::{ApiKey, Client, Error, ErrorCode, ErrorKind, Operation};
use secmon_examples::policy::{Next, next};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;

const SERVER: &str = "6f9619ff-8b86-4011-b42d-00c04fc964ff";

fn client(script: &Arc<MockTransport>) -> Client {
    let key = ApiKey::new("a-key").expect("a key");
    let builder = Client::builder("https://portal.example.com", key);
    builder.transport(script.clone()).build().expect("a client")
}

fn refused<O: Operation>(status: u16, code: ErrorCode) -> Next {
    let answer = testing::api_error_with(
        status.try_into().expect("a status"),
        code,
        "No.",
        json!({"current_usage": 8, "new_limit": 5, "limit": 5, "retry_after_seconds": 90}),
    );
    next(&testing::error::<O>(answer))
}

/// What becomes of an order at each code, as docs/error-codes.md tells it.
const POLICIES: &[(&str, Kind)] = &[
    ("TENANT_NOT_FOUND", Halt),
    ("TENANT_MISMATCH", Halt),
    ("ACCOUNT_SUSPENDED", Halt),
    ("ENDPOINT_LIMIT_EXCEEDED", Customer),
    ("DOMAIN_LIMIT_EXCEEDED", Customer),
    ("ENDPOINT_NOT_ACTIVE", Customer),
    ("DOMAIN_ALREADY_EXISTS", Customer),
    ("DNS_RESOLUTION_FAILED", Customer),
    ("DOWNGRADE_USAGE_EXCEEDED", Customer),
    ("ENDPOINT_NOT_FOUND", Look),
    ("DOMAIN_NOT_FOUND", Look),
    ("ALERT_NOT_FOUND", Look),
    ("ALERT_NOT_ACKNOWLEDGED", Look),
    ("SCAN_DISPATCH_FAILED", Look),
    ("ALERT_ALREADY_RESOLVED", Done),
    ("RATE_LIMITED", Later),
    ("SCANNING_UNAVAILABLE", Later),
    ("SANDBOX_DISABLED", Operator),
    ("PRODUCT_NOT_FOUND", Operator),
    ("BILLING_CLIENT_NOT_FOUND", Operator),
    ("SUBSCRIPTION_NOT_FOUND", Operator),
    ("SUBSCRIPTION_NOT_CHANGEABLE", Operator),
    ("NOT_FOUND", Operator),
    ("METHOD_NOT_ALLOWED", Operator),
    ("USER_NOT_FOUND", Operator),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Done,
    Later,
    Customer,
    Operator,
    Halt,
    Look,
}

use Kind::{Customer, Done, Halt, Later, Look, Operator};

fn kind(next: &Next) -> Kind {
    match next {
        Next::Done => Done,
        Next::RetryLater { .. } => Later,
        Next::AskCustomer(_) => Customer,
        Next::AskOperator(_) => Operator,
        Next::Halt(_) => Halt,
        Next::LookFirst => Look,
    }
}

#[test]
fn every_code_has_a_policy() {
    for (code, expected) in POLICIES {
        let got = refused::<ScanEndpoint>(403, ErrorCode::from(*code));
        assert_eq!(kind(&got), *expected, "{code}: {got:?}");
    }
}

#[test]
fn no_code_of_the_page_or_of_the_client_is_missing() {
    let page = include_str!("../../../docs/error-codes.md");
    let (_, table) = page.split_once("## Codes").expect("the table");
    let first_cells = table.lines().filter_map(|line| line.strip_prefix("| `"));
    let explained: BTreeSet<String> = first_cells
        .filter_map(|line| line.split(" | ").next())
        .flat_map(|cell| cell.split(','))
        .map(|code| code.trim().trim_matches('`').to_owned())
        .collect();
    let known: BTreeSet<String> = ErrorCode::VARIANTS
        .iter()
        .map(|code| code.to_str().into_owned())
        .collect();
    let decided: BTreeSet<String> = POLICIES.iter().map(|(code, _)| code.to_string()).collect();
    assert_eq!(decided, explained);
    assert_eq!(decided, known);
}

#[test]
fn a_limit_is_told_with_its_number_where_the_service_tells_it() {
    let server = refused::<ProvisionEndpoint>(403, ErrorCode::EndpointLimitExceeded);
    let sentence = "Your plan includes 5 servers: a larger one makes room for this server.";
    assert_eq!(server, Next::AskCustomer(sentence.to_owned()));
    let silent = testing::api_error(
        403.try_into().expect("a status"),
        ErrorCode::DomainLimitExceeded,
        "No.",
    );
    let sentence = "All domain slots are in use: buy another, or give one up.";
    assert_eq!(
        next(&testing::error::<ProvisionDomain>(silent)),
        Next::AskCustomer(sentence.to_owned())
    );
}

#[test]
fn what_an_error_means_depends_on_the_call() {
    assert_eq!(
        refused::<TerminateEndpoint>(404, ErrorCode::EndpointNotFound),
        Next::Done
    );
    assert_eq!(
        refused::<ResumeEndpoint>(404, ErrorCode::EndpointNotFound),
        Next::LookFirst
    );
    // The order names the wrong product, service or customer, and what was to end may go on.
    for code in [
        ErrorCode::ProductNotFound,
        ErrorCode::BillingClientNotFound,
        ErrorCode::SubscriptionNotFound,
        ErrorCode::NotFound,
    ] {
        let end = refused::<TerminateSubscription>(404, code);
        assert!(matches!(end, Next::AskOperator(_)), "{end:?}");
    }
    let end = refused::<TerminateEndpoint>(404, ErrorCode::NotFound);
    assert!(matches!(end, Next::AskOperator(_)), "{end:?}");
    let resume = refused::<ResumeSubscription>(404, ErrorCode::SubscriptionNotFound);
    assert!(matches!(resume, Next::AskOperator(_)), "{resume:?}");
    let change = refused::<ChangeSubscription>(422, ErrorCode::DowngradeUsageExceeded);
    assert_eq!(
        change,
        Next::AskCustomer("You use 8, and the smaller plan includes 5.".to_owned())
    );
    let fields = testing::validation_error(&[("ip_address", "The ip address is invalid.")]);
    let Next::AskCustomer(sentence) = next(&testing::error::<ProvisionEndpoint>(fields)) else {
        panic!("no sentence")
    };
    assert!(
        sentence.contains("The ip address is invalid."),
        "{sentence}"
    );
}

#[test]
fn every_way_to_lose_an_answer_has_a_policy() {
    use TransportErrorKind::{
        BodyTooLarge, Connect, Interrupted, Proxy, Redirected, Refused, Timeout, Tls,
    };
    fn lost<O: Operation>(kind: TransportErrorKind) -> Next {
        next(&testing::failure::<O>(kind))
    }
    for kind in [Tls, Proxy, Redirected, Refused] {
        assert!(
            matches!(lost::<ProvisionEndpoint>(kind), Next::Halt(_)),
            "{kind:?}"
        );
    }
    for kind in [Connect, Timeout, Interrupted] {
        assert!(
            matches!(lost::<ProvisionEndpoint>(kind), Next::RetryLater { .. }),
            "{kind:?}"
        );
    }
    assert!(matches!(
        lost::<ScanEndpoint>(Connect),
        Next::RetryLater { .. }
    ));
    assert_eq!(lost::<ScanEndpoint>(Interrupted), Next::LookFirst);
    assert_eq!(lost::<ProvisionEndpoint>(BodyTooLarge), Next::LookFirst);
    assert!(matches!(
        lost::<GetEndpoint>(BodyTooLarge),
        Next::AskOperator(_)
    ));
    let missing = testing::resource_error(404.try_into().expect("a status"), "Not found.");
    let gateway = || testing::html(502.try_into().expect("a status"), "<h1>Bad gateway</h1>");
    assert!(matches!(
        next(&testing::error::<GetEndpoint>(gateway())),
        Next::RetryLater { .. }
    ));
    assert_eq!(
        next(&testing::error::<ChangeSubscription>(gateway())),
        Next::LookFirst
    );
    assert_eq!(
        next(&testing::error::<GetEndpoint>(missing)),
        Next::LookFirst
    );
    let key = next(&testing::error::<GetEndpoint>(testing::unauthenticated()));
    assert!(matches!(key, Next::Halt(_)), "{key:?}");
}

#[tokio::test(start_paused = true)]
async fn a_refusal_after_a_lost_answer_is_no_refusal_yet() {
    let script = MockTransport::new();
    script.fail(TransportErrorKind::Interrupted);
    script.respond(testing::api_error(
        409.try_into().expect("a status"),
        ErrorCode::DomainAlreadyExists,
        "No.",
    ));
    let update = client(&script)
        .domains()
        .update(testing::model(json!(SERVER)), "example.com")
        .await;
    assert_eq!(next(&update.expect_err("refused")), Next::LookFirst);
    script.assert_done();
}

#[tokio::test(start_paused = true)]
async fn a_source_that_is_down_is_tried_later() {
    let script = MockTransport::new();
    script.respond(testing::unavailable_leaks("The dataset cannot be reached."));
    let list =
        ListCredentialLeaks::new("42".parse().expect("an id"), testing::model(json!(SERVER)));
    let error: Error = client(&script)
        .pages(list)
        .collect_all()
        .await
        .expect_err("no list");
    assert_eq!(error.kind(), ErrorKind::LeakSourceUnavailable);
    assert!(matches!(next(&error), Next::RetryLater { after: Some(_) }));
}
