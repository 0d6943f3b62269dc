//! Bodies, heads and documents.

use serde_json::{Value, json};

use super::{Burner, MEBIBYTE, list};

const PROVISION: &str = "/api/v1/billing/provision";

/// What is left for a text inside a body.
const ROOM: usize = MEBIBYTE - 200;

/// Texts that are full of what is looked for: the bearer's key, and what looks like a key or an escape.
pub(super) fn of_secrets() -> Vec<Burner> {
    let long = "a".repeat(60_000);
    let escapes = ["a", "%61", "\\u0061", "%5cu0061", "\\u0025\\u0036\\u0031", "\\\\", "%%%", "\\u", "%256"].map(|text| ("a", text));
    let keys = [
        ("aa", "a"), ("ab", "ab"), ("aaaaaaaaab", "a"), (&long, "a"), (crate::mock::KEY, "test_key_"),
        (crate::mock::KEY, "test_key_acme"), (crate::mock::KEY, "test_key_0123456789abcdef0123456789abcdef"),
    ];
    let mut burners = Vec::new();
    for (key, text) in escapes.into_iter().chain(keys) {
        for frame in ["", "{\"note\":\""] {
            let body = format!("{frame}{}", text.repeat(ROOM / text.len()));
            let burner = Burner::post(&format!("{key:.10} in {frame}{text:.20}"), PROVISION, body);
            burners.push(Burner { key: key.to_owned(), ..burner });
        }
    }
    burners
}

pub(super) fn of_json() -> Vec<Burner> {
    let body = |name: &str, text: String| Burner::post(name, PROVISION, text);
    let field = |name: &str, value: String| body(name, format!("{{\"client_id\":1,\"ip_address\":\"::1\",\"x\":{value}}}"));
    let items = |item: &str| format!("[{}]", list(|_| item.to_owned(), ROOM));
    let half = ROOM / 2;
    vec![
        body("open brackets", "[".repeat(ROOM)),
        body("open objects", "{\"a\":".repeat(ROOM / 5)),
        field("nested lists", format!("{}{}", "[".repeat(half), "]".repeat(half))),
        field("nested objects", format!("{}1{}", "{\"a\":".repeat(ROOM / 6), "}".repeat(ROOM / 6))),
        field("a list of lists", items("[]")),
        field("a list of small objects", items("{\"a\":0}")),
        field("a list of zeros", items("0")),
        field("many names", format!("{{{}}}", list(|number| format!("\"{number}\":0"), ROOM))),
        field("one name again and again", format!("{{{}}}", list(|_| "\"a\":0".to_owned(), ROOM))),
        body("fields without a meaning", format!("{{{}}}", list(|number| format!("\"{number:x}\":0"), ROOM))),
        field("digits", "9".repeat(ROOM)),
        field("a fraction", format!("0.{}", "9".repeat(ROOM))),
        field("an exponent", format!("1e{}", "9".repeat(ROOM))),
        field("lone surrogates", format!("\"{}\"", "\\ud800".repeat(ROOM / 6))),
        field("an open string", format!("\"{}", "\\\"".repeat(half))),
        body("blanks", " ".repeat(ROOM)),
        Burner::post("no UTF-8", PROVISION, vec![0xff; ROOM]),
    ]
}

