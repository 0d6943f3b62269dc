//! The parts of a packet filter.

use std::collections::HashMap;
use std::num::NonZeroU32;

use serde::Serialize;

use super::condition::{Condition, Families, Holds, Match, Reason};
use super::packet_state::Alteration;

/// The place of a chain in its filter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct ChainNo(pub(super) usize);

/// The place of a rule in its filter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct RuleNo(NonZeroU32);

impl RuleNo {
    pub(super) fn place(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// What a rule does with the packets that meet its condition.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Verdict {
    Accept,
    Refuse,
    /// Goes through another chain and comes back.
    Jump(ChainNo),
    /// Goes through another chain and does not come back.
    Goto(ChainNo),
    Return,
    /// Gives the packet another destination (DNAT, REDIRECT).
    Translate,
    /// Gives the packet a mark, or takes it out of connection tracking; the next rule decides.
    Alter(Alteration),
    /// Counts or logs; the next rule decides.
    Continue,
    /// The reader does not know what it does, for this reason.
    Unknown(Reason),
}

/// A line of a chain, or one of the alternatives that a line has.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Rule {
    /// The line of the dump, from 1.
    pub(crate) line: u32,
    pub(crate) matches: Match,
    pub(crate) verdict: Verdict,
}

/// What becomes of packets that no rule of a base chain decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Policy {
    Accept,
    Refuse,
    /// The dump does not say.
    Unknown,
}

/// Where in the kernel a base chain stands, in the order of a packet's way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Hook {
    Ingress,
    Prerouting,
    Input,
    Forward,
    Output,
}

impl Hook {
    /// Whether packets to the host come through it.
    pub(super) fn is_inbound(self) -> bool {
        self <= Self::Input
    }
}

/// What makes a chain one that packets start in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Base {
    pub(crate) hook: Hook,
    pub(crate) priority: i32,
    pub(crate) families: Families,
    pub(crate) policy: Policy,
    /// The line that tells the policy.
    pub(crate) line: u32,
}

impl Base {
    /// Whether it filters packets to the host, and does not stand where their addresses are translated behind that.
    pub(super) fn is_input_filter(&self) -> bool {
        self.hook == Hook::Input && self.priority != SOURCE_TRANSLATION
    }

    /// Whether the kernel has looked up no connection for the packets that start here: none is new, established or
    /// invalid by what it asks later.
    pub(super) fn is_before_tracking(&self) -> bool {
        match self.hook {
            Hook::Ingress => true,
            Hook::Prerouting => self.priority <= TRACKING,
            Hook::Input | Hook::Forward | Hook::Output => false,
        }
    }
}

/// Where the kernel has its own translation for packets that come to the host.
const SOURCE_TRANSLATION: i32 = 100;

/// The priority at which the kernel looks up connections.
const TRACKING: i32 = -200;

/// A list of rules.
#[derive(Clone, Default, Debug)]
pub(super) struct Chain {
    pub(super) base: Option<Base>,
    pub(super) is_defined: bool,
    pub(super) rules: Vec<RuleNo>,
}

/// A line that made no rule.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SkippedLine {
    /// Its number, from 1.
    pub line: usize,
    /// Why.
    pub reason: String,
}

/// Port ranges that a dump may name; those of a set count wherever it is used.
pub(crate) const MOST_NAMED: usize = 20_000;

/// Rules that a dump may have, which bounds the memory that one call takes.
pub(crate) const MOST_RULES: usize = 12_000;

/// A packet filter.
#[derive(Default, Debug)]
pub(crate) struct Filter {
    pub(super) chains: Vec<Chain>,
    numbers: HashMap<String, ChainNo>,
    pub(super) rules: Vec<Rule>,
    /// The chain of each rule.
    owners: Vec<ChainNo>,
    /// Lines that could not be read, or that no chain holds.
    pub(super) skipped: Vec<SkippedLine>,
    named: usize,
    /// Whether a front end met more rules than a dump may have.
    has_too_many_rules: bool,
}

