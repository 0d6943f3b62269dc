//! `rule family="ipv4" source address="192.0.2.0/24" port port="22" protocol="tcp" accept`.

use std::net::IpAddr;

use super::services::{listed_port, service};
use crate::firewall::addresses::AddressSet;
use crate::firewall::filter::{
    Alteration, Condition, Families, Family, Holds, Match, Reason, Verdict,
};
use crate::firewall::specs::{protocols, source_ports};

/// A rich rule.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct RichRule {
    pub(super) priority: i32,
    pub(super) verdict: Verdict,
    /// Any of these.
    pub(super) matches: Vec<Match>,
}

/// A word, with the value that stands behind its `=`.
struct Part {
    word: String,
    value: Option<String>,
}

impl RichRule {
    pub(super) fn parse(line: &str, host: Option<IpAddr>) -> Self {
        let parts = parts(line);
        let is_published = has(&parts, "forward-port");
        let verdict = match () {
            () if is_published => Verdict::Translate,
            () if has(&parts, "accept") => Verdict::Accept,
            () if has(&parts, "reject") || has(&parts, "drop") => Verdict::Refuse,
            () if has(&parts, "mark") => Verdict::Alter(Alteration::Mark),
            () => Verdict::Continue,
        };
        let mut base = Match::default();
        match value(&parts, "family") {
            Some("ipv4") => base.families = Families::Only(Family::V4),
            Some("ipv6") => base.families = Families::Only(Family::V6),
            _ => {}
        }
        require_addresses(&mut base, &parts, host);
        let matches = elements(&parts)
            .into_iter()
            .map(|element| base.clone().and(element));
        Self {
            priority: value(&parts, "priority")
                .and_then(|text| text.parse().ok())
                .unwrap_or(0),
            verdict,
            matches: matches.collect(),
        }
    }
}

fn has(parts: &[Part], word: &str) -> bool {
    let mut parts = parts.iter();
    parts.any(|part| part.value.is_none() && part.word == word)
}

fn value<'a>(parts: &'a [Part], word: &str) -> Option<&'a str> {
    let part = parts
        .iter()
        .find(|part| part.word == word && part.value.is_some())?;
    part.value.as_deref()
}

/// The source and the destination. Each is one word with attributes behind it.
fn require_addresses(matches: &mut Match, parts: &[Part], host: Option<IpAddr>) {
    for (place, part) in parts.iter().enumerate() {
        if part.value.is_some() || !matches!(part.word.as_str(), "source" | "destination") {
            continue;
        }
        let mut attributes = parts[place + 1..].iter();
        let mut is_negated = false;
        while let Some(attribute) = attributes.next() {
            match (attribute.word.as_str(), &attribute.value) {
                ("NOT" | "not", None) => is_negated = true,
                ("invert", Some(_)) => is_negated = true,
                ("address", Some(address)) => {
                    // `invert` may stand behind the address.
                    let next = attributes.clone().next();
                    is_negated |= next.is_some_and(|next| next.word == "invert");
                    require_address(matches, &part.word, address, host, is_negated);
                }
                ("mac" | "ipset", Some(_)) => {
                    matches.require(Condition::new(Holds::Sometimes, Reason::Sources));
                }
                _ => break,
            }
        }
    }
}

fn require_address(
    matches: &mut Match,
    side: &str,
    address: &str,
    host: Option<IpAddr>,
    is_negated: bool,
) {
    match AddressSet::parse(address) {
        Some(set) if side == "source" => matches.require(set.as_sources().negated(is_negated)),
        Some(set) => set.require_as_destinations(matches, host, is_negated),
        None => matches.require(Condition::unknown(address)),
    }
}

/// What the rule is about: a service, a port, a protocol or everything.
fn elements(parts: &[Part]) -> Vec<Match> {
    let mut matches = Match::default();
    let port = || {
        let protocol = value(parts, "protocol").unwrap_or("");
        format!("{}/{protocol}", value(parts, "port").unwrap_or(""))
    };
    if has(parts, "service") {
        let name = value(parts, "name").unwrap_or("");
        if let Some(found) = service(name) {
            return found;
        }
        matches.require(Condition::new(
            Holds::Sometimes,
            Reason::UnknownService(name.into()),
        ));
    } else if has(parts, "port") || has(parts, "forward-port") {
        return vec![listed_port(&port())];
    } else if has(parts, "source-port") {
        matches.require_protocols(protocols(value(parts, "protocol").unwrap_or("")));
        matches.require(source_ports(value(parts, "port").unwrap_or(""), '-'));
    } else if has(parts, "protocol") {
        matches.require_protocols(protocols(value(parts, "value").unwrap_or("")));
    } else if has(parts, "icmp-type") || has(parts, "icmp-block") {
        matches.require(Condition::new(Holds::Never, Reason::NoTransport));
    }
    vec![matches]
}

/// The words of a rule; quotes only stand around values.
fn parts(line: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        let end = rest
            .find(|c: char| c.is_whitespace() || c == '=')
            .unwrap_or(rest.len());
        let word = rest[..end].to_owned();
        rest = &rest[end..];
        let value = rest.strip_prefix('=').map(|after| {
            let (value, after) = quoted(after);
            rest = after;
            value.to_owned()
        });
        parts.push(Part { word, value });
        rest = rest.trim_start();
    }
    parts
}

/// A value in quotes or up to the next space, and what comes after it.
fn quoted(text: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some((value, after)) = text
            .strip_prefix(quote)
            .and_then(|text| text.split_once(quote))
        {
            return (value, after);
        }
    }
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}
