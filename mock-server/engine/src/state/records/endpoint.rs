//! Monitored servers, as recorded.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::state::records::scan::{EndedScan, LiveStatus, PausedBy, Phase};
use crate::state::storage::CustomerNo;
use crate::time::Instant;
use crate::world::PortSet;

/// A monitored server, as recorded.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Endpoint {
    pub(crate) customer: CustomerNo,
    pub(crate) address: IpAddr,
    /// None shows the address (B3).
    pub(crate) hostname: Option<Box<str>>,
    /// None shows the hostname (B3).
    pub(crate) nickname: Option<Box<str>>,
    pub(crate) state: EndpointState,
    /// Whether a provisioning call asked for simulation (A14).
    pub(crate) simulated: bool,
    pub(crate) created_at: Instant,
    pub(crate) updated_at: Instant,
    /// When the next scan starts, or the running one did.
    pub(crate) next_scan_at: Instant,
    pub(crate) last_scan: Option<EndedScan>,
    pub(crate) found: Option<Found>,
}

/// What the completed scans of a server saw.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Found {
    pub(crate) ports: PortSet,
    pub(crate) at: Instant,
    /// What the one before saw, if there was one.
    pub(crate) previous: Option<PortSet>,
}

/// Where a server is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EndpointState {
    Active(Phase),
    Paused(PausedBy),
    Terminated,
    /// Gone from every read, shown by its rules as it was (B14).
    Deleted(LastSeen),
}

/// What a deleted server was before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LastSeen {
    Active,
    Paused(PausedBy),
    Terminated,
}

impl EndpointState {
    pub(crate) fn live_status(self) -> Option<LiveStatus> {
        match self {
            Self::Active(_) => Some(LiveStatus::Active),
            Self::Paused(PausedBy::Hand) => Some(LiveStatus::PausedByHand),
            Self::Paused(PausedBy::Platform) => Some(LiveStatus::PausedByPlatform),
            Self::Terminated | Self::Deleted(_) => None,
        }
    }

    pub(crate) fn last_seen(self) -> LastSeen {
        match self {
            Self::Active(_) => LastSeen::Active,
            Self::Paused(by) => LastSeen::Paused(by),
            Self::Terminated => LastSeen::Terminated,
            Self::Deleted(last) => last,
        }
    }
}
