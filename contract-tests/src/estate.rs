//! The estate: an account with one of everything, so that a mechanism finds something to move, to find, and to leave alone.
//!
//! Things have names, which `contract.toml` uses as in `$paused_server`, and come into being when they are first named.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use http::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::account::Account;
use crate::customer::next_service;
use crate::need::Need;
use crate::recipe::{Members, text};
use crate::service::{hostname, plans};

/// What takes a member out of a request.
pub const NOTHING: &str = "$nothing";

/// The slots of the estate's customer, of which most are free.
pub const SLOTS: u64 = 10;

/// A customer's things, by the part of their names.
const CUSTOMERS: [&str; 4] = ["customer", "other", "crowded", "nobody"];

/// An account with one of everything.
pub struct Estate {
    /// The account.
    pub account: Account,
    known: Mutex<BTreeMap<String, Value>>,
    /// Numbers that customers and services get when they are named, instead of new ones.
    numbers: BTreeMap<String, Value>,
    foreign: OnceLock<Box<Estate>>,
}

type Making<'a> = Pin<Box<dyn Future<Output = Value> + 'a>>;

impl Estate {
    /// An account in which nothing has been named yet.
    pub async fn new() -> Self {
        Self::of(Account::new().await).await
    }

    /// The estate of an account.
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

    /// An estate in an account where customers and services whose names pass have the numbers that they have in this one.
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

    /// The estate of another account, whose customers have the same numbers, once it was named.
    pub fn foreign(&self) -> Option<&Self> {
        self.foreign.get().map(AsRef::as_ref)
    }

    /// The other account's thing of this name.
    async fn foreign_value(&self, name: &str) -> Value {
        if self.foreign.get().is_none() {
            let account = Account::with(json!({"rate_limit": false})).await;
            let estate = self.like(account, |name| CUSTOMERS.contains(&name)).await;
            // Nobody else is here who could have set it.
            let _ = self.foreign.set(Box::new(estate));
        }
        match self.foreign.get() {
            Some(foreign) => foreign.value(name).await,
            None => Value::Null,
        }
    }

    fn number(&self, name: &str) -> Value {
        let number = self.numbers.get(name).cloned();
        number.unwrap_or_else(|| json!(next_service()))
    }

    /// With neighbours: two customers with servers and domains in each state that the API alone leads to.
    pub async fn furnished() -> Self {
        let estate = Self::new().await;
        for name in [
            "server",
            "paused_server",
            "terminated_server",
            "platform_server",
            "others_server",
            "plan_service",
            "domain",
            "paused_domain",
            "platform_domain",
            "others_domain",
            "others_renamed_domain",
            "rule",
            "second_rule",
            "global_rule",
            "others_rule",
            "others_global_rule",
            "nobody",
        ] {
            estate.value(name).await;
        }
        estate
    }

