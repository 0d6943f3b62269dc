//! What the chains of a filter let in: a walk for each address family, and
//! what each line comes to in both together.

use std::ops::Range;

use super::condition::{Family, Holds, Reason};
use super::model::{ChainNo, Filter, Hook, RuleNo, Verdict};
use super::partition::Partition;
use super::walk::{Acceptance, Acceptor, Cause, Extent, Outcomes, Refusal, inbound_bases, walk};
use super::ways::{Standing, Ways};
use crate::values::{PortRange, Protocol, RuleProtocol};

/// Ports that no packet gets to, or not all, since this line refuses them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Refused {
    pub(crate) line: u32,
    pub(crate) ports: PortRange,
    pub(crate) protocol: RuleProtocol,
}

/// What became of the packets to the host.
pub(super) struct Evaluation<'a> {
    pub(super) filter: &'a Filter,
    partition: Partition,
    outcomes: Vec<Outcome>,
    ways: Ways,
}

/// What became of those of one family.
pub(super) struct Outcome {
    outcomes: Outcomes,
    /// Whether the dump has a filter for packets to the host.
    has_input: bool,
    /// Acceptances by the rule that they are told of: the one that names the ports, else the one that accepts.
    by_rule: Vec<(RuleNo, Acceptance)>,
    /// Whether a rule accepts all packets that get to it, by interval.
    is_accepted_by_rule: Vec<bool>,
    /// The lines that tell the policies of the filter for packets to the host; the chain of address translation comes
    /// after it, and its policy opens nothing.
    input_policies: Vec<u32>,
}

impl Outcome {
    fn new(filter: &Filter, family: Family, outcomes: Outcomes) -> Self {
        let bases = inbound_bases(filter, family);
        let has_input = bases.iter().any(|(_, base)| base.hook == Hook::Input);
        let inputs = bases.iter().filter(|(_, base)| base.is_input_filter());
        let input_policies = inputs.map(|(_, base)| base.line).collect();
        let mut is_accepted_by_rule = vec![false; outcomes.refusals.len()];
        let mut by_rule = Vec::new();
        for acceptance in &outcomes.acceptances {
            let rule = match acceptance.by {
                Acceptor::Rule(rule) => acceptance.named_by.or(Some(rule)),
                Acceptor::Policy(_) => acceptance.named_by,
            };
            if let Some(rule) = rule {
                by_rule.push((rule, *acceptance));
                is_accepted_by_rule[acceptance.interval as usize] |=
                    acceptance.narrowed_by.is_none();
            }
        }
        // What marks packets is told of what is accepted by its mark only.
        for (rule, interval) in &outcomes.markings {
            let accepted_by = outcomes.mark_accepted[*interval as usize];
            let is_refused_without = outcomes.refusals[*interval as usize].is_some();
            if let Some(accepted_by) = accepted_by.filter(|_| is_refused_without) {
                let acceptance = Acceptance {
                    interval: *interval,
                    by: Acceptor::Rule(accepted_by),
                    named_by: Some(*rule),
                    narrowed_by: Some(accepted_by),
                };
                by_rule.push((*rule, acceptance));
            }
        }
        by_rule.sort_by_key(|(rule, acceptance)| (*rule, acceptance.interval));
        Self {
            outcomes,
            has_input,
            by_rule,
            is_accepted_by_rule,
            input_policies,
        }
    }

    /// The acceptances that are told of a rule, by interval.
    fn acceptances(&self, rule: RuleNo) -> &[(RuleNo, Acceptance)] {
        let first = self.by_rule.partition_point(|(other, _)| *other < rule);
        let after = self.by_rule.partition_point(|(other, _)| *other <= rule);
        &self.by_rule[first..after]
    }

    fn is_open(&self, interval: usize) -> bool {
        self.has_input
            && self.outcomes.refusals[interval].is_none()
            && self.outcomes.translations[interval].is_none()
    }

