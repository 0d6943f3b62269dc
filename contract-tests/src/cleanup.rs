//! Taking away what a case made: by the partner API where the account is shared, whole accounts where they are the
//! case's own.

use std::collections::BTreeSet;

use http::{Method, StatusCode};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::http_calls::{RawAnswer, RawCall};
use crate::ledger::{Left, Sent};
use crate::service::{Repeatability, Service, Steering};
use crate::table::TABLE;

/// How often a call is tried whose answer is lost; all of these calls may be repeated.
const ATTEMPTS: usize = 3;

/// Items of a page, the most that every list gives.
const PAGE: usize = 50;

/// Something that a case made, or may have made: its answer was lost, or said too little. The order is the one in which
/// things are taken away: rules before their servers, domains before their slots.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Made {
    Rule(String),
    /// The rules of a server.
    RulesOf(String),
    /// A global rule: its customer, if it has one, and what its creation said.
    GlobalRule(Option<u64>, String),
    Server(String),
    /// The servers of a customer, all of them the case's.
    ServersOf(u64),
    Domain(String),
    /// The domains of a customer, all of them the case's.
    DomainsOf(u64),
    /// By the body that ends it.
    Subscription(String),
    /// By the body that removes it.
    Price(String),
}

/// What no call of the API takes away.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Stays {
    /// Customers by their numbers: an account that was created on first use has no deletion.
    pub customers: BTreeSet<u64>,
    /// Domains, which are terminated.
    pub domains: usize,
    /// Subscriptions, which are cancelled.
    pub subscriptions: usize,
}

impl Stays {
    /// What stays of this.
    pub fn of(left: &Left) -> Self {
        let mut stays = Self::default();
        for made in all_made(left) {
            match made {
                Made::Domain(_) | Made::DomainsOf(_) => stays.domains += 1,
                Made::Subscription(_) => stays.subscriptions += 1,
                _ => {}
            }
        }
        let calls = left.calls.iter().filter(|call| !made_by(call).is_empty());
        stays.customers = calls.filter_map(customer).collect();
        stays
    }

    /// With what stays of something else.
    pub fn add(&mut self, other: Self) {
        self.customers.extend(other.customers);
        self.domains += other.domains;
        self.subscriptions += other.subscriptions;
    }
}

/// Takes away what a case made, all of it, whatever goes wrong with some.
///
/// # Panics
/// Naming each thing that could not be taken away.
pub(crate) async fn clean_up(service: &Service, left: &Left) {
    let mut problems = Vec::new();
    match (service.steering, service.repeatability) {
        // An embedded mock is gone with the process.
        (Steering::Possible, Repeatability::Exact) => {}
        (Steering::Possible, Repeatability::Loose) => {
            for name in &left.accounts {
                let path = format!("/_mock/tenants/{name}");
                let gone = service.ask_admin(Method::DELETE, &path, &Value::Null).await;
                problems.extend(still_there(&path, gone, |_| false));
            }
        }
        (Steering::Impossible, _) => {
            for made in all_made(left) {
                problems.extend(taken_away(service, &made).await);
            }
        }
    }
    assert!(
        problems.is_empty(),
        "not cleaned up: {}",
        problems.join("; ")
    );
}

fn all_made(left: &Left) -> Vec<Made> {
    let mut made: Vec<Made> = left.calls.iter().flat_map(made_by).collect();
    made.sort();
    made.dedup();
    made
}

/// Whether a call makes something that stays.
pub(crate) fn makes_something(call: &Sent) -> bool {
    !maybe_made_by(call).is_empty()
}

