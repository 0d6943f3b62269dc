//! The transport that comes with the crate: reqwest, without redirects.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::Uri;
use http::uri::Scheme;
use tokio::runtime::{Handle, Id};

use super::failure;
use super::interface::{BODY_LIMIT, Transport, TransportError, TransportErrorKind};
#[cfg(feature = "tls-no-provider")]
use super::proxy::{ProxyAddress, ProxyRule};
#[cfg(feature = "tls-no-provider")]
use super::tls::RootCertificates;
use crate::future::BoxFuture;
use crate::pipeline::runtime::check_io;

/// Settings of the [`HttpTransport`]; each has a default.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    pub(crate) connect_timeout: Duration,
    pub(crate) body_limit: usize,
    #[cfg(feature = "tls-no-provider")]
    pub(crate) proxy: Option<ProxyAddress>,
    #[cfg(feature = "tls-no-provider")]
    pub(crate) extra_roots: RootCertificates,
}

impl HttpOptions {
    /// 10 seconds to connect, 16 MiB of body, the proxy of the environment, the system's trust store alone.
    pub fn new() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            body_limit: BODY_LIMIT,
            #[cfg(feature = "tls-no-provider")]
            proxy: None,
            #[cfg(feature = "tls-no-provider")]
            extra_roots: RootCertificates::default(),
        }
    }

    /// Longest time for a connection to come about, TLS included.
    #[must_use]
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.connect_timeout = limit;
        self
    }

    /// Largest body that is read, in bytes.
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// The proxy that https goes through; unless set, the one that `HTTPS_PROXY`, else `ALL_PROXY`, of the environment
    /// names. `NO_PROXY` takes hosts out: names with all below them, `.suffix`, `*.suffix`, addresses, networks
    /// (`10.0.0.0/8`), each perhaps with a port, and `*`. A setting that cannot be read is an error, never a direct
    /// connection.
    #[cfg(feature = "tls-no-provider")]
    #[must_use]
    pub fn proxy(mut self, proxy: ProxyAddress) -> Self {
        self.proxy = Some(proxy);
        self
    }

    /// Certificates that are trusted besides those of the system.
    #[cfg(feature = "tls-no-provider")]
    #[must_use]
    pub fn extra_roots(mut self, roots: RootCertificates) -> Self {
        self.extra_roots = roots;
        self
    }
}

#[cfg(feature = "tls-no-provider")]
impl HttpOptions {
    /// The proxy that calls to this address go through; `None` where they go straight to it.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) when a variable of the environment cannot be read,
    /// which the sentence names.
    pub fn proxy_for(&self, uri: &Uri) -> Result<Option<String>, crate::Error> {
        let is_https = uri.scheme() == Some(&Scheme::HTTPS);
        let rule = self.proxy_rule().map_err(crate::Error::configuration)?;
        let port = uri.port_u16().unwrap_or(443);
        let host = uri.host().filter(|_| is_https).unwrap_or_default();
        let name = rule.as_ref().and_then(|rule| rule.name_for(host, port));
        Ok(name.filter(|_| is_https).map(str::to_owned))
    }

    fn proxy_rule(&self) -> Result<Option<ProxyRule>, String> {
        match &self.proxy {
            Some(address) => Ok(Some(ProxyRule::of(address.clone()))),
            None => ProxyRule::of_environment(|name| std::env::var_os(name)),
        }
    }
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// Sends over the network with reqwest.
///
/// The trust store of the system is loaded at the first https request only. Plain http goes straight to its host,
/// past any proxy of the environment: the proxy could read the key. Each tokio runtime has connections of its own: one
/// of another runtime would stand still while that one does.
pub struct HttpTransport {
    options: HttpOptions,
    /// The caller's own client, for every runtime.
    given: Option<reqwest::Client>,
    clients: Mutex<Vec<(Connections, reqwest::Client)>>,
}

/// Which connections a client of reqwest holds.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Connections {
    runtime: Id,
    is_secure: bool,
}

/// So many clients are kept; the oldest goes first. Its runtime is likely to have ended.
const MOST_CLIENTS: usize = 8;

impl HttpTransport {
    /// A transport with its own connections.
    pub fn new(options: &HttpOptions) -> Self {
        Self {
            options: options.clone(),
            given: None,
            clients: Mutex::default(),
        }
    }

    /// Uses a client of the caller's (feature `reqwest`), with nothing of the options but the largest body.
    ///
    /// Build it with `redirect(Policy::none())`. A followed redirect is noticed and ends the call, but only after
    /// the request went out. A certificate that it refuses is told from a failed connection
    /// ([`TransportErrorKind::Tls`]) when its TLS is that of rustls.
    #[cfg(feature = "reqwest")]
    pub fn with_client(client: reqwest::Client, options: &HttpOptions) -> Self {
        Self {
            given: Some(client),
            ..Self::new(options)
        }
    }

