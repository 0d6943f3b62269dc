//! The syntax of the values that calls carry: addresses, host names, e-mail
//! addresses, ports, customer and service numbers.
//!
//! Each parser gives the value in the one form in which it is kept and
//! compared, or a sentence about the field that carried it.

use std::fmt;
use std::net::IpAddr;
use std::num::{NonZeroU16, NonZeroU64};

use serde::{Deserialize, Serialize};

/// Numbers of the partner's billing system, each at least 1.
macro_rules! billing_numbers {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(NonZeroU64);

        impl $name {
            /// The number; `None` below 1.
            pub fn new(number: i64) -> Option<Self> {
                u64::try_from(number).ok().and_then(NonZeroU64::new).map(Self)
            }

            /// The number itself.
            pub fn get(self) -> u64 {
                self.0.get()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

billing_numbers! {
    /// The number of a customer: `client_id` in provisioning,
    /// `billing_customer_id` elsewhere.
    ClientId,
    /// The number of a service.
    ServiceId,
}

impl ServiceId {
    pub(crate) const FIRST: Self = Self(NonZeroU64::MIN);
}

/// A host name that may be resolved: labels of 1 to 63 letters, digits, inner
/// hyphens and underscores, the last one not all digits (A20, B2).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Hostname(String);

impl Hostname {
    /// Checks a host name; the text is kept as it was written.
    ///
    /// # Errors
    ///
    /// A reason, to be put behind the name of the field.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if !text.split('.').all(is_label) {
            return Err(
                "must be a host name of labels with letters, digits, underscores and inner hyphens.",
            );
        }
        let last = text.rsplit('.').next().unwrap_or(text);
        if last.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err("must be a host name whose last label is not a number.");
        }
        Ok(Self(text.to_owned()))
    }

    /// The name as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_label(label: &str) -> bool {
    (1..=63).contains(&label.len())
        && !label.starts_with('-')
        && !label.ends_with('-')
        && label
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

/// What a server is named by when it is added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// An address, with the display name that came with it.
    Address {
        /// The address, in canonical form.
        address: IpAddr,
        /// The display name; none means the address.
        hostname: Option<String>,
    },
    /// A name that is resolved once, at creation (B1).
    Hostname(Hostname),
}

impl Target {
    /// Reads the `ip_address` of `POST /endpoints`: an address or a host name.
    ///
    /// # Errors
    ///
    /// A reason, to be put behind the name of the field.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if let Some(address) = parse_address(text) {
            return Ok(Self::Address {
                address,
                hostname: None,
            });
        }
        Hostname::parse(text)
            .map(Self::Hostname)
            .map_err(|_| "must be an IPv4 or IPv6 address or a host name.")
    }
}

/// Reads an IPv4 or IPv6 address without zone, prefix length or leading zeros
/// (B3). Addresses are compared and shown in canonical form.
pub fn parse_address(text: &str) -> Option<IpAddr> {
    text.parse().ok()
}

/// Whether this is an e-mail address: one `@`, something before it, a host
/// name after it, no space (A20).
pub fn is_email(text: &str) -> bool {
    match text.split_once('@') {
        Some((user, host)) => {
            !user.is_empty() && !text.contains(char::is_whitespace) && host.split('.').all(is_label)
        }
        None => false,
    }
}

/// A transport protocol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
}

impl Protocol {
    /// The name in the API: `tcp` or `udp`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::Udp => "udp",
        }
    }
}

/// The protocols that an Allowed Ports rule covers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum RuleProtocol {
    /// TCP only.
    #[serde(rename = "tcp")]
    Tcp,
    /// UDP only.
    #[serde(rename = "udp")]
    Udp,
    /// Both, written `*`.
    #[serde(rename = "*")]
    Both,
}

impl RuleProtocol {
    /// Reads `tcp`, `udp` or `*`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "tcp" => Some(Self::Tcp),
            "udp" => Some(Self::Udp),
            "*" => Some(Self::Both),
            _ => None,
        }
    }

    /// The protocol as the service writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::Udp => "udp",
            Self::Both => "*",
        }
    }

    /// The protocols themselves.
    pub fn protocols(self) -> &'static [Protocol] {
        match self {
            Self::Tcp => &[Protocol::Tcp],
            Self::Udp => &[Protocol::Udp],
            Self::Both => &[Protocol::Tcp, Protocol::Udp],
        }
    }
}

