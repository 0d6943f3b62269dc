//! What a customer has and can be paused, resumed and ended: servers, domains, and the subscriptions behind them.

use crate::bulk;
use crate::references::{DomainRef, ServerTarget};
use crate::state::records;
use crate::ui::outcome::to_json;
use chrono::{DateTime, FixedOffset};
use secmon::model::{
    CustomerId, DomainStatus, EndpointStatus, ServiceId, SubscriptionStatus, Timestamp,
};
use serde_json::Value;

/// A kind of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ResourceKind {
    /// A server.
    Server,
    /// A domain.
    Domain,
    /// A subscription.
    Subscription,
}

impl ResourceKind {
    /// One of them in a sentence.
    pub fn one(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Domain => "domain",
            Self::Subscription => "subscription",
        }
    }
}

/// A subscription of a customer's billing service.
#[derive(Debug, Clone, PartialEq)]
pub struct SubscriptionRef {
    /// Whose it is.
    pub customer: CustomerId,
    /// The service that pays.
    pub service: ServiceId,
    /// What it is for.
    pub product: String,
    /// Its state, as this computer was answered last: no read tells it.
    pub last_status: Option<SubscriptionStatus>,
}

impl From<&records::Subscription> for SubscriptionRef {
    fn from(recorded: &records::Subscription) -> Self {
        Self {
            customer: recorded.customer,
            service: recorded.service,
            product: recorded.product.clone(),
            last_status: recorded.status.clone(),
        }
    }
}

impl SubscriptionRef {
    /// What it is called in sentences about its customer.
    pub fn short_name(&self) -> String {
        format!("{} of billing service {}", self.product, self.service)
    }

    /// What it is called in sentences.
    pub fn label(&self) -> String {
        format!(
            "{} of service {} (customer {})",
            self.product, self.service, self.customer
        )
    }

    /// How it is remembered.
    pub fn record(&self) -> String {
        format!("{}/{}/{}", self.customer, self.service, self.product)
    }
}

/// Something that a customer has.
#[derive(Debug, Clone)]
pub enum Resource {
    /// A server.
    Server(Box<ServerTarget>),
    /// A domain.
    Domain(Box<DomainRef>),
    /// A subscription.
    Subscription(SubscriptionRef),
}

/// Whether it is monitored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MonitoringState {
    /// It is.
    Active,
    /// Somebody has paused it.
    Suspended,
    /// The platform has paused it, over the limit of the plan.
    PausedByPlatform,
    /// It has ended.
    Ended,
    /// Nothing tells.
    Unknown,
}

impl Resource {
    /// What kind of thing it is.
    pub fn kind(&self) -> ResourceKind {
        match self {
            Self::Server(_) => ResourceKind::Server,
            Self::Domain(_) => ResourceKind::Domain,
            Self::Subscription(_) => ResourceKind::Subscription,
        }
    }

    /// How it is remembered: its id, or the name of a subscription.
    pub fn record(&self) -> String {
        match self {
            Self::Server(server) => server.id.to_string(),
            Self::Domain(domain) => domain.id.to_string(),
            Self::Subscription(subscription) => subscription.record(),
        }
    }

    /// What it is called in sentences.
    pub fn name(&self) -> String {
        match self {
            Self::Server(server) => server.name(),
            Self::Domain(domain) => domain.name.clone(),
            Self::Subscription(subscription) => subscription.short_name(),
        }
    }

    /// What is typed to confirm a change of it.
    pub fn handle(&self) -> String {
        match self {
            Self::Server(server) => server.handle(),
            Self::Domain(domain) => domain.name.clone(),
            Self::Subscription(subscription) => subscription.service.to_string(),
        }
    }

    /// Its name, and whose it is.
    pub fn named(&self) -> String {
        match self.customer() {
            Some(customer) => format!("{} of customer {customer}", self.name()),
            None => self.name(),
        }
    }

