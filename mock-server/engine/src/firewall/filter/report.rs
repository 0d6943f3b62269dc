//! What each line of a filter comes to: ports to suggest, and why the rest is not.

use std::collections::BTreeMap;

use super::condition::{Ports, Protocols};
use super::evaluation::{Evaluation, Refused, TOO_COMPLEX};
use super::model::{Filter, RuleNo, SkippedLine};
use super::ways::Standing;
use crate::values::{PortRange, Protocol, RuleProtocol};

/// What a dump accepts.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Reading {
    /// In the order of the dump.
    pub(crate) accepted: Vec<Accepted>,
    pub(crate) skipped: Vec<SkippedLine>,
    pub(crate) refused: Vec<Refused>,
}

/// Ports that every packet gets to, and that a line names.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Accepted {
    pub(crate) line: usize,
    pub(crate) ports: PortRange,
    pub(crate) protocol: RuleProtocol,
}

const WHOLE_RANGE: &str = "it accepts every port, which is too wide to suggest";
const EXCLUDES: &str = "it says what it excludes, not what it accepts";
const POLICY: &str =
    "the policy accepts every port that no line refuses, which is too wide to suggest";
const NO_PORT: &str = "it names no port";

/// Reasons that are told of one line, and ports of one reason.
const MOST_TOLD: usize = 20;

/// Reads off a filter what it accepts.
pub(crate) fn evaluate(filter: &Filter) -> Reading {
    let evaluation = &Evaluation::of(filter);
    let mut reading = Reading {
        accepted: Vec::new(),
        skipped: evaluation.filter.skipped.clone(),
        refused: evaluation.refused_by_rules(),
    };
    let mut lines: BTreeMap<u32, Vec<RuleNo>> = BTreeMap::new();
    for (_, number) in evaluation.filter.numbered_rules() {
        if evaluation.is_told(number) {
            let line = evaluation.filter.rule(number).line;
            lines.entry(line).or_default().push(number);
        }
    }
    let mut steps_left = MOST_STEPS;
    for (line, mut rules) in lines {
        rules.sort_unstable();
        let mut report = LineReport::default();
        for rule in rules {
            steps_left = steps_left.saturating_sub(evaluation.cost(rule));
            match steps_left {
                0 => report.explain(TOO_COMPLEX.to_owned(), None),
                _ => report.add(evaluation, rule),
            }
        }
        report.write(line as usize, &mut reading);
    }
    for (line, refused) in evaluation.open_policies() {
        let but = refused.map_or_else(String::new, |refused| format!(" ({refused})"));
        reading.skipped.push(SkippedLine {
            line: line as usize,
            reason: format!("{POLICY}{but}"),
        });
    }
    reading.skipped.sort_by_key(|skipped| skipped.line);
    reading
}

/// Intervals of ports that the lines of a dump may be told of.
const MOST_STEPS: usize = 150_000;

/// What one line comes to.
#[derive(Default)]
struct LineReport {
    accepted: Vec<(PortRange, RuleProtocol)>,
    /// With the ports that each is for; none where it is for no port in particular.
    reasons: Vec<Explanation>,
}

struct Explanation {
    reason: String,
    ports: Vec<String>,
    is_published: bool,
}

impl LineReport {
    fn add(&mut self, evaluation: &Evaluation<'_>, number: RuleNo) {
        if let Some(reason) = evaluation.unknown_verdict(number) {
            self.explain(reason, None);
            return;
        }
        let matches = &evaluation.filter.rule(number).matches;
        let named = match &matches.ports {
            // Ports of another protocol are not those that a rule could be for.
            _ if matches.protocols == Protocols::NEITHER => None,
            Ports::Listed(ranges) if matches.names_ports() => Some(ranges),
            // What is left of ports of which every other is refused.
            Ports::Except(ranges) if evaluation.is_named_by_exception(number) => Some(ranges),
            _ => None,
        };
        let Some(ranges) = named else {
            self.add_unnamed(evaluation, number);
            return;
        };
        if ranges.is_empty() {
            self.explain(NO_PORT.to_owned(), None);
        }
        for range in ranges {
            self.add_range(evaluation, number, *range, matches.protocols);
        }
    }

