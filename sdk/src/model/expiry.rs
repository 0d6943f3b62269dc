//! Until when a rule allows its ports.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, FixedOffset, NaiveDate, Utc};
use serde::{Serialize, Serializer};

use super::timestamp::Timestamp;
use super::tolerant::{deserialize_by_parsing, invalid_text};

/// The end of a rule: a day, which is included, or an instant. It must lie after today, by the service's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Expiry {
    /// To the end of this day (UTC).
    Day(NaiveDate),
    /// To this instant.
    Instant(DateTime<FixedOffset>),
}

deserialize_by_parsing!(Expiry, parsed, "a date, or a timestamp with offset");

invalid_text! {
    /// A text that is no date and no timestamp.
    InvalidExpiry
}

impl FromStr for Expiry {
    type Err = InvalidExpiry;

    fn from_str(text: &str) -> Result<Self, InvalidExpiry> {
        let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").map(Self::Day);
        day.or_else(|_| DateTime::parse_from_rfc3339(text).map(Self::Instant))
            .map_err(|_| {
                InvalidExpiry(format!(
                    "`{text}` is not a date: write it as in 2026-12-31, or a timestamp with offset"
                ))
            })
    }
}

impl From<NaiveDate> for Expiry {
    fn from(day: NaiveDate) -> Self {
        Self::Day(day)
    }
}

impl From<DateTime<FixedOffset>> for Expiry {
    fn from(instant: DateTime<FixedOffset>) -> Self {
        Self::Instant(instant)
    }
}

impl From<DateTime<Utc>> for Expiry {
    fn from(instant: DateTime<Utc>) -> Self {
        Self::Instant(instant.fixed_offset())
    }
}

impl From<Timestamp> for Expiry {
    fn from(timestamp: Timestamp) -> Self {
        Self::Instant(timestamp.into())
    }
}

impl fmt::Display for Expiry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(day) => day.fmt(f),
            Self::Instant(instant) => f.write_str(&instant.to_rfc3339()),
        }
    }
}

impl Serialize for Expiry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
