//! Rate windows (A10, A19).

use serde_json::json;

use crate::client::{Caller, Reply, Stage, text};

fn strict(caller: &Caller) -> Reply {
    caller.get("/api/v1/alerts?billing_customer_id=1")
}

fn default(caller: &Caller) -> Reply {
    caller.get("/api/v1/endpoints")
}

#[test]
fn sixty_strict_and_a_hundred_default_calls_fit_into_a_window_a10() {
    let stage = Stage::new();
    for _ in 0..30 {
        strict(&stage.acme).expect(200);
        stage
            .acme
            .post("/api/v1/billing/suspend", json!({}))
            .expect(422);
    }
    let refused = strict(&stage.acme).expect(429);
    assert_eq!(
        refused.json(),
        json!({ "status": "error", "message": "Too Many Attempts.", "errors": {} }),
    );
    assert_eq!(refused.header("retry-after"), Some("60"));
    for _ in 0..50 {
        default(&stage.acme).expect(200);
        stage.acme.get("/api/v1/whitelists/7").expect(404);
    }
    default(&stage.acme).expect(429);
    stage.acme.get("/api/v1/whitelists").expect(429);
}

#[test]
fn a_window_opens_at_its_first_call_and_a_new_one_when_it_is_due_a19() {
    let stage = Stage::new();
    strict(&stage.acme).expect(200);
    stage.advance(59);
    for _ in 0..59 {
        strict(&stage.acme).expect(200);
    }
    let refused = strict(&stage.acme).expect(429);
    assert_eq!(refused.header("retry-after"), Some("1"));
    stage.advance(1);
    for _ in 0..60 {
        strict(&stage.acme).expect(200);
    }
    assert_eq!(strict(&stage.acme).header("retry-after"), Some("60"));
}

#[test]
fn calls_that_were_refused_before_or_by_the_window_count_nowhere_a10() {
    let stage = Stage::new();
    for _ in 0..60 {
        stage.acme.get("/api/v1/nothing").expect(404);
        stage.acme.get("/api/v1/billing/suspend").expect(405);
        stage
            .anyone
            .with_key("wrong")
            .get("/api/v1/alerts")
            .expect(401);
        stage.acme.get("/api/v1/health").expect(200);
    }
    for _ in 0..60 {
        strict(&stage.acme).expect(200);
    }
    for _ in 0..10 {
        strict(&stage.acme).expect(429);
    }
    stage.advance(60);
    strict(&stage.acme).expect(200);
}

#[test]
fn each_key_has_its_own_windows_a10() {
    let stage = Stage::new();
    for _ in 0..61 {
        strict(&stage.acme);
    }
    strict(&stage.anyone.with_key("test_key_globex")).expect(200);
    let made = stage
        .anyone
        .post("/_mock/tenants/acme/keys", json!({}))
        .expect(201);
    let key = made.at("/api_key");
    strict(&stage.anyone.with_key(key.as_str().unwrap_or_default())).expect(200);
    strict(&stage.acme).expect(429);
}

#[test]
fn without_rate_limits_nothing_is_refused() {
    let stage = Stage::of(|builder| builder.rate_limit(secmon_mock::RateLimit::Off));
    for _ in 0..150 {
        strict(&stage.acme).expect(200);
        default(&stage.acme).expect(200);
    }
}

#[test]
fn an_account_may_have_windows_of_its_own_size_m4() {
    let stage = Stage::new();
    let sizes = json!({ "rate_limits": { "strict": 2, "default": 3, "window": 10 } });
    let made = stage.anyone.post("/_mock/tenants", sizes).expect(201);
    let small = stage.anyone.with_key(&text(&made.at("/api_key")));
    for _ in 0..3 {
        small.get("/api/v1/endpoints").expect(200);
    }
    let full = small.get("/api/v1/endpoints").expect(429);
    assert_eq!(full.header("retry-after"), Some("10"));
    for wrong in [
        json!({ "window": 0 }),
        json!({ "strict": -1 }),
        json!({ "size": 1 }),
    ] {
        let body = json!({ "rate_limits": wrong });
        stage.anyone.post("/_mock/tenants", body).expect(400);
    }
}
