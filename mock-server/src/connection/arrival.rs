//! Where a connection came in, and what clients call the server by.

use std::net::SocketAddr;

/// How the bytes of a connection are carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    Http,
    Https,
}

impl Scheme {
    /// The origin of a host, which has its port with it.
    pub(crate) fn origin(self, host: &str) -> String {
        let name = match self {
            Self::Http => "http",
            Self::Https => "https",
        };
        format!("{name}://{host}")
    }
}

/// What the handshake of a connection showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Certificate {
    /// A right one, or there was no handshake.
    Right,
    /// One that no client may accept.
    Wrong,
}

/// Where a connection came in; in the extensions of the requests that the router answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrivedOn {
    pub(crate) address: SocketAddr,
    pub(crate) scheme: Scheme,
    pub(crate) certificate: Certificate,
}

impl ArrivedOn {
    /// The origin that was called: by the host that the call names, else by its address.
    pub(crate) fn origin(self, named: Option<&str>) -> String {
        match named {
            Some(host) => self.scheme.origin(host),
            None => self.scheme.origin(&self.address.to_string()),
        }
    }

    /// No connection at all: a call that is made in this process.
    pub(crate) fn nowhere() -> Self {
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            scheme: Scheme::Http,
            certificate: Certificate::Right,
        }
    }
}