pub(super) fn of_fields() -> Vec<Burner> {
    let (long, services) = ("x".repeat(ROOM), "/api/v1/billing/sync-services");
    let list_of = |name: &str, item: &str| {
        Burner::post(name, services, format!("{{\"services\":[{}]}}", list(|_| item.to_owned(), ROOM)))
    };
    let surplus = list(|number| format!("\"{number:x}\":0"), ROOM);
    let json = |name: &str, path: &str, body: Value| Burner::post(name, &format!("/api/v1/{path}"), body.to_string());
    let domain = |name: &str, domain: String| {
        json(name, "billing/provision-domain", json!({ "client_id": 1, "service_id": 1, "domain": domain }))
    };
    vec![
        list_of("empty services", "{}"),
        list_of("services of a field", "{\"a\":0}"),
        list_of("null services", "0"),
        list_of("too many services", r#"{"service_id":1,"client_id":1,"product_slug":"endpoint","status":"active"}"#),
        Burner::post("a service with surplus fields", services, format!("{{\"services\":[{{{surplus}}}]}}")),
        Burner::post("500 services with mistakes", services, format!("{{\"services\":[{}]}}", vec!["{\"a\":0}"; 500].join(","))),
        json("a long host name", "billing/provision", json!({ "client_id": 1, "hostname": ".a".repeat(ROOM / 2) })),
        json("a long address", "billing/provision", json!({ "client_id": 1, "ip_address": ":".repeat(ROOM) })),
        json("a long e-mail address", "billing/provision", json!({ "client_id": 1, "ip_address": "::1", "client_email": "@".repeat(ROOM) })),
        domain("a long domain", "ä.".repeat(ROOM / 3)),
        domain("a long encoded domain", format!("xn--{}", "a".repeat(ROOM))),
        domain("a domain in a long address", format!("{}a.test", "http://".repeat(ROOM / 7))),
        json("a long time", "whitelists", json!({ "port_start": 1, "protocol": "tcp", "justification": "For an attack", "expires_at": long })),
        json("a long reason", "whitelists", json!({ "port_start": 1, "protocol": "tcp", "justification": "ä".repeat(ROOM / 2) })),
        json("a long currency", "billing/pricing", json!({ "product_slug": "endpoint", "price": 1, "currency": long })),
        json("a long way back", "sso/token", json!({ "billing_customer_id": 1, "redirect_path": format!("/{long}") })),
        json("a long scenario", "sandbox/scenario", json!({ "scenario": long })),
    ]
}

pub(super) fn of_admin(endpoint: &str) -> Vec<Burner> {
    let long = "x".repeat(ROOM);
    let json = |name: &str, path: &str, body: Value| Burner::post(name, &format!("/_mock/{path}"), body.to_string());
    let put = |name: &str, path: &str, body: String| Burner { method: "PUT", ..Burner::post(name, &format!("/_mock/{path}"), body) };
    let ports = format!("endpoints/{endpoint}/ports");
    let port = |number: usize| format!("{{\"port\":{},\"protocol\":\"{}\"}}", number % 65_535 + 1, ["tcp", "udp"][number / 65_535 % 2]);
    let record = |table: &str, value: &str| format!("{{\"table\":\"{table}\",\"key\":\"1\",\"value\":{value}}}");
    let account = |records: String| format!("{{\"format\":1,\"name\":\"acme\",\"moment\":\"2026-01-01T00:00:00.000+00:00\",\"account\":{{\"order\":0,\"clock_offset_ms\":0,\"origin\":\"configured\",\"state\":{{\"format\":1,\"records\":[{records}]}}}}}}");
    let state = "tenants/acme/state";
    vec![
        put("a document of small records", state, account(list(|_| record("rules", "{}"), ROOM - 400))),
        put("a document of small objects", state, account(record("settings", &format!("[{}]", list(|_| "{\"a\":0}".to_owned(), ROOM - 400))))),
        put("a record with surplus small objects", state, account(record("settings", &format!("{{\"surplus\":[{}]}}", list(|_| "{\"a\":0}".to_owned(), ROOM - 400))))),
        put("open ports", &ports, format!("{{\"open\":[{}]}}", list(port, ROOM))),
        put("one open port again and again", &ports, format!("{{\"open\":[{}]}}", list(|_| port(0), ROOM))),
        put("open ports that are none", &ports, format!("{{\"open\":[{}]}}", list(|_| "{\"a\":0}".to_owned(), ROOM))),
        put("a nested document", "state", "{\"accounts\":".repeat(ROOM / 12)),
        put("a document of empty accounts", "state", format!("{{\"accounts\":{{{}}}}}", list(|number| format!("\"{number}\":{{}}"), ROOM))),
        put("a document of removed accounts", "state", format!("{{\"removed\":{{{}}}}}", list(|number| format!("\"{number}\":1"), ROOM))),
        put("a document of digits", "state", "9".repeat(ROOM)),
        json("a fault with a long body", "faults", json!({ "effect": { "body": long, "status": 200 } })),
        json("a fault with a long path", "faults", json!({ "path": "*a".repeat(ROOM / 2), "effect": { "latency_ms": 1 } })),
        json("a fault with many stars", "faults", json!({ "path": format!("{}b", "*a".repeat(2000)), "effect": { "latency_ms": 1 } })),
        json("an account with a long name", "tenants", json!({ "name": long })),
        json("an account with a long domain", "tenants", json!({ "portal_domain": "a.".repeat(ROOM / 2) })),
        json("a long time to move to", "clock", json!({ "set": long })),
        json("ten years at once", "clock", json!({ "advance_seconds": 3660 * 86_400 })),
    ]
}

pub(super) fn of_heads() -> Vec<Burner> {
    let get = |name: &str, path: String| Burner { method: "GET", ..Burner::post(name, &path, "") };
    let keyed = |name: &str, key: String| Burner { key, ..get(name, "/api/v1/endpoints".to_owned()) };
    let of = |text: &str| text.repeat(60_000 / text.len());
    vec![
        get("parameters", format!("/api/v1/endpoints?{}", of("a&"))),
        get("a parameter again and again", format!("/api/v1/endpoints?{}", of("status=active&"))),
        get("encoded parameters", format!("/api/v1/endpoints?a={}", of("%61"))),
        get("segments", format!("/api/v1{}", of("/a"))),
        get("encoded segments", format!("/api/v1/endpoints/{}", of("%2F"))),
        get("a long id", format!("/api/v1/endpoints/{}", of("0"))),
        get("a long page", format!("/api/v1/endpoints?page={}", of("9"))),
        get("the last page there could be", format!("/api/v1/endpoints?page={}&per_page=100", i64::MAX)),
        get("a long token", format!("/sso?token={}", of("a"))),
        get("an unknown admin parameter", format!("/_mock/requests?{}=1", of("a"))),
        get("unknown admin parameters", format!("/_mock/requests?{}", list(|number| format!("{number:x}"), 60_000).replace(',', "&"))),
        keyed("a long key", "a".repeat(380_000)),
        keyed("a key of escapes", "%61".repeat(120_000)),
    ]
}
