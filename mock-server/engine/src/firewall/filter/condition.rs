//! What a rule asks of a packet, judged for the packets that matter: new ones
//! of TCP or UDP, from any public address, over the external interface, to
//! the host.

use std::fmt;
use std::num::NonZeroU16;
use std::ops::{BitAnd, Not};

use super::packet_state::{Alteration, STATES, State};
use crate::values::{PortRange, Protocol, RuleProtocol};

/// An address family.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Family {
    V4,
    V6,
}

/// Address families that a rule or a base chain is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Families {
    Only(Family),
    Both,
    Neither,
}

impl Families {
    pub(super) fn contain(self, family: Family) -> bool {
        match self {
            Self::Only(only) => only == family,
            Self::Both => true,
            Self::Neither => false,
        }
    }
}

impl BitAnd for Families {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        match (self, other) {
            (Self::Both, families) | (families, Self::Both) => families,
            _ if self == other => self,
            _ => Self::Neither,
        }
    }
}

/// For which of the packets a condition holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Holds {
    Always,
    /// For some, or the reader cannot tell.
    Sometimes,
    Never,
}

impl From<bool> for Holds {
    fn from(is_so: bool) -> Self {
        match is_so {
            true => Self::Always,
            false => Self::Never,
        }
    }
}

impl BitAnd for Holds {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        match (self, other) {
            (Self::Never, _) | (_, Self::Never) => Self::Never,
            (Self::Always, Self::Always) => Self::Always,
            _ => Self::Sometimes,
        }
    }
}

impl Not for Holds {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::Always => Self::Never,
            Self::Sometimes => Self::Sometimes,
            Self::Never => Self::Always,
        }
    }
}

/// Why a rule is not for every packet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Reason {
    Loopback,
    Interface(Box<str>),
    /// Every interface but this one.
    OtherInterfaces(Box<str>),
    Sources,
    SourcePorts,
    Destinations,
    /// Connections that exist already, or packets that begin none.
    Existing,
    /// Packets that a rule took out of connection tracking.
    Untracked,
    Excess,
    Translated,
    NoTransport,
    /// Ports of another protocol.
    OtherTransport(Box<str>),
    /// A condition in the words of the dump.
    Condition(Box<str>),
    /// A target in the words of the dump.
    Target(Box<str>),
    UnknownService(Box<str>),
    UnreadablePorts(Box<str>),
    /// A line whose end is missing.
    Torn,
    /// A line of a block whose beginning is missing.
    Headless,
    /// The last line of a block whose end is missing.
    Cut,
    /// A line that brings in, or changes, what the dump does not list.
    Unlisted,
    /// Why the paste is not one whole dump, in a sentence.
    Incomplete(Box<str>),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loopback => f.write_str("it accepts on the loopback interface only"),
            Self::Interface(name) => write!(f, "it accepts on the interface {name} only"),
            Self::OtherInterfaces(name) => {
                write!(f, "it accepts on other interfaces than {name} only")
            }
            Self::Sources => f.write_str("it accepts from some sources only"),
            Self::SourcePorts => f.write_str("it accepts from some source ports only"),
            Self::Destinations => f.write_str("it accepts for some destinations only"),
            Self::Existing => f.write_str("it accepts connections that exist already, no port"),
            Self::Untracked => {
                f.write_str("it accepts packets only that a rule took out of connection tracking")
            }
            Self::Excess => f.write_str("it accepts what is over a limit only"),
            Self::Translated => {
                f.write_str("it accepts what address translation publishes, no port of the host")
            }
            Self::NoTransport => f.write_str("it is about neither TCP nor UDP"),
            Self::Condition(words) => {
                write!(
                    f,
                    "it accepts some packets only, by a condition that is not known: {words}"
                )
            }
            Self::Target(words) => write!(f, "its target {words} is not known"),
            Self::OtherTransport(text) => write!(f, "{text} is no TCP or UDP port"),
            Self::Torn => f.write_str("it cannot be read: its end is missing"),
            Self::Headless => {
                f.write_str("it cannot be judged: the beginning of its table is missing")
            }
            Self::Cut => {
                f.write_str("the end of its table is missing: what stands there cannot be judged")
            }
            Self::Unlisted => f.write_str(
                "what it brings in is not in the dump: send the output of nft list ruleset",
            ),
            Self::Incomplete(sentence) => f.write_str(sentence),
            Self::UnreadablePorts(text) => write!(f, "its ports {text} cannot be read"),
            Self::UnknownService(name) => {
                write!(f, "the ports of its service {name} are not known")
            }
        }
    }
}

/// One thing that a rule asks of a packet, besides protocol and port.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Condition {
    pub(crate) holds: Holds,
    pub(crate) reason: Reason,
}

impl Condition {
    pub(crate) fn new(holds: Holds, reason: Reason) -> Self {
        Self { holds, reason }
    }

    pub(crate) fn unknown(words: &str) -> Self {
        let words = words.chars().take(80).collect::<String>();
        Self::new(Holds::Sometimes, Reason::Condition(words.into()))
    }

