//! Where the service under test comes from.

use std::env;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode, header};
use secmon::pacing::{MemoryRateLimiter, NoRateLimit, RateLimiter};
use secmon::transport::{HttpOptions, HttpTransport, Transport};
use secmon_mock::{Instant, MockServer, MockServerBuilder};
use serde_json::Value;
use tokio::runtime::Builder;

use crate::exchange::{Exchange, Forced};
use crate::ledger::Ledger;
use crate::need::Need;
use crate::untold::Untold;

/// Whether the service has the mock's `/_mock/` calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steering {
    /// Each case gets accounts of its own, with their own clock, faults and limits.
    Possible,
    /// All cases share the account of the key.
    Impossible,
}

/// Whether the answers can be foretold to the letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeatability {
    /// The embedded mock, with its seed and a clock that stands: transcripts are compared.
    Exact,
    /// Somebody else's server.
    Loose,
}

/// How time passes in a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// Only when the case moves it.
    Stands,
    /// By itself; the case can keep scans from ending.
    Runs,
    /// By itself, and scans end when they end.
    RunsUnsteered,
}

/// A service that cases run against.
#[derive(Debug, Clone)]
pub struct Service {
    /// Origin of the partner API.
    pub url: String,
    /// Origin of the `/_mock/` calls.
    pub admin_url: String,
    /// The key of those calls, where they need one.
    pub admin_key: Option<String>,
    pub(crate) key: String,
    /// Whether there are `/_mock/` calls.
    pub steering: Steering,
    /// Whether its answers repeat.
    pub repeatability: Repeatability,
    /// What it can do beyond the partner API.
    pub abilities: Vec<Need>,
    /// Its plans for servers and how many each has room for, smallest first.
    pub plans: Vec<(String, u64)>,
    /// A name that resolves.
    pub hostname: String,
    /// What of these nobody told, so that it is assumed.
    pub untold: Vec<Untold>,
    /// Where what a run may leave behind is written down.
    pub ledger: Option<Arc<Ledger>>,
    /// Whether nothing but reads may be sent.
    pub read_only: bool,
    /// Set when a run is to stop: the case that plays ends, and takes away what it made.
    pub interrupted: Arc<AtomicBool>,
}

/// Where an embedded mock's clock stands at its start, in milliseconds since 1970.
pub(crate) const START: i64 = 1_767_225_600_000;

/// A mock whose answers depend on nothing but the calls, to be changed before it starts.
pub fn repeatable() -> MockServerBuilder {
    let start = Instant::from_unix_millis(START);
    MockServer::builder().seed(1).manual_clock(start)
}

/// A mock whose answers depend on nothing but the calls.
///
/// # Panics
/// When it does not start.
pub fn embedded() -> MockServer {
    repeatable().start().expect("the embedded mock starts")
}

static EMBEDDED: LazyLock<MockServer> = LazyLock::new(embedded);

impl Service {
    /// How it tells the time.
    pub(crate) fn pace(&self) -> Pace {
        match (self.repeatability, self.steering) {
            (Repeatability::Exact, _) => Pace::Stands,
            (Repeatability::Loose, Steering::Possible) => Pace::Runs,
            (Repeatability::Loose, Steering::Impossible) => Pace::RunsUnsteered,
        }
    }

    /// The service that the environment names, else the embedded mock.
    ///
    /// # Panics
    /// When there is an address without a key.
    pub fn found() -> Self {
        let Ok(url) = env::var("SECMON_CONTRACT_URL") else {
            return Self::of(&EMBEDDED);
        };
        let url = url.trim_end_matches('/').to_owned();
        let admin_url = env::var("SECMON_MOCK_ADMIN_URL").unwrap_or_else(|_| url.clone());
        let key = env::var("SECMON_CONTRACT_KEY");
        let key =
            key.expect("SECMON_CONTRACT_KEY holds a key of the service at SECMON_CONTRACT_URL");
        let steering = match env::var("SECMON_CONTRACT_ADMIN").as_deref() {
            Ok("1" | "true" | "yes" | "on") => Steering::Possible,
            _ => Steering::Impossible,
        };
        let admin_key = env::var("SECMON_MOCK_ADMIN_KEY").ok();
        Self::over_the_network(&url, key, steering, &admin_url, admin_key)
    }

    /// A server over the network; what it can do is asked of it.
    pub fn over_the_network(
        url: &str,
        key: String,
        steering: Steering,
        admin_url: &str,
        admin_key: Option<String>,
    ) -> Self {
        let service = Self {
            url: url.trim_end_matches('/').to_owned(),
            admin_url: admin_url.trim_end_matches('/').to_owned(),
            admin_key,
            key,
            steering,
            repeatability: Repeatability::Loose,
            abilities: Vec::new(),
            plans: told_plans().expect(CHECKED),
            hostname: told_hostname(),
            untold: Untold::of_environment(),
            ledger: None,
            read_only: false,
            interrupted: Arc::default(),
        };
        service.asked()
    }

