//! Plain HTTP, for what the SDK would not send.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, header};
use secmon::RateGroup;
use secmon::pacing::{Acquire, Permit, Priority, SlotOutcome};
use secmon::transport::{Transport, TransportError};
use serde_json::Value;
use tokio::time::sleep;

use crate::exchange::outcome;
use crate::service::{Steering, shared_budget};
use crate::stage::{RecordingTransport, Stage};
use crate::table::TABLE;

/// The time in which an answer comes, or it never does.
const ATTEMPT: Duration = Duration::from_secs(30);

/// Long enough to wait for a window while all other cases wait too.
pub(crate) const LONGEST_CASE: Duration = Duration::from_secs(7200);

/// A request that is written out by the test.
pub struct RawCall {
    stage: Arc<Stage>,
    request: http::request::Builder,
    body: Bytes,
}

/// An answer as it came.
#[derive(Debug)]
pub struct RawAnswer {
    /// The HTTP status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as JSON; null when it is none.
    pub json: Value,
}

impl RawAnswer {
    /// What the table calls it.
    pub fn outcome(&self) -> String {
        outcome(self.status, &self.json)
    }
}

impl RawCall {
    /// A request to an absolute address.
    pub(crate) fn new(stage: &Arc<Stage>, method: Method, address: &str) -> Self {
        Self {
            stage: Arc::clone(stage),
            request: http::Request::builder().method(method).uri(address),
            body: Bytes::new(),
        }
    }

    /// With the key in the `Authorization` header.
    #[must_use]
    pub fn bearer(self, key: &str) -> Self {
        self.header(header::AUTHORIZATION, &format!("Bearer {key}"))
    }

    /// With a header.
    #[must_use]
    pub fn header(mut self, name: header::HeaderName, value: &str) -> Self {
        self.request = self.request.header(name, value);
        self
    }

    /// With a JSON body.
    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        self.header(header::CONTENT_TYPE, "application/json")
            .body(body.to_string())
    }

    /// With any body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// Sends it; on an account that all tests share, again after each 429.
    ///
    /// # Errors
    /// When there is no complete answer.
    ///
    /// # Panics
    /// When the test wrote a request that cannot be sent.
    pub async fn send(self) -> Result<RawAnswer, TransportError> {
        let request = self
            .request
            .body(self.body)
            .expect("a request that can be sent");
        let shared = self.stage.service.steering == Steering::Impossible;
        let key = format!("Bearer {}", self.stage.service.key);
        let transport = RecordingTransport(self.stage);
        loop {
            let slot = match shared {
                true => slot_for(&request, &key).await,
                false => None,
            };
            let answer = transport.send(request.clone()).await;
            if let Some(slot) = slot {
                slot.complete(SlotOutcome::Answered).await;
            }
            let (parts, body) = answer?.into_parts();
            let json: Value = serde_json::from_slice(&body).unwrap_or_default();
            let window_is_full =
                parts.status == StatusCode::TOO_MANY_REQUESTS && json["status"] == "error";
            if shared && window_is_full {
                sleep(retry_after(&parts.headers)).await;
                continue;
            }
            return Ok(RawAnswer {
                status: parts.status,
                headers: parts.headers,
                json,
            });
        }
    }
}

/// A slot of the budget that all cases share, for a call that will count in a window of the account.
async fn slot_for(request: &http::Request<Bytes>, key: &str) -> Option<Box<dyn Permit>> {
    let row = TABLE.row_of(request.method(), request.uri().path());
    let group = match row.group.as_str() {
        "health" | "sandbox" | "none" => return None,
        "endpoints" | "allowed ports" => RateGroup::Default,
        _ => RateGroup::Strict,
    };
    let own = request.headers().get(header::AUTHORIZATION);
    if own.is_none_or(|value| value.as_bytes() != key.as_bytes()) {
        return None;
    }
    let unheard = |_| {};
    let acquire = Acquire::new(
        group,
        Priority::Interactive,
        LONGEST_CASE,
        ATTEMPT,
        &unheard,
    );
    let mut slot = shared_budget()
        .acquire(acquire)
        .await
        .expect("a slot, in time");
    slot.sent();
    Some(slot)
}

fn retry_after(headers: &HeaderMap) -> Duration {
    let seconds = headers
        .get(header::RETRY_AFTER)
        .and_then(|value| value.to_str().ok()?.parse().ok());
    Duration::from_secs(seconds.unwrap_or(60))
}

/// A `/_mock/` call, which must succeed.
///
/// # Panics
/// When it does not.
pub(crate) async fn admin(
    stage: &Arc<Stage>,
    method: Method,
    path: &str,
    body: &Value,
) -> RawAnswer {
    let answer = ask_admin(stage, method.clone(), path, body).await;
    let answer = answer.unwrap_or_else(|why| panic!("{method} {path}: {why}"));
    let (status, json) = (answer.status, &answer.json);
    assert!(status.is_success(), "{method} {path}: {status} {json}");
    answer
}

/// A `/_mock/` call, whatever comes of it.
pub(crate) async fn ask_admin(
    stage: &Arc<Stage>,
    method: Method,
    path: &str,
    body: &Value,
) -> Result<RawAnswer, String> {
    let service = &stage.service;
    let mut call = RawCall::new(stage, method, &format!("{}{path}", service.admin_url));
    if let Some(key) = &service.admin_key {
        call = call.bearer(key);
    }
    if !body.is_null() {
        call = call.json(body);
    }
    call.send().await.map_err(|error| error.to_string())
}
