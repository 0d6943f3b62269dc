//! The state machines and capacity logic behind `secmon-mock`: pure and
//! synchronous, without clock, randomness, files or network.
//!
//! One [`Account`] is the whole state of one partner account. A call opens a
//! [`Session`] on it with [`Account::at`], and each operation of the API is
//! one method of that. It takes a request whose fields were checked for their
//! shape, and gives what the API answers, ready to be serialized, or a
//! [`Refusal`]. What it changed comes out as [`Change`]s, from which
//! [`Account::restore`] builds the same account again.
//!
//! ```
//! use secmon_engine::{
//!     Account, AccountSettings, Call, Client, ClientId, Instant, ProvisionEndpoint, SandboxHeader,
//!     Target,
//! };
//!
//! let mut account = Account::new(AccountSettings::new("acme", "portal.acme.test", 7));
//! let call = Call {
//!     now: Instant::parse("2026-01-01T00:00:00+00:00").unwrap(),
//!     key: account.add_key("test_key_acme"),
//!     sandbox: SandboxHeader::Absent,
//! };
//! let request = ProvisionEndpoint {
//!     client: Client::new(ClientId::new(42).unwrap()),
//!     target: Target::parse("203.0.113.10").unwrap(),
//!     service: None,
//! };
//! let done = account.at(call).provision(request).unwrap();
//!
//! // Two seconds later the first scan has ended.
//! let later = Call {
//!     now: Instant::parse("2026-01-01T00:00:02+00:00").unwrap(),
//!     ..call
//! };
//! let detail = account
//!     .at(later)
//!     .endpoint_detail(done.value.endpoint_id, None)
//!     .unwrap();
//! assert_eq!(detail.latest_scan.unwrap().open_ports, [22, 80, 443, 8080]);
//! ```
//!
//! Published only because `secmon-mock` needs it.

mod capacity;
mod catalogue;
mod control;
mod customer;
mod dns;
mod domain;
mod domain_name;
mod endpoint;
mod firewall;
mod hash;
mod ids;
mod named;
mod page;
mod port_alert;
mod ports;
mod pricing;
mod rate_window;
mod refusal;
mod rule;
mod scan;
mod session;
mod settings;
mod sso;
mod state;
mod subscription;
mod sync;
mod time;
mod values;
mod world;

pub use capacity::CapacityReport;
pub use catalogue::{Catalogue, Product};
pub use customer::Client;
pub use domain::alert::{
    AcknowledgedAlert, DomainAlertDetail, DomainAlertStatus, DomainAlertView, DomainSeverity,
    ListDomainAlerts, ResolvedDomainAlert,
};
pub use domain::leaks::{LeakAnswer, LeakItem, LeakPage, LeakUpstreamFailure, ListLeaks};
pub use domain::mentions::{ListMentions, MentionView};
pub use domain::provision::{
    DomainProvisioned, DomainReleased, DomainUpdated, ProvisionDomain, ReleaseDomain,
};
pub use domain::view::{
    DomainItem, DomainList, DomainScanView, DomainStatus, DomainSummary, PasswordStrength,
    ProductDescription,
};
pub use domain_name::DomainName;
pub use endpoint::detail::{EndpointDetailView, LatestScanView};
pub use endpoint::manage::{
    CreateEndpoint, EndpointList, ListEndpoints, StatusCounts, UpdateEndpoint,
};
pub use endpoint::provision::{ProvisionEndpoint, Provisioned};
pub use endpoint::scan::QueuedScan;
pub use endpoint::view::{DesiredStatus, EndpointStatus, EndpointView};
pub use firewall::{FirewallFormat, FirewallIngested, IngestFirewall, SkippedLine};
pub use hash::hash_pair;
pub use ids::{made_up_name, seed_after};
pub use page::{Page, Paged};
pub use port_alert::{
    ListPortAlerts, PortAlertStatus, PortAlertSummary, PortAlertView, ResolvedPortAlert,
};
pub use ports::Severity;
pub use pricing::{PriceDeleted, PriceView, PricedPlan};
pub use rate_window::{RateGroup, RateLimited};
pub use refusal::{Call, Capacity, Done, FieldErrors, Outcome, Refusal, SandboxHeader};
pub use rule::manage::{ListRules, RuleRequest, RuleScope, RuleStatus, ScopeFilter};
pub use rule::view::{EndpointRuleCount, RuleCounts, RuleView};
pub use session::Session;
pub use settings::{AccountSettings, IdSource, Limits, RateLimits, Switch, Timings};
pub use sso::{MintedToken, SignedIn};
pub use state::{
    Account, Change, ChangedRecord, DomainAlertKind, LeakDataset, Progress, RestoreError,
    ScanOutcome, StoredRecord, SubscriptionStatus, Table,
};
pub use subscription::change::{
    ChangeSubscription, DowngradeCheck, SubscriptionChange, SubscriptionChanged,
    SubscriptionUnchanged,
};
pub use subscription::provision::{
    ProvisionSubscription, SubscriptionMoved, SubscriptionRef, SubscriptionView,
};
pub use sync::{CapacityReports, Enforcement, ReportedService, SyncReport, UnknownService};
pub use time::{Expiry, Instant, Timestamp, parse_expiry};
pub use values::{
    ClientId, Hostname, OpenPort, PortRange, Protocol, RuleProtocol, ServiceId, Target, is_email,
    parse_address,
};
pub use world::{Category, DomainFindings, Scenario};
