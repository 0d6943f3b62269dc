//! `nft list ruleset`.

use std::collections::BTreeMap;

use super::chains::{Chains, Effect, NO_PORT, Reading, Statement, WHOLE_RANGE, rule_protocol};
use super::specs::{ALL_PORTS, port_range, protocol, words};
use crate::values::{PortRange, Protocol, RuleProtocol};

/// Reads a dump; `None` when no table with a chain is in it.
pub(super) fn read(content: &str) -> Option<Reading> {
    let sets = named_sets(content);
    let mut chains = Chains::default();
    let (mut table, mut chain) = (String::new(), None);
    let mut known = false;
    for (place, line) in content.lines().enumerate() {
        if chains.are_full() {
            break;
        }
        let line = line.split(" # handle").next().unwrap_or(line).trim();
        if let Some(name) = block(line, "table ") {
            table = name.to_owned();
        } else if let Some(name) = block(line, "chain ") {
            chain = Some(format!("{table}/{name}"));
            known = true;
        } else if line == "}" {
            chain = None;
        } else if let Some(chain) = &chain {
            if line.starts_with("type filter hook input ") {
                chains.inputs.insert(chain.clone());
            } else if let Some(effect) = Expression::parse(line).effect(&table, &sets) {
                chains.push(chain, Statement::new(place + 1, line, effect));
            }
        }
    }
    known.then(|| chains.reading())
}

/// The name of a block that this line opens.
fn block<'a>(line: &'a str, kind: &str) -> Option<&'a str> {
    let name = line.strip_prefix(kind)?.strip_suffix('{')?;
    Some(name.trim())
}

/// The elements of the named sets, by table and name.
fn named_sets(content: &str) -> BTreeMap<String, Vec<String>> {
    let mut sets: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut table, mut set, mut reading) = ("", None, false);
    for line in content.lines().map(str::trim) {
        if let Some(name) = block(line, "table ") {
            table = name;
        } else if let Some(name) = block(line, "set ") {
            set = Some(format!("{table}/{name}"));
        } else if line == "}" {
            set = None;
            reading = false;
        } else if let Some(set) = &set {
            let elements = match line.strip_prefix("elements = {") {
                Some(first) => first,
                None if reading => line,
                None => continue,
            };
            let known = sets.entry(set.clone()).or_default();
            known.extend(elements_of(elements.trim_end_matches('}')));
            reading = !elements.ends_with('}');
        }
    }
    sets
}

/// The elements of a list, without timeouts and comments.
fn elements_of(list: &str) -> impl Iterator<Item = String> {
    list.split(',')
        .filter_map(|element| element.split_whitespace().next())
        .map(str::to_owned)
}

/// The parts of a rule that matter.
#[derive(Default)]
struct Expression {
    /// What stands for the protocol: `tcp`, `udp`, `th`.
    transport: Option<String>,
    /// From `meta l4proto` or `ip protocol`.
    l4_protocols: Vec<String>,
    ports: Option<Ports>,
    verdict: Option<Verdict>,
    /// Why it accepts nothing that could be suggested.
    unusable: Option<&'static str>,
    /// Whether it applies to some packets only, besides protocol and port.
    narrowed: bool,
}

enum Ports {
    Listed(Vec<String>),
    Named(String),
    /// Ports with the verdict of each.
    Verdicts(Vec<(String, String)>),
}

enum Verdict {
    Accept,
    Block,
    Jump(String),
}

impl Expression {
    fn parse(line: &str) -> Self {
        let spaced = line.replace('{', " { ").replace('}', " } ");
        let spaced = spaced.replace(',', " , ");
        let mut expression = Self::default();
        let words = words(&spaced);
        let mut rest = words.as_slice();
        while let Some((word, after)) = rest.split_first() {
            rest = expression.take(word, after);
        }
        expression
    }