    pub(crate) fn negated(self, is_negated: bool) -> Self {
        match (is_negated, self.reason) {
            (true, Reason::Interface(name)) => {
                Self::new(!self.holds, Reason::OtherInterfaces(name))
            }
            (true, reason) => Self::new(!self.holds, reason),
            (false, reason) => Self::new(self.holds, reason),
        }
    }
}

/// Transport protocols that a rule is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Protocols {
    pub(crate) tcp: bool,
    pub(crate) udp: bool,
}

impl Protocols {
    pub(crate) const BOTH: Self = Self {
        tcp: true,
        udp: true,
    };
    pub(crate) const NEITHER: Self = Self {
        tcp: false,
        udp: false,
    };
    pub(crate) const TCP: Self = Self {
        tcp: true,
        udp: false,
    };
    pub(crate) const UDP: Self = Self {
        tcp: false,
        udp: true,
    };

    pub(crate) fn has(self, protocol: Protocol) -> bool {
        match protocol {
            Protocol::Tcp => self.tcp,
            Protocol::Udp => self.udp,
        }
    }
}

impl From<RuleProtocol> for Protocols {
    fn from(protocol: RuleProtocol) -> Self {
        match protocol {
            RuleProtocol::Tcp => Self::TCP,
            RuleProtocol::Udp => Self::UDP,
            RuleProtocol::Both => Self::BOTH,
        }
    }
}

impl BitAnd for Protocols {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self {
            tcp: self.tcp && other.tcp,
            udp: self.udp && other.udp,
        }
    }
}

impl Not for Protocols {
    type Output = Self;

    fn not(self) -> Self {
        Self {
            tcp: !self.tcp,
            udp: !self.udp,
        }
    }
}

/// The ports that a rule is for.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) enum Ports {
    #[default]
    Every,
    /// As they are listed.
    Listed(Vec<PortRange>),
    /// Every port but these.
    Except(Vec<PortRange>),
}

impl Ports {
    /// The ranges that the dump names.
    pub(crate) fn ranges(&self) -> &[PortRange] {
        match self {
            Self::Every => &[],
            Self::Listed(ranges) | Self::Except(ranges) => ranges,
        }
    }

    pub(crate) fn negated(self, is_negated: bool) -> Self {
        match (self, is_negated) {
            (ports, false) => ports,
            (Self::Every, true) => Self::Listed(Vec::new()),
            (Self::Listed(ranges), true) => Self::Except(ranges),
            (Self::Except(ranges), true) => Self::Listed(ranges),
        }
    }

    /// The ports that both have.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Every, ports) | (ports, Self::Every) => ports,
            (Self::Except(mut first), Self::Except(second)) => {
                first.extend(second);
                Self::Except(first)
            }
            (Self::Listed(first), Self::Listed(second)) => {
                Self::Listed(common(&first, sorted(second)))
            }
            (Self::Listed(listed), Self::Except(but))
            | (Self::Except(but), Self::Listed(listed)) => {
                Self::Listed(common(&listed, complement(but)))
            }
        }
    }

    /// The ports in order, without those that are said to be excluded.
    pub(super) fn covered(&self) -> Vec<PortRange> {
        match self {
            Self::Every => complement(Vec::new()),
            Self::Listed(ranges) => ranges.clone(),
            Self::Except(ranges) => complement(ranges.clone()),
        }
    }

    /// Whether this is every port there is, by name or not.
    pub(super) fn is_every(&self) -> bool {
        let every = |range: &PortRange| (range.start(), range.end()) == (1, u16::MAX);
        match self {
            Self::Every => true,
            Self::Listed(ranges) => ranges.iter().any(every),
            Self::Except(ranges) => ranges.is_empty(),
        }
    }
}

/// In order, without overlaps.
fn sorted(mut ranges: Vec<PortRange>) -> Vec<PortRange> {
    ranges.sort_by_key(|range| range.start());
    let mut merged: Vec<PortRange> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start() <= last.end().saturating_add(1) => {
                let end = last.end().max(range.end());
                *last = span(last.start(), end).unwrap_or(*last);
            }
            _ => merged.push(range),
        }
    }
    merged
}

fn span(start: u16, end: u16) -> Option<PortRange> {
    PortRange::new(NonZeroU16::new(start)?, NonZeroU16::new(end)?)
}

/// The parts of the first that are in the second, which is in order.
fn common(first: &[PortRange], second: Vec<PortRange>) -> Vec<PortRange> {
    let mut parts = Vec::new();
    for range in first {
        let from = second.partition_point(|other| other.end() < range.start());
        let meeting = second[from..]
            .iter()
            .take_while(|other| other.start() <= range.end());
        parts.extend(meeting.filter_map(|other| {
            span(
                range.start().max(other.start()),
                range.end().min(other.end()),
            )
        }));
    }
    parts
}

fn complement(ranges: Vec<PortRange>) -> Vec<PortRange> {
    let mut left = Vec::new();
    let mut next = 1;
    for range in sorted(ranges) {
        if range.start() > next {
            left.extend(span(next, range.start() - 1));
        }
        match range.end().checked_add(1) {
            Some(after) => next = after,
            None => return left,
        }
    }
    left.extend(span(next, u16::MAX));
    left
}