impl Filter {
    /// The chain of this name, which must be unique over tables and families.
    pub(crate) fn chain(&mut self, name: &str) -> ChainNo {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = ChainNo(self.chains.len());
        self.chains.push(Chain::default());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// Says that a chain is in the dump, even if no rule is in it.
    pub(crate) fn define(&mut self, chain: ChainNo) {
        self.chains[chain.0].is_defined = true;
    }

    pub(crate) fn set_base(&mut self, chain: ChainNo, base: Base) {
        self.define(chain);
        self.chains[chain.0].base = Some(base);
    }

    pub(crate) fn push(&mut self, chain: ChainNo, mut rule: Rule) {
        if rule.matches.is_inner_destination {
            // What is refused there may be refused at the host; what is accepted there is not said of it. An address
            // that only a bridge of the host leads to is a container's, or one that the internet does not reach.
            let holds = match rule.verdict {
                Verdict::Refuse if !rule.matches.is_past_bridge => Holds::Sometimes,
                _ => Holds::Never,
            };
            let condition = Condition::new(holds, Reason::Destinations);
            rule.matches.require(condition);
        }
        self.named += rule.matches.ports.ranges().len();
        if self.names_too_much() {
            return;
        }
        self.rules.push(rule);
        self.owners.push(chain);
        let count = u32::try_from(self.rules.len()).ok();
        let Some(number) = count.and_then(NonZeroU32::new).map(RuleNo) else {
            return;
        };
        self.chains[chain.0].is_defined = true;
        self.chains[chain.0].rules.push(number);
    }

    /// Adds a line for which it is not known what it does, or what is missing there, so that it may refuse anything.
    pub(crate) fn doubt(&mut self, line: u32, doubt: Reason) {
        let chain = self.chain("in no chain");
        let base = Base {
            hook: Hook::Input,
            priority: i32::MIN,
            families: Families::Both,
            policy: Policy::Accept,
            line,
        };
        self.set_base(chain, base);
        let rule = Rule {
            line,
            matches: Match::default(),
            verdict: Verdict::Unknown(doubt),
        };
        self.push(chain, rule);
    }

    /// Says that the dump has more than [`MOST_RULES`] rules; the others were not kept.
    pub(crate) fn note_too_many_rules(&mut self) {
        self.has_too_many_rules = true;
    }

    pub(crate) fn skip(&mut self, line: u32, reason: impl Into<String>) {
        let reason = reason.into();
        let line = line as usize;
        self.skipped.push(SkippedLine { line, reason });
    }

    /// Whether there are more rules or port ranges than a dump may have: nothing that follows is kept.
    pub(crate) fn names_too_much(&self) -> bool {
        self.has_too_many_rules || self.named > MOST_NAMED || self.rules.len() > MOST_RULES
    }

    /// Every rule, with its chain.
    pub(super) fn numbered_rules(&self) -> impl Iterator<Item = (ChainNo, RuleNo)> {
        let chains = self.chains.iter().enumerate();
        chains
            .flat_map(|(place, chain)| chain.rules.iter().map(move |rule| (ChainNo(place), *rule)))
    }

    /// Whether a chain begins with a line that accepts whatever comes.
    pub(super) fn accepts_everything(&self, chain: ChainNo) -> bool {
        let rules = self.chains[chain.0].rules.iter();
        let mut deciding = rules
            .map(|number| self.rule(*number))
            .filter(|rule| rule.verdict != Verdict::Continue);
        deciding.next().is_some_and(|rule| {
            rule.verdict == Verdict::Accept
                && rule.matches.holds == Holds::Always
                && rule.matches.ports.is_every()
        })
    }

    pub(super) fn owner(&self, number: RuleNo) -> ChainNo {
        self.owners[number.place()]
    }

    pub(super) fn rule(&self, number: RuleNo) -> &Rule {
        &self.rules[number.place()]
    }
}
