//! Chains of a dump: readers turn lines into [`Statement`]s of chains, and what
//! the chains accept comes from here. A line that blocks ports for everybody
//! takes them out of the lines that follow in its chain.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::port_map::PortMap;
use crate::values::{PortRange, Protocol, RuleProtocol};

/// Port ranges that a dump may name; those of a set count wherever it is used.
pub(super) const MOST_NAMED: usize = 20_000;

/// Port ranges that a dump may accept.
pub(super) const MOST_ACCEPTED: usize = 2_000;

/// What a dump accepts.
#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct Reading {
    pub(super) accepted: Vec<Accepted>,
    pub(super) skipped: Vec<SkippedLine>,
    pub(super) size: Size,
}

/// Whether a dump is within what one call may ask for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum Size {
    #[default]
    Fits,
    /// What comes after that was not looked at.
    TooMuch,
}

/// A line that made no rule.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SkippedLine {
    /// Its number, from 1.
    pub line: usize,
    /// Why.
    pub reason: String,
}

/// Inbound ports that a line accepts.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Accepted {
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) ports: PortRange,
    pub(super) protocol: RuleProtocol,
}

impl Reading {
    pub(super) fn skip(&mut self, line: usize, reason: impl Into<String>) {
        let reason = reason.into();
        self.skipped.push(SkippedLine { line, reason });
    }
}

/// One line of a chain, understood.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Statement {
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) effect: Effect,
}

impl Statement {
    pub(crate) fn new(line: usize, text: &str, effect: Effect) -> Self {
        Self {
            line,
            text: text.chars().take(QUOTED).collect(),
            effect,
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Effect {
    /// Lets ports in, from wherever.
    Accept(Vec<PortRange>, RuleProtocol),
    /// Keeps ports out, whoever asks.
    Block(Vec<PortRange>, RuleProtocol),
    /// Goes through another chain.
    Jump(String),
    /// Accepts something that is no port to suggest, for this reason.
    Skip(String),
}

/// Characters of a line that are kept to be quoted.
const QUOTED: usize = 400;

pub(super) const WHOLE_RANGE: &str = "it accepts every port, which is too wide to suggest";
pub(super) const NO_PORT: &str = "it names no port";

/// The chains of a dump.
#[derive(Clone, Default, Debug)]
pub(super) struct Chains {
    statements: BTreeMap<String, Vec<Statement>>,
    /// Where inbound packets start.
    pub(super) inputs: BTreeSet<String>,
    /// Port ranges in all of them.
    named: usize,
}

impl Chains {
    pub(super) fn push(&mut self, chain: &str, statement: Statement) {
        if let Effect::Accept(ranges, _) | Effect::Block(ranges, _) = &statement.effect {
            self.named += ranges.len();
        }
        if self.are_full() {
            return;
        }
        let statements = self.statements.entry(chain.to_owned());
        statements.or_default().push(statement);
    }

    /// Whether more was named than a dump may name: nothing that follows is looked at.
    pub(super) fn are_full(&self) -> bool {
        self.named > MOST_NAMED
    }

    /// What inbound packets can reach, in the order of the dump.
    pub(super) fn reading(&self) -> Reading {
        let mut reading = Reading::default();
        if self.are_full() {
            reading.size = Size::TooMuch;
            return reading;
        }
        let mut waiting: Vec<&str> = self.inputs.iter().map(String::as_str).collect();
        let mut reached: BTreeSet<&str> = BTreeSet::new();
        while let Some(chain) = waiting.pop() {
            if !reached.insert(chain) {
                continue;
            }
            let statements = self.statements.get(chain).map_or(&[][..], Vec::as_slice);
            read_chain(statements, &mut reading);
            waiting.extend(
                statements
                    .iter()
                    .filter_map(|statement| match &statement.effect {
                        Effect::Jump(target) => Some(target.as_str()),
                        _ => None,
                    }),
            );
        }
        reading.accepted.sort_by_key(|accepted| accepted.line);
        reading.skipped.sort_by_key(|skipped| skipped.line);
        reading
    }
}

fn read_chain(statements: &[Statement], reading: &mut Reading) {
    let mut blocked = PortMap::new();
    for statement in statements {
        match &statement.effect {
            Effect::Jump(_) => {}
            Effect::Skip(reason) => reading.skip(statement.line, reason.as_str()),
            Effect::Block(ranges, protocol) => {
                for ports in ranges {
                    blocked.mark(*ports, *protocol);
                }
            }
            Effect::Accept(ranges, protocol) => {
                for ports in ranges {
                    accept(statement, *ports, *protocol, &blocked, reading);
                }
            }
        }
    }
}

/// Takes what earlier lines block out of what a line accepts.
fn accept(
    statement: &Statement,
    ports: PortRange,
    protocol: RuleProtocol,
    blocked: &PortMap,
    reading: &mut Reading,
) {
    let open = blocked.free_parts(ports, protocol);
    if open.is_empty() {
        reading.skip(statement.line, "an earlier line blocks it");
    }
    if reading.accepted.len() + open.len() > MOST_ACCEPTED {
        reading.size = Size::TooMuch;
        return;
    }
    reading
        .accepted
        .extend(open.into_iter().map(|(ports, protocol)| Accepted {
            line: statement.line,
            text: statement.text.clone(),
            ports,
            protocol,
        }));
}

/// The protocols a match names, as a rule has them.
pub(super) fn rule_protocol(protocols: &[Protocol]) -> Option<RuleProtocol> {
    match (
        protocols.contains(&Protocol::Tcp),
        protocols.contains(&Protocol::Udp),
    ) {
        (true, true) => Some(RuleProtocol::Both),
        (true, false) => Some(RuleProtocol::Tcp),
        (false, true) => Some(RuleProtocol::Udp),
        (false, false) => None,
    }
}