    /// The policy that alone accepts an interval: of one that nothing refuses, else of one that a rule refuses to some
    /// packets, with that refusal.
    fn open_by_policy(&self) -> Option<OpenPolicy> {
        let accepted = self.outcomes.acceptances.iter().rev();
        let by_policy = accepted.filter_map(|acceptance| match acceptance.by {
            Acceptor::Policy(line) => Some((line, acceptance.interval as usize)),
            Acceptor::Rule(_) => None,
        });
        let by_policy = by_policy.filter(|(_, interval)| !self.is_accepted_by_rule[*interval]);
        let mut of_input = by_policy
            .clone()
            .filter(|(line, _)| self.input_policies.contains(line));
        let mut lines = of_input.clone().chain(by_policy);
        if let Some((line, _)) = lines.find(|(_, interval)| self.is_open(*interval)) {
            return Some(OpenPolicy {
                line,
                refusal: None,
            });
        }
        of_input.find_map(|(line, interval)| {
            let refusal = self.outcomes.refusals[interval]?;
            let is_partial =
                refusal.extent == Extent::Some && self.outcomes.translations[interval].is_none();
            is_partial.then_some(OpenPolicy {
                line,
                refusal: Some(refusal),
            })
        })
    }
}

/// A policy that lets in what no rule decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct OpenPolicy {
    line: u32,
    /// Why not all packets are among it.
    refusal: Option<Refusal>,
}

impl<'a> Evaluation<'a> {
    pub(super) fn of(filter: &'a Filter) -> Self {
        let partition = Partition::of(filter);
        let runs: Vec<Vec<Range<usize>>> = filter
            .rules
            .iter()
            .map(|rule| partition.runs(&rule.matches))
            .collect();
        let families = [Family::V4, Family::V6].into_iter();
        let outcomes = families
            .map(|family| Outcome::new(filter, family, walk(filter, &partition, &runs, family)))
            .collect();
        Self {
            filter,
            partition,
            outcomes,
            ways: Ways::of(filter),
        }
    }

    /// Whether any rule accepts or names what is accepted: `None` when this one has nothing to tell.
    pub(super) fn is_told(&self, rule: RuleNo) -> bool {
        match self.filter.rule(rule).verdict {
            Verdict::Accept | Verdict::Translate | Verdict::Unknown(_) => true,
            _ if self.goes_to_missing_chain(rule) => true,
            _ if self.is_exemption(rule) => true,
            _ => self.outcomes.iter().any(|outcome| {
                !outcome.acceptances(rule).is_empty() || outcome.outcomes.publishers.contains(&rule)
            }),
        }
    }

    fn is_entered(&self, chain: ChainNo) -> bool {
        let mut outcomes = self.outcomes.iter();
        outcomes.any(|outcome| outcome.outcomes.is_entered[chain.0])
    }

    /// Whether a rule sends packets, though none from the internet, to where they are accepted: out of a chain that
    /// refuses, to one that accepts, or, where it names no port, to one whose line is told of others.
    fn is_exemption(&self, number: RuleNo) -> bool {
        let rule = self.filter.rule(number);
        let owner = self.filter.owner(number);
        if rule.matches.holds != Holds::Never && self.is_entered(owner) {
            return false;
        }
        let names_ports = rule.matches.names_ports();
        match rule.verdict {
            Verdict::Jump(target) | Verdict::Goto(target) if names_ports => {
                self.ways.accepts(target)
            }
            Verdict::Jump(target) | Verdict::Goto(target) => {
                self.is_entered(target) && self.filter.accepts_everything(target)
            }
            Verdict::Return => names_ports,
            _ => false,
        }
    }

    /// Whether it names, or is, a rule that gives packets another destination.
    fn publishes(&self, rule: RuleNo) -> bool {
        let mut outcomes = self.outcomes.iter();
        let matches = &self.filter.rule(rule).matches;
        // What is published to programs on the host alone is not published.
        let is_inside = matches.holds == Holds::Never && matches.reason == Some(Reason::Loopback);
        (self.filter.rule(rule).verdict == Verdict::Translate && !is_inside)
            || outcomes.any(|outcome| outcome.outcomes.publishers.contains(&rule))
    }

