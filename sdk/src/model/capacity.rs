//! What a change of capacity did to a customer's resources.

use std::fmt;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::tolerant::record;
use super::tolerant_value::TolerantValue;
use super::values::ProductSlug;

record! {
    /// Capacity and use of one product by one customer, after a reconciliation.
    CapacityReport {
        /// `domain_monitoring` or `port_monitoring`.
        product_type: ProductSlug,
        /// How many resources the active services allow.
        capacity: Option<u64>,
        /// How many there are.
        usage: Option<u64>,
        /// Whether there are more than allowed.
        over_quota: Option<bool>,
        /// What was paused, newest first: domain names, or IP addresses.
        newly_paused: Option<Vec<String>>,
        /// What is watched again, oldest first: domain names, or IP addresses.
        unpaused: Option<Vec<String>>,
    }
}

/// The reports of one customer, one for each product.
///
/// The service sends them by product; a plain list is read too. They are written by product.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CapacityReports(Vec<CapacityReport>);

impl CapacityReports {
    /// All reports.
    pub fn iter(&self) -> std::slice::Iter<'_, CapacityReport> {
        self.0.iter()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The report of one product.
    pub fn get(&self, product: &ProductSlug) -> Option<&CapacityReport> {
        self.0.iter().find(|report| report.product_type == *product)
    }
}

impl IntoIterator for CapacityReports {
    type Item = CapacityReport;
    type IntoIter = std::vec::IntoIter<CapacityReport>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a CapacityReports {
    type Item = &'a CapacityReport;
    type IntoIter = std::slice::Iter<'a, CapacityReport>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl Serialize for CapacityReports {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|report| (&report.product_type, report)))
    }
}

impl<'de> Deserialize<'de> for CapacityReports {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reports)
    }
}

struct Reports;

impl<'de> Visitor<'de> for Reports {
    type Value = CapacityReports;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("reports by product")
    }

    /// What is no report beside the reports is passed over: the services are changed, whatever else is told.
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<CapacityReports, A::Error> {
        let mut reports = Vec::new();
        while let Some((product, report)) = entries.next_entry::<ProductSlug, Value>()? {
            let mut report = match report {
                Value::Object(members) => members,
                Value::Array(items) if items.is_empty() => Map::new(),
                _ => continue,
            };
            // A report may leave its product to the name above it.
            if !report.get("product_type").is_some_and(Value::is_string) {
                report.insert("product_type".to_owned(), product.as_str().into());
            }
            reports.extend(CapacityReport::deserialize(TolerantValue(&report.into())).ok());
        }
        Ok(CapacityReports(reports))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<CapacityReports, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(items)).map(CapacityReports)
    }
}
