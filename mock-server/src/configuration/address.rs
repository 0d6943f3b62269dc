//! Addresses to listen on, as a person writes them.

use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::str::FromStr;

use crate::configuration::start_error::StartError;

/// `HOST:PORT` to listen on: a name or an address, IPv6 in brackets; port 0 takes a free one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenAddress {
    host: String,
    port: u16,
}

impl ListenAddress {
    /// The host as it was written, IPv6 without brackets: a name that the admin API answers to (M7).
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Binds the address. Calls that arrive from now on wait until the server accepts them.
    pub(crate) fn bind(&self) -> Result<TcpListener, StartError> {
        self.try_bind().map_err(|source| StartError::Listen {
            address: self.to_string(),
            source,
        })
    }

    fn try_bind(&self) -> io::Result<TcpListener> {
        let addresses: Vec<SocketAddr> =
            (self.host.as_str(), self.port).to_socket_addrs()?.collect();
        let listener = TcpListener::bind(addresses.as_slice())?;
        listener.set_nonblocking(true)?;
        Ok(listener)
    }
}

impl From<SocketAddr> for ListenAddress {
    fn from(address: SocketAddr) -> Self {
        Self {
            host: address.ip().to_string(),
            port: address.port(),
        }
    }
}

impl FromStr for ListenAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let problem = || format!("`{text}` is not HOST:PORT; write for example 127.0.0.1:4010");
        let (host, port) = text.rsplit_once(':').ok_or_else(problem)?;
        let port = port.parse().map_err(|_| problem())?;
        let host = match host.strip_prefix('[') {
            Some(inner) => inner.strip_suffix(']').ok_or_else(problem)?,
            None if host.contains(':') => return Err(problem()),
            None => host,
        };
        if host.is_empty() {
            return Err(problem());
        }
        Ok(Self {
            host: host.to_owned(),
            port,
        })
    }
}

impl std::fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}
