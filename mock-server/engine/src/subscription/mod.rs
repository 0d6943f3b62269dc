//! Subscriptions: what calls do with them.

pub(crate) mod change;
pub(crate) mod provision;
