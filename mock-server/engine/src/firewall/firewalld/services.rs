//! The services that firewalld ships.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::super::addresses::AddressSet;
use super::super::filter::{Condition, Holds, Match, Ports, Protocols, Reason};
use super::super::specs::{port_ranges, protocols, source_ports};

/// A service a line: its name and its parts. A part is a port; `=` a protocol; `<` a source port; `+` a service that
/// it includes; `@` a destination.
const SERVICES: &str = include_str!("services.txt");

/// The parts of each service, by its name.
static PARTS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    SERVICES
        .lines()
        .filter_map(|line| line.split_once(' '))
        .collect()
});

/// Services that include one another.
const DEEPEST: usize = 4;

/// What a service asks of a packet: any of these. `None` when it is not known.
pub(super) fn service(name: &str) -> Option<Vec<Match>> {
    let mut found = Vec::new();
    add(name, DEEPEST, &mut found).then_some(found)
}

fn add(name: &str, depth: usize, found: &mut Vec<Match>) -> bool {
    let Some(parts) = PARTS.get(name) else {
        return false;
    };
    let mut destinations = AddressSet::default();
    for address in parts.split(' ').filter_map(|part| part.strip_prefix('@')) {
        destinations.add(address);
    }
    for part in parts.split(' ') {
        if let Some(included) = part.strip_prefix('+') {
            if depth > 0 {
                add(included, depth - 1, found);
            }
        } else if let Some(mut matches) = part_of(part) {
            if !destinations.is_empty() {
                destinations.require_as_destinations(&mut matches, None, false);
            }
            add_match(found, matches);
        }
    }
    true
}

/// Keeps the same ports of TCP and UDP together.
fn add_match(found: &mut Vec<Match>, matches: Match) {
    let is_same = |known: &&mut Match| {
        known.ports == matches.ports
            && known.holds == matches.holds
            && known.families == matches.families
    };
    match found.iter_mut().find(is_same) {
        Some(known) => {
            known.protocols.tcp |= matches.protocols.tcp;
            known.protocols.udp |= matches.protocols.udp;
        }
        None => found.push(matches),
    }
}

fn part_of(part: &str) -> Option<Match> {
    let mut matches = Match::default();
    if part.starts_with('@') {
        return None;
    }
    if let Some(protocol) = part.strip_prefix('=') {
        matches.require_protocols(protocols(protocol));
        return Some(matches);
    }
    let (is_source, spec) = match part.strip_prefix('<') {
        Some(spec) => (true, spec),
        None => (false, part),
    };
    let (ports, protocol) = spec.split_once('/')?;
    matches.require_protocols(protocols(protocol));
    match is_source {
        true => matches.require(source_ports(ports, '-')),
        false => matches.require_ports(Ports::Listed(port_ranges(ports, '-')?)),
    }
    Some(matches)
}

/// Ports that a zone or a rule lists: `8080/tcp`, `5000-5010/udp`.
pub(super) fn listed_port(spec: &str) -> Match {
    let mut matches = Match::default();
    let Some((ports, protocol)) = spec.split_once('/') else {
        matches.require(Condition::new(
            Holds::Sometimes,
            Reason::UnreadablePorts(spec.into()),
        ));
        return matches;
    };
    if protocols(protocol) == Protocols::NEITHER {
        matches.require(Condition::new(
            Holds::Never,
            Reason::OtherTransport(spec.into()),
        ));
        return matches;
    }
    matches.require_protocols(protocols(protocol));
    match port_ranges(ports, '-') {
        Some(ranges) => matches.require_ports(Ports::Listed(ranges)),
        None => matches.require(Condition::new(
            Holds::Sometimes,
            Reason::UnreadablePorts(spec.into()),
        )),
    }
    matches
}
