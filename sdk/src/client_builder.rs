//! Building a client.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::{HeaderMap, HeaderValue, header};

use crate::client::{Client, Core, OF_THE_CONNECTION, Paths, RESERVED, target};
use crate::error::Error;
use crate::event::Event;
use crate::operation_info::{Namespace, OperationInfo, ShapeOrigin};
use crate::operations::OPERATIONS;
use crate::origin;
use crate::pipeline::pacer::{MemoryRateLimiter, NoRateLimit, RateLimiter};
use crate::pipeline::retry::RetryBudget;
use crate::pipeline::runtime::RuntimeCheck;
use crate::pipeline::transport::Transport;
#[cfg(feature = "default-transport")]
use crate::pipeline::transport::{HttpOptions, HttpTransport};
use crate::pipeline::{Pipeline, RetryFilter};
use crate::request_options::RequestOptions;
use crate::secret::KeyProvider;

/// What a [`Client`] is made of.
#[must_use = "a builder does nothing until it is built"]
pub struct ClientBuilder {
    base_url: String,
    keys: Box<dyn KeyProvider>,
    namespace: Namespace,
    http_hosts: Vec<String>,
    paths: Vec<(String, String)>,
    rate_limiter: LimiterChoice,
    batch_reserve: Option<u32>,
    retry_budget: RetryBudget,
    retry_filter: Option<RetryFilter>,
    transport: Option<Arc<dyn Transport>>,
    #[cfg(feature = "default-transport")]
    http_options: Option<HttpOptions>,
    user_agent: String,
    observer: Option<crate::event::Observer>,
    settings: RequestOptions,
}

enum LimiterChoice {
    Own(MemoryRateLimiter),
    Given(Arc<dyn RateLimiter>),
}

impl Client {
    /// Starts a client for the service at `base_url`, the origin of the partner's portal
    /// (`https://portal.example.com`).
    ///
    /// The key is an [`ApiKey`](crate::ApiKey), or what gives one ([`KeyProvider`]).
    pub fn builder(base_url: &str, key: impl KeyProvider + 'static) -> ClientBuilder {
        ClientBuilder::new(base_url, Box::new(key))
    }
}

impl ClientBuilder {
    pub(super) fn new(base_url: &str, keys: Box<dyn KeyProvider>) -> Self {
        Self {
            base_url: base_url.to_owned(),
            keys,
            namespace: Namespace::default(),
            http_hosts: Vec::new(),
            paths: Vec::new(),
            rate_limiter: LimiterChoice::Own(MemoryRateLimiter::default()),
            batch_reserve: None,
            retry_budget: RetryBudget::default(),
            retry_filter: None,
            transport: None,
            #[cfg(feature = "default-transport")]
            http_options: None,
            user_agent: concat!("secmon/", env!("CARGO_PKG_VERSION")).to_owned(),
            observer: None,
            settings: RequestOptions::default(),
        }
    }

    /// Changes how calls are made, as in `.with(|calls| calls.max_retries(0))`.
    pub fn with(mut self, change: impl FnOnce(RequestOptions) -> RequestOptions) -> Self {
        self.settings = change(self.settings);
        self
    }

    /// The namespace of the provisioning calls; billing unless set.
    pub fn namespace(mut self, namespace: Namespace) -> Self {
        self.namespace = namespace;
        self
    }

    /// Allows plain http to exactly this host (a name or an address, no port). This computer is always allowed.
    pub fn allow_http(mut self, host: impl Into<String>) -> Self {
        self.http_hosts.push(host.into());
        self
    }

    /// Another path for an operation whose own is only assumed ([`ShapeOrigin::Assumed`]): the operation's name in
    /// [`OPERATIONS`], and a path from the root with the same names in braces.
    pub fn path(mut self, operation: impl Into<String>, path: impl Into<String>) -> Self {
        self.paths.push((operation.into(), path.into()));
        self
    }

    /// The limits the client keeps to: requests in each `window` for the strict group (60 a minute at the service)
    /// and the default group (100 a minute).
    pub fn rate_limits(mut self, strict: u32, default: u32, window: Duration) -> Self {
        self.rate_limiter = LimiterChoice::Own(MemoryRateLimiter::new(strict, default, window));
        self
    }

    /// So many slots of each window are left to interactive calls: one of [`Priority::Batch`](crate::pacing::Priority)
    /// goes only while more are free. Five unless set; of a small limit, one slot less than it at most, so that a batch call
    /// can go when the whole window is free.
    pub fn batch_reserve(mut self, slots: u32) -> Self {
        self.batch_reserve = Some(slots);
        self
    }

    /// Keeps to no limit; a 429 of the service is obeyed all the same.
    pub fn no_rate_limit(self) -> Self {
        self.rate_limiter(Arc::new(NoRateLimit))
    }

    /// A rate budget of the caller's, for clients that share one key.
    pub fn rate_limiter(mut self, limiter: Arc<dyn RateLimiter>) -> Self {
        self.rate_limiter = LimiterChoice::Given(limiter);
        self
    }

    /// Bounds the retries of all calls together; see [`RetryBudget`] for what holds unless set.
    pub fn retry_budget(mut self, budget: RetryBudget) -> Self {
        self.retry_budget = budget;
        self
    }

