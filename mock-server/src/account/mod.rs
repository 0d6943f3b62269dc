//! The accounts of a server, what all of them share, and what can be done to them while it runs.
//! Each control changes memory at once and gives a commit that tells when the change is durable.

mod accounts;
pub(crate) mod admin_error;
mod clocks;
mod copies;
pub(crate) mod document;
mod findings;
mod journals;
mod keys;
mod mock;
mod options;
mod records;
mod registry;
mod restore;
pub(crate) mod shared;
mod waiting;

pub(crate) use accounts::NewTenant;
pub use admin_error::AdminError;
pub(crate) use findings::RecordRef;
pub(crate) use mock::Mock;
pub use options::TenantOptions;
pub(crate) use registry::Holder;
