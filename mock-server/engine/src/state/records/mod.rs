//! The records of an account, as they are stored.

mod controls;
mod customer;
mod domain;
mod domain_alert;
mod endpoint;
mod port_alert;
mod price;
mod rule;
mod scan;
mod subscription;

pub use controls::LeakDataset;
pub(crate) use controls::{Controls, next_number};
pub(crate) use customer::{ApiKey, Customer, Portal, SsoToken};
pub(crate) use domain::{Domain, DomainState, Mentions, PastScan};
pub use domain_alert::DomainAlertKind;
pub(crate) use domain_alert::{AlertState, DomainAlert};
pub(crate) use endpoint::{Endpoint, EndpointState, Found, LastSeen};
pub(crate) use port_alert::{PortAlert, Resolution};
pub(crate) use price::{Price, PriceKey};
pub(crate) use rule::{Origin, Rule, Scope};
pub(crate) use scan::{EndedScan, LiveStatus, ManualScan, ManualScans, PausedBy, Phase};
pub use scan::{Progress, ScanOutcome};
pub use subscription::SubscriptionStatus;
pub(crate) use subscription::{ProRataWindow, ServiceKey, Subscription, SubscriptionKey};