    /// With what it can do, by asking it.
    #[must_use]
    pub fn asked(self) -> Self {
        Self {
            abilities: self.found_abilities(),
            ..self
        }
    }

    fn found_abilities(&self) -> Vec<Need> {
        let mut abilities = match self.steering {
            Steering::Possible => Need::ALL.to_vec(),
            Steering::Impossible => vec![Need::Sandbox],
        };
        let scenarios = || {
            found(
                &format!("{}/api/v1/sandbox/scenarios", self.url),
                Some(&self.key),
            )
        };
        let admin = |call: &str| {
            let address = format!("{}/_mock/{call}", self.admin_url);
            found(&address, self.admin_key.as_deref())
        };
        abilities.retain(|ability| match ability {
            Need::Embedded => false,
            Need::Playbooks => {
                let clock = admin("clock").unwrap_or_default();
                clock["mode"] == "real" && admin("playbooks").is_some()
            }
            // Where accounts are the cases' own, they have it.
            Need::Sandbox => self.steering == Steering::Possible || scenarios().is_some(),
            _ => true,
        });
        abilities
    }

    /// What it lacks of these.
    pub fn lacking(&self, needs: &[Need]) -> Vec<Need> {
        let lacking = needs.iter().filter(|need| !self.abilities.contains(need));
        lacking.copied().collect()
    }

    /// A mock in this process.
    pub fn of(mock: &MockServer) -> Self {
        Self {
            url: mock.url().to_owned(),
            admin_url: mock.admin_url().to_owned(),
            admin_key: None,
            key: "test_key_acme".to_owned(),
            steering: Steering::Possible,
            repeatability: Repeatability::Exact,
            abilities: Need::ALL.to_vec(),
            plans: told_plans().expect(CHECKED),
            hostname: told_hostname(),
            untold: Vec::new(),
            ledger: None,
            read_only: false,
            interrupted: Arc::default(),
        }
    }

    /// The same service, reached through something that stands before it.
    #[must_use]
    pub fn through(&self, url: &str) -> Self {
        Self {
            url: url.to_owned(),
            ..self.clone()
        }
    }

    /// The same service, taken for one whose answers nobody can foretell.
    #[must_use]
    pub fn of_somebody_else(self) -> Self {
        Self {
            repeatability: Repeatability::Loose,
            ..self
        }
    }

    /// The same service with its `/_mock/` calls, reached through something that stands before both.
    #[must_use]
    pub fn wholly_through(&self, url: &str) -> Self {
        Self {
            admin_url: url.to_owned(),
            ..self.through(url)
        }
    }

    /// The host, as the client's list of hosts for plain http takes it.
    pub fn host(&self) -> String {
        let address = self.url.parse::<http::Uri>();
        let host = address
            .ok()
            .and_then(|address| address.host().map(str::to_owned));
        host.unwrap_or_default()
    }

    /// What nobody told of it and an answer shows to be otherwise: then nothing that rests on it can be asked.
    pub(crate) fn shown_otherwise(&self, exchange: &Exchange) -> Vec<Untold> {
        let untold = self.untold.iter().copied();
        let is_asked = exchange.forced == Forced::No;
        untold
            .filter(|untold| is_asked && self.has_otherwise(*untold, exchange))
            .collect()
    }

    fn has_otherwise(&self, untold: Untold, exchange: &Exchange) -> bool {
        match untold {
            Untold::Plans => refused_plan(exchange).is_some_and(|refused| {
                let mut plans = self.plans.iter();
                plans.any(|(plan, _)| refused == plan)
            }),
            Untold::Hostname => {
                let named = ["ip_address", "hostname"].map(|field| &exchange.sent[field]);
                exchange.json["error"]["code"] == "DNS_RESOLUTION_FAILED"
                    && named.iter().any(|name| **name == self.hostname.as_str())
            }
            // Where accounts are the cases' own, so are their limits.
            Untold::RateLimits => {
                self.steering == Steering::Impossible
                    && exchange.status == StatusCode::TOO_MANY_REQUESTS
                    && exchange.json["error"]["code"].is_null()
            }
        }
    }

    /// Its plans that are large enough for the cases.
    pub(crate) fn usual_plans(&self) -> Vec<(String, u64)> {
        let mut plans = self.plans.clone();
        plans.retain(|(_, places)| *places >= FEWEST_PLACES);
        plans
    }
}

