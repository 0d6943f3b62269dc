//! Every shape in which the service says no, and what the caller reads from it.

use std::time::Duration;

use http::StatusCode;
use secmon::operations::*;
use secmon::{Delivery, Error, ErrorCode, ErrorKind, Operation, testing};
use serde_json::json;

use crate::support::*;

/// The error of a suspend call that is answered like this.
async fn suspend_answered(status: u16, body: String) -> Error {
    let (client, script) = scripted_once();
    script.answer(StatusCode::from_u16(status).expect("a status"), body);
    let suspended = client.servers().suspend(endpoint_id()).await;
    suspended.expect_err("refused")
}

#[tokio::test]
async fn every_documented_code_reaches_the_caller_as_itself() {
    for code in ErrorCode::VARIANTS {
        for status in [401, 403, 404, 409, 422, 429, 500, 503] {
            let body = failure(json!(code.to_str()), "A sentence.", json!({}));
            let error = suspend_answered(status, body).await;
            assert_eq!(error.kind(), ErrorKind::Api);
            assert_eq!(error.code(), Some(code));
            assert_eq!(error.status().map(|status| status.as_u16()), Some(status));
            assert_eq!(error.delivery(), Delivery::Answered);
            assert_eq!(error.attempts(), 1);
            let line = error.to_string();
            let expected = format!("suspend_endpoint: {status} {code}: A sentence.");
            assert_eq!(line, expected);
        }
    }
}

/// The codes, of all there are, by which a 404 says that the record of this operation is not there.
fn says_no_record<O: Operation>() -> Vec<ErrorCode> {
    let others = [ErrorCode::Number(404), ErrorCode::from("LEASE_NOT_FOUND")];
    let codes = ErrorCode::VARIANTS.iter().cloned().chain(others);
    let says = |code: &ErrorCode| {
        let body = match code {
            ErrorCode::Number(number) => failure(json!(number), "No.", json!({})),
            code => failure(json!(code.to_str()), "No.", json!({})),
        };
        let answer = |status| testing::html(status, &body);
        let error = testing::error::<O>(answer(StatusCode::NOT_FOUND));
        assert!(error.is_not_found(), "{code}");
        let conflict = testing::error::<O>(answer(StatusCode::CONFLICT));
        assert!(!conflict.is_record_not_found(), "{code}");
        error.is_record_not_found()
    };
    codes.filter(says).collect()
}

#[test]
fn only_the_code_of_its_own_record_says_that_a_record_is_not_there() {
    use ErrorCode::{
        AlertNotFound, DomainNotFound, EndpointNotFound, Number, SubscriptionNotFound,
    };
    for (operation, says, expected) in [
        (
            "suspend",
            says_no_record::<SuspendEndpoint>(),
            vec![EndpointNotFound],
        ),
        (
            "terminate",
            says_no_record::<TerminateEndpoint>(),
            vec![EndpointNotFound],
        ),
        (
            "scan",
            says_no_record::<ScanEndpoint>(),
            vec![EndpointNotFound],
        ),
        (
            "terminate domain",
            says_no_record::<TerminateDomain>(),
            vec![DomainNotFound],
        ),
        (
            "update domain",
            says_no_record::<UpdateDomain>(),
            vec![DomainNotFound],
        ),
        (
            "release domain",
            says_no_record::<ReleaseDomain>(),
            vec![DomainNotFound],
        ),
        (
            "read domain",
            says_no_record::<GetDomainSummary>(),
            vec![DomainNotFound, Number(404)],
        ),
        (
            "read domain alert",
            says_no_record::<GetDomainAlert>(),
            vec![DomainNotFound, AlertNotFound, Number(404)],
        ),
        (
            "terminate subscription",
            says_no_record::<TerminateSubscription>(),
            vec![SubscriptionNotFound],
        ),
        (
            "change subscription",
            says_no_record::<ChangeSubscription>(),
            vec![SubscriptionNotFound],
        ),
        ("read rule", says_no_record::<GetRule>(), vec![Number(404)]),
        (
            "delete rule",
            says_no_record::<DeleteRule>(),
            vec![Number(404)],
        ),
        (
            "read port alert",
            says_no_record::<GetPortAlert>(),
            vec![AlertNotFound, Number(404)],
        ),
        (
            "delete server",
            says_no_record::<DeleteEndpoint>(),
            vec![EndpointNotFound, Number(404)],
        ),
        ("set price", says_no_record::<SetPrice>(), vec![]),
        ("sync", says_no_record::<SyncServices>(), vec![]),
        ("health", says_no_record::<GetHealth>(), vec![]),
    ] {
        assert_eq!(says, expected, "{operation}");
    }
}

