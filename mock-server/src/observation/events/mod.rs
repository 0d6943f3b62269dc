//! What happens, as it happens: for the inspector page and whoever else listens (`GET /_mock/events`).
//!
//! Calls and changes tell of themselves; accounts are looked at once for all who listen; each listener compares the
//! server's clock and the faults with what it has seen.

pub(crate) mod accounts;
pub(crate) mod listener;
pub(crate) mod ring;
