//! What an error or a lost answer leads to.

use crate::{SERVER, module, refused};
use secmon::operations::{
    ChangeSubscription, GetEndpoint, ListCredentialLeaks, ProvisionEndpoint, ResumeEndpoint,
    ResumeSubscription, ScanEndpoint, TerminateEndpoint, TerminateSubscription,
};
use secmon::testing::{self, Script};
use secmon::transport::TransportErrorKind;
use secmon::{Error, ErrorCode, ErrorKind, Operation};
use secmon_examples::billing::policy::{Next, next};
use serde_json::json;

#[test]
fn every_code_has_a_policy() {
    let customer = |next: &Next| matches!(next, Next::AskCustomer(_));
    let operator = |next: &Next| matches!(next, Next::AskOperator(_));
    let halt = |next: &Next| matches!(next, Next::Halt(_));
    for code in ErrorCode::named() {
        let got = refused::<GetEndpoint>(403, code.clone());
        let right = match code.to_str().as_ref() {
            "TENANT_NOT_FOUND" | "TENANT_MISMATCH" | "ACCOUNT_SUSPENDED" => halt(&got),
            "ENDPOINT_LIMIT_EXCEEDED" | "DOMAIN_LIMIT_EXCEEDED" | "ENDPOINT_NOT_ACTIVE" => {
                customer(&got)
            }
            "DOMAIN_ALREADY_EXISTS" | "DOWNGRADE_USAGE_EXCEEDED" | "DNS_RESOLUTION_FAILED" => {
                customer(&got)
            }
            "ENDPOINT_NOT_FOUND" | "DOMAIN_NOT_FOUND" | "ALERT_NOT_ACKNOWLEDGED" => {
                got == Next::LookFirst
            }
            "ALERT_NOT_FOUND" | "ALERT_ALREADY_RESOLVED" => got == Next::Done,
            "RATE_LIMITED" => got == Next::RetryLater { after: Some(91) },
            "SCAN_DISPATCH_FAILED" | "SCANNING_UNAVAILABLE" => {
                matches!(got, Next::RetryLater { after: Some(_) })
            }
            _ => operator(&got),
        };
        assert!(right, "{code}: {got:?}");
    }
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
    assert_eq!(
        refused::<TerminateSubscription>(404, ErrorCode::SubscriptionNotFound),
        Next::Done
    );
    let resume = refused::<ResumeSubscription>(404, ErrorCode::SubscriptionNotFound);
    assert!(matches!(resume, Next::AskOperator(_)), "{resume:?}");
    let change = refused::<ChangeSubscription>(422, ErrorCode::DowngradeUsageExceeded);
    assert_eq!(
        change,
        Next::AskCustomer("8 are in use, and the smaller plan holds 5.".to_owned())
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
    let script = Script::new();
    script.fail(TransportErrorKind::Interrupted);
    script.respond(testing::api_error(
        409.try_into().expect("a status"),
        ErrorCode::DomainAlreadyExists,
        "No.",
    ));
    let update = module(&script)
        .screen
        .domains()
        .update(testing::model(json!(SERVER)), "example.com")
        .await;
    assert_eq!(next(&update.expect_err("refused")), Next::LookFirst);
    script.assert_done();
}

#[tokio::test(start_paused = true)]
async fn a_source_that_is_down_is_tried_later() {
    let script = Script::new();
    script.respond(testing::unavailable_leaks("The dataset cannot be reached."));
    let list =
        ListCredentialLeaks::new("42".parse().expect("an id"), testing::model(json!(SERVER)));
    let error: Error = module(&script)
        .screen
        .pages(list)
        .collect_all()
        .await
        .expect_err("no list");
    assert_eq!(error.kind(), ErrorKind::SourceDown);
    assert!(matches!(next(&error), Next::RetryLater { after: Some(_) }));
}
