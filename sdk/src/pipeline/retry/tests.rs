//! The decision for every outcome, against a table written from the rules and not from the code.

use std::time::Duration;

use http::{HeaderMap, Method, StatusCode};
use serde_json::json;

use super::{Decision, RetryBudget, Situation, decide};
use crate::error::{AnswerFacts, ApiError, CallFacts, Error, ErrorCode, ErrorKind, Sent};
use crate::event::WaitReason;
use crate::operation::RetrySafety;
use crate::redact::Redactor;
use crate::settings::Settings;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

fn settings() -> Settings {
    Settings::default().max_wait(MINUTE + SECOND)
}

fn situation(settings: &Settings) -> Situation<'_> {
    Situation {
        settings,
        failures: 1,
        throttled: 1,
        window: MINUTE,
        remaining: 2 * MINUTE,
        jitter: 0.0,
    }
}

/// What follows a failure in the usual situation.
fn next(error: &Error) -> Decision {
    decide(error, &situation(&settings()))
}

fn failed(kind: ErrorKind, sent: Sent, safety: RetrySafety) -> Error {
    Error::new(kind, "").about(facts(sent, safety, None))
}

fn facts(sent: Sent, safety: RetrySafety, answer: Option<AnswerFacts>) -> CallFacts {
    CallFacts {
        operation: None,
        method: Method::POST,
        path: String::new(),
        safety,
        sent,
        attempts: 1,
        elapsed: Duration::ZERO,
        answer,
    }
}

/// The error that an answer is, with the part of the service in it that the rules look at.
fn refused(
    status: u16,
    code: Option<&ErrorCode>,
    retry_after: Option<Duration>,
    safety: RetrySafety,
) -> Error {
    let status = StatusCode::from_u16(status).expect("a status of the test");
    let code = match code {
        Some(ErrorCode::Number(number)) => json!(number),
        Some(code) => json!(code.as_str()),
        None => json!(null),
    };
    let body = json!({"error": {"code": code, "message": "Refused."}}).to_string();
    let api = ApiError::parse(status, body.as_bytes(), &Redactor::of(None)).expect("an error");
    let says = !status.is_server_error() || api.code.as_ref().is_some_and(ErrorCode::is_named);
    let answer = AnswerFacts {
        status,
        headers: HeaderMap::new(),
        retry_after,
        snippet: String::new(),
    };
    let sent = if says { Sent::Yes } else { Sent::Maybe };
    Error::refused_by_service(api).about(facts(sent, safety, Some(answer)))
}

fn throttled(retry_after: Option<Duration>) -> Error {
    refused(429, None, retry_after, RetrySafety::Once)
}

/// When a failure is followed by another attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Again {
    Always,
    IfRepeatable,
    Never,
}

impl Again {
    fn for_safety(self, safety: RetrySafety) -> bool {
        match self {
            Self::Always => true,
            Self::IfRepeatable => safety == RetrySafety::Repeatable,
            Self::Never => false,
        }
    }
}

/// What the rules say of an answer: provably not processed, possibly processed, or final.
fn rule(status: u16, code: Option<&ErrorCode>) -> Again {
    let named = code.is_some_and(|code| ErrorCode::named().any(|known| known == *code));
    match status {
        429 if code == Some(&ErrorCode::RateLimited) => Again::Never,
        429 => Again::Always,
        503 if named => Again::Always,
        500 if named => Again::Never,
        500 | 502 | 503 | 504 => Again::IfRepeatable,
        _ => Again::Never,
    }
}

#[test]
fn every_status_with_every_code_follows_the_rules_for_both_kinds_of_operation() {
    let mut codes: Vec<Option<ErrorCode>> = ErrorCode::named().map(Some).collect();
    codes.extend([
        None,
        Some(ErrorCode::Number(404)),
        Some(ErrorCode::from("BRAND_NEW")),
    ]);
    for status in 400..600 {
        for code in &codes {
            for safety in [RetrySafety::Repeatable, RetrySafety::Once] {
                let decision = next(&refused(status, code.as_ref(), None, safety));
                assert_eq!(
                    decision != Decision::Stop,
                    rule(status, code.as_ref()).for_safety(safety),
                    "{status} {code:?} {safety:?} gave {decision:?}"
                );
            }
        }
    }
}

