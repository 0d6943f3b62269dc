//! The seam below the client: one request out, one complete answer back.

#[cfg(feature = "default-transport")]
mod http_transport;
#[cfg(feature = "tls")]
mod proxy;
#[cfg(feature = "tls")]
mod tls;

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;

#[cfg(feature = "default-transport")]
pub use http_transport::{HttpOptions, HttpTransport};
#[cfg(feature = "tls")]
pub use proxy::ProxyAddress;
#[cfg(feature = "tls")]
pub use tls::RootCertificates;

/// A future on the heap, as the traits of this crate return it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Sends one request and reads its whole answer.
///
/// The client paces, times out and retries above this; an implementation does none of it. It must not follow
/// redirects: the request carries the key. Dropping the future ends the attempt.
pub trait Transport: Send + Sync {
    /// Sends the request, whose address is absolute, and gives the answer with its whole body.
    ///
    /// # Errors
    /// The kind decides whether the client may send the call again, so [`Connect`](TransportErrorKind::Connect) and
    /// [`Refused`](TransportErrorKind::Refused) are only for requests of which no byte left.
    fn send(
        &self,
        request: http::Request<Bytes>,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, TransportError>>;
}

/// Why there is no complete answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// No connection came about: nothing was sent.
    Connect,
    /// The time ran out; the request may have been processed.
    Timeout,
    /// The connection was lost or the answer was cut; the request may have been processed.
    Interrupted,
    /// The answer is larger than the transport takes.
    BodyTooLarge,
    /// A redirect was followed although it must not be.
    Redirected,
    /// The transport declines to send this request; the client never retries it.
    Refused,
}

/// An attempt without a complete answer.
#[derive(Debug, Clone)]
pub struct TransportError {
    pub(crate) kind: TransportErrorKind,
    pub(crate) message: String,
}

impl TransportError {
    /// Kind and a sentence for a person; the message must not quote the request's headers.
    pub fn new(kind: TransportErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    /// What went wrong.
    pub fn kind(&self) -> TransportErrorKind {
        self.kind
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TransportError {}
