//! Where the service under test comes from, and how a test steers it.

use std::env;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, FixedOffset};
use http::Method;
use secmon::model::{CustomerId, DomainId, EndpointId, ProductSlug, ServiceId};
use secmon::operations::{
    CreateEndpoint, ProvisionDomain, ProvisionEndpoint, ProvisionSubscription,
};
use secmon::pacing::MemoryBudget;
use secmon::{ApiKey, Client, ClientBuilder};
use secmon_mock::MockServer;
use serde_json::{Value, json};

use crate::http_calls::{RawAnswer, RawCall};

/// Whether the service has the mock's `/_mock/` calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steering {
    /// Each test gets an account of its own, with its own clock, faults and limits.
    Possible,
    /// All tests share the account of the key.
    Impossible,
}

/// The service, found once for all tests of a binary.
struct Service {
    url: String,
    key: String,
    steering: Steering,
    _embedded: Option<MockServer>,
}

fn service() -> &'static Service {
    static SERVICE: OnceLock<Service> = OnceLock::new();
    SERVICE.get_or_init(|| match env::var("SECMON_CONTRACT_URL") {
        Ok(url) => Service {
            url: url.trim_end_matches('/').to_owned(),
            key: env::var("SECMON_CONTRACT_KEY").expect(
                "SECMON_CONTRACT_KEY must hold a key of the service at SECMON_CONTRACT_URL",
            ),
            steering: match env::var("SECMON_CONTRACT_ADMIN").as_deref() {
                Ok("1" | "true" | "yes" | "on") => Steering::Possible,
                _ => Steering::Impossible,
            },
            _embedded: None,
        },
        Err(_) => {
            let mock = MockServer::start().expect("the embedded mock starts");
            Service {
                url: mock.url().to_owned(),
                key: "test_key_acme".to_owned(),
                steering: Steering::Possible,
                _embedded: Some(mock),
            }
        }
    })
}

pub(crate) fn steering() -> Steering {
    service().steering
}

/// An account of the service, and all a test can do with it.
pub struct Account {
    /// Origin of the service.
    pub url: String,
    /// The account's key.
    pub key: String,
    /// Name of the account in the `/_mock/` calls; empty where there are none.
    pub name: String,
    /// The portal domain its keys are bound to; empty where it is not known.
    pub portal_domain: String,
    /// A client with the account's key that retries nothing, and keeps to no rate limit where the account is the test's
    /// own.
    pub client: Client,
}

/// A customer, and the calls that most tests begin with.
#[derive(Clone, Copy)]
pub struct Customer<'a> {
    account: &'a Account,
    /// Its number in the billing system.
    pub id: CustomerId,
}

impl Account {
    /// An account of its own where the service can be steered, else the one of the key.
    pub async fn new() -> Self {
        Self::with(json!({})).await
    }

    /// An account with options of `POST /_mock/tenants`.
    pub async fn with(options: Value) -> Self {
        let service = service();
        let (key, name, portal_domain) = match service.steering {
            Steering::Impossible => (service.key.clone(), String::new(), String::new()),
            Steering::Possible => {
                let made = admin(Method::POST, "/_mock/tenants", &options).await.json;
                let text = |member: &str| made[member].as_str().unwrap_or_default().to_owned();
                (text("api_key"), text("name"), text("portal_domain"))
            }
        };
        Self {
            url: service.url.clone(),
            client: client(&key),
            key,
            name,
            portal_domain,
        }
    }

    /// A builder with the account's address and key, for a client with other settings.
    pub fn builder(&self) -> ClientBuilder {
        builder(&self.key)
    }

