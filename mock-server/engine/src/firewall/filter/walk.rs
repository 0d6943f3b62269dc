//! The way of every packet through the chains of one address family, at once.
//!
//! What may still be undecided is carried along as a [`Flow`]: for each
//! interval of ports, whether any packet is left. A condition that only some
//! packets meet leaves packets on both of its sides, so what is refused here
//! is never less than what the kernel refuses.

use std::collections::HashSet;
use std::ops::Range;

use super::condition::{Family, Holds, Match, Ports};
use super::flow::{Cell, Flow, LostNames, altered, holds_interval, places, restore};
use super::model::{Base, ChainNo, Filter, Policy, RuleNo, Verdict};
use super::packet_state::{Alteration, State};
use super::partition::Partition;

/// Steps that a dump may ask for; a step is an interval of ports that a rule is for.
const MOST_STEPS: usize = 400_000;

/// What a rule counts for besides.
const RULE: usize = 4;

/// Intervals that count for one step where a rule changes nothing but what is known of them.
const GLANCES: usize = 8;

/// What an acceptance counts for besides, since it is kept.
const ACCEPTANCE: usize = 3;

/// Chains that may be entered from one another.
const DEEPEST: usize = 64;

/// That packets to an interval are refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Refusal {
    pub(super) extent: Extent,
    pub(super) cause: Cause,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Extent {
    All,
    Some,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    Rule(RuleNo),
    /// The policy that this line tells.
    Policy(u32),
    UnknownPolicy,
    /// A chain that this rule leads to, and that is not in the dump.
    MissingChain(RuleNo),
    TooComplex,
}

/// That packets to an interval are accepted, by a rule or a policy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acceptance {
    pub(super) interval: u32,
    pub(super) by: Acceptor,
    /// The rule that names the ports.
    pub(super) named_by: Option<RuleNo>,
    /// The rule that lets only some packets pass.
    pub(super) narrowed_by: Option<RuleNo>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Acceptor {
    Rule(RuleNo),
    /// The policy that this line tells.
    Policy(u32),
}

/// What became of the packets of one address family.
pub(super) struct Outcomes {
    /// The refusal of each interval, if there is one.
    pub(super) refusals: Vec<Option<Refusal>>,
    /// The rule that gives packets to each interval another destination.
    pub(super) translations: Vec<Option<RuleNo>>,
    pub(super) acceptances: Vec<Acceptance>,
    /// Rules that name what another one gives another destination, or that do so themselves.
    pub(super) publishers: HashSet<RuleNo>,
    /// Rules whose effect is told of another one, which names the ports.
    pub(super) told_elsewhere: HashSet<RuleNo>,
    /// Whether packets got into a chain without being narrowed, by chain.
    pub(super) is_entered: Vec<bool>,
    /// Rules that mark packets to ports which they name, with an interval of these.
    pub(super) markings: Vec<(RuleNo, u32)>,
    /// The rule by whose mark packets to each interval are accepted, if there is one.
    pub(super) mark_accepted: Vec<Option<RuleNo>>,
}

/// The packets of one family on their way.
struct Walk<'a> {
    filter: &'a Filter,
    partition: &'a Partition,
    runs: &'a [Vec<Range<usize>>],
    family: Family,
    steps_left: usize,
    outcomes: Outcomes,
    names: LostNames,
    /// Whether the present base chain comes before the kernel knows of connections.
    is_before_tracking: bool,
    /// What the present base chain lets through, by interval.
    passed: Vec<u8>,
}

/// What came back of packets that a rule sent to another chain.
struct SentOn {
    packets: Flow,
    /// Whether the chain refuses all of them, of a rule that is for every port but some.
    is_refused: bool,
}

/// Follows the packets of a family through its base chains.
pub(super) fn walk(
    filter: &Filter,
    partition: &Partition,
    runs: &[Vec<Range<usize>>],
    family: Family,
) -> Outcomes {
    let mut walk = Walk {
        filter,
        partition,
        runs,
        family,
        steps_left: MOST_STEPS,
        outcomes: Outcomes {
            refusals: vec![None; partition.len()],
            translations: vec![None; partition.len()],
            acceptances: Vec::new(),
            publishers: HashSet::new(),
            told_elsewhere: HashSet::new(),
            is_entered: vec![false; filter.chains.len()],
            markings: Vec::new(),
            mark_accepted: vec![None; partition.len()],
        },
        names: LostNames::default(),
        is_before_tracking: false,
        passed: vec![State::PLAIN.mask(); partition.len()],
    };
    for (chain, base) in inbound_bases(filter, family) {
        walk.base(chain, base);
    }
    walk.outcomes
}