/// An open port as a scan finds it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenPort {
    /// 1 to 65535.
    pub port: NonZeroU16,
    /// The protocol it answers on.
    pub protocol: Protocol,
}

impl OpenPort {
    pub(crate) const FIRST: Self = Self {
        port: NonZeroU16::MIN,
        protocol: Protocol::Tcp,
    };
    pub(crate) const LAST: Self = Self {
        port: NonZeroU16::MAX,
        protocol: Protocol::Udp,
    };
}

/// A range of ports, first and last included, each 1 to 65535.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(
    try_from = "(NonZeroU16, NonZeroU16)",
    into = "(NonZeroU16, NonZeroU16)"
)]
pub struct PortRange {
    start: NonZeroU16,
    end: NonZeroU16,
}

impl PortRange {
    /// A range; `None` when it ends before it starts.
    pub fn new(start: NonZeroU16, end: NonZeroU16) -> Option<Self> {
        (start <= end).then_some(Self { start, end })
    }

    /// The first port.
    pub fn start(self) -> u16 {
        self.start.get()
    }

    /// The last port.
    pub fn end(self) -> u16 {
        self.end.get()
    }

    /// How many ports it has.
    pub fn size(self) -> usize {
        usize::from(self.end() - self.start()) + 1
    }

    /// Whether it covers this port.
    pub fn contains(self, port: u16) -> bool {
        (self.start()..=self.end()).contains(&port)
    }

    /// Whether the two have a port in common.
    pub fn meets(self, other: Self) -> bool {
        self.start <= other.end && other.start <= self.end
    }
}

impl fmt::Display for PortRange {
    /// A single port, or `start-end`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.start == self.end {
            self.start.fmt(f)
        } else {
            write!(f, "{}-{}", self.start, self.end)
        }
    }
}

impl TryFrom<(NonZeroU16, NonZeroU16)> for PortRange {
    type Error = &'static str;

    fn try_from((start, end): (NonZeroU16, NonZeroU16)) -> Result<Self, Self::Error> {
        Self::new(start, end).ok_or("a port range must not end before it starts")
    }
}

impl From<PortRange> for (NonZeroU16, NonZeroU16) {
    fn from(range: PortRange) -> Self {
        (range.start, range.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_canonical_and_nothing_but_addresses_b3() {
        let canonical = |text| parse_address(text).map(|address| address.to_string());
        assert_eq!(
            canonical("2001:DB8:0:0:0:0:0:1").as_deref(),
            Some("2001:db8::1")
        );
        assert_eq!(canonical("203.0.113.7").as_deref(), Some("203.0.113.7"));
        for refused in [
            "fe80::1%eth0",
            "203.0.113.0/24",
            "203.0.113.07",
            " 203.0.113.7",
            "203.0.113",
            "",
        ] {
            assert_eq!(canonical(refused), None, "{refused}");
            assert!(Target::parse(refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn host_names_follow_the_label_rules_a20_b2() {
        let long = "a".repeat(63);
        for fine in ["web", "web-1.example.com", "_dmarc.example.com", &long] {
            assert!(Hostname::parse(fine).is_ok(), "{fine}");
        }
        let too_long = "a".repeat(64);
        for refused in [
            "", "-a", "a-", "a..b", "a.", "a b", "ä.de", "10.1", &too_long,
        ] {
            assert!(Hostname::parse(refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn mail_addresses_have_one_at_and_a_host_a20() {
        for fine in ["a@b", "ops+x@example.com"] {
            assert!(is_email(fine), "{fine}");
        }
        for refused in ["a", "@b", "a@", "a@b@c", "a b@c", "a@b..c", ""] {
            assert!(!is_email(refused), "{refused}");
        }
    }

    #[test]
    fn customer_and_service_numbers_start_at_one() {
        assert_eq!(ClientId::new(1).map(ClientId::get), Some(1));
        assert_eq!(ClientId::new(0), None);
        assert_eq!(ServiceId::new(-1), None);
    }
}
