//! A mock server inside a test process.

pub(crate) mod account;
pub(crate) mod server;
