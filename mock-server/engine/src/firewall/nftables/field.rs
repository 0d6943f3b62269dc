//! What a rule looks at in a packet, and which packets have a value of it.

use std::fmt;
use std::net::IpAddr;

use crate::firewall::addresses::AddressSet;
use crate::firewall::filter::{
    Condition, Families, Family, Holds, Match, Ports, Protocols, Reason,
};
use crate::firewall::interfaces::{External, is_bridge};
use crate::firewall::specs::{port_range, protocols, source_ports};

/// Something of a packet.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Field {
    Port(Transport),
    SourcePort(Transport),
    Protocol(Side),
    NetworkProtocol,
    Source(FamilyOf),
    Destination(FamilyOf),
    Interface,
    OutputInterface,
    State,
    Status,
    Direction,
    Mark,
    /// The mark of the connection that a packet belongs to.
    ConnectionMark,
    PacketType,
    AddressType,
    /// Whether the way back leads over the interface that a packet came over.
    ReversePath,
    TcpFlags,
    /// A header of another protocol.
    OtherProtocol,
    /// Anything else, in the words of the dump.
    Other(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Transport {
    Tcp,
    Udp,
    Any,
}

impl Transport {
    fn protocols(self) -> Protocols {
        match self {
            Self::Tcp => Protocols::TCP,
            Self::Udp => Protocols::UDP,
            Self::Any => Protocols::BOTH,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum FamilyOf {
    V4,
    V6,
}

impl FamilyOf {
    fn families(self) -> Families {
        match self {
            Self::V4 => Families::Only(Family::V4),
            Self::V6 => Families::Only(Family::V6),
        }
    }
}

/// Where the number of a protocol is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Side {
    Meta,
    Header(FamilyOf),
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Port(_) => "dport",
            Self::SourcePort(_) => "sport",
            Self::Protocol(_) => "l4proto",
            Self::NetworkProtocol => "nfproto",
            Self::Source(_) => "saddr",
            Self::Destination(_) => "daddr",
            Self::Interface => "iifname",
            Self::OutputInterface => "oifname",
            Self::State => "ct state",
            Self::Status => "ct status",
            Self::Direction => "ct direction",
            Self::Mark => "mark",
            Self::ConnectionMark => "ct mark",
            Self::PacketType => "pkttype",
            Self::AddressType => "fib type",
            Self::ReversePath => "fib oif",
            Self::TcpFlags => "tcp flags",
            Self::OtherProtocol => "another protocol",
            Self::Other(words) => words,
        })
    }
}

/// What is known of the host when a rule is read.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) host: Option<IpAddr>,
    pub(super) external: &'a External,
}

/// What a packet has that has this field at all.
pub(super) fn required(field: &Field) -> Match {
    let mut matches = Match::default();
    match field {
        Field::Port(transport) | Field::SourcePort(transport) => {
            matches.require_protocols(transport.protocols());
        }
        Field::Source(family)
        | Field::Destination(family)
        | Field::Protocol(Side::Header(family)) => {
            matches.families = family.families();
        }
        Field::TcpFlags => matches.require_protocols(Protocols::TCP),
        Field::OtherProtocol => matches.require_protocols(Protocols::NEITHER),
        _ => {}
    }
    matches
}

/// What a packet has whose field is, or is not, among these values.
pub(super) fn among(field: &Field, values: &[&str], is_negated: bool, place: Place<'_>) -> Match {
    let mut matches = required(field);
    let condition = match field {
        Field::Port(_) => {
            require_ports(&mut matches, values, is_negated);
            return matches;
        }
        Field::Protocol(_) => {
            require_protocols(&mut matches, values, is_negated);
            return matches;
        }
        Field::NetworkProtocol => {
            matches.families = network_protocols(values, is_negated);
            return matches;
        }
        Field::Destination(_) => {
            match addresses(values) {
                Some(set) => set.require_as_destinations(&mut matches, place.host, is_negated),
                None => matches.require(Condition::unknown(&quoted(field, values, is_negated))),
            }
            return matches;
        }
        Field::State | Field::Status | Field::Direction | Field::Mark | Field::ConnectionMark => {
            require_tracked(&mut matches, field, values, is_negated);
            return matches;
        }
        Field::Source(_) => match addresses(values) {
            Some(set) => set.as_sources(),
            None => Condition::new(Holds::Sometimes, Reason::Sources),
        },
        Field::Interface => {
            matches.is_past_bridge = is_negated && values.iter().all(|name| is_bridge(name));
            interface(values, place.external)
        }
        field => other(field, values, is_negated),
    };
    matches.require(condition.negated(is_negated));
    matches
}

fn require_ports(matches: &mut Match, values: &[&str], is_negated: bool) {
    let mut ranges = Vec::new();
    for value in values {
        match port_range(value, '-') {
            Some(range) => ranges.push(range),
            // No packet goes to port 0.
            None if *value == "0" => {}
            None => {
                let sign = if is_negated { "!= " } else { "" };
                let value = value.chars().take(60).collect::<String>();
                let reason = Reason::UnreadablePorts(format!("{sign}{value}").into());
                matches.require(Condition::new(Holds::Sometimes, reason));
                return;
            }
        }
    }
    matches.require_ports(Ports::Listed(ranges).negated(is_negated));
}

fn require_protocols(matches: &mut Match, values: &[&str], is_negated: bool) {
    let named = values.iter().map(|value| protocols(value));
    let named = named.fold(Protocols::NEITHER, |all, one| Protocols {
        tcp: all.tcp || one.tcp,
        udp: all.udp || one.udp,
    });
    matches.require_protocols(if is_negated { !named } else { named });
}