    /// Ports that a line refuses in each family that the filter is about, in runs of the same.
    pub(super) fn refused_by_rules(&self) -> Vec<Refused> {
        let outcomes: Vec<&Outcome> = self.outcomes.iter().filter(|one| one.has_input).collect();
        let mut runs: Vec<(Range<usize>, u32)> = Vec::new();
        for interval in 0..self.partition.len() {
            let lines = outcomes.iter().map(|one| self.refusing_line(one, interval));
            let Some(line) = lines
                .collect::<Option<Vec<u32>>>()
                .and_then(|all| all.first().copied())
            else {
                continue;
            };
            let is_new_protocol = interval * 2 == self.partition.len();
            match runs.last_mut() {
                Some((run, last)) if *last == line && run.end == interval && !is_new_protocol => {
                    run.end = interval + 1;
                }
                _ => runs.push((interval..interval + 1, line)),
            }
        }
        let refused = runs.into_iter().filter_map(|(run, line)| {
            Some(Refused {
                line,
                protocol: match self.partition.protocol(run.start) {
                    Protocol::Tcp => RuleProtocol::Tcp,
                    Protocol::Udp => RuleProtocol::Udp,
                },
                ports: self.partition.ports(run)?,
            })
        });
        refused.collect()
    }

    /// The line of the rule that refuses packets to an interval, if one does.
    fn refusing_line(&self, outcome: &Outcome, interval: usize) -> Option<u32> {
        match outcome.outcomes.refusals[interval]?.cause {
            Cause::Rule(rule) => {
                let rule = self.filter.rule(rule);
                (rule.verdict == Verdict::Refuse).then_some(rule.line)
            }
            _ => None,
        }
    }

    /// The policies that accept what no line decides, each with what some packets are refused by.
    pub(super) fn open_policies(&self) -> Vec<(u32, Option<String>)> {
        let mut policies: Vec<OpenPolicy> = Vec::new();
        for policy in self.outcomes.iter().filter_map(Outcome::open_by_policy) {
            match policies.iter_mut().find(|known| known.line == policy.line) {
                Some(known) if policy.refusal.is_none() => known.refusal = None,
                Some(_) => {}
                None => policies.push(policy),
            }
        }
        let refusing = |refusal: Refusal| match refusal.cause {
            Cause::Rule(rule) if self.filter.rule(rule).verdict == Verdict::Refuse => {
                Some(self.refusing_words(refusal))
            }
            _ => None,
        };
        let told = policies
            .into_iter()
            .filter_map(|policy| match policy.refusal {
                None => Some((policy.line, None)),
                Some(refusal) => Some((policy.line, Some(refusing(refusal)?))),
            });
        told.collect()
    }

    /// `line 7 refuses some sources`.
    fn refusing_words(&self, refusal: Refusal) -> String {
        let words = self.refusal(refusal);
        words.trim_end_matches(" first").to_owned()
    }

    /// How many steps it takes to tell what a rule comes to.
    pub(super) fn cost(&self, rule: RuleNo) -> usize {
        let matches = &self.filter.rule(rule).matches;
        let ranges = matches.ports.ranges().iter();
        let named: usize = ranges
            .map(|range| 1 + 2 * self.partition.intervals(*range, Protocol::Tcp).len())
            .sum();
        let told = self
            .outcomes
            .iter()
            .map(|outcome| outcome.acceptances(rule).len());
        1 + named + told.sum::<usize>()
    }

    /// Why it is not known what a rule does, if so.
    pub(super) fn unknown_verdict(&self, number: RuleNo) -> Option<String> {
        let reason = match &self.filter.rule(number).verdict {
            Verdict::Unknown(reason) => reason.to_string(),
            _ if self.goes_to_missing_chain(number) => {
                "it leads to a chain that is not in the dump".to_owned()
            }
            _ => return None,
        };
        let outside = self.ways.outside(self.filter.owner(number));
        let outside = outside.and_then(|standing| self.sentence(standing));
        Some(outside.unwrap_or(reason))
    }

    /// Whether a rule sends ports that it names to a chain that is not in the dump.
    fn goes_to_missing_chain(&self, number: RuleNo) -> bool {
        let rule = self.filter.rule(number);
        match rule.verdict {
            Verdict::Jump(target) | Verdict::Goto(target) => {
                rule.matches.names_ports() && !self.filter.chains[target.0].is_defined
            }
            _ => false,
        }
    }

