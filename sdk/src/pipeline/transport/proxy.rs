//! The proxy of the default transport.

use std::fmt;

use http::Uri;
use http::uri::Scheme;
use secrecy::{ExposeSecret, SecretString};

use crate::error::Error;

/// Where a proxy for https listens: `http://proxy.example:3128`, with `user:password@` before the host if it wants
/// them. They are never shown.
#[derive(Clone)]
pub struct ProxyAddress {
    url: SecretString,
    shown: String,
}

impl ProxyAddress {
    /// Reads the address of a proxy.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) when it is not `http://` or `https://` and a
    /// host; the sentence does not repeat what was given, which may hold a password.
    pub fn parse(url: &str) -> Result<Self, Error> {
        let wrong = || {
            Error::configuration(
                "the address of the proxy is none: give http:// or https://, a host, and a port if it is not the usual one",
            )
        };
        let uri: Uri = url.trim().parse().map_err(|_| wrong())?;
        let known = [Some(&Scheme::HTTP), Some(&Scheme::HTTPS)].contains(&uri.scheme());
        let authority = uri.authority().filter(|_| known).ok_or_else(wrong)?;
        let host = authority.as_str().rsplit('@').next().unwrap_or_default();
        Ok(Self {
            shown: format!("{}://{host}", uri.scheme_str().unwrap_or_default()),
            url: SecretString::from(url.trim()),
        })
    }

    /// For reqwest, https only.
    pub(super) fn for_https(&self) -> Result<reqwest::Proxy, reqwest::Error> {
        reqwest::Proxy::https(self.url.expose_secret())
    }
}

impl fmt::Debug for ProxyAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ProxyAddress").field(&self.shown).finish()
    }
}
