//! A billing module: everything between the hooks of a billing system and the monitoring service.
//!
//! | Part | What it does |
//! |---|---|
//! | [`queue`] | hooks become jobs in a JSON file; a worker sends them, and may be restarted at any time |
//! | [`policy`] | what each error means for an order |
//! | [`nightly`] | reports the state of all services, and tells what that changed |
//! | [`page`] | what a customer sees of its own servers and domains |
//! | [`sso`] | signs a customer in to the portal |
//! | [`bulk`] | provisions many servers, and goes on where it stopped |
//! | [`watch`] | first scans, and alerts that come and go |

pub mod bulk;
pub mod nightly;
pub mod page;
pub mod policy;
pub mod queue;
pub mod sso;
pub mod watch;

use secmon::pacing::Priority;
use secmon::{ApiKey, Client, ClientBuilder, Error, RotatingKey};
use std::time::Duration;

/// The connection of the module: one client for people, one for the background, and the key of both.
#[derive(Clone)]
pub struct Module {
    /// For somebody who waits at a screen: an answer within 20 seconds, or an error.
    pub screen: Client,
    /// For jobs that have time: behind everybody at a screen, and patient.
    pub background: Client,
    key: RotatingKey,
}

impl Module {
    /// Connects to the portal at this address with this key; nothing is sent yet.
    ///
    /// # Errors
    /// When the address or the key cannot be one.
    pub fn connect(address: &str, key: &str) -> Result<Self, Error> {
        Self::connect_with(address, key, |builder| builder)
    }

    /// As [`Module::connect`], with a say in how the client is built; for tests.
    ///
    /// # Errors
    /// When the address or the key cannot be one, or the builder refuses a setting.
    pub fn connect_with(
        address: &str,
        key: &str,
        change: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Result<Self, Error> {
        let key = RotatingKey::new(ApiKey::new(key)?);
        let client = change(Client::builder(address, key.clone())).build()?;
        let seconds = Duration::from_secs;
        Ok(Self {
            screen: client.with(|calls| calls.operation_timeout(seconds(20)).max_wait(seconds(10))),
            background: client.with(|calls| {
                calls
                    .priority(Priority::Batch)
                    .operation_timeout(seconds(900))
                    .max_wait(seconds(600))
            }),
            key,
        })
    }

    /// Uses another key from the next request on, in every clone of the module; for a portal that gave out a new one.
    ///
    /// # Errors
    /// When the text cannot be a key; then the old one stays.
    pub fn rotate_key(&self, key: &str) -> Result<(), Error> {
        self.key.replace(ApiKey::new(key)?);
        Ok(())
    }
}
