//! The records of an account as a goal names them.

use std::collections::BTreeMap;

use secmon_engine::Account;
use serde_json::{Value, json};

/// A server, a domain, a service, a rule or a price.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Record {
    /// For a person.
    pub(super) name: String,
    /// What the API calls it by, where it has an id.
    pub(super) id: String,
    /// What tells it from others.
    pub(super) members: Value,
    /// Where it is in its life.
    pub(super) state: String,
    /// What else a client can change in it.
    pub(super) rest: Value,
}

/// All of an account, by table and key.
pub(super) fn of(account: &mut Account) -> BTreeMap<String, Record> {
    let exported = account.export();
    let rows = exported["records"].as_array().into_iter().flatten();
    let rows: BTreeMap<String, &Value> = rows
        .map(|row| (place(&row["table"], &row["key"]), row))
        .collect();
    let tables = Tables(&rows);
    let records = rows.iter().filter_map(|(place, row)| {
        let record = tables.record(row["table"].as_str()?, row)?;
        Some((place.clone(), record))
    });
    records.collect()
}

/// Rows name each other by numbers, and keys are texts.
fn place(table: &Value, key: &Value) -> String {
    let key = key.as_str().map_or_else(|| key.to_string(), str::to_owned);
    format!("{}/{key}", table.as_str().unwrap_or_default())
}

struct Tables<'a>(&'a BTreeMap<String, &'a Value>);

impl Tables<'_> {
    fn value(&self, table: &str, key: &Value) -> &Value {
        let row = self.0.get(&place(&Value::from(table), key));
        row.map_or(&Value::Null, |row| &row["value"])
    }

    fn customer(&self, number: &Value) -> &Value {
        &self.value("customers", number)["client_id"]
    }

    fn record(&self, table: &str, row: &Value) -> Option<Record> {
        let value = &row["value"];
        let (name, members, state, rest) = match table {
            "endpoints" => self.server(row),
            "domains" => self.domain(value),
            "subscriptions" => service(row["key"].as_str()?, value)?,
            "rules" => self.rule(value),
            "prices" => (
                format!("the price of {}", row["key"]),
                json!({ "kind": "price" }),
                value.to_string(),
                Value::Null,
            ),
            _ => return None,
        };
        let id = row["id"].as_str().unwrap_or_default().to_owned();
        Some(Record {
            name,
            id,
            members,
            state,
            rest,
        })
    }

    fn server(&self, row: &Value) -> (String, Value, String, Value) {
        let value = &row["value"];
        let customer = self.customer(&value["customer"]);
        let address = value["address"].as_str().unwrap_or_default();
        let number = row["key"].as_str().and_then(|key| key.parse().ok());
        let mapped = self.0.iter().filter(|(place, row)| {
            place.starts_with("service_links/") && row["value"].as_u64() == number
        });
        let mapped: Vec<&String> = mapped.map(|(place, _)| place).collect();
        let scanned = &self.value("manual_scans", &row["key"])["accepted_at"];
        (
            format!("the server {address} of customer {customer}"),
            json!({ "kind": "server", "customer": customer, "address": address }),
            state(&value["state"]),
            json!([mapped, scanned]),
        )
    }

    fn domain(&self, value: &Value) -> (String, Value, String, Value) {
        let customer = self.customer(&value["customer"]);
        let name = value["name"].as_str().unwrap_or_default();
        (
            format!("the domain {name} of customer {customer}"),
            json!({ "kind": "domain", "customer": customer, "name": name }),
            state(&value["state"]),
            value["services"].clone(),
        )
    }

    fn rule(&self, value: &Value) -> (String, Value, String, Value) {
        let (scope, ports) = (&value["scope"], &value["ports"]);
        let server = self.value("endpoints", &scope["endpoint"]);
        let (customer, address) = match (scope.get("customer"), scope.get("endpoint")) {
            (Some(customer), _) => (self.customer(customer), &Value::Bool(false)),
            (_, Some(_)) => (self.customer(&server["customer"]), &server["address"]),
            _ => (&Value::Null, &Value::Bool(false)),
        };
        let whose = match (customer, address.as_str()) {
            (Value::Null, _) => "the whole account".to_owned(),
            (customer, Some(address)) => format!("the server {address} of customer {customer}"),
            (customer, None) => format!("customer {customer}"),
        };
        let protocol = &value["protocol"];
        let range = match ports[0] == ports[1] {
            true => format!("port {}", ports[0]),
            false => format!("ports {} to {}", ports[0], ports[1]),
        };
        let end = match expires(&value["expires_at"]) {
            Some(last) => format!("up to {last} UTC"),
            None => "without an end".to_owned(),
        };
        let name = protocol.as_str().unwrap_or_default();
        (
            format!("a rule of {whose} for {name} {range} {end}"),
            json!({
                "kind": "rule", "customer": customer, "address": address,
                "from": ports[0], "to": ports[1], "protocol": protocol,
                "expires": expires(&value["expires_at"]),
            }),
            "made".to_owned(),
            value["expires_at"].clone(),
        )
    }
}

/// The last second in which a rule holds, in UTC: `2030-06-30T11:59:59`; none of one that always does.
fn expires(value: &Value) -> Option<&str> {
    let form = value.as_object()?.values().next()?;
    form.as_str()?.get(..19)
}

fn service(key: &str, value: &Value) -> Option<(String, Value, String, Value)> {
    let mut parts = key.split('/');
    let (customer, service, product) = (parts.next()?, parts.next()?, parts.next()?);
    let offer = match (&value["offer"]["units"], &value["offer"]["plan"]) {
        (Value::Number(units), _) => format!(" with quantity {units}"),
        (_, Value::String(plan)) => format!(" on plan {plan}"),
        _ => String::new(),
    };
    let members = json!({
        "kind": "service", "product": product,
        "customer": customer.parse::<u64>().ok()?, "service": service.parse::<u64>().ok()?,
    });
    let name = format!("service {service} ({product}) of customer {customer}");
    let status = value["status"].as_str().unwrap_or_default();
    Some((name, members, format!("{status}{offer}"), Value::Null))
}

/// The state of a server or domain in a word or two.
fn state(value: &Value) -> String {
    match value {
        Value::String(name) => name.clone(),
        value if value["paused"] == "platform" => "paused by the platform".to_owned(),
        value => {
            let name = value.as_object().and_then(|state| state.keys().next());
            name.cloned().unwrap_or_default()
        }
    }
}
