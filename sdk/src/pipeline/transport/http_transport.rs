//! The transport that comes with the crate: reqwest, without redirects.

use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::uri::Scheme;

use super::{BODY_LIMIT, BoxFuture, Transport, TransportError, TransportErrorKind, failure};
#[cfg(feature = "tls-no-provider")]
use super::{ProxyAddress, RootCertificates};

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

    /// The proxy that https goes through; unless set, the one that `HTTPS_PROXY` and `NO_PROXY` of the environment
    /// name.
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

impl Default for HttpOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// Sends over the network with reqwest.
///
/// The trust store of the system is loaded at the first https request only. Plain http goes straight to its host,
/// past any proxy of the environment: the proxy could read the key.
pub struct HttpTransport {
    options: HttpOptions,
    plain: OnceLock<Result<reqwest::Client, String>>,
    secure: OnceLock<Result<reqwest::Client, String>>,
}

impl HttpTransport {
    /// A transport with its own connections.
    pub fn new(options: &HttpOptions) -> Self {
        Self {
            options: options.clone(),
            plain: OnceLock::new(),
            secure: OnceLock::new(),
        }
    }

    /// Uses a client of the caller's, with nothing of the options but the largest body.
    ///
    /// Build it with `redirect(Policy::none())`. A followed redirect is noticed and ends the call, but only after
    /// the request went out. A certificate that it refuses is told from a failed connection
    /// ([`TransportErrorKind::Tls`]) when its TLS is that of rustls.
    pub fn with_client(client: reqwest::Client, options: &HttpOptions) -> Self {
        Self {
            options: options.clone(),
            plain: OnceLock::from(Ok(client.clone())),
            secure: OnceLock::from(Ok(client)),
        }
    }

    fn client_for(&self, scheme: Option<&Scheme>) -> Result<&reqwest::Client, TransportError> {
        let client = if scheme == Some(&Scheme::HTTPS) {
            self.secure.get_or_init(|| secure_client(&self.options))
        } else {
            self.plain.get_or_init(|| plain_client(&self.options))
        };
        client
            .as_ref()
            .map_err(|reason| TransportError::new(TransportErrorKind::Refused, reason.as_str()))
    }

    async fn exchange(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Bytes>, TransportError> {
        let client = self.client_for(request.uri().scheme())?;
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
        Box::pin(self.exchange(request))
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
fn secure_client(options: &HttpOptions) -> Result<reqwest::Client, String> {
    let mut secure =
        builder(options).tls_backend_preconfigured(options.extra_roots.and_the_systems()?);
    if let Some(proxy) = &options.proxy {
        secure = secure.proxy(proxy.for_https().map_err(failure::sentence)?);
    }
    finish(secure)
}

#[cfg(not(feature = "tls-no-provider"))]
fn secure_client(_: &HttpOptions) -> Result<reqwest::Client, String> {
    Err("this program was built without TLS: build secmon with its feature `tls`, or use plain http".to_owned())
}

fn finish(builder: reqwest::ClientBuilder) -> Result<reqwest::Client, String> {
    builder.build().map_err(failure::sentence)
}
