//! The rules of one scope by their ports. An index of its own: a rule among 10,000 costs what it costs among ten, and a
//! scan looks at no rule that its ports have nothing to do with.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::successors;

use crate::state::records::Rule;
use crate::state::storage::RuleNo;
use crate::time::Instant;
use crate::values::{OpenPort, PortRange, RuleProtocol};

/// When a rule ends, and which it is.
type End = (Instant, RuleNo);

/// The rules of one scope, active and expired.
#[derive(Clone, Default, Debug)]
pub(crate) struct ScopeRules {
    numbers: BTreeSet<RuleNo>,
    /// By the protocol's number.
    trees: [PortTree; 2],
}

impl ScopeRules {
    pub(crate) fn insert(&mut self, number: RuleNo, rule: &Rule) {
        self.numbers.insert(number);
        let end = (rule.end(), number);
        for protocol in rule.protocol.protocols() {
            self.trees[*protocol as usize].insert(rule.ports, end);
        }
    }

    pub(crate) fn remove(&mut self, number: RuleNo, rule: &Rule) {
        self.numbers.remove(&number);
        let end = (rule.end(), number);
        for protocol in rule.protocol.protocols() {
            self.trees[*protocol as usize].remove(rule.ports, end);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Oldest first.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = RuleNo> {
        self.numbers.iter().copied()
    }

    /// When the last of the rules that cover a port ends.
    pub(crate) fn allowed_until(&self, open: OpenPort) -> Option<Instant> {
        self.trees[open.protocol as usize].covered_until(open.port.get())
    }

    /// A rule that has a port in common with these and ends after that time.
    pub(crate) fn overlapping(
        &self,
        ports: PortRange,
        protocol: RuleProtocol,
        at: Instant,
        except: Option<RuleNo>,
    ) -> Option<RuleNo> {
        let counts = |end: &End| Some(end.1) != except;
        let protocols = protocol.protocols().iter();
        let met = protocols
            .filter_map(|protocol| self.trees[*protocol as usize].meeting(ports, at, counts));
        met.min()
    }
}

/// All ports (part 1), their halves (2 and 3), the halves of these, down to each port alone.
#[derive(Clone, Default, Debug)]
struct PortTree(BTreeMap<u32, Part>);

/// The rules of a part of the ports.
#[derive(Clone, Default, Debug)]
struct Part {
    /// Those that cover it, and not all of the part that it is half of.
    whole: BTreeSet<End>,
    /// Those that cover some of it.
    some: BTreeSet<End>,
}

const PORTS: u32 = 1 << 16;

/// The largest parts that a range is made of.
fn parts(ports: PortRange) -> Vec<u32> {
    let (mut first, mut after) = (
        PORTS + u32::from(ports.start()),
        PORTS + u32::from(ports.end()) + 1,
    );
    let mut parts = Vec::new();
    while first < after {
        if first % 2 == 1 {
            parts.push(first);
            first += 1;
        }
        if after % 2 == 1 {
            after -= 1;
            parts.push(after);
        }
        first /= 2;
        after /= 2;
    }
    parts
}

/// A part, and all that it is in.
fn with_larger(part: u32) -> impl Iterator<Item = u32> {
    successors(Some(part), |part| (*part > 1).then_some(part / 2))
}

impl PortTree {
    fn insert(&mut self, ports: PortRange, end: End) {
        for part in parts(ports) {
            self.0.entry(part).or_default().whole.insert(end);
            for larger in with_larger(part).skip(1) {
                self.0.entry(larger).or_default().some.insert(end);
            }
        }
    }

    fn remove(&mut self, ports: PortRange, end: End) {
        for place in parts(ports).into_iter().flat_map(with_larger) {
            if let Some(part) = self.0.get_mut(&place) {
                part.whole.remove(&end);
                part.some.remove(&end);
                if part.whole.is_empty() && part.some.is_empty() {
                    self.0.remove(&place);
                }
            }
        }
    }

    fn covered_until(&self, port: u16) -> Option<Instant> {
        let parts = with_larger(PORTS + u32::from(port));
        let last = parts.filter_map(|part| self.0.get(&part)?.whole.last());
        last.map(|(end, _)| *end).max()
    }

    /// One that covers a port of these, ends after that time, and counts.
    fn meeting(
        &self,
        ports: PortRange,
        at: Instant,
        counts: impl Fn(&End) -> bool,
    ) -> Option<RuleNo> {
        let first = |ends: &BTreeSet<End>| {
            let mut later = ends.iter().rev().take_while(|end| end.0 > at);
            later.find(|end| counts(end)).map(|end| end.1)
        };
        let met = parts(ports).into_iter().flat_map(|part| {
            let within = self.0.get(&part).and_then(|part| first(&part.some));
            let around = with_larger(part).filter_map(|part| first(&self.0.get(&part)?.whole));
            around.chain(within).collect::<Vec<_>>()
        });
        met.min()
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;

    use super::*;

    /// Numbers that look random and are the same each time.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (self.0 >> 33) % bound
        }

        fn ports(&mut self) -> PortRange {
            let start = 1 + [self.below(40), self.below(65_535)][self.below(2) as usize];
            let length = [1, 2, 20, 70_000][self.below(4) as usize];
            let end = (start + self.below(length)).min(65_535);
            let port = |number| NonZeroU16::new(u16::try_from(number).ok()?);
            PortRange::new(port(start).expect("a port"), port(end).expect("a port"))
                .expect("a range")
        }
    }

    #[test]
    fn it_finds_what_looking_at_each_rule_finds() {
        let mut dice = Dice(7);
        let (mut tree, mut rules) = (PortTree::default(), Vec::new());
        for number in 0..3000 {
            let end = (
                Instant::from_unix_millis(dice.below(50) as i64),
                RuleNo(number),
            );
            let ports = dice.ports();
            tree.insert(ports, end);
            rules.push((ports, end));
            if rules.len() > 5 {
                let gone = dice.below(rules.len() as u64) as usize;
                let (ports, end) = rules.swap_remove(gone);
                tree.remove(ports, end);
            }
            let (asked, at) = (
                dice.ports(),
                Instant::from_unix_millis(dice.below(50) as i64),
            );
            let meets = rules
                .iter()
                .any(|(ports, end)| ports.meets(asked) && end.0 > at);
            let found = tree.meeting(asked, at, |_| true);
            assert_eq!(found.is_some(), meets, "{asked} at {at:?}");
            let port = asked.start();
            let covering = rules.iter().filter(|(ports, _)| ports.contains(port));
            let until = covering.map(|(_, end)| end.0).max();
            assert_eq!(tree.covered_until(port), until, "{port}");
        }
        for (ports, end) in rules {
            tree.remove(ports, end);
        }
        assert!(tree.0.is_empty(), "nothing stays of what was removed");
    }
}
