//! `ufw status`, plain, verbose or numbered.

use super::chains::{Chains, Effect, NO_PORT, Reading, Statement};
use super::specs::{ALL_PORTS, ports_with_protocol};
use crate::values::{PortRange, RuleProtocol};

/// The one list of rules there is.
const CHAIN: &str = "status";

/// Application profiles that distributions ship, with their ports.
const PROFILES: [(&str, &[&str]); 12] = [
    ("OpenSSH", &["22/tcp"]),
    ("Nginx HTTP", &["80/tcp"]),
    ("Nginx HTTPS", &["443/tcp"]),
    ("Nginx Full", &["80,443/tcp"]),
    ("Apache", &["80/tcp"]),
    ("Apache Secure", &["443/tcp"]),
    ("Apache Full", &["80,443/tcp"]),
    ("Postfix", &["25/tcp"]),
    ("Dovecot IMAP", &["143/tcp"]),
    ("Dovecot Secure IMAP", &["993/tcp"]),
    ("Samba", &["137,138/udp", "139,445/tcp"]),
    ("CUPS", &["631/tcp"]),
];

/// Reads a dump; `None` when it does not say the firewall's status.
pub(super) fn read(content: &str) -> Option<Reading> {
    let known = content
        .lines()
        .any(|line| matches!(line.trim(), "Status: active" | "Status: inactive"));
    let mut chains = Chains::default();
    chains.inputs.insert(CHAIN.to_owned());
    for (place, line) in content.lines().enumerate() {
        for effect in effects(line) {
            chains.push(CHAIN, Statement::new(place + 1, line.trim(), effect));
        }
    }
    known.then(|| chains.reading())
}

/// What a line of the table does; nothing for any other line.
fn effects(line: &str) -> Vec<Effect> {
    let line = line.split(" # ").next().unwrap_or(line);
    let Some((to, action, from)) = columns(without_number(line.trim())) else {
        return Vec::new();
    };
    let to = to.replace("(v6)", "");
    let narrowed = !from.starts_with("Anywhere") || to.contains(" on ");
    match action {
        "ALLOW" | "LIMIT" => match ports(to.trim()) {
            Some(ports) => ports
                .into_iter()
                .map(|(ranges, protocol)| Effect::Accept(ranges, protocol))
                .collect(),
            None => vec![Effect::Skip(NO_PORT.to_owned())],
        },
        _ if narrowed => Vec::new(),
        _ => match ports(to.trim()) {
            Some(ports) => ports
                .into_iter()
                .map(|(ranges, protocol)| Effect::Block(ranges, protocol))
                .collect(),
            None if to.trim() == "Anywhere" => PortRange::new(ALL_PORTS.0, ALL_PORTS.1)
                .map(|all| Effect::Block(vec![all], RuleProtocol::Both))
                .into_iter()
                .collect(),
            None => Vec::new(),
        },
    }
}

/// Without the `[ 1]` of a numbered status.
fn without_number(line: &str) -> &str {
    match line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((_, rest)) => rest.trim(),
        None => line,
    }
}

/// The columns To, Action and From of a rule about inbound packets.
fn columns(line: &str) -> Option<(&str, &'static str, &str)> {
    let actions = ["ALLOW", "LIMIT", "DENY", "REJECT"];
    let (place, action) = actions
        .into_iter()
        .filter_map(|action| Some((line.find(&format!(" {action} "))?, action)))
        .min()?;
    let from = line[place + action.len() + 2..].trim();
    if from.starts_with("OUT") || from.starts_with("FWD") {
        return None;
    }
    let from = from.strip_prefix("IN ").unwrap_or(from).trim();
    Some((line[..place].trim(), action, from))
}

/// The ports in the column To: of a profile, or of the first word that has
/// some, behind an address and in front of an interface.
fn ports(to: &str) -> Option<Vec<(Vec<PortRange>, RuleProtocol)>> {
    let profile = PROFILES.iter().find(|(name, _)| *name == to);
    let specs: Vec<&str> = match profile {
        Some((_, specs)) => specs.to_vec(),
        None => to.split_whitespace().collect(),
    };
    let ports: Vec<_> = specs
        .into_iter()
        .filter_map(|spec| ports_with_protocol(spec, ':'))
        .collect();
    (!ports.is_empty()).then_some(ports)
}
