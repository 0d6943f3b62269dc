//! The live records of an account or customer, by how they stand.

use crate::state::ranked_set::RankedSet;
use crate::state::records::LiveStatus;

/// The live records of an account or customer. What is terminated or deleted
/// is not on it.
#[derive(Clone, Default, Debug)]
pub(crate) struct LiveRecords {
    pub(crate) live: RankedSet,
    pub(crate) active: RankedSet,
    pub(crate) paused: RankedSet,
    pub(crate) quota_paused: RankedSet,
}

impl LiveRecords {
    /// Moves a record to where it stands now; `None` takes it out.
    pub(crate) fn place(&mut self, number: u32, live_status: Option<LiveStatus>) {
        let is_paused = matches!(
            live_status,
            Some(LiveStatus::PausedByHand | LiveStatus::PausedByPlatform)
        );
        let places = [
            (&mut self.live, live_status.is_some()),
            (&mut self.active, live_status == Some(LiveStatus::Active)),
            (&mut self.paused, is_paused),
            (
                &mut self.quota_paused,
                live_status == Some(LiveStatus::PausedByPlatform),
            ),
        ];
        for (set, belongs) in places {
            if belongs {
                set.insert(number);
            } else {
                set.remove(number);
            }
        }
    }

    /// What counts against capacity: everything that is live (B6).
    pub(crate) fn usage(&self) -> u64 {
        self.live.len() as u64
    }

    /// What the platform left running, or found paused by hand (B7).
    pub(crate) fn running(&self) -> u64 {
        self.usage() - self.quota_paused.len() as u64
    }
}
