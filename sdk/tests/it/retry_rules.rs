//! Whether a failed attempt is followed by another, and after how long, against a table written from the rules (F5, F6)
//! and not from the code; on a paused clock.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::StatusCode;
use secmon::operations::{ScanEndpoint, SuspendEndpoint};
use secmon::testing::{self, Expectation, MockTransport};
use secmon::transport::TransportErrorKind;
use secmon::{
    Client, ClientBuilder, Error, ErrorCode, Event, Operation, RequestOptions, RetryBudget,
    WaitReason,
};
use serde_json::json;

use crate::support::*;

const SECOND: Duration = Duration::from_secs(1);

type Answer = http::Response<bytes::Bytes>;

/// A client that nothing but the rules holds back.
fn patient(script: &Arc<MockTransport>) -> ClientBuilder {
    builder(script)
        .no_rate_limit()
        .with(|calls| {
            calls
                .queue_timeout(3600 * SECOND)
                .operation_timeout(7200 * SECOND)
        })
        .retry_budget(RetryBudget::new(1_000_000))
}

/// The error of a call whose attempts all end like this.
async fn always<O: Operation>(operation: O, step: impl FnOnce(Expectation<'_>)) -> Error {
    let script = MockTransport::new();
    step(script.on_any().forever());
    let client = patient(&script).build().expect("a client");
    client.send(operation).await.err().expect("an error")
}

fn repeatable() -> SuspendEndpoint {
    SuspendEndpoint::new(endpoint_id())
}

fn once() -> ScanEndpoint {
    ScanEndpoint::new(customer(), endpoint_id())
}

fn refused(status: u16, code: Option<&ErrorCode>, retry_after: Option<&str>) -> Answer {
    let status = StatusCode::from_u16(status).expect("a status");
    let code = match code {
        Some(ErrorCode::Number(number)) => json!(number),
        Some(code) => json!(code.to_str()),
        None => json!(null),
    };
    let body = json!({"error": {"code": code, "message": "Refused."}}).to_string();
    let mut answer = testing::html(status, &body);
    if let Some(wait) = retry_after {
        let wait = wait.parse().expect("a header");
        answer.headers_mut().insert("retry-after", wait);
    }
    answer
}

/// What the rules say of an answer: sent again by a repeatable operation, and by one that must not act twice.
fn rule(status: u16, code: Option<&ErrorCode>) -> (bool, bool) {
    let named = code.is_some_and(|code| ErrorCode::VARIANTS.contains(code));
    match status {
        429 if code == Some(&ErrorCode::RateLimited) => (false, false),
        429 => (true, true),
        // Without a code it is none of the service's shapes, so something between said it (F13).
        408 | 421 | 425 | 500.. if code.is_none() => (true, false),
        503 if named => (true, true),
        500 if named => (false, false),
        500 | 502 | 503 | 504 => (true, false),
        _ => (false, false),
    }
}

#[tokio::test(start_paused = true)]
async fn every_status_with_every_code_follows_the_rules_for_both_kinds_of_operation() {
    let mut codes: Vec<Option<ErrorCode>> = ErrorCode::VARIANTS.iter().cloned().map(Some).collect();
    let unnamed = [ErrorCode::Number(404), ErrorCode::from("BRAND_NEW")];
    codes.extend(unnamed.map(Some));
    codes.push(None);
    for status in 400..600 {
        for code in &codes {
            let answer = refused(status, code.as_ref(), None);
            let first = always(repeatable(), |step| step.respond(answer.clone())).await;
            let second = always(once(), |step| step.respond(answer.clone())).await;
            let again = (first.attempts() > 1, second.attempts() > 1);
            assert_eq!(again, rule(status, code.as_ref()), "{status} {code:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_attempt_without_an_answer_is_repeated_where_it_can_help_and_cannot_act_twice() {
    use TransportErrorKind::*;
    for (kind, repeatable_again, once_again) in [
        (Connect, true, true),
        (Interrupted, true, false),
        (Timeout, true, false),
        (Tls, false, false),
        (Proxy, false, false),
        (Refused, false, false),
        (Redirected, false, false),
        (BodyTooLarge, false, false),
    ] {
        let first = always(repeatable(), |step| step.fail(kind)).await;
        let second = always(once(), |step| step.fail(kind)).await;
        let again = (first.attempts() == 4, second.attempts() == 4);
        assert_eq!(again, (repeatable_again, once_again), "{kind:?}");
        assert_eq!(first.is_retryable(), repeatable_again, "{kind:?}");
    }
}

/// What a call waited for, and how it ended, when its attempts end like these.
async fn waits<O: Operation>(
    operation: O,
    answers: impl IntoIterator<Item = Answer>,
    change: impl FnOnce(RequestOptions) -> RequestOptions,
) -> (Vec<(WaitReason, Duration)>, Result<u32, u32>) {
    let script = MockTransport::new();
    answers
        .into_iter()
        .for_each(|answer| script.respond(answer));
    let waits = Arc::new(Mutex::new(Vec::new()));
    let heard = waits.clone();
    let builder = patient(&script)
        .with(change)
        .observer(Arc::new(move |event| {
            if let Event::Waiting {
                reason, duration, ..
            } = event
            {
                heard.lock().expect("no panic").push((*reason, *duration));
            }
        }));
    let ended = builder.build().expect("a client").send(operation).await;
    let ended = ended
        .map(|done| done.attempts())
        .map_err(|error| error.attempts());
    let waits = waits.lock().expect("no panic").clone();
    (waits, ended)
}

fn state() -> serde_json::Value {
    json!({"endpoint_id": ID, "status": "paused"})
}

fn queued() -> Answer {
    testing::success(json!({"scan_id": ID, "status": "pending"}))
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_a_floor_under_the_wait() {
    let down = Some(ErrorCode::ScanningUnavailable);
    for (answer, reason) in [
        (refused(429, None, Some("7")), WaitReason::Throttled),
        (refused(503, down.as_ref(), Some("7")), WaitReason::Backoff),
    ] {
        let (waited, ended) = waits(once(), [answer, queued()], |calls| calls).await;
        assert_eq!((waited, ended), (vec![(reason, 7 * SECOND)], Ok(2)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_429_without_a_wait_of_its_own_is_followed_by_more_silence_each_time_and_the_fifth_ends_the_call()
 {
    for retry_after in [None, Some("0"), Some("soon")] {
        let answer = refused(429, None, retry_after);
        let (waited, ended) = waits(once(), vec![answer; 5], |calls| calls.max_retries(0)).await;
        assert_eq!((waited.len(), ended), (4, Err(5)));
        for ((reason, wait), seconds) in waited.into_iter().zip([1, 2, 4, 8]) {
            let least = seconds * SECOND;
            assert_eq!(reason, WaitReason::Throttled);
            assert!(
                (least..=least * 5 / 4).contains(&wait),
                "{wait:?} for {least:?}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_absurd_wait_is_bound_to_a_window_and_a_second_but_a_cooldown_is_not() {
    let year = Some("31536000");
    let throttled = [refused(429, None, year), queued()];
    let (waited, ended) = waits(once(), throttled, |calls| calls).await;
    assert_eq!(
        (waited, ended),
        (vec![(WaitReason::Throttled, 61 * SECOND)], Ok(2))
    );
    let cooldown = || refused(429, Some(&ErrorCode::RateLimited), year);
    let (waited, ended) = waits(once(), [cooldown()], |calls| calls.wait_for_cooldown(true)).await;
    assert_eq!((waited, ended), (Vec::new(), Err(1)));
}

#[tokio::test(start_paused = true)]
async fn a_wait_longer_than_the_time_left_or_than_the_longest_wait_ends_the_call_at_once() {
    let short = || [refused(429, None, Some("1")), queued()];
    let most = |wait| move |calls: RequestOptions| calls.queue_timeout(wait);
    let at_once = (Vec::new(), Err(1));
    assert_eq!(waits(once(), short(), most(Duration::ZERO)).await, at_once);
    assert_eq!(waits(once(), short(), most(SECOND)).await.1, Ok(2));
    let late = |calls: RequestOptions| calls.operation_timeout(SECOND);
    assert_eq!(waits(once(), short(), late).await, at_once);
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_no_slot_is_not_kept_from_trying_again_after_a_failure() {
    let at_once = |calls: RequestOptions| calls.queue_timeout(Duration::ZERO);
    let lost = [refused(502, None, None), testing::success(state())];
    let (waited, ended) = waits(repeatable(), lost, at_once).await;
    assert_eq!((waited.len(), ended), (1, Ok(2)));

    let down = Some(ErrorCode::ScanningUnavailable);
    let asked = [refused(503, down.as_ref(), Some("1")), queued()];
    let (waited, ended) = waits(once(), asked, at_once).await;
    assert_eq!(
        (waited.len(), ended),
        (0, Err(1)),
        "the service asks for it"
    );
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_the_end_of_a_cooldown_is_told_as_one() {
    let cooldown = refused(429, Some(&ErrorCode::RateLimited), Some("7"));
    let patient = |calls: RequestOptions| calls.wait_for_cooldown(true);
    let (waited, ended) = waits(once(), [cooldown, queued()], patient).await;
    let told = vec![(WaitReason::Cooldown, 7 * SECOND)];
    assert_eq!((waited, ended), (told, Ok(2)));
}

#[tokio::test(start_paused = true)]
async fn the_pause_doubles_with_every_failure_and_the_jitter_takes_at_most_half() {
    let answers = vec![refused(502, None, None); 9];
    let (waited, ended) = waits(repeatable(), answers, |calls| calls.max_retries(8)).await;
    assert_eq!((waited.len(), ended), (8, Err(9)));
    let longest = [200, 400, 800, 1600, 3200, 6400, 8000, 8000].map(Duration::from_millis);
    for ((reason, wait), longest) in waited.into_iter().zip(longest) {
        assert_eq!(reason, WaitReason::Backoff);
        assert!(
            (longest / 2..=longest).contains(&wait),
            "{wait:?} for {longest:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn rate_limits_count_as_no_failures() {
    let failed = || refused(502, None, None);
    let throttled = || refused(429, None, Some("1"));
    let answers = [
        failed(),
        throttled(),
        failed(),
        throttled(),
        failed(),
        throttled(),
        failed(),
    ];
    let (_, ended) = waits(repeatable(), answers, |calls| calls).await;
    assert_eq!(
        ended,
        Err(7),
        "three retries after failures, three after rate limits"
    );
}

/// How many retries a client's budget allows now, at most so many.
async fn allowed(client: &Client, script: &MockTransport, most: u32) -> u32 {
    let sent = script.requests().len();
    (0..=most).for_each(|_| script.fail(TransportErrorKind::Connect));
    let error = client
        .call(repeatable())
        .with(|calls| calls.max_retries(most))
        .send()
        .await
        .expect_err("failed");
    assert_eq!(script.requests().len() - sent, error.attempts() as usize);
    error.attempts() - 1
}

fn bounded(script: &Arc<MockTransport>, budget: RetryBudget) -> Client {
    let builder = builder(script).no_rate_limit().retry_budget(budget);
    builder.build().expect("a client")
}

async fn succeed(client: &Client, script: &MockTransport, times: usize) {
    for _ in 0..times {
        script
            .on_named("suspend_endpoint")
            .answer(StatusCode::OK, paused());
        client.send(repeatable()).await.expect("suspended");
    }
}

#[tokio::test(start_paused = true)]
async fn every_ten_successes_allow_one_more_retry() {
    let script = MockTransport::new();
    let slowly = RetryBudget::new(2).refill_every(1_000_000 * SECOND);
    let client = bounded(&script, slowly);
    assert_eq!(allowed(&client, &script, 2).await, 2);
    succeed(&client, &script, 9).await;
    script.fail(TransportErrorKind::Connect);
    assert_eq!(
        client
            .send(repeatable())
            .await
            .expect_err("failed")
            .attempts(),
        1
    );
    succeed(&client, &script, 1).await;
    assert_eq!(allowed(&client, &script, 1).await, 1);
}

#[tokio::test(start_paused = true)]
async fn time_allows_retries_too_but_never_more_than_at_the_start() {
    let script = MockTransport::new();
    let client = bounded(&script, RetryBudget::new(2).refill_every(100 * SECOND));
    assert_eq!(allowed(&client, &script, 2).await, 2);
    tokio::time::advance(90 * SECOND).await;
    script.fail(TransportErrorKind::Connect);
    assert_eq!(
        client
            .send(repeatable())
            .await
            .expect_err("failed")
            .attempts(),
        1
    );
    tokio::time::advance(100_000 * SECOND).await;
    let all = |calls: RequestOptions| calls.max_retries(9);
    (0..3).for_each(|_| script.fail(TransportErrorKind::Connect));
    let error = client.call(repeatable()).with(all).send().await;
    assert_eq!(error.expect_err("failed").attempts(), 3);

    let none = bounded(&script, RetryBudget::new(0).successes_per_retry(1));
    succeed(&none, &script, 3).await;
    script.fail(TransportErrorKind::Connect);
    assert_eq!(
        none.send(repeatable())
            .await
            .expect_err("failed")
            .attempts(),
        1
    );
}

/// The wait that an error hands on, of an answer with these headers.
fn handed_on(headers: &[(&'static str, &str)]) -> Option<Duration> {
    let mut answer = refused(429, None, None);
    for (name, value) in headers {
        let value = value.parse().expect("a header");
        answer.headers_mut().insert(*name, value);
    }
    testing::error::<SuspendEndpoint>(answer).retry_after()
}

#[test]
fn a_retry_after_is_seconds_or_a_date_by_the_answers_own_clock() {
    const DATE: (&str, &str) = ("date", "Wed, 21 Oct 2015 07:28:00 GMT");
    let day = 24 * 3600 * SECOND;
    for (headers, wait) in [
        (vec![("retry-after", "17")], Some(17 * SECOND)),
        (vec![("retry-after", " 17 ")], Some(17 * SECOND)),
        (
            vec![("retry-after", "Wed, 21 Oct 2015 07:28:30 GMT"), DATE],
            Some(30 * SECOND),
        ),
        // By the clock here, where the answer has none.
        (
            vec![("retry-after", "Wednesday, 21-Oct-15 07:28:30 GMT"), DATE],
            Some(30 * SECOND),
        ),
        (
            vec![("retry-after", "Wed Oct 21 07:28:30 2015"), DATE],
            Some(30 * SECOND),
        ),
        (
            vec![("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT")],
            Some(Duration::ZERO),
        ),
        (vec![("retry-after", "soon")], None),
        (vec![("retry-after", "")], None),
        (vec![("retry-after", "99999999999999999999999")], Some(day)),
        (
            vec![("retry-after", "Fri, 21 Oct 2095 07:28:00 GMT"), DATE],
            Some(day),
        ),
        (Vec::new(), None),
    ] {
        assert_eq!(handed_on(&headers), wait, "{headers:?}");
    }
    let soon = chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now())
        + chrono::TimeDelta::seconds(90);
    let wait = handed_on(&[("retry-after", &soon.to_rfc2822())]).expect("a wait");
    assert!((60 * SECOND..=90 * SECOND).contains(&wait), "{wait:?}");
}

#[tokio::test(start_paused = true)]
async fn a_pause_that_leaves_too_little_time_for_an_answer_ends_the_call_at_once() {
    let down = Some(ErrorCode::ScanningUnavailable);
    let limits = |calls: RequestOptions| {
        calls
            .operation_timeout(150 * SECOND)
            .attempt_timeout(30 * SECOND)
    };
    for (seconds, attempts) in [("149", Err(1)), ("121", Err(1)), ("120", Ok(2))] {
        let answers = [refused(503, down.as_ref(), Some(seconds)), queued()];
        let (_, ended) = waits(once(), answers, limits).await;
        assert_eq!(ended, attempts, "{seconds}");
    }
}
