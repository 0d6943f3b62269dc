//! For the unit tests of programs that use this crate: a transport that answers from a script, answers in every shape
//! of the service, and records made from JSON.
//!
//! ```
//! use http::StatusCode;
//! use secmon::operations::SuspendEndpoint;
//! use secmon::testing::{self, MockTransport};
//! use secmon::transport::TransportErrorKind;
//! use secmon::{ApiKey, Client, ErrorCode};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), secmon::Error> {
//! let script = MockTransport::new();
//! // One step for each request, in order:
//! script.fail(TransportErrorKind::Connect);
//! script.answer(StatusCode::OK, r#"{"success": true, "status": "ok"}"#);
//! // For the requests of one operation, whenever they come:
//! let missing = testing::api_error(StatusCode::NOT_FOUND, ErrorCode::EndpointNotFound, "No such endpoint.");
//! script.on::<SuspendEndpoint>().times(2).respond(missing);
//!
//! let key = ApiKey::new("any-key")?;
//! let client = Client::builder("https://portal.example.com", key.clone())
//!     .transport(script.clone())
//!     .build()?;
//! let server = testing::model(json!("6f9619ff-8b86-4011-b42d-00c04fc964ff"));
//! for _ in 0..2 {
//!     let refused = client.send(SuspendEndpoint::new(server)).await.expect_err("no such server");
//!     assert_eq!(refused.code(), Some(&ErrorCode::EndpointNotFound));
//! }
//! assert_eq!(client.health().await?.attempts(), 2);
//!
//! script.assert_done();
//! let first = &script.requests()[0];
//! assert_eq!(first.operation, Some("suspend_endpoint"));
//! assert!(first.key_is(&key));
//! # Ok(())
//! # }
//! ```
//!
//! All waits follow tokio's clock: with `start_paused = true` a test of an hour's pacing takes a moment. That needs tokio's
//! own feature `test-util`, in the dev-dependency on tokio.
//!
//! Against the whole service, with its states and limits, test with the mock server of this project.

mod answers;
mod mock_transport;
mod outcomes;

use std::any::type_name;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::model::tolerant_value::TolerantValue;

pub use answers::{
    alerts_error, api_error, api_error_with, created, created_resource, document, html, no_content,
    page, resource, resource_error, success, too_many_attempts, unauthenticated, unavailable_leaks,
    validation_error,
};
pub use mock_transport::{Expectation, MockTransport, RecordedRequest};
pub use outcomes::{error, failure, response, unsent};

/// A record of [`model`](crate::model) or a result of [`operations`](crate::operations), made from the JSON that the
/// service would send: their types gain fields, so that they cannot be written out.
///
/// # Panics
/// When the JSON does not fit, with the reason and the JSON up to the place.
#[track_caller]
pub fn model<T: DeserializeOwned>(json: Value) -> T {
    let text = format!("{json:#}");
    // As a client reads it: as documented, or else in any spelling.
    let read = serde_json::from_str(&text);
    match read.or_else(|error| T::deserialize(TolerantValue(&json)).map_err(|_| error)) {
        Ok(model) => model,
        Err(error) => {
            let read: Vec<&str> = text.lines().take(error.line()).collect();
            panic!(
                "this JSON is no `{}`: {error}\n{}",
                type_name::<T>(),
                read.join("\n")
            )
        }
    }
}
