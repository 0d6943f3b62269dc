//! The accounts of a server, what all of them share, and what can be done to them while it runs.
//! Each control changes memory at once and gives a commit that tells when the change is durable.

pub(crate) mod accounts;
pub(crate) mod clocks;
pub(crate) mod copies;
pub(crate) mod document;
pub(crate) mod entry;
pub(crate) mod findings;
pub(crate) mod journals;
pub(crate) mod keys;
pub(crate) mod lifecycle;
pub(crate) mod options;
pub(crate) mod records;
pub(crate) mod registry;
pub(crate) mod restore;
pub(crate) mod shared;
pub(crate) mod waiting;
