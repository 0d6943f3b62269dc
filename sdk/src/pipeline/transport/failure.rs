//! What an error of reqwest means: whether the request left, and what a person should read.

use std::error::Error;
use std::io;
use std::iter::successors;

use super::interface::{TransportError, TransportErrorKind};

/// How the tunnel says that a proxy answered 407; its type is not public.
const PROXY_WANTS_CREDENTIALS: &str = "tunnel error: proxy authorization required";

/// An exchange that did not come to its end.
pub(super) fn lost(error: reqwest::Error) -> TransportError {
    let kind = if error.is_connect() {
        why_no_connection(&error)
    } else if never_left(&error) {
        TransportErrorKind::Connect
    } else if error.is_timeout() {
        TransportErrorKind::Timeout
    } else {
        TransportErrorKind::Interrupted
    };
    transport_error(kind, error)
}

/// Whether the connection had ended before the request was begun. That alone is certain: of a connection that ended
/// "before message completed" bytes had been written, and nobody knows whether they were read.
fn never_left(error: &reqwest::Error) -> bool {
    reasons(error)
        .filter_map(|reason| reason.downcast_ref::<hyper::Error>())
        .any(hyper::Error::is_canceled)
}

/// A request that reqwest does not take.
pub(super) fn refused(error: reqwest::Error) -> TransportError {
    transport_error(TransportErrorKind::Refused, error)
}

/// The innermost reason, which tells a person more than "error sending request"; never the address.
pub(super) fn sentence(error: reqwest::Error) -> String {
    innermost(&error.without_url())
}

fn transport_error(kind: TransportErrorKind, error: reqwest::Error) -> TransportError {
    let error = error.without_url();
    let message = match kind {
        TransportErrorKind::Proxy => {
            "the proxy asks for a user and a password, or refuses those in its address (407)"
                .to_owned()
        }
        TransportErrorKind::Tls if reasons(&error).any(is_no_tls) => {
            "the answer there is not TLS; the port may be one for plain http".to_owned()
        }
        _ => innermost(&error),
    };
    TransportError::new(kind, message).with_source(error)
}

fn why_no_connection(error: &reqwest::Error) -> TransportErrorKind {
    reasons(error)
        .find_map(|reason| {
            if is_refusal_of_tls(reason) {
                Some(TransportErrorKind::Tls)
            } else if reason.to_string() == PROXY_WANTS_CREDENTIALS {
                Some(TransportErrorKind::Proxy)
            } else {
                None
            }
        })
        .unwrap_or(TransportErrorKind::Connect)
}

#[cfg(feature = "tls-no-provider")]
fn is_refusal_of_tls(reason: &(dyn Error + 'static)) -> bool {
    reason.is::<rustls::Error>()
}

#[cfg(not(feature = "tls-no-provider"))]
fn is_refusal_of_tls(_: &(dyn Error + 'static)) -> bool {
    false
}

/// What answers speaks another protocol.
#[cfg(feature = "tls-no-provider")]
fn is_no_tls(reason: &(dyn Error + 'static)) -> bool {
    let error = reason.downcast_ref::<rustls::Error>();
    matches!(error, Some(rustls::Error::InvalidMessage(_)))
}

#[cfg(not(feature = "tls-no-provider"))]
fn is_no_tls(_: &(dyn Error + 'static)) -> bool {
    false
}

fn innermost(error: &(dyn Error + 'static)) -> String {
    reasons(error)
        .last()
        .map(ToString::to_string)
        .unwrap_or_default()
}

/// The error and all below it. An [`io::Error`] names what it wraps by `get_ref` only: its `source` is already the
/// one below that.
fn reasons<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    successors(Some(error), |&reason| {
        let wrapped = reason
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        match wrapped {
            Some(wrapped) => Some(wrapped),
            None => reason.source(),
        }
    })
}
