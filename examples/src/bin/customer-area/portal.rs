//! Signs a customer in to the portal. Whoever has the address is the customer, so it goes to the customer's browser and
//! nowhere else: not into a log, a cache, a history or another site's `Referer`.

use crate::session::SignedIn;
use crate::{Area, problem};
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// Sends the browser to the portal. It is a POST, so that no link, prefetch or crawler mints a token by accident, and 303
/// makes the browser follow with a GET. `Cache-Control: no-store` is on every answer of this program.
pub async fn sign_in(State(area): State<Arc<Area>>, SignedIn(customer): SignedIn) -> Response {
    let token = match area.client.sso_token(customer).await {
        Ok(answer) => answer.into_inner(),
        Err(error) => return problem(&error),
    };
    let address = token.sign_in_url(area.client.base_url());
    let Ok(mut location) = HeaderValue::from_str(address.expose_secret()) else {
        return StatusCode::BAD_GATEWAY.into_response();
    };
    // Layers that log headers leave it out.
    location.set_sensitive(true);
    let no_referrer = HeaderValue::from_static("no-referrer");
    let headers = [
        (header::LOCATION, location),
        (header::REFERRER_POLICY, no_referrer),
    ];
    (StatusCode::SEE_OTHER, headers).into_response()
}
