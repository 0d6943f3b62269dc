//! Results that are as secret as the key: sign-in tokens and leaked credentials.

use http::StatusCode;
use secmon::ErrorCode;
use secmon::model::DomainId;
use secmon::operations::{ListCredentialLeaks, ListDomainAlerts, ListMentions};
use serde_json::json;

use crate::support::*;

const TOKEN: &str = "tok_9f8e7d6c5b4a";

fn leaks() -> ListCredentialLeaks {
    let domain: DomainId = ID.parse().expect("an id");
    ListCredentialLeaks::new(customer(), domain)
}

#[tokio::test]
async fn a_sign_in_token_is_for_the_address_alone() {
    let (client, script) = scripted();
    let answer = success(json!({"token": TOKEN, "expires_at": "2026-01-01T00:01:00+00:00"}));
    script.answer(StatusCode::OK, answer);
    let response = client.sso_token(customer()).await.expect("a token");
    assert!(!format!("{response:?}").contains(TOKEN));
    let address = response.data.sign_in_url("https://portal.example.com/");
    assert_eq!(
        address.expose_secret(),
        format!("https://portal.example.com/sso?token={TOKEN}")
    );
    assert!(!format!("{address:?} {address:#?}").contains(TOKEN));
    assert_eq!(response.data.expose_secret(), TOKEN);
}

#[tokio::test]
async fn a_sign_in_lands_where_the_call_says() {
    let (client, script) = scripted();
    script.answer(StatusCode::OK, success(json!({"token": TOKEN})));
    let call = client.sso_token(customer()).redirect_path("/domains");
    call.await.expect("a token");
    let body = json!({"billing_customer_id": 42, "redirect_path": "/domains"});
    assert_eq!(script.requests()[0].body, body);
}

#[tokio::test]
async fn a_leaked_record_is_read_but_never_shown() {
    let (client, script) = scripted();
    let record = json!({"email": "ann@example.com", "password": "hunter2", "seen": [1, 2]});
    let page = json!({"enabled": true, "items": [record], "total": 1, "page": 1, "page_size": 50});
    script.answer(StatusCode::OK, success(page.clone()));
    let response = client.send(leaks()).await.expect("leaks");
    assert!(!format!("{response:?}").contains("hunter2"));
    assert_eq!(
        response.data.items[0].get("password"),
        Some(&json!("hunter2"))
    );
    assert_eq!(response.data.unavailable(), None);
    assert_eq!(serde_json::to_value(&response.data).expect("JSON"), page);
}

#[tokio::test]
async fn a_secret_result_that_cannot_be_read_keeps_no_text() {
    let (client, script) = scripted();
    script.answer(StatusCode::OK, success(json!({"tokens": [TOKEN]})));
    let error = client.sso_token(customer()).await.expect_err("no token");
    assert!(!error.body_snippet().unwrap_or_default().contains(TOKEN));
    assert!(!format!("{error:?} {error}").contains(TOKEN));

    // Both statuses carry a page of leaks, so that either may hold records.
    for status in [StatusCode::OK, StatusCode::SERVICE_UNAVAILABLE] {
        let unreadable = success(json!({"enabled": "yes", "items": ["hunter2"]}));
        (0..3).for_each(|_| script.answer(status, unreadable.clone()));
        let error = client.send(leaks()).await.expect_err("no page");
        assert!(!error.body_snippet().unwrap_or_default().contains("hunter2"));
    }
}

#[tokio::test]
async fn a_refusal_of_a_secret_result_keeps_its_code_and_none_of_its_words() {
    let (client, script) = scripted();
    let refusal = failure(json!("DOMAIN_NOT_FOUND"), "No such domain.", json!({}));
    script.answer(StatusCode::NOT_FOUND, refusal);
    let error = client.send(leaks()).await.expect_err("no page");
    assert_eq!(error.code(), Some(&ErrorCode::DomainNotFound));
    let shown = format!(
        "{error} {error:?} {:?} {:?}",
        error.api(),
        error.body_snippet()
    );
    assert!(
        shown.contains("DOMAIN_NOT_FOUND") && !shown.contains("No such domain."),
        "{shown}"
    );
}

#[tokio::test]
async fn a_data_set_that_cannot_be_reached_is_a_result_that_says_so() {
    let (client, script) = scripted();
    let down = json!({"enabled": true, "items": [], "total": 0, "page": 1, "page_size": 50,
                      "error": "The data set cannot be reached."});
    script.answer(StatusCode::SERVICE_UNAVAILABLE, success(down));
    let response = client.send(leaks()).await.expect("a result");
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(response.attempts(), 1);
    assert_eq!(
        response.data.unavailable(),
        Some("The data set cannot be reached.")
    );
}

