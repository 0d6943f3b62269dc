//! Days as people type them: `2026-12-31`, `31.12.2026`, `90d`, `3 months`, `end of next month`.

use super::durations;
use crate::error::CliError;
use chrono::{DateTime, Datelike, Days, Local, Months, NaiveDate, NaiveTime, Utc, Weekday};
use secmon::model::Expiry;

/// Reads a day as the API's date; `name` is the option it came from. The service takes only days that are still to come.
pub fn day(name: &str, text: &str) -> Result<Expiry, CliError> {
    let today = Utc::now().date_naive();
    let day = coming(text, today).or_else(|| read(text, today)).ok_or_else(|| {
        CliError::usage(format!(
            "{name}: {text:?} is not a day: write it as 2026-12-31, 31.12.2026 or monday, or from today on as 90d, \"3 months\" or \"end of next month\""
        ))
    })?;
    match day > today {
        true => Ok(Expiry::from(day)),
        false => Err(CliError::usage(format!(
            "{name}: {day} is over, or ends today ({today} in UTC): give a later day"
        ))),
    }
}

/// Reads a moment that lies behind: a length of time before now, or the beginning of a day of this computer; `name` is
/// the option it came from.
pub fn since(name: &str, text: &str) -> Result<DateTime<Utc>, CliError> {
    let now = Utc::now();
    if let Ok(length) = durations::length(name, text) {
        return Ok(now - length);
    }
    let today = Local::now().date_naive();
    begun(text, today)
        .and_then(|day| day.and_time(NaiveTime::MIN).and_local_timezone(Local).earliest())
        .map(|midnight| midnight.to_utc())
        .ok_or_else(|| {
            CliError::usage(format!(
                "{name}: {text:?} is not a time: write a day, such as monday, yesterday or 2026-11-23, or how long ago, such as 2h or 7d"
            ))
        })
}

/// The next day of a name: today's own is a week ahead.
fn coming(text: &str, today: NaiveDate) -> Option<NaiveDate> {
    let text = text.trim().to_lowercase();
    let ahead = match text.as_str() {
        "today" => 0,
        "tomorrow" => 1,
        name => {
            let weekday = name.parse::<Weekday>().ok()?;
            7 - today.weekday().days_since(weekday)
        }
    };
    today.checked_add_days(Days::new(u64::from(ahead)))
}

/// The day that is meant: the last one of that name, today's own included.
fn begun(text: &str, today: NaiveDate) -> Option<NaiveDate> {
    let text = text.trim().to_lowercase();
    match text.as_str() {
        "today" => return Some(today),
        "yesterday" => return today.pred_opt(),
        _ => {}
    }
    if let Ok(weekday) = text.parse::<Weekday>() {
        let back = today.weekday().days_since(weekday);
        return today.checked_sub_days(Days::new(u64::from(back)));
    }
    written(&text)
}

/// The years that the API's dates can be in.
const FOUR_DIGITS: std::ops::Range<i32> = 1000..10_000;

/// Reads a day, counted from today.
pub fn read(text: &str, today: NaiveDate) -> Option<NaiveDate> {
    let text = text.trim().to_lowercase();
    written(&text)
        .or_else(|| end_of(&text.replace('-', " "), today))
        .or_else(|| after(&text, today))
        .filter(|day| FOUR_DIGITS.contains(&day.year()))
}

/// A day with its number, month and year. Behind a stroke the month may come before the day or after it, so such a day is
/// only read where the year stands in front.
fn written(text: &str) -> Option<NaiveDate> {
    let ways = ["%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y"];
    let read = |way: &&str| NaiveDate::parse_from_str(text, way).ok();
    ways.iter().find_map(read)
}

/// The last day of this, or the next, week, month or year.
fn end_of(text: &str, today: NaiveDate) -> Option<NaiveDate> {
    let words: Vec<&str> = text.strip_prefix("end of ")?.split_whitespace().collect();
    let (ahead, unit) = match words.as_slice() {
        [unit] | ["the" | "this", unit] => (0, *unit),
        ["next", unit] | ["the", "next", unit] => (1, *unit),
        _ => return None,
    };
    match unit {
        "week" => {
            let sunday = 6 - today.weekday().num_days_from_monday();
            today.checked_add_days(Days::new(u64::from(sunday + 7 * ahead)))
        }
        "month" => before(today.with_day(1)?, 1 + ahead),
        "year" => before(today.with_day(1)?.with_month(1)?, 12 * (1 + ahead)),
        _ => None,
    }
}

/// The day before the one that is so many months later.
fn before(first: NaiveDate, months: u32) -> Option<NaiveDate> {
    first.checked_add_months(Months::new(months))?.pred_opt()
}

/// So many days, weeks, months or years from today.
fn after(text: &str, today: NaiveDate) -> Option<NaiveDate> {
    let unit_begins = text.find(|c: char| !c.is_ascii_digit())?;
    let (count, unit) = text.split_at(unit_begins);
    let count: u32 = count.parse().ok()?;
    let days = |count| today.checked_add_days(Days::new(u64::from(count)));
    let months = |count| today.checked_add_months(Months::new(count));
    match unit.trim() {
        "d" | "day" | "days" => days(count),
        "w" | "week" | "weeks" => days(count.checked_mul(7)?),
        "month" | "months" => months(count),
        "y" | "year" | "years" => months(count.checked_mul(12)?),
        _ => None,
    }
}
