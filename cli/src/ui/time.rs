//! Points in time for people.

use super::TimeStyle;
use crate::values::durations;
use chrono::{Local, TimeDelta, Utc};
use secmon::model::Timestamp;

/// A point in time that may lie ahead, in the style that was asked for. What was due within the last minute is due now:
/// it is about to happen, and has not happened.
pub fn due(time: &Timestamp, style: TimeStyle) -> String {
    absolute(time, style).unwrap_or_else(|| match since(time) {
        past if past > -TimeDelta::seconds(1) && past < TimeDelta::minutes(1) => "now".to_owned(),
        past => relative(past),
    })
}

/// A point in time that is over. Where it lies ahead, one of the two clocks is wrong.
pub fn passed(time: &Timestamp, style: TimeStyle) -> String {
    absolute(time, style).unwrap_or_else(|| relative(since(time).max(TimeDelta::zero())))
}

/// `in 19 d (2026-12-15)`: how far off, and which day that is.
pub fn with_date(shown: String, time: &Timestamp, style: TimeStyle) -> String {
    let is_near = since(time).abs() < TimeDelta::days(1);
    match style {
        TimeStyle::Relative if !is_near => {
            let local = time.date_time().with_timezone(&Local);
            format!("{shown} ({})", local.format("%Y-%m-%d"))
        }
        _ => shown,
    }
}

fn absolute(time: &Timestamp, style: TimeStyle) -> Option<String> {
    match style {
        TimeStyle::Utc => Some(time.as_str().to_owned()),
        TimeStyle::Local => {
            let local = time.date_time().with_timezone(&Local);
            Some(local.format("%Y-%m-%d %H:%M:%S").to_string())
        }
        TimeStyle::Relative => None,
    }
}

fn since(time: &Timestamp) -> TimeDelta {
    Utc::now().signed_duration_since(time.date_time())
}

fn relative(past: TimeDelta) -> String {
    let length = coarse(past.abs().to_std().unwrap_or_default());
    match past {
        past if past.abs() < TimeDelta::seconds(1) => "just now".to_owned(),
        past if past < TimeDelta::zero() => format!("in {length}"),
        _ => format!("{length} ago"),
    }
}

/// Only the largest unit: nobody reads the seconds of a day.
fn coarse(length: std::time::Duration) -> String {
    let text = durations::shown(length);
    text.split(' ').take(2).collect::<Vec<_>>().join(" ")
}