    /// What a service must be able to do so that a thing can be there.
    pub fn need_of(name: &str) -> Option<Need> {
        match name {
            name if name.starts_with("foreign_") => Some(Need::Accounts),
            name if name.contains("alert") => Some(Need::World),
            _ => None,
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

    /// Members with the estate's things in the place of their names.
    pub async fn filled(&self, members: &Members) -> Members {
        match self.filled_value(&Value::Object(members.clone())).await {
            Value::Object(members) => members,
            _ => Members::new(),
        }
    }

    pub(crate) fn filled_value<'a>(&'a self, value: &'a Value) -> Making<'a> {
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
    pub fn value<'a>(&'a self, name: &'a str) -> Making<'a> {
        Box::pin(async move {
            let known = self.names().get(name).cloned();
            if let Some(value) = known {
                return value;
            }
            let value = match literal(name) {
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
            name if name.ends_with("_server") || name == "server" => self.server(name).await,
            name if name.ends_with("_domain") || name == "domain" => self.domain(name).await,
            name if name.ends_with("_service") => self.service(name).await,
            name if name.ends_with("rule") => self.rule(name).await,
            "alert" | "resolved_alert" | "others_alert" => self.port_alert(name).await,
            name if name.ends_with("alert") => self.domain_alert(name).await,
            other => panic!("an estate has no ${other}"),
        }
    }

    async fn server(&self, name: &str) -> Value {
        let (owner, address) = match name {
            "server" => ("customer", "192.0.2.1"),
            "paused_server" => ("customer", "192.0.2.2"),
            "terminated_server" => ("customer", "192.0.2.3"),
            "deleted_server" => ("customer", "192.0.2.4"),
            "platform_server" => ("crowded", "192.0.2.5"),
            "crowded_terminated_server" => ("crowded", "192.0.2.6"),
            "scanned_server" => ("customer", "192.0.2.7"),
            "mapped_server" => ("customer", "192.0.2.8"),
            "mapped_terminated_server" => ("customer", "192.0.2.9"),
            // The same address for two customers is two endpoints (B10).
            "others_server" => ("other", "192.0.2.1"),
            "others_paused_server" => ("other", "192.0.2.2"),
            other => panic!("an estate has no ${other}"),
        };
        let customer = self.value(owner).await;
        let mut body = json!({"client_id": customer, "ip_address": address});
        if name == "server" {
            body["hostname"] = json!("first.example.com");
        }
        if name.starts_with("mapped") {
            let mapped = name.replace("_server", "_service");
            let service = self.number(&mapped);
            body["service_id"] = service.clone();
            self.names().insert(mapped, service);
        }
        let id = self.post("billing/provision", &body).await["endpoint_id"].clone();
        let by_id = json!({"endpoint_id": id});
        match name {
            "paused_server" | "others_paused_server" => {
                drop(self.post("billing/suspend", &by_id).await)
            }
            name if name.contains("terminated") => {
                drop(self.post("billing/terminate", &by_id).await)
            }
            "deleted_server" => {
                let path = format!("/api/v1/endpoints/{}", id.as_str().unwrap_or_default());
                self.ask(Method::DELETE, &path, &Value::Null).await;
            }
            "scanned_server" => {
                let body = json!({"client_id": customer, "endpoint_id": id});
                self.post("billing/scan-endpoint", &body).await;
            }
            // A plan that was suspended leaves no room for a single server (B7).
            "platform_server" => {
                self.value("crowded_terminated_server").await;
                self.suspended_plan(&customer).await;
            }
            _ => {}
        }
        id
    }

    async fn suspended_plan(&self, customer: &Value) {
        let mut plan = json!({"client_id": customer, "service_id": next_service(), "product_slug": "port_monitoring"});
        let service = plan.clone();
        plan["plan_slug"] = self.value("plan").await;
        self.post("billing/provision-subscription", &plan).await;
        self.post("billing/suspend-subscription", &service).await;
    }

    async fn domain(&self, name: &str) -> Value {
        let (owner, service, domain) = match name {
            "domain" => ("customer", "slots_service", "one.example.com"),
            "paused_domain" => ("customer", "slots_service", "two.example.com"),
            "terminated_domain" => ("customer", "slots_service", "three.example.com"),
            "released_domain" => ("customer", "slots_service", "four.example.com"),
            "platform_domain" => ("crowded", "crowded_service", "five.example.com"),
            "crowded_terminated_domain" => ("crowded", "crowded_service", "six.example.com"),
            "sibling_domain" => ("customer", "slots_service", "seven.example.com"),
            "others_domain" => ("other", "others_service", "one.example.com"),
            // What a renaming asks for is free for the customer alone (C3).
            "others_renamed_domain" => ("other", "others_service", "www.renamed.example.com"),
            other => panic!("an estate has no ${other}"),
        };
        let (owner, service) = (self.value(owner).await, self.value(service).await);
        let body = json!({"client_id": owner, "domain": domain, "service_id": service});
        let made = self.post("billing/provision-domain", &body).await;
        let id = made["monitored_domain_id"].clone();
        let by_id = json!({"monitored_domain_id": id});
        match name {
            "paused_domain" => drop(self.post("billing/suspend-domain", &by_id).await),
            name if name.contains("terminated") => {
                self.post("billing/terminate-domain", &by_id).await;
            }
            "released_domain" => {
                // The slot goes with it, and is bought again.
                let released =
                    json!({"client_id": owner, "service_id": service, "monitored_domain_id": id});
                self.post("billing/release-domain", &released).await;
                self.slots(&owner, &service, SLOTS).await;
            }
            "platform_domain" => {
                self.value("crowded_terminated_domain").await;
                let slots = json!({"client_id": owner, "service_id": service, "product_slug": "domain_monitoring"});
                self.post("billing/suspend-subscription", &slots).await;
            }
            _ => {}
        }
        id
    }

    async fn slots(&self, customer: &Value, service: &Value, quantity: u64) {
        let body = json!({
            "client_id": customer, "service_id": service, "product_slug": "domain_monitoring", "quantity": quantity,
        });
        self.post("billing/provision-subscription", &body).await;
    }

    async fn service(&self, name: &str) -> Value {
        if let Some(server) = name
            .strip_suffix("_service")
            .filter(|name| name.starts_with("mapped"))
        {
            self.value(&format!("{server}_server")).await;
            return self.names()[name].clone();
        }
        let service = self.number(name);
        let owner = match name {
            "others_service" => "other",
            "crowded_service" => "crowded",
            _ => "customer",
        };
        let owner = self.value(owner).await;
        let by_number =
            json!({"client_id": owner, "service_id": service, "product_slug": "domain_monitoring"});
        match name {
            "plan_service" => {
                let plan = self.value("plan").await;
                let body = json!({
                    "client_id": owner, "service_id": service, "product_slug": "port_monitoring", "plan_slug": plan,
                });
                self.post("billing/provision-subscription", &body).await;
            }
            "suspended_service" => {
                self.slots(&owner, &service, 1).await;
                self.post("billing/suspend-subscription", &by_number).await;
            }
            "cancelled_service" => {
                self.slots(&owner, &service, 1).await;
                self.post("billing/terminate-subscription", &by_number)
                    .await;
            }
            _ => self.slots(&owner, &service, SLOTS).await,
        }
        service
    }

    async fn rule(&self, name: &str) -> Value {
        let (owner, server, port) = match name {
            "rule" => ("customer", Some("server"), 8443),
            "second_rule" => ("customer", Some("server"), 2222),
            "deleted_rule" => ("customer", Some("server"), 6000),
            "global_rule" => ("customer", None, 9443),
            "others_rule" => ("other", Some("others_server"), 8443),
            "others_global_rule" => ("other", None, 9443),
            other => panic!("an estate has no ${other}"),
        };
        let mut body = json!({
            "port_start": port, "protocol": "tcp", "justification": "Part of the estate.", "scope": "global",
            "billing_customer_id": self.value(owner).await,
        });
        if let Some(server) = server {
            body["scope"] = json!("endpoint");
            body["endpoint_id"] = self.value(server).await;
        }
        let id = self.post("whitelists", &body).await["id"].clone();
        if name == "deleted_rule" {
            let path = format!("/api/v1/whitelists/{}", id.as_str().unwrap_or_default());
            self.ask(Method::DELETE, &path, &Value::Null).await;
        }
        id
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
            "an estate cannot be made: {path} {body}: {status} {json}"
        );
        json["data"].take()
    }
}

/// The identifier of nothing; one of RFC 9562, since no service need take another.
pub fn nobody() -> Uuid {
    Uuid::from_u128(0x4000_8000_0000_0000_0007)
}

/// What has a name and is nothing of the account's.
fn literal(name: &str) -> Option<Value> {
    Some(match name {
        "unknown" => json!(nobody()),
        "plan" => json!(plans()[0].0),
        "plan_size" => json!(plans()[0].1),
        "two_plan_sizes" => json!(2 * plans()[0].1),
        "larger_plan" => json!(plans()[1].0),
        "larger_plan_size" => json!(plans()[1].1),
        "huge" => json!(9_223_372_036_854_775_808_u64),
        "later" => json!("2999-12-31"),
        "resolved" => json!(hostname()),
        "too_many_reports" => json!(vec![
            json!({"service_id": 1, "client_id": 1, "product_slug": "endpoint", "status": "active"});
            501
        ]),
        name => {
            let wide = name.strip_prefix("wide").map(|length| ("\u{e9}", length));
            let (sign, length) = wide.or(name.strip_prefix("text").map(|length| ("x", length)))?;
            json!(sign.repeat(length.parse().ok()?))
        }
    })
}