    /// A customer that no other test uses.
    pub fn customer(&self) -> Customer<'_> {
        let id = CustomerId::try_from(next_number()).expect("a customer number");
        Customer { account: self, id }
    }

    /// A call with the account's key, written out by the test; the path begins with `/`.
    pub fn raw(&self, method: Method, path: &str) -> RawCall {
        RawCall::new(method, &format!("{}{path}", self.url)).bearer(&self.key)
    }

    /// Moves the account's clock; what falls due until then has happened when it returns.
    pub async fn advance(&self, seconds: u64) {
        let path = format!("/_mock/tenants/{}/clock", self.name);
        admin(Method::POST, &path, &json!({"advance_seconds": seconds})).await;
    }

    /// What the account's clock says.
    pub async fn now(&self) -> DateTime<FixedOffset> {
        let path = format!("/_mock/tenants/{}/clock", self.name);
        let now = admin(Method::GET, &path, &Value::Null).await.json["now"].clone();
        let text = now.as_str().expect("the clock tells the time");
        DateTime::parse_from_rfc3339(text).expect("the clock tells a timestamp")
    }

    /// Sets the ports that the next scan of a server finds open.
    pub async fn open_ports(&self, endpoint: EndpointId, ports: &[(u16, &str)]) {
        let open: Vec<Value> = ports
            .iter()
            .map(|(port, protocol)| json!({"port": port, "protocol": protocol}))
            .collect();
        let path = format!("/_mock/endpoints/{endpoint}/ports");
        admin(Method::PUT, &path, &json!({"open": open})).await;
    }

    /// Runs a scan of a server to its end, now.
    pub async fn scan(&self, endpoint: EndpointId, outcome: &str) {
        let path = format!("/_mock/endpoints/{endpoint}/scan");
        admin(Method::POST, &path, &json!({"outcome": outcome})).await;
    }

    /// Sets what the next scan of a domain finds: leaked credentials by category, and mentions.
    pub async fn findings(&self, domain: DomainId, findings: Value) {
        let path = format!("/_mock/domains/{domain}/findings");
        admin(Method::PUT, &path, &findings).await;
    }

    /// Runs a scan of a domain to its end, now.
    pub async fn scan_domain(&self, domain: DomainId) {
        let path = format!("/_mock/domains/{domain}/scan");
        admin(Method::POST, &path, &json!({"outcome": "completed"})).await;
    }

    /// Sets whether the data set of leaked credentials is configured, unconfigured or unreachable.
    pub async fn leak_data_set(&self, state: &str) {
        let path = format!("/_mock/tenants/{}/leak-dataset", self.name);
        admin(Method::PUT, &path, &json!({"state": state})).await;
    }

    /// Takes a customer's portal account away.
    pub async fn remove_portal_account(&self, customer: CustomerId) {
        let path = format!(
            "/_mock/tenants/{}/customers/{customer}/portal-account",
            self.name
        );
        admin(Method::DELETE, &path, &Value::Null).await;
    }

    /// Places a fault that hits calls of this account only.
    pub async fn fault(&self, method: &Method, path: &str, effect: Value) {
        let fault =
            json!({"tenant": self.name, "method": method.as_str(), "path": path, "effect": effect});
        admin(Method::POST, "/_mock/faults", &fault).await;
    }

    /// How many calls of the account the service has had at a path, `*` standing for anything.
    pub async fn calls(&self, method: &Method, path: &str) -> usize {
        let address = format!(
            "/_mock/requests?tenant={}&method={method}&path={path}",
            self.name
        );
        let journal = admin(Method::GET, &address, &Value::Null).await.json;
        journal["requests"]
            .as_array()
            .expect("the journal is a list")
            .len()
    }

    /// Takes the account's first key away.
    pub async fn revoke_key(&self) {
        let path = format!("/_mock/tenants/{}/keys/{}", self.name, self.key);
        admin(Method::DELETE, &path, &Value::Null).await;
    }
}