/// The base chains of inbound packets, in their order.
pub(super) fn inbound_bases(filter: &Filter, family: Family) -> Vec<(ChainNo, Base)> {
    let mut bases: Vec<(ChainNo, Base)> = filter
        .chains
        .iter()
        .enumerate()
        .filter_map(|(place, chain)| Some((ChainNo(place), chain.base?)))
        .filter(|(_, base)| base.hook.is_inbound() && base.families.contain(family))
        .collect();
    bases.sort_by_key(|(_, base)| (base.hook, base.priority));
    bases
}

impl Walk<'_> {
    fn base(&mut self, chain: ChainNo, base: Base) {
        self.is_before_tracking = base.is_before_tracking();
        let passed = std::mem::take(&mut self.passed);
        self.passed = vec![0; passed.len()];
        let flow = (0..).zip(passed).filter(|(_, packets)| *packets != 0);
        let flow = flow.map(|(interval, packets)| Cell {
            interval,
            packets,
            named_by: None,
            narrowed_by: None,
            lost: None,
        });
        let left = self.chain(chain, flow.collect(), 0);
        for cell in left {
            match base.policy {
                Policy::Accept => self.accept(cell, Acceptor::Policy(base.line), cell.packets),
                Policy::Refuse => self.refuse(cell, Extent::All, Cause::Policy(base.line)),
                Policy::Unknown => self.refuse(cell, Extent::All, Cause::UnknownPolicy),
            }
        }
    }

    /// Follows packets through a chain; gives those that come out of its end.
    fn chain(&mut self, chain: ChainNo, mut flow: Flow, depth: usize) -> Flow {
        let filter = self.filter;
        if depth > DEEPEST {
            self.steps_left = 0;
        }
        let mut returned = Flow::new();
        self.outcomes.is_entered[chain.0] |= flow.iter().any(|cell| cell.narrowed_by.is_none());
        let mut taken = 0;
        for number in &filter.chains[chain.0].rules {
            if flow.is_empty() {
                break;
            }
            if self.steps_left == 0 || self.names.are_too_many() {
                self.give_up(&flow);
                flow.clear();
                break;
            }
            taken += self.rule(*number, &mut flow, &mut returned, depth);
            if 2 * taken > flow.len() {
                flow.retain(|cell| cell.packets != 0);
                taken = 0;
            }
        }
        flow.retain(|cell| cell.packets != 0);
        flow.extend(returned);
        self.names.merged(flow)
    }

    /// Applies a rule; gives to how many intervals it did.
    fn rule(
        &mut self,
        number: RuleNo,
        flow: &mut Flow,
        returned: &mut Flow,
        depth: usize,
    ) -> usize {
        let rule = self.filter.rule(number);
        self.spend(RULE);
        if rule.verdict == Verdict::Continue || !rule.matches.families.contain(self.family) {
            return 0;
        }
        if self.glance(number, flow) {
            return 0;
        }
        let matched = self.matched(number, flow);
        let taken = matched.len();
        match &rule.verdict {
            Verdict::Accept => {
                for cell in matched {
                    self.accept(cell, Acceptor::Rule(number), cell.packets);
                }
            }
            Verdict::Refuse => {
                let extent = extent(rule.matches.holds);
                for cell in matched {
                    self.refuse(cell, extent, Cause::Rule(number));
                }
                self.name_rest(number, flow);
            }
            Verdict::Jump(target) => {
                let after = self.send_on(number, *target, matched, depth);
                if after.is_refused {
                    self.name_rest(number, flow);
                }
                self.come_back(flow, after.packets, number);
            }
            Verdict::Goto(target) => {
                let after = self.send_on(number, *target, matched, depth);
                if after.is_refused {
                    self.name_rest(number, flow);
                }
                returned.extend(after.packets);
            }
            Verdict::Return => returned.extend(matched),
            Verdict::Translate => self.translate(number, matched),
            Verdict::Alter(alteration) => self.alter(number, flow, &matched, *alteration),
            Verdict::Continue => {}
            Verdict::Unknown(_) => {
                for cell in &matched {
                    self.refuse(*cell, Extent::Some, Cause::Rule(number));
                }
                restore(flow, &matched, |packets| packets);
            }
        }
        taken
    }

    /// Takes the packets that meet a rule out of a flow. What only some meet stays there as well.
    fn matched(&mut self, number: RuleNo, flow: &mut Flow) -> Flow {
        let places = places(flow, &self.runs[number.place()]);
        self.spend(places.len());
        let matches = &self.filter.rule(number).matches;
        let met = self.states(matches, |holds| holds != Holds::Never);
        let left = self.states(matches, |holds| holds == Holds::Always);
        let is_named = matches.names_ports();
        let mut matched = Flow::with_capacity(places.len());
        for place in places {
            let cell = &mut flow[place];
            let packets = cell.packets & met;
            if packets == 0 {
                continue;
            }
            let narrows = packets & left != packets;
            matched.push(Cell {
                packets,
                named_by: if is_named {
                    Some(number)
                } else {
                    cell.named_by
                },
                narrowed_by: cell.narrowed_by.or(narrows.then_some(number)),
                lost: if is_named { None } else { cell.lost },
                ..*cell
            });
            cell.packets &= !(packets & left);
        }
        matched
    }

    /// Gives packets another destination.
    fn translate(&mut self, number: RuleNo, matched: Flow) {
        for cell in matched {
            let told = cell.named_by.unwrap_or(number);
            self.outcomes.translations[cell.interval as usize].get_or_insert(told);
            self.outcomes.publishers.insert(told);
            if told != number {
                self.outcomes.told_elsewhere.insert(number);
            }
        }
    }

    /// The states for whose packets a rule holds in such a way.
    fn states(&self, matches: &Match, is_such: impl Fn(Holds) -> bool) -> u8 {
        let states = State::ALL.into_iter().filter(|state| {
            let seen = match self.is_before_tracking {
                true => state.before_tracking(),
                false => *state,
            };
            is_such(matches.holds_in(seen))
        });
        states.fold(0, |all, state| all | state.mask())
    }

    /// Gives packets that meet a rule a mark, or takes them out of tracking, and gives them back to the flow.
    fn alter(&mut self, number: RuleNo, flow: &mut Flow, matched: &Flow, alteration: Alteration) {
        // Of a packet whose connection is known, nothing is changed by not tracking it.
        let is_late = alteration == Alteration::Untrack && !self.is_before_tracking;
        restore(flow, matched, |packets| match is_late {
            true => packets,
            false => altered(packets, alteration),
        });
        if alteration == Alteration::Mark && self.filter.rule(number).matches.names_ports() {
            self.spend(ACCEPTANCE * matched.len());
            let markings = matched.iter().map(|cell| (number, cell.interval));
            self.outcomes.markings.extend(markings);
        }
    }

    /// Applies a rule that changes no flow, since only some packets meet it; whether it was one.
    fn glance(&mut self, number: RuleNo, flow: &Flow) -> bool {
        let rule = self.filter.rule(number);
        if !rule.matches.is_vague() {
            return false;
        }
        match rule.verdict {
            Verdict::Refuse => self.refuse_some(number, flow),
            Verdict::Accept if !rule.matches.names_ports() => self.accept_some(number, flow),
            _ => return false,
        }
        true
    }

    /// A rule that refuses some packets leaves all of them where they are: others go on.
    fn refuse_some(&mut self, number: RuleNo, flow: &Flow) {
        let places = places(flow, &self.runs[number.place()]);
        self.spend(places.len() / GLANCES);
        for place in places {
            if flow[place].packets != 0 {
                self.refuse(flow[place], Extent::Some, Cause::Rule(number));
            }
        }
    }

    /// So does one that accepts some; where it names no port, one interval tells of it.
    fn accept_some(&mut self, number: RuleNo, flow: &Flow) {
        let places = places(flow, &self.runs[number.place()]);
        self.spend(places.len() / GLANCES);
        let mut is_told = false;
        for place in places {
            let cell = flow[place];
            if cell.packets == 0 {
                continue;
            }
            self.passed[cell.interval as usize] |= cell.packets;
            if !is_told || cell.named_by.is_some() || cell.lost.is_some() {
                let narrowed_by = cell.narrowed_by.or(Some(number));
                let cell = Cell {
                    narrowed_by,
                    ..cell
                };
                self.accept(cell, Acceptor::Rule(number), cell.packets);
                is_told = true;
            }
        }
    }

    /// Sends packets on to another chain.
    fn send_on(&mut self, by: RuleNo, target: ChainNo, sent: Flow, depth: usize) -> SentOn {
        let excepts = matches!(self.filter.rule(by).matches.ports, Ports::Except(_));
        // Only what a rule leaves that refuses all else is told of it.
        let intervals: Vec<u32> = match excepts {
            true => sent.iter().map(|cell| cell.interval).collect(),
            false => Vec::new(),
        };
        let packets = self.enter(target, sent, by, depth);
        let refusal = |interval: &u32| self.outcomes.refusals[*interval as usize];
        let is_refused = |interval| {
            matches!(
                refusal(interval),
                Some(Refusal {
                    extent: Extent::All,
                    ..
                })
            )
        };
        SentOn {
            is_refused: packets.is_empty()
                && !intervals.is_empty()
                && intervals.iter().all(is_refused),
            packets,
        }
    }

    fn enter(&mut self, target: ChainNo, flow: Flow, by: RuleNo, depth: usize) -> Flow {
        if self.filter.chains[target.0].is_defined {
            return self.chain(target, flow, depth + 1);
        }
        for cell in &flow {
            self.refuse(*cell, Extent::Some, Cause::MissingChain(by));
        }
        flow
    }

    fn accept(&mut self, cell: Cell, by: Acceptor, packets: u8) {
        self.passed[cell.interval as usize] |= packets;
        self.spend(ACCEPTANCE);
        if let (Acceptor::Rule(by), Some(_)) = (by, cell.named_by) {
            self.outcomes.told_elsewhere.insert(by);
        }
        self.outcomes.acceptances.push(Acceptance {
            interval: cell.interval,
            by,
            named_by: cell.named_by,
            narrowed_by: cell.narrowed_by,
        });
        self.accept_lost(cell, by);
        if let Some(narrowed_by) = cell.narrowed_by
            && self.filter.rule(narrowed_by).matches.asks_for_mark()
        {
            self.outcomes.mark_accepted[cell.interval as usize].get_or_insert(narrowed_by);
        }
    }

    /// What is accepted is told of each rule that named it on its way.
    fn accept_lost(&mut self, cell: Cell, by: Acceptor) {
        let lost = self.names.of(cell.lost);
        let told = lost.map(|lost| Acceptance {
            interval: cell.interval,
            by,
            named_by: Some(lost.named_by),
            narrowed_by: lost.narrowed_by.or(cell.narrowed_by),
        });
        let before = self.outcomes.acceptances.len();
        self.outcomes.acceptances.extend(told.take(self.steps_left));
        self.spend(ACCEPTANCE * (self.outcomes.acceptances.len() - before));
    }

    fn refuse(&mut self, cell: Cell, extent: Extent, cause: Cause) {
        let extent = match cell.narrowed_by {
            Some(_) => Extent::Some,
            None => extent,
        };
        let refusal = &mut self.outcomes.refusals[cell.interval as usize];
        let is_known = |known: &Refusal| known.extent == Extent::All || extent == Extent::Some;
        if !refusal.as_ref().is_some_and(is_known) {
            *refusal = Some(Refusal { extent, cause });
        }
    }

    /// A rule that refuses every port but some names those.
    fn name_rest(&mut self, number: RuleNo, flow: &mut Flow) {
        let matches = &self.filter.rule(number).matches;
        let Ports::Except(_) = matches.ports else {
            return;
        };
        if matches.holds != Holds::Always {
            return;
        }
        let protocols = matches.protocols;
        self.spend(flow.len());
        for cell in flow.iter_mut().filter(|cell| cell.packets != 0) {
            let interval = cell.interval as usize;
            let is_about = protocols.has(self.partition.protocol(interval));
            let is_left = !holds_interval(&self.runs[number.place()], interval);
            if is_about && is_left && cell.named_by.is_none() {
                cell.named_by = Some(number);
            }
        }
    }

    /// Puts what came back from a chain into the flow that it was taken from.
    fn come_back(&mut self, flow: &mut Flow, after: Flow, jump: RuleNo) {
        for mut cell in after {
            let Ok(place) = flow.binary_search_by_key(&cell.interval, |old| old.interval) else {
                continue;
            };
            let old = &mut flow[place];
            // What the jump itself said of the packets ends with the chain.
            if cell.named_by == Some(jump) {
                cell.named_by = old.named_by;
            }
            if cell.narrowed_by == Some(jump) {
                cell.narrowed_by = old.narrowed_by;
            }
            match old.packets {
                0 => *old = cell,
                _ => *old = self.names.together(*old, cell),
            }
        }
    }

    fn give_up(&mut self, flow: &Flow) {
        for cell in flow.iter().filter(|cell| cell.packets != 0) {
            self.refuse(*cell, Extent::Some, Cause::TooComplex);
        }
    }

    fn spend(&mut self, steps: usize) {
        self.steps_left = self.steps_left.saturating_sub(steps);
    }
}

fn extent(holds: Holds) -> Extent {
    match holds {
        Holds::Always => Extent::All,
        Holds::Sometimes | Holds::Never => Extent::Some,
    }
}