#[tokio::test]
async fn an_answer_that_does_not_say_what_happened_leaves_it_open() {
    let own = |code: serde_json::Value| failure(code, "A sentence.", json!({}));
    for (status, body, sent) in [
        (200, "<html>Welcome</html>".to_owned(), Delivery::Maybe),
        (502, "<html>Bad Gateway</html>".to_owned(), Delivery::Maybe),
        (500, own(json!("SOMETHING_NEW")), Delivery::Maybe),
        (503, own(json!(503)), Delivery::Maybe),
        (500, own(json!("SCAN_DISPATCH_FAILED")), Delivery::Answered),
        (404, own(json!("SOMETHING_NEW")), Delivery::Answered),
    ] {
        let error = suspend_answered(status, body.clone()).await;
        assert_eq!(error.delivery(), sent, "{status} {body}");
    }
}

#[tokio::test]
async fn a_wait_in_the_details_is_no_longer_than_a_day() {
    let details = json!({"retry_after_seconds": u64::MAX});
    let body = failure(json!("RATE_LIMITED"), "In cooldown.", details);
    let error = suspend_answered(429, body).await;
    assert_eq!(error.retry_after(), Some(Duration::from_secs(24 * 60 * 60)));
}

#[tokio::test]
async fn documented_details_have_names_and_all_others_are_kept() {
    let details = json!({"current_usage": 8, "new_limit": 5, "limit": 25, "retry_after_seconds": 17, "plan": "starter"});
    let body = failure(
        json!("DOWNGRADE_USAGE_EXCEEDED"),
        "Too much in use.",
        details,
    );
    let error = suspend_answered(422, body).await;
    let details = error.details().expect("details");
    assert_eq!(details.current_usage(), Some(8));
    assert_eq!(details.new_limit(), Some(5));
    assert_eq!(details.limit(), Some(25));
    assert_eq!(details.retry_after_seconds(), Some(17));
    assert_eq!(details.get("plan"), Some(&json!("starter")));
    assert_eq!(
        error.retry_after(),
        Some(std::time::Duration::from_secs(17))
    );
}

#[tokio::test]
async fn the_shape_of_authentication_and_throttling_has_a_message_and_no_code() {
    let body = json!({"status": "error", "message": "Unauthenticated.", "errors": {}}).to_string();
    let error = suspend_answered(401, body).await;
    assert_eq!(error.kind(), ErrorKind::Api);
    assert_eq!(error.code(), None);
    assert_eq!(
        error.api().map(|api| api.message.as_str()),
        Some("Unauthenticated.")
    );
    assert_eq!(error.field_errors(), None);
    assert!(!error.is_retryable());
}

#[tokio::test]
async fn a_number_as_code_is_kept_with_and_without_the_success_member() {
    for body in [
        failure(json!(404), "No such alert.", json!({})),
        json!({"error": {"code": 404, "message": "No such alert."}}).to_string(),
    ] {
        let error = suspend_answered(404, body).await;
        assert_eq!(error.code(), Some(&ErrorCode::Number(404)));
        assert_eq!(error.to_string(), "suspend_endpoint: 404 No such alert.");
    }
}

