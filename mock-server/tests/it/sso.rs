//! Sign-in tokens and their page (E14).

use serde_json::json;

use crate::client::{Stage, coded, text};

fn mint(stage: &Stage) -> String {
    let body = json!({ "billing_customer_id": 42, "redirect_path": "/domains" });
    text(
        &stage
            .acme
            .post("/api/v1/sso/token", body)
            .expect(200)
            .at("/data/token"),
    )
}

#[test]
fn a_token_signs_in_once_within_a_minute() {
    let stage = Stage::new();
    let body = json!({ "client_id": 42, "ip_address": "192.0.2.1", "client_name": "<b>Ann</b>" });
    stage
        .acme
        .post("/api/v1/billing/provision", body)
        .expect(201);
    let token = mint(&stage);
    let page = stage.anyone.get(&format!("/sso?token={token}")).expect(200);
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert!(page.text().contains("customer 42"), "{}", page.text());
    assert!(page.text().contains("&lt;b&gt;Ann"), "{}", page.text());
    stage.anyone.get(&format!("/sso?token={token}")).expect(401);
    let late = mint(&stage);
    stage.advance(60);
    stage.anyone.get(&format!("/sso?token={late}")).expect(401);
    stage.anyone.get("/sso?token=unknown").expect(401);
    stage.anyone.get("/sso").expect(401);
}

#[test]
fn a_token_needs_a_portal_account_and_a_path_that_stays() {
    let stage = Stage::new();
    let ask = |body: serde_json::Value| stage.acme.post("/api/v1/sso/token", body);
    coded(
        ask(json!({ "billing_customer_id": 42 })),
        500,
        "USER_NOT_FOUND",
    );
    for path in [
        "",
        "domains",
        "//evil.example",
        "/\\evil.example",
        "https://evil.example",
    ] {
        let wrong = ask(json!({ "billing_customer_id": 42, "redirect_path": path })).expect(422);
        assert_eq!(wrong.wrong_fields(), ["redirect_path"], "{path}");
    }
    stage.endpoint(42, "192.0.2.1");
    let minted = ask(json!({ "billing_customer_id": 42, "redirect_path": "/" })).expect(200);
    assert_eq!(minted.at("/data/expires_at"), "2026-01-01T00:01:00+00:00");
}

#[test]
fn the_key_is_bound_to_its_portal_domain_a4() {
    let stage = Stage::new();
    let abroad = stage.acme.with("Host", "portal.globex.test");
    coded(
        abroad.post("/api/v1/sso/token", json!({})),
        403,
        "TENANT_MISMATCH",
    );
}

#[test]
fn tokens_never_stand_in_the_journal_m6() {
    let stage = Stage::new();
    stage.endpoint(42, "192.0.2.1");
    let token = mint(&stage);
    stage.anyone.get(&format!("/sso?token={token}")).expect(200);
    stage.anyone.get(&format!("/sso?token={token}")).expect(401);
    let journal = stage.anyone.get("/_mock/requests?path=*sso*").expect(200);
    assert_eq!(journal.at("/requests").as_array().map(Vec::len), Some(3));
    assert!(!journal.text().contains(&token), "{}", journal.text());
    assert_eq!(journal.at("/requests/0/response/data/token"), "****");
}

#[test]
fn a_sign_in_stands_in_the_journal_of_the_account_that_made_its_token_m1() {
    let stage = Stage::new();
    let body = json!({ "client_id": 42, "ip_address": "192.0.2.1" });
    let provision = |stage: &Stage| stage.acme.post("/api/v1/billing/provision", body.clone());
    provision(&stage).expect(201);
    let (used, expired) = (mint(&stage), mint(&stage));
    stage.anyone.get(&format!("/sso?token={used}")).expect(200);
    stage.advance(60);
    for token in [&used, &expired] {
        stage.anyone.get(&format!("/sso?token={token}")).expect(401);
    }
    stage.anyone.get("/sso?token=unknown").expect(401);
    let tenants = || {
        let calls = stage.anyone.get("/_mock/requests?path=/sso").expect(200);
        for token in [&used, &expired] {
            assert!(!calls.text().contains(token.as_str()));
        }
        let calls = calls.at("/requests");
        let calls = calls.as_array().into_iter().flatten();
        calls.map(|call| call["tenant"].clone()).collect::<Vec<_>>()
    };
    let acme = || json!("acme");
    assert_eq!(tenants(), [acme(), acme(), acme(), json!(null)]);
    stage
        .anyone
        .post("/_mock/tenants/acme/reset", json!({}))
        .expect(204);
    stage.anyone.get(&format!("/sso?token={used}")).expect(401);
    assert_eq!(tenants(), [json!(null), json!(null)]);
}
