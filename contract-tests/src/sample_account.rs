//! The sample account: an account with one of everything, so that a mechanism finds something to move, to find, and to leave alone.
//!
//! Things have names, which `contract.toml` uses as in `$paused_server`, and come into being when they are first named.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::account::Account;
use crate::recipe::{Members, NOTHING, text};
use crate::request::Request;
use crate::stage::Stage;
use crate::table::{Row, TABLE};

/// How things are made, by their names.
static THINGS: LazyLock<BTreeMap<String, Vec<Making>>> = LazyLock::new(|| {
    toml::from_str(include_str!("../sample_account.toml")).expect("the sample's things")
});

/// A step in which a thing is made.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
enum Making {
    /// Another thing that must be there.
    #[serde(rename = "there")]
    There(String),
    /// A call that succeeds.
    #[serde(untagged)]
    Call {
        call: String,
        with: Members,
        /// Names for what stands at places of the answer.
        #[serde(default)]
        keep: BTreeMap<String, String>,
    },
}

/// A customer's things, by the part of their names.
const CUSTOMERS: [&str; 4] = ["customer", "other", "crowded", "nobody"];

/// An account with one of everything.
pub struct SampleAccount {
    /// The account.
    pub account: Account,
    known: Mutex<BTreeMap<String, Value>>,
    /// Numbers that customers and services get when they are named, instead of new ones.
    numbers: BTreeMap<String, Value>,
    foreign: OnceLock<Box<SampleAccount>>,
}

type Named<'a> = Pin<Box<dyn Future<Output = Value> + 'a>>;

impl SampleAccount {
    /// An account in which nothing has been named yet.
    pub async fn new(stage: &Arc<Stage>) -> Self {
        Self::of(Account::new(stage).await).await
    }

    /// The sample account of an account.
    pub async fn of(account: Account) -> Self {
        account.hold_still().await;
        Self::at_ease(account)
    }

    /// The same where what falls due may happen.
    pub(crate) fn at_ease(account: Account) -> Self {
        account.unpinned();
        Self {
            account,
            known: Mutex::default(),
            numbers: BTreeMap::new(),
            foreign: OnceLock::new(),
        }
    }

    /// An sample account in an account where customers and services whose names pass have the numbers that they have in this one.
    pub async fn like(&self, account: Account, same: fn(&str) -> bool) -> Self {
        for name in CUSTOMERS {
            self.value(name).await;
        }
        let mut numbers = self.known();
        numbers.retain(|name, value| value.is_u64() && same(name));
        Self {
            numbers,
            ..Self::of(account).await
        }
    }

    /// The sample account of another account, whose customers have the same numbers, once it was named.
    pub fn foreign(&self) -> Option<&Self> {
        self.foreign.get().map(AsRef::as_ref)
    }

    /// The other account's thing of this name.
    async fn foreign_value(&self, name: &str) -> Value {
        if self.foreign.get().is_none() {
            let account = self.account.beside().await;
            let sample = self.like(account, |name| CUSTOMERS.contains(&name)).await;
            // Nobody else is here who could have set it.
            let _ = self.foreign.set(Box::new(sample));
        }
        match self.foreign.get() {
            Some(foreign) => foreign.value(name).await,
            None => Value::Null,
        }
    }

    fn number(&self, name: &str) -> Value {
        let number = self.numbers.get(name).cloned();
        number.unwrap_or_else(|| json!(self.account.next_service()))
    }

    /// With neighbours: two customers with servers and domains in each state that the API alone leads to.
    pub async fn furnished(stage: &Arc<Stage>) -> Self {
        let sample = Self::new(stage).await;
        sample.make("neighbours").await;
        sample
    }

    /// Without servers that only fill an account which others use.
    pub(crate) async fn leave(&self) {
        for customer in self.customers() {
            let list = format!("/api/v1/endpoints?billing_customer_id={customer}&per_page=50");
            let servers = self.ask(Method::GET, &list, &Value::Null).await;
            for server in servers.as_array().into_iter().flatten() {
                let path = format!("/api/v1/endpoints/{}", text(&server["id"]));
                self.ask(Method::DELETE, &path, &Value::Null).await;
            }
        }
    }

    /// Everything that was named so far.
    pub fn known(&self) -> BTreeMap<String, Value> {
        self.names().clone()
    }

    /// The numbers of the customers that were named so far.
    pub fn customers(&self) -> Vec<u64> {
        let known = self.names();
        let numbers = CUSTOMERS
            .iter()
            .filter_map(|name| known.get(*name)?.as_u64());
        numbers.collect()
    }

    /// Members with the sample account's things in the place of their names.
    pub async fn filled(&self, members: &Members) -> Members {
        match self.filled_value(&Value::Object(members.clone())).await {
            Value::Object(members) => members,
            _ => Members::new(),
        }
    }

