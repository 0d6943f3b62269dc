//! Which of the addresses of the internet a dump names.

use std::net::IpAddr;

use super::filter::{Condition, Families, Family, Holds, Match, Reason};

/// The first and the last of a range of addresses of one family.
type Span = (u128, u128);

/// Addresses as a dump writes them: single, with a prefix length or a mask, as ranges.
#[derive(Clone, Default, Debug)]
pub(super) struct AddressSet {
    v4: Vec<Span>,
    v6: Vec<Span>,
}

/// IPv4 addresses from which nothing comes over the internet.
const NOT_PUBLIC_V4: [(&str, u8); 9] = [
    ("0.0.0.0", 8),
    ("10.0.0.0", 8),
    ("100.64.0.0", 10),
    ("127.0.0.0", 8),
    ("169.254.0.0", 16),
    ("172.16.0.0", 12),
    ("192.168.0.0", 16),
    ("224.0.0.0", 4),
    ("240.0.0.0", 4),
];

/// The IPv6 addresses of the internet, 2000::/3.
const PUBLIC_V6: Span = (0x2 << 124, (0x4 << 124) - 1);

const LOOPBACK_V4: Span = (0x7f00_0000, 0x7fff_ffff);
const LOOPBACK_V6: Span = (1, 1);

/// Addresses that a host has inside a network: RFC 1918 and RFC 4193.
const INNER_V4: [Span; 3] = [
    (0x0a00_0000, 0x0aff_ffff),
    (0xac10_0000, 0xac1f_ffff),
    (0xc0a8_0000, 0xc0a8_ffff),
];
const INNER_V6: Span = (0xfc << 120, (0xfe << 120) - 1);

impl AddressSet {
    /// Reads one; `None` when it is no address.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut set = Self::default();
        set.add(text).then_some(set)
    }

    /// Adds one; whether it could be read.
    pub(super) fn add(&mut self, text: &str) -> bool {
        if text == "localhost" {
            self.v4.push(LOOPBACK_V4);
            self.v6.push(LOOPBACK_V6);
            return true;
        }
        let span = match text.split_once('-') {
            Some((first, last)) => range(first, last),
            None => prefix(text),
        };
        match span {
            Some((Family::V4, span)) => self.v4.push(span),
            Some((Family::V6, span)) => self.v6.push(span),
            None => return false,
        }
        true
    }

    pub(super) fn is_empty(&self) -> bool {
        self.v4.is_empty() && self.v6.is_empty()
    }

    fn spans(&self, family: Family) -> &[Span] {
        match family {
            Family::V4 => &self.v4,
            Family::V6 => &self.v6,
        }
    }

    /// The families that the addresses are of.
    pub(super) fn families(&self) -> Families {
        match (self.v4.is_empty(), self.v6.is_empty()) {
            (false, true) => Families::Only(Family::V4),
            (true, false) => Families::Only(Family::V6),
            _ => Families::Both,
        }
    }

    /// That a packet comes from one of them.
    pub(super) fn as_sources(&self) -> Condition {
        let holds = [Family::V4, Family::V6]
            .into_iter()
            .filter(|family| !self.spans(*family).is_empty())
            .map(|family| coverage(&merged(self.spans(family)), &public(family)));
        let holds = holds.reduce(|first, second| match first == second {
            true => first,
            false => Holds::Sometimes,
        });
        Condition::new(holds.unwrap_or(Holds::Never), self.reason(Reason::Sources))
    }

    /// Adds that a packet goes to one of them, or to none of them, to what a rule asks.
    pub(super) fn require_as_destinations(
        &self,
        matches: &mut Match,
        host: Option<IpAddr>,
        is_negated: bool,
    ) {
        let families = [Family::V4, Family::V6].into_iter();
        let of_family = families.filter(|family| !self.spans(*family).is_empty());
        let places: Vec<Place> = of_family.map(|family| self.place(family, host)).collect();
        let any = |place: Place| places.contains(&place);
        let holds = match () {
            () if any(Place::Host) => Holds::Always,
            () if any(Place::Elsewhere) => Holds::Sometimes,
            () => Holds::Never,
        };
        if any(Place::Inner) && !any(Place::Host) && !is_negated {
            matches.is_inner_destination = true;
            return;
        }
        let condition = Condition::new(holds, self.reason(Reason::Destinations));
        matches.require(condition.negated(is_negated));
    }

    fn place(&self, family: Family, host: Option<IpAddr>) -> Place {
        let spans = merged(self.spans(family));
        let host = host.map(number).filter(|(of, _)| *of == family);
        if let Some((_, host)) = host
            && spans
                .iter()
                .any(|(first, last)| (*first..=*last).contains(&host))
        {
            return Place::Host;
        }
        let inner = match family {
            Family::V4 => &INNER_V4[..],
            Family::V6 => std::slice::from_ref(&INNER_V6),
        };
        let is_inner = spans
            .iter()
            .any(|span| inner.iter().any(|inner| meet(*span, *inner)));
        match (coverage(&spans, &public(family)), host) {
            (Holds::Always, _) => Place::Host,
            (Holds::Sometimes, None) => Place::Elsewhere,
            _ if is_inner => Place::Inner,
            _ => Place::Nowhere,
        }
    }

    fn reason(&self, otherwise: Reason) -> Reason {
        let inside = |spans: &[Span], loopback: Span| {
            let mut spans = spans.iter();
            spans.all(|(first, last)| *first >= loopback.0 && *last <= loopback.1)
        };
        let is_loopback = inside(&self.v4, LOOPBACK_V4) && inside(&self.v6, LOOPBACK_V6);
        match is_loopback && !self.is_empty() {
            true => Reason::Loopback,
            false => otherwise,
        }
    }
}

