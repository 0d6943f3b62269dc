//! What the mock reads: requests to itself, the whole way from their heads to the answer, but without a network.

use std::sync::LazyLock;

use axum::body::Body;
use http::{Method, Request, StatusCode, header};
use http_body_util::BodyExt;
use secmon_mock::{Instant, MockServer, RateLimit};
use serde_json::{Value, json};
use tower_service::Service;

use crate::block_on;

const KEY: &str = "test_key_acme";

static SERVER: LazyLock<MockServer> = LazyLock::new(|| {
    MockServer::builder()
        .seed(7)
        .manual_clock(Instant::parse("2026-01-01T00:00:00+00:00").expect("a time"))
        .rate_limit(RateLimit::Off)
        .start()
        .expect("a server")
});

struct Answer {
    status: StatusCode,
    body: Vec<u8>,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

fn call(method: Method, path: &str, body: impl Into<Body>) -> Answer {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::HOST, "localhost")
        .header(header::AUTHORIZATION, format!("Bearer {KEY}"))
        .body(body.into())
        .expect("a request");
    block_on(async {
        let mut router = SERVER.router();
        let answer = match Service::<Request<Body>>::call(&mut router, request).await {
            Ok(answer) => answer,
            Err(never) => match never {},
        };
        let status = answer.status();
        let body = answer.into_body().collect().await.expect("a body");
        Answer {
            status,
            body: body.to_bytes().to_vec(),
        }
    })
}

/// The server as it starts, with one server and one domain of customer 42; the server's id.
fn start_over() -> String {
    call(Method::POST, "/_mock/reset", Body::empty());
    let domain = json!({"client_id": 42, "service_id": 7, "product_slug": "domain_monitoring", "quantity": 2});
    call(
        Method::POST,
        "/api/v1/billing/provision-subscription",
        domain.to_string(),
    );
    let domain = json!({"client_id": 42, "service_id": 7, "domain": "example.com"});
    call(
        Method::POST,
        "/api/v1/billing/provision-domain",
        domain.to_string(),
    );
    let server = json!({"client_id": 42, "ip_address": "203.0.113.10"});
    let made = call(
        Method::POST,
        "/api/v1/billing/provision",
        server.to_string(),
    );
    assert!(made.status.is_success(), "{}", made.json());
    let id = made.json()["data"]["endpoint_id"]
        .as_str()
        .map(str::to_owned);
    id.expect("the id of the server")
}

/// A dump is refused, or read within its bounds; what it accepted is not suggested again.
pub fn dumps(input: &[u8]) {
    let Ok(content) = std::str::from_utf8(input) else {
        return;
    };
    let id = start_over();
    let body =
        json!({"endpoint_id": id, "billing_customer_id": 42, "content": content}).to_string();
    let answer = call(Method::POST, "/api/v1/firewall/ingest", body.clone());
    assert!(answer.status.as_u16() < 500, "{}", answer.json());
    if answer.status != StatusCode::OK {
        return;
    }
    let first = answer.json();
    let (suggested, parsed) = (&first["data"]["suggested"], &first["data"]["parsed_rules"]);
    let count = suggested.as_array().map(Vec::len).expect("suggestions");
    // A wide range makes several rules where narrower lines came first, but nothing comes of no range at all.
    assert!(count == 0 || parsed.as_u64() > Some(0), "{first}");
    let again = call(Method::POST, "/api/v1/firewall/ingest", body).json();
    assert_eq!(again["data"]["suggested"], json!([]), "{first}");
    assert_eq!(again["data"]["parsed_rules"], *parsed);
}

/// A document is refused and nothing changes, or it is taken and comes out again as it is then taken.
pub fn state(input: &[u8]) {
    start_over();
    let state = "/_mock/state";
    let before = call(Method::GET, state, Body::empty()).body;
    let taken = call(Method::PUT, state, input.to_vec()).status;
    let after = call(Method::GET, state, Body::empty()).body;
    if !taken.is_success() {
        assert!(taken.is_client_error(), "{taken}");
        assert!(before == after, "a refused document changed the state");
        return;
    }
    let again = call(Method::PUT, state, after.clone());
    assert!(again.status.is_success(), "{}", again.json());
    let last = call(Method::GET, state, Body::empty()).body;
    assert!(
        last == after,
        "what was exported came back as something else"
    );
}

/// The calls whose bodies and queries are read; `ID` is a server's.
const CALLS: &[(Method, &str)] = &[
    (Method::POST, "/_mock/faults"),
    (Method::POST, "/_mock/tenants"),
    (Method::POST, "/_mock/clock"),
    (Method::POST, "/_mock/playbooks"),
    (Method::PUT, "/_mock/endpoints/ID/ports"),
    (Method::POST, "/_mock/endpoints/ID/scan"),
    (Method::PUT, "/_mock/tenants/acme/progress"),
    (Method::PUT, "/_mock/tenants/acme/leak-dataset"),
    (Method::POST, "/_mock/tenants/acme/clock"),
    (Method::POST, "/_mock/tenants/acme/keys"),
    (Method::POST, "/api/v1/billing/provision"),
    (Method::POST, "/api/v1/billing/provision-domain"),
    (Method::POST, "/api/v1/billing/provision-subscription"),
    (Method::POST, "/api/v1/billing/change-subscription"),
    (Method::POST, "/api/v1/billing/sync-services"),
    (Method::POST, "/api/v1/endpoints"),
    (Method::PUT, "/api/v1/endpoints/ID"),
    (Method::POST, "/api/v1/whitelists"),
];

/// Any body of any of these calls is taken or refused as JSON, and the server goes on.
pub fn admin(input: &[u8]) {
    let Some((first, body)) = input.split_first() else {
        return;
    };
    let id = start_over();
    let (method, path) = &CALLS[usize::from(*first) % CALLS.len()];
    let path = path.replace("ID", &id);
    let answer = call(method.clone(), &path, body.to_vec());
    let told = String::from_utf8_lossy(&answer.body).into_owned();
    assert!(answer.status.as_u16() < 500, "{method} {path}: {told}");
    let readable = told.is_empty() || serde_json::from_str::<Value>(&told).is_ok();
    assert!(readable, "{method} {path}: {told}");
    let health = call(Method::GET, "/_mock/health", Body::empty());
    assert_eq!(health.status, StatusCode::OK);
}