impl Customer<'_> {
    /// The provisioning call for a server at this address.
    pub fn server(&self, address: &str) -> ProvisionEndpoint {
        ProvisionEndpoint::new(self.id).ip_address(address)
    }

    /// The creation of an endpoint at this address or hostname.
    pub fn endpoint(&self, address: &str) -> CreateEndpoint {
        CreateEndpoint::new(self.id, address)
    }

    /// A server that is monitored.
    pub async fn provisioned(&self, address: &str) -> EndpointId {
        let provisioned = self
            .account
            .client
            .servers()
            .provision(self.server(address))
            .await;
        provisioned
            .expect("the server is provisioned")
            .data
            .endpoint_id
    }

    /// A subscription to this many domain slots, by a service of its own.
    pub async fn domain_slots(&self, slots: u32) -> ServiceId {
        let service = next_service();
        let bought = ProvisionSubscription::new(self.id, service, ProductSlug::DomainMonitoring);
        let bought = self
            .account
            .client
            .subscriptions()
            .provision(bought.quantity(slots))
            .await;
        bought.expect("the subscription is provisioned");
        service
    }

    /// A subscription to a plan for servers, by a service of its own.
    pub async fn server_plan(&self, plan: &str) -> ServiceId {
        let service = next_service();
        let bought = ProvisionSubscription::new(self.id, service, ProductSlug::PortMonitoring);
        let bought = self
            .account
            .client
            .subscriptions()
            .provision(bought.plan_slug(plan))
            .await;
        bought.expect("the subscription is provisioned");
        service
    }

    /// A domain that is watched.
    pub async fn watched(&self, domain: &str, service: ServiceId) -> DomainId {
        let request = ProvisionDomain::new(self.id, domain, service);
        let provisioned = self.account.client.domains().provision(request).await;
        provisioned
            .expect("the domain is provisioned")
            .data
            .monitored_domain_id
    }

    /// A server whose scan has found these ports open.
    pub async fn scanned(&self, address: &str, ports: &[(u16, &str)]) -> EndpointId {
        let endpoint = self.provisioned(address).await;
        self.account.open_ports(endpoint, ports).await;
        self.account.scan(endpoint, "completed").await;
        endpoint
    }
}

/// A service number that no other test uses.
pub fn next_service() -> ServiceId {
    ServiceId::try_from(next_number()).expect("a service number")
}

/// Differs between the tests of a run, and between runs against a service that remembers.
fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let start = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |age| age.as_micros() as u64);
    start.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % 1_000_000_000_000_000 + 1
}

/// A client with some key.
pub(crate) fn client(key: &str) -> Client {
    builder(key)
        .build()
        .expect("the address of the service is one the SDK takes")
}

fn builder(key: &str) -> ClientBuilder {
    let url = &service().url;
    let host = url
        .parse::<http::Uri>()
        .ok()
        .and_then(|uri| uri.host().map(str::to_owned));
    let builder = Client::builder(url, ApiKey::new(key).expect("a key that can be sent"))
        .allow_http(host.unwrap_or_default())
        .max_retries(0);
    match service().steering {
        Steering::Possible => builder.unlimited().max_wait(Duration::ZERO),
        Steering::Impossible => builder
            .budget(shared_budget())
            .operation_timeout(LONGEST_TEST),
    }
}

/// Where all tests share one key they share its windows too.
fn shared_budget() -> Arc<MemoryBudget> {
    static BUDGET: OnceLock<Arc<MemoryBudget>> = OnceLock::new();
    BUDGET.get_or_init(Arc::default).clone()
}

/// Long enough to wait for a window while all other tests wait too.
const LONGEST_TEST: Duration = Duration::from_secs(600);

/// A `/_mock/` call, which must succeed.
async fn admin(method: Method, path: &str, body: &Value) -> RawAnswer {
    let mut call = RawCall::new(method.clone(), &format!("{}{path}", service().url));
    if let Ok(key) = env::var("SECMON_MOCK_ADMIN_KEY") {
        call = call.bearer(&key);
    }
    if !body.is_null() {
        call = call.json(body);
    }
    let answer = call.send().await.expect("the admin API answers");
    assert!(
        answer.status.is_success(),
        "{method} {path}: {} {}",
        answer.status,
        answer.json
    );
    answer
}