#[tokio::test]
async fn a_number_as_code_is_read_in_any_spelling() {
    for code in [json!("404"), json!(404.0), json!("404.0"), json!(" 404 ")] {
        let error = suspend_answered(404, failure(code.clone(), "No.", json!({}))).await;
        assert_eq!(error.code(), Some(&ErrorCode::Number(404)), "{code}");
    }
}

#[tokio::test]
async fn codes_and_numbers_nobody_knows_are_kept_as_they_came() {
    let error =
        suspend_answered(418, failure(json!("TEAPOT"), "Short and stout.", json!({}))).await;
    assert_eq!(
        error.code().map(ToString::to_string).as_deref(),
        Some("TEAPOT")
    );
    for number in [json!(-1), json!(70_000), json!(4.5)] {
        let error = suspend_answered(418, failure(number.clone(), "Odd.", json!(null))).await;
        assert_eq!(
            error.code().map(ToString::to_string),
            Some(number.to_string())
        );
    }
}

#[tokio::test]
async fn an_error_inside_a_success_status_is_an_error() {
    for body in [
        failure(json!("ENDPOINT_NOT_FOUND"), "No such endpoint.", json!({})),
        json!({"status": "error", "message": "No such endpoint.", "errors": {}}).to_string(),
        json!({"success": false, "data": {"endpoint_id": ID, "status": "paused"}, "message": "Not done."}).to_string(),
    ] {
        let error = suspend_answered(200, body).await;
        assert_eq!(error.kind(), ErrorKind::Api);
        assert_eq!(error.status(), Some(StatusCode::OK));
    }
    let (client, script) = scripted();
    script.answer(
        StatusCode::OK,
        failure(json!(404), "No such endpoint.", json!({})),
    );
    let error = client
        .servers()
        .delete(customer(), endpoint_id())
        .await
        .expect_err("not deleted");
    assert_eq!(error.code(), Some(&ErrorCode::Number(404)));
}

#[tokio::test]
async fn method_path_headers_and_request_id_of_the_answer_can_be_read() {
    let (client, script) = scripted();
    let answer = http::Response::builder()
        .status(404)
        .header("x-request-id", "req-7")
        .body(failure(json!("ENDPOINT_NOT_FOUND"), "No such endpoint.", json!({})).into())
        .expect("a response");
    script.respond(answer);
    let error = client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect_err("refused");
    assert_eq!(error.request_id(), Some("req-7"));
    assert_eq!(error.method(), Some(&http::Method::POST));
    assert_eq!(error.path(), Some("/api/v1/billing/suspend"));
    assert_eq!(
        error.operation().map(|info| info.name),
        Some("suspend_endpoint")
    );
    assert!(
        error
            .body_snippet()
            .is_some_and(|body| body.contains("No such endpoint."))
    );
}

#[tokio::test]
async fn an_error_answer_beyond_a_mebibyte_is_no_answer_of_the_service() {
    let refusal = failure(json!("ENDPOINT_NOT_FOUND"), "No such endpoint.", json!({})).to_string();
    for (length, kind) in [(1_048_576, ErrorKind::Api), (1_048_577, ErrorKind::Decode)] {
        let padding = " ".repeat(length - refusal.len());
        let error = suspend_answered(404, format!("{refusal}{padding}")).await;
        assert_eq!(error.kind(), kind, "{length}");
    }
}

/// How a list of servers ends that is answered like this, with status 200.
async fn listed(body: impl Into<bytes::Bytes>) -> Result<usize, Error> {
    let (client, script) = scripted_once();
    script.answer(StatusCode::OK, body);
    let read = client.servers().list(customer()).collect_all().await;
    read.map(|servers| servers.len())
}

