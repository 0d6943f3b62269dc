//! Reads and actions of domain monitoring (C5 to C12).

use serde_json::{Value, json};

use crate::client::{NOBODY, Stage, coded, text};

/// A stage with a scanned domain of customer 42: scenario `warnings`.
fn scanned() -> (Stage, String) {
    let stage = Stage::new();
    stage.slots(42, 2);
    let id = stage.domain(42, "a.example");
    stage.advance(2);
    (stage, id)
}

fn path(id: &str, rest: &str) -> String {
    format!(
        "/api/v1/domains/{id}/{rest}{}billing_customer_id=42",
        if rest.contains('?') { '&' } else { '?' }
    )
}

#[test]
fn a_subscribed_customer_sees_domains_and_slots_c5() {
    let (stage, id) = scanned();
    let list = stage
        .acme
        .get("/api/v1/domains?billing_customer_id=42")
        .expect(200);
    assert_eq!(
        list.at("/data"),
        json!({
            "subscribed": true,
            "domains": [{
                "id": id, "domain": "a.example", "status": "active", "scan_status": "completed",
                "last_scan_at": "2026-01-01T00:00:02+00:00", "employees_compromised": 2,
                "customers_compromised": 5, "third_parties_compromised": 1, "dark_web_mentions_count": 1,
                "portal_detail_path": format!("/domains/{id}"), "quota_paused": false,
            }],
            "slots_used": 1, "slots_total": 2, "portal_add_path": "/domains",
        })
    );
}

#[test]
fn anybody_else_sees_the_product_c5() {
    let stage = Stage::new();
    let list = stage
        .acme
        .get("/api/v1/domains?billing_customer_id=7")
        .expect(200);
    assert_eq!(list.at("/data/subscribed"), false);
    assert_eq!(list.at("/data/domains"), json!([]));
    assert_eq!(list.at("/data/product/slug"), "domain_monitoring");
    assert_eq!(
        stage.acme.get("/api/v1/domains").expect(422).wrong_fields(),
        ["billing_customer_id"]
    );
}

#[test]
fn the_summary_has_slots_and_password_strength_c10() {
    let (stage, id) = scanned();
    let summary = stage.acme.get(&path(&id, "summary")).expect(200);
    for (field, value) in [
        ("dark_web_last_scan_at", json!("2026-01-01T00:00:02+00:00")),
        ("slots_used", json!(1)),
        ("slots_total", json!(2)),
        ("created_at", json!("2026-01-01T00:00:00+00:00")),
    ] {
        assert_eq!(summary.at(&format!("/data/{field}")), value, "{field}");
    }
    assert!(summary.at("/data/password_strength/weak").is_u64());
    let fresh = stage.domain(42, "b.example");
    let summary = stage.acme.get(&path(&fresh, "summary")).expect(200);
    assert_eq!(summary.at("/data/password_strength"), Value::Null);
    assert_eq!(summary.at("/data/scan_status"), "pending");
}

#[test]
fn every_read_of_a_foreign_or_unknown_domain_is_domain_not_found_a12() {
    let (stage, id) = scanned();
    for rest in [
        "summary",
        "alerts",
        "alerts/x",
        "dark-web-mentions",
        "credential-leaks",
        "scan-history",
    ] {
        for unknown in [NOBODY, "7"] {
            coded(
                stage.acme.get(&path(unknown, rest)),
                404,
                "DOMAIN_NOT_FOUND",
            );
        }
        let foreign = format!("/api/v1/domains/{id}/{rest}?billing_customer_id=43");
        coded(stage.acme.get(&foreign), 404, "DOMAIN_NOT_FOUND");
        let nobody = stage
            .acme
            .get(&format!("/api/v1/domains/7/{rest}"))
            .expect(422);
        assert_eq!(nobody.wrong_fields(), ["billing_customer_id"]);
    }
}

