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
#[serde(default, deny_unknown_fields)]
pub struct Catalogue {
    /// Plan slug to servers, of the product `port_monitoring`.
    pub port_monitoring: BTreeMap<String, u64>,
}

impl Catalogue {
    /// The servers that this plan holds; `None` for an unknown plan.
    pub fn servers(&self, plan: &str) -> Option<u64> {
        self.port_monitoring.get(plan).copied()
    }

    /// The servers or domain slots that are bought with this.
    pub(crate) fn holds(&self, offer: &Offer) -> u64 {
        match offer {
            Offer::Server => 0,
            Offer::Plan(plan) => self.servers(plan).unwrap_or(0),
            Offer::Units(quantity) => u64::from(*quantity),
        }
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

/// What a subscription is to: its product, with what that product takes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Offer {
    /// `endpoint` (D9).
    Server,
    /// `port_monitoring`, by the slug of its plan.
    Plan(String),
    /// `domain_monitoring`, by the number of its slots.
    Units(u32),
}

impl Offer {
    pub(crate) fn product(&self) -> Product {
        match self {
            Self::Server => Product::Endpoint,
            Self::Plan(_) => Product::PortMonitoring,
            Self::Units(_) => Product::DomainMonitoring,
        }
    }

    /// The plan, where the product has plans.
    pub(crate) fn plan(&self) -> Option<String> {
        match self {
            Self::Plan(plan) => Some(plan.clone()),
            Self::Server | Self::Units(_) => None,
        }
    }

    /// The units, 1 where the product has none.
    pub(crate) fn quantity(&self) -> u32 {
        match self {
            Self::Units(quantity) => *quantity,
            Self::Server | Self::Plan(_) => 1,
        }
    }

    /// The same with what is given and what the product takes replaced.
    pub(crate) fn with(&self, plan: Option<String>, quantity: Option<u32>) -> Self {
        match self {
            Self::Server => Self::Server,
            Self::Plan(old) => Self::Plan(plan.unwrap_or_else(|| old.clone())),
            Self::Units(old) => Self::Units(quantity.unwrap_or(*old)),
        }
    }
}

/// What a customer's capacity is counted in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Pool {
    /// Servers, held by `port_monitoring`.
    Servers,
    /// Domain slots, held by `domain_monitoring`.
    Domains,
}

impl Pool {
    /// The pool that a product adds to, if it does (D9).
    pub(crate) fn of(product: Product) -> Option<Self> {
        match product {
            Product::PortMonitoring => Some(Self::Servers),
            Product::DomainMonitoring => Some(Self::Domains),
            Product::Endpoint => None,
        }
    }

    pub(crate) fn product(self) -> Product {
        match self {
            Self::Servers => Product::PortMonitoring,
            Self::Domains => Product::DomainMonitoring,
        }
    }
}
