//! Provisioning of domains (C1 to C7).

use serde_json::{Value, json};

use crate::client::{NOBODY, Reply, Stage, coded, text};

fn provision(stage: &Stage, client: u64, name: &str) -> Reply {
    let body = json!({ "client_id": client, "domain": name, "service_id": 501 });
    stage.acme.post("/api/v1/billing/provision-domain", body)
}

#[test]
fn a_domain_is_normalized_created_and_then_noted_c1_c2() {
    let stage = Stage::new();
    stage.slots(42, 2);
    let made = provision(&stage, 42, "  https://user@WWW.Example.COM.:8443/path ").expect(201);
    assert_eq!(made.at("/data/domain"), "www.example.com");
    assert_eq!(made.at("/data/status"), "active");
    let again = provision(&stage, 42, "www.example.com").expect(200);
    assert_eq!(
        again.at("/data/monitored_domain_id"),
        made.at("/data/monitored_domain_id")
    );
    assert!(again.at("/data/note").is_string());
}

#[test]
fn what_is_no_domain_is_refused_on_its_field_c1() {
    let stage = Stage::new();
    stage.slots(42, 2);
    for name in [
        "",
        "localhost",
        "a@b.example",
        "192.0.2.1",
        "x.123",
        "-a.example",
        "a..example",
        "two words.example",
    ] {
        assert_eq!(
            provision(&stage, 42, name).expect(422).wrong_fields(),
            ["domain"],
            "{name}"
        );
    }
    let missing = stage
        .acme
        .post("/api/v1/billing/provision-domain", json!({}))
        .expect(422);
    assert_eq!(
        missing.wrong_fields(),
        ["client_id", "domain", "service_id"]
    );
}

#[test]
fn without_a_free_slot_it_is_domain_limit_exceeded_b6() {
    let stage = Stage::new();
    let refused = coded(
        provision(&stage, 42, "a.example"),
        403,
        "DOMAIN_LIMIT_EXCEEDED",
    );
    assert_eq!(
        refused.at("/error/details"),
        json!({ "limit": 0, "current_usage": 0 })
    );
    stage.slots(42, 1);
    stage.domain(42, "a.example");
    let full = coded(
        provision(&stage, 42, "b.example"),
        403,
        "DOMAIN_LIMIT_EXCEEDED",
    );
    assert_eq!(
        full.at("/error/details"),
        json!({ "limit": 1, "current_usage": 1 })
    );
}

#[test]
fn suspend_resume_terminate_move_the_status_and_repeat_with_a_note_c4() {
    let stage = Stage::new();
    stage.slots(42, 1);
    let id = stage.domain(42, "a.example");
    let body = json!({ "monitored_domain_id": id });
    for (operation, status) in [
        ("suspend", "paused"),
        ("resume", "active"),
        ("terminate", "terminated"),
    ] {
        let first = stage
            .acme
            .post(&format!("/api/v1/billing/{operation}-domain"), body.clone())
            .expect(200);
        assert_eq!(
            first.at("/data"),
            json!({ "monitored_domain_id": id, "status": status })
        );
        let again = stage
            .acme
            .post(
                &format!("/api/v1/provisioning/{operation}-domain"),
                body.clone(),
            )
            .expect(200);
        assert_eq!(again.at("/data/status"), status);
        assert!(again.at("/data/note").is_string());
    }
}

#[test]
fn transitions_of_an_unknown_domain_are_domain_not_found() {
    let stage = Stage::new();
    let body = json!({ "monitored_domain_id": NOBODY, "domain": "a.example" });
    for operation in ["suspend", "resume", "terminate", "update"] {
        let path = format!("/api/v1/billing/{operation}-domain");
        coded(
            stage.acme.post(&path, body.clone()),
            404,
            "DOMAIN_NOT_FOUND",
        );
        let wrong = stage.acme.post(
            &path,
            json!({ "monitored_domain_id": 7, "domain": "a.example" }),
        );
        assert_eq!(wrong.expect(422).wrong_fields(), ["monitored_domain_id"]);
    }
}

#[test]
fn an_update_renames_unless_the_name_is_taken_c3() {
    let stage = Stage::new();
    stage.slots(42, 2);
    let id = stage.domain(42, "a.example");
    stage.domain(42, "b.example");
    let update = |name: &str| {
        stage.acme.post(
            "/api/v1/billing/update-domain",
            json!({ "monitored_domain_id": id, "domain": name }),
        )
    };
    let renamed = update("C.example").expect(200);
    assert_eq!(
        renamed.at("/data"),
        json!({ "monitored_domain_id": id, "domain": "c.example", "status": "active" })
    );
    assert!(update("c.example").expect(200).at("/data/note").is_string());
    coded(update("b.example"), 409, "DOMAIN_ALREADY_EXISTS");
}

#[test]
fn a_released_domain_is_gone_with_its_slot_c7() {
    let stage = Stage::new();
    stage.slots(42, 2);
    let id = stage.domain(42, "a.example");
    let release = |service: u64, id: &str| {
        let body = json!({ "client_id": 42, "service_id": service, "monitored_domain_id": id });
        stage.acme.post("/api/v1/billing/release-domain", body)
    };
    coded(release(501, NOBODY), 404, "DOMAIN_NOT_FOUND");
    coded(release(999, &id), 404, "BILLING_CLIENT_NOT_FOUND");
    let released = release(501, &id).expect(200);
    assert_eq!(
        released.at("/data"),
        json!({ "monitored_domain_id": id, "released": true, "slots_total": 1, "slots_used": 0 }),
    );
    coded(release(501, &id), 404, "DOMAIN_NOT_FOUND");
    assert_ne!(stage.domain(42, "a.example"), id);
    stage
        .acme
        .post("/api/v1/provisioning/release-domain", json!({}))
        .expect(404);
}

#[test]
fn prices_are_set_and_removed_d8() {
    let stage = Stage::new();
    let path = "/api/v1/billing/pricing";
    let price = json!({ "product_slug": "port_monitoring", "plan_slug": "starter", "price": 9.5, "currency": "EUR" });
    assert_eq!(
        stage.acme.post(path, price.clone()).expect(200).at("/data"),
        price
    );
    let unit = json!({ "product_slug": "domain_monitoring", "price": 0, "currency": "eur" });
    assert_eq!(
        stage
            .acme
            .post(path, unit)
            .expect(200)
            .at("/data/plan_slug"),
        Value::Null
    );
    let delete = || {
        stage.acme.send(
            "DELETE",
            path,
            br#"{"product_slug":"port_monitoring","plan_slug":"starter"}"#,
        )
    };
    assert_eq!(delete().expect(200).at("/data"), json!({ "deleted": true }));
    assert_eq!(
        delete().expect(200).at("/data"),
        json!({ "deleted": false })
    );
    coded(
        stage.acme.post(
            path,
            json!({ "product_slug": "coffee", "price": 1, "currency": "EUR" }),
        ),
        404,
        "PRODUCT_NOT_FOUND",
    );
    let wrong = json!({ "product_slug": "port_monitoring", "price": -1, "currency": "EURO" });
    assert_eq!(
        stage.acme.post(path, wrong).expect(422).wrong_fields(),
        ["currency", "plan_slug", "price"]
    );
    stage.acme.send("DELETE", path, b"").expect(422);
    assert_eq!(
        text(&stage.acme.get(path).expect(405).at("/error/code")),
        "METHOD_NOT_ALLOWED"
    );
}
