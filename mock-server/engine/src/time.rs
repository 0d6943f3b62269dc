//! Moments of an account's clock, and how they are written and read.

use std::fmt;
use std::num::NonZeroU64;
use std::time::Duration;

use chrono::{DateTime, Datelike, NaiveDate, Timelike};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Milliseconds from 0000-01-01 to 1970-01-01, so that every moment a
/// four-digit year can name is above zero and `Option<Instant>` costs nothing.
const UNIX_EPOCH: i64 = 62_167_219_200_000;
const FIRST_MILLIS: i64 = -62_135_596_800_000;
const LAST_MILLIS: i64 = 253_402_300_799_999;

/// A moment in UTC with millisecond precision, between the years 1 and 9999.
///
/// The engine has no clock: the caller says what time it is with each call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(NonZeroU64);

impl Instant {
    /// The last moment of the year 9999.
    pub(crate) const LAST: Self = Self(
        NonZeroU64::new((LAST_MILLIS + UNIX_EPOCH).unsigned_abs()).expect("the epoch is above 0"),
    );

    /// The moment `millis` milliseconds after 1970-01-01T00:00:00Z; beyond the
    /// years 1 to 9999 it is the nearest moment inside them.
    pub fn from_unix_millis(millis: i64) -> Self {
        let shifted = millis.clamp(FIRST_MILLIS, LAST_MILLIS) + UNIX_EPOCH;
        Self(NonZeroU64::new(shifted.unsigned_abs()).unwrap_or(NonZeroU64::MIN))
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub fn unix_millis(self) -> i64 {
        self.0.get().cast_signed() - UNIX_EPOCH
    }

    /// Reads an RFC 3339 timestamp with an offset; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let parsed = DateTime::parse_from_rfc3339(text).ok()?;
        let millis = parsed.timestamp_millis();
        (FIRST_MILLIS..=LAST_MILLIS)
            .contains(&millis)
            .then(|| Self::from_unix_millis(millis))
    }

    /// This moment moved forward, at most to the end of the year 9999.
    #[must_use]
    pub fn plus(self, span: Duration) -> Self {
        let millis = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
        Self::from_unix_millis(self.unix_millis().saturating_add(millis))
    }

    /// Whole seconds from this moment until `later`, rounded up; 0 when
    /// `later` is not later (A19).
    pub fn seconds_until(self, later: Instant) -> u64 {
        later.0.get().saturating_sub(self.0.get()).div_ceil(1000)
    }

    /// The calendar day in UTC.
    fn day(self) -> NaiveDate {
        self.civil().date_naive()
    }

    fn civil(self) -> DateTime<chrono::Utc> {
        DateTime::from_timestamp_millis(self.unix_millis()).unwrap_or_default()
    }

    /// As it is shown. Every answer has some of these, and digit by digit costs a tenth of what
    /// formatting them costs.
    fn text(self) -> TimestampText {
        let at = self.civil();
        let mut text = *b"0000-00-00T00:00:00+00:00";
        let year = at.year().unsigned_abs();
        for (place, number) in [
            (0, year / 100),
            (2, year % 100),
            (5, at.month()),
            (8, at.day()),
            (11, at.hour()),
            (14, at.minute()),
            (17, at.second()),
        ] {
            text[place] = digit(number / 10);
            text[place + 1] = digit(number % 10);
        }
        TimestampText(text)
    }
}

fn digit(number: u32) -> u8 {
    b'0' + (number % 10) as u8
}

/// `2026-01-01T00:00:00+00:00`.
struct TimestampText([u8; 25]);

impl TimestampText {
    fn as_str(&self) -> &str {
        str::from_utf8(&self.0).expect("digits and signs are ASCII")
    }
}

impl fmt::Display for Instant {
    /// With milliseconds, as records keep it: `2026-01-01T00:00:00.000+00:00`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text();
        let (second, offset) = text.as_str().split_at(19);
        write!(
            f,
            "{second}.{:03}{offset}",
            self.unix_millis().rem_euclid(1000)
        )
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Instant::parse(&text).ok_or_else(|| {
            serde::de::Error::custom(format!("`{text}` is not a timestamp with an offset"))
        })
    }
}

