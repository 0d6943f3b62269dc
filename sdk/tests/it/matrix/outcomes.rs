//! What a call may claim: a deletion is done by 204 alone, and after a lost answer nobody knows what was new.

use http::StatusCode;
use secmon::model::{PortRange, Protocol};
use secmon::operations::*;
use secmon::testing::{self, MockTransport};
use secmon::transport::TransportErrorKind;
use secmon::{Delivery, Error, ErrorKind, Operation, Response};
use serde_json::json;

use crate::specified::answers;
use crate::support::*;

type Answer = http::Response<bytes::Bytes>;

/// How a step of a script ends.
#[derive(Debug, Clone)]
enum Expectation {
    Answers(Box<Answer>),
    Fails(TransportErrorKind),
    Hangs,
}

use Expectation::{Answers, Fails, Hangs};

/// What comes of an operation whose attempts end like this, one after another.
async fn after<O: Operation>(
    operation: O,
    steps: &[Expectation],
) -> Result<Response<O::Output>, Error> {
    let (client, script) = scripted();
    for step in steps {
        match step {
            Answers(answer) => script.respond(Answer::clone(answer)),
            Fails(kind) => script.fail(*kind),
            Hangs => script.hang(),
        }
    }
    client.send(operation).await
}

fn with_status(status: u16, body: &str) -> Expectation {
    let status = StatusCode::from_u16(status).expect("a status");
    let mut answer = testing::html(status, body);
    *answer.status_mut() = status;
    Answers(Box::new(answer))
}

fn missing() -> Expectation {
    Answers(Box::new(testing::resource_error(
        StatusCode::NOT_FOUND,
        "No such record.",
    )))
}

/// Both deletions, each as what is left of its outcome.
async fn both_deletions(steps: &[Expectation]) -> [Result<(), Error>; 2] {
    let endpoint = after(DeleteEndpoint::account_wide(endpoint_id()), steps).await;
    let rule = after(DeleteRule::account_wide(rule_id()), steps).await;
    [endpoint.map(|done| done.data), rule.map(|done| done.data)]
}

