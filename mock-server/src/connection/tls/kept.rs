//! The authority in a folder, for the next start. What is there is used or refused, and never written over.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use rcgen::KeyPair;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;

use super::authority::{Authority, decade, self_signed};
use super::certificate::Certificate;
use crate::configuration::settings::TlsSettings;
use crate::configuration::start_error::StartError;

const CERTIFICATE: &str = "ca.pem";
const KEY: &str = "ca.key";

impl Authority {
    /// The one of the folder that was given, else a new one.
    pub(crate) fn of(settings: &TlsSettings) -> Result<Self, StartError> {
        match &settings.dir {
            Some(folder) => authority(folder).map_err(|reason| StartError::Authority {
                path: folder.clone(),
                reason,
            }),
            None => Self::new().map_err(|error| {
                StartError::Settings(format!("cannot make an authority for https: {error}"))
            }),
        }
    }
}

/// The authority of a folder, or a new one that is put there; why not, as a part of a sentence.
pub(super) fn authority(folder: &Path) -> Result<Authority, String> {
    match (found(folder, CERTIFICATE)?, found(folder, KEY)?) {
        (Some(certificate), Some(key)) => known(certificate, &key),
        (None, None) => {
            let authority = Authority::new().map_err(|error| error.to_string())?;
            put(folder, &authority).map_err(|error| format!("it cannot be written: {error}"))?;
            Ok(authority)
        }
        (Some(_), None) => Err(format!("it has {CERTIFICATE} and no {KEY}")),
        (None, Some(_)) => Err(format!("it has {KEY} and no {CERTIFICATE}")),
    }
}

fn found(folder: &Path, name: &str) -> Result<Option<String>, String> {
    match std::fs::read_to_string(folder.join(name)) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{name} cannot be read: {error}")),
    }
}

fn known(certificate: String, key: &str) -> Result<Authority, String> {
    // Its errors may quote what they read, which is a secret.
    let key = KeyPair::from_pem(key).map_err(|_| format!("{KEY} is not a private key"))?;
    let kept = read(&certificate).ok_or_else(|| format!("{CERTIFICATE} is not a certificate"))?;
    let made_anew = self_signed(&key, decade()).map_err(|error| error.to_string())?;
    if !read(&made_anew).is_some_and(|own| own.is_of_the_same(&kept)) {
        return Err(format!(
            "{CERTIFICATE} and {KEY} are not of one authority that secmon-mock made"
        ));
    }
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    if kept.ends < i64::try_from(now.as_secs()).unwrap_or(i64::MAX) {
        return Err(format!("{CERTIFICATE} has expired"));
    }
    Ok(Authority::with(certificate, key))
}

fn read(pem: &str) -> Option<Certificate> {
    let der = CertificateDer::from_pem_slice(pem.as_bytes()).ok()?;
    Certificate::read(&der)
}

fn put(folder: &Path, authority: &Authority) -> io::Result<()> {
    make(folder)?;
    write(&folder.join(KEY), &authority.key().serialize_pem())?;
    write(&folder.join(CERTIFICATE), authority.pem())
}

/// Makes the folder, which only its owner may enter; one that is there stays as it is.
fn make(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Writes a file that must not be there, and that only its owner may read.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::super::authority::past;
    use super::*;

    #[test]
    fn what_has_expired_is_refused_and_what_has_not_is_taken() {
        let key = KeyPair::generate().expect("a key");
        let text = key.serialize_pem();
        let valid = self_signed(&key, decade()).expect("a certificate");
        assert!(known(valid.clone(), &text).is_ok_and(|authority| authority.pem() == valid));
        let expired = self_signed(&key, past()).expect("a certificate");
        let refused = known(expired, &text).err().unwrap_or_default();
        assert_eq!(refused, "ca.pem has expired");
    }
}
