//! Sockets, TLS and HTTP/1.1: from a connection that comes in to the answer that goes out, or is cut.

mod arrival;
mod close_mode;
mod connection_io;
mod maybe_tls;
pub(crate) mod server;
#[cfg(feature = "tls")]
pub(crate) mod tls;
#[cfg(not(feature = "tls"))]
#[path = "no_tls.rs"]
pub(crate) mod tls;
