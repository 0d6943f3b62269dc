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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(headers: &[(&'static str, &'static str)]) -> Option<Duration> {
        let headers = headers
            .iter()
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    http::HeaderValue::from_static(value),
                )
            })
            .collect();
        let now = DateTime::parse_from_rfc3339("2026-03-01T12:00:00Z").expect("a date");
        retry_after(&headers, now.to_utc())
    }

    #[test]
    fn seconds_are_read_as_they_are() {
        assert_eq!(
            read(&[("retry-after", "17")]),
            Some(Duration::from_secs(17))
        );
    }

    #[test]
    fn a_date_is_measured_from_the_answers_own_clock() {
        let answer = [
            ("retry-after", "Wed, 21 Oct 2015 07:28:30 GMT"),
            ("date", "Wed, 21 Oct 2015 07:28:00 GMT"),
        ];
        assert_eq!(read(&answer), Some(Duration::from_secs(30)));
    }

    #[test]
    fn a_date_is_measured_from_now_when_the_answer_has_no_clock() {
        let answer = [("retry-after", "Sun, 01 Mar 2026 12:00:09 GMT")];
        assert_eq!(read(&answer), Some(Duration::from_secs(9)));
    }

    #[test]
    fn a_date_that_has_passed_means_now() {
        let answer = [("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT")];
        assert_eq!(read(&answer), Some(Duration::ZERO));
    }

    #[test]
    fn nonsense_is_no_wait_and_a_huge_number_is_a_day() {
        assert_eq!(read(&[("retry-after", "soon")]), None);
        assert_eq!(read(&[("retry-after", "")]), None);
        assert_eq!(
            read(&[("retry-after", "99999999999999999999999")]),
            Some(Duration::from_secs(86_400))
        );
    }
}
