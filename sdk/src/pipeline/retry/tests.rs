//! The decision for every outcome, against a table written from the rules and not from the code.

use std::time::Duration;

use http::StatusCode;

use super::{Cooldown, Decision, Outcome, RetryBudget, Situation, Why, decide};
use crate::error::ErrorCode;
use crate::operation::RetrySafety;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

fn situation(safety: RetrySafety) -> Situation {
    Situation {
        safety,
        cooldown: Cooldown::Reported,
        failures: 1,
        max_retries: 3,
        remaining: MINUTE,
        max_wait: MINUTE,
        jitter: 0.0,
    }
}

fn refused(status: u16, code: Option<ErrorCode>, retry_after: Option<Duration>) -> Outcome {
    Outcome::Refused {
        status: StatusCode::from_u16(status).expect("a status of the test"),
        code,
        retry_after,
    }
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
                let decision = decide(&refused(status, code.clone(), None), &situation(safety));
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
            decide(&Outcome::NotSent, &situation(safety)),
            Decision::Stop
        );
    }
}

#[test]
fn a_lost_answer_is_followed_by_another_attempt_only_when_repeating_is_harmless() {
    assert_ne!(
        decide(&Outcome::AnswerLost, &situation(RetrySafety::Repeatable)),
        Decision::Stop
    );
    assert_eq!(
        decide(&Outcome::AnswerLost, &situation(RetrySafety::Once)),
        Decision::Stop
    );
}

#[test]
fn retry_after_is_a_floor_under_the_wait() {
    let given = Some(Duration::from_secs(7));
    assert_eq!(
        decide(&refused(429, None, given), &situation(RetrySafety::Once)),
        Decision::RetryAfter(Duration::from_secs(7), Why::RateLimited)
    );
    assert_eq!(
        decide(
            &refused(503, Some(ErrorCode::ScanningUnavailable), given),
            &situation(RetrySafety::Once)
        ),
        Decision::RetryAfter(Duration::from_secs(7), Why::Backoff)
    );
}

#[test]
fn a_429_without_a_wait_of_its_own_is_followed_by_a_second_of_silence() {
    for retry_after in [None, Some(Duration::ZERO)] {
        assert_eq!(
            decide(
                &refused(429, None, retry_after),
                &situation(RetrySafety::Once)
            ),
            Decision::RetryAfter(SECOND, Why::RateLimited)
        );
    }
}

#[test]
fn a_wait_longer_than_the_time_left_or_than_the_longest_wait_ends_the_call_at_once() {
    let long = refused(429, None, Some(Duration::from_secs(61)));
    assert_eq!(
        decide(&long, &situation(RetrySafety::Repeatable)),
        Decision::Stop
    );

    let impatient = Situation {
        max_wait: Duration::ZERO,
        ..situation(RetrySafety::Repeatable)
    };
    let short = refused(429, None, Some(SECOND));
    assert_eq!(decide(&short, &impatient), Decision::Stop);

    let late = Situation {
        remaining: SECOND,
        ..situation(RetrySafety::Repeatable)
    };
    assert_eq!(decide(&short, &late), Decision::Stop);

    let just_patient = Situation {
        max_wait: SECOND,
        ..situation(RetrySafety::Repeatable)
    };
    assert_eq!(
        decide(&short, &just_patient),
        Decision::RetryAfter(SECOND, Why::RateLimited)
    );
}

#[test]
fn a_scan_cooldown_is_slept_through_only_when_asked_for() {
    let cooldown = refused(429, Some(ErrorCode::RateLimited), Some(SECOND));
    let waiting = Situation {
        cooldown: Cooldown::WaitedFor,
        ..situation(RetrySafety::Once)
    };
    assert_eq!(
        decide(&cooldown, &situation(RetrySafety::Once)),
        Decision::Stop
    );
    assert_eq!(
        decide(&cooldown, &waiting),
        Decision::RetryAfter(SECOND, Why::RateLimited)
    );
}

#[test]
fn failures_end_after_the_allowed_retries_but_rate_limits_do_not_count() {
    let last = Situation {
        failures: 4,
        ..situation(RetrySafety::Repeatable)
    };
    assert_eq!(decide(&Outcome::NotSent, &last), Decision::Stop);
    assert_ne!(decide(&refused(429, None, None), &last), Decision::Stop);
}

#[test]
fn the_pause_doubles_with_every_failure_and_the_jitter_takes_at_most_half() {
    let pause = |failures, jitter| {
        let situation = Situation {
            failures,
            jitter,
            max_retries: 100,
            ..situation(RetrySafety::Repeatable)
        };
        match decide(&Outcome::NotSent, &situation) {
            Decision::RetryAfter(pause, Why::Backoff) => pause,
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

#[test]
fn an_outage_is_answered_with_ten_retries_and_every_ten_successes_allow_one_more() {
    let budget = RetryBudget::new();
    assert!((0..10).all(|_| budget.spend()));
    assert!(!budget.spend());
    (0..10).for_each(|_| budget.earn());
    assert!(budget.spend());
    assert!(!budget.spend());
}

#[test]
fn successes_before_an_outage_allow_no_more_than_ten_retries() {
    let budget = RetryBudget::new();
    budget.earn();
    assert!((0..10).all(|_| budget.spend()));
    (0..9).for_each(|_| budget.earn());
    assert!(!budget.spend());
}