/// The plan that is refused by its name.
fn refused_plan(exchange: &Exchange) -> Option<&Value> {
    let fields = ["plan_slug", "new_plan_slug"];
    let refused = fields
        .iter()
        .find(|field| !exchange.json["errors"][**field].is_null());
    refused.map(|field| &exchange.sent[*field])
}

/// What a service answers to a call outside any case: status and body. A body of null is none.
///
/// # Errors
/// When there is no answer.
pub fn ask(
    method: &str,
    address: &str,
    key: Option<&str>,
    body: &Value,
) -> Result<(u16, Value), String> {
    let mut request = Request::builder().method(method).uri(address);
    if let Some(key) = key {
        request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
    }
    let body = match body {
        Value::Null => Bytes::new(),
        body => Bytes::from(body.to_string()),
    };
    let request = request.body(body).map_err(|error| error.to_string())?;
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let transport = HttpTransport::new(&HttpOptions::default());
    let answer = runtime.block_on(transport.send(request));
    let answer = answer.map_err(|error| error.to_string())?;
    let json = serde_json::from_slice(answer.body()).unwrap_or_default();
    Ok((answer.status().as_u16(), json))
}

/// The body of a success.
fn found(address: &str, key: Option<&str>) -> Option<Value> {
    let (status, json) = ask("GET", address, key, &Value::Null).ok()?;
    (status == 200).then_some(json)
}

/// The calls that a key has in a minute, in provisioning and reads of findings, and in the rest: 60 and 100, or what
/// `SECMON_CONTRACT_RATE_LIMITS` says.
///
/// # Panics
/// When it says what `check_environment` refuses.
pub fn rate_limits() -> (u32, u32) {
    told_limits().expect(CHECKED)
}

const CHECKED: &str = "the environment, as check_environment judges it";

fn told_limits() -> Option<(u32, u32)> {
    match env::var("SECMON_CONTRACT_RATE_LIMITS").as_deref() {
        Err(_) | Ok("off") => Some((60, 100)),
        Ok(limits) => {
            let (strict, default) = limits.split_once(',')?;
            Some((strict.trim().parse().ok()?, default.trim().parse().ok()?))
        }
    }
}

/// Whether what the environment says of the service can be read.
///
/// # Errors
/// A sentence that names the variable.
pub fn check_environment() -> Result<(), String> {
    if told_limits().is_none() {
        return Err(
            "SECMON_CONTRACT_RATE_LIMITS must be `off`, or two numbers as in `60,100`".into(),
        );
    }
    let plans = told_plans().unwrap_or_default();
    match plans
        .iter()
        .filter(|(_, places)| *places >= FEWEST_PLACES)
        .count()
    {
        0 | 1 => Err(format!(
            "SECMON_CONTRACT_PLANS must have two plans or more of at least {FEWEST_PLACES} servers, as in `small=5,large=25`"
        )),
        _ => Ok(()),
    }
}

/// What the cases have in a plan at once.
const FEWEST_PLACES: u64 = 5;

/// The plans of the mock, or what `SECMON_CONTRACT_PLANS` says.
fn told_plans() -> Option<Vec<(String, u64)>> {
    let text = env::var("SECMON_CONTRACT_PLANS");
    let text = text
        .as_deref()
        .unwrap_or("starter=5,professional=25,business=100,enterprise=1000");
    let pairs = text.split(',').map(|pair| {
        let (plan, size) = pair.split_once('=')?;
        Some((plan.trim().to_owned(), size.trim().parse().ok()?))
    });
    let mut plans: Vec<(String, u64)> = pairs.collect::<Option<_>>()?;
    plans.sort_by_key(|(_, size)| *size);
    Some(plans)
}

/// A name that every resolver of the mock knows, or what `SECMON_CONTRACT_HOSTNAME` says.
fn told_hostname() -> String {
    env::var("SECMON_CONTRACT_HOSTNAME").unwrap_or_else(|_| "web.example.com".to_owned())
}

/// Where all cases share one key they share its windows too.
pub(crate) fn shared_budget() -> Arc<dyn RateLimiter> {
    static BUDGET: LazyLock<Arc<dyn RateLimiter>> = LazyLock::new(|| {
        if env::var("SECMON_CONTRACT_RATE_LIMITS").as_deref() == Ok("off") {
            return Arc::new(NoRateLimit);
        }
        let (strict, default) = rate_limits();
        Arc::new(MemoryRateLimiter::new(
            strict,
            default,
            Duration::from_secs(60),
        ))
    });
    Arc::clone(&BUDGET)
}
