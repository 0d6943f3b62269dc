//! A mock server inside another process: tests, and programs that bring their own service.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use secmon_engine::Instant;
use tokio::sync::oneshot;

use crate::account::options::TenantOptions;
use crate::configuration::address::ListenAddress;
use crate::configuration::config::Config;
use crate::configuration::settings::{AnswerStyle, RateLimit, Settings};
use crate::configuration::start_error::StartError;
use crate::embedded::account::Tenant;
use crate::fixtures::document::Fixtures;
use crate::mock::Mock;
use crate::program::serve::{self, Bound, PortFiles};
use crate::store::commit;
use crate::values::admin_error::AdminError;
use crate::values::clock::TimeSource;
use crate::values::secret::Secret;
use secmon_engine::Scenario;

/// A mock server on its own thread and runtime. Dropping it closes its port and its state file
/// before it returns.
///
/// ```
/// let server = secmon_mock::MockServer::start()?;
/// let tenant = server.tenant();
/// assert!(server.url().starts_with("http://127.0.0.1:"));
/// assert!(!tenant.api_key().is_empty());
/// # Ok::<(), secmon_mock::StartError>(())
/// ```
pub struct MockServer {
    mock: Arc<Mock>,
    url: String,
    admin_url: String,
    /// Both are there until the server is dropped.
    running: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
    /// Those that were asked for; they go with the server.
    _port_files: PortFiles,
}

impl MockServer {
    /// Starts a server with every default, in memory, on a free port of loopback.
    ///
    /// # Errors
    ///
    /// [`StartError`] when the system has no port or thread to give.
    pub fn start() -> Result<Self, StartError> {
        Self::builder().start()
    }

    /// Starts a server with settings from anywhere.
    pub(crate) fn with(settings: Settings) -> Result<Self, StartError> {
        let bound = Bound::new(settings)?;
        let port_files = bound.write_port_files()?;
        let mock = Arc::clone(bound.mock());
        let url = bound.local_secured_url();
        let url = url.unwrap_or_else(|| bound.local_url());
        let admin_url = bound.local_admin_url();
        let (stop, stopped) = oneshot::channel::<()>();
        let (told, ready) = std::sync::mpsc::channel();
        let thread = std::thread::Builder::new()
            .name("secmon-mock".to_owned())
            .spawn(move || {
                let stopped = async {
                    // A dropped sender means stop as well.
                    let _ = stopped.await;
                };
                // Nobody is left to wait for an answer when the server is dropped.
                let _ = told.send(());
                let _ = bound.serve(stopped, Duration::ZERO);
            })
            .map_err(StartError::Runtime)?;
        let _ = ready.recv();
        Ok(Self {
            mock,
            url,
            admin_url,
            running: Some((stop, thread)),
            _port_files: port_files,
        })
    }

    /// Whether there was a state already, so that the fixtures were not used (M12).
    pub fn passed_over_fixtures(&self) -> bool {
        self.mock.accounts.fixtures_passed_over
    }

    pub(crate) fn mock(&self) -> &Mock {
        &self.mock
    }

    /// The first key of the first account.
    pub(crate) fn first_key(&self) -> Option<String> {
        let registry = self.mock.accounts.registry();
        let first = registry.accounts().into_iter().next()?;
        let account = first.lock();
        account.keys().next().map(|(_, text)| text.to_owned())
    }

    /// What to start with; every setting has a default.
    pub fn builder() -> MockServerBuilder {
        MockServerBuilder {
            settings: Settings::on_a_free_port(),
        }
    }

    /// The origin of the partner API, for example `http://127.0.0.1:40713`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The origin of the admin API; the same as [`Self::url`] unless it has an address of its own.
    pub fn admin_url(&self) -> &str {
        &self.admin_url
    }

