//! Who signed in. A file stands for the session store that your customer area has already.

use crate::Area;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use secmon::model::CustomerId;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Sessions by the value of their cookie.
pub struct Sessions(HashMap<String, CustomerId>);

impl Sessions {
    /// Reads them from a JSON object: a long random text for each session, and its customer's number.
    pub fn read(file: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("{}: {error}", file.display()))?;
        // The parser's own words could quote a session.
        serde_json::from_str(&text).map(Self).map_err(|error| {
            format!(
                "{}: line {}: it must be an object of sessions and customers, as in {{\"a-long-random-text\": 42}}",
                file.display(),
                error.line()
            )
        })
    }

    fn customer(&self, headers: &HeaderMap) -> Option<CustomerId> {
        let cookies = headers.get_all(header::COOKIE).into_iter();
        let mut pairs = cookies
            .filter_map(|cookies| cookies.to_str().ok())
            .flat_map(|cookies| cookies.split(';'));
        let session = pairs.find_map(|pair| pair.trim().strip_prefix("session="))?;
        self.0.get(session).copied()
    }
}

/// The customer of the path, who is the one that signed in. A handler that takes it cannot forget to check.
pub struct SignedIn(pub CustomerId);

impl FromRequestParts<Arc<Area>> for SignedIn {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, area: &Arc<Area>) -> Result<Self, Response> {
        let Some(signed_in) = area.sessions.customer(&parts.headers) else {
            return Err((StatusCode::UNAUTHORIZED, "Please sign in.").into_response());
        };
        let path = RawPathParams::from_request_parts(parts, area)
            .await
            .map_err(IntoResponse::into_response)?;
        let mut asked = path.iter().filter(|(name, _)| *name == "customer");
        match asked.next().map(|(_, customer)| customer.parse()) {
            Some(Ok(customer)) if signed_in == customer => Ok(Self(signed_in)),
            _ => Err((StatusCode::FORBIDDEN, "This is not your page.").into_response()),
        }
    }
}
