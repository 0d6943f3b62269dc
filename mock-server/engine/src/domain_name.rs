//! The names of monitored domains, normalized (C1).

use idna::uts46::{AsciiDenyList, DnsLength, Hyphens, Uts46};

use crate::values::parse_address;

/// A domain name as it is kept and compared: lower case, ASCII, at least two
/// labels, at most 253 characters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct DomainName(String);

/// The longest name there can be, after normalization.
const LONGEST: usize = 253;

/// The longest host that is normalized, in bytes: what normalization takes out must have an end too.
const LONGEST_WRITTEN: usize = 4096;

impl DomainName {
    /// Normalizes what a caller wrote, a URL, a host with port or path, or a
    /// name, and checks it.
    ///
    /// # Errors
    ///
    /// A reason, to be put behind the name of the field.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const REASON: &str = "must be a domain name, for example example.com.";
        let host = host_of(text.trim()).ok_or(REASON)?;
        let host = host.strip_suffix('.').unwrap_or(host);
        if host.len() > LONGEST_WRITTEN {
            return Err(REASON);
        }
        let ascii = Uts46::new().to_ascii(
            host.as_bytes(),
            AsciiDenyList::EMPTY,
            Hyphens::Check,
            DnsLength::Ignore,
        );
        let name = ascii.map_err(|_| REASON)?;
        if is_domain(&name) {
            Ok(Self(name.into_owned()))
        } else {
            Err(REASON)
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The host in a URL, or in `host[:port][/path]`.
fn host_of(text: &str) -> Option<&str> {
    let host = match text.split_once("://") {
        Some((_, rest)) => {
            let authority = rest.split(['/', '?', '#', '\\']).next()?;
            authority
                .rsplit_once('@')
                .map_or(authority, |(_, host)| host)
        }
        None if text.contains('@') => return None,
        // What ends the host of a URL is no part of a host here, and so refused below.
        None => text.split('/').next()?,
    };
    match host.split_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => Some(host),
        Some(_) => None,
        None => Some(host),
    }
}

fn is_domain(name: &str) -> bool {
    let labels: Vec<&str> = name.split('.').collect();
    let last_is_number = labels
        .last()
        .is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit()));
    labels.len() >= 2
        && name.len() <= LONGEST
        && !last_is_number
        && parse_address(name).is_none()
        && labels.into_iter().all(is_label)
}

fn is_label(label: &str) -> bool {
    (1..=63).contains(&label.len())
        && !label.starts_with('-')
        && !label.ends_with('-')
        && label
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_are_normalized_c1() {
        for (written, kept) in [
            ("example.com", "example.com"),
            ("  Example.COM.  ", "example.com"),
            (
                "https://user:secret@www.Example.com:8443/a?b#c",
                "www.example.com",
            ),
            ("http://example.com?x=1", "example.com"),
            ("example.com:443", "example.com"),
            ("http://example.com\\path", "example.com"),
            ("http://example.com#x@y", "example.com"),
            ("example.com/path?x#y\\z", "example.com"),
            ("Bücher.example", "xn--bcher-kva.example"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ] {
            let parsed = DomainName::parse(written);
            assert_eq!(
                parsed.as_ref().map(DomainName::as_str),
                Ok(kept),
                "{written}"
            );
        }
    }

    #[test]
    fn a_host_is_normalized_up_to_4096_bytes_c1() {
        // Soft hyphens are left out.
        let written = |hyphens: usize| format!("{}example.com", "\u{ad}".repeat(hyphens));
        assert!(DomainName::parse(&written(2042)).is_ok());
        assert!(DomainName::parse(&written(2043)).is_err());
    }

    #[test]
    fn what_is_no_domain_is_refused_c1() {
        let long_label = format!("{}.com", "a".repeat(64));
        let long_name = format!("{}.com", vec!["a".repeat(49); 5].join("."));
        assert!(long_name.len() == 253 && DomainName::parse(&long_name).is_ok());
        let too_long = format!("a{long_name}");
        for refused in [
            "",
            "localhost",
            "example..com",
            ".example.com",
            "ops@example.com",
            "203.0.113.7",
            "https://[2001:db8::1]/",
            "example.123",
            "-a.com",
            "a-.com",
            "a_b.com",
            "ab--cd.com",
            "example.com/path@x",
            "example.com?x=1",
            "example.com#x",
            "example.com\\x",
            "exa mple.com",
            "example.com:port",
            "https://",
            &long_label,
            &too_long,
        ] {
            assert!(DomainName::parse(refused).is_err(), "{refused}");
        }
    }
}