    /// Asked before each further attempt; `false` makes the failure the call's result. It can only refuse: what must not
    /// be sent twice is never sent twice.
    pub fn retry_if(mut self, may_retry: Arc<dyn Fn(&Error) -> bool + Send + Sync>) -> Self {
        self.retry_filter = Some(may_retry);
        self
    }

    /// A transport of the caller's.
    pub fn transport(mut self, transport: Arc<dyn Transport>) -> Self {
        self.transport = Some(transport);
        self
    }

    /// Settings of the transport that comes with this crate: connect time-out, proxy, certificates, largest body.
    #[cfg(feature = "default-transport")]
    pub fn http_options(mut self, options: HttpOptions) -> Self {
        self.http_options = Some(options);
        self
    }

    /// The `User-Agent` header.
    pub fn user_agent(mut self, name: impl Into<String>) -> Self {
        self.user_agent = name.into();
        self
    }

    /// Called from within a call at its start, each of its waits, each attempt and its end.
    pub fn observer(mut self, observer: Arc<dyn Fn(&Event) + Send + Sync>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Builds the client; nothing is sent, and no trust store is read yet.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) with a sentence that names the setting.
    pub fn build(self) -> Result<Client, Error> {
        let core = Core {
            origin: origin::of(&self.base_url, &self.http_hosts)?,
            paths: paths(self.paths)?,
            headers: headers(&self.user_agent)?,
            pipeline: Pipeline {
                keys: self.keys,
                transport: transport(
                    self.transport,
                    #[cfg(feature = "default-transport")]
                    self.http_options,
                )?,
                rate_limiter: rate_limiter(self.rate_limiter, self.batch_reserve)?,
                observer: self.observer,
                retry_budget: self.retry_budget,
                retry_filter: self.retry_filter,
                runtime: RuntimeCheck::default(),
                key_standing: Mutex::default(),
            },
            namespace: self.namespace,
        };
        for reserved in RESERVED.iter().chain(&OF_THE_CONNECTION) {
            if self.settings.headers.contains_key(reserved) {
                return Err(Error::configuration(format!(
                    "leave the header {reserved} out: the client sets it itself"
                )));
            }
        }
        Ok(Client {
            core: Arc::new(core),
            settings: Arc::new(self.settings),
        })
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("base_url", &origin::without_secrets(&self.base_url))
            .field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}

fn rate_limiter(
    choice: LimiterChoice,
    reserve: Option<u32>,
) -> Result<Arc<dyn RateLimiter>, Error> {
    match (choice, reserve) {
        (LimiterChoice::Own(own), None) => Ok(Arc::new(own)),
        (LimiterChoice::Own(own), Some(slots)) => Ok(Arc::new(own.batch_reserve(slots))),
        (LimiterChoice::Given(given), None) => Ok(given),
        (LimiterChoice::Given(_), Some(_)) => Err(Error::configuration(
            "the batch reserve would do nothing: set it on the budget that the builder was given",
        )),
    }
}

fn paths(given: Vec<(String, String)>) -> Result<Paths, Error> {
    let placeholders = |path: &str| {
        let mut names: Vec<String> = path
            .split('/')
            .filter(|part| part.starts_with('{'))
            .map(str::to_owned)
            .collect();
        names.sort();
        names
    };
    let known = |(name, path): (String, String)| {
        let assumed =
            |info: &&&OperationInfo| info.name == name && info.shape_origin == ShapeOrigin::Assumed;
        let info = OPERATIONS.iter().find(assumed).ok_or_else(|| {
            Error::configuration(format!(
                "there is no operation `{name}` whose path is assumed"
            ))
        })?;
        let fits = path.starts_with('/') && !target::climbs(&path);
        if !fits || placeholders(&path) != placeholders(info.path) {
            return Err(Error::configuration(format!(
                "`{path}` cannot stand for `{}`: it must start with / and have the same names in braces",
                info.path
            )));
        }
        Ok((info.name, path))
    };
    given.into_iter().map(known).collect()
}

fn headers(user_agent: &str) -> Result<HeaderMap, Error> {
    let json = HeaderValue::from_static("application/json");
    let user_agent = HeaderValue::from_str(user_agent).map_err(|_| {
        Error::configuration(format!(
            "the user agent `{user_agent}` cannot travel in a header"
        ))
    })?;
    let mut headers = HeaderMap::new();
    headers.insert(header::ACCEPT, json.clone());
    headers.insert(header::CONTENT_TYPE, json);
    headers.insert(header::USER_AGENT, user_agent);
    Ok(headers)
}

#[cfg(feature = "default-transport")]
fn transport(
    given: Option<Arc<dyn Transport>>,
    options: Option<HttpOptions>,
) -> Result<Arc<dyn Transport>, Error> {
    match (given, options) {
        (Some(_), Some(_)) => Err(Error::configuration(
            "the HTTP options would do nothing: they belong to the transport of this crate, and the builder was given another one",
        )),
        (Some(given), None) => Ok(given),
        (None, options) => Ok(Arc::new(HttpTransport::new(&options.unwrap_or_default()))),
    }
}

#[cfg(not(feature = "default-transport"))]
fn transport(given: Option<Arc<dyn Transport>>) -> Result<Arc<dyn Transport>, Error> {
    given.ok_or_else(|| {
        Error::configuration(
            "there is no transport: give the builder one, or build secmon with its feature `default-transport`",
        )
    })
}