fn network_protocols(values: &[&str], is_negated: bool) -> Families {
    let has = |names: [&str; 3]| values.iter().any(|value| names.contains(value)) != is_negated;
    match (has(["ipv4", "ip", "2"]), has(["ipv6", "ip6", "10"])) {
        (true, true) => Families::Both,
        (true, false) => Families::Only(Family::V4),
        (false, true) => Families::Only(Family::V6),
        (false, false) => Families::Neither,
    }
}

fn addresses(values: &[&str]) -> Option<AddressSet> {
    let mut set = AddressSet::default();
    values.iter().all(|value| set.add(value)).then_some(set)
}

/// Requires what a mark, or missing tracking, may change.
fn require_tracked(matches: &mut Match, field: &Field, values: &[&str], is_negated: bool) {
    let condition = tracked(field, values, is_negated).negated(is_negated);
    match field {
        Field::Mark => matches.require_mark(condition),
        Field::ConnectionMark => matches.require_connection_mark(condition),
        Field::State => {
            let has_it = values
                .iter()
                .any(|value| has_state(value, "untracked", UNTRACKED));
            let untracked = Holds::from(has_it != is_negated);
            matches.require_connection_state(condition, untracked);
        }
        _ => matches.require_connection(condition),
    }
}

/// The bits that `nft -n` prints for states of connections.
const NEW: u32 = 8;
const UNTRACKED: u32 = 64;

fn tracked(field: &Field, values: &[&str], is_negated: bool) -> Condition {
    let has = |names: &[&str]| values.iter().any(|value| names.contains(value));
    let (is_usual, reason) = match field {
        Field::State if values.iter().all(|value| *value == "untracked") => {
            (false, Reason::Untracked)
        }
        Field::State => {
            let is_new = values.iter().any(|value| has_state(value, "new", NEW));
            (is_new, Reason::Existing)
        }
        Field::Direction => (has(&["original", "0"]), Reason::Existing),
        Field::Mark | Field::ConnectionMark => return no_mark(field, values, is_negated),
        _ if has(&["dnat", "snat"]) => (false, Reason::Translated),
        _ => (false, Reason::Existing),
    };
    Condition::new(Holds::from(is_usual), reason)
}

/// Whether a state is this one, by name or by its bit.
fn has_state(state: &str, name: &str, bit: u32) -> bool {
    let bits = match state.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => state.parse().ok(),
    };
    state == name || bits.is_some_and(|bits: u32| bits & bit != 0)
}

/// Whether a packet that has no mark, which is mark zero, has one of these.
fn no_mark(field: &Field, values: &[&str], is_negated: bool) -> Condition {
    let is_zero = |value: &&str| {
        let first = value.split('-').next().unwrap_or_default();
        mark(first).map(|mark| mark == 0)
    };
    let found: Vec<Option<bool>> = values.iter().map(is_zero).collect();
    let holds = match () {
        () if found.contains(&Some(true)) => Holds::Always,
        // A mark by a name that the host has for it.
        () if found.contains(&None) => Holds::Sometimes,
        () => Holds::Never,
    };
    let reason = Reason::Condition(quoted(field, values, is_negated).into());
    Condition::new(holds, reason)
}

fn mark(number: &str) -> Option<u64> {
    match number.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => number.parse().ok(),
    }
}

/// A condition in the words of the dump.
pub(super) fn quoted(field: &Field, values: &[&str], is_negated: bool) -> String {
    let sign = if is_negated { "!= " } else { "" };
    format!("{field} {sign}{}", values.join(", "))
}

fn other(field: &Field, values: &[&str], is_negated: bool) -> Condition {
    let has = |names: &[&str]| values.iter().any(|value| names.contains(value));
    let usual = |names: &[&str], reason| Condition::new(Holds::from(has(names)), reason);
    match field {
        Field::SourcePort(_) => source_ports(&values.join(","), '-'),
        Field::OutputInterface => {
            Condition::new(Holds::Never, Reason::Interface(values.join(", ").into()))
        }
        Field::PacketType => usual(&["host", "unicast", "0"], Reason::Destinations),
        Field::AddressType => usual(&["local", "2"], Reason::Destinations),
        Field::ReversePath => match has(&["missing"]) {
            true => Condition::new(Holds::Never, Reason::Sources),
            false => Condition::new(Holds::from(!has(&["0"])), Reason::Sources),
        },
        Field::TcpFlags => usual(&["syn"], Reason::Existing),
        Field::OtherProtocol => Condition::new(Holds::Never, Reason::NoTransport),
        // No system forwards or takes packets with the routing header that this is about.
        Field::Other(words) if words == "rt type" && values == ["0"] => {
            Condition::new(Holds::Never, Reason::Existing)
        }
        field => Condition::unknown(&quoted(field, values, is_negated)),
    }
}

fn interface(values: &[&str], external: &External) -> Condition {
    let conditions: Vec<Condition> = values.iter().map(|name| external.condition(name)).collect();
    let any = |holds: Holds| conditions.iter().any(|condition| condition.holds == holds);
    let holds = match () {
        () if any(Holds::Always) => Holds::Always,
        () if any(Holds::Sometimes) => Holds::Sometimes,
        () => Holds::Never,
    };
    let is_loopback = |condition: &Condition| condition.reason == Reason::Loopback;
    let reason = match conditions.iter().all(is_loopback) && !conditions.is_empty() {
        true => Reason::Loopback,
        false => {
            let names = values.join(", ");
            Reason::Interface(names.chars().take(40).collect::<String>().into())
        }
    };
    Condition::new(holds, reason)
}
