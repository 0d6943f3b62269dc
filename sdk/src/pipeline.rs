//! The way of a call: pace, attempt, decide, wait, attempt again.
//!
//! Nothing here knows the type of a request or of a result, so it is compiled once.

mod call;
pub mod pacer;
pub(crate) mod retry;
mod run;
pub(crate) mod runtime;
mod shared;
pub mod transport;

pub(crate) use call::{Call, Failure};
#[cfg(feature = "test-util")]
pub(crate) use run::unanswered;
pub(crate) use shared::{Pipeline, RetryFilter};
