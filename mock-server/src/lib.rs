//! Stateful mock of the partner security-monitoring API.
//!
//! [`MockServer`] runs it inside a test process; the binary `secmon-mock` serves it to programs
//! in any language. Each account ([`Tenant`]) is isolated: a hundred tests share one server
//! without meeting.

mod address;
mod admin;
mod chance;
mod clock;
pub mod command_line;
mod config;
mod embedded;
mod exec;
mod faults;
mod fields;
pub mod flags;
mod http;
mod journal;
mod mock;
mod openapi;
mod partner;
mod playbooks;
mod ready;
mod run;
mod secret;
mod serve;
mod server;
mod settings;
mod start_error;
mod store;
mod tenant;

pub use config::{Config, TenantConfig};
pub use embedded::{MockServer, MockServerBuilder};
pub use faults::{CloseAt, Effect, Fault};
pub use journal::JournalEntry;
pub use mock::{AdminError, TenantOptions};
pub use run::run;
pub use secmon_engine::{
    Catalogue, ClientId, DomainFindings, Instant, LeakDataset, Limits, OpenPort, Progress,
    Protocol, RateLimits, ScanOutcome, Scenario, Timings,
};
pub use secret::Secret;
pub use settings::{Manners, RateLimit};
pub use start_error::StartError;
pub use tenant::Tenant;
