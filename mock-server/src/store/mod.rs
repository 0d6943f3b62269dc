//! Durable state: memory is the truth, the store keeps what changed, and a change is answered for
//! only after it is committed.

#[cfg(feature = "durable")]
pub(crate) mod checksum;
pub(crate) mod commit;
#[cfg(feature = "durable")]
pub(crate) mod commits;
#[cfg(feature = "durable")]
pub(crate) mod file;
#[cfg(not(feature = "durable"))]
#[path = "no_file.rs"]
pub(crate) mod file;
pub(crate) mod interface;
pub(crate) mod record;
#[cfg(feature = "durable")]
pub(crate) mod state_file;
#[cfg(feature = "durable")]
pub(crate) mod watched;
#[cfg(feature = "durable")]
pub(crate) mod writer;
