//! What calls make that stays, by what was sent and answered.

use serde_json::Value;
use uuid::Uuid;

use crate::ledger::{Left, Sent};
use crate::table::TABLE;

/// Something that a case made, or may have made: its answer was lost, or said too little. The order is the one in which
/// things are taken away: rules before their servers, domains before their slots.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Made {
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

/// Everything that calls made, or may have made, in the order in which it is taken away.
pub(crate) fn all_made(left: &Left) -> Vec<Made> {
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
pub(crate) fn made_by(call: &Sent) -> Vec<Made> {
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

/// The customer that a call names.
pub(crate) fn customer(call: &Sent) -> Option<u64> {
    let mut names = ["client_id", "billing_customer_id"].iter();
    names.find_map(|name| call.body[name].as_u64())
}

fn operation(call: &Sent) -> String {
    TABLE.row_of(&call.method(), &call.path).operation.clone()
}

/// An identifier; nothing where there is none, since a path without one is another's.
pub(crate) fn id(value: &Value) -> Option<String> {
    let id = Uuid::parse_str(value.as_str()?).ok()?;
    Some(id.to_string())
}

fn only(sent: &Value, members: &[&str]) -> String {
    let members = members
        .iter()
        .map(|name| ((*name).to_owned(), sent[name].clone()));
    Value::Object(members.collect()).to_string()
}