    /// Whether packets were accepted that got past a rule which refuses every port but some.
    pub(super) fn is_named_by_exception(&self, rule: RuleNo) -> bool {
        let sends_away = matches!(
            self.filter.rule(rule).verdict,
            Verdict::Refuse | Verdict::Jump(_) | Verdict::Goto(_)
        );
        sends_away && self.is_told(rule)
    }

    /// What a rule comes to at the ports of a range, in runs of the same.
    pub(super) fn standings(
        &self,
        rule: RuleNo,
        range: PortRange,
        protocol: Protocol,
    ) -> Vec<(PortRange, Standing)> {
        let mut runs: Vec<(Range<usize>, Standing)> = Vec::new();
        for interval in self.partition.intervals(range, protocol) {
            let standing = self.standing(rule, interval);
            match runs.last_mut() {
                Some((run, last)) if *last == standing => run.end = interval + 1,
                _ => runs.push((interval..interval + 1, standing)),
            }
        }
        let runs = runs.into_iter();
        runs.filter_map(|(run, standing)| Some((self.partition.ports(run)?, standing)))
            .collect()
    }

    /// What a rule that names ports comes to at one of its intervals.
    fn standing(&self, rule: RuleNo, interval: usize) -> Standing {
        if self.publishes(rule) {
            return Standing::Published;
        }
        let standings = self.outcomes.iter();
        let mut standings = standings.map(|outcome| self.standing_in(outcome, rule, interval));
        let first = standings.next().unwrap_or(Standing::Decided);
        standings.fold(first, |best, other| match rank(other) < rank(best) {
            true => other,
            false => best,
        })
    }

    fn standing_in(&self, outcome: &Outcome, rule: RuleNo, interval: usize) -> Standing {
        let told = outcome.acceptances(rule);
        let first = told.partition_point(|(_, told)| (told.interval as usize) < interval);
        let here = told[first..]
            .iter()
            .map(|(_, acceptance)| acceptance)
            .take_while(|acceptance| acceptance.interval as usize == interval);
        let is_open = outcome.is_open(interval);
        let mut narrowed = None;
        for acceptance in here {
            match acceptance.narrowed_by {
                None if is_open => return Standing::Open,
                None => return self.lost(outcome, interval),
                Some(by) => narrowed = narrowed.or(Some(by)),
            }
        }
        match narrowed {
            Some(by) if matches!(self.filter.rule(rule).verdict, Verdict::Alter(_)) => {
                Standing::Marked(by)
            }
            Some(by) => Standing::Narrowed(by),
            None => self.unreached_in(outcome, rule, interval),
        }
    }

    /// Why an interval that a rule accepts is not open.
    fn lost(&self, outcome: &Outcome, interval: usize) -> Standing {
        match (
            outcome.outcomes.refusals[interval],
            outcome.outcomes.translations[interval],
        ) {
            (Some(refusal), _) => Standing::Refused(refusal),
            (None, Some(_)) => Standing::Published,
            (None, None) => Standing::Decided,
        }
    }

    /// Why no packet to an interval got to a rule that is for it.
    fn unreached_in(&self, outcome: &Outcome, rule: RuleNo, interval: usize) -> Standing {
        if matches!(self.filter.rule(rule).verdict, Verdict::Alter(_)) {
            return Standing::Silent;
        }
        let chain = self.filter.owner(rule);
        if let Some(outside) = self.ways.outside(chain) {
            return outside;
        }
        if self.filter.rule(rule).matches.holds != Holds::Always {
            return Standing::Narrowed(rule);
        }
        if !outcome.outcomes.is_entered[chain.0] {
            return self.ways.unreached(self.filter, chain);
        }
        match outcome.is_open(interval) {
            true => Standing::Open,
            false => self.lost(outcome, interval),
        }
    }

