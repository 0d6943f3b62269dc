//! Answers that never arrive, or only half.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::HeaderValue;
use http::header::CONTENT_LENGTH;
use hyper::body::{Body as HttpBody, Frame};

/// How a connection ends instead of an answer. Travels in the extensions of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hangup {
    /// Closed before any byte of the answer.
    Close,
    /// Reset by a TCP RST before any byte of the answer.
    Reset,
    /// Closed after the head and half of the body.
    MidBody,
}

/// The error that makes hyper drop a connection.
#[derive(Debug, thiserror::Error)]
#[error("the connection was dropped on purpose")]
pub(crate) struct HungUp;

/// The same answer with the length of the whole body and the bytes of its first half. An
/// answer without a body has no half: it is dropped before any byte.
pub(super) fn cut(response: Response) -> Result<Response, HungUp> {
    let (mut head, body) = response.into_parts();
    let whole = match body.size_hint().exact() {
        Some(length) if length > 1 => length,
        _ => return Err(HungUp),
    };
    head.headers
        .insert(CONTENT_LENGTH, HeaderValue::from(whole));
    let half = Half {
        body,
        left: whole / 2,
        flushed: false,
    };
    Ok(Response::from_parts(head, Body::new(half)))
}

/// The first `left` bytes of a body, then an error.
struct Half {
    body: Body,
    left: u64,
    flushed: bool,
}

impl HttpBody for Half {
    type Data = Bytes;
    type Error = HungUp;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HungUp>>> {
        if self.left == 0 {
            if self.flushed {
                return Poll::Ready(Some(Err(HungUp)));
            }
            // Going idle once makes the connection send what it holds before it is dropped.
            self.flushed = true;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                Ok(mut data) => {
                    data.truncate(usize::try_from(self.left).unwrap_or(usize::MAX));
                    self.left -= data.len() as u64;
                    Poll::Ready(Some(Ok(Frame::data(data))))
                }
                Err(_) => Poll::Ready(Some(Err(HungUp))),
            },
            Poll::Ready(_) => Poll::Ready(Some(Err(HungUp))),
        }
    }
}
