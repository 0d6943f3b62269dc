//! What an account starts with, in a person's words (M12). Everything is done by the operations that clients call.

mod hand;
mod words;

use secmon_engine::{Account, Instant, ScanOutcome};
use serde_json::{Map, Value, json};

use crate::AdminError;
use crate::checks;
use hand::{Hand, Item, Mistakes};
use words::{CUSTOMER, DOMAIN, FIXTURES, RULE, SERVER, SERVICE};

/// What an account starts with: customers with their services, servers, domains and rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixtures(Map<String, Value>);

impl Fixtures {
    /// Reads TOML or JSON.
    ///
    /// # Errors
    ///
    /// One sentence, when it is neither.
    pub fn parse(text: &str) -> Result<Self, String> {
        let document = if text.trim_start().starts_with('{') {
            serde_json::from_str(text).map_err(|error| error.to_string())?
        } else {
            words::json_of(toml::from_str(text).map_err(|error| error.to_string())?)
        };
        match document {
            Value::Object(document) => Ok(Self(document)),
            _ => Err("it is not a table; begin with [[customers]]".to_owned()),
        }
    }

    pub(crate) fn of(document: &Map<String, Value>) -> Self {
        Self(document.clone())
    }

    /// Fills a new account. Where anything is wrong, every mistake is told, and the account is not to be used.
    pub(crate) fn apply(&self, account: &mut Account, now: Instant) -> Result<(), AdminError> {
        let mut hand = Hand::new(account, now);
        let document = hand.read(&self.0, FIXTURES, String::new());
        for customer in hand.items(&document, "customers", CUSTOMER) {
            fill_customer(&mut hand, &customer);
        }
        for rule in hand.items(&document, "rules", RULE) {
            add_rule(&mut hand, &rule, None, &[]);
        }
        let Mistakes { told, more } = hand.mistakes;
        let more = match more {
            _ if told.is_empty() => return Ok(()),
            0 => String::new(),
            more => format!(" And {more} more."),
        };
        let sentence = format!("The fixtures have mistakes: {}{more}", told.join(" "));
        Err(AdminError::BadInput(checks::in_one_line(&sentence)))
    }
}

/// A server that was made, with the item that it was made from.
struct Server<'a> {
    id: String,
    item: &'a Item,
}

fn fill_customer(hand: &mut Hand<'_>, customer: &Item) {
    let mut client = json!({ "client_id": customer.fields.get("id") });
    for (field, word) in [("client_name", "name"), ("client_email", "email")] {
        if let Some(text) = customer.fields.get(word) {
            client[field] = text.clone();
        }
    }
    let services = hand.items(customer, "services", SERVICE);
    for service in &services {
        hand.make(
            service,
            "/api/v1/billing/provision-subscription",
            client.clone(),
        );
    }
    let items = hand.items(customer, "servers", SERVER);
    let mut servers = Vec::new();
    for item in &items {
        servers.extend(add_server(hand, item, &client));
    }
    for rule in hand.items(customer, "rules", RULE) {
        add_rule(hand, &rule, Some(&client["client_id"]), &servers);
    }
    for server in &servers {
        settle_server(hand, server);
    }
    for domain in hand.items(customer, "domains", DOMAIN) {
        add_domain(hand, &domain, &client);
    }
    for service in &services {
        settle_service(hand, service, &client);
    }
}

fn add_server<'a>(hand: &mut Hand<'_>, item: &'a Item, client: &Value) -> Option<Server<'a>> {
    let made = hand.make(item, "/api/v1/billing/provision", client.clone())?;
    let id = made["endpoint_id"].as_str()?.to_owned();
    if let Some(nickname) = item.fields.get("nickname") {
        let body = json!({ "billing_customer_id": client["client_id"], "nickname": nickname });
        hand.call(item, "PUT", &format!("/api/v1/endpoints/{id}"), &body);
    }
    Some(Server { id, item })
}

/// What a server's scan finds, and where the server stands in the end.
fn settle_server(hand: &mut Hand<'_>, Server { id, item }: &Server<'_>) {
    let Ok(uuid) = id.parse() else { return };
    if let Some(open) = hand.word(item, "open", words::ports) {
        let set = hand.session().set_ports(uuid, open);
        hand.judge(item, "open", set);
    }
    if hand.is_scanned(item) {
        let scan = hand
            .session()
            .scan_endpoint_now(uuid, ScanOutcome::Completed);
        hand.judge(item, "scanned", scan);
    }
    if let Some(verb) = hand.final_status(item).verb() {
        let path = format!("/api/v1/billing/{verb}");
        hand.call(item, "POST", &path, &json!({ "endpoint_id": id }));
    }
}

fn settle_service(hand: &mut Hand<'_>, service: &Item, client: &Value) {
    let Some(verb) = hand.final_status(service).verb() else {
        return;
    };
    let path = format!("/api/v1/billing/{verb}-subscription");
    let body = json!({
        "client_id": client["client_id"],
        "service_id": service.fields.get("id"),
        "product_slug": service.fields.get("product"),
    });
    hand.call(service, "POST", &path, &body);
}

fn add_domain(hand: &mut Hand<'_>, domain: &Item, client: &Value) {
    let made = hand.make(domain, "/api/v1/billing/provision-domain", client.clone());
    let found = hand.word(domain, "findings", words::findings);
    let (is_scanned, final_status) = (hand.is_scanned(domain), hand.final_status(domain));
    let Some(id) = made.map(|made| made["monitored_domain_id"].clone()) else {
        return;
    };
    let Some(uuid) = id.as_str().and_then(|id| id.parse().ok()) else {
        return;
    };
    if let Some(found) = found {
        let set = hand.session().set_findings(uuid, found);
        hand.judge(domain, "findings", set);
    }
    if is_scanned {
        let scan = hand.session().scan_domain_now(uuid, ScanOutcome::Completed);
        hand.judge(domain, "scanned", scan);
    }
    if let Some(verb) = final_status.verb() {
        let path = format!("/api/v1/billing/{verb}-domain");
        hand.call(domain, "POST", &path, &json!({ "monitored_domain_id": id }));
    }
}

/// A rule of one server, of a customer, or of the whole account.
fn add_rule(hand: &mut Hand<'_>, rule: &Item, customer: Option<&Value>, servers: &[Server<'_>]) {
    let Some(mut body) = hand.word(rule, "ports", words::rule_ports) else {
        if !rule.fields.contains_key("ports") {
            hand.mistake(rule, "ports", "This field is required.");
        }
        return;
    };
    body["scope"] = json!("global");
    if let Some(customer) = customer {
        body["billing_customer_id"] = customer.clone();
    }
    if let Some(named) = rule.fields.get("server") {
        let is_named = |server: &&Server<'_>| {
            let names = ["address", "nickname", "hostname"].into_iter();
            names
                .filter_map(|word| server.item.fields.get(word))
                .any(|name| name == named)
        };
        let Some(server) = servers.iter().find(is_named) else {
            hand.mistake(
                rule,
                "server",
                "The customer has no server of this name or address.",
            );
            return;
        };
        body["scope"] = json!("endpoint");
        body["endpoint_id"] = json!(server.id);
    }
    let days = |value: &Value| {
        let days = value.as_u64().and_then(|days| u32::try_from(days).ok());
        days.ok_or("must be a whole number of days.")
    };
    if let Some(days) = hand.word(rule, "expires_in_days", days) {
        body["expires_at"] = json!(hand.in_days(days));
    }
    hand.make(rule, "/api/v1/whitelists", body);
}
