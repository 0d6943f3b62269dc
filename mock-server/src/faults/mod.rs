//! Faults: trouble that a test orders for calls to come (M5).

pub(crate) mod aim;
pub(crate) mod effect;
pub(crate) mod fault;
pub(crate) mod fields;
pub(crate) mod placed;