#[test]
fn a_request_that_never_left_is_sent_again_whatever_the_operation() {
    for safety in [RetrySafety::Repeatable, RetrySafety::Once] {
        assert_ne!(
            next(&failed(ErrorKind::Connect, Sent::No, safety)),
            Decision::Stop
        );
    }
}

#[test]
fn a_lost_answer_is_followed_by_another_attempt_only_when_repeating_is_harmless() {
    for kind in [ErrorKind::Interrupted, ErrorKind::Timeout] {
        assert_ne!(
            next(&failed(kind, Sent::Maybe, RetrySafety::Repeatable)),
            Decision::Stop
        );
        assert_eq!(
            next(&failed(kind, Sent::Maybe, RetrySafety::Once)),
            Decision::Stop
        );
    }
}

#[test]
fn what_would_end_the_same_way_is_not_tried_again() {
    let hopeless = [
        (ErrorKind::Tls, Sent::No),
        (ErrorKind::Proxy, Sent::No),
        (ErrorKind::Refused, Sent::No),
        (ErrorKind::Redirect, Sent::Maybe),
        (ErrorKind::BodyTooLarge, Sent::Maybe),
    ];
    for (kind, sent) in hopeless {
        let error = failed(kind, sent, RetrySafety::Repeatable);
        assert_eq!(next(&error), Decision::Stop, "{kind:?}");
        assert!(!error.is_retryable(), "{kind:?}");
    }
}

#[test]
fn retry_after_is_a_floor_under_the_wait() {
    let given = Some(Duration::from_secs(7));
    let wait = Duration::from_secs(7);
    assert_eq!(
        next(&throttled(given)),
        Decision::RetryAfter(wait, WaitReason::RateLimited)
    );
    let code = ErrorCode::ScanningUnavailable;
    let down = refused(503, Some(&code), given, RetrySafety::Once);
    assert_eq!(next(&down), Decision::RetryAfter(wait, WaitReason::Backoff));
}

#[test]
fn a_429_without_a_wait_of_its_own_is_followed_by_more_silence_each_time() {
    let settings = settings();
    for retry_after in [None, Some(Duration::ZERO)] {
        for (throttled_before, seconds) in [(1, 1), (2, 2), (3, 4), (4, 8)] {
            let situation = Situation {
                throttled: throttled_before,
                ..situation(&settings)
            };
            assert_eq!(
                decide(&throttled(retry_after), &situation),
                Decision::RetryAfter(seconds * SECOND, WaitReason::RateLimited)
            );
        }
    }
    let jittered = Situation {
        jitter: 1.0,
        ..situation(&settings)
    };
    assert_eq!(
        decide(&throttled(None), &jittered),
        Decision::RetryAfter(Duration::from_millis(1250), WaitReason::RateLimited)
    );
}

#[test]
fn an_absurd_wait_is_bound_to_a_window_and_a_second_but_a_cooldown_is_not() {
    let year = Some(Duration::from_secs(365 * 86_400));
    let bound = Decision::RetryAfter(MINUTE + SECOND, WaitReason::RateLimited);
    assert_eq!(next(&throttled(year)), bound);
    let cooldown = refused(429, Some(&ErrorCode::RateLimited), year, RetrySafety::Once);
    let settings = settings().wait_for_cooldown();
    assert_eq!(decide(&cooldown, &situation(&settings)), Decision::Stop);
}

#[test]
fn the_fifth_429_in_a_row_ends_a_call() {
    let settings = settings();
    let after = |throttled_before| {
        let situation = Situation {
            throttled: throttled_before,
            ..situation(&settings)
        };
        decide(&throttled(Some(SECOND)), &situation)
    };
    assert_ne!(after(4), Decision::Stop);
    assert_eq!(after(5), Decision::Stop);
}

