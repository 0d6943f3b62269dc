//! The limits of the specification, checked before anything is sent.
//!
//! Each check adds a sentence under the field's name in the API, as the service's 422 would.

use std::net::IpAddr;

use chrono::{DateTime, NaiveDate};

use crate::FieldErrors;

/// At most so many characters (Unicode scalar values), when given.
pub(crate) fn max_length(problems: &mut FieldErrors, field: &str, text: Option<&str>, most: usize) {
    if text.is_some_and(|text| text.chars().count() > most) {
        problems.add(field, format!("It may have at most {most} characters."));
    }
}

/// Not empty, and at most so many characters.
pub(crate) fn required_text(problems: &mut FieldErrors, field: &str, text: &str, most: usize) {
    if text.is_empty() {
        problems.add(field, "It is required.");
    }
    max_length(problems, field, Some(text), most);
}

/// Between two numbers of characters.
pub(crate) fn length_between(
    problems: &mut FieldErrors,
    field: &str,
    text: &str,
    least: usize,
    most: usize,
) {
    if !(least..=most).contains(&text.chars().count()) {
        problems.add(field, format!("It must have {least} to {most} characters."));
    }
}

/// An IPv4 or IPv6 address, without zone, prefix length or leading zeros.
pub(crate) fn ip_address(problems: &mut FieldErrors, field: &str, text: &str) {
    if text.parse::<IpAddr>().is_err() {
        problems.add(
            field,
            "It must be an IPv4 or IPv6 address, as in 203.0.113.10.",
        );
    }
}

/// An e-mail address of at most 255 characters: one `@` between a name and a host, no space.
pub(crate) fn email(problems: &mut FieldErrors, field: &str, text: Option<&str>) {
    let Some(text) = text else { return };
    let fits = text
        .split_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && !host.contains('@') && is_hostname(host));
    if !fits || text.contains(char::is_whitespace) {
        problems.add(
            field,
            "It must be an e-mail address, as in name@example.com.",
        );
    }
    max_length(problems, field, Some(text), 255);
}

/// A monthly price, 0.01 to 9999.99.
pub(crate) fn mrr(problems: &mut FieldErrors, amount: Option<f64>) {
    if amount.is_some_and(|amount| !(0.01..=9999.99).contains(&amount)) {
        problems.add("mrr", "It must be from 0.01 to 9999.99.");
    }
}

/// At least 1, when given.
pub(crate) fn at_least_one(problems: &mut FieldErrors, field: &str, number: Option<u32>) {
    if number == Some(0) {
        problems.add(field, "It must be at least 1.");
    }
}

/// From 1 to 10000, when given.
pub(crate) fn quantity(problems: &mut FieldErrors, field: &str, number: Option<u32>) {
    if number.is_some_and(|number| !(1..=10_000).contains(&number)) {
        problems.add(field, "It must be from 1 to 10000.");
    }
}

/// From 1 to 50, when given.
pub(crate) fn at_most_fifty(problems: &mut FieldErrors, field: &str, number: Option<u32>) {
    if number.is_some_and(|number| !(1..=50).contains(&number)) {
        problems.add(field, "It must be from 1 to 50.");
    }
}

/// A bare date, or a timestamp with offset. Whether the day has passed is for the service's clock to say.
pub(crate) fn date(problems: &mut FieldErrors, field: &str, text: Option<&str>) {
    let fits = |text: &str| {
        NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok()
            || DateTime::parse_from_rfc3339(text).is_ok()
    };
    if text.is_some_and(|text| !fits(text)) {
        problems.add(
            field,
            "It must be a date as in 2026-12-31, or a timestamp with offset.",
        );
    }
}

fn is_hostname(text: &str) -> bool {
    text.split('.').all(|label| {
        !label.is_empty()
            && label.len() <= 63
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .chars()
                .all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_'))
    })
}