/// What destinations are to the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// The host is among them.
    Host,
    /// They may be addresses of the host inside its network.
    Inner,
    /// Public ones, of a family in which the host's is not known.
    Elsewhere,
    Nowhere,
}

fn meet(first: Span, second: Span) -> bool {
    first.0 <= second.1 && second.0 <= first.1
}

/// How much of the public addresses is in a set.
fn coverage(set: &[Span], public: &[Span]) -> Holds {
    let covers = |part: &Span| {
        let mut set = set.iter();
        set.any(|(first, last)| *first <= part.0 && part.1 <= *last)
    };
    if public.iter().all(covers) {
        Holds::Always
    } else if public
        .iter()
        .any(|part| set.iter().any(|span| meet(*span, *part)))
    {
        Holds::Sometimes
    } else {
        Holds::Never
    }
}

fn public(family: Family) -> Vec<Span> {
    match family {
        Family::V4 => {
            let spans = NOT_PUBLIC_V4.iter().filter_map(|(address, length)| {
                prefix(&format!("{address}/{length}")).map(|(_, span)| span)
            });
            gaps(&spans.collect::<Vec<_>>())
        }
        Family::V6 => vec![PUBLIC_V6],
    }
}

/// What is between spans that are in order.
fn gaps(spans: &[Span]) -> Vec<Span> {
    let pairs = spans.windows(2);
    pairs
        .map(|pair| (pair[0].1 + 1, pair[1].0.saturating_sub(1)))
        .filter(|(first, last)| first <= last)
        .collect()
}

/// In order, without overlaps or neighbours.
fn merged(spans: &[Span]) -> Vec<Span> {
    let mut spans = spans.to_vec();
    spans.sort_unstable();
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for (first, last) in spans {
        match merged.last_mut() {
            Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
            _ => merged.push((first, last)),
        }
    }
    merged
}

fn number(address: IpAddr) -> (Family, u128) {
    match address {
        IpAddr::V4(address) => (Family::V4, u128::from(address.to_bits())),
        IpAddr::V6(address) => (Family::V6, address.to_bits()),
    }
}

fn range(first: &str, last: &str) -> Option<(Family, Span)> {
    let (family, first) = number(first.parse().ok()?);
    let (other, last) = number(last.parse().ok()?);
    (family == other && first <= last).then_some((family, (first, last)))
}

/// `192.0.2.0/24`, `192.0.2.0/255.255.255.0` or a single address.
fn prefix(text: &str) -> Option<(Family, Span)> {
    let (address, length) = match text.split_once('/') {
        Some((address, length)) => (address, Some(length)),
        None => (text, None),
    };
    let (family, address) = number(address.parse().ok()?);
    let width = match family {
        Family::V4 => 32,
        Family::V6 => 128,
    };
    let length = match length {
        None => width,
        Some(length) => prefix_length(length, family)?,
    };
    if length > width {
        return None;
    }
    let rest = match width - length {
        128 => u128::MAX,
        bits => (1 << bits) - 1,
    };
    Some((family, (address & !rest, address | rest)))
}

/// A number of bits, or a mask whose ones come first.
fn prefix_length(text: &str, family: Family) -> Option<u32> {
    if let Ok(length) = text.parse() {
        return Some(length);
    }
    let (of, mask) = number(text.parse().ok()?);
    let mask = match of {
        Family::V4 => mask << 96,
        Family::V6 => mask,
    };
    let is_plain = mask.leading_ones() + mask.trailing_zeros() >= 128;
    (of == family && is_plain).then_some(mask.leading_ones())
}
