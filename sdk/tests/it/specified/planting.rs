//! Puts a secret somewhere into an answer.

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode};
use serde_json::{Map, Value, json};

use super::secrets::Encoding;

/// Stands in an answer where the secret will be.
const MARK: &str = "@@planted@@";

/// A whole answer with a secret in it.
#[derive(Debug, Clone)]
pub struct Planted {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
}

impl Planted {
    pub fn response(&self) -> Response<Bytes> {
        let mut response = Response::new(Bytes::from(self.body.clone()));
        *response.status_mut() = StatusCode::from_u16(self.status).expect("a status");
        for (name, value) in &self.headers {
            // A header cannot hold every character; one that it cannot is left out, as a server would.
            let value: String = value.chars().filter(|c| (' '..='~').contains(c)).collect();
            let value = HeaderValue::from_str(&value).expect("a header");
            response
                .headers_mut()
                .insert(HeaderName::from_static(name), value);
        }
        response
    }
}

/// Where a secret may stand: a name, and the answer with a mark in its place, made from a good one.
pub type Spot = (&'static str, fn(&Value) -> Marked);

/// An answer with marks in it. Its body is text, so that it need not be JSON.
pub struct Marked {
    headers: Vec<(&'static str, &'static str)>,
    body: String,
}

fn body(body: impl Into<String>) -> Marked {
    let headers = vec![("content-type", "application/json")];
    Marked {
        headers,
        body: body.into(),
    }
}

fn value(value: Value) -> Marked {
    body(value.to_string())
}

fn header(name: &'static str, good: &Value) -> Marked {
    Marked {
        headers: vec![(name, MARK)],
        body: good.to_string(),
    }
}

fn page(text: &str) -> Marked {
    Marked {
        headers: vec![("content-type", "text/html; charset=UTF-8")],
        body: text.to_owned(),
    }
}

fn refusal(error: Value) -> Marked {
    value(json!({"success": false, "error": error, "meta": {"version": "v1"}}))
}

/// The good answer with something else as its `data`; a document as a whole.
fn data(good: &Value, data: Value) -> Marked {
    let mut good = good.clone();
    match good.get_mut("data") {
        Some(place) => *place = data,
        None => good = data,
    }
    value(good)
}

/// The good answer with the mark in place of every value inside `data`.
fn every_value(good: &Value) -> Value {
    match good {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), every_value(value)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items.iter().map(every_value).collect(),
        _ => json!(MARK),
    }
}

pub const SPOTS: &[Spot] = &[
    ("the message", |_| {
        value(
            json!({"status": "error", "message": format!("Key {MARK} is invalid."), "errors": {}}),
        )
    }),
    ("the message of an envelope", |_| {
        refusal(json!({"code": "X", "message": MARK}))
    }),
    ("the message of a number code", |_| {
        value(json!({"error": {"code": 404, "message": MARK}}))
    }),
    ("the code", |_| {
        refusal(json!({"code": MARK, "message": "No."}))
    }),
    ("a detail", |_| {
        refusal(json!({"code": "X", "message": "No.", "details": {"key": MARK}}))
    }),
    ("a documented detail", |_| {
        refusal(json!({"code": "X", "message": "No.", "details": {"new_limit": MARK}}))
    }),
    ("a nested detail", |_| {
        refusal(
            json!({"code": "X", "message": "No.", "details": {"a": [{"b": [MARK, {"c": MARK}]}]}}),
        )
    }),
    ("a detail's name", |_| {
        refusal(json!({"code": "X", "message": "No.", "details": {MARK: 1, "a": {MARK: 2}}}))
    }),
    ("details that are a text", |_| {
        refusal(json!({"code": "X", "message": "No.", "details": MARK}))
    }),
    ("an unknown member of an error", |_| {
        refusal(json!({"code": "X", "message": "No.", "trace": [MARK]}))
    }),
    ("an error that is a text", |_| {
        value(json!({"success": false, "error": MARK}))
    }),
    ("a field's name", |_| {
        value(json!({"status": "error", "message": "No.", "errors": {MARK: ["It is odd."]}}))
    }),
    ("a field's sentence", |_| {
        value(
            json!({"status": "error", "message": "No.", "errors": {"client_id": ["It is odd.", MARK]}}),
        )
    }),
    ("a field's only sentence", |_| {
        value(json!({"status": "error", "message": "No.", "errors": {"billing_customer_id": MARK}}))
    }),
    ("a field's sentence that is an object", |_| {
        value(json!({"status": "error", "message": "No.", "errors": {"domain": [{MARK: MARK}]}}))
    }),
    ("errors that are a list", |_| {
        value(json!({"status": "error", "message": "No.", "errors": [MARK]}))
    }),
    ("meta", |_| {
        value(
            json!({"success": false, "error": {"code": "X", "message": "No."}, "meta": {"version": MARK, MARK: 1}}),
        )
    }),
    ("an error beside a result", |good| {
        let mut both = good.clone();
        both["success"] = json!(false);
        both["error"] = json!({"code": MARK, "message": MARK});
        value(both)
    }),
    ("every value of the result", |good| {
        value(json!({"success": true, "data": every_value(&good["data"])}))
    }),
    ("every value of the answer", |good| value(every_value(good))),
    ("a text where an object belongs", |good| {
        data(good, json!(MARK))
    }),
    ("a list of texts where an object belongs", |good| {
        data(good, json!([MARK, MARK]))
    }),
    ("texts where records belong", |good| {
        data(
            good,
            json!({"enabled": true, "items": [MARK], "alerts": [MARK], "page": 1, "endpoints": [MARK]}),
        )
    }),
    ("a record under a wrong name", |good| {
        data(
            good,
            json!({"records": [{"email": MARK, MARK: 1}], MARK: {"token": MARK}}),
        )
    }),
    ("a record that is nested wrongly", |good| {
        data(
            good,
            json!({"enabled": MARK, "items": {"0": {"email": MARK}}, "token": {"value": MARK}, "endpoint_id": [MARK]}),
        )
    }),
    ("a record whose types are wrong", |good| {
        data(
            good,
            json!({"enabled": true, "items": [[{"email": MARK}]], "page": MARK, "token": [MARK], "endpoint_id": {MARK: 1}}),
        )
    }),
    ("the name of a member before a wrong one", |good| {
        data(
            good,
            json!({MARK: 1, "items": 7, "token": 7, "endpoint_id": 7}),
        )
    }),
    ("a doubled member", |_| {
        body(format!(
            "{{\"success\":true,\"data\":{{\"{MARK}\":1,\"{MARK}\":2,\"token\":\"{MARK}\",\"token\":\"{MARK}\"}}}}"
        ))
    }),
    ("the whole answer, a text", |_| body(format!("\"{MARK}\""))),
    ("the whole answer, a list", |_| {
        value(json!([MARK, {"token": MARK}]))
    }),
    ("the whole answer, bare", |_| body(MARK)),
    ("JSON that is cut", |good| {
        let whole = json!({"data": {"token": MARK, "items": [{"email": MARK}], "endpoint_id": MARK}, "x": good}).to_string();
        body(&whole[..whole.len() - 2])
    }),
    ("JSON that is cut inside", |_| {
        body(format!("{{\"success\":true,\"data\":{{\"token\":\"{MARK}"))
    }),
    ("behind the end of JSON", |good| {
        body(format!("{good} {MARK}"))
    }),
    ("a page of HTML", |_| {
        page(&format!(
            "<html><h1>Hello {MARK}</h1><a href=\"/?k={MARK}\"></html>"
        ))
    }),
    ("an attribute of HTML", |_| {
        page(&format!("<input type=hidden value='{MARK}'>"))
    }),
    ("plain text", |_| {
        page(&format!("upstream said: {MARK}\r\n at line 3"))
    }),
    ("a form", |_| page(&format!("a=1&token={MARK}&b=2"))),
    ("a header of its own", |good| header("x-echo", good)),
    ("the request id", |good| header("x-request-id", good)),
    ("Location", |good| header("location", good)),
    ("Location's query", |good| Marked {
        headers: vec![(
            "location",
            "https://elsewhere.example/login?next=%2F&key=@@planted@@",
        )],
        body: good.to_string(),
    }),
    ("Content-Type", |good| header("content-type", good)),
    ("Retry-After", |good| header("retry-after", good)),
    ("Set-Cookie", |good| header("set-cookie", good)),
    ("WWW-Authenticate", |good| header("www-authenticate", good)),
    ("headers and body at once", |_| Marked {
        headers: vec![("x-echo", MARK), ("location", MARK), ("content-type", MARK)],
        body: format!("{{\"message\":\"{MARK}\",\"errors\":{{\"{MARK}\":\"{MARK}\"}}}}"),
    }),
];

