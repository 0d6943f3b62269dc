//! Scans, as recorded, and how a record that is scanned stands.

use serde::{Deserialize, Serialize};

use crate::named::named;
use crate::time::Instant;

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
pub(crate) enum LiveStatus {
    Active,
    PausedByHand,
    PausedByPlatform,
}

/// How scans come to their end (M6).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Progress {
    /// By the clock.
    Timed,
    /// In the call that starts them.
    Immediate,
    /// Only when told to.
    Manual,
}

named!(Progress {
    Timed = "timed",
    Immediate = "immediate",
    Manual = "manual",
});

/// How a scan ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScanOutcome {
    /// It saw the world.
    Completed,
    /// It saw nothing; what was known stays.
    Failed,
}

impl ScanOutcome {
    /// The status in the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }
}

/// What the schedule of an active record is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Phase {
    Waiting,
    Scanning,
}

/// A scan that ended.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct EndedScan {
    pub(crate) at: Instant,
    pub(crate) duration_ms: u32,
    pub(crate) outcome: ScanOutcome,
}

/// The manual scans of one server.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct ManualScans {
    /// When the last one was accepted: the cooldown runs from here.
    pub(crate) accepted_at: Instant,
    /// Those that have not ended, oldest first.
    pub(crate) in_flight: Vec<ManualScan>,
}

/// A manual scan that has not ended.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct ManualScan {
    pub(crate) number: u32,
    pub(crate) started_at: Instant,
}