/// What an answer says was made; what may have been made, where it says nothing certain.
fn made_by(call: &Sent) -> Vec<Made> {
    let Some(answer) = &call.answer else {
        return maybe_made_by(call);
    };
    if answer.status().is_server_error() {
        return maybe_made_by(call);
    }
    if !answer.status().is_success() {
        return Vec::new();
    }
    let data = &answer.data;
    let known = match operation(call).as_str() {
        "provision_endpoint" => id(&data["endpoint_id"]).map(Made::Server),
        "create_endpoint" => id(&data["id"]).map(Made::Server),
        "create_rule" => id(&data["id"]).map(Made::Rule),
        "provision_domain" => id(&data["monitored_domain_id"]).map(Made::Domain),
        _ => None,
    };
    known.map_or_else(|| maybe_made_by(call), |made| vec![made])
}

/// What a call makes, if it is processed, as far as it can be found without the answer.
fn maybe_made_by(call: &Sent) -> Vec<Made> {
    let (sent, customer) = (&call.body, customer(call));
    let made = match operation(call).as_str() {
        "provision_endpoint" | "create_endpoint" => customer.map(Made::ServersOf),
        "provision_domain" => customer.map(Made::DomainsOf),
        "ingest_firewall" => id(&sent["endpoint_id"]).map(Made::RulesOf),
        "create_rule" => match id(&sent["endpoint_id"]) {
            Some(server) if sent["scope"] != "global" => Some(Made::RulesOf(server)),
            _ => Some(Made::GlobalRule(customer, sent.to_string())),
        },
        "provision_subscription" => {
            let members = ["client_id", "service_id", "product_slug"];
            Some(Made::Subscription(only(sent, &members)))
        }
        "set_price" => Some(Made::Price(only(sent, &["product_slug", "plan_slug"]))),
        _ => None,
    };
    made.into_iter().collect()
}

fn customer(call: &Sent) -> Option<u64> {
    let mut names = ["client_id", "billing_customer_id"].iter();
    names.find_map(|name| call.body[name].as_u64())
}

fn operation(call: &Sent) -> String {
    TABLE.row_of(&call.method(), &call.path).operation.clone()
}

/// An identifier; nothing where there is none, since a path without one is another's.
fn id(value: &Value) -> Option<String> {
    let id = Uuid::parse_str(value.as_str()?).ok()?;
    Some(id.to_string())
}

fn only(sent: &Value, members: &[&str]) -> String {
    let members = members
        .iter()
        .map(|name| ((*name).to_owned(), sent[name].clone()));
    Value::Object(members.collect()).to_string()
}

/// Takes one thing away; what could not be.
async fn taken_away(service: &Service, made: &Made) -> Vec<String> {
    let removals = match removals(service, made).await {
        Ok(removals) => removals,
        Err(problem) => return vec![problem],
    };
    let ends_subscription = matches!(made, Made::Subscription(_));
    let mut problems = Vec::new();
    for (method, path, body) in removals {
        let answer = ask(service, &method, &path, &body).await;
        // One that was cancelled already may say so in this way.
        let ended = |answer: &RawAnswer| {
            ends_subscription && answer.json["error"]["code"] == "SUBSCRIPTION_NOT_CHANGEABLE"
        };
        problems.extend(still_there(&format!("{method} {path}"), answer, ended));
    }
    problems
}

/// Why something is still there, if it is.
fn still_there(
    call: &str,
    answer: Result<RawAnswer, String>,
    gone: impl Fn(&RawAnswer) -> bool,
) -> Option<String> {
    match answer {
        Err(why) => Some(format!("{call}: {why}")),
        Ok(answer) if answer.status.is_success() || gone(&answer) => None,
        Ok(answer) if answer.status == StatusCode::NOT_FOUND => None,
        Ok(answer) => Some(format!("{call}: {} {}", answer.status, answer.json)),
    }
}

type Removal = (Method, String, Value);

