//! The partner API's own description and that of the admin API, embedded and served.

use axum::Router;
use axum::response::Response;
use axum::routing::any;
use http::{Method, StatusCode};

use crate::http::reply::Reply;

/// The description as it was written.
pub(crate) const YAML: &str = include_str!("../../openapi.yaml");

/// As it is served.
pub(crate) const JSON: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi.json"));

/// The admin API's, as it is served at `/_mock/openapi.json`.
pub(crate) const OF_ADMIN: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi-mock.json"));

/// Where the partner API's is served; it needs no key (M7).
pub(crate) const PATH: &str = "/openapi.json";

/// Serves the partner API's description.
pub(crate) fn router() -> Router {
    Router::new().route(PATH, any(answer))
}

async fn answer(method: Method) -> Response {
    if method == Method::GET {
        return Reply::new(StatusCode::OK, "application/json", JSON).into();
    }
    crate::admin::refusal(StatusCode::METHOD_NOT_ALLOWED, "This path has GET only.")
        .allow("GET".to_owned())
        .into()
}
