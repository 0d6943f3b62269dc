//! The account that a case works in, and how it is steered.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, FixedOffset, TimeDelta};
use http::Method;
use secmon::model::{CustomerId, EndpointId, ServiceId};
use secmon::operations::{CreateEndpoint, ProvisionEndpoint};
use secmon::{ApiKey, Client, ClientBuilder};
use serde_json::{Value, json};

use crate::exchange::Forced;
use crate::http_calls::{LONGEST_CASE, RawCall, admin, ask_admin};
use crate::need::Need;
use crate::numbers::next_shared_number;
use crate::service::{Pace, Repeatability, Steering, shared_budget};
use crate::stage::{Event, Placed, RecordingTransport, Stage};
use crate::table::TABLE;

/// How often a race is run: twenty times where a call costs nothing, twice over a network.
pub(crate) fn rounds(stage: &Stage) -> usize {
    match stage.service.pace() {
        Pace::Stands => 20,
        Pace::Runs | Pace::RunsUnsteered => 2,
    }
}

/// An account of the service, and all a case can do with it.
#[derive(Clone)]
pub struct Account {
    stage: Arc<Stage>,
    /// Origin of the service.
    pub url: String,
    /// The account's key.
    pub key: String,
    /// Name of the account in the `/_mock/` calls; empty where there are none.
    pub name: String,
    /// The portal domain its keys are bound to; empty where it is not known.
    pub portal_domain: String,
    /// A client with the account's key that retries nothing, and keeps to no rate limit where the account is the
    /// case's own.
    pub client: Client,
}

impl Account {
    /// An account of its own, without rate limits, where the service can be steered, else the one of the key.
    pub async fn new(stage: &Arc<Stage>) -> Self {
        Self::made(stage, json!({"rate_limit": false})).await
    }

    /// An account with options of `POST /_mock/tenants`.
    pub async fn with(stage: &Arc<Stage>, options: Value) -> Self {
        stage.require(Need::Accounts);
        Self::made(stage, options).await
    }

    /// Another account of the same service.
    pub(crate) async fn beside(&self) -> Self {
        Self::with(&self.stage, json!({"rate_limit": false})).await
    }

    async fn made(stage: &Arc<Stage>, mut options: Value) -> Self {
        let service = stage.service.clone();
        let (key, name, portal_domain) = match service.steering {
            Steering::Impossible => (service.key.clone(), String::new(), String::new()),
            Steering::Possible => {
                // The name is known before the answer, so that the account can be removed without it.
                let name = match service.repeatability {
                    Repeatability::Exact => account_name(stage),
                    Repeatability::Loose => format!("contract-{}", next_shared_number()),
                };
                options["name"] = json!(name);
                stage.makes_account(&name);
                let made = admin(stage, Method::POST, "/_mock/tenants", &options).await;
                let made = made.json;
                let text = |member: &str| made[member].as_str().unwrap_or_default().to_owned();
                (text("api_key"), text("name"), text("portal_domain"))
            }
        };
        Self {
            url: service.url.clone(),
            client: builder(stage, &key)
                .build()
                .expect("an address that the client takes"),
            stage: Arc::clone(stage),
            key,
            name,
            portal_domain,
        }
    }

    /// A builder with the account's address and key, for a client with other settings.
    pub fn builder(&self) -> ClientBuilder {
        builder(&self.stage, &self.key)
    }

    /// A client that tries again what may be tried again, without waiting long.
    pub fn patient_client(&self) -> Client {
        let builder = self
            .builder()
            .with(|calls| calls.max_retries(3).queue_timeout(Duration::from_secs(5)));
        builder.build().expect("an address that the client takes")
    }

