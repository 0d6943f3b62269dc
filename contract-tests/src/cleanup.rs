//! Taking away what a case made: by the partner API where the account is shared, whole accounts where they are the
//! case's own.

use std::collections::BTreeSet;
use std::sync::Arc;

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::http_calls::{RawAnswer, RawCall, ask_admin};
use crate::ledger::Left;
use crate::made::{Made, all_made, customer, id, made_by};
use crate::service::{Repeatability, Steering};
use crate::stage::Stage;

/// How often a call is tried whose answer is lost; all of these calls may be repeated.
const ATTEMPTS: usize = 3;

/// Items of a page, the most that every list gives.
const PAGE: usize = 50;

/// What no call of the API takes away.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Leftovers {
    /// Customers by their numbers: an account that was created on first use has no deletion.
    pub customers: BTreeSet<u64>,
    /// Domains, which are terminated.
    pub domains: usize,
    /// Subscriptions, which are cancelled.
    pub subscriptions: usize,
}

impl Leftovers {
    /// What leftovers of this.
    pub fn of(left: &Left) -> Self {
        let mut leftovers = Self::default();
        for made in all_made(left) {
            match made {
                Made::Domain(_) | Made::DomainsOf(_) => leftovers.domains += 1,
                Made::Subscription(_) => leftovers.subscriptions += 1,
                _ => {}
            }
        }
        let calls = left.calls.iter().filter(|call| !made_by(call).is_empty());
        leftovers.customers = calls.filter_map(customer).collect();
        leftovers
    }

    /// With what leftovers of something else.
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
pub(crate) async fn clean_up(stage: &Arc<Stage>, left: &Left) {
    let mut problems = Vec::new();
    match (stage.service.steering, stage.service.repeatability) {
        // An embedded mock is gone with the process.
        (Steering::Possible, Repeatability::Exact) => {}
        (Steering::Possible, Repeatability::Loose) => {
            for name in &left.accounts {
                let path = format!("/_mock/tenants/{name}");
                let gone = ask_admin(stage, Method::DELETE, &path, &Value::Null).await;
                problems.extend(still_there(&path, gone, |_| false));
            }
        }
        (Steering::Impossible, _) => {
            for made in all_made(left) {
                problems.extend(taken_away(stage, &made).await);
            }
        }
    }
    assert!(
        problems.is_empty(),
        "not cleaned up: {}",
        problems.join("; ")
    );
}

/// Takes one thing away; what could not be.
async fn taken_away(stage: &Arc<Stage>, made: &Made) -> Vec<String> {
    let removals = match removals(stage, made).await {
        Ok(removals) => removals,
        Err(problem) => return vec![problem],
    };
    let ends_subscription = matches!(made, Made::Subscription(_));
    let mut problems = Vec::new();
    for (method, path, body) in removals {
        let answer = ask(stage, &method, &path, &body).await;
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
async fn removals(stage: &Arc<Stage>, made: &Made) -> Result<Vec<Removal>, String> {
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
            let rules = listed(stage, &format!("whitelists?endpoint_id={server}")).await?;
            let ids = rules.iter().filter_map(|rule| id(&rule["id"]));
            ids.map(|id| delete("whitelists", &id)).collect()
        }
        Made::GlobalRule(customer, sent) => {
            let owner = customer.map(|id| format!("billing_customer_id={id}"));
            let ids = global_rules(stage, owner.as_deref(), &body(sent)).await?;
            // A rule of the whole account is not this customer's to delete.
            let owner = owner.map_or_else(String::new, |owner| format!("?{owner}"));
            let ids = ids.iter().map(|id| format!("{id}{owner}"));
            ids.map(|id| delete("whitelists", &id)).collect()
        }
        Made::ServersOf(customer) => {
            let servers = format!("endpoints?billing_customer_id={customer}");
            let servers = listed(stage, &servers).await?;
            let ids = servers.iter().filter_map(|server| id(&server["id"]));
            ids.map(|id| delete("endpoints", &id)).collect()
        }
        Made::DomainsOf(customer) => {
            let path = format!("/api/v1/domains?billing_customer_id={customer}");
            let answer = ask(stage, &Method::GET, &path, &Value::Null).await?;
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
    stage: &Arc<Stage>,
    owner: Option<&str>,
    sent: &Value,
) -> Result<Vec<String>, String> {
    let owner = owner.map_or_else(String::new, |owner| format!("&{owner}"));
    let rules = listed(stage, &format!("whitelists?scope=global{owner}")).await?;
    let same = rules.iter().filter(|rule| {
        let members = ["port_start", "protocol", "justification"];
        members.iter().all(|member| rule[member] == sent[member])
    });
    Ok(same.filter_map(|rule| id(&rule["id"])).collect())
}

/// All items of a list of the resource envelope.
async fn listed(stage: &Arc<Stage>, list: &str) -> Result<Vec<Value>, String> {
    let mut items = Vec::new();
    for page in 1.. {
        let path = format!("/api/v1/{list}&per_page={PAGE}&page={page}");
        let answer = ask(stage, &Method::GET, &path, &Value::Null).await?;
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
    stage: &Arc<Stage>,
    method: &Method,
    path: &str,
    body: &Value,
) -> Result<RawAnswer, String> {
    let mut lost = String::new();
    for _ in 0..ATTEMPTS {
        let address = format!("{}{path}", stage.service.url);
        let mut call = RawCall::new(stage, method.clone(), &address).bearer(&stage.service.key);
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
