//! TLS over rustls, handed to reqwest ready-made: no process-wide provider is set, and one is looked for only where
//! neither `tls` nor `tls-aws-lc-rs` brings its own.

use std::fmt;
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier};
use rustls_platform_verifier::Verifier;

use crate::error::Error;

/// Certificates to trust besides those of the system; none unless made from a file.
#[derive(Clone, Default)]
pub struct RootCertificates(Vec<CertificateDer<'static>>);

impl RootCertificates {
    /// Reads the certificates of a PEM file; text around them is passed over.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) when there is no certificate in it, or one is
    /// broken.
    pub fn from_pem(pem: impl AsRef<[u8]>) -> Result<Self, Error> {
        let certificates = CertificateDer::pem_slice_iter(pem.as_ref());
        let certificates: Vec<_> = certificates.collect::<Result<_, _>>().map_err(|error| {
            Error::configuration(format!("the root certificates cannot be read: {error}"))
        })?;
        // A block that is no certificate would be noticed at the first call only.
        let mut store = RootCertStore::empty();
        for certificate in &certificates {
            store.add(certificate.clone()).map_err(|error| {
                Error::configuration(format!("a root certificate cannot be read: {error}"))
            })?;
        }
        if certificates.is_empty() {
            return Err(Error::configuration(
                "there is no certificate among the root certificates: give PEM, with lines `BEGIN CERTIFICATE`",
            ));
        }
        Ok(Self(certificates))
    }

    /// Trusts these and what the operating system trusts; reading its store takes some milliseconds.
    pub(super) fn and_the_systems(&self) -> Result<ClientConfig, String> {
        let verifier = Verifier::new_with_extra_roots(self.0.iter().cloned(), provider()?)
            .map_err(|error| format!("the system's trust store cannot be read: {error}"))?;
        Ok(versions()?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth())
    }
}

impl fmt::Debug for RootCertificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RootCertificates({})", self.0.len())
    }
}

/// Trusts no certificate, for clients that speak plain http only.
pub(super) fn trusting_nobody() -> Result<ClientConfig, String> {
    Ok(versions()?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth())
}

#[cfg(feature = "tls")]
fn provider() -> Result<Arc<CryptoProvider>, String> {
    Ok(Arc::new(rustls::crypto::ring::default_provider()))
}

#[cfg(all(feature = "tls-aws-lc-rs", not(feature = "tls")))]
fn provider() -> Result<Arc<CryptoProvider>, String> {
    Ok(Arc::new(rustls::crypto::aws_lc_rs::default_provider()))
}

#[cfg(not(any(feature = "tls", feature = "tls-aws-lc-rs")))]
fn provider() -> Result<Arc<CryptoProvider>, String> {
    CryptoProvider::get_default().cloned().ok_or_else(|| {
        "this program has no crypto provider for TLS: build secmon with its feature `tls` or `tls-aws-lc-rs`, or \
         install one (`rustls::crypto::CryptoProvider::install_default`) before the first call"
            .to_owned()
    })
}

fn versions() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, String> {
    ClientConfig::builder_with_provider(provider()?)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())
}
