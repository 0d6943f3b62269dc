//! The live records of an account or customer, by how they stand.

use crate::state::ranked_set::RankedSet;
use crate::state::records::Standing;

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
    pub(crate) fn place(&mut self, number: u32, standing: Option<Standing>) {
        let is_paused = matches!(
            standing,
            Some(Standing::PausedByHand | Standing::PausedByPlatform)
        );
        let places = [
            (&mut self.live, standing.is_some()),
            (&mut self.active, standing == Some(Standing::Active)),
            (&mut self.paused, is_paused),
            (
                &mut self.quota_paused,
                standing == Some(Standing::PausedByPlatform),
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