/// Statuses under which answers come, those of proxies and gateways too.
pub const STATUSES: &[u16] = &[
    200, 201, 202, 204, 206, 301, 302, 307, 400, 401, 403, 404, 405, 407, 409, 413, 418, 422, 429,
    500, 502, 503, 504,
];

/// A secret in one spot of a good answer, written in one way.
pub fn plant(good: &Value, spot: &Spot, encoding: &Encoding, status: u16, secret: &str) -> Planted {
    let marked = (spot.1)(good);
    let written = (encoding.1)(secret);
    let headers = marked
        .headers
        .iter()
        .map(|(name, value)| (*name, value.replace(MARK, &written)));
    Planted {
        status,
        headers: headers.collect(),
        body: marked.body.replace(MARK, &written),
    }
}

/// The same in any member or item of the good answer: before it, in it, or as its name. `place` chooses which.
pub fn plant_anywhere(
    good: &Value,
    place: usize,
    encoding: &Encoding,
    status: u16,
    secret: &str,
) -> Planted {
    let mut body = good.clone();
    let count = count(&body);
    mark(&mut body, &mut (place / 3 % count.max(1)), place % 3);
    let written = (encoding.1)(secret);
    Planted {
        status,
        headers: vec![("content-type", "application/json".to_owned())],
        body: body.to_string().replace(MARK, &written),
    }
}

/// How many values there are in a value, itself included.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Object(members) => members.values().map(count).sum(),
        Value::Array(items) => items.iter().map(count).sum(),
        _ => 0,
    }
}

/// Marks the value that is `left` values away: in its place, inside it, or as a name in it.
fn mark(value: &mut Value, left: &mut usize, how: usize) {
    if *left == 0 {
        *value = match (how, value.take()) {
            (1, Value::Array(mut items)) => {
                items.push(json!(MARK));
                items.into()
            }
            (1, Value::Object(mut members)) => {
                members.insert("planted".to_owned(), json!(MARK));
                members.into()
            }
            (2, Value::Object(mut members)) => {
                members.insert(MARK.to_owned(), json!({"planted": MARK}));
                members.into()
            }
            (2, _) => json!([{MARK: MARK}]),
            _ => json!(MARK),
        };
        *left = usize::MAX;
        return;
    }
    *left -= 1;
    let inner: Vec<&mut Value> = match value {
        Value::Object(members) => members.values_mut().collect(),
        Value::Array(items) => items.iter_mut().collect(),
        _ => Vec::new(),
    };
    for value in inner {
        if *left != usize::MAX {
            mark(value, left, how);
        }
    }
}
