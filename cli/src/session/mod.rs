//! What talks to the service for a command: which service, with which key, what may be sent, and at what pace.

pub mod account;
pub mod call_log;
pub mod connection;
pub mod credentials;
pub mod env_vars;
pub mod flags;
pub mod guard;
pub mod local;
pub mod pace;
pub mod portal;
pub mod profile;
pub mod service;
pub mod settings;
