//! Sockets, TLS and HTTP/1.1: from a connection that comes in to the answer that goes out, or is cut.

pub(crate) mod arrival;
pub(crate) mod close_mode;
pub(crate) mod connection_io;
pub(crate) mod maybe_tls;
pub(crate) mod server;
#[cfg(feature = "tls")]
pub(crate) mod tls;
#[cfg(not(feature = "tls"))]
#[path = "no_tls.rs"]
pub(crate) mod tls;
