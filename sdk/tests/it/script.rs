//! The kit for callers' own tests: a transport that plays a script, answers in every envelope, models from JSON.

use std::time::Duration;

use http::{Method, StatusCode};
use secmon::model::Endpoint;
use secmon::operations::{
    GetEndpoint, ListCredentialLeaks, ListEndpoints, ListPortAlerts, ResumeEndpoint,
    SuspendEndpoint,
};
use secmon::testing::{self, MockTransport};
use secmon::transport::TransportErrorKind;
use secmon::{ApiKey, ErrorCode, ErrorKind};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::*;

fn suspend() -> SuspendEndpoint {
    SuspendEndpoint::new(endpoint_id())
}

fn state(status: &str) -> Value {
    json!({"endpoint_id": ID, "status": status})
}

#[tokio::test]
async fn steps_of_an_operation_are_played_for_it_alone_whatever_comes_between() {
    let (client, script) = scripted_once();
    script
        .on_named("resume_endpoint")
        .respond(testing::success(state("active")));
    script
        .on_named("suspend_endpoint")
        .respond(testing::success(state("paused")));
    script.answer(StatusCode::OK, r#"{"success": true, "status": "ok"}"#);

    client.health().await.expect("the step in order");
    let paused = client.send(suspend()).await.expect("its own step");
    assert_eq!(paused.data.status.as_str(), "paused");
    let active = client.send(ResumeEndpoint::new(endpoint_id())).await;
    assert_eq!(active.expect("its own step").data.status.as_str(), "active");
    script.assert_done();
}

#[tokio::test]
async fn an_operation_is_known_in_both_namespaces() {
    let script = MockTransport::new();
    script
        .on_named("suspend_endpoint")
        .respond(testing::success(state("paused")));
    let client = builder(&script)
        .namespace(secmon::Namespace::Provisioning)
        .build()
        .expect("a client");
    client.send(suspend()).await.expect("its own step");
    let sent = &script.requests()[0];
    assert_eq!(sent.operation, Some("suspend_endpoint"));
    assert_eq!(sent.path, "/api/v1/provisioning/suspend");
}

#[tokio::test]
async fn a_path_is_matched_with_its_method_and_a_star_for_any_one_segment() {
    let (client, script) = scripted_once();
    let any_endpoint = "/api/v1/endpoints/*";
    script
        .on_path(Method::DELETE, any_endpoint)
        .forever()
        .hang();
    script.on_path(Method::GET, "/api/v1/*").forever().hang();
    script
        .on_path(Method::GET, "/api/v1/endpoints/*/*")
        .forever()
        .hang();
    script
        .on_path(Method::GET, any_endpoint)
        .respond(testing::resource(endpoint()));
    let found = client.send(GetEndpoint::account_wide(endpoint_id())).await;
    assert_eq!(found.expect("its own step").data.id, endpoint_id());
}

#[tokio::test]
async fn a_step_is_played_as_often_as_it_says_and_the_next_one_after_it() {
    let (client, script) = scripted_once();
    let missing = || testing::api_error(StatusCode::NOT_FOUND, "ENDPOINT_NOT_FOUND", "Gone.");
    script
        .on_named("suspend_endpoint")
        .times(2)
        .respond(missing());
    script
        .on_named("suspend_endpoint")
        .forever()
        .respond(testing::success(state("paused")));
    for _ in 0..2 {
        let error = client.send(suspend()).await.expect_err("missing");
        assert_eq!(error.code(), Some(&ErrorCode::EndpointNotFound));
    }
    for _ in 0..5 {
        client.send(suspend()).await.expect("paused");
    }
    assert_eq!(script.verify(), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn steps_can_be_late_fail_and_hang() {
    let (client, script) = scripted_once();
    let late = Duration::from_secs(7);
    script
        .on_named("suspend_endpoint")
        .after(late)
        .respond(testing::success(state("paused")));
    let started = Instant::now();
    client.send(suspend()).await.expect("late");
    assert_eq!(started.elapsed(), late);

    script
        .on_named("suspend_endpoint")
        .fail(TransportErrorKind::Interrupted);
    let lost = client.send(suspend()).await.expect_err("lost");
    assert_eq!(lost.kind(), ErrorKind::Interrupted);

    script.on_named("suspend_endpoint").hang();
    let hung = client.send(suspend()).await.expect_err("no answer");
    assert_eq!(hung.kind(), ErrorKind::Timeout);
    script.assert_done();
}

#[tokio::test]
async fn the_end_names_what_was_not_played_and_what_had_no_step() {
    let (client, script) = scripted_once();
    assert_eq!(script.verify(), Ok(()));
    script
        .on_named("resume_endpoint")
        .times(3)
        .respond(testing::success(state("active")));
    script.on_path(Method::GET, "/api/v1/endpoints/*").hang();
    script.on_named("list_rules").forever().hang();
    client
        .send(ResumeEndpoint::new(endpoint_id()))
        .await
        .expect("active");
    let refused = client.send(suspend()).await.expect_err("no step");
    assert_eq!(refused.kind(), ErrorKind::Refused);
    assert!(
        refused.to_string().contains("suspend_endpoint"),
        "{refused}"
    );
    script.fail(TransportErrorKind::Connect);

    let sentence = "the script is not done; \
        not played: resume_endpoint (2 of 3), GET /api/v1/endpoints/* (1 of 1), any request (1 of 1); \
        asked without a step: POST /api/v1/billing/suspend (suspend_endpoint)";
    assert_eq!(script.verify(), Err(sentence.to_owned()));
    let panic = std::panic::catch_unwind(|| script.assert_done()).expect_err("not done");
    assert_eq!(
        panic.downcast_ref::<String>().map(String::as_str),
        Some(sentence)
    );
}

#[tokio::test]
async fn a_script_tells_which_key_was_sent_and_keeps_its_text_from_everybody() {
    let (client, script) = scripted_once();
    script
        .on_any()
        .forever()
        .respond(testing::document(json!({"success": true, "status": "ok"})));
    client.health().await.expect("healthy");
    let list = secmon::RawRequest::new(Method::GET, "endpoints");
    client.raw(list).await.expect("an answer");

    let [health, list] = &script.requests()[..] else {
        panic!("two requests");
    };
    let other = ApiKey::new("another-key").expect("a key");
    assert!(list.key_is(&key()) && !list.key_is(&other));
    assert!(
        !health.key_is(&key()),
        "the health check is sent without a key"
    );
    assert!(!list.headers.contains_key("authorization"));
    let shown = format!("{list:?} {list}");
    assert!(
        !shown.contains(&KEY[..8]) && !shown.contains("Bearer"),
        "{shown}"
    );
}

#[tokio::test]
async fn every_success_envelope_reads_as_the_client_expects_it() {
    let (client, script) = scripted_once();
    script.respond(testing::created(state("active")));
    let created = client
        .send(ResumeEndpoint::new(endpoint_id()))
        .await
        .expect("created");
    assert_eq!(created.status(), StatusCode::CREATED);

    for (answer, status) in [
        (testing::resource(endpoint()), StatusCode::OK),
        (testing::created_resource(endpoint()), StatusCode::CREATED),
    ] {
        script.respond(answer);
        let read = client
            .send(GetEndpoint::account_wide(endpoint_id()))
            .await
            .expect("a record");
        assert_eq!((read.data.id, read.status()), (endpoint_id(), status));
    }

    let delete = client.servers().delete(customer(), endpoint_id());
    script.respond(testing::no_content());
    assert_eq!(
        delete.await.expect("deleted").status(),
        StatusCode::NO_CONTENT
    );
}

#[tokio::test]
async fn pages_of_the_resource_envelope_follow_each_other_to_the_last() {
    let (client, script) = scripted_once();
    let pages = [vec![endpoint(), endpoint()], vec![endpoint()]];
    for (items, number) in pages.into_iter().zip(1..) {
        let page = testing::page(items, number, 2, 3);
        script.on_named("list_endpoints").respond(page);
    }
    let first = client
        .send(ListEndpoints::account_wide())
        .await
        .expect("a page")
        .data;
    let links = first.links.expect("links");
    assert_eq!((first.meta.current_page, first.meta.total), (1, Some(3)));
    assert!(links.prev.is_none() && links.next.is_some_and(|next| next.ends_with("page=2")));
    let last = client
        .send(ListEndpoints::account_wide().page(2))
        .await
        .expect("a page")
        .data;
    let links = last.links.expect("links");
    assert!(links.prev.is_some_and(|prev| prev.ends_with("page=1")) && links.next.is_none());
    script.assert_done();
}

#[tokio::test]
async fn every_error_envelope_reads_as_the_client_expects_it() {
    let (client, script) = scripted_once();
    let forbidden = StatusCode::FORBIDDEN;
    let details = json!({"limit": 5});
    script.respond(testing::api_error_with(
        forbidden,
        ErrorCode::EndpointLimitExceeded,
        "Full.",
        details,
    ));
    let full = client.send(suspend()).await.expect_err("refused");
    assert_eq!(full.code(), Some(&ErrorCode::EndpointLimitExceeded));
    assert_eq!(full.details().and_then(|details| details.limit()), Some(5));

    let numbered = [testing::alerts_error, testing::resource_error];
    for error in numbered {
        script.respond(error(forbidden, "Access denied"));
        let refused = client
            .send(ListPortAlerts::new(customer()))
            .await
            .expect_err("refused");
        assert_eq!(refused.code(), Some(&ErrorCode::Number(403)));
        assert_eq!(
            refused.api().map(|api| api.message.as_str()),
            Some("Access denied")
        );
    }

    script.respond(testing::validation_error(&[
        ("port", "Too low."),
        ("port", "No number."),
    ]));
    let invalid = client.send(suspend()).await.expect_err("invalid");
    assert_eq!(invalid.status(), Some(StatusCode::UNPROCESSABLE_ENTITY));
    let problems = invalid.field_errors().map(|errors| errors.get("port"));
    assert_eq!(
        problems,
        Some(&["Too low.".to_owned(), "No number.".to_owned()][..])
    );

    script.respond(testing::html(
        StatusCode::BAD_GATEWAY,
        "<h1>Bad gateway</h1>",
    ));
    let page = client.send(suspend()).await.expect_err("a page");
    assert_eq!(page.kind(), ErrorKind::Gateway);

    script.respond(testing::unauthenticated());
    let unknown = client.send(suspend()).await.expect_err("no such key");
    assert_eq!(
        (unknown.kind(), unknown.status()),
        (ErrorKind::Api, Some(StatusCode::UNAUTHORIZED))
    );
    let again = client.send(suspend()).await.expect_err("never sent");
    assert_eq!(again.kind(), ErrorKind::KeyRejected);
}

#[test]
fn a_full_window_says_when_it_ends_in_whole_seconds_or_not_at_all() {
    let header = |wait: Option<Duration>| {
        let answer = testing::too_many_attempts(wait);
        assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS);
        let value = answer.headers().get("retry-after")?;
        Some(value.to_str().expect("text").to_owned())
    };
    assert_eq!(
        header(Some(Duration::from_millis(16_001))).as_deref(),
        Some("17")
    );
    assert_eq!(header(Some(Duration::from_secs(17))).as_deref(), Some("17"));
    assert_eq!(header(None), None);
}

#[tokio::test]
async fn leaks_whose_source_is_down_are_a_result_that_says_so() {
    let (client, script) = scripted_once();
    script.respond(testing::unavailable_leaks("The dataset cannot be reached."));
    let domain = testing::model(json!(ID));
    let leaks = client
        .send(ListCredentialLeaks::new(customer(), domain))
        .await;
    let leaks = leaks.expect("a result");
    assert_eq!(leaks.status(), StatusCode::SERVICE_UNAVAILABLE);
    let message = leaks.raw_field("/data/error");
    assert_eq!(message, Some(json!("The dataset cannot be reached.")));
}

#[test]
fn a_model_is_read_in_the_spellings_that_the_client_reads() {
    let synced: secmon::operations::SyncResult =
        testing::model(json!({"changed": "2", "enforcement": []}));
    assert_eq!(synced.changed, Some(2));
    assert!(synced.enforcement.is_some_and(|reports| reports.is_empty()));
}

#[test]
fn a_model_is_made_from_json_and_one_that_does_not_fit_is_named_with_its_place() {
    let made: Endpoint = testing::model(endpoint());
    assert_eq!(made.id, endpoint_id());

    let mut wrong = endpoint();
    wrong["ip_address"] = json!(true);
    let panic = std::panic::catch_unwind(|| testing::model::<Endpoint>(wrong));
    let panic = panic.expect_err("no endpoint");
    let sentence = panic.downcast_ref::<String>().expect("a sentence");
    assert!(
        sentence.contains("Endpoint`: invalid type: boolean `true`"),
        "{sentence}"
    );
    assert!(sentence.ends_with(r#""ip_address": true,"#), "{sentence}");
}
