//! The ports of TCP and UDP, cut into intervals that no rule of a filter tells apart.

use std::num::NonZeroU16;
use std::ops::Range;

use super::condition::{Match, Ports};
use super::model::Filter;
use crate::values::{PortRange, Protocol};

/// The intervals of both protocols, numbered: those of TCP first.
pub(super) struct Partition {
    /// Where each interval starts, and one past the last port.
    starts: Vec<u32>,
}

/// One past the last port.
const END: u32 = 1 << 16;

impl Partition {
    pub(super) fn of(filter: &Filter) -> Self {
        let mut starts = vec![1, END];
        for rule in &filter.rules {
            for range in rule.matches.ports.ranges() {
                starts.push(u32::from(range.start()));
                starts.push(u32::from(range.end()) + 1);
            }
        }
        starts.sort_unstable();
        starts.dedup();
        Self { starts }
    }

    /// How many intervals there are for each protocol.
    fn width(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many intervals there are.
    pub(super) fn len(&self) -> usize {
        2 * self.width()
    }

    /// The intervals that make up a range of this protocol.
    pub(super) fn intervals(&self, ports: PortRange, protocol: Protocol) -> Range<usize> {
        let place = |port: u32| self.starts.partition_point(|start| *start < port);
        let offset = protocol as usize * self.width();
        let first = place(u32::from(ports.start()));
        let after = place(u32::from(ports.end()) + 1);
        offset + first..offset + after
    }

    /// The protocol of an interval.
    pub(super) fn protocol(&self, interval: usize) -> Protocol {
        match interval < self.width() {
            true => Protocol::Tcp,
            false => Protocol::Udp,
        }
    }

    /// The ports of a run of intervals of one protocol.
    pub(super) fn ports(&self, intervals: Range<usize>) -> Option<PortRange> {
        let width = self.width();
        let first = self.starts[intervals.start % width];
        let last = self.starts[(intervals.end - 1) % width + 1] - 1;
        let port = |number| NonZeroU16::new(u16::try_from(number).ok()?);
        PortRange::new(port(first)?, port(last)?)
    }

    /// The runs of intervals that a rule is for, in order and apart.
    pub(super) fn runs(&self, matches: &Match) -> Vec<Range<usize>> {
        let mut runs = Vec::new();
        for protocol in [Protocol::Tcp, Protocol::Udp] {
            if !matches.protocols.has(protocol) {
                continue;
            }
            match &matches.ports {
                Ports::Every => {
                    let offset = protocol as usize * self.width();
                    runs.push(offset..offset + self.width());
                }
                ports => {
                    let covered = ports.covered();
                    let intervals = covered.iter().map(|range| self.intervals(*range, protocol));
                    runs.extend(intervals);
                }
            }
        }
        joined(runs)
    }
}

fn joined(mut runs: Vec<Range<usize>>) -> Vec<Range<usize>> {
    runs.sort_unstable_by_key(|run| run.start);
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(runs.len());
    for run in runs {
        match joined.last_mut() {
            Some(last) if run.start <= last.end => last.end = last.end.max(run.end),
            _ => joined.push(run),
        }
    }
    joined
}
