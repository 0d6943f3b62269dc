//! What several operations share: identifiers, records, open enums, addresses, ports, money, timestamps.

mod capacity;
mod domain;
mod endpoint;
mod expiry;
mod ids;
mod money;
mod open_enum;
pub(crate) mod paging;
mod port;
mod port_alert;
mod rule;
mod subscription;
mod text;
mod timestamp;
pub(crate) mod tolerant;
mod values;

pub use capacity::{CapacityReport, CapacityReports};
pub use domain::{
    DomainAlert, DomainAlertPage, DomainScan, LeakRecord, Mention, MentionPage, MonitoredDomain,
};
pub use endpoint::{Endpoint, EndpointDetail, EndpointPage, EndpointPageMeta, LatestScan};
pub use expiry::{Expiry, InvalidExpiry};
pub use ids::{
    CreatorId, CustomerId, DomainAlertId, DomainId, EndpointId, InvalidId, MentionId, PortAlertId,
    RuleId, ScanId, ServiceId, SubscriptionId, TenantId,
};
pub use money::{InvalidMoney, Money};
pub use open_enum::UnknownValue;
pub use paging::PageLinks;
pub use port::{InvalidPortRange, Port, PortRange};
pub use port_alert::{PortAlert, PortAlertPage};
pub use rule::{EndpointSummary, Rule, RulePage, RulePageMeta, RuleSummary};
pub use subscription::{Subscription, SubscriptionChange, SubscriptionState};
pub use text::{Address, PlanSlug};
pub use timestamp::{InvalidTimestamp, Timestamp};
pub use values::{
    ChangeDirection, DomainAlertStatus, DomainAlertType, DomainStatus, EndpointStatus,
    FirewallFormat, LeakCategory, PortAlertStatus, ProductSlug, Protocol, RiskLevel, RuleScope,
    RuleStatus, ScanStatus, Scenario, Severity, SubscriptionStatus,
};