    fn add_range(
        &mut self,
        evaluation: &Evaluation<'_>,
        number: RuleNo,
        range: PortRange,
        protocols: Protocols,
    ) {
        let mut open = [Vec::new(), Vec::new()];
        for protocol in [Protocol::Tcp, Protocol::Udp] {
            if !protocols.has(protocol) {
                continue;
            }
            for (ports, standing) in evaluation.standings(number, range, protocol) {
                match standing {
                    Standing::Open => open[protocol as usize].push(ports),
                    standing => {
                        let ports = format!("{ports}/{}", protocol.name());
                        self.explain_standing(evaluation, standing, Some(ports));
                    }
                }
            }
        }
        let [tcp, udp] = open;
        if tcp == udp {
            self.accepted
                .extend(tcp.into_iter().map(|ports| (ports, RuleProtocol::Both)));
            return;
        }
        self.accepted
            .extend(tcp.into_iter().map(|ports| (ports, RuleProtocol::Tcp)));
        self.accepted
            .extend(udp.into_iter().map(|ports| (ports, RuleProtocol::Udp)));
    }

    fn add_unnamed(&mut self, evaluation: &Evaluation<'_>, number: RuleNo) {
        let is_exception = matches!(
            evaluation.filter.rule(number).matches.ports,
            Ports::Except(_)
        );
        match evaluation.standing_of_unnamed(number) {
            Standing::Open | Standing::ToldElsewhere if is_exception => {
                self.explain(EXCLUDES.to_owned(), None);
            }
            Standing::Open => self.explain(WHOLE_RANGE.to_owned(), None),
            standing => self.explain_standing(evaluation, standing, None),
        }
    }

    fn explain_standing(
        &mut self,
        evaluation: &Evaluation<'_>,
        standing: Standing,
        ports: Option<String>,
    ) {
        match evaluation.sentence(standing) {
            Some(reason) => self.explain(reason, ports),
            None if standing == Standing::Published => self.publish(ports),
            None => {}
        }
    }

    fn publish(&mut self, ports: Option<String>) {
        let is_known = self.reasons.iter().any(|known| known.is_published);
        if !is_known {
            self.reasons.push(Explanation {
                reason: String::new(),
                ports: Vec::new(),
                is_published: true,
            });
        }
        let published = self.reasons.iter_mut().find(|known| known.is_published);
        if let Some(published) = published {
            published.ports.extend(ports);
        }
    }

    fn explain(&mut self, reason: String, ports: Option<String>) {
        if let Some(known) = self.reasons.iter_mut().find(|known| known.reason == reason) {
            known.ports.extend(ports);
        } else if self.reasons.len() < MOST_TOLD {
            self.reasons.push(Explanation {
                reason,
                ports: ports.into_iter().collect(),
                is_published: false,
            });
        }
    }

    fn write(self, line: usize, reading: &mut Reading) {
        let is_whole = self.accepted.is_empty() && self.reasons.len() == 1;
        let accepted = self.accepted.into_iter();
        reading
            .accepted
            .extend(accepted.map(|(ports, protocol)| Accepted {
                line,
                ports,
                protocol,
            }));
        for explanation in self.reasons {
            let ports = listed(&explanation.ports);
            let reason = match (explanation.is_published, ports) {
                (true, Some(ports)) => {
                    format!("address translation publishes {ports}, which is no port of the host")
                }
                (true, None) => "address translation publishes it".to_owned(),
                (false, Some(ports)) if !is_whole => format!("{ports}: {}", explanation.reason),
                (false, _) => explanation.reason,
            };
            reading.skipped.push(SkippedLine { line, reason });
        }
    }
}

fn listed(ports: &[String]) -> Option<String> {
    let told = ports.iter().take(MOST_TOLD).cloned().collect::<Vec<_>>();
    match (told.is_empty(), ports.len().saturating_sub(MOST_TOLD)) {
        (true, _) => None,
        (false, 0) => Some(told.join(", ")),
        (false, more) => Some(format!("{} and {more} more", told.join(", "))),
    }
}
