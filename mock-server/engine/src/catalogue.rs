//! The products a partner can sell, and what each of their plans holds (B4).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A product of the catalogue, known by its slug.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Product {
    /// One server a service; no plan, no quantity.
    Endpoint,
    /// Servers, by plan.
    PortMonitoring,
    /// Domain slots, by unit.
    DomainMonitoring,
}

impl Product {
    /// Every product.
    pub const ALL: [Self; 3] = [Self::Endpoint, Self::PortMonitoring, Self::DomainMonitoring];

    /// The slug in the API.
    pub fn slug(self) -> &'static str {
        match self {
            Self::Endpoint => "endpoint",
            Self::PortMonitoring => "port_monitoring",
            Self::DomainMonitoring => "domain_monitoring",
        }
    }

    /// The product with this slug.
    pub fn from_slug(slug: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|product| product.slug() == slug)
    }
}

/// The plans on sale, with the number of servers each one holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Catalogue {
    /// Plan slug to servers, of the product `port_monitoring`.
    pub port_monitoring: BTreeMap<String, u64>,
}

impl Catalogue {
    /// The servers that this plan holds; `None` for an unknown plan.
    pub fn servers(&self, plan: &str) -> Option<u64> {
        self.port_monitoring.get(plan).copied()
    }
}

impl Default for Catalogue {
    fn default() -> Self {
        let plans = [
            ("starter", 5),
            ("professional", 25),
            ("business", 100),
            ("enterprise", 1000),
        ];
        Self {
            port_monitoring: plans
                .map(|(plan, servers)| (plan.to_owned(), servers))
                .into(),
        }
    }
}
