//! Lengths of time as people type them: `30s`, `10m`, `14d`.

use crate::error::CliError;
use std::time::Duration;

/// Reads a length of time; `name` is the option it came from.
pub fn length(name: &str, text: &str) -> Result<Duration, CliError> {
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    let length = parsed(name, text)?;
    if length > LONGEST {
        return Err(CliError::usage(format!(
            "{name}: {text:?} is too long: give at most ten years"
        )));
    }
    Ok(length)
}

/// Far beyond every use, and small enough to be reckoned with.
const LONGEST: Duration = Duration::from_secs(3_653 * 86_400);

fn parsed(name: &str, text: &str) -> Result<Duration, CliError> {
    humantime::parse_duration(text).map_err(|_| {
        CliError::usage(format!(
            "{name}: {text:?} is not a length of time: write it as 30s, 10m, 2h or 14d"
        ))
    })
}

/// A number of things: `1 server`, `2 servers`.
pub fn counted(count: impl TryInto<u64>, thing: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    if count == 1 {
        format!("1 {thing}")
    } else {
        format!("{count} {thing}s")
    }
}

/// The same where the service may not tell how many.
pub fn counted_if_told(count: Option<impl TryInto<u64>>, thing: &str) -> String {
    match count {
        Some(count) => counted(count, thing),
        None => format!("an unknown number of {thing}s"),
    }
}

/// A length of time as it is shown: `45 s`, `3 min 20 s`, `2 h`.
pub fn shown(length: Duration) -> String {
    let seconds = length.as_secs() + u64::from(length.subsec_millis() >= 500);
    let (big, small) = match seconds {
        0..=59 => return format!("{seconds} s"),
        60..=3_599 => ((seconds / 60, "min"), (seconds % 60, "s")),
        3_600..=86_399 => ((seconds / 3_600, "h"), (seconds % 3_600 / 60, "min")),
        _ => ((seconds / 86_400, "d"), (seconds % 86_400 / 3_600, "h")),
    };
    if small.0 == 0 {
        format!("{} {}", big.0, big.1)
    } else {
        format!("{} {} {} {}", big.0, big.1, small.0, small.1)
    }
}
