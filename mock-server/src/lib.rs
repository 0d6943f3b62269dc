//! Stateful mock of the partner security-monitoring API.
//!
//! The binary `secmon-mock` serves it to programs in any language; [`MockServer`] runs it inside a
//! test process, on a thread and a port of its own. Each account ([`Tenant`]) is isolated, with its
//! own key, clock, world, faults and journal: a hundred tests share one server without meeting.
//!
//! ```
//! use std::time::Duration;
//!
//! use secmon_mock::{CloseAt, Fault, MockServer};
//!
//! let server = MockServer::start()?;
//! let tenant = server.tenant();
//!
//! // The first provisioning call is processed, and its answer gets lost.
//! tenant.fault(Fault::close(CloseAt::After).on("POST", "*/provision"));
//!
//! // ... here the program under test calls tenant.url() with tenant.api_key() ...
//!
//! // An hour later: due scans have run when this returns.
//! tenant.advance(Duration::from_secs(3600))?;
//! tenant.verify("POST", "*/provision", 0)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What the specification of the service leaves open is decided as `docs/behaviours.md` says; the
//! ids in this documentation (A5, M3) are those of that page.

mod account;
mod admin;
mod configuration;
mod connection;
mod embedded;
mod faults;
mod fixtures;
mod http;
mod mock;
mod observation;
mod operations;
mod playbooks;
mod program;
mod store;
mod values;

pub use account::options::TenantOptions;
pub use configuration::config::{Config, TenantConfig};
pub use configuration::flags;
pub use configuration::settings::{AnswerStyle, RateLimit};
pub use configuration::start_error::StartError;
pub use embedded::account::Tenant;
pub use embedded::server::{MockServer, MockServerBuilder};
pub use faults::effect::{CloseAt, Effect, TlsTrouble};
pub use faults::fault::Fault;
pub use fixtures::document::Fixtures;
pub use observation::journal::shown::{ChangedKey, JournalEntry};
pub use observation::notice::Notice;
pub use program::command_line;
pub use program::run::run;
pub use secmon_engine::{
    Catalogue, ClientId, DomainFindings, Instant, LeakDataset, Limits, OpenPort, Progress,
    Protocol, RateLimits, ScanOutcome, Scenario, Timings,
};
pub use values::admin_error::AdminError;
pub use values::secret::Secret;