/// The calls that take something away, after looking for what is not known by its identifier.
async fn removals(service: &Service, made: &Made) -> Result<Vec<Removal>, String> {
    let delete = |group: &str, id: &str| {
        let path = format!("/api/v1/{group}/{id}");
        (Method::DELETE, path, Value::Null)
    };
    let terminate = |id: &str| {
        let path = "/api/v1/billing/terminate-domain".to_owned();
        (Method::POST, path, json!({"monitored_domain_id": id}))
    };
    let body = |text: &str| serde_json::from_str(text).unwrap_or_default();
    Ok(match made {
        Made::Rule(id) => vec![delete("whitelists", id)],
        Made::Server(id) => vec![delete("endpoints", id)],
        Made::Domain(id) => vec![terminate(id)],
        Made::RulesOf(server) => {
            let rules = listed(service, &format!("whitelists?endpoint_id={server}")).await?;
            let ids = rules.iter().filter_map(|rule| id(&rule["id"]));
            ids.map(|id| delete("whitelists", &id)).collect()
        }
        Made::GlobalRule(customer, sent) => {
            let owner = customer.map(|id| format!("billing_customer_id={id}"));
            let ids = global_rules(service, owner.as_deref(), &body(sent)).await?;
            // A rule of the whole account is not this customer's to delete.
            let owner = owner.map_or_else(String::new, |owner| format!("?{owner}"));
            let ids = ids.iter().map(|id| format!("{id}{owner}"));
            ids.map(|id| delete("whitelists", &id)).collect()
        }
        Made::ServersOf(customer) => {
            let servers = format!("endpoints?billing_customer_id={customer}");
            let servers = listed(service, &servers).await?;
            let ids = servers.iter().filter_map(|server| id(&server["id"]));
            ids.map(|id| delete("endpoints", &id)).collect()
        }
        Made::DomainsOf(customer) => {
            let path = format!("/api/v1/domains?billing_customer_id={customer}");
            let answer = ask(service, &Method::GET, &path, &Value::Null).await?;
            let domains = answer.json["data"]["domains"].as_array();
            let ids = domains.into_iter().flatten();
            let ids = ids.filter_map(|domain| id(&domain["id"]));
            ids.map(|id| terminate(&id)).collect()
        }
        Made::Subscription(sent) => {
            let path = "/api/v1/billing/terminate-subscription".to_owned();
            vec![(Method::POST, path, body(sent))]
        }
        Made::Price(sent) => {
            let path = "/api/v1/billing/pricing".to_owned();
            vec![(Method::DELETE, path, body(sent))]
        }
    })
}

/// The global rules that are as a creation had them.
async fn global_rules(
    service: &Service,
    owner: Option<&str>,
    sent: &Value,
) -> Result<Vec<String>, String> {
    let owner = owner.map_or_else(String::new, |owner| format!("&{owner}"));
    let rules = listed(service, &format!("whitelists?scope=global{owner}")).await?;
    let same = rules.iter().filter(|rule| {
        let members = ["port_start", "protocol", "justification"];
        members.iter().all(|member| rule[member] == sent[member])
    });
    Ok(same.filter_map(|rule| id(&rule["id"])).collect())
}

/// All items of a list of the resource envelope.
async fn listed(service: &Service, list: &str) -> Result<Vec<Value>, String> {
    let mut items = Vec::new();
    for page in 1.. {
        let path = format!("/api/v1/{list}&per_page={PAGE}&page={page}");
        let answer = ask(service, &Method::GET, &path, &Value::Null).await?;
        let found = answer.json["data"].as_array();
        let found = found.ok_or_else(|| format!("GET {path}: {}", answer.status))?;
        items.extend(found.iter().cloned());
        if found.len() < PAGE {
            break;
        }
    }
    Ok(items)
}

async fn ask(
    service: &Service,
    method: &Method,
    path: &str,
    body: &Value,
) -> Result<RawAnswer, String> {
    let mut lost = String::new();
    for _ in 0..ATTEMPTS {
        let address = format!("{}{path}", service.url);
        let mut call = RawCall::new(method.clone(), &address).bearer(&service.key);
        if !body.is_null() {
            call = call.json(body);
        }
        match call.send().await {
            Ok(answer) if answer.status.is_server_error() => lost = answer.status.to_string(),
            Ok(answer) => return Ok(answer),
            Err(error) => lost = format!("no answer: {error}"),
        }
    }
    Err(lost)
}
