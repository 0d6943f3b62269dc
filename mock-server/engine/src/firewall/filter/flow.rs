//! Undecided packets on their way, by interval of ports.

use std::num::NonZeroU32;
use std::ops::Range;

use super::model::RuleNo;
use super::packet_state::{Alteration, State};

/// The place of names in the list of those that packets lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LostNo(NonZeroU32);

/// The name that some packets to an interval had, where they met others to it that had another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lost {
    pub(super) named_by: RuleNo,
    pub(super) narrowed_by: Option<RuleNo>,
    before: Option<LostNo>,
}

/// Packets to one interval of ports that are undecided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) interval: u32,
    /// The states in which there may be such packets, by [`State::mask`].
    pub(super) packets: u8,
    /// The last rule on the way that names these ports.
    pub(super) named_by: Option<RuleNo>,
    /// A rule on the way that let only some of them pass.
    pub(super) narrowed_by: Option<RuleNo>,
    /// Other rules that named them.
    pub(super) lost: Option<LostNo>,
}

/// Undecided packets, by interval.
pub(super) type Flow = Vec<Cell>;

/// Names that may be lost in one walk, which bounds the memory that it takes.
const MOST_LOST: usize = 100_000;

/// The names that packets lost.
#[derive(Default)]
pub(super) struct LostNames(Vec<Lost>);

impl LostNames {
    /// Whether what was lost cannot all be told any more.
    pub(super) fn are_too_many(&self) -> bool {
        self.0.len() > MOST_LOST
    }

    /// A list of names, the last that was lost first.
    pub(super) fn of(&self, last: Option<LostNo>) -> impl Iterator<Item = Lost> {
        let lost = |number: LostNo| self.0[number.0.get() as usize - 1];
        let mut next = last;
        std::iter::from_fn(move || {
            let found = lost(next?);
            next = found.before;
            Some(found)
        })
    }

    /// In order, with one cell an interval.
    pub(super) fn merged(&mut self, mut flow: Flow) -> Flow {
        flow.sort_by_key(|cell| cell.interval);
        let mut merged = Flow::with_capacity(flow.len());
        for cell in flow {
            match merged.last_mut() {
                Some(last) if last.interval == cell.interval => {
                    *last = self.together(*last, cell);
                }
                _ => merged.push(cell),
            }
        }
        merged
    }

    /// Packets to one interval that came two ways.
    pub(super) fn together(&mut self, first: Cell, second: Cell) -> Cell {
        let (wider, other) = match (first.narrowed_by, second.narrowed_by) {
            (Some(_), None) => (second, first),
            _ => (first, second),
        };
        let mut lost = self.joined(wider.lost, other.lost);
        if let Some(named_by) = other.named_by
            && wider.named_by != Some(named_by)
        {
            lost = self.lose(named_by, other.narrowed_by, lost);
        }
        Cell {
            packets: first.packets | second.packets,
            lost,
            ..wider
        }
    }

    /// Both lists of names.
    fn joined(&mut self, one: Option<LostNo>, other: Option<LostNo>) -> Option<LostNo> {
        if one.is_none() || one == other {
            return other;
        }
        let left = (MOST_LOST + 1).saturating_sub(self.0.len());
        let added: Vec<Lost> = self.of(other).take(left).collect();
        added.into_iter().fold(one, |joined, lost| {
            self.lose(lost.named_by, lost.narrowed_by, joined)
        })
    }

    /// Puts a name in front of others that were lost.
    fn lose(
        &mut self,
        named_by: RuleNo,
        narrowed_by: Option<RuleNo>,
        before: Option<LostNo>,
    ) -> Option<LostNo> {
        self.0.push(Lost {
            named_by,
            narrowed_by,
            before,
        });
        let number = u32::try_from(self.0.len()).ok().and_then(NonZeroU32::new);
        number.map(LostNo)
    }
}

/// The places in a flow whose intervals are in one of these runs.
pub(super) fn places(flow: &Flow, runs: &[Range<usize>]) -> Vec<usize> {
    let mut places = Vec::new();
    if runs.len() > flow.len() {
        for (place, cell) in flow.iter().enumerate() {
            if holds_interval(runs, cell.interval as usize) {
                places.push(place);
            }
        }
        return places;
    }
    for run in runs {
        let first = flow.partition_point(|cell| (cell.interval as usize) < run.start);
        let inside = flow[first..]
            .iter()
            .take_while(|cell| (cell.interval as usize) < run.end);
        places.extend(first..first + inside.count());
    }
    places
}

/// The states that packets of these have when they are altered.
pub(super) fn altered(packets: u8, alteration: Alteration) -> u8 {
    let states = State::ALL
        .into_iter()
        .filter(|state| packets & state.mask() != 0);
    states.fold(0, |all, state| all | state.after(alteration).mask())
}

/// Gives packets that were taken out of a flow back to it.
pub(super) fn restore(flow: &mut Flow, matched: &Flow, packets: impl Fn(u8) -> u8) {
    for cell in matched {
        if let Ok(place) = flow.binary_search_by_key(&cell.interval, |old| old.interval) {
            flow[place].packets |= packets(cell.packets);
        }
    }
}

pub(super) fn holds_interval(runs: &[Range<usize>], interval: usize) -> bool {
    let after = runs.partition_point(|run| run.start <= interval);
    after > 0 && runs[after - 1].end > interval
}