    /// Takes one part and gives what comes after it.
    fn take<'a>(&mut self, word: &str, after: &'a [String]) -> &'a [String] {
        let next = after.first().map_or("", String::as_str);
        match (word, next) {
            ("tcp" | "udp" | "th", "dport") => {
                self.transport = Some(word.to_owned());
                self.take_ports(&after[1..])
            }
            ("meta", "l4proto") | ("ip", "protocol") | ("ip6", "nexthdr") => {
                let (protocols, rest) = values(&after[1..]);
                self.l4_protocols = protocols;
                rest
            }
            ("accept", _) => self.decide(Verdict::Accept, after),
            ("drop" | "reject", _) => {
                self.decide(Verdict::Block, after);
                // `reject with tcp reset` is no match.
                &[]
            }
            ("jump" | "goto", chain) => {
                self.verdict = Some(Verdict::Jump(chain.to_owned()));
                &[]
            }
            ("counter", "packets") => after.get(4..).unwrap_or(&[]),
            ("counter" | ",", _) => after,
            ("comment" | "prefix", _) => after.get(1..).unwrap_or(&[]),
            ("iif" | "iifname", "lo") => {
                self.narrowed = true;
                self.unusable = Some("it accepts on the loopback interface only");
                &after[1..]
            }
            ("ct", "state") => {
                let (states, rest) = values(&after[1..]);
                self.narrowed = true;
                if !states.iter().any(|state| state == "new") {
                    self.unusable = Some("it accepts connections that exist already, no port");
                }
                rest
            }
            _ => {
                self.narrowed = true;
                after
            }
        }
    }

    fn decide<'a>(&mut self, verdict: Verdict, after: &'a [String]) -> &'a [String] {
        self.verdict = Some(verdict);
        after
    }

    fn take_ports<'a>(&mut self, after: &'a [String]) -> &'a [String] {
        match after.first().map(String::as_str) {
            Some("!=") => {
                self.narrowed = true;
                self.unusable = Some("it says what it excludes, not what it accepts");
                values(&after[1..]).1
            }
            Some("vmap") => {
                let (pairs, rest) = values(&after[1..]);
                self.ports = Some(Ports::Verdicts(verdicts(&pairs)));
                rest
            }
            Some(set) if set.starts_with('@') => {
                self.ports = Some(Ports::Named(set[1..].to_owned()));
                &after[1..]
            }
            _ => {
                let (listed, rest) = values(after);
                self.ports = Some(Ports::Listed(listed));
                rest
            }
        }
    }

    /// What the rule does; none for one that only counts or logs, or that
    /// blocks some packets.
    fn effect(self, table: &str, sets: &BTreeMap<String, Vec<String>>) -> Option<Effect> {
        let by_port = matches!(self.ports, Some(Ports::Verdicts(_)));
        match &self.verdict {
            Some(Verdict::Jump(chain)) => Some(Effect::Jump(format!("{table}/{chain}"))),
            Some(Verdict::Accept) => Some(self.accepts(table, sets)),
            Some(Verdict::Block) => self.blocks(table, sets),
            None if by_port => Some(self.accepts(table, sets)),
            None => None,
        }
    }

    fn accepts(&self, table: &str, sets: &BTreeMap<String, Vec<String>>) -> Effect {
        if let Some(reason) = self.unusable {
            return Effect::Skip(reason.to_owned());
        }
        let Some(protocols) = self.protocols() else {
            return Effect::Skip("it is about neither TCP nor UDP".to_owned());
        };
        if self.ports.is_none() {
            let reason = if self.narrowed { NO_PORT } else { WHOLE_RANGE };
            return Effect::Skip(reason.to_owned());
        }
        match self.ranges(table, sets) {
            Some(ranges) if ranges.is_empty() => Effect::Skip(NO_PORT.to_owned()),
            Some(ranges) => Effect::Accept(ranges, protocols),
            None => Effect::Skip("its ports cannot be read".to_owned()),
        }
    }

    fn blocks(&self, table: &str, sets: &BTreeMap<String, Vec<String>>) -> Option<Effect> {
        if self.narrowed {
            return None;
        }
        let ranges = match self.ports {
            Some(_) => self.ranges(table, sets)?,
            None => vec![PortRange::new(ALL_PORTS.0, ALL_PORTS.1)?],
        };
        Some(Effect::Block(ranges, self.protocols()?))
    }

    fn ranges(&self, table: &str, sets: &BTreeMap<String, Vec<String>>) -> Option<Vec<PortRange>> {
        let texts: Vec<&str> = match self.ports.as_ref()? {
            Ports::Listed(listed) => listed.iter().map(String::as_str).collect(),
            Ports::Named(set) => {
                let elements = sets.get(&format!("{table}/{set}"))?;
                elements.iter().map(String::as_str).collect()
            }
            Ports::Verdicts(pairs) => {
                let accepted = pairs.iter().filter(|(_, verdict)| verdict == "accept");
                accepted.map(|(ports, _)| ports.as_str()).collect()
            }
        };
        texts
            .into_iter()
            .map(|text| port_range(text, '-'))
            .collect()
    }

    fn protocols(&self) -> Option<RuleProtocol> {
        let both = [Protocol::Tcp, Protocol::Udp];
        match self.transport.as_deref() {
            Some("tcp") => Some(RuleProtocol::Tcp),
            Some("udp") => Some(RuleProtocol::Udp),
            _ if self.l4_protocols.is_empty() => rule_protocol(&both),
            _ => {
                let named = self.l4_protocols.iter().filter_map(|name| protocol(name));
                rule_protocol(&named.collect::<Vec<Protocol>>())
            }
        }
    }
}

/// A value, a comma list or a `{ set }`, and what comes after it.
fn values(words: &[String]) -> (Vec<String>, &[String]) {
    if words.first().is_some_and(|word| word == "{") {
        let end = words.iter().position(|word| word == "}");
        let end = end.unwrap_or(words.len());
        let inside = words.get(1..end).unwrap_or(&[]);
        let listed = inside.iter().filter(|word| *word != ",").cloned();
        return (listed.collect(), words.get(end + 1..).unwrap_or(&[]));
    }
    let mut taken = Vec::new();
    let mut rest = words;
    while let Some((word, after)) = rest.split_first() {
        taken.push(word.clone());
        rest = after;
        match rest.split_first() {
            Some((comma, after)) if comma == "," => rest = after,
            _ => break,
        }
    }
    (taken, rest)
}

/// `22 : accept` pairs out of the words of a verdict map.
fn verdicts(words: &[String]) -> Vec<(String, String)> {
    words
        .split(|word| word == ":")
        .collect::<Vec<_>>()
        .windows(2)
        .filter_map(|pair| Some((pair[0].last()?.clone(), pair[1].first()?.clone())))
        .collect()
}
