//! Ports as firewall tools write them: numbers, ranges, service names.

use std::num::NonZeroU16;

use super::filter::{Condition, Holds, Protocols, Reason};
use crate::ports::service_port;
use crate::values::{PortRange, RuleProtocol};

/// A port or a range with this separator between its ends, either of which
/// may be missing: `22`, `ssh`, `8000:8100`, `:1023`. Port 0 is none.
pub(super) fn port_range(text: &str, separator: char) -> Option<PortRange> {
    let (first, last) = match text.split_once(separator) {
        Some(("", last)) => (NonZeroU16::MIN, port(last)?),
        Some((first, "")) => (range_start(first)?, NonZeroU16::MAX),
        Some((first, last)) if first.starts_with(|c: char| c.is_ascii_digit()) => {
            (range_start(first)?, port(last)?)
        }
        _ => (port(text)?, port(text)?),
    };
    PortRange::new(first, last)
}

fn port(text: &str) -> Option<NonZeroU16> {
    match text.parse::<u16>() {
        Ok(number) => NonZeroU16::new(number),
        Err(_) => service_port(text).or_else(|| registered_port(text)),
    }
}

/// More of the names that IANA has registered, and Debian's for the same.
const REGISTERED: [(&str, u16); 52] = [
    ("amqp", 5672),
    ("amqps", 5671),
    ("auth", 113),
    ("bootpc", 68),
    ("cvspserver", 2401),
    ("dhcpv6-client", 546),
    ("dhcpv6-server", 547),
    ("discard", 9),
    ("domain-s", 853),
    ("echo", 7),
    ("finger", 79),
    ("ftps", 990),
    ("ftps-data", 989),
    ("git", 9418),
    ("hkp", 11371),
    ("imap2", 143),
    ("ipp", 631),
    ("ipsec-nat-t", 4500),
    ("isakmp", 500),
    ("kerberos-adm", 749),
    ("kpasswd", 464),
    ("l2tp", 1701),
    ("ldp", 646),
    ("mdns", 5353),
    ("mqtt", 1883),
    ("ms-sql-m", 1434),
    ("munin", 4949),
    ("netconf-ssh", 830),
    ("nfsd", 2049),
    ("nntps", 563),
    ("nrpe", 5666),
    ("printer", 515),
    ("radius", 1812),
    ("radius-acct", 1813),
    ("route", 520),
    ("rtsp", 554),
    ("secure-mqtt", 8883),
    ("sieve", 4190),
    ("sip-tls", 5061),
    ("socks", 1080),
    ("ssmtp", 465),
    ("svn", 3690),
    ("syslog-tls", 6514),
    ("tacacs", 49),
    ("tftp", 69),
    ("time", 37),
    ("uucp", 540),
    ("webcache", 8080),
    ("whois", 43),
    ("xmpp-client", 5222),
    ("xmpp-server", 5269),
    ("zabbix-agent", 10050),
];

fn registered_port(name: &str) -> Option<NonZeroU16> {
    let (_, number) = REGISTERED.iter().find(|(known, _)| *known == name)?;
    NonZeroU16::new(*number)
}

/// A range may start at 0, which is no port.
fn range_start(text: &str) -> Option<NonZeroU16> {
    let number: u16 = text.parse().ok()?;
    NonZeroU16::new(number.max(1))
}

/// Several of them with commas between; `None` when one cannot be read.
pub(super) fn port_ranges(text: &str, separator: char) -> Option<Vec<PortRange>> {
    text.split(',')
        .map(|range| port_range(range.trim(), separator))
        .collect()
}

/// The same, or why a rule cannot be read.
pub(super) fn ports_or_reason(text: &str, separator: char) -> Result<Vec<PortRange>, Reason> {
    let ranges = port_ranges(text, separator);
    ranges.ok_or_else(|| Reason::UnreadablePorts(text.chars().take(80).collect::<String>().into()))
}

/// The transport protocols that a name or number means, of those that matter.
pub(super) fn protocols(text: &str) -> Protocols {
    match text {
        "tcp" | "6" => Protocols::TCP,
        "udp" | "17" => Protocols::UDP,
        _ => Protocols::NEITHER,
    }
}

/// That a packet comes from one of these ports: clients choose theirs, so it is some packets that do.
pub(super) fn source_ports(text: &str, separator: char) -> Condition {
    let is_every = |range: &PortRange| (range.start(), range.end()) == (1, u16::MAX);
    let holds = match port_ranges(text, separator) {
        // Nothing comes from port 0.
        None if text == "0" => Holds::Never,
        Some(ranges) if ranges.iter().any(is_every) => Holds::Always,
        _ => Holds::Sometimes,
    };
    Condition::new(holds, Reason::SourcePorts)
}

/// `22/tcp`, `8000:8100/udp`, `80,443/tcp`, or without protocol for both.
pub(super) fn ports_with_protocol(
    text: &str,
    separator: char,
) -> Option<(Vec<PortRange>, RuleProtocol)> {
    let (ports, protocol) = match text.split_once('/') {
        Some((ports, "tcp")) => (ports, RuleProtocol::Tcp),
        Some((ports, "udp")) => (ports, RuleProtocol::Udp),
        Some(_) => return None,
        None => (text, RuleProtocol::Both),
    };
    let named = ports.starts_with(|c: char| c.is_ascii_digit());
    if !named {
        return None;
    }
    Some((port_ranges(ports, separator)?, protocol))
}
