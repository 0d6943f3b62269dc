//! The answers of faults (M5).

use http::StatusCode;
use serde_json::json;

use super::problem::{envelope, shaped, validation_shape};
use super::reply::Reply;
use crate::operations::group::ErrorShape;
use crate::values::fields::FieldErrors;
use secmon_engine::Instant;

/// The answer of a `status` fault: the documented envelope of its code, else the shape that the
/// group has for that status.
pub(super) fn status(
    status: StatusCode,
    code: Option<&str>,
    shape: ErrorShape,
    now: Instant,
) -> Reply {
    match code {
        Some(code) => with_code(status, code, now),
        None => without_code(status, shape, now),
    }
}

fn with_code(status: StatusCode, code: &str, now: Instant) -> Reply {
    let details = match code {
        "RATE_LIMITED" => json!({ "retry_after_seconds": 1 }),
        "DOWNGRADE_USAGE_EXCEEDED" => json!({ "current_usage": 8, "new_limit": 5 }),
        "ENDPOINT_LIMIT_EXCEEDED" | "DOMAIN_LIMIT_EXCEEDED" => {
            json!({ "limit": 5, "current_usage": 5 })
        }
        _ => json!({}),
    };
    let message = format!("{} (ordered by a fault).", reason(status));
    envelope(status, code.into(), &message, details, now)
}

fn without_code(status: StatusCode, shape: ErrorShape, now: Instant) -> Reply {
    let message = match status {
        StatusCode::UNAUTHORIZED => "Unauthenticated.",
        StatusCode::UNPROCESSABLE_ENTITY => "The given data was invalid.",
        StatusCode::TOO_MANY_REQUESTS => "Too Many Attempts.",
        StatusCode::PAYLOAD_TOO_LARGE => "The request body is larger than 1 MiB.",
        _ => {
            let code = reason(status).to_ascii_uppercase().replace([' ', '-'], "_");
            return shaped(status, &code, reason(status), shape, now);
        }
    };
    validation_shape(status, message, &FieldErrors::new())
}

fn reason(status: StatusCode) -> &'static str {
    status.canonical_reason().unwrap_or("Error")
}

/// The answer of a `body` fault.
pub(super) fn raw(status: StatusCode, body: String) -> Reply {
    let content_type = if body.trim_start().starts_with('<') {
        "text/html; charset=utf-8"
    } else {
        "application/json"
    };
    Reply::new(status, content_type, body)
}
