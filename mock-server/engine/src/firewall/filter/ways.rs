//! How packets get into chains, and why they do not.

use std::collections::BTreeSet;

use super::condition::Holds;
use super::model::{ChainNo, Filter, Hook, RuleNo, Verdict};
use super::walk::Refusal;

/// What a line comes to at an interval of ports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Standing {
    /// It lets every packet in.
    Open,
    /// This rule lets only some packets pass.
    Narrowed(RuleNo),
    /// It sets a mark, by which this rule may let packets in.
    Marked(RuleNo),
    Refused(Refusal),
    Published,
    /// What it accepts is told of the line that names the ports.
    ToldElsewhere,
    /// Earlier lines leave it nothing.
    Decided,
    /// It accepts nothing itself, and there is nothing to tell of it.
    Silent,
    /// No packet gets to it, for this reason.
    Unreached(&'static str),
}

/// Chains, and rules into each, that are looked through for a condition.
const MOST_LOOKED_AT: usize = 100;

/// The rules that lead into each chain, and the chains that the hooks lead to.
pub(super) struct Ways {
    into: Vec<Vec<RuleNo>>,
    inbound: BTreeSet<ChainNo>,
    forward: BTreeSet<ChainNo>,
    output: BTreeSet<ChainNo>,
    /// The chains that accept something, themselves or by others.
    accepting: BTreeSet<ChainNo>,
}

impl Ways {
    pub(super) fn of(filter: &Filter) -> Self {
        let mut into = vec![Vec::new(); filter.chains.len()];
        for (chain, number) in filter.numbered_rules() {
            if let Verdict::Jump(target) | Verdict::Goto(target) = filter.rule(number).verdict
                && target != chain
            {
                into[target.0].push(number);
            }
        }
        Self {
            accepting: accepting(filter, &into),
            into,
            inbound: reached(filter, Hook::is_inbound),
            forward: reached(filter, |hook| hook == Hook::Forward),
            output: reached(filter, |hook| hook == Hook::Output),
        }
    }

    /// Whether a chain accepts anything, itself or by others.
    pub(super) fn accepts(&self, chain: ChainNo) -> bool {
        self.accepting.contains(&chain)
    }

    /// That no hook of inbound packets leads to a chain; `None` where one does.
    pub(super) fn outside(&self, chain: ChainNo) -> Option<Standing> {
        let sentence = match (
            self.inbound.contains(&chain),
            self.forward.contains(&chain),
            self.output.contains(&chain),
        ) {
            (true, ..) => return None,
            (_, true, _) => "it is about forwarded packets, which are not to this host",
            (_, _, true) => "it is about outgoing packets",
            _ => "no inbound packet gets to its chain",
        };
        Some(Standing::Unreached(sentence))
    }

    /// Why no packet to the host gets through a chain that has this one in it.
    pub(super) fn unreached(&self, filter: &Filter, chain: ChainNo) -> Standing {
        self.outside(chain)
            .unwrap_or_else(|| self.narrowed(filter, chain))
    }

    /// The condition that keeps packets out of an inbound chain.
    fn narrowed(&self, filter: &Filter, chain: ChainNo) -> Standing {
        let mut seen = BTreeSet::from([chain]);
        let mut waiting = vec![chain];
        while let Some(chain) = waiting.pop() {
            if seen.len() > MOST_LOOKED_AT {
                break;
            }
            let into = self.into[chain.0].iter().take(MOST_LOOKED_AT);
            let holds = |number: &RuleNo| filter.rule(*number).matches.holds;
            // Beside a way for every packet, it is not the narrow ones that keep packets out.
            let has_wide = into.clone().any(|number| holds(number) == Holds::Always);
            for number in into {
                match holds(number) == Holds::Always {
                    false if has_wide => continue,
                    false => return Standing::Narrowed(*number),
                    true => {}
                }
                let from = filter.owner(*number);
                if seen.insert(from) {
                    waiting.push(from);
                }
            }
        }
        Standing::Decided
    }
}

/// The chains that have a line that accepts, and those that lead to one of them.
fn accepting(filter: &Filter, into: &[Vec<RuleNo>]) -> BTreeSet<ChainNo> {
    let rules = filter.numbered_rules();
    let accept = rules.filter(|(_, rule)| filter.rule(*rule).verdict == Verdict::Accept);
    let mut accepting: BTreeSet<ChainNo> = accept.map(|(chain, _)| chain).collect();
    let mut waiting: Vec<ChainNo> = accepting.iter().copied().collect();
    while let Some(chain) = waiting.pop() {
        for number in &into[chain.0] {
            let from = filter.owner(*number);
            if accepting.insert(from) {
                waiting.push(from);
            }
        }
    }
    accepting
}

/// The chains that packets of such a hook may come to.
fn reached(filter: &Filter, is_such: impl Fn(Hook) -> bool) -> BTreeSet<ChainNo> {
    let chains = filter.chains.iter().enumerate();
    let bases = chains.filter(|(_, chain)| chain.base.is_some_and(|base| is_such(base.hook)));
    let mut waiting: Vec<ChainNo> = bases.map(|(place, _)| ChainNo(place)).collect();
    let mut reached: BTreeSet<ChainNo> = waiting.iter().copied().collect();
    while let Some(chain) = waiting.pop() {
        for number in &filter.chains[chain.0].rules {
            if let Verdict::Jump(target) | Verdict::Goto(target) = filter.rule(*number).verdict
                && reached.insert(target)
            {
                waiting.push(target);
            }
        }
    }
    reached
}
