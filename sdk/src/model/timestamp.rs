//! Instants, kept as the text they came in.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime};
use serde::{Serialize, Serializer};

use super::tolerant::{deserialize_by_parsing, invalid_text};

/// An ISO 8601 instant with offset; it is written back exactly as it was received.
///
/// Two of them are equal when they name the same instant, whatever their offsets.
#[derive(Debug, Clone)]
pub struct Timestamp {
    text: Box<str>,
    instant: DateTime<FixedOffset>,
}

deserialize_by_parsing!(Timestamp, parsed, "a timestamp");

impl Timestamp {
    /// The text as the service wrote it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The instant, with the offset it was written with.
    pub fn date_time(&self) -> DateTime<FixedOffset> {
        self.instant
    }
}

invalid_text! {
    /// A text that is no timestamp.
    InvalidTimestamp
}

impl FromStr for Timestamp {
    type Err = InvalidTimestamp;

    fn from_str(text: &str) -> Result<Self, InvalidTimestamp> {
        let invalid =
            || format!("`{text}` is not a timestamp: write it as in 2026-01-31T09:30:00+00:00");
        let instant = parse(text).ok_or_else(|| InvalidTimestamp(invalid()))?;
        Ok(Self {
            text: text.into(),
            instant,
        })
    }
}

/// The documented form first; then what services write that forget the colon, the `T`, the seconds, the offset or the time,
/// the last two read as UTC, and the date of an HTTP header (F12).
fn parse(text: &str) -> Option<DateTime<FixedOffset>> {
    if let Ok(instant) = DateTime::parse_from_rfc3339(text) {
        return Some(instant);
    }
    let text = text.trim();
    if let Ok(instant) = DateTime::parse_from_rfc2822(text) {
        return Some(instant);
    }
    let with_offset = [
        "%Y-%m-%dT%H:%M:%S%.f%#z",
        "%Y-%m-%d %H:%M:%S%.f%#z",
        "%Y-%m-%dT%H:%M%#z",
        "%Y-%m-%d %H:%M%#z",
    ];
    let of_utc = [
        "%Y-%m-%dT%H:%M:%S%.f",
        "%Y-%m-%d %H:%M:%S%.f",
        "%Y-%m-%dT%H:%M",
        "%Y-%m-%d %H:%M",
        "%d.%m.%Y %H:%M:%S",
        "%d.%m.%Y %H:%M",
    ];
    // A blank before the offset is no part of a format above, and `Z` and `UTC` are read by no `%z`.
    let bare = ["Z", "z", "UTC", "GMT"];
    let bare = bare.iter().find_map(|zone| text.strip_suffix(zone));
    let joined = text.replacen(" +", "+", 1);
    let zoned = with_offset.iter();
    let mut zoned = zoned.filter_map(|format| DateTime::parse_from_str(&joined, format).ok());
    let utc = |text: &str| {
        let mut read = of_utc
            .iter()
            .filter_map(|format| NaiveDateTime::parse_from_str(text, format).ok());
        let day = || {
            NaiveDate::parse_from_str(text, "%Y-%m-%d")
                .ok()?
                .and_hms_opt(0, 0, 0)
        };
        Some(read.next().or_else(day)?.and_utc().fixed_offset())
    };
    zoned
        .next()
        .or_else(|| utc(bare.unwrap_or(text).trim_end()))
}

impl PartialEq for Timestamp {
    fn eq(&self, other: &Self) -> bool {
        self.instant == other.instant
    }
}

impl Eq for Timestamp {}

impl PartialOrd for Timestamp {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Timestamp {
    fn cmp(&self, other: &Self) -> Ordering {
        self.instant.cmp(&other.instant)
    }
}

impl Hash for Timestamp {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.instant.hash(state);
    }
}

impl From<Timestamp> for DateTime<FixedOffset> {
    fn from(timestamp: Timestamp) -> Self {
        timestamp.instant
    }
}

impl From<DateTime<FixedOffset>> for Timestamp {
    fn from(instant: DateTime<FixedOffset>) -> Self {
        Self {
            text: instant.to_rfc3339().into(),
            instant,
        }
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}
