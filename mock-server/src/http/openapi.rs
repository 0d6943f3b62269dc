//! The partner API's own description, served.

use axum::Router;
use axum::response::Response;
use axum::routing::any;
use http::{Method, StatusCode};

use super::reply;
use crate::http::reply::Reply;
use crate::operations::documents::{JSON, PATH};

/// Serves the partner API's description.
pub(crate) fn router() -> Router {
    Router::new().route(PATH, any(answer))
}

async fn answer(method: Method) -> Response {
    if method == Method::GET {
        return Reply::new(StatusCode::OK, "application/json", JSON).into();
    }
    reply::plain_error(StatusCode::METHOD_NOT_ALLOWED, "This path has GET only.")
        .allow("GET".to_owned())
        .into()
}
