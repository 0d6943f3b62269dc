//! What a change of capacity did to a customer's resources.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::ProductSlug;
use super::tolerant::null_as_default;

/// Capacity and use of one product by one customer, after a reconciliation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CapacityReport {
    /// `domain_monitoring` or `port_monitoring`.
    pub product_type: ProductSlug,
    /// How many resources the active services allow.
    #[serde(default, deserialize_with = "null_as_default")]
    pub capacity: u64,
    /// How many there are.
    #[serde(default, deserialize_with = "null_as_default")]
    pub usage: u64,
    /// Whether there are more than allowed.
    #[serde(default, deserialize_with = "null_as_default")]
    pub over_quota: bool,
    /// What was paused, newest first: domain names, or IP addresses.
    #[serde(default, deserialize_with = "null_as_default")]
    pub newly_paused: Vec<String>,
    /// What is watched again, oldest first: domain names, or IP addresses.
    #[serde(default, deserialize_with = "null_as_default")]
    pub unpaused: Vec<String>,
}

/// The reports of one customer, one for each product.
///
/// The service sends them by product; a plain list is read too (D7). They are written by product.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CapacityReports(Vec<CapacityReport>);

impl CapacityReports {
    /// All reports.
    pub fn iter(&self) -> impl Iterator<Item = &CapacityReport> {
        self.0.iter()
    }

    /// The report of one product.
    pub fn get(&self, product: &ProductSlug) -> Option<&CapacityReport> {
        self.0.iter().find(|report| report.product_type == *product)
    }
}

impl Serialize for CapacityReports {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|report| (&report.product_type, report)))
    }
}

impl<'de> Deserialize<'de> for CapacityReports {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let reports = match Value::deserialize(deserializer)? {
            Value::Array(reports) => reports,
            other => by_product(other).map_err(serde::de::Error::custom)?,
        };
        let read = reports
            .into_iter()
            .map(serde_json::from_value)
            .collect::<Result<_, _>>();
        read.map(Self).map_err(serde::de::Error::custom)
    }
}

/// The reports of a map; the key names the product where the report itself does not.
fn by_product(reports: Value) -> Result<Vec<Value>, serde_json::Error> {
    let reports: BTreeMap<String, Value> = serde_json::from_value(reports)?;
    let named = reports.into_iter().map(|(product, mut report)| {
        if let Some(report) = report.as_object_mut() {
            report
                .entry("product_type")
                .or_insert(Value::String(product));
        }
        report
    });
    Ok(named.collect())
}