    /// A customer that no other case uses.
    pub fn customer(&self) -> Customer<'_> {
        let id = CustomerId::try_from(self.stage.next_number()).expect("a customer number");
        Customer { account: self, id }
    }

    /// A service number that no other case uses.
    pub fn next_service(&self) -> ServiceId {
        ServiceId::try_from(self.stage.next_number()).expect("a service number")
    }

    /// A call with the account's key, written out by the case; the path begins with `/`, and goes to the case's
    /// namespace where that has it.
    pub fn raw(&self, method: Method, path: &str) -> RawCall {
        let path = TABLE.in_namespace(&method, path, self.stage.namespace.as_str());
        self.call(method, &path).bearer(&self.key)
    }

    /// A call without a key, to any path.
    pub fn call(&self, method: Method, path: &str) -> RawCall {
        RawCall::new(&self.stage, method, &format!("{}{path}", self.url))
    }

    /// The plans for servers of the service, smallest first, but for those that are too small for the cases.
    pub fn plans(&self) -> Vec<(String, u64)> {
        self.stage.service.usual_plans()
    }

    /// A name that the service resolves.
    pub fn hostname(&self) -> &str {
        &self.stage.service.hostname
    }

    /// What the table calls the last answer.
    ///
    /// # Panics
    /// When there was none.
    pub fn last_outcome(&self) -> String {
        let record = self.stage.record();
        match record.events.last() {
            Some(Event::Answered(exchange)) => exchange.outcome(),
            _ => panic!("the last call was not answered"),
        }
    }

    /// Leaves the transcript of this case unpinned: it is too long to be read.
    pub fn unpinned(&self) {
        self.pin(0);
    }

    /// Pins the transcript up to this many answers.
    pub(crate) fn pin(&self, pinned: usize) {
        self.stage.record().pinned = Some(pinned);
    }

    /// Pins what came until now, and nothing that comes.
    pub(crate) fn pin_so_far(&self) {
        let events = self.stage.record().events.len();
        self.pin(events);
    }

    /// Moves the account's clock; what falls due until then has happened when it returns.
    pub async fn advance(&self, seconds: u64) {
        let path = format!("/_mock/tenants/{}/clock", self.name);
        let body = json!({"advance_seconds": seconds});
        self.steer(Need::Clock, Method::POST, &path, &body).await;
    }

    /// What the account's clock says.
    pub async fn now(&self) -> DateTime<FixedOffset> {
        let path = format!("/_mock/tenants/{}/clock", self.name);
        let clock = self
            .steer(Need::Clock, Method::GET, &path, &Value::Null)
            .await;
        let text = clock["now"].as_str().expect("the clock tells the time");
        DateTime::parse_from_rfc3339(text).expect("the clock tells a timestamp")
    }

    /// The time by the account's clock, in the whole seconds that the API shows.
    pub(crate) async fn shown_now(&self) -> DateTime<FixedOffset> {
        let path = "/api/v1/whitelists/endpoint-summary?billing_customer_id=1";
        let answer = self.raw(Method::GET, path).send().await.expect("an answer");
        let shown = answer.json["meta"]["timestamp"]
            .as_str()
            .unwrap_or_default();
        DateTime::parse_from_rfc3339(shown).unwrap_or_else(|_| panic!("no time in {}", answer.json))
    }

    /// A day from now, as a rule's end takes it.
    pub(crate) async fn day_in(&self, days: i64) -> String {
        let day = self.shown_now().await + TimeDelta::days(days);
        day.format("%Y-%m-%d").to_string()
    }

    /// Sets what the next scan of a record finds, as the admin API takes it, and runs that scan.
    pub async fn found(&self, record: &str, what: &str, findings: &Value) {
        let path = format!("/_mock/{record}/{what}");
        self.steer(Need::World, Method::PUT, &path, findings).await;
        let path = format!("/_mock/{record}/scan");
        self.steer(Need::World, Method::POST, &path, &json!({}))
            .await;
    }

    /// Whether what the documents leave to a service is judged too: it is the mock of this process.
    pub fn is_the_mocks(&self) -> bool {
        self.pace() == Pace::Stands
    }

    /// How this service tells the time.
    pub(crate) fn pace(&self) -> Pace {
        self.stage.service.pace()
    }

    /// Asserts the members of an object, whatever their order. Somebody else's service may have more of them (F1).
    ///
    /// # Panics
    /// When it is no object, or has others.
    #[track_caller]
    pub(crate) fn assert_members(&self, object: &Value, expected: &[&str]) {
        let Some(object) = object.as_object() else {
            panic!("no object: {object}");
        };
        let may_have_more = self.stage.service.repeatability == Repeatability::Loose;
        let names = object.keys().map(String::as_str);
        let names = names.filter(|name| !may_have_more || expected.contains(name));
        let names: BTreeSet<&str> = names.collect();
        assert_eq!(names, expected.iter().copied().collect());
    }

    /// Keeps scans from ending of themselves where the clock runs, so that nothing moves but by a call.
    pub(crate) async fn hold_still(&self) {
        if self.pace() == Pace::Runs {
            let path = format!("/_mock/tenants/{}/progress", self.name);
            let body = json!({"scans": "manual"});
            admin(&self.stage, Method::PUT, &path, &body).await;
        }
    }

    /// The records of the account as the service exports them, where its clock stands; nothing where it cannot, or not
    /// for one account.
    pub(crate) async fn exported(&self) -> Option<Value> {
        if self.pace() != Pace::Stands {
            return None;
        }
        let path = format!("/_mock/tenants/{}/state", self.name);
        let answer = ask_admin(&self.stage, Method::GET, &path, &Value::Null).await;
        let mut answer = answer.ok().filter(|answer| answer.status.is_success())?;
        Some(answer.json["account"]["state"]["records"].take())
    }

    /// From now on scans come to their end only when the case runs them.
    pub async fn end_scans_by_hand(&self) {
        let path = format!("/_mock/tenants/{}/progress", self.name);
        let body = json!({"scans": "manual"});
        self.steer(Need::World, Method::PUT, &path, &body).await;
    }

    /// Takes a customer's portal account away.
    pub async fn remove_portal_account(&self, customer: CustomerId) {
        let tenant = format!("/_mock/tenants/{}", self.name);
        let path = format!("{tenant}/customers/{customer}/portal-account");
        self.steer(Need::Switches, Method::DELETE, &path, &Value::Null)
            .await;
    }

    /// Takes the account's first key away.
    pub async fn revoke_key(&self) {
        let path = format!("/_mock/tenants/{}/keys/{}", self.name, self.key);
        self.steer(Need::Switches, Method::DELETE, &path, &Value::Null)
            .await;
    }

    /// Places a fault that hits one call of this account.
    pub async fn fault(&self, method: &Method, path: &str, effect: Value) {
        self.place(method, path, effect, 1).await;
    }

    /// Places a fault that hits every call of this account from now on.
    pub async fn lasting_fault(&self, method: &Method, path: &str, effect: Value) {
        self.place(method, path, effect, 0).await;
    }

    /// Ends all faults of this account.
    pub async fn clear_faults(&self) {
        let path = format!("/_mock/faults?tenant={}", self.name);
        self.steer(Need::Faults, Method::DELETE, &path, &Value::Null)
            .await;
        self.stage.expect_no_fault(&self.key);
    }

    /// Places a fault that hits so many calls, 0 standing for all; gives its id.
    pub async fn place(&self, method: &Method, path: &str, effect: Value, times: usize) -> Value {
        let forced = match (effect.get("body"), effect.get("status")) {
            (Some(_), _) => Forced::Body,
            (None, Some(_)) => Forced::Status,
            (None, None) => Forced::No,
        };
        self.stage.expect_fault(Placed {
            key: self.key.clone(),
            method: method.clone(),
            path: path.to_owned(),
            forced,
            left: if times == 0 { usize::MAX } else { times },
        });
        let fault = json!({
            "tenant": self.name, "method": method.as_str(), "path": path, "times": times, "effect": effect,
        });
        let mut placed = self
            .steer(Need::Faults, Method::POST, "/_mock/faults", &fault)
            .await;
        placed["id"].take()
    }

    /// How many calls of the account the service has had at a path, `*` standing for anything.
    pub async fn calls(&self, method: &Method, path: &str) -> usize {
        self.journal(method, path).await.len()
    }

    /// The calls of the account at a path with what was answered, oldest first, as the journal has them.
    pub async fn journal(&self, method: &Method, path: &str) -> Vec<Value> {
        let query = format!("tenant={}&method={method}&path={path}", self.name);
        let path = format!("/_mock/requests?{query}");
        let mut journal = self
            .steer(Need::Journal, Method::GET, &path, &Value::Null)
            .await;
        let Value::Array(requests) = journal["requests"].take() else {
            panic!("the journal is a list: {journal}");
        };
        requests
    }

    /// A `/_mock/` call of a kind that the case declared, which must succeed.
    pub async fn steer(&self, need: Need, method: Method, path: &str, body: &Value) -> Value {
        self.stage.require(need);
        admin(&self.stage, method, path, body).await.json
    }
}

