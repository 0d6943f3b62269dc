//! What an account stores, and what follows from it. Nothing here knows what
//! an operation does.

pub(crate) mod account;
mod alerts;
mod checks;
mod domains;
mod due;
mod endpoints;
pub(crate) mod index;
pub(crate) mod live_records;
mod port_index;
mod ranked_set;
pub(crate) mod records;
mod restore;
mod rules;
pub(crate) mod storage;
mod subscriptions;
pub(crate) mod tables;
