//! Where the SDK and the mock meet.
//!
//! Neither knows the other: each was written from the specification, and this crate holds them against each other,
//! and against the raw answers. The tests run against a mock in this process; with `SECMON_CONTRACT_URL` and
//! `SECMON_CONTRACT_KEY` they run against that service instead, over the network only. `SECMON_CONTRACT_ADMIN=1` says
//! that it has the mock's `/_mock/` calls; without it, the tests that steer the service are listed as ignored.

pub mod coverage;
mod error_checks;
mod http_calls;
mod service;
mod suite;

pub use error_checks::{assert_api_error, assert_keys, code_of};
pub use http_calls::{RawAnswer, RawCall};
pub use service::{Account, Customer, Steering, next_service};
pub use suite::{Test, anywhere, run, steered};
