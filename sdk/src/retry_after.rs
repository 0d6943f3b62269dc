//! The `Retry-After` header.

use std::time::{Duration, SystemTime};

use chrono::DateTime;
use http::HeaderMap;
use http::header::{DATE, HeaderName, RETRY_AFTER};

/// No service means more than a day; a longer wait is a mistake of something in between.
pub(crate) const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// How long the answer asks to wait: whole seconds, or an HTTP date, which is measured from the answer's own `Date`
/// (from `now` when it has none), so that a wrong clock here does not matter.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let seconds = text.parse().unwrap_or(u64::MAX);
        return Some(Duration::from_secs(seconds).min(LONGEST));
    }
    let until = date(headers, RETRY_AFTER)?;
    let from = date(headers, DATE).unwrap_or(now);
    Some(until.duration_since(from).unwrap_or_default().min(LONGEST))
}

/// Any of the three forms of an HTTP date; a zone in digits, which none of them has, is read too.
fn date(headers: &HeaderMap, name: HeaderName) -> Option<SystemTime> {
    let text = headers.get(name)?.to_str().ok()?.trim();
    let with_digits = || {
        DateTime::parse_from_rfc2822(text)
            .ok()
            .map(SystemTime::from)
    };
    httpdate::parse_http_date(text).ok().or_else(with_digits)
}
