//! The pages for people.

use axum::body::Body;
use axum::response::Response;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderName, HeaderValue, StatusCode};

use crate::admin::call::{AdminCall, Answered};
use crate::http::reply::Reply;
use crate::store::commit::Commit;
use crate::values::admin_error::AdminError;
use crate::values::chance;
use crate::values::escape::escaped;

const HTML: &str = "text/html; charset=utf-8";

/// What stands in the inspector's page in the place of its styles and scripts, and what they are.
const PARTS: [(&str, &str, &str); 5] = [
    (
        "<!-- page.css -->",
        "style",
        include_str!("../page/page.css"),
    ),
    (
        "<!-- model.js -->",
        "script",
        include_str!("../page/model.js"),
    ),
    (
        "<!-- view.js -->",
        "script",
        include_str!("../page/view.js"),
    ),
    (
        "<!-- happens.js -->",
        "script",
        include_str!("../page/happens.js"),
    ),
    (
        "<!-- page.js -->",
        "script",
        include_str!("../page/page.js"),
    ),
];

/// The inspector. Styles and scripts run by a word that only this answer knows, and nothing else does.
pub(crate) fn inspector(call: &AdminCall) -> Result<Response, AdminError> {
    let nonce = chance::text();
    let host = escaped(&call.partner_host());
    let mut page = include_str!("../page/page.html").replacen("<!-- partner -->", &host, 1);
    for (place, tag, text) in PARTS {
        let part = format!("<{tag} nonce=\"{nonce}\">\n{text}</{tag}>");
        page = page.replacen(place, &part, 1);
    }
    let policy = format!(
        "default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let mut response = Response::new(Body::from(page));
    *response.status_mut() = StatusCode::OK;
    let fixed: [(HeaderName, &'static str); 4] = [
        (CONTENT_TYPE, HTML),
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    let headers = response.headers_mut();
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Ok(policy) = HeaderValue::try_from(policy) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    Ok(response)
}

/// The partner API's reference: one page that reads `/openapi.json`.
pub(crate) fn docs(_: &AdminCall) -> Result<Answered, AdminError> {
    Ok(Answered {
        reply: Reply::new(StatusCode::OK, HTML, include_str!("../docs.html")),
        commit: Commit::done(),
    })
}
