//! Which records a call touches: their ids and customers, from its path, its fields and its answer, and the names of
//! those that the platform paused or un-paused because of it.

use crate::ui::outcome::to_json;
use secmon::Operation;
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
#[derive(Debug, Default)]
pub struct Touched {
    /// Their ids.
    pub ids: Vec<Uuid>,
    /// The customers that are named beside them.
    pub customers: Vec<CustomerId>,
    /// Addresses and domains of those that were named without an id.
    pub names: Vec<String>,
}

impl Touched {
    /// What a call names.
    pub fn by<O: Operation>(operation: &O) -> Self {
        let mut touched = Self::default();
        touched.extend_from(&to_json(operation));
        touched
    }

    /// What a path and a body name that were given as they are.
    pub fn by_raw(path: &str, body: Option<&Value>) -> Self {
        let mut touched = Self::default();
        let path = path.split(['/', '?']);
        touched.extend(path.filter_map(|part| part.parse().ok()));
        if let Some(body) = body {
            touched.extend_from(body);
        }
        touched
    }

    /// Adds ids.
    pub fn extend(&mut self, ids: impl IntoIterator<Item = Uuid>) {
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

    /// Adds what an answer names.
    pub fn extend_from_body(&mut self, body: &[u8]) {
        if let Ok(body) = serde_json::from_slice::<Value>(body) {
            self.extend_from(&body);
        }
    }

    fn extend_from(&mut self, value: &Value) {
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
}

fn texts(list: &Value) -> impl Iterator<Item = String> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned))
}
