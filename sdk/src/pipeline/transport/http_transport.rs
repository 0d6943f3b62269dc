//! The transport that comes with the crate: reqwest, without redirects.

use std::error::Error as _;
use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::uri::Scheme;

use super::{BoxFuture, Transport, TransportError, TransportErrorKind};
#[cfg(feature = "tls")]
use super::{ProxyAddress, RootCertificates};

/// Settings of the [`HttpTransport`]; write `..HttpOptions::default()` for those you do not set.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// Longest time for a connection to come about, TLS included.
    pub connect_timeout: Duration,
    /// Largest body that is read, in bytes.
    pub body_limit: usize,
    /// The proxy that https goes through; if none, the one that `HTTPS_PROXY` and `NO_PROXY` of the environment name.
    #[cfg(feature = "tls")]
    pub proxy: Option<ProxyAddress>,
    /// Certificates that are trusted besides those of the system.
    #[cfg(feature = "tls")]
    pub extra_roots: RootCertificates,
}

impl Default for HttpOptions {
    /// 10 seconds to connect, 16 MiB of body, the proxy of the environment, the system's trust store alone.
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            body_limit: 16 * 1024 * 1024,
            #[cfg(feature = "tls")]
            proxy: None,
            #[cfg(feature = "tls")]
            extra_roots: RootCertificates::default(),
        }
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

    /// Uses a client of the caller's.
    ///
    /// Build it with `redirect(Policy::none())`. A followed redirect is noticed and ends the call, but only after
    /// the request went out; its connect time-out is the client's own.
    pub(crate) fn with_client(client: reqwest::Client, options: &HttpOptions) -> Self {
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
        let request = reqwest::Request::try_from(request)
            .map_err(|error| TransportError::new(TransportErrorKind::Refused, describe(error)))?;
        let address = request.url().clone();
        let mut answer = client.execute(request).await.map_err(classify)?;
        if *answer.url() != address {
            return Err(TransportError::new(
                TransportErrorKind::Redirected,
                "the caller's HTTP client followed a redirect; build it without redirects",
            ));
        }
        let mut body = BytesMut::new();
        while let Some(chunk) = answer.chunk().await.map_err(classify)? {
            if body.len() + chunk.len() > self.options.body_limit {
                return Err(TransportError::new(
                    TransportErrorKind::BodyTooLarge,
                    format!(
                        "the answer is larger than {} bytes",
                        self.options.body_limit
                    ),
                ));
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
    #[cfg(feature = "tls")]
    let plain = plain.tls_backend_preconfigured(super::tls::trusting_nobody()?);
    finish(plain)
}

#[cfg(feature = "tls")]
fn secure_client(options: &HttpOptions) -> Result<reqwest::Client, String> {
    let mut secure =
        builder(options).tls_backend_preconfigured(options.extra_roots.and_the_systems()?);
    if let Some(proxy) = &options.proxy {
        secure = secure.proxy(proxy.for_https().map_err(describe)?);
    }
    finish(secure)
}

#[cfg(not(feature = "tls"))]
fn secure_client(_: &HttpOptions) -> Result<reqwest::Client, String> {
    Err("this program was built without TLS: build secmon with its feature `tls`, or use plain http".to_owned())
}

fn finish(builder: reqwest::ClientBuilder) -> Result<reqwest::Client, String> {
    builder.build().map_err(describe)
}

fn classify(error: reqwest::Error) -> TransportError {
    let kind = if error.is_connect() {
        TransportErrorKind::Connect
    } else if error.is_timeout() {
        TransportErrorKind::Timeout
    } else {
        TransportErrorKind::Interrupted
    };
    TransportError::new(kind, describe(error))
}

/// The innermost reasons, which tell a person more than "error sending request"; never the address.
fn describe(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(reason) = source {
        text = reason.to_string();
        source = reason.source();
    }
    text
}