#[test]
fn a_wait_longer_than_the_time_left_or_than_the_longest_wait_ends_the_call_at_once() {
    let short = throttled(Some(SECOND));
    let with_patience = |wait| decide(&short, &situation(&Settings::default().max_wait(wait)));
    assert_eq!(with_patience(Duration::ZERO), Decision::Stop);
    assert_eq!(
        with_patience(SECOND),
        Decision::RetryAfter(SECOND, WaitReason::RateLimited)
    );

    let settings = settings();
    let late = Situation {
        remaining: SECOND,
        ..situation(&settings)
    };
    assert_eq!(decide(&short, &late), Decision::Stop);
}

#[test]
fn a_scan_cooldown_is_slept_through_only_when_asked_for() {
    let code = ErrorCode::RateLimited;
    let cooldown = refused(429, Some(&code), Some(SECOND), RetrySafety::Once);
    assert_eq!(next(&cooldown), Decision::Stop);
    let waiting = settings().wait_for_cooldown();
    assert_eq!(
        decide(&cooldown, &situation(&waiting)),
        Decision::RetryAfter(SECOND, WaitReason::RateLimited)
    );
}

#[test]
fn failures_end_after_the_allowed_retries_but_rate_limits_do_not_count() {
    let settings = settings();
    let last = Situation {
        failures: 4,
        ..situation(&settings)
    };
    let unsent = failed(ErrorKind::Connect, Sent::No, RetrySafety::Repeatable);
    assert_eq!(decide(&unsent, &last), Decision::Stop);
    assert_ne!(decide(&throttled(None), &last), Decision::Stop);
}

#[test]
fn the_pause_doubles_with_every_failure_and_the_jitter_takes_at_most_half() {
    let settings = settings().max_retries(100);
    let pause = |failures, jitter| {
        let situation = Situation {
            failures,
            jitter,
            ..situation(&settings)
        };
        let unsent = failed(ErrorKind::Connect, Sent::No, RetrySafety::Repeatable);
        match decide(&unsent, &situation) {
            Decision::RetryAfter(pause, WaitReason::Backoff) => pause,
            other => panic!("no pause but {other:?}"),
        }
    };
    let milliseconds = Duration::from_millis;
    assert_eq!(pause(1, 0.0), milliseconds(200));
    assert_eq!(pause(2, 0.0), milliseconds(400));
    assert_eq!(pause(3, 0.0), milliseconds(800));
    assert_eq!(pause(3, 1.0), milliseconds(400));
    assert_eq!(pause(60, 0.0), milliseconds(8000));
}

#[tokio::test(start_paused = true)]
async fn an_outage_is_answered_with_ten_retries_and_every_ten_successes_allow_one_more() {
    let budget = RetryBudget::default();
    assert!((0..10).all(|_| budget.spend()));
    assert!(!budget.spend());
    (0..9).for_each(|_| budget.earn());
    assert!(!budget.spend());
    budget.earn();
    assert!(budget.spend());
    assert!(!budget.spend());
}

#[tokio::test(start_paused = true)]
async fn time_allows_retries_too_but_never_more_than_at_the_start() {
    let budget = RetryBudget::new(2)
        .refill_every(Duration::from_secs(6))
        .successes_per_retry(1);
    budget.earn();
    assert!(budget.spend() && budget.spend() && !budget.spend());
    tokio::time::advance(Duration::from_secs(5)).await;
    assert!(!budget.spend());
    tokio::time::advance(Duration::from_secs(1)).await;
    assert!(budget.spend() && !budget.spend());
    tokio::time::advance(Duration::from_secs(3600)).await;
    assert!(budget.spend() && budget.spend() && !budget.spend());
    budget.earn();
    assert!(budget.spend());
    assert!(!RetryBudget::new(0).spend());
}
