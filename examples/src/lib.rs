//! Integrations that run, for authors of billing modules. Each has a program under `src/bin`.
//!
//! The programs read `SECMON_BASE_URL` and `SECMON_API_KEY`, so that one and the same program runs against the mock
//! and against a portal.

pub mod billing;