/// A customer that no other case uses.
#[derive(Clone, Copy)]
pub struct Customer<'a> {
    account: &'a Account,
    /// Its number in the billing system.
    pub id: CustomerId,
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
}

fn builder(stage: &Arc<Stage>, key: &str) -> ClientBuilder {
    let service = &stage.service;
    let builder = Client::builder(
        &service.url,
        ApiKey::new(key).expect("a key that can be sent"),
    )
    .transport(Arc::new(RecordingTransport(Arc::clone(stage))))
    .allow_http(service.host())
    .namespace(stage.namespace)
    .with(|calls| calls.max_retries(0));
    match service.steering {
        Steering::Possible => builder
            .no_rate_limit()
            .with(|calls| calls.queue_timeout(Duration::ZERO)),
        Steering::Impossible => builder.rate_limiter(shared_budget()).with(|calls| {
            calls
                .queue_timeout(LONGEST_CASE)
                .operation_timeout(LONGEST_CASE)
        }),
    }
}

/// Says whose account it is, and is never longer than the mock takes.
fn account_name(stage: &Stage) -> String {
    let case = stage
        .name
        .replace("::", ".")
        .replace(" /", ".")
        .replace('/', "");
    let start: String = case.chars().take(40).collect();
    let sum = case.bytes().fold(0_u32, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(byte.into())
    });
    let count = stage.record().accounts.len();
    format!("{start}-{sum:08x}-{count}")
}
