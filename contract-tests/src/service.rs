//! Where the service under test comes from.

use std::env;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, header};
use secmon::pacing::{Budget, MemoryBudget, Unlimited};
use secmon::transport::{HttpOptions, HttpTransport, Transport};
use secmon_mock::{Instant, MockServer};
use serde_json::Value;
use tokio::runtime::Builder;

use crate::http_calls::{RawAnswer, RawCall};
use crate::need::Need;

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
}

/// Where an embedded mock's clock stands at its start, in milliseconds since 1970.
pub(crate) const START: i64 = 1_767_225_600_000;

/// A mock whose answers depend on nothing but the calls.
///
/// # Panics
/// When it does not start.
pub fn embedded() -> MockServer {
    let builder = MockServer::builder()
        .seed(1)
        .manual_clock(Instant::from_unix_millis(START));
    builder.start().expect("the embedded mock starts")
}

static EMBEDDED: LazyLock<MockServer> = LazyLock::new(embedded);

impl Service {
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
        let mut service = Self {
            url,
            admin_url: admin_url.trim_end_matches('/').to_owned(),
            admin_key: env::var("SECMON_MOCK_ADMIN_KEY").ok(),
            key,
            steering,
            repeatability: Repeatability::Loose,
            abilities: Vec::new(),
        };
        service.abilities = service.found_abilities();
        service
    }

    /// What a server over the network can do, by asking it.
    fn found_abilities(&self) -> Vec<Need> {
        let mut abilities = match self.steering {
            Steering::Possible => Need::ALL.to_vec(),
            Steering::Impossible => vec![Need::Sandbox],
        };
        let scenarios = || {
            get(
                &format!("{}/api/v1/sandbox/scenarios", self.url),
                Some(&self.key),
            )
        };
        let clock = || {
            let address = format!("{}/_mock/clock", self.admin_url);
            get(&address, self.admin_key.as_deref())
        };
        abilities.retain(|ability| match ability {
            Need::Embedded => false,
            Need::Playbooks => clock().is_some_and(|clock| clock["mode"] == "real"),
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

    /// A `/_mock/` call, which must succeed.
    pub(crate) async fn admin(&self, method: Method, path: &str, body: &Value) -> RawAnswer {
        let answer = self.ask_admin(method.clone(), path, body).await;
        let answer = answer.unwrap_or_else(|why| panic!("{method} {path}: {why}"));
        let (status, json) = (answer.status, &answer.json);
        assert!(status.is_success(), "{method} {path}: {status} {json}");
        answer
    }

    /// A `/_mock/` call, whatever comes of it.
    pub(crate) async fn ask_admin(
        &self,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Result<RawAnswer, String> {
        let mut call = RawCall::new(method, &format!("{}{path}", self.admin_url));
        if let Some(key) = &self.admin_key {
            call = call.bearer(key);
        }
        if !body.is_null() {
            call = call.json(body);
        }
        call.send().await.map_err(|error| error.to_string())
    }
}

/// What a service answers to a read, before any case runs; nothing when it refuses.
fn get(address: &str, key: Option<&str>) -> Option<Value> {
    let mut request = Request::get(address);
    if let Some(key) = key {
        request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
    }
    let runtime = Builder::new_current_thread().enable_all().build().ok()?;
    let transport = HttpTransport::new(&HttpOptions::default());
    let answer = runtime.block_on(transport.send(request.body(Bytes::new()).ok()?));
    let answer = answer.ok().filter(|answer| answer.status().is_success())?;
    serde_json::from_slice(answer.body()).ok()
}

/// The calls that a key has in a minute, in provisioning and reads of findings, and in the rest: 60 and 100, or what
/// `SECMON_CONTRACT_RATE_LIMITS` says.
///
/// # Panics
/// When it says something else.
pub fn rate_limits() -> (u32, u32) {
    match env::var("SECMON_CONTRACT_RATE_LIMITS").as_deref() {
        Err(_) | Ok("off") => (60, 100),
        Ok(limits) => {
            parsed(limits).expect("SECMON_CONTRACT_RATE_LIMITS is `off` or as in `60,100`")
        }
    }
}

/// The plans for servers and how many each has room for, smallest first: those of the mock, or what
/// `SECMON_CONTRACT_PLANS` says.
///
/// # Panics
/// When it says something else.
pub fn plans() -> Vec<(String, u64)> {
    let text = env::var("SECMON_CONTRACT_PLANS");
    let text = text
        .as_deref()
        .unwrap_or("starter=5,professional=25,business=100,enterprise=1000");
    let pairs = text.split(',').map(|pair| {
        let (plan, size) = pair.split_once('=')?;
        Some((plan.trim().to_owned(), size.trim().parse().ok()?))
    });
    let plans: Option<Vec<(String, u64)>> = pairs.collect();
    let mut plans =
        plans.expect("SECMON_CONTRACT_PLANS has plans with their sizes, as in `small=5,large=25`");
    plans.sort_by_key(|(_, size)| *size);
    plans
}

fn parsed(text: &str) -> Option<(u32, u32)> {
    let (strict, default) = text.split_once(',')?;
    Some((strict.trim().parse().ok()?, default.trim().parse().ok()?))
}

/// Where all cases share one key they share its windows too.
pub(crate) fn shared_budget() -> Arc<dyn Budget> {
    static BUDGET: LazyLock<Arc<dyn Budget>> = LazyLock::new(|| {
        if env::var("SECMON_CONTRACT_RATE_LIMITS").as_deref() == Ok("off") {
            return Arc::new(Unlimited);
        }
        let (strict, default) = rate_limits();
        Arc::new(MemoryBudget::new(strict, default, Duration::from_secs(60)))
    });
    Arc::clone(&BUDGET)
}
