//! What a certificate says, as far as the mock must read one that it wrote itself.

use yasna::tags::TAG_UTCTIME;
use yasna::{ASN1Result, BERReader, BERReaderSeq};

/// Of whom a certificate is, and until when.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Certificate {
    subject: Vec<u8>,
    public_key: Vec<u8>,
    /// In seconds since 1970.
    pub(super) ends: i64,
}

impl Certificate {
    /// Reads a certificate; none where the bytes are none.
    pub(super) fn read(der: &[u8]) -> Option<Self> {
        let read = yasna::parse_der(der, |whole| {
            whole.read_sequence(|parts| {
                let certificate = parts.next().read_sequence(signed)?;
                passed_over(parts, 2)?;
                Ok(certificate)
            })
        });
        read.ok()
    }

    /// Whether both are of the same authority with the same key.
    pub(super) fn is_of_the_same(&self, other: &Self) -> bool {
        self.subject == other.subject && self.public_key == other.public_key
    }
}

/// The signed part (RFC 5280, 4.1): version, number, algorithm, issuer, validity, subject, key, extensions.
fn signed(parts: &mut BERReaderSeq<'_, '_>) -> ASN1Result<Certificate> {
    passed_over(parts, 4)?;
    let ends = parts.next().read_sequence(|validity| {
        passed_over(validity, 1)?;
        moment(validity.next())
    })?;
    let subject = parts.next().read_der()?;
    let public_key = parts.next().read_der()?;
    passed_over(parts, 1)?;
    Ok(Certificate {
        subject,
        public_key,
        ends,
    })
}

fn passed_over(parts: &mut BERReaderSeq<'_, '_>, count: usize) -> ASN1Result<()> {
    for _ in 0..count {
        parts.next().read_der()?;
    }
    Ok(())
}

/// Years before 2050 are written in another way than those after it.
fn moment(reader: BERReader<'_, '_>) -> ASN1Result<i64> {
    if reader.lookahead_tag()? == TAG_UTCTIME {
        let time = reader.read_utctime()?;
        return Ok(time.datetime().unix_timestamp());
    }
    let time = reader.read_generalized_time()?;
    Ok(time.datetime().unix_timestamp())
}