/// A moment as the API shows it: whole seconds and offset, for example
/// `2026-01-01T00:00:00+00:00` (A13).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Timestamp(pub Instant);

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.text().as_str())
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.text().as_str())
    }
}

impl From<Instant> for Timestamp {
    fn from(instant: Instant) -> Self {
        Self(instant)
    }
}

/// When an Allowed Ports rule ends (E9).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expiry {
    /// With the second of this moment.
    At(Instant),
    /// With this last second of a day: at midnight.
    AfterSecond(Instant),
}

impl Expiry {
    /// The moment that the API shows.
    pub fn shown(self) -> Instant {
        match self {
            Self::At(moment) | Self::AfterSecond(moment) => moment,
        }
    }

    /// The first moment at which the rule allows nothing any more: it lasts
    /// through the second that is shown, in either form (E9).
    pub(crate) fn end(self) -> Instant {
        let shown = self.shown().unix_millis().div_euclid(1000);
        Instant::from_unix_millis((shown + 1) * 1000)
    }
}

/// Reads the `expires_at` of an Allowed Ports rule: `YYYY-MM-DD`, which lasts
/// through 23:59:59 of that day, or a timestamp with an offset (E9).
///
/// # Errors
///
/// A sentence for the field when it is neither, or when its day in UTC is not
/// after the day of `now`.
pub fn parse_expiry(text: &str, now: Instant) -> Result<Expiry, &'static str> {
    let expiry = parse_day_end(text)
        .map(Expiry::AfterSecond)
        .or_else(|| Instant::parse(text).map(Expiry::At))
        .ok_or("The expires_at field must be a date (YYYY-MM-DD) or a timestamp with an offset.")?;
    if expiry.shown().day() > now.day() {
        Ok(expiry)
    } else {
        Err("The expires_at field must be a date after today.")
    }
}

fn parse_day_end(text: &str) -> Option<Instant> {
    let plain = text.len() == 10
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-');
    if !plain {
        return None;
    }
    let day: NaiveDate = text.parse().ok()?;
    let end = day.and_hms_opt(23, 59, 59)?.and_utc();
    Some(Instant::from_unix_millis(end.timestamp_millis()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Instant {
        Instant::parse(text).expect("a timestamp")
    }

    #[test]
    fn timestamps_show_whole_seconds_and_offset() {
        let instant = at("2026-01-01T02:00:00.999+02:00");
        assert_eq!(Timestamp(instant).to_string(), "2026-01-01T00:00:00+00:00");
        assert_eq!(instant.to_string(), "2026-01-01T00:00:00.999+00:00");
    }

    #[test]
    fn moments_beyond_the_calendar_are_held_inside_it() {
        let last = Instant::from_unix_millis(i64::MAX);
        assert_eq!(last.to_string(), "9999-12-31T23:59:59.999+00:00");
        assert_eq!(last.plus(Duration::MAX), last);
        let first = Instant::from_unix_millis(i64::MIN);
        assert_eq!(first.to_string(), "0001-01-01T00:00:00.000+00:00");
    }

    #[test]
    fn remaining_seconds_are_rounded_up_a19() {
        let start = at("2026-01-01T00:00:00Z");
        assert_eq!(start.seconds_until(start.plus(Duration::from_millis(1))), 1);
        assert_eq!(start.seconds_until(start), 0);
        assert_eq!(start.plus(Duration::from_secs(1)).seconds_until(start), 0);
    }

    #[test]
    fn an_expiry_is_a_later_day_or_refused_e9() {
        let now = at("2026-01-01T23:00:00Z");
        assert_eq!(
            parse_expiry("2026-01-02", now),
            Ok(Expiry::AfterSecond(at("2026-01-02T23:59:59Z")))
        );
        assert_eq!(
            parse_expiry("2026-01-02T00:00:00+00:00", now),
            Ok(Expiry::At(at("2026-01-02T00:00:00Z")))
        );
        for refused in [
            "2026-01-01",
            "2026-01-02T00:30:00+02:00",
            "2026-02-30",
            "2026-2-1",
            "tomorrow",
            "2026-01-02T00:00:00",
            "+026-01-02",
            "",
        ] {
            assert!(parse_expiry(refused, now).is_err(), "{refused}");
        }
    }
}
