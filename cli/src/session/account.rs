//! What this computer remembers of the account in use, where no command and no person need be asked for the key.

use crate::session::credentials::{self, KeyFile};
use crate::session::local;
use crate::session::service::{self, KeySource, Service};
use crate::state::{self, AccountPlace, StateDb};
use secmon::ApiKey;

/// What is remembered of the account of a service.
pub fn remembered(service: &Service) -> Option<StateDb> {
    let origin = service::origin_of(&service.base_url);
    let key: Option<ApiKey> = match &service.key {
        KeySource::Local => credentials::parse("the key", local::KEY).ok(),
        KeySource::Environment(key) => Some(key.clone()),
        KeySource::File(path) => credentials::read_file(path).ok(),
        KeySource::Mounted(path) => KeyFile::open(path).and_then(KeyFile::key).ok(),
        KeySource::Command(_) | KeySource::Ask => None,
    };
    match key {
        Some(key) => Some(StateDb::open(AccountPlace {
            fingerprint: key.fingerprint_with(&origin),
            is_loopback: service::is_loopback(&service.base_url),
            origin,
        })),
        None => state::only_account_of(&origin),
    }
}
