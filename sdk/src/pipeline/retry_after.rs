//! The `Retry-After` header.

use std::time::Duration;

use chrono::{DateTime, FixedOffset, Utc};
use http::HeaderMap;
use http::header::{DATE, HeaderName, RETRY_AFTER};

/// No service means more than a day; a longer wait is a mistake of something in between.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// How long the answer asks to wait: whole seconds, or an HTTP date, which is measured from the answer's own `Date`
/// (from `now` when it has none), so that a wrong clock here does not matter.
pub(crate) fn retry_after(headers: &HeaderMap, now: DateTime<Utc>) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let seconds = text.parse().unwrap_or(u64::MAX);
        return Some(Duration::from_secs(seconds).min(LONGEST));
    }
    let until = DateTime::parse_from_rfc2822(text).ok()?;
    let from = date(headers, DATE).unwrap_or_else(|| now.fixed_offset());
    Some((until - from).to_std().unwrap_or_default().min(LONGEST))
}

fn date(headers: &HeaderMap, name: HeaderName) -> Option<DateTime<FixedOffset>> {
    DateTime::parse_from_rfc2822(headers.get(name)?.to_str().ok()?).ok()
}
