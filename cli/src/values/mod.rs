//! What people type for a value: a port, a length of time, a day.

pub mod days;
pub mod domain_names;
pub mod durations;
pub mod ports;