#[tokio::test(start_paused = true)]
async fn any_other_503_of_the_same_read_is_a_failure_and_tried_again() {
    let (client, script) = scripted();
    script.answer(StatusCode::SERVICE_UNAVAILABLE, r#"{"success": false}"#);
    let page = json!({"enabled": false, "items": [], "total": 0, "page": 1, "page_size": 50});
    script.answer(StatusCode::OK, success(page));
    let response = client.send(leaks()).await.expect("leaks");
    assert_eq!(response.attempts(), 2);
    assert!(!response.data.enabled);
}

#[tokio::test]
async fn what_may_quote_a_leak_is_read_but_never_shown() {
    const LEAK: &str = "ann@example.com:hunter2";
    let mut alert = json!({"id": ID, "monitored_domain_id": ID, "type": "credential_leak", "status": "open",
        "details": {"samples": [LEAK]}});
    let mut mention =
        json!({"id": ID, "title": LEAK, "content_preview": LEAK, "source_name": "a forum"});
    let alerts = |alert: &serde_json::Value| {
        success(json!({"alerts": [alert], "total": 1, "current_page": 1}))
    };
    let mentions = |mention: &serde_json::Value| {
        success(json!({"mentions": [mention], "total": 1, "current_page": 1}))
    };
    let domain: DomainId = ID.parse().expect("an id");

    let (client, script) = scripted();
    script.answer(StatusCode::OK, alerts(&alert));
    let read = client.send(ListDomainAlerts::new(customer(), domain)).await;
    let read = read.expect("alerts");
    let shown = format!("{read:?} {:#?}", read.data);
    assert!(
        shown.contains("credential_leak") || shown.contains("CredentialLeak"),
        "{shown}"
    );
    assert!(!shown.contains("hunter2"), "{shown}");
    assert!(
        read.data.alerts[0]
            .details
            .as_ref()
            .is_some_and(|found| found["samples"][0] == LEAK)
    );

    script.answer(StatusCode::OK, mentions(&mention));
    let read = client.send(ListMentions::new(customer(), domain)).await;
    let read = read.expect("mentions");
    let shown = format!("{read:?} {:#?}", read.data);
    assert!(
        shown.contains("a forum") && !shown.contains("hunter2"),
        "{shown}"
    );
    assert_eq!(read.data.mentions[0].title.as_deref(), Some(LEAK));

    alert["id"] = json!(7);
    mention["id"] = json!(7);
    script.answer(StatusCode::OK, alerts(&alert));
    script.answer(StatusCode::OK, mentions(&mention));
    let alerts = client.send(ListDomainAlerts::new(customer(), domain)).await;
    let mentions = client.send(ListMentions::new(customer(), domain)).await;
    for error in [alerts.err(), mentions.err()] {
        let error = error.expect("no id");
        let shown = format!("{error} {error:?} {:?}", error.body_snippet());
        assert!(
            shown.contains("id") && !shown.contains("hunter2"),
            "{shown}"
        );
    }
}

#[tokio::test]
async fn a_token_that_had_expired_by_the_answers_own_clock_is_no_result() {
    let token =
        |expires_at: &str| success(serde_json::json!({"token": "tok", "expires_at": expires_at}));
    for (expires_at, is_good) in [
        ("2026-01-01T00:00:01+00:00", true),
        ("2026-01-01T00:00:00+00:00", false),
        ("2025-12-31T23:59:59Z", false),
    ] {
        let (client, script) = scripted();
        script.answer(http::StatusCode::OK, token(expires_at));
        let minted = client.sso_token(customer()).await;
        assert_eq!(minted.is_ok(), is_good, "{expires_at}");
    }
}

/// The same record may have leaked twice, and stand at the head of two pages.
#[tokio::test]
async fn pages_of_leaks_that_begin_alike_are_two_pages() {
    let record = |email: &str| json!({"email": email, "category": "employees"});
    let page = |number: usize, emails: [&str; 2]| {
        let items = emails.map(record);
        success(
            json!({"enabled": true, "items": items, "total": 4, "page": number, "page_size": 2}),
        )
    };
    let (client, script) = scripted();
    script.answer(StatusCode::OK, page(1, ["a@example.com", "a@example.com"]));
    script.answer(StatusCode::OK, page(2, ["a@example.com", "b@example.com"]));
    let read = client.pages(leaks()).collect_all().await.expect("a list");
    assert_eq!(read.len(), 4);
}
