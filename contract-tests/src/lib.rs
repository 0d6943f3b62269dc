//! Where the SDK and the mock meet.
//!
//! Neither knows the other: each was written from the specification, and this crate holds them against each other,
//! against the raw answers, and against `openapi.yaml` and the table `contract.toml`. The cases run against a mock in
//! this process; with `SECMON_CONTRACT_URL` and `SECMON_CONTRACT_KEY` they run against that service instead, over the
//! network only. `SECMON_CONTRACT_ADMIN=1` says that it has the mock's `/_mock/` calls; without it, the cases that
//! steer the service are skipped, each by its name.

mod account;
mod case;
mod cleanup;
mod customer;
mod error_checks;
mod estate;
mod exchange;
mod http_calls;
pub mod junit;
mod matrix;
mod names;
mod need;
pub mod proxy;
mod recipe;
mod scene;
mod service;
mod snapshot;
mod stage;
mod suite;
pub mod table;
mod times;
mod transcript;
mod wire;

pub use account::Account;
pub use case::{Body, Case, Failure, Playing, Run, run_case};
pub use customer::{Customer, next_service};
pub use error_checks::{assert_api_error, assert_keys, code_of};
pub use estate::{Estate, NOTHING, SLOTS};
pub use exchange::{Exchange, Forced};
pub use http_calls::{RawAnswer, RawCall};
pub use matrix::{Matrix, Verdict};
pub use need::Need;
pub use recipe::{Bad, Listing, Members, Order, Recipe, Request, Shape, names_in, placeholder};
pub use scene::{SCENES, Scene};
pub use secmon::Namespace;
pub use service::{Repeatability, Service, Steering, embedded, plans, rate_limits};
pub use snapshot::{MOST_PAGES, Snapshot};
pub use suite::{Check, Findings, Witness, run};
pub use times::problems as time_problems;
pub use wire::Wire;
