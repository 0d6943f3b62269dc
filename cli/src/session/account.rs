//! The name of key and address together.

use crate::notebook::index;
use crate::session::credentials::{self, KeyFile};
use crate::session::local;
use crate::session::service::{self, KeySource, Service, Source};
use secmon::ApiKey;

/// The name of key and address together, where no command and no person need be asked for the key.
pub fn known(service: &Service) -> Option<String> {
    let origin = service::origin_of(&service.base_url);
    let key: Option<ApiKey> = match &service.key {
        KeySource::Local => credentials::parse("the key", local::KEY).ok(),
        KeySource::Environment(key) => Some(key.clone()),
        KeySource::File(path) => credentials::read_file(path).ok(),
        KeySource::Mounted(path) => KeyFile::open(path).and_then(KeyFile::key).ok(),
        KeySource::Command(_) | KeySource::Ask => None,
    };
    match (key, &service.source) {
        (Some(key), _) => Some(key.fingerprint_with(&origin)),
        (None, Source::Profile(name)) => index::account_of(name, &origin),
        (None, _) => None,
    }
}