#[tokio::test(start_paused = true)]
async fn a_deletion_is_done_by_204_alone() {
    for ended in both_deletions(&[Answers(Box::new(testing::no_content()))]).await {
        ended.expect("deleted");
    }
    let envelope = success(json!({"deleted": true}));
    for status in [200, 201, 202, 203, 205, 206, 226, 299] {
        for body in [
            "",
            "{}",
            "null",
            "[]",
            "<html>Signed out</html>",
            &resource(endpoint()),
            &envelope,
        ] {
            for ended in both_deletions(&[with_status(status, body)]).await {
                let error = ended.expect_err("not deleted");
                assert_eq!(error.kind(), ErrorKind::Decode, "{status} {body}");
                assert_eq!(error.delivery(), Delivery::Maybe, "{status} {body}");
                assert!(error.to_string().contains("204"), "{error}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_404_is_a_deletion_only_after_an_answer_that_was_lost() {
    // What something between says in the service's place is a lost answer (F13).
    let gateway = [500, 502, 503, 504].map(|status| with_status(status, "<html>Gateway</html>"));
    let lost = [
        Fails(TransportErrorKind::Interrupted),
        Fails(TransportErrorKind::Timeout),
        Hangs,
    ];
    for first in lost.into_iter().chain(gateway) {
        for ended in both_deletions(&[first.clone(), missing()]).await {
            ended.unwrap_or_else(|error| panic!("{first:?}: {error}"));
        }
    }
    let own = r#"{"status": "error", "message": "Server Error"}"#;
    let unclear = [500, 502, 503, 504].map(|status| with_status(status, own));
    for first in unclear {
        for ended in both_deletions(&[first.clone(), missing()]).await {
            let error = ended.expect_err("nobody knows");
            assert_eq!(
                (error.kind(), error.delivery()),
                (ErrorKind::Api, Delivery::Maybe),
                "{first:?}"
            );
        }
    }
    let unsent = [
        Fails(TransportErrorKind::Connect),
        Answers(Box::new(testing::too_many_attempts(None))),
        Answers(Box::new(testing::api_error(
            StatusCode::SERVICE_UNAVAILABLE,
            "SCANNING_UNAVAILABLE",
            "Later.",
        ))),
    ];
    for first in unsent {
        for ended in both_deletions(&[first.clone(), missing()]).await {
            let error = ended.expect_err("there was none");
            assert_eq!(
                (error.kind(), error.delivery()),
                (ErrorKind::Api, Delivery::Answered),
                "{first:?}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_404_that_is_not_the_services_own_deletes_nothing() {
    let lost = Fails(TransportErrorKind::Interrupted);
    for body in ["<html>Not Found</html>", "", "{}", "default backend - 404"] {
        for ended in both_deletions(&[lost.clone(), with_status(404, body)]).await {
            let error = ended.expect_err("nobody knows");
            assert_eq!(
                (error.kind(), error.delivery()),
                (ErrorKind::Decode, Delivery::Maybe),
                "{body}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_redirect_and_a_page_of_html_leave_it_open_whether_the_service_acted() {
    for row in &answers::all() {
        let redirects = [301, 302, 303, 307, 308].map(|status| (status, ErrorKind::Redirect));
        let pages = [200, 403, 404].map(|status| (status, ErrorKind::Decode));
        let gateways = [408, 421, 425, 500, 502, 503, 504, 520, 530, 599];
        let gateways = gateways.map(|status| (status, ErrorKind::Gateway));
        let others = [(304, ErrorKind::Decode), (407, ErrorKind::Proxy)];
        let ends = redirects.into_iter().chain(pages).chain(gateways);
        for (status, kind) in ends.chain(others) {
            let script = MockTransport::new();
            let client = super::once(&script);
            let Answers(answer) = with_status(status, "<html>Please sign in</html>") else {
                continue;
            };
            script.respond(*answer);
            let error = row.send(&client).await.err().expect("no result");
            let ended = (error.kind(), error.delivery());
            assert_eq!(
                ended,
                (kind, Delivery::Maybe),
                "{} {status}",
                row.operation.name
            );
        }
    }
}

/// Whether a success says that it was new, and that an earlier attempt may have acted.
fn claims<T>(ended: Result<Response<T>, Error>) -> (Option<bool>, bool) {
    let response = ended.unwrap_or_else(|error| panic!("no result: {error}"));
    (response.was_created(), response.may_have_acted_before())
}

/// What each operation that makes a record claims, when its last answer is the good one with this status.
async fn claims_of_all(first: &[Expectation], status: StatusCode) -> Vec<(Option<bool>, bool)> {
    let steps = |name: &str| {
        let rows = answers::all();
        let row = rows
            .iter()
            .find(|row| row.operation.name == name)
            .expect("a row");
        let mut answer = testing::document(row.body.as_ref().expect("a body").value());
        *answer.status_mut() = status;
        let last = Answers(Box::new(answer));
        [first, &[last]].concat()
    };
    let (id, service) = (ID.parse().expect("an id"), testing::model(json!(501)));
    let subscription = ProvisionSubscription::new(customer(), service, "port_monitoring");
    vec![
        claims(
            after(
                ProvisionEndpoint::new(customer()).ip_address("203.0.113.10"),
                &steps("provision_endpoint"),
            )
            .await,
        ),
        claims(
            after(
                ProvisionDomain::new(customer(), "example.com", service),
                &steps("provision_domain"),
            )
            .await,
        ),
        claims(after(subscription, &steps("provision_subscription")).await),
        claims(
            after(
                CreateEndpoint::new(customer(), "203.0.113.10"),
                &steps("create_endpoint"),
            )
            .await,
        ),
        claims(after(SuspendEndpoint::new(id), &steps("suspend_endpoint")).await),
    ]
}

#[tokio::test(start_paused = true)]
async fn after_an_answer_that_was_lost_or_unclear_nothing_is_called_old() {
    let mut unknown = vec![
        Fails(TransportErrorKind::Interrupted),
        Fails(TransportErrorKind::Timeout),
        Hangs,
    ];
    unknown.extend([500, 502, 503, 504].map(|status| with_status(status, "<html>Gateway</html>")));
    for first in unknown {
        let first = std::slice::from_ref(&first);
        for claim in claims_of_all(first, StatusCode::OK).await {
            assert_eq!(claim, (None, true), "{first:?}");
        }
        // A 201 says itself that this attempt made the record.
        for claim in claims_of_all(first, StatusCode::CREATED).await {
            assert_eq!(claim, (Some(true), true), "{first:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn after_an_attempt_that_was_not_processed_what_was_there_is_called_old() {
    let processed_nothing = [
        vec![],
        vec![Fails(TransportErrorKind::Connect)],
        vec![Answers(Box::new(testing::too_many_attempts(None)))],
        vec![with_status(429, "<html>Slow down</html>")],
        vec![Answers(Box::new(testing::api_error(
            StatusCode::SERVICE_UNAVAILABLE,
            "SCANNING_UNAVAILABLE",
            "Later.",
        )))],
    ];
    for first in processed_nothing {
        for claim in claims_of_all(&first, StatusCode::OK).await {
            assert_eq!(claim, (Some(false), false), "{first:?}");
        }
        for claim in claims_of_all(&first, StatusCode::CREATED).await {
            assert_eq!(claim, (Some(true), false), "{first:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_must_not_act_twice_is_not_sent_again_to_find_out() {
    let ports: PortRange = "22".parse().expect("a port");
    let create = || CreateRule::account_wide(ports, Protocol::Tcp, "SSH for operations");
    for first in [
        Fails(TransportErrorKind::Interrupted),
        Hangs,
        with_status(502, "<html>"),
    ] {
        let error = after(create(), &[first]).await.expect_err("no result");
        assert_eq!(
            (error.delivery(), error.attempts(), error.is_retryable()),
            (Delivery::Maybe, 1, false)
        );
    }
}