#[test]
fn alerts_are_raised_filtered_and_explained_c8() {
    let (stage, id) = scanned();
    let total = |query: &str| {
        stage
            .acme
            .get(&path(&id, &format!("alerts{query}")))
            .expect(200)
            .at("/data/total")
    };
    assert_eq!(total(""), 4);
    assert_eq!(total("?type=dark_web_mention"), 1);
    assert_eq!(total("?category=customers"), 1);
    assert_eq!(total("?severity=high"), 2);
    assert_eq!(total("?status=resolved"), 0);
    let wrong = stage.acme.get(&path(
        &id,
        "alerts?status=x&type=x&category=x&severity=low&per_page=51&page=0",
    ));
    assert_eq!(
        wrong.expect(422).wrong_fields(),
        ["category", "page", "per_page", "severity", "status", "type"]
    );
    let alerts = stage
        .acme
        .get(&path(&id, "alerts?severity=critical"))
        .expect(200);
    let alert = alerts.at("/data/alerts/0");
    for (field, value) in [
        ("monitored_domain_id", json!(id)),
        ("domain", json!("a.example")),
        ("type", json!("credential_leak")),
        ("category", json!("employees")),
        ("new_count", json!(2)),
        ("previous_count", json!(0)),
        ("status", json!("open")),
        ("details", Value::Null),
    ] {
        assert_eq!(alert[field], value, "{field}");
    }
    let one = stage
        .acme
        .get(&path(&id, &format!("alerts/{}", text(&alert["id"]))))
        .expect(200);
    assert!(one.at("/data/alert/explanation").is_string());
    assert_eq!(one.at("/data/alert/id"), alert["id"]);
    coded(
        stage.acme.get(&path(&id, &format!("alerts/{NOBODY}"))),
        404,
        "ALERT_NOT_FOUND",
    );
    coded(
        stage.acme.get(&path(&id, "alerts/7")),
        404,
        "ALERT_NOT_FOUND",
    );
}

#[test]
fn alerts_are_acknowledged_then_resolved_with_every_error_c8() {
    let (stage, id) = scanned();
    let alert = text(&stage.acme.get(&path(&id, "alerts")).at("/data/alerts/0/id"));
    let body = json!({ "billing_customer_id": 42 });
    let go = |verb: &str| {
        stage.acme.post(
            &format!("/api/v1/domains/{id}/alerts/{alert}/{verb}"),
            body.clone(),
        )
    };
    coded(go("resolve"), 422, "ALERT_NOT_ACKNOWLEDGED");
    let acknowledged = go("acknowledge").expect(200);
    assert!(acknowledged.at("/data/message").is_string());
    assert_eq!(
        acknowledged.at("/data/alert"),
        json!({
            "id": alert, "status": "acknowledged", "acknowledged_at": "2026-01-01T00:00:02+00:00",
        })
    );
    assert_eq!(
        go("acknowledge").expect(200).at("/data/alert"),
        acknowledged.at("/data/alert")
    );
    assert_eq!(
        go("resolve").expect(200).at("/data/alert/status"),
        "resolved"
    );
    coded(go("resolve"), 422, "ALERT_NOT_ACKNOWLEDGED");
    coded(go("acknowledge"), 422, "ALERT_ALREADY_RESOLVED");
    let strange = format!("/api/v1/domains/{id}/alerts/{NOBODY}/acknowledge");
    coded(
        stage.acme.post(&strange, body.clone()),
        404,
        "ALERT_NOT_FOUND",
    );
    assert_eq!(
        stage
            .acme
            .post(&strange, json!({}))
            .expect(422)
            .wrong_fields(),
        ["billing_customer_id"]
    );
}

#[test]
fn without_a_portal_account_transitions_are_user_not_found_c11() {
    let (stage, id) = scanned();
    let alert = text(&stage.acme.get(&path(&id, "alerts")).at("/data/alerts/0/id"));
    stage
        .anyone
        .delete("/_mock/tenants/acme/customers/42/portal-account")
        .expect(204);
    for verb in ["acknowledge", "resolve"] {
        let path = format!("/api/v1/domains/{id}/alerts/{alert}/{verb}");
        coded(
            stage.acme.post(&path, json!({ "billing_customer_id": 42 })),
            500,
            "USER_NOT_FOUND",
        );
    }
}

#[test]
fn mentions_are_new_until_an_unfiltered_read_showed_them_c9() {
    let (stage, id) = scanned();
    let read = |query: &str| {
        stage
            .acme
            .get(&path(&id, &format!("dark-web-mentions{query}")))
            .expect(200)
    };
    assert_eq!(read("?is_new=false").at("/data/total"), 0);
    assert_eq!(read("?is_new=1").at("/data/total"), 1);
    let first = read("");
    assert_eq!(first.at("/data/mentions/0/is_new"), true);
    for field in [
        "id",
        "title",
        "content_preview",
        "source_name",
        "author",
        "published_at",
        "created_at",
    ] {
        assert!(
            first.at(&format!("/data/mentions/0/{field}")).is_string(),
            "{field}"
        );
    }
    assert_eq!(read("").at("/data/mentions/0/is_new"), false);
    assert_eq!(read("?is_new=true").at("/data/total"), 0);
    let wrong = stage
        .acme
        .get(&path(&id, "dark-web-mentions?is_new=maybe"))
        .expect(422);
    assert_eq!(wrong.wrong_fields(), ["is_new"]);
}

