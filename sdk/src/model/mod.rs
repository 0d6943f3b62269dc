//! What several operations share: identifiers, records, open enums, ports, timestamps.

mod endpoint;
mod ids;
pub(crate) mod open_enum;
mod paging;
mod port;
mod port_alert;
mod rule;
mod timestamp;
pub(crate) mod tolerant;
mod values;

pub use endpoint::{Endpoint, EndpointDetail, EndpointPage, EndpointPageMeta, LatestScan};
pub use ids::{
    CreatorId, CustomerId, EndpointId, InvalidId, PortAlertId, RuleId, ScanId, ServiceId, TenantId,
};
pub use open_enum::UnknownValue;
pub use paging::PageLinks;
pub use port::{InvalidPortRange, Port, PortRange};
pub use port_alert::{PortAlert, PortAlertPage};
pub use rule::{EndpointSummary, Rule, RulePage, RulePageMeta, RuleSummary};
pub use timestamp::{InvalidTimestamp, Timestamp};
pub use values::{
    EndpointStatus, PortAlertStatus, Protocol, RiskLevel, RuleScope, RuleStatus, ScanStatus,
    Severity,
};
