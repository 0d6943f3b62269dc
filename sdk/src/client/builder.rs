//! Building a client.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use http::{HeaderMap, HeaderValue, header};

use super::{Client, Paths, SandboxHeader, Shared, origin};
use crate::error::Error;
use crate::event::Event;
use crate::operation::{Basis, Namespace, OPERATIONS, OperationInfo};
use crate::pipeline::Pipeline;
use crate::pipeline::pacer::{Budget, MemoryBudget, Unlimited};
use crate::pipeline::retry::RetryBudget;
use crate::pipeline::transport::Transport;
#[cfg(feature = "default-transport")]
use crate::pipeline::transport::{HttpOptions, HttpTransport};
#[cfg(feature = "tls")]
use crate::pipeline::transport::{ProxyAddress, RootCertificates};
use crate::secret::ApiKey;

/// No wait is longer than a year, so that adding one to the clock is always possible.
const LONGEST_TIME: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Settings of a [`Client`].
#[must_use = "a builder does nothing until it is built"]
pub struct ClientBuilder {
    base_url: String,
    key: ApiKey,
    namespace: Namespace,
    http_hosts: Vec<String>,
    paths: Vec<(String, String)>,
    budget: Option<Arc<dyn Budget>>,
    transport: TransportChoice,
    #[cfg(feature = "default-transport")]
    http: HttpOptions,
    attempt_timeout: Duration,
    operation_timeout: Duration,
    max_wait: Duration,
    max_retries: u32,
    user_agent: String,
    sandbox: Option<SandboxHeader>,
    observer: Option<crate::event::Observer>,
}

enum TransportChoice {
    BuiltIn,
    #[cfg(feature = "default-transport")]
    Http(reqwest::Client),
    Custom(Arc<dyn Transport>),
}

impl ClientBuilder {
    pub(super) fn new(base_url: &str, key: ApiKey) -> Self {
        Self {
            base_url: base_url.to_owned(),
            key,
            namespace: Namespace::default(),
            http_hosts: Vec::new(),
            paths: Vec::new(),
            budget: None,
            transport: TransportChoice::BuiltIn,
            #[cfg(feature = "default-transport")]
            http: HttpOptions::default(),
            attempt_timeout: Duration::from_secs(30),
            operation_timeout: Duration::from_secs(150),
            max_wait: Duration::from_secs(120),
            max_retries: 3,
            user_agent: concat!("secmon/", env!("CARGO_PKG_VERSION")).to_owned(),
            sandbox: None,
            observer: None,
        }
    }

    /// The namespace of the provisioning calls; billing unless set.
    pub fn namespace(mut self, namespace: Namespace) -> Self {
        self.namespace = namespace;
        self
    }

    /// Allows plain http to exactly this host (a name or an address, no port). This machine is always allowed.
    pub fn allow_http(mut self, host: impl Into<String>) -> Self {
        self.http_hosts.push(host.into());
        self
    }

    /// Another path for an operation whose own is only assumed ([`Basis::Assumed`]): the operation's name in
    /// [`OPERATIONS`], and a path from the root with as many placeholders in braces.
    pub fn path(mut self, operation: impl Into<String>, path: impl Into<String>) -> Self {
        self.paths.push((operation.into(), path.into()));
        self
    }

    /// The limits the client keeps to: requests in each `window` for the strict group (60 a minute at the service)
    /// and the default group (100 a minute).
    pub fn rate_limits(self, strict: u32, default: u32, window: Duration) -> Self {
        self.budget(Arc::new(MemoryBudget::new(strict, default, window)))
    }

    /// Keeps to no limit; a 429 of the service is obeyed all the same.
    pub fn unlimited(self) -> Self {
        self.budget(Arc::new(Unlimited))
    }

    /// A rate budget of the caller's, for clients that share one key.
    pub fn budget(mut self, budget: Arc<dyn Budget>) -> Self {
        self.budget = Some(budget);
        self
    }

    /// A transport of the caller's.
    pub fn transport(mut self, transport: Arc<dyn Transport>) -> Self {
        self.transport = TransportChoice::Custom(transport);
        self
    }

    /// The proxy that https goes through; unless set, the one that `HTTPS_PROXY` and `NO_PROXY` of the environment
    /// name. Plain http goes straight to its host: a proxy could read the key.
    ///
    /// Without effect where [`transport`](Self::transport) or [`http_client`](Self::http_client) is set.
    #[cfg(feature = "tls")]
    pub fn proxy(mut self, proxy: ProxyAddress) -> Self {
        self.http.proxy = Some(proxy);
        self
    }

    /// Certificates that https trusts besides those of the system: of a private authority, or of a proxy that looks
    /// into TLS.
    ///
    /// Without effect where [`transport`](Self::transport) or [`http_client`](Self::http_client) is set.
    #[cfg(feature = "tls")]
    pub fn extra_roots(mut self, roots: RootCertificates) -> Self {
        self.http.extra_roots = roots;
        self
    }

