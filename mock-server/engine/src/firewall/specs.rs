//! Ports as firewall tools write them: numbers, ranges, service names.

use std::num::NonZeroU16;

use crate::ports::service_port;
use crate::values::{PortRange, Protocol, RuleProtocol};

/// Every port.
pub(super) const ALL_PORTS: (NonZeroU16, NonZeroU16) = (NonZeroU16::MIN, NonZeroU16::MAX);

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
        Err(_) => service_port(text),
    }
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

/// A transport protocol by name or number.
pub(super) fn protocol(text: &str) -> Option<Protocol> {
    match text {
        "tcp" | "6" => Some(Protocol::Tcp),
        "udp" | "17" => Some(Protocol::Udp),
        _ => None,
    }
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

/// The words of a line; what stands in double quotes is one word.
pub(super) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (place, part) in line.split('"').enumerate() {
        if place % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}