    pub(crate) fn filled_value<'a>(&'a self, value: &'a Value) -> Named<'a> {
        Box::pin(async move {
            match value {
                Value::String(text) if text == NOTHING => value.clone(),
                Value::String(text) => match text.strip_prefix('$') {
                    Some(name) => self.value(name).await,
                    None => value.clone(),
                },
                Value::Array(items) => {
                    let mut filled = Vec::new();
                    for item in items {
                        filled.push(self.filled_value(item).await);
                    }
                    Value::Array(filled)
                }
                Value::Object(members) => {
                    let mut filled = Members::new();
                    for (name, member) in members {
                        let name = self.filled_name(name).await;
                        filled.insert(name, self.filled_value(member).await);
                    }
                    Value::Object(filled)
                }
                other => other.clone(),
            }
        })
    }

    /// The same with what is known already; a name that nobody has asked for stays.
    pub(crate) fn with_known(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => {
                let name = text.strip_prefix('$');
                let known = name.and_then(|name| self.names().get(name).cloned());
                known.unwrap_or_else(|| value.clone())
            }
            Value::Array(items) => items.iter().map(|item| self.with_known(item)).collect(),
            Value::Object(members) => {
                let members = members.iter();
                let members = members.map(|(name, member)| (name.clone(), self.with_known(member)));
                Value::Object(members.collect())
            }
            other => other.clone(),
        }
    }

    /// Some maps are keyed by numbers of customers.
    pub(crate) async fn filled_name(&self, name: &str) -> String {
        match name.strip_prefix('$') {
            Some(thing) => text(&self.value(thing).await),
            None => name.to_owned(),
        }
    }

    /// A thing by its name: its identifier, number or text. It is made when nobody has asked for it before.
    ///
    /// # Panics
    /// When the service refuses to make it, or nothing has this name.
    pub fn value<'a>(&'a self, name: &'a str) -> Named<'a> {
        Box::pin(async move {
            let known = self.names().get(name).cloned();
            if let Some(value) = known {
                return value;
            }
            let value = match self.literal(name) {
                Some(value) => value,
                None => self.made(name).await,
            };
            self.names().insert(name.to_owned(), value.clone());
            value
        })
    }

    /// Gives something a name.
    pub(crate) fn keep(&self, name: &str, value: Value) {
        self.names().insert(name.to_owned(), value);
    }

    /// What has a name and is nothing of the account's.
    fn literal(&self, name: &str) -> Option<Value> {
        let plans = self.account.plans();
        Some(match name {
            "null" => Value::Null,
            "unknown" => json!(nobody()),
            "plan" => json!(plans[0].0),
            "plan_size" => json!(plans[0].1),
            "plan_size_less_one" => json!(plans[0].1 - 1),
            "two_plan_sizes" => json!(2 * plans[0].1),
            "three_plan_sizes" => json!(3 * plans[0].1),
            "largest_plan" => json!(plans.last().map(|(name, _)| name)),
            "larger_plan" => json!(plans[1].0),
            "larger_plan_size" => json!(plans[1].1),
            "huge" => json!(9_223_372_036_854_775_808_u64),
            "later" => json!("2999-12-31"),
            "resolved" => json!(self.account.hostname()),
            "too_many_reports" => json!(vec![
                json!({"service_id": 1, "client_id": 1, "product_slug": "endpoint", "status": "active"});
                501
            ]),
            name => {
                let wide = name.strip_prefix("wide").map(|length| ("\u{e9}", length));
                let (sign, length) =
                    wide.or(name.strip_prefix("text").map(|length| ("x", length)))?;
                json!(sign.repeat(length.parse().ok()?))
            }
        })
    }

    fn names(&self) -> MutexGuard<'_, BTreeMap<String, Value>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn made(&self, name: &str) -> Value {
        match name {
            "foreign_service" => Box::pin(self.foreign_value("slots_service")).await,
            name if name.starts_with("foreign_") => {
                Box::pin(self.foreign_value(&name["foreign_".len()..])).await
            }
            name if CUSTOMERS.contains(&name) || name.starts_with("free_service") => {
                self.number(name)
            }
            "tomorrow" => json!(self.account.day_in(1).await),
            "alert" | "resolved_alert" | "others_alert" => self.port_alert(name).await,
            name if name.ends_with("alert") => self.domain_alert(name).await,
            name => self.of_file(name).await,
        }
    }

    /// By the steps that the file has for it.
    async fn of_file(&self, name: &str) -> Value {
        if name.ends_with("_service") {
            self.keep(name, self.number(name));
        }
        self.make(name).await;
        let made = self.names().get(name).cloned();
        made.unwrap_or_else(|| panic!("no step keeps ${name}"))
    }

    async fn make(&self, name: &str) {
        let steps = THINGS.get(name);
        let steps = steps.unwrap_or_else(|| panic!("an sample has no ${name}"));
        for step in steps {
            let (call, with, keep) = match step {
                Making::There(other) => {
                    self.value(other).await;
                    continue;
                }
                Making::Call { call, with, keep } => (call, with, keep),
            };
            let request = self.request(TABLE.operation(call), with).await;
            let answer = request.send(&self.account).await;
            assert!(
                answer.status.is_success(),
                "making ${name}: {call} {}: {} {}",
                json!(with),
                answer.outcome(),
                answer.json
            );
            for (name, place) in keep {
                self.keep(
                    name,
                    answer.json.pointer(place).cloned().unwrap_or_default(),
                );
            }
        }
    }

    /// A call of an operation with these members, whose names are filled in.
    pub async fn request(&self, row: &Row, members: &Members) -> Request {
        for name in row.recipe.iter().flat_map(|recipe| &recipe.there) {
            self.value(name).await;
        }
        Request::of(row, self.filled(members).await)
    }

    async fn port_alert(&self, name: &str) -> Value {
        let (server, owner) = match name {
            "others_alert" => ("others_server", "other"),
            _ => ("server", "customer"),
        };
        let (server, owner) = (self.value(server).await, self.value(owner).await);
        let id = server.as_str().unwrap_or_default();
        let open = json!({"open": [{"port": 22, "protocol": "tcp"}, {"port": 23, "protocol": "tcp"}, {"port": 161, "protocol": "udp"}]});
        self.account
            .found(&format!("endpoints/{id}"), "ports", &open)
            .await;
        let list =
            format!("/api/v1/alerts?billing_customer_id={owner}&endpoint_id={id}&per_page=50");
        let alerts = self.ask(Method::GET, &list, &Value::Null).await;
        let on = |port: u16| {
            let alerts = alerts["alerts"].as_array().into_iter().flatten();
            let mut alerts =
                alerts.filter(|alert| alert["port"] == port && alert["status"] == "open");
            alerts
                .next()
                .map(|alert| alert["id"].clone())
                .unwrap_or_default()
        };
        if name != "resolved_alert" {
            return on(22);
        }
        let resolved = on(23);
        let path = format!("alerts/{}/resolve", resolved.as_str().unwrap_or_default());
        self.post(&path, &json!({"billing_customer_id": owner}))
            .await;
        resolved
    }

    async fn domain_alert(&self, name: &str) -> Value {
        let (domain, owner) = match name {
            "others_domain_alert" => ("others_domain", "other"),
            "sibling_domain_alert" => ("sibling_domain", "customer"),
            _ => ("domain", "customer"),
        };
        let category = match name {
            "acknowledged_alert" => "customers",
            "resolved_domain_alert" => "third_parties",
            _ => "employees",
        };
        let (domain, owner) = (self.value(domain).await, self.value(owner).await);
        let id = domain.as_str().unwrap_or_default();
        let list = format!(
            "/api/v1/domains/{id}/alerts?billing_customer_id={owner}&type=credential_leak&category={category}"
        );
        let mut alerts = self.ask(Method::GET, &list, &Value::Null).await;
        if alerts["total"] == 0 {
            let findings =
                json!({"employees": 3, "customers": 4, "third_parties": 2, "mentions": 3});
            self.account
                .found(&format!("domains/{id}"), "findings", &findings)
                .await;
            alerts = self.ask(Method::GET, &list, &Value::Null).await;
        }
        let alert = alerts["alerts"][0]["id"].clone();
        let path = |verb: &str| {
            format!(
                "domains/{id}/alerts/{}/{verb}",
                alert.as_str().unwrap_or_default()
            )
        };
        let body = json!({"billing_customer_id": owner});
        if category != "employees" {
            self.post(&path("acknowledge"), &body).await;
        }
        if category == "third_parties" {
            self.post(&path("resolve"), &body).await;
        }
        alert
    }

    /// The data of a POST below `/api/v1/`, which must succeed.
    pub async fn post(&self, path: &str, body: &Value) -> Value {
        self.ask(Method::POST, &format!("/api/v1/{path}"), body)
            .await
    }

    /// The data of a call, which must succeed.
    ///
    /// # Panics
    /// When it does not.
    pub async fn ask(&self, method: Method, path: &str, body: &Value) -> Value {
        let mut call = self.account.raw(method, path);
        if !body.is_null() {
            call = call.json(body);
        }
        let answer = call.send().await.expect("an answer");
        let (status, mut json) = (answer.status, answer.json);
        assert!(
            status.is_success(),
            "an sample cannot be made: {path} {body}: {status} {json}"
        );
        json["data"].take()
    }
}

/// The identifier of nothing; one of RFC 9562, since no service need take another.
pub fn nobody() -> Uuid {
    Uuid::from_u128(0x4000_8000_0000_0000_0007)
}