    fn client_for(&self, uri: &Uri) -> Result<reqwest::Client, TransportError> {
        let refused = |kind| move |reason: String| TransportError::new(kind, reason);
        let runtime = Handle::try_current().map_err(|error| error.to_string());
        let wanted = Connections {
            runtime: runtime
                .map_err(refused(TransportErrorKind::Configuration))?
                .id(),
            is_secure: uri.scheme() == Some(&Scheme::HTTPS),
        };
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, client)) = clients.iter().find(|(held, _)| *held == wanted) {
            return Ok(client.clone());
        }
        check_io().map_err(refused(TransportErrorKind::Configuration))?;
        let client = match (&self.given, wanted.is_secure) {
            (Some(given), _) => given.clone(),
            (None, true) => secure_client(&self.options)?,
            (None, false) => {
                plain_client(&self.options).map_err(refused(TransportErrorKind::Refused))?
            }
        };
        if clients.len() >= MOST_CLIENTS {
            clients.remove(0);
        }
        clients.push((wanted, client.clone()));
        Ok(client)
    }

    /// The proxy that a request goes through, as far as is known of it.
    #[cfg(feature = "tls-no-provider")]
    fn proxy_for(&self, uri: &Uri) -> Option<String> {
        match self.given {
            Some(_) => None,
            None => self.options.proxy_for(uri).ok().flatten(),
        }
    }

    #[cfg(not(feature = "tls-no-provider"))]
    fn proxy_for(&self, _: &Uri) -> Option<String> {
        None
    }

    async fn send_by_proxy_or_not(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Bytes>, TransportError> {
        let uri = request.uri().clone();
        self.exchange(request)
            .await
            .map_err(|error| match self.proxy_for(&uri) {
                Some(proxy) => error.through_proxy(proxy),
                None => error,
            })
    }

    async fn exchange(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Bytes>, TransportError> {
        let client = self.client_for(request.uri())?;
        let request = reqwest::Request::try_from(request).map_err(failure::refused)?;
        let address = request.url().clone();
        let mut answer = client.execute(request).await.map_err(failure::lost)?;
        if *answer.url() != address {
            return Err(TransportError::new(
                TransportErrorKind::Redirected,
                "the caller's HTTP client followed a redirect; build it without redirects",
            ));
        }
        let mut body = BytesMut::new();
        while let Some(chunk) = answer.chunk().await.map_err(failure::lost)? {
            if body.len() + chunk.len() > self.options.body_limit {
                return Err(TransportError::too_large(self.options.body_limit));
            }
            body.extend_from_slice(&chunk);
        }
        let mut response = http::Response::new(body.freeze());
        *response.status_mut() = answer.status();
        *response.headers_mut() = std::mem::take(answer.headers_mut());
        Ok(response)
    }
}

impl fmt::Debug for HttpTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpTransport")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Transport for HttpTransport {
    fn send(
        &self,
        request: http::Request<Bytes>,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, TransportError>> {
        Box::pin(self.send_by_proxy_or_not(request))
    }
}

fn builder(options: &HttpOptions) -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .connect_timeout(options.connect_timeout)
}

/// Even a client that speaks plain http only is given a TLS set-up where TLS is compiled in: reqwest would look for a
/// process-wide one otherwise.
fn plain_client(options: &HttpOptions) -> Result<reqwest::Client, String> {
    let plain = builder(options).no_proxy();
    #[cfg(feature = "tls-no-provider")]
    let plain = plain.tls_backend_preconfigured(super::tls::trusting_nobody()?);
    finish(plain)
}

#[cfg(feature = "tls-no-provider")]
fn secure_client(options: &HttpOptions) -> Result<reqwest::Client, TransportError> {
    let misconfigured = |reason| TransportError::new(TransportErrorKind::Configuration, reason);
    let refused = |reason| TransportError::new(TransportErrorKind::Refused, reason);
    let rule = options.proxy_rule().map_err(misconfigured)?;
    let tls = options.extra_roots.and_the_systems().map_err(refused)?;
    // Reqwest's own reading of the environment passes over what it cannot read.
    let mut secure = builder(options).tls_backend_preconfigured(tls).no_proxy();
    if let Some(rule) = rule {
        secure = secure.proxy(rule.for_https().map_err(misconfigured)?);
    }
    finish(secure).map_err(refused)
}

#[cfg(not(feature = "tls-no-provider"))]
fn secure_client(_: &HttpOptions) -> Result<reqwest::Client, TransportError> {
    Err(TransportError::new(
        TransportErrorKind::Refused,
        "this program was built without TLS: build secmon with its feature `tls`, or use plain http",
    ))
}

fn finish(builder: reqwest::ClientBuilder) -> Result<reqwest::Client, String> {
    builder.build().map_err(failure::sentence)
}
