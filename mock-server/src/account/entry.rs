//! What the server itself keeps about an account, beside its records.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Where an account came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Origin {
    /// The configuration, or the defaults.
    Configured,
    /// The admin API.
    Made,
}

/// What the server itself keeps about an account, beside the account's own records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Accounts are listed in this order.
    pub(crate) order: u64,
    /// How far its clock is ahead of the server's (M3).
    pub(crate) clock_offset_ms: u64,
    pub(crate) origin: Origin,
    /// When it is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<Expires>,
}

impl Entry {
    /// The entry of a new account; who lists it gives it its place.
    pub(crate) fn of(origin: Origin) -> Self {
        Self {
            order: 0,
            clock_offset_ms: 0,
            origin,
            expires_at: None,
        }
    }
}

/// A moment of real time, in milliseconds since 1970: it also stands for the next start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Expires(u64);

impl Expires {
    pub(crate) fn after(span: Duration) -> Self {
        Self(Self::now().saturating_add(u64::try_from(span.as_millis()).unwrap_or(u64::MAX)))
    }

    /// How long it is until then.
    pub(crate) fn left(self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(Self::now()))
    }

    fn now() -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0, |since| {
            u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
        })
    }
}

/// How many accounts of each name were removed, where any were.
pub(super) type Removed = BTreeMap<String, u32>;
