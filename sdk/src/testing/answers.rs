//! Answers as the service gives them, one function for each envelope.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use serde_json::{Map, Value, json};

use crate::error::ErrorCode;

/// 200 in the success envelope: provisioning, sign-in, alerts, domain monitoring, sandbox.
pub fn success(data: Value) -> Response<Bytes> {
    enveloped(StatusCode::OK, data)
}

/// 201 in the success envelope: provisioning made a new record.
pub fn created(data: Value) -> Response<Bytes> {
    enveloped(StatusCode::CREATED, data)
}

/// 200 with one record in the resource envelope: Allowed Ports rules and endpoints.
pub fn resource(data: Value) -> Response<Bytes> {
    json_answer(StatusCode::OK, json!({"data": data, "meta": meta()}))
}

/// 201 with one record in the resource envelope: a new rule or endpoint.
pub fn created_resource(data: Value) -> Response<Bytes> {
    json_answer(StatusCode::CREATED, json!({"data": data, "meta": meta()}))
}

/// 200 with one page of a list in the resource envelope: its number from 1, the items a page holds at most, and the
/// items of all pages together.
pub fn page(items: Vec<Value>, number: u32, per_page: u32, total: u64) -> Response<Bytes> {
    let last = total.div_ceil(u64::from(per_page.max(1))).max(1);
    let number = u64::from(number);
    let link = |page: u64| {
        format!("https://portal.example.com/api/v1/list?per_page={per_page}&page={page}")
    };
    let mut meta = meta();
    meta["current_page"] = number.into();
    meta["per_page"] = per_page.into();
    meta["total"] = total.into();
    let links = json!({
        "first": link(1),
        "last": link(last),
        "prev": (number > 1).then(|| link(number - 1)),
        "next": (number < last).then(|| link(number + 1)),
    });
    json_answer(
        StatusCode::OK,
        json!({"data": items, "links": links, "meta": meta}),
    )
}

/// 200 with this body, for answers without an envelope: the health check, the detail read of an endpoint.
pub fn document(body: Value) -> Response<Bytes> {
    json_answer(StatusCode::OK, body)
}

/// 204 without a body: a record was deleted.
pub fn no_content() -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

/// The error envelope with a code that has a name, without details.
pub fn api_error(status: StatusCode, code: impl Into<ErrorCode>, message: &str) -> Response<Bytes> {
    api_error_with(status, code, message, json!({}))
}

/// The error envelope with details, `{"limit": 5, "current_usage": 5}` for example.
pub fn api_error_with(
    status: StatusCode,
    code: impl Into<ErrorCode>,
    message: &str,
    details: Value,
) -> Response<Bytes> {
    let code = code.into();
    let error = json!({"code": code.to_str(), "message": message, "details": details});
    json_answer(
        status,
        json!({"success": false, "error": error, "meta": meta()}),
    )
}

/// An error of the alerts group: its code is the number of the status.
pub fn alerts_error(status: StatusCode, message: &str) -> Response<Bytes> {
    let error = json!({"code": status.as_u16(), "message": message});
    json_answer(
        status,
        json!({"success": false, "error": error, "meta": meta()}),
    )
}

/// An error of the endpoints and the Allowed Ports rules, where it has no code with a name.
pub fn resource_error(status: StatusCode, message: &str) -> Response<Bytes> {
    let error = json!({"code": status.as_u16(), "message": message});
    json_answer(status, json!({"error": error}))
}

/// 422: fields with what is wrong with them, a sentence each; a field may come more than once.
pub fn validation_error(problems: &[(&str, &str)]) -> Response<Bytes> {
    let mut errors = Map::new();
    for (field, sentence) in problems {
        let sentences = errors.entry(*field).or_insert_with(|| json!([]));
        if let Value::Array(sentences) = sentences {
            sentences.push(Value::from(*sentence));
        }
    }
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    plain_error(status, "The given data was invalid.", errors)
}

/// 401: no key, or one that the service does not know.
pub fn unauthenticated() -> Response<Bytes> {
    plain_error(StatusCode::UNAUTHORIZED, "Unauthenticated.", Map::new())
}

/// 429 of a rate window, with `Retry-After` in whole seconds, rounded up; without the header when nothing is given.
pub fn too_many_attempts(retry_after: Option<Duration>) -> Response<Bytes> {
    let status = StatusCode::TOO_MANY_REQUESTS;
    let mut response = plain_error(status, "Too Many Attempts.", Map::new());
    if let Some(wait) = retry_after {
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

/// 503 of the credential leaks while their source cannot be reached: a result that holds nothing but this message.
pub fn unavailable_leaks(message: &str) -> Response<Bytes> {
    let data = json!({
        "enabled": true, "items": [], "total": 0, "page": 1, "page_size": 50, "error": message,
    });
    enveloped(StatusCode::SERVICE_UNAVAILABLE, data)
}

/// A page of HTML, as a proxy or a gateway answers in the service's place.
pub fn html(status: StatusCode, page: &str) -> Response<Bytes> {
    answer(status, "text/html; charset=UTF-8", page.to_owned().into())
}

/// JSON as it stands, whatever it is.
pub(super) fn json_text(status: StatusCode, body: Bytes) -> Response<Bytes> {
    answer(status, "application/json", body)
}

fn enveloped(status: StatusCode, data: Value) -> Response<Bytes> {
    json_answer(
        status,
        json!({"success": true, "data": data, "meta": meta()}),
    )
}

/// The shape of 401, 422 and 429.
fn plain_error(status: StatusCode, message: &str, errors: Map<String, Value>) -> Response<Bytes> {
    json_answer(
        status,
        json!({"status": "error", "message": message, "errors": errors}),
    )
}

fn meta() -> Value {
    json!({"version": "v1", "timestamp": "2026-01-01T00:00:00+00:00"})
}

fn json_answer(status: StatusCode, body: Value) -> Response<Bytes> {
    json_text(status, body.to_string().into())
}

fn answer(status: StatusCode, content_type: &'static str, body: Bytes) -> Response<Bytes> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}
