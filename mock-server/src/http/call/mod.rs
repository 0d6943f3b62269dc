//! The way of a call, a stage a file: it arrives, a fault may act on it, it is routed, its key, access and rate window are
//! checked, its operation runs, what that changed becomes durable, and it is recorded.

pub(crate) mod access;
pub(crate) mod arrive;
pub(crate) mod durable;
pub(crate) mod fault;
pub(crate) mod in_flight;
pub(crate) mod operation;
pub(crate) mod outcome;
pub(crate) mod record;
pub(crate) mod route;

use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request, StatusCode};
use hyper::body::Body;
use secmon_engine::Instant;

use super::context::PartnerRequest;
use super::head;
use super::problem::coded;
use super::reply::Reply;
use crate::connection::arrival::ArrivedOn;
use crate::mock::Mock;
use crate::operations::paths::{Found, Paths};
use in_flight::InFlight;
use outcome::CallOutcome;

/// The partner API, ready to answer.
pub(crate) struct Api {
    mock: Arc<Mock>,
}

impl Api {
    pub(crate) fn new(mock: &Arc<Mock>) -> Self {
        Self {
            mock: Arc::clone(mock),
        }
    }

    /// Answers one call.
    pub(crate) async fn answer<B>(&self, incoming: Request<B>, arrived_on: ArrivedOn) -> CallOutcome
    where
        B: Body<Data = Bytes> + Unpin + Send + 'static,
    {
        let (head, body) = incoming.into_parts();
        let Found {
            operations,
            segments,
        } = Paths::all().find(head.uri.path());
        let mut request = PartnerRequest::new(&head, arrived_on, segments);
        let mut call = InFlight::arrive(&self.mock, operations, &request);
        let outcome = match call.read(&head, body).await {
            Ok(sent) => {
                if head.method != Method::GET {
                    call.waited();
                }
                request.sent = sent;
                match head::has_one_host(&head) {
                    true => call.under_faults(&request).await,
                    false => CallOutcome::Answer(ambiguous(call.now())),
                }
            }
            Err(unread) => call.without_body(unread),
        };
        call.record(&request, &outcome);
        outcome
    }
}

fn ambiguous(now: Instant) -> Reply {
    let message = "The request names no host, or several: send one Host header.";
    coded(StatusCode::BAD_REQUEST, "BAD_REQUEST", message, now)
}