    /// A new account of its own, so that tests run side by side on one server.
    pub fn tenant(&self) -> Tenant {
        let made = self.tenant_with(TenantOptions::default());
        // Only a taken name or a full disk can fail, and no name was asked for.
        made.unwrap_or_else(|error| panic!("the mock could not make an account: {error}"))
    }

    /// A new account with options of its own.
    ///
    /// # Errors
    ///
    /// [`AdminError`] when the name is taken or cannot be one, or the state could not be saved.
    pub fn tenant_with(&self, options: TenantOptions) -> Result<Tenant, AdminError> {
        let (made, commit) = self.mock.accounts.add_account(options)?;
        commit::wait(commit)?;
        Ok(Tenant::new(
            Arc::clone(&self.mock.accounts),
            self.url.clone(),
            made,
        ))
    }

    /// A router that answers just as this server does, for calls without a network.
    pub fn router(&self) -> axum::Router {
        serve::public_services(&self.mock).into_router()
    }
}

impl Drop for MockServer {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            let _ = stop.send(());
            let _ = thread.join();
        }
        self.mock.accounts.store.close();
    }
}

impl std::fmt::Debug for MockServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MockServer")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// Says how a [`MockServer`] shall start.
#[derive(Clone, Debug)]
#[must_use]
pub struct MockServerBuilder {
    settings: Settings,
}

impl MockServerBuilder {
    /// Where to listen; port 0 takes a free one. Default: a free port of 127.0.0.1.
    pub fn listen(mut self, address: SocketAddr) -> Self {
        self.settings.listen = address.into();
        self
    }

    /// An address of its own for the admin API, which then leaves the public one.
    pub fn admin_listen(mut self, address: SocketAddr) -> Self {
        self.settings.admin_listen = Some(ListenAddress::from(address));
        self
    }

    /// A file for durable state: an acknowledged change survives a crash.
    #[cfg(feature = "durable")]
    pub fn state(mut self, file: impl Into<std::path::PathBuf>) -> Self {
        self.settings.state = Some(file.into());
        self
    }

    /// Accounts, products, limits, timings and names.
    pub fn config(mut self, config: Config) -> Self {
        self.settings.config = config;
        self
    }

    /// Same seed and same calls: same ids, same findings. Default: random, or as the state has it.
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = Some(seed);
        self
    }

    /// What the first account starts with (M12); a state that exists already wins.
    pub fn fixtures(mut self, fixtures: Fixtures) -> Self {
        self.settings.fixtures = Some(fixtures);
        self
    }

    /// A clock that stands at `start` until it is moved.
    pub fn manual_clock(mut self, start: Instant) -> Self {
        self.settings.time = TimeSource::Manual(start);
        self
    }

    /// Whether calls are limited per minute and key. Default: on.
    pub fn rate_limit(mut self, rate_limit: RateLimit) -> Self {
        self.settings.rate_limit = rate_limit;
        self
    }

    /// The starting scenario of every account. Default: warnings.
    pub fn scenario(mut self, scenario: Scenario) -> Self {
        self.settings.scenario = scenario;
        self
    }

    /// A further name that counts like loopback (A4, M7); may be called repeatedly.
    pub fn host(mut self, name: impl Into<String>) -> Self {
        self.settings.hosts.push(name.into());
        self
    }

    /// How helpful answers are. Default: plain.
    pub fn answer_style(mut self, answer_style: AnswerStyle) -> Self {
        self.settings.answer_style = answer_style;
        self
    }

    /// The key that admin calls must carry; required beyond loopback. A blank one is no key.
    pub fn admin_key(mut self, key: impl Into<Secret>) -> Self {
        self.settings.admin_key = Some(key.into()).filter(|key| !key.is_blank());
        self
    }

    /// Starts the server; it accepts calls when this returns.
    ///
    /// # Errors
    ///
    /// [`StartError`], one sentence with the way out.
    pub fn start(self) -> Result<MockServer, StartError> {
        MockServer::with(self.settings)
    }
}
