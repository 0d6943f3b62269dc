//! What a transport is, and why it may have no answer.

use std::error::Error;
use std::fmt;

use bytes::Bytes;

use crate::future::BoxFuture;

/// Largest body of an answer that is read unless a caller sets another, in bytes.
#[cfg(any(feature = "default-transport", feature = "tower"))]
pub(super) const BODY_LIMIT: usize = 16 * 1024 * 1024;

/// Sends one request and reads its whole answer.
///
/// The client paces, times out and retries above this; an implementation does none of it. It must not follow
/// redirects: the request carries the key. Dropping the future ends the attempt. The request's extensions hold the
/// `&'static OperationInfo` of its operation, where it is one.
pub trait Transport: Send + Sync {
    /// Sends the request, whose address is absolute, and gives the answer with its whole body.
    ///
    /// # Errors
    /// The kind decides whether the client may send the call again, so [`Connect`](TransportErrorKind::Connect),
    /// [`Tls`](TransportErrorKind::Tls), [`Proxy`](TransportErrorKind::Proxy) and
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
    /// No connection came about: nothing was sent, and another attempt may do better.
    Connect,
    /// The server's certificate was refused (expired, of an unknown authority, for another host), or the TLS handshake
    /// failed: nothing was sent, and another attempt would end the same way.
    Tls,
    /// The proxy asks for credentials, or refuses those it was given: nothing was sent, and another attempt would end
    /// the same way.
    Proxy,
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
    /// The transport cannot work as it is set up: nothing was sent.
    Configuration,
}

/// An attempt without a complete answer.
#[derive(Debug)]
pub struct TransportError {
    pub(crate) kind: TransportErrorKind,
    pub(crate) message: String,
    pub(crate) source: Option<Box<dyn Error + Send + Sync>>,
    /// The proxy that the request went through, as it may be shown.
    pub(crate) proxy: Option<String>,
}

impl TransportError {
    /// Kind and a sentence for a person; the message must not quote the request's headers.
    pub fn new(kind: TransportErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            source: None,
            proxy: None,
        }
    }

    /// Says that the request went through a proxy, by its name without user and password: what failed may be its doing.
    #[cfg(feature = "default-transport")]
    pub(super) fn through_proxy(self, name: impl Into<String>) -> Self {
        Self {
            proxy: Some(name.into()),
            ..self
        }
    }

    /// Adds the error below, for callers that look for the cause; nothing in its chain may quote the request's headers.
    #[must_use]
    pub fn with_source(self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            source: Some(source.into()),
            ..self
        }
    }

    /// What went wrong.
    pub fn kind(&self) -> TransportErrorKind {
        self.kind
    }

    #[cfg(any(feature = "default-transport", feature = "tower"))]
    pub(super) fn too_large(limit: usize) -> Self {
        let message = format!("the answer is larger than {limit} bytes");
        Self::new(TransportErrorKind::BodyTooLarge, message)
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for TransportError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source
            .as_deref()
            .map(|source| source as &(dyn Error + 'static))
    }
}