#[tokio::test]
async fn an_empty_list_that_calls_itself_an_error_is_none_in_any_spelling() {
    let rest = r#""data":[],"meta":{"current_page":1,"total":0}"#;
    let error = r#""error":{"code":500,"message":"db down"}"#;
    for said in [
        r#""success":0"#.to_owned(),
        r#""success":"false""#.to_owned(),
        format!(r#""success":0,{error}"#),
        format!(r#"{error},"error":null"#),
        r#""err\u006fr":{"code":500}"#.to_owned(),
        r#""\u0073tatus":"\u0065rror""#.to_owned(),
        r#""errors":["No."],"hint":"\ud83d""#.to_owned(),
        r#""error":{"code":1e999}"#.to_owned(),
    ] {
        for body in [
            format!("{{{said},{rest}}}"),
            format!("\u{feff}{{{said},{rest}}}"),
            format!("{{{rest},{said}}}"),
        ] {
            let ended = listed(body.clone()).await;
            assert!(ended.is_err(), "{body}");
        }
    }
    let mut broken = format!("{{\"errors\":[\"No.\"],\"hint\":\"@\",{rest}}}").into_bytes();
    let at = broken
        .iter()
        .position(|byte| *byte == b'@')
        .expect("a mark");
    broken[at] = 0xff;
    let ended = listed(broken).await.expect_err("errors beside data");
    assert_eq!(ended.kind(), ErrorKind::Decode);

    let harmless = format!(r#"{{"success":1,"hint":"\u00fc","error":null,{rest}}}"#);
    assert_eq!(listed(harmless).await.expect("a list"), 0);
}

#[tokio::test]
async fn a_broken_letter_in_a_message_costs_neither_the_code_nor_the_rest() {
    let good = r#"{"success":false,"error":{"code":"ENDPOINT_LIMIT_EXCEEDED","message":"Full @ again.","details":{"limit":5}},"meta":{}}"#;
    let broken: [&[u8]; 5] = [b"\\ud83d", b"\\udc00", b"\\ud83d\\ud83d", b"\xff", b"\xc3"];
    for letter in broken {
        let (before, after) = good.split_once('@').expect("a mark");
        let body = [before.as_bytes(), letter, after.as_bytes()].concat();
        let (client, script) = scripted_once();
        script.answer(StatusCode::UNPROCESSABLE_ENTITY, body.clone());
        let resumed = client.servers().resume(endpoint_id()).await;
        let error = resumed.expect_err("no room");
        let told = String::from_utf8_lossy(&body).into_owned();
        assert_eq!(
            error.code(),
            Some(&ErrorCode::EndpointLimitExceeded),
            "{told}: {error}"
        );
        assert_eq!(error.delivery(), Delivery::Answered, "{told}");
        assert!(error.to_string().contains("Full "), "{told}: {error}");
        assert!(error.to_string().contains(" again."), "{told}: {error}");
    }
}

#[tokio::test]
async fn a_message_alone_is_no_shape_of_the_service() {
    let message = json!({"message": "Not now."}).to_string();
    for status in [408, 421, 425, 500, 502, 503, 504, 520, 530] {
        for body in [
            message.clone(),
            json!({"error": {"message": "Not now."}}).to_string(),
        ] {
            let error = suspend_answered(status, body.clone()).await;
            assert_eq!(error.kind(), ErrorKind::Gateway, "{status} {body}");
            assert_eq!(error.delivery(), Delivery::Maybe, "{status} {body}");
            assert!(error.to_string().contains("Not now."), "{error}");
        }
        let own = json!({"status": "error", "message": "Not now."}).to_string();
        assert_eq!(suspend_answered(status, own).await.kind(), ErrorKind::Api);
        let own = json!({"error": {"code": status}}).to_string();
        assert_eq!(suspend_answered(status, own).await.kind(), ErrorKind::Api);
    }
    let error = suspend_answered(404, message).await;
    assert_eq!(
        (error.kind(), error.delivery()),
        (ErrorKind::Api, Delivery::Maybe)
    );
}
