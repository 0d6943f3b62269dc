//! The client and what stands between it and the network.

use crate::error::CliError;
use crate::machine::interrupt::StopSign;
use crate::machine::paths;
use crate::session::call_log::CallLog;
use crate::session::credentials;
use crate::session::guard::{Guard, Policy};
use crate::session::local::LocalService;
use crate::session::rate_limit::SharedRateLimit;
use crate::session::service::{self, Source};
use crate::session::settings::{RateLimits, Safety, Settings};
use crate::state::AccountPlace;
use crate::ui::Ui;
use secmon::pacing::{Priority, RateLimiter};
use secmon::transport::{HttpOptions, HttpTransport, Transport};
use secmon::{ApiKey, Client, ClientBuilder, Event};
use std::sync::{Arc, OnceLock};

/// A mock's state is as large as what it holds.
pub const LARGEST_STATE: usize = 1024 * 1024 * 1024;

/// A connection to one service with one key.
pub struct Connection {
    client: Client,
    /// The same for what has time, once all that is sent has.
    batch: OnceLock<Client>,
    /// The network, or the embedded mock, without the gate: for what is no part of the partner API.
    pub network: Arc<dyn Transport>,
    /// The gate in front of the network.
    pub guard: Arc<Guard>,
    /// The embedded mock, where it is the service.
    pub local: Option<Arc<LocalService>>,
    /// The key, for taking it out of what is written to files.
    pub key: ApiKey,
    /// The account, as what is remembered of it is found.
    pub place: AccountPlace,
    /// The rate limit shared with other processes, where there is one.
    pub rate_limit: Option<Arc<SharedRateLimit>>,
}

impl Connection {
    /// Connects to a pair of address and key. Nothing is sent yet.
    pub fn open(
        settings: &Settings,
        ui: &Arc<Ui>,
        source: &Source,
        base_url: &str,
        key: ApiKey,
        stop: StopSign,
    ) -> Result<Self, CliError> {
        service::check_scheme(base_url)?;
        let place = AccountPlace {
            origin: service::origin_of(base_url),
            fingerprint: key.fingerprint_with(&service::origin_of(base_url)),
            is_loopback: service::is_loopback(base_url),
        };
        let network: Arc<dyn Transport> = Arc::new(HttpTransport::new(&options(source)));
        let local = match source {
            Source::Local => Some(Arc::new(LocalService::new(Arc::clone(&network), ui)?)),
            _ => None,
        };
        let reached = local
            .clone()
            .map_or(network, |local| local as Arc<dyn Transport>);
        let guard = Arc::new(Guard::new(Arc::clone(&reached), policy(&settings.safety)));
        let rate_limit = shared_rate_limit(settings, ui, &place.fingerprint, stop);
        let gate = Arc::clone(&guard) as Arc<dyn Transport>;
        let transport = CallLog::around(gate, &settings.telling, ui, &key)?;
        let builder = Client::builder(base_url, key.clone())
            .transport(transport)
            .user_agent(concat!("secmon-cli/", env!("CARGO_PKG_VERSION")))
            .observer(waits_shown_by(ui));
        let builder = rate_limited(builder, settings.rate_limits, rate_limit.as_ref());
        let client = configured(builder, settings).build();
        let client = client.map_err(|error| not_accepted(base_url, error))?;
        Ok(Self {
            client,
            batch: OnceLock::new(),
            network: reached,
            guard,
            local,
            key,
            place,
            rate_limit,
        })
    }

    /// Sends operations.
    pub fn client(&self) -> &Client {
        self.batch.get().unwrap_or(&self.client)
    }

    /// From here on all that is sent has time, and leaves part of the key's calls to people.
    pub fn leave_calls_to_people(&self) {
        let batch = || self.client.with(|calls| calls.priority(Priority::Batch));
        self.batch.get_or_init(batch);
    }
}

/// Judges an address that is to be kept, before there is a key for it.
pub fn check_address(settings: &Settings, base_url: &str) -> Result<(), CliError> {
    let none = credentials::parse("no key", "none")?;
    let built = configured(Client::builder(base_url, none), settings).build();
    built
        .map(drop)
        .map_err(|error| not_accepted(base_url, error))
}

/// The library cannot know where this program is told of hosts that plain http may reach.
fn not_accepted(base_url: &str, error: secmon::Error) -> CliError {
    let error = CliError::from(error);
    let uri = base_url.trim().parse::<http::Uri>().ok();
    let uri = uri.filter(|uri| uri.scheme_str() == Some("http"));
    match uri.as_ref().and_then(http::Uri::host) {
        Some(host) => error.hint(format!(
            "use https, or allow plain http to this host: SECMON_ALLOW_HTTP={host}"
        )),
        None => error,
    }
}

/// The embedded mock's state comes out whole; what a service answers has a limit.
fn options(source: &Source) -> HttpOptions {
    match source {
        Source::Local => HttpOptions::new().body_limit(LARGEST_STATE),
        _ => HttpOptions::new(),
    }
}

fn policy(safety: &Safety) -> Policy {
    match (safety.dry_run, safety.read_only) {
        (true, _) => Policy::DryRun,
        (false, true) => Policy::ReadOnly,
        (false, false) => Policy::Open,
    }
}

fn waits_shown_by(ui: &Arc<Ui>) -> Arc<dyn Fn(&Event) + Send + Sync> {
    let ui = Arc::clone(ui);
    Arc::new(move |event: &Event| {
        if let Event::Waiting {
            reason, duration, ..
        } = event
        {
            ui.waiting(*reason, *duration);
        }
    })
}

/// The rate limit that this process shares with others, where one is kept.
fn shared_rate_limit(
    settings: &Settings,
    ui: &Arc<Ui>,
    account: &str,
    stop: StopSign,
) -> Option<Arc<SharedRateLimit>> {
    let RateLimits::On(limits) = settings.rate_limits else {
        return None;
    };
    if !settings.keeps_state {
        return None;
    }
    let path = paths::rate_database().inspect_err(|error| {
        let reason = error.message();
        ui.note(&format!(
            "warning: {reason}: calls of other secmon processes are not counted"
        ));
    });
    let path = path.ok()?;
    let ui = Arc::clone(ui);
    let notify = Box::new(move |sentence: &str| ui.note(sentence));
    let shared = SharedRateLimit::new(path, account, limits, stop, notify);
    Some(Arc::new(shared))
}

/// Where none is shared, the process counts its own calls.
fn rate_limited(
    builder: ClientBuilder,
    limits: RateLimits,
    shared: Option<&Arc<SharedRateLimit>>,
) -> ClientBuilder {
    match (limits, shared) {
        (RateLimits::Off, _) => builder.no_rate_limit(),
        (RateLimits::On(_), Some(shared)) => {
            builder.rate_limiter(Arc::clone(shared) as Arc<dyn RateLimiter>)
        }
        (RateLimits::On(limits), None) => {
            builder.rate_limits(limits.strict, limits.default, limits.window)
        }
    }
}

fn configured(builder: ClientBuilder, settings: &Settings) -> ClientBuilder {
    let mut builder = builder.namespace(settings.namespace);
    for host in &settings.allow_http {
        builder = builder.allow_http(host);
    }
    if let Some(timeout) = settings.timeout {
        builder = builder.with(|calls| calls.operation_timeout(timeout));
    }
    if let Some(max_wait) = settings.max_wait {
        builder = builder.with(|calls| calls.queue_timeout(max_wait));
    }
    builder.with(|calls| calls.sandbox(settings.sandbox))
}
