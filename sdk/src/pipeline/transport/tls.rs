//! TLS over rustls with ring, handed to reqwest ready-made: no process-wide provider is looked for or set.

use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier};
use rustls_platform_verifier::BuilderVerifierExt;

/// Trusts what the operating system trusts; reading its store takes some milliseconds.
pub(super) fn trusting_the_system() -> Result<ClientConfig, String> {
    let config = versions()?
        .with_platform_verifier()
        .map_err(|error| format!("the system's trust store cannot be read: {error}"))?;
    Ok(config.with_no_client_auth())
}

/// Trusts no certificate, for clients that speak plain http only.
pub(super) fn trusting_nobody() -> Result<ClientConfig, String> {
    Ok(versions()?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth())
}

fn versions() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, String> {
    let provider: Arc<CryptoProvider> = Arc::new(ring::default_provider());
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())
}
