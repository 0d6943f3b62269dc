//! What a server is started with: flags, files, and the rules for what they hold.

pub(crate) mod address;
pub(crate) mod checks;
pub(crate) mod config;
pub mod flags;
pub(crate) mod settings;
pub(crate) mod start_error;
