//! What a change of capacity did to a customer's resources.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::ProductSlug;

/// Capacity and use of one product by one customer, after a reconciliation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CapacityReport {
    /// `domain_monitoring` or `port_monitoring`.
    pub product_type: ProductSlug,
    /// How many resources the active services allow.
    pub capacity: Option<u64>,
    /// How many there are.
    pub usage: Option<u64>,
    /// Whether there are more than allowed.
    pub over_quota: Option<bool>,
    /// What was paused, newest first: domain names, or IP addresses.
    pub newly_paused: Option<Vec<String>>,
    /// What is watched again, oldest first: domain names, or IP addresses.
    pub unpaused: Option<Vec<String>>,
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

/// What is no report beside the reports is passed over: the services are changed, whatever else is told.
macro_rules! passed_over {
    ($nothing:expr) => {
        fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
            Ok($nothing)
        }

        fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
            Ok($nothing)
        }

        fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
            Ok($nothing)
        }

        fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
            Ok($nothing)
        }

        fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
            Ok($nothing)
        }
    };
}

impl<'de> Visitor<'de> for Reports {
    type Value = CapacityReports;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("reports by product")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<CapacityReports, A::Error> {
        let mut reports = Vec::new();
        while let Some(product) = entries.next_key()? {
            let ByProduct(Some(report)) = entries.next_value()? else {
                continue;
            };
            reports.push(CapacityReport {
                product_type: report.product_type.unwrap_or(product),
                capacity: report.capacity,
                usage: report.usage,
                over_quota: report.over_quota,
                newly_paused: report.newly_paused,
                unpaused: report.unpaused,
            });
        }
        Ok(CapacityReports(reports))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<CapacityReports, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(items)).map(CapacityReports)
    }

    fn visit_unit<E: Error>(self) -> Result<CapacityReports, E> {
        Ok(CapacityReports::default())
    }

    passed_over!(CapacityReports::default());
}

/// A report below the name of its product; none where a member is no report. One of null or `[]` tells nothing.
struct ByProduct(Option<Unnamed>);

impl<'de> Deserialize<'de> for ByProduct {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ByProductVisitor)
    }
}

struct ByProductVisitor;

impl<'de> Visitor<'de> for ByProductVisitor {
    type Value = ByProduct;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a report")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<ByProduct, A::Error> {
        let report = Unnamed::deserialize(MapAccessDeserializer::new(members))?;
        Ok(ByProduct(Some(report)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<ByProduct, A::Error> {
        match items.next_element::<IgnoredAny>()? {
            None => Ok(ByProduct(Some(Unnamed::default()))),
            Some(_) => Err(Error::invalid_type(Unexpected::Seq, &self)),
        }
    }

    fn visit_unit<E: Error>(self) -> Result<ByProduct, E> {
        Ok(ByProduct(Some(Unnamed::default())))
    }

    passed_over!(ByProduct(None));
}

/// A report that may leave its product to the name above it.
#[derive(Default, Deserialize)]
struct Unnamed {
    product_type: Option<ProductSlug>,
    capacity: Option<u64>,
    usage: Option<u64>,
    over_quota: Option<bool>,
    newly_paused: Option<Vec<String>>,
    unpaused: Option<Vec<String>>,
}
