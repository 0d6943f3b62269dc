//! Points in time for people.

use crate::args::TimeStyle;
use crate::durations;
use chrono::{DateTime, FixedOffset, Local, TimeDelta, Utc};
use secmon::model::Timestamp;

/// A point in time in the style that was asked for.
pub fn shown(time: &Timestamp, style: TimeStyle) -> String {
    match style {
        TimeStyle::Utc => time.as_str().to_owned(),
        TimeStyle::Local => time
            .date_time()
            .with_timezone(&Local)
            .format("%Y-%m-%d %H:%M:%S")
            .to_string(),
        TimeStyle::Relative => relative(&time.date_time()),
    }
}

fn relative(time: &DateTime<FixedOffset>) -> String {
    if (Utc::now() - time.to_utc()).abs() < TimeDelta::seconds(1) {
        return "now".to_owned();
    }
    let past = Utc::now().signed_duration_since(time);
    match (past.to_std(), (-past).to_std()) {
        (Ok(past), _) => format!("{} ago", coarse(past)),
        (_, Ok(future)) => format!("in {}", coarse(future)),
        _ => time.to_rfc3339(),
    }
}

/// Only the largest unit: nobody reads the seconds of a day.
fn coarse(length: std::time::Duration) -> String {
    let text = durations::shown(length);
    text.split(' ').take(2).collect::<Vec<_>>().join(" ")
}
