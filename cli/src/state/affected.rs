//! Which records a call affects: their ids and customers, from its path, its fields and its answer, and the names of
//! those that the platform paused or resumed because of it.

use secmon::model::CustomerId;
use serde_json::Value;
use uuid::Uuid;

/// Fields that hold the id of a record.
const IDS: [&str; 8] = [
    "id",
    "endpoint_id",
    "monitored_domain_id",
    "domain_id",
    "alert_id",
    "whitelist_id",
    "rule_id",
    "subscription_id",
];
/// Fields that hold a customer's number.
const CUSTOMERS: [&str; 2] = ["billing_customer_id", "client_id"];
/// Fields that hold the addresses and domains that a change of capacity moved.
const NAMES: [&str; 2] = ["newly_paused", "unpaused"];

/// Records, each once, in the order in which they were met.
#[derive(Debug, Default, Clone)]
pub struct AffectedRecords {
    /// Their ids.
    pub ids: Vec<Uuid>,
    /// The customers that are named beside them.
    pub customers: Vec<CustomerId>,
    /// Addresses and domains of those that were named without an id.
    pub names: Vec<String>,
}

impl AffectedRecords {
    /// What the fields of a call name.
    pub fn by(request: &Value) -> Self {
        let mut affected = Self::default();
        affected.extend_from(request);
        affected
    }

    /// What a path and a body name that were given as they are.
    pub fn by_raw(path: &str, body: Option<&Value>) -> Self {
        let mut affected = Self::default();
        let path = path.split(['/', '?', '=', '&']);
        affected.extend(path.filter_map(|part| part.parse().ok()));
        if let Some(body) = body {
            affected.extend_from(body);
        }
        affected
    }

    /// Adds what an answer names.
    pub fn extend_from(&mut self, value: &Value) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    match name.as_str() {
                        // A number is billing's.
                        name if IDS.contains(&name) => {
                            self.extend(value.as_str().and_then(|id| id.parse().ok()));
                        }
                        name if CUSTOMERS.contains(&name) => {
                            self.extend_customers(serde_json::from_value(value.clone()).ok());
                        }
                        name if NAMES.contains(&name) => self.names.extend(texts(value)),
                        _ => self.extend_from(value),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.extend_from(item)),
            _ => {}
        }
    }

    fn extend(&mut self, ids: impl IntoIterator<Item = Uuid>) {
        for id in ids {
            if !self.ids.contains(&id) {
                self.ids.push(id);
            }
        }
    }

    /// Adds customers.
    pub fn extend_customers(&mut self, customers: impl IntoIterator<Item = CustomerId>) {
        for customer in customers {
            if !self.customers.contains(&customer) {
                self.customers.push(customer);
            }
        }
    }
}

fn texts(list: &Value) -> impl Iterator<Item = String> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned))
}

/// Names the record that an operation is about, by its request or, for one that makes it, by its answer.
pub fn record_of(operation: &str, fields: &Value) -> Option<String> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    let first = |names: &[&str]| names.iter().find_map(|name| text(name));
    match operation.rsplit('_').next()? {
        "endpoint" => first(&["endpoint_id", "id"]),
        "domain" => text("monitored_domain_id"),
        "rule" => first(&["rule_id", "id"]),
        "alert" => first(&["alert_id", "id"]),
        "subscription" => {
            let number = |name: &str| fields.get(name).and_then(Value::as_u64);
            let (customer, service) = (number("client_id")?, number("service_id")?);
            Some(format!("{customer}/{service}/{}", text("product_slug")?))
        }
        _ => None,
    }
}
