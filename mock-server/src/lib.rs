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

mod address;
mod admin;
mod certify;
mod chance;
mod checks;
mod child;
mod clock;
pub mod command_line;
mod config;
mod denied_notices;
mod embedded;
mod events;
mod evidence;
mod exec;
mod faults;
mod fields;
mod fixtures;
pub mod flags;
mod http;
mod journal;
mod mock;
mod nearest;
mod notice;
mod notices;
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
mod subset;
mod tenant;
#[cfg(feature = "tls")]
mod tls;
#[cfg(not(feature = "tls"))]
#[path = "no_tls.rs"]
mod tls;

pub use config::{Config, TenantConfig};
pub use embedded::{MockServer, MockServerBuilder};
pub use faults::{CloseAt, Effect, Fault, TlsTrouble};
pub use fixtures::Fixtures;
pub use journal::JournalEntry;
pub use mock::{AdminError, TenantOptions};
pub use notice::Notice;
pub use run::run;
pub use secmon_engine::{
    Catalogue, ClientId, DomainFindings, Instant, LeakDataset, Limits, OpenPort, Progress,
    Protocol, RateLimits, ScanOutcome, Scenario, Timings,
};
pub use secret::Secret;
pub use settings::{AnswerStyle, RateLimit};
pub use start_error::StartError;
pub use tenant::Tenant;
