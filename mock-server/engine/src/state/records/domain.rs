//! Monitored domains, as recorded.

use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use crate::state::records::scan::{EndedScan, LiveStatus, PausedBy, Phase};
use crate::state::storage::CustomerNo;
use crate::time::Instant;
use crate::values::ServiceId;
use crate::world::DomainFindings;

/// A monitored domain, as recorded.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Domain {
    pub(crate) customer: CustomerNo,
    pub(crate) name: Box<str>,
    pub(crate) state: DomainState,
    /// Every service of the billing system that it was provisioned with (D1).
    pub(crate) services: Vec<ServiceId>,
    /// Whether a provisioning call asked for simulation (A14).
    pub(crate) simulated: bool,
    pub(crate) created_at: Instant,
    /// When the next scan starts, or the running one did.
    pub(crate) next_scan_at: Instant,
    pub(crate) last_scan: Option<EndedScan>,
    /// What the last completed scan found; zeros before the first.
    pub(crate) found: DomainFindings,
    pub(crate) mentions: Mentions,
    /// The last scans, oldest first.
    pub(crate) history: VecDeque<PastScan>,
}

impl Domain {
    /// Whether the mentions are as many as the last scan found.
    pub(crate) fn mentions_match_findings(&self) -> bool {
        self.mentions.count() == self.found.mentions()
    }

    /// The latest time the record speaks of having been.
    pub(crate) fn latest_moment(&self) -> Instant {
        let scanned = self.last_scan.map(|scan| scan.at);
        scanned.unwrap_or(self.created_at).max(self.created_at)
    }
}

/// A scan in the history of a domain.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct PastScan {
    pub(crate) number: u32,
    pub(crate) scan: EndedScan,
    pub(crate) found: DomainFindings,
}

/// Where a domain is in its life. A released one has no record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DomainState {
    Active(Phase),
    Paused(PausedBy),
    Terminated,
}

impl DomainState {
    pub(crate) fn live_status(self) -> Option<LiveStatus> {
        match self {
            Self::Active(_) => Some(LiveStatus::Active),
            Self::Paused(PausedBy::Hand) => Some(LiveStatus::PausedByHand),
            Self::Paused(PausedBy::Platform) => Some(LiveStatus::PausedByPlatform),
            Self::Terminated => None,
        }
    }
}

/// The mentions of a domain: runs of numbers, one for each scan that found
/// more than the one before, oldest first.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Mentions {
    pub(crate) runs: Vec<Run>,
    /// Numbers that an unfiltered read has returned.
    pub(crate) seen: BTreeSet<u32>,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) found_at: Instant,
}

impl Run {
    fn numbers(&self) -> impl DoubleEndedIterator<Item = u32> + use<> {
        self.first..self.first.saturating_add(self.count)
    }
}

impl Mentions {
    pub(crate) fn count(&self) -> u32 {
        let counts = self.runs.iter().map(|run| run.count);
        counts.fold(0, u32::saturating_add)
    }

    /// Brings the mentions to what a scan found: new ones are numbered from
    /// `first`; when there are fewer, the newest go.
    pub(crate) fn adjust(&mut self, count: u32, first: u32, at: Instant) {
        let known = self.count();
        if count > known {
            self.runs.push(Run {
                first,
                count: count - known,
                found_at: at,
            });
        }
        let mut surplus = known.saturating_sub(count);
        while surplus > 0
            && let Some(run) = self.runs.last_mut()
        {
            let gone = surplus.min(run.count);
            run.count -= gone;
            surplus -= gone;
            let end = run.first.saturating_add(run.count);
            self.seen.retain(|number| *number < end);
            if run.count == 0 {
                self.runs.pop();
            }
        }
    }

    /// Newest first, each with the time of the scan that found it.
    pub(crate) fn newest_first(&self) -> impl Iterator<Item = (u32, Instant)> {
        self.runs
            .iter()
            .rev()
            .flat_map(|run| run.numbers().rev().map(|number| (number, run.found_at)))
    }
}