    /// Whose it is.
    pub fn customer(&self) -> Option<CustomerId> {
        match self {
            Self::Server(server) => server.owner(),
            Self::Domain(domain) => Some(domain.customer),
            Self::Subscription(subscription) => Some(subscription.customer),
        }
    }

    /// Whether it is monitored, as it was listed a moment ago; of a subscription, as this computer was answered last.
    pub fn state(&self) -> MonitoringState {
        match self {
            Self::Server(server) => match &server.listed {
                None => MonitoringState::Unknown,
                Some(server) => match (&server.status, server.quota_paused) {
                    (EndpointStatus::Active, _) => MonitoringState::Active,
                    (EndpointStatus::Paused, Some(true)) => MonitoringState::PausedByPlatform,
                    (EndpointStatus::Paused, _) => MonitoringState::Suspended,
                    (EndpointStatus::Terminated, _) => MonitoringState::Ended,
                    _ => MonitoringState::Unknown,
                },
            },
            Self::Domain(domain) => match &domain.listed {
                None => MonitoringState::Ended,
                Some(domain) => match (&domain.status, domain.quota_paused) {
                    (DomainStatus::Active, _) => MonitoringState::Active,
                    (DomainStatus::Paused, Some(true)) => MonitoringState::PausedByPlatform,
                    (DomainStatus::Paused, _) => MonitoringState::Suspended,
                    _ => MonitoringState::Unknown,
                },
            },
            Self::Subscription(subscription) => match &subscription.last_status {
                Some(SubscriptionStatus::Active) => MonitoringState::Active,
                Some(SubscriptionStatus::Suspended) => MonitoringState::Suspended,
                Some(SubscriptionStatus::Cancelled) => MonitoringState::Ended,
                _ => MonitoringState::Unknown,
            },
        }
    }

    /// The record as it was read; nothing of what nobody can read.
    pub fn image(&self) -> Value {
        match self {
            Self::Server(server) => to_json(&server.listed),
            Self::Domain(domain) => to_json(&domain.listed),
            Self::Subscription(_) => Value::Null,
        }
    }

    /// When a server was last changed, or a domain last scanned: it tells no more.
    pub fn touched_at(&self) -> Option<DateTime<FixedOffset>> {
        let touched = match self {
            Self::Server(server) => server.listed.as_ref()?.updated_at.as_ref(),
            Self::Domain(domain) => domain.listed.as_ref()?.last_scan_at.as_ref(),
            Self::Subscription(_) => None,
        };
        touched.map(Timestamp::date_time)
    }
}

/// `9 servers of customer 42 (web-1, web-2, web-3 and 6 more), 2 domains (a.example, b.example)`
pub fn contents(all: &[&Resource]) -> String {
    let kinds = [
        ResourceKind::Server,
        ResourceKind::Domain,
        ResourceKind::Subscription,
    ];
    let kinds = kinds.map(|kind| {
        let names: Vec<String> = all
            .iter()
            .filter(|one| one.kind() == kind)
            .map(|one| one.name())
            .collect();
        let count = crate::values::durations::counted(names.len(), kind.one());
        (!names.is_empty()).then(|| format!("{count} ({})", few(&names)))
    });
    kinds.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// `web-1, web-2, web-3 and 6 more`
pub fn few(names: &[String]) -> String {
    const NAMED: usize = 3;
    match names.split_at_checked(NAMED) {
        Some((first, rest)) if !rest.is_empty() => {
            format!("{} and {} more", first.join(", "), rest.len())
        }
        _ => names.join(", "),
    }
}

/// `11 servers of 2 customers: 77 (9), 42 (2)`; of one customer `9 servers of customer 42`.
pub fn by_customer(all: &[&Resource], kind: ResourceKind) -> String {
    let count = crate::values::durations::counted(all.len(), kind.one());
    count + &bulk::owners(all.iter().map(|one| one.customer()))
}
