//! What stands in the place of TLS in a build without it: none of it can be made.

use std::io;
use std::sync::Arc;

use super::arrival::Certificate;
use super::connection_io::ConnectionIo;
use crate::account::accounts::Accounts;
use crate::configuration::settings::TlsSettings;
use crate::configuration::start_error::StartError;

pub(crate) type Secured = ConnectionIo;

pub(crate) enum Authority {}

impl Authority {
    pub(crate) fn of(_: &TlsSettings) -> Result<Self, StartError> {
        let sentence = "this program was built without TLS: leave --tls-listen out, or use secmon-accounts, which has it";
        Err(StartError::Settings(sentence.to_owned()))
    }

    pub(crate) fn pem(&self) -> &str {
        match *self {}
    }
}

/// A handshake that went well.
pub(crate) struct Handshake {
    pub(crate) stream: Secured,
    pub(crate) certificate: Certificate,
}

pub(crate) enum Terminator {}

impl Terminator {
    pub(crate) fn new(_: &Arc<Accounts>, authority: Authority) -> Result<Self, StartError> {
        match authority {}
    }

    pub(crate) async fn accept(&self, _: ConnectionIo) -> io::Result<Handshake> {
        match *self {}
    }
}

/// Nothing to trust, so nothing to tell a command.
pub(crate) struct Trust;

impl Trust {
    pub(crate) fn new(_: &str) -> io::Result<Self> {
        Ok(Self)
    }

    pub(crate) fn variables(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}
