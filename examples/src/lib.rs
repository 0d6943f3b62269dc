//! Integrations that run, for authors of billing modules. Each is a program under `src/bin`.
//!
//! They read `SECMON_BASE_URL` and `SECMON_API_KEY`, so that one and the same program runs against the mock and
//! against a portal.

use secmon::{ApiKey, Client};
use std::error::Error;

/// A client for the service that the environment names.
///
/// # Errors
/// When one of the two variables is missing, or what it says cannot be an address or a key.
pub fn client_from_environment() -> Result<Client, Box<dyn Error>> {
    let variable = |name: &str| std::env::var(name).map_err(|_| format!("{name} is not set"));
    let key = ApiKey::new(variable("SECMON_API_KEY")?)?;
    Ok(Client::builder(&variable("SECMON_BASE_URL")?, key).build()?)
}
