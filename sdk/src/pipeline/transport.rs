//! The seam below the client: one request out, one complete answer back.

#[cfg(feature = "default-transport")]
mod failure;
#[cfg(feature = "default-transport")]
mod http_transport;
mod interface;
#[cfg(feature = "tls-no-provider")]
mod proxy;
#[cfg(feature = "tower")]
mod service_transport;
#[cfg(feature = "tls-no-provider")]
mod tls;

#[cfg(feature = "default-transport")]
pub use http_transport::{HttpOptions, HttpTransport};
pub use interface::{Transport, TransportError, TransportErrorKind};
#[cfg(feature = "tls-no-provider")]
pub use proxy::ProxyAddress;
#[cfg(feature = "tower")]
pub use service_transport::ServiceTransport;
#[cfg(feature = "tls-no-provider")]
pub use tls::RootCertificates;

pub use crate::future::BoxFuture;
