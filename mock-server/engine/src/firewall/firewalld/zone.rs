//! The zones and policies of a firewalld dump.

use std::net::IpAddr;

use super::direct::is_direct_rule;
use super::fields::field;
use super::rich_rule::RichRule;
use super::services::{listed_port, service};
use super::wrapped::{is_of_comparison, unwrapped};
use crate::firewall::filter::{Condition, Holds, MOST_RULES, Match, Reason};
use crate::firewall::line::Line;
use crate::firewall::specs::{protocols, source_ports};

/// A zone, or a policy between zones.
#[derive(Clone, Default, Debug)]
pub(super) struct Zone {
    pub(super) name: String,
    /// Where its name stands.
    pub(super) line: u32,
    pub(super) is_active: bool,
    pub(super) is_default: bool,
    /// Whether `firewall-cmd` itself says that no interface is in it.
    pub(super) is_unused: bool,
    pub(super) is_policy: bool,
    pub(super) priority: i32,
    pub(super) target: Option<(u32, Target)>,
    pub(super) interfaces: Vec<String>,
    pub(super) sources: Vec<String>,
    pub(super) ingress: Vec<String>,
    pub(super) egress: Vec<String>,
    pub(super) allowed: Vec<(u32, Match)>,
    pub(super) forwarded: Vec<(u32, Match)>,
    pub(super) rich_rules: Vec<(u32, RichRule)>,
}

/// What becomes of packets that no rule of a zone decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    Default,
    Accept,
    Refuse,
    Continue,
}

pub(super) fn zones(lines: &[Line<'_>], host: Option<IpAddr>) -> Vec<Zone> {
    let mut zones: Vec<Zone> = Vec::new();
    let mut last_field = String::new();
    let mut field_indentation = 0;
    for line in &unwrapped(lines) {
        let text = line.text.trim();
        if is_about_default_zone(text) || is_direct_rule(text) || is_of_comparison(&line.text) {
            continue;
        }
        let is_inside = indentation(&line.text) >= field_indentation;
        let (name, values) = match field(text) {
            Some((name, values)) => (name.to_owned(), values),
            None if text.starts_with("rule ") => ("rich rules".to_owned(), text),
            None if text.starts_with("port=") => ("forward-ports".to_owned(), text),
            // A terminal broke the list.
            None if is_inside && matches!(last_field.as_str(), "services" | "ports") => {
                (last_field.clone(), text)
            }
            None => {
                zones.push(Zone::named(text, line.number));
                last_field.clear();
                field_indentation = 1 + indentation(&line.text);
                continue;
            }
        };
        let starts_anew =
            name == "target" && zones.last().is_some_and(|zone| zone.target.is_some());
        if zones.is_empty() || starts_anew {
            zones.push(Zone::named("zone", line.number));
        }
        if let Some(zone) = zones.last_mut() {
            zone.add(&name, values, line.number, host);
        }
        last_field = name;
    }
    let unused = unused_zone(lines);
    for zone in &mut zones {
        zone.is_unused = unused == Some(zone.name.as_str());
    }
    zones
}

/// Whether a line is of the warning of `firewall-cmd` that the interfaces are in other zones than the default one.
pub(crate) fn is_about_default_zone(line: &str) -> bool {
    line.contains(DEFAULT_ZONE) || line.contains(ZONES_IN_USE)
}

const DEFAULT_ZONE: &str = "performing an operation over default zone ('";
const ZONES_IN_USE: &str = "your connections/interfaces are in zone '";

/// What the names of zones begin with that containers and virtual machines are in, never what leads outside.
const GUESTS: [&str; 4] = ["docker", "libvirt", "podman", "lxd"];

/// The zone that the warning says nothing is in; none where guests alone have zones of their own.
fn unused_zone<'a>(lines: &'a [Line<'_>]) -> Option<&'a str> {
    let quoted = |beginning: &str| {
        let mut found = lines
            .iter()
            .filter_map(|line| line.text.split_once(beginning));
        found.next().and_then(|(_, rest)| rest.split('\'').next())
    };
    let is_of_guests = |zone: &str| GUESTS.iter().any(|name| zone.trim().starts_with(name));
    let in_use = quoted(ZONES_IN_USE)?;
    quoted(DEFAULT_ZONE).filter(|_| !in_use.split(',').all(is_of_guests))
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

impl Zone {
    /// `public (default, active)`.
    fn named(header: &str, line: u32) -> Self {
        let (name, marks) = header.split_once('(').unwrap_or((header, ""));
        Self {
            name: name.trim().to_owned(),
            line,
            is_active: marks.contains("active"),
            is_default: marks.contains("default"),
            ..Self::default()
        }
    }

    fn add(&mut self, field: &str, values: &str, line: u32, host: Option<IpAddr>) {
        let words = || values.split_whitespace().map(str::to_owned);
        match field {
            "target" => self.target = Some((line, target(values))),
            "interfaces" => self.interfaces.extend(words()),
            "sources" => self.sources.extend(words()),
            "ingress-zones" => {
                self.is_policy = true;
                self.ingress.extend(words());
            }
            "egress-zones" => {
                self.is_policy = true;
                self.egress.extend(words());
            }
            "priority" => self.priority = values.parse().unwrap_or(0),
            "rich rules" if values.starts_with("rule ") => {
                self.rich_rules.push((line, RichRule::parse(values, host)));
            }
            "forward-ports" => {
                let ports = values.split_whitespace().filter_map(forwarded_port);
                self.forwarded.extend(ports.map(|matches| (line, matches)));
            }
            _ => {
                let allowed = values
                    .split_whitespace()
                    .flat_map(|value| allowed(field, value));
                // One more than a filter takes says that there are too many.
                let room = (MOST_RULES + 1).saturating_sub(self.allowed.len());
                let allowed = allowed.take(room).map(|matches| (line, matches));
                self.allowed.extend(allowed);
            }
        }
    }
}

/// What a value of a field lets in; nothing for fields that let in nothing.
fn allowed(field: &str, value: &str) -> Vec<Match> {
    let mut matches = Match::default();
    match field {
        "services" => match service(value) {
            Some(found) => return found,
            None => matches.require(Condition::new(
                Holds::Sometimes,
                Reason::UnknownService(value.chars().take(60).collect::<String>().into()),
            )),
        },
        "ports" => return vec![listed_port(value)],
        "protocols" => matches.require_protocols(protocols(value)),
        "source-ports" => {
            let (ports, protocol) = value.split_once('/').unwrap_or((value, ""));
            matches.require_protocols(protocols(protocol));
            matches.require(source_ports(ports, '-'));
        }
        _ => return Vec::new(),
    }
    vec![matches]
}

/// `port=80:proto=tcp:toport=8080:toaddr=`.
fn forwarded_port(text: &str) -> Option<Match> {
    let value = |name: &str| {
        let mut parts = text.split(':');
        parts.find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
    };
    Some(listed_port(&format!(
        "{}/{}",
        value("port")?,
        value("proto")?
    )))
}

fn target(value: &str) -> Target {
    match value {
        "ACCEPT" => Target::Accept,
        "CONTINUE" => Target::Continue,
        "DROP" | "REJECT" | "%%REJECT%%" => Target::Refuse,
        _ => Target::Default,
    }
}
