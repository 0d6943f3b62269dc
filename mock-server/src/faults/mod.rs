//! Faults: trouble that a test orders for calls to come (M5).

pub(crate) mod aim;
pub(crate) mod fault;
pub(crate) mod placed;