    /// Largest body of an answer that is read, in bytes; 16 MiB unless set.
    ///
    /// Without effect where [`transport`](Self::transport) is set.
    #[cfg(feature = "default-transport")]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.http.body_limit = bytes;
        self
    }

    /// An HTTP client of the caller's below the default transport, for what the builder has no setting for: client
    /// certificates, for example.
    ///
    /// Build it with `redirect(Policy::none())`. A redirect that it follows is noticed and ends the call, but only
    /// after the request went out. Its own connect time-out holds, not the builder's.
    #[cfg(feature = "default-transport")]
    pub fn http_client(mut self, client: reqwest::Client) -> Self {
        self.transport = TransportChoice::Http(client);
        self
    }

    /// Longest time for a connection to come about; 10 seconds unless set.
    ///
    /// Without effect where [`transport`](Self::transport) or [`http_client`](Self::http_client) is set.
    #[cfg(feature = "default-transport")]
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.http.connect_timeout = limit.min(LONGEST_TIME);
        self
    }

    /// Longest time from sending one attempt to the end of its answer; 30 seconds unless set.
    pub fn attempt_timeout(mut self, limit: Duration) -> Self {
        self.attempt_timeout = limit.min(LONGEST_TIME);
        self
    }

    /// Longest time for a call with all its attempts and waits; 150 seconds unless set, so that a full rate window can
    /// be waited for.
    pub fn operation_timeout(mut self, limit: Duration) -> Self {
        self.operation_timeout = limit.min(LONGEST_TIME);
        self
    }

    /// Longest single wait, for a slot of the budget or for the end of a 429; 120 seconds unless set, zero means to
    /// fail at once.
    pub fn max_wait(mut self, limit: Duration) -> Self {
        self.max_wait = limit.min(LONGEST_TIME);
        self
    }

    /// How often a failed call is sent again at most, waits for rate limits not counted; 3 unless set.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.max_retries = retries;
        self
    }

    /// The `User-Agent` header.
    pub fn user_agent(mut self, name: impl Into<String>) -> Self {
        self.user_agent = name.into();
        self
    }

    /// Marks provisioning calls with `X-Sandbox: true`: on an account with sandbox mode they are simulated.
    pub fn sandbox(mut self) -> Self {
        self.sandbox = Some(SandboxHeader);
        self
    }

    /// Told of every wait, from within the call.
    pub fn observer(mut self, observer: Arc<dyn Fn(&Event) + Send + Sync>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Builds the client; nothing is sent, and no trust store is read yet.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) with a sentence that names the setting.
    pub fn build(self) -> Result<Client, Error> {
        let origin = origin::of(&self.base_url, &self.http_hosts)?;
        let paths = paths(self.paths)?;
        let headers = headers(&self.key, &self.user_agent)?;
        #[cfg(feature = "default-transport")]
        let transport = transport(self.transport, &self.http);
        #[cfg(not(feature = "default-transport"))]
        let transport = transport(self.transport)?;
        Ok(Client(Arc::new(Shared {
            pipeline: Pipeline {
                key: self.key,
                transport,
                budget: self
                    .budget
                    .unwrap_or_else(|| Arc::new(MemoryBudget::default())),
                observer: self.observer,
                attempt_timeout: self.attempt_timeout,
                max_wait: self.max_wait,
                max_retries: self.max_retries,
                retry_budget: RetryBudget::new(),
                key_rejected: AtomicBool::new(false),
            },
            origin,
            namespace: self.namespace,
            paths,
            headers,
            sandbox: self.sandbox,
            total_time: self.operation_timeout,
        })))
    }
}

fn paths(given: Vec<(String, String)>) -> Result<Paths, Error> {
    let placeholders = |path: &str| path.split('/').filter(|part| part.starts_with('{')).count();
    let known = |(name, path): (String, String)| {
        let assumed = |info: &&&OperationInfo| info.name == name && info.basis == Basis::Assumed;
        let info = OPERATIONS.iter().find(assumed).ok_or_else(|| {
            Error::configuration(format!(
                "there is no operation `{name}` whose path is assumed"
            ))
        })?;
        if !path.starts_with('/') || placeholders(&path) != placeholders(info.path) {
            return Err(Error::configuration(format!(
                "`{path}` cannot stand for `{}`: it must start with / and have as many placeholders",
                info.path
            )));
        }
        Ok((info.name, path))
    };
    given.into_iter().map(known).collect()
}

fn headers(key: &ApiKey, user_agent: &str) -> Result<HeaderMap, Error> {
    let json = HeaderValue::from_static("application/json");
    let user_agent = HeaderValue::from_str(user_agent).map_err(|_| {
        Error::configuration(format!(
            "the user agent `{user_agent}` cannot travel in a header"
        ))
    })?;
    let mut headers = HeaderMap::new();
    headers.insert(header::AUTHORIZATION, key.authorization()?);
    headers.insert(header::ACCEPT, json.clone());
    headers.insert(header::CONTENT_TYPE, json);
    headers.insert(header::USER_AGENT, user_agent);
    Ok(headers)
}

#[cfg(feature = "default-transport")]
fn transport(choice: TransportChoice, http: &HttpOptions) -> Arc<dyn Transport> {
    match choice {
        TransportChoice::BuiltIn => Arc::new(HttpTransport::new(http)),
        TransportChoice::Http(client) => Arc::new(HttpTransport::with_client(client, http)),
        TransportChoice::Custom(transport) => transport,
    }
}

#[cfg(not(feature = "default-transport"))]
fn transport(choice: TransportChoice) -> Result<Arc<dyn Transport>, Error> {
    match choice {
        TransportChoice::Custom(transport) => Ok(transport),
        TransportChoice::BuiltIn => Err(Error::configuration(
            "there is no transport: give the builder one, or build secmon with its feature `default-transport`",
        )),
    }
}
