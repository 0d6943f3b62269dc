//! What happens, as server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use futures_util::stream;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use tokio::time::timeout;

use crate::admin::call::AdminCall;
use crate::observation::events::listener::{EventListener, SseEvent};
use crate::values::admin_error::AdminError;

/// Something is sent this often, so that neither side takes the other for gone.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

pub(crate) fn stream(call: &AdminCall) -> Result<Response, AdminError> {
    let last = call.last_event.as_deref().map(number).transpose()?;
    let tenant = call.query.get("tenant").cloned();
    let listener = EventListener::new(&call.mock, tenant, last)?;
    let pieces = stream::unfold(listener, |mut listener| async {
        let piece = match timeout(SIGN_OF_LIFE, listener.next()).await {
            Ok(said) => piece(&said?),
            Err(_) => ":\n\n".to_owned(),
        };
        Some((Ok::<_, Infallible>(piece), listener))
    });
    let mut response = Response::new(Body::from_stream(pieces));
    *response.status_mut() = StatusCode::OK;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

fn number(text: &str) -> Result<u64, AdminError> {
    let sentence = "Last-Event-ID must be the id of an event, a number.";
    text.parse()
        .map_err(|_| AdminError::BadInput(sentence.to_owned()))
}

/// JSON text has no line end of its own.
fn piece(event: &SseEvent) -> String {
    let SseEvent { number, kind, data } = event;
    format!("id: {number}\nevent: {kind}\ndata: {data}\n\n")
}