#[test]
fn leaks_come_in_pages_of_fifty_or_not_at_all_c10() {
    let (stage, id) = scanned();
    let read = || stage.acme.get(&path(&id, "credential-leaks"));
    let dataset = |state: &str| {
        stage
            .anyone
            .put(
                "/_mock/tenants/acme/leak-dataset",
                json!({ "state": state }),
            )
            .expect(204);
    };
    let leaks = read().expect(200);
    assert_eq!(leaks.at("/data/enabled"), true);
    assert_eq!(leaks.at("/data/total"), 8);
    assert_eq!(leaks.at("/data/page_size"), 50);
    for field in ["email", "source", "leaked_at", "category"] {
        assert!(
            leaks.at(&format!("/data/items/0/{field}")).is_string(),
            "{field}"
        );
    }
    let employees = stage
        .acme
        .get(&path(&id, "credential-leaks?category=employees"))
        .expect(200);
    assert_eq!(employees.at("/data/total"), 2);
    dataset("unconfigured");
    let none = read().expect(200);
    assert_eq!(
        none.at("/data"),
        json!({ "enabled": false, "items": [], "total": 0, "page": 1, "page_size": 50 })
    );
    dataset("unreachable");
    let gone = read().expect(503);
    assert_eq!(gone.at("/success"), true);
    assert_eq!(gone.at("/data/items"), json!([]));
    assert!(gone.at("/data/error").is_string());
    stage
        .anyone
        .put(
            "/_mock/tenants/acme/leak-dataset",
            json!({ "state": "odd" }),
        )
        .expect(400);
}

#[test]
fn findings_are_set_and_found_by_the_next_scan() {
    let (stage, id) = scanned();
    let findings = format!("/_mock/domains/{id}/findings");
    stage
        .anyone
        .put(&findings, json!({ "employees": 30 }))
        .expect(204);
    stage
        .anyone
        .post(&format!("/_mock/domains/{id}/scan"), json!({}))
        .expect(204);
    let history = stage.acme.get(&path(&id, "scan-history")).expect(200);
    assert_eq!(history.at("/data/scans/0/employees_compromised"), 30);
    assert_eq!(history.at("/data/scans/0/customers_compromised"), 0);
    assert_eq!(history.at("/data/scans/1/employees_compromised"), 2);
    stage
        .anyone
        .put(&findings, json!({ "employees": -1 }))
        .expect(400);
    stage
        .anyone
        .put(&findings, json!({ "workers": 1 }))
        .expect(400);
    stage
        .anyone
        .put(&format!("/_mock/domains/{NOBODY}/findings"), json!({}))
        .expect(404);
    stage
        .acme
        .post(
            "/api/v1/billing/suspend-domain",
            json!({ "monitored_domain_id": id }),
        )
        .expect(200);
    stage
        .anyone
        .post(&format!("/_mock/domains/{id}/scan"), json!({}))
        .expect(409);
}

#[test]
fn a_tenant_steers_its_domains() {
    let stage = Stage::new();
    let tenant = stage.server.tenant();
    let caller = stage.anyone.with_key(tenant.api_key());
    let body = json!({ "client_id": 1, "service_id": 1, "product_slug": "domain_monitoring" });
    caller
        .post("/api/v1/billing/provision-subscription", body)
        .expect(201);
    let body = json!({ "client_id": 1, "service_id": 1, "domain": "a.example" });
    let made = caller
        .post("/api/v1/billing/provision-domain", body)
        .expect(201);
    let id = text(&made.at("/data/monitored_domain_id"));
    let uuid = id.parse().expect("a uuid");
    let findings = secmon_mock::DomainFindings::new(1, 2, 3, 4).expect("findings");
    tenant.set_findings(uuid, findings).expect("set");
    tenant
        .scan_domain_now(uuid, secmon_mock::ScanOutcome::Completed)
        .expect("scanned");
    tenant
        .set_leak_dataset(secmon_mock::LeakDataset::Unreachable)
        .expect("set");
    let summary = caller
        .get(&format!(
            "/api/v1/domains/{id}/summary?billing_customer_id=1"
        ))
        .expect(200);
    assert_eq!(summary.at("/data/dark_web_mentions_count"), 4);
    caller
        .get(&format!(
            "/api/v1/domains/{id}/credential-leaks?billing_customer_id=1"
        ))
        .expect(503);
}
