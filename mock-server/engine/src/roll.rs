//! Who is live, active or paused, in order of creation.

use serde::{Deserialize, Serialize};

use crate::ranked::RankedSet;

/// Who paused a record; capacity only touches what the platform paused (B7).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PausedBy {
    Hand,
    Platform,
}

/// How a live record stands. Whoever paused it is remembered, because a record
/// paused by hand is never touched by capacity (B7).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Standing {
    Active,
    PausedByHand,
    PausedByPlatform,
}

/// The live records of an account or customer. What is terminated or deleted
/// is not on it.
#[derive(Clone, Default, Debug)]
pub(crate) struct Roll {
    pub(crate) live: RankedSet,
    pub(crate) active: RankedSet,
    pub(crate) paused: RankedSet,
    pub(crate) quota_paused: RankedSet,
}

impl Roll {
    /// Moves a record to where it stands now; `None` takes it off the roll.
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

    /// What counts against capacity: everything on the roll (B6).
    pub(crate) fn usage(&self) -> u64 {
        self.live.len() as u64
    }

    /// What the platform left running, or found paused by hand (B7).
    pub(crate) fn running(&self) -> u64 {
        self.usage() - self.quota_paused.len() as u64
    }
}
