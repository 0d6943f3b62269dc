//! The certificate authority of a server, and what it signs. Certificates are valid by the machine's clock, whatever time
//! the mock has: clients look at no other.

use std::ops::Range;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, Error, ExtendedKeyUsagePurpose,
    IsCa, Issuer, KeyPair, KeyUsagePurpose, date_time_ymd,
};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};

const DAY: Duration = Duration::from_secs(24 * 3600);

/// Who signs what a server shows.
const OWN_NAME: &str = "secmon-mock, an authority for tests";

/// Who signs what no client may trust.
const STRANGERS_NAME: &str = "secmon-mock, an authority that nobody trusts";

/// A span of time, from the first moment to the last.
pub(super) type Validity = Range<SystemTime>;

/// An authority with its key.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

/// A certificate of a server, with its key.
pub(super) struct Leaf {
    pub(super) certificate: CertificateDer<'static>,
    pub(super) key: PrivatePkcs8KeyDer<'static>,
}

impl Authority {
    /// A new one.
    pub(super) fn new() -> Result<Self, Error> {
        let key = KeyPair::generate()?;
        let pem = self_signed(&key, decade())?;
        Ok(Self::with(pem, key))
    }

    /// One that no client was told of.
    pub(super) fn stranger() -> Result<Self, Error> {
        let issuer = Issuer::new(parameters(STRANGERS_NAME), KeyPair::generate()?);
        Ok(Self {
            issuer,
            pem: String::new(),
        })
    }

    /// The one of this certificate, whose key this is.
    pub(super) fn with(pem: String, key: KeyPair) -> Self {
        let issuer = Issuer::new(parameters(OWN_NAME), key);
        Self { issuer, pem }
    }

    /// Its certificate.
    pub(crate) fn pem(&self) -> &str {
        &self.pem
    }

    pub(super) fn key(&self) -> &KeyPair {
        self.issuer.key()
    }

    /// A certificate for these names and addresses.
    pub(super) fn leaf(&self, names: Vec<String>, validity: Validity) -> Result<Leaf, Error> {
        let key = KeyPair::generate()?;
        let mut leaf = valid(CertificateParams::new(names)?, validity);
        leaf.distinguished_name
            .push(DnType::CommonName, "secmon-mock");
        leaf.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        leaf.use_authority_key_identifier_extension = true;
        let certificate = leaf.signed_by(&key, &self.issuer)?;
        Ok(Leaf {
            certificate: certificate.into(),
            key: key.into(),
        })
    }
}

/// The certificate that an authority with this key has, as PEM.
pub(super) fn self_signed(key: &KeyPair, validity: Validity) -> Result<String, Error> {
    let authority = valid(parameters(OWN_NAME), validity);
    Ok(CertifiedIssuer::self_signed(authority, key)?.pem())
}

fn parameters(name: &str) -> CertificateParams {
    let mut authority = CertificateParams::default();
    authority.distinguished_name = rcgen::DistinguishedName::new();
    authority.distinguished_name.push(DnType::CommonName, name);
    // It signs certificates of servers, and no other authority.
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    authority
}

fn valid(mut certificate: CertificateParams, validity: Validity) -> CertificateParams {
    let since_epoch = |moment: SystemTime| moment.duration_since(UNIX_EPOCH).unwrap_or_default();
    let epoch = date_time_ymd(1970, 1, 1);
    certificate.not_before = epoch + since_epoch(validity.start);
    certificate.not_after = epoch + since_epoch(validity.end);
    certificate
}

/// From a day ago, for clients whose clocks are slow.
fn since_yesterday(length: Duration) -> Validity {
    let start = SystemTime::now() - DAY;
    start..start + length
}

/// Ten years: as long as anybody keeps a folder.
pub(super) fn decade() -> Validity {
    since_yesterday(3650 * DAY)
}

/// A year: clients refuse certificates of servers that are valid for more than 397 days.
pub(super) fn leaf_validity() -> Validity {
    since_yesterday(365 * DAY)
}

/// A span that ended yesterday.
pub(super) fn past() -> Validity {
    let end = SystemTime::now() - DAY;
    end - 30 * DAY..end
}