    /// What a rule that names no port comes to.
    pub(super) fn standing_of_unnamed(&self, rule: RuleNo) -> Standing {
        let mut outcomes = self.outcomes.iter();
        if outcomes.any(|outcome| outcome.outcomes.told_elsewhere.contains(&rule)) {
            return Standing::ToldElsewhere;
        }
        if self.publishes(rule) {
            return Standing::Published;
        }
        let mut best: Option<Standing> = None;
        for outcome in &self.outcomes {
            let mut last = None;
            for (_, acceptance) in outcome.acceptances(rule) {
                let interval = acceptance.interval as usize;
                if last != Some(interval) {
                    let standing = self.standing_in(outcome, rule, interval);
                    best = Some(match best {
                        Some(best) if rank(best) <= rank(standing) => best,
                        _ => standing,
                    });
                }
                last = Some(interval);
            }
        }
        best.unwrap_or_else(|| self.unreached_unnamed(rule))
    }

    fn unreached_unnamed(&self, rule: RuleNo) -> Standing {
        let chain = self.filter.owner(rule);
        if let Some(outside) = self.ways.outside(chain) {
            return outside;
        }
        if self.filter.rule(rule).matches.holds != Holds::Always {
            return Standing::Narrowed(rule);
        }
        let mut entered = self
            .outcomes
            .iter()
            .map(|outcome| outcome.outcomes.is_entered[chain.0]);
        match entered.any(|is_entered| is_entered) {
            true => Standing::Decided,
            false => self.ways.unreached(self.filter, chain),
        }
    }

    /// Why a standing is none to suggest; `None` for what is open or published.
    pub(super) fn sentence(&self, standing: Standing) -> Option<String> {
        match standing {
            Standing::Open | Standing::Published | Standing::ToldElsewhere | Standing::Silent => {
                None
            }
            Standing::Narrowed(by) => {
                let reason = self.filter.rule(by).matches.reason.as_ref();
                Some(reason.map_or_else(|| NARROWED.to_owned(), Reason::to_string))
            }
            Standing::Marked(by) => {
                let line = self.filter.rule(by).line;
                Some(format!(
                    "it sets a mark, and whether line {line} accepts packets that have it is not known"
                ))
            }
            Standing::Refused(refusal) => Some(self.refusal(refusal)),
            Standing::Decided => Some(DECIDED.to_owned()),
            Standing::Unreached(reason) => Some(reason.to_owned()),
        }
    }

    fn refusal(&self, refusal: Refusal) -> String {
        let what = match (refusal.extent, refusal.cause) {
            (Extent::All, _) => "it",
            (Extent::Some, Cause::Rule(rule))
                if self.filter.rule(rule).matches.reason == Some(Reason::Sources) =>
            {
                "some sources"
            }
            (Extent::Some, _) => "some packets",
        };
        match refusal.cause {
            Cause::Rule(rule) => {
                let rule = self.filter.rule(rule);
                match &rule.verdict {
                    Verdict::Unknown(reason) => format!("line {}: {reason}", rule.line),
                    _ => format!("line {} refuses {what} first", rule.line),
                }
            }
            Cause::Policy(line) => format!("line {line} refuses {what}"),
            Cause::UnknownPolicy => "the dump does not tell the policy".to_owned(),
            Cause::MissingChain(rule) => {
                let line = self.filter.rule(rule).line;
                format!("line {line} leads to a chain that is not in the dump")
            }
            Cause::TooComplex => TOO_COMPLEX.to_owned(),
        }
    }
}

pub(super) const TOO_COMPLEX: &str = "its chains are too complex to follow";
const DECIDED: &str = "earlier lines decide about every packet";
const NARROWED: &str = "it accepts some packets only: the mark or the tracking that it asks for is not there yet, or an earlier line changes it";

/// How much a standing says; the families' best counts.
fn rank(standing: Standing) -> u8 {
    match standing {
        Standing::Open | Standing::ToldElsewhere => 0,
        Standing::Narrowed(_) | Standing::Marked(_) => 1,
        Standing::Refused(_) => 2,
        Standing::Published => 3,
        Standing::Decided => 4,
        Standing::Unreached(_) => 5,
        Standing::Silent => 6,
    }
}
