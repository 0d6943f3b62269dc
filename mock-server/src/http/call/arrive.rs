//! The body of a call that arrives, and what is answered where it does not come whole.

use bytes::Bytes;
use http::request::Parts;
use http::{Method, StatusCode};
use hyper::body::Body;
use secmon_engine::Instant;

use super::in_flight::InFlight;
use super::outcome::CallOutcome;
use crate::http::body::{self, Sent, Unread};
use crate::http::fault_responses;
use crate::http::problem::coded;
use crate::http::reply::Reply;

impl InFlight<'_> {
    /// Reads what an operation or a fault may look at: the key comes before the body (A5).
    pub(super) async fn read<B>(&self, head: &Parts, body: B) -> Result<Sent, Unread>
    where
        B: Body<Data = Bytes> + Unpin + Send + 'static,
    {
        let is_refused = self.shared.is_none() && !self.mock.accounts.faults().look_at_bodies();
        if head.method == Method::GET || is_refused {
            body::pass_over(body);
            return Ok(Sent::Whole(Bytes::new()));
        }
        if body::asks_for_too_much(&head.headers) {
            return Ok(Sent::TooLarge(Bytes::new()));
        }
        body::read(body, body::BODY_LIMIT, &self.mock.bodies).await
    }

    /// How a call ends whose body was not read.
    pub(super) fn without_body(&self, unread: Unread) -> CallOutcome {
        match unread {
            Unread::TimedOut => CallOutcome::Answer(timed_out(self.now())),
            Unread::NoRoom => CallOutcome::Answer(self.crowded_out()),
            Unread::Broken => CallOutcome::UNPROCESSED,
        }
    }

    /// Many others send large bodies at the same time.
    fn crowded_out(&self) -> Reply {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        fault_responses::status(status, None, self.error_shape(), self.now())
            .retry_after_text("1".to_owned())
    }
}

fn timed_out(now: Instant) -> Reply {
    let message = "The request's body did not arrive in time.";
    coded(StatusCode::REQUEST_TIMEOUT, "REQUEST_TIMEOUT", message, now)
}