/// Everything that a rule asks of a packet.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Match {
    pub(crate) families: Families,
    pub(crate) protocols: Protocols,
    pub(crate) ports: Ports,
    /// For packets as they arrive.
    pub(crate) holds: Holds,
    /// For packets of each state; of those as they arrive the same again.
    pub(crate) holds_in: [Holds; STATES],
    /// Why it does not always hold.
    pub(crate) reason: Option<Reason>,
    /// Whether it is for an address inside a network, which may be the host's there.
    pub(crate) is_inner_destination: bool,
    /// Whether it is for what does not come over the bridge or tunnel that such an address is behind.
    pub(crate) is_past_bridge: bool,
}

impl Default for Match {
    fn default() -> Self {
        Self {
            families: Families::Both,
            protocols: Protocols::BOTH,
            ports: Ports::Every,
            holds: Holds::Always,
            holds_in: [Holds::Always; STATES],
            reason: None,
            is_inner_destination: false,
            is_past_bridge: false,
        }
    }
}

impl Match {
    pub(crate) fn require(&mut self, condition: Condition) {
        self.require_in_states([condition.holds; STATES], condition.reason);
    }

    /// Requires something of the packet's mark, which a rule may have set.
    pub(crate) fn require_mark(&mut self, condition: Condition) {
        self.require_unless(State::is_marked, condition);
    }

    /// Requires something of the connection that the packet is of.
    pub(crate) fn require_connection(&mut self, condition: Condition) {
        self.require_unless(State::has_no_connection, condition);
    }

    /// Requires something of the mark of that connection.
    pub(crate) fn require_connection_mark(&mut self, condition: Condition) {
        let is_doubtful = |state: State| state.is_marked() || state.has_no_connection();
        self.require_unless(is_doubtful, condition);
    }

    /// Requires a state of that connection; and whether that of being untracked will do.
    pub(crate) fn require_connection_state(&mut self, condition: Condition, untracked: Holds) {
        let holds_in = State::ALL.map(|state| match () {
            () if state.is_untracked() => untracked,
            () if state.is_before_tracking() => Holds::Sometimes,
            () => condition.holds,
        });
        self.require_in_states(holds_in, condition.reason);
    }

    /// Requires something that is not known of packets of some states.
    fn require_unless(&mut self, is_doubtful: impl Fn(State) -> bool, condition: Condition) {
        let holds_in = State::ALL.map(|state| match is_doubtful(state) {
            true => Holds::Sometimes,
            false => condition.holds,
        });
        self.require_in_states(holds_in, condition.reason);
    }

    fn require_in_states(&mut self, holds_in: [Holds; STATES], reason: Reason) {
        let holds = holds_in[State::PLAIN.place()];
        let is_worse = holds == Holds::Never && self.holds != Holds::Never;
        if is_worse || (holds != Holds::Always && self.reason.is_none()) {
            self.reason = Some(reason);
        }
        self.restrict(holds_in);
    }

    fn restrict(&mut self, holds_in: [Holds; STATES]) {
        for (mine, other) in self.holds_in.iter_mut().zip(holds_in) {
            *mine = *mine & other;
        }
        self.holds = self.holds_in[State::PLAIN.place()];
    }

    /// Whether it holds for packets of a state.
    pub(super) fn holds_in(&self, state: State) -> Holds {
        self.holds_in[state.place()]
    }

    /// Whether it holds for some packets of whatever state.
    pub(super) fn is_vague(&self) -> bool {
        self.holds_in == [Holds::Sometimes; STATES]
    }

    /// Whether a mark changes for which packets it holds.
    pub(super) fn asks_for_mark(&self) -> bool {
        self.holds_in(State::PLAIN.after(Alteration::Mark)) != self.holds
    }

    /// Whether it is for the same packets as another, but for ports.
    pub(crate) fn is_alike_but_for_ports(&self, other: &Self) -> bool {
        let asked = |matches: &Self| {
            (
                matches.families,
                matches.protocols,
                matches.holds_in,
                matches.is_inner_destination,
            )
        };
        asked(self) == asked(other) && self.reason == other.reason
    }

    pub(crate) fn require_protocols(&mut self, protocols: Protocols) {
        self.protocols = self.protocols & protocols;
        if self.protocols == Protocols::NEITHER {
            self.require(Condition::new(Holds::Never, Reason::NoTransport));
        }
    }

    pub(crate) fn require_ports(&mut self, ports: Ports) {
        self.ports = std::mem::take(&mut self.ports).and(ports);
    }

    /// Both of them.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.families = self.families & other.families;
        self.is_inner_destination |= other.is_inner_destination;
        self.is_past_bridge |= other.is_past_bridge;
        self.require_protocols(other.protocols);
        self.require_ports(other.ports);
        if let Some(reason) = other.reason {
            self.require_in_states(other.holds_in, reason);
        } else {
            self.restrict(other.holds_in);
        }
        self
    }

    /// Whether it names ports that it is for.
    pub(crate) fn names_ports(&self) -> bool {
        matches!(self.ports, Ports::Listed(_)) && !self.ports.is_every()
    }
}
