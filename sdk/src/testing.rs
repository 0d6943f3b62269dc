//! For the unit tests of programs that use this crate: a transport that answers from a script.
//!
//! ```
//! use http::StatusCode;
//! use secmon::testing::Script;
//! use secmon::transport::TransportErrorKind;
//! use secmon::{ApiKey, Client};
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), secmon::Error> {
//! let script = Script::new();
//! script.fail(TransportErrorKind::Connect);
//! script.answer(StatusCode::OK, r#"{"success": true, "status": "ok"}"#);
//!
//! let client = Client::builder("https://portal.example.com", ApiKey::new("any-key")?)
//!     .transport(script.clone())
//!     .build()?;
//! let health = client.health().await?;
//!
//! assert_eq!(health.attempts(), 2);
//! assert_eq!(script.requests()[1].path, "/api/v1/health");
//! # Ok(())
//! # }
//! ```
//!
//! Against the whole service, with its states and limits, test with the mock server of this project.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, header};
use serde_json::Value;
use tokio::time::sleep;

use crate::transport::{BoxFuture, Transport, TransportError, TransportErrorKind};

/// A transport that plays the steps of a script, one for each request, and records what was sent.
#[derive(Default)]
pub struct Script {
    steps: Mutex<VecDeque<Step>>,
    requests: Mutex<Vec<SentRequest>>,
}

enum Step {
    Answer(http::Response<Bytes>),
    Late(Duration, http::Response<Bytes>),
    Fail(TransportErrorKind),
    Hang,
}

/// A request as a [`Script`] saw it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SentRequest {
    /// The HTTP method.
    pub method: Method,
    /// The path, without the query.
    pub path: String,
    /// The query, empty without one.
    pub query: String,
    /// The headers, without `Authorization`.
    pub headers: HeaderMap,
    /// The JSON body; null without one.
    pub body: Value,
}

impl Script {
    /// A script without steps; add them in the order of the requests.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Answers the next request.
    pub fn answer(&self, status: StatusCode, body: impl Into<Bytes>) {
        self.push(Step::Answer(response(status, body.into())));
    }

    /// Answers the next request after some time.
    pub fn answer_after(&self, latency: Duration, status: StatusCode, body: impl Into<Bytes>) {
        self.push(Step::Late(latency, response(status, body.into())));
    }

    /// Answers the next request, headers included.
    pub fn respond(&self, response: http::Response<Bytes>) {
        self.push(Step::Answer(response));
    }

    /// Fails the next request.
    pub fn fail(&self, kind: TransportErrorKind) {
        self.push(Step::Fail(kind));
    }

    /// Never answers the next request.
    pub fn hang(&self) {
        self.push(Step::Hang);
    }

    /// What was sent so far, in order.
    pub fn requests(&self) -> Vec<SentRequest> {
        lock(&self.requests).clone()
    }

    fn push(&self, step: Step) {
        lock(&self.steps).push_back(step);
    }

    async fn play(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Bytes>, TransportError> {
        let sent = SentRequest::from(request);
        let name = format!("{} {}", sent.method, sent.path);
        lock(&self.requests).push(sent);
        let step = lock(&self.steps).pop_front();
        match step {
            Some(Step::Answer(response)) => Ok(response),
            Some(Step::Late(latency, response)) => {
                sleep(latency).await;
                Ok(response)
            }
            Some(Step::Fail(kind)) => Err(TransportError::new(kind, "as the script says")),
            Some(Step::Hang) => std::future::pending().await,
            None => Err(TransportError::new(
                TransportErrorKind::Refused,
                format!("the script has no step left for {name}"),
            )),
        }
    }
}

impl Transport for Script {
    fn send(
        &self,
        request: http::Request<Bytes>,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, TransportError>> {
        Box::pin(self.play(request))
    }
}

impl From<http::Request<Bytes>> for SentRequest {
    fn from(request: http::Request<Bytes>) -> Self {
        let (mut parts, body) = request.into_parts();
        parts.headers.remove(header::AUTHORIZATION);
        Self {
            method: parts.method,
            path: parts.uri.path().to_owned(),
            query: parts.uri.query().unwrap_or_default().to_owned(),
            headers: parts.headers,
            body: serde_json::from_slice(&body).unwrap_or_default(),
        }
    }
}

fn response(status: StatusCode, body: Bytes) -> http::Response<Bytes> {
    let mut response = http::Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        header::HeaderValue::from_static("application/json"),
    );
    response
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
