//! Answers that never arrive, or only half.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

/// How a connection ends instead of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CloseMode {
    /// Closed before any byte of the answer.
    Close,
    /// Reset by a TCP RST before any byte of the answer.
    Reset,
}

/// The error that makes hyper drop a connection.
#[derive(Debug, thiserror::Error)]
#[error("the connection was dropped on purpose")]
pub(crate) struct HungUp;

/// The first half of a body under the length of the whole, then an error.
pub(super) struct Half {
    whole: u64,
    first_half: Option<Bytes>,
    flushed: bool,
}

impl Half {
    pub(super) fn of(body: &Bytes) -> Self {
        Self {
            whole: body.len() as u64,
            first_half: Some(body.slice(..body.len() / 2)),
            flushed: false,
        }
    }
}

impl Body for Half {
    type Data = Bytes;
    type Error = HungUp;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HungUp>>> {
        if let Some(data) = self.first_half.take() {
            return Poll::Ready(Some(Ok(Frame::data(data))));
        }
        if self.flushed {
            return Poll::Ready(Some(Err(HungUp)));
        }
        // Going idle once makes the connection send what it holds before it is dropped.
        self.flushed = true;
        context.waker().wake_by_ref();
        Poll::Pending
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.whole)
    }
}
