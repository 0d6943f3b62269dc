//! What an account stores, and what follows from it. Nothing here knows what
//! an operation does.
//!
//! Files in here import each other by path, everybody else from here.

mod account;
mod alerts;
mod checks;
mod domains;
mod due;
mod endpoints;
mod index;
mod live_records;
mod port_index;
mod ranked_set;
mod records;
mod restore;
mod rules;
mod storage;
mod subscriptions;
mod tables;

pub use account::Account;
pub(crate) use index::Task;
pub(crate) use live_records::LiveRecords;
pub(crate) use records::{
    AlertState, Domain, DomainAlert, DomainState, EndedScan, Endpoint, EndpointState, Found,
    LastSeen, ManualScan, ManualScans, Mentions, Origin, PastScan, PausedBy, Phase, PortAlert,
    Portal, Price, PriceKey, ProRataWindow, Resolution, Rule, Scope, ServiceKey, SsoToken,
    Subscription, SubscriptionKey, next_number,
};
pub use records::{DomainAlertKind, LeakDataset, Progress, ScanOutcome, SubscriptionStatus};
pub use storage::RestoreError;
pub(crate) use storage::{
    AlertNo, CustomerNo, DomainAlertNo, DomainNo, EndpointNo, RuleNo, TokenNo,
};
pub use tables::{Change, ChangedRecord, StoredRecord, Table};
