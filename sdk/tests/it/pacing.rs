//! The rate budget on a paused clock: exact times, against a service that counts in fixed windows.

mod slots;
mod waits;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use secmon::operations::SuspendEndpoint;
use secmon::pacing::{
    Acquire, MemoryRateLimiter, Permit, Priority, RateLimiter, RateLimiterError, SlotOutcome,
};
use secmon::testing::MockTransport;
use secmon::transport::{BoxFuture, Transport, TransportError, TransportErrorKind};
use secmon::{Client, Delivery, ErrorKind, RateGroup};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::support::*;
use slots::permit;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

/// A service with one fixed window of 60 a minute, opened by the first request that counts in it.
struct Service {
    latency: Duration,
    window: Mutex<Window>,
}

#[derive(Default)]
struct Window {
    opened: Option<Instant>,
    counted: u32,
    refused: u32,
    served_at: Vec<Instant>,
}

impl Service {
    fn new(latency: Duration) -> Arc<Self> {
        Arc::new(Self {
            latency,
            window: Mutex::default(),
        })
    }

    /// Uses up slots on behalf of somebody else.
    fn used_by_others(&self, requests: u32) {
        let mut window = self.window.lock().expect("a window");
        window.opened = Some(Instant::now());
        window.counted = requests;
    }

    fn count(&self) -> http::Response<Bytes> {
        let now = Instant::now();
        let mut window = self.window.lock().expect("a window");
        let opened = match window.opened.filter(|opened| now < *opened + MINUTE) {
            Some(opened) => opened,
            None => {
                window.opened = Some(now);
                window.counted = 0;
                now
            }
        };
        if window.counted == 60 {
            window.refused += 1;
            let left = (opened + MINUTE - now).as_secs_f64().ceil().to_string();
            return with_retry_after(
                StatusCode::TOO_MANY_REQUESTS,
                &left,
                r#"{"message": "Too Many Attempts."}"#,
            );
        }
        window.counted += 1;
        window.served_at.push(now);
        http::Response::new(paused().into())
    }
}

impl Transport for Service {
    fn send(
        &self,
        _: http::Request<Bytes>,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, TransportError>> {
        Box::pin(async move {
            sleep(self.latency / 2).await;
            let answer = self.count();
            sleep(self.latency / 2).await;
            Ok(answer)
        })
    }
}

fn client_of(service: &Arc<Service>) -> Client {
    Client::builder("https://portal.example.com", key())
        .transport(service.clone())
        .with(|calls| calls.operation_timeout(Duration::from_secs(24 * 60 * 60)))
        .with(|calls| calls.queue_timeout(Duration::from_secs(24 * 60 * 60)))
        .build()
        .expect("a client")
}

/// So many calls at once; gives the time from the first to the last.
async fn suspend_many(client: &Client, calls: u32) -> Duration {
    let started = Instant::now();
    let mut tasks = JoinSet::new();
    for _ in 0..calls {
        let client = client.clone();
        tasks.spawn(async move { client.servers().suspend(endpoint_id()).await });
    }
    while let Some(result) = tasks.join_next().await {
        result.expect("no panic").expect("suspended");
    }
    started.elapsed()
}

#[tokio::test(start_paused = true)]
async fn callers_who_share_a_budget_use_every_window_in_full_and_see_no_429() {
    for latency in [Duration::ZERO, Duration::from_millis(80), 20 * SECOND] {
        let service = Service::new(latency);
        let elapsed = suspend_many(&client_of(&service), 240).await;
        let window = service.window.lock().expect("a window");
        assert_eq!(window.refused, 0, "at a latency of {latency:?}");
        assert_eq!(window.served_at.len(), 240);
        assert_eq!(elapsed, 3 * (MINUTE + latency) + latency);
    }
}

#[tokio::test(start_paused = true)]
async fn a_window_used_up_by_others_is_waited_for_and_then_used_in_full() {
    let service = Service::new(Duration::ZERO);
    service.used_by_others(60);
    sleep(20 * SECOND).await;
    let elapsed = suspend_many(&client_of(&service), 60).await;
    assert_eq!(elapsed, 40 * SECOND);
    let window = service.window.lock().expect("a window");
    assert_eq!(window.served_at.len(), 60);
}

#[tokio::test(start_paused = true)]
async fn the_two_groups_and_the_health_check_do_not_share_a_window() {
    let script = MockTransport::new();
    let client = builder(&script)
        .rate_limits(1, 1, MINUTE)
        .build()
        .expect("a client");
    let started = Instant::now();
    script.answer(StatusCode::OK, paused());
    client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect("strict");
    script.answer(StatusCode::OK, resource(endpoint()));
    client
        .servers()
        .get(customer(), endpoint_id())
        .await
        .expect("default");
    script.answer(StatusCode::OK, r#"{"success": true, "status": "ok"}"#);
    client.health().await.expect("unlimited");
    assert_eq!(started.elapsed(), Duration::ZERO);
    script.answer(StatusCode::OK, resource(endpoint()));
    client
        .servers()
        .get(customer(), endpoint_id())
        .await
        .expect("default");
    assert_eq!(started.elapsed(), MINUTE);
}

#[tokio::test(start_paused = true)]
async fn an_impatient_caller_is_told_when_the_next_slot_is_free_and_nothing_is_sent() {
    let script = MockTransport::new();
    let client = builder(&script)
        .rate_limits(1, 1, MINUTE)
        .with(|calls| calls.queue_timeout(Duration::ZERO))
        .build()
        .expect("a client");
    script.answer(StatusCode::OK, paused());
    client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect("the only slot");
    sleep(20 * SECOND).await;
    let error = client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect_err("no slot");
    assert_eq!(error.kind(), ErrorKind::QueueTimeout);
    assert_eq!(error.retry_after(), Some(40 * SECOND));
    assert_eq!(error.delivery(), Delivery::NotSent);
    assert_eq!(error.attempts(), 0);
    assert_eq!(script.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_time_ends_in_the_queue_was_never_sent() {
    let script = MockTransport::new();
    let client = builder(&script)
        .rate_limits(1, 1, MINUTE)
        .with(|calls| calls.operation_timeout(5 * SECOND))
        .build()
        .expect("a client");
    script.hang();
    let hanging = client.clone();
    let first = tokio::spawn(async move { hanging.servers().suspend(endpoint_id()).await });
    tokio::task::yield_now().await;
    let error = client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect_err("no slot");
    assert_eq!(error.kind(), ErrorKind::QueueTimeout);
    assert_eq!(error.retry_after(), Some(MINUTE));
    assert_eq!(error.elapsed(), Duration::ZERO);
    assert_eq!(error.delivery(), Delivery::NotSent);
    first.abort();
}

#[tokio::test(start_paused = true)]
async fn the_answers_of_an_unlimited_client_still_make_it_wait() {
    let script = MockTransport::new();
    let client = builder(&script).no_rate_limit().build().expect("a client");
    script.respond(with_retry_after(StatusCode::TOO_MANY_REQUESTS, "9", "{}"));
    (0..100).for_each(|_| script.answer(StatusCode::OK, paused()));
    let started = Instant::now();
    for _ in 0..100 {
        client
            .servers()
            .suspend(endpoint_id())
            .await
            .expect("suspended");
    }
    assert_eq!(started.elapsed(), 9 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn clients_built_apart_share_a_window_when_given_the_same_budget() {
    let budget = Arc::new(MemoryRateLimiter::new(1, 1, MINUTE));
    let started = Instant::now();
    for expected in [Duration::ZERO, MINUTE] {
        let script = MockTransport::new();
        script.answer(StatusCode::OK, paused());
        let client = builder(&script)
            .rate_limiter(budget.clone())
            .build()
            .expect("a client");
        client
            .servers()
            .suspend(endpoint_id())
            .await
            .expect("suspended");
        assert_eq!(started.elapsed(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_429_closes_the_window_for_the_wait_it_names_and_then_all_slots_are_free() {
    let budget = MemoryRateLimiter::new(2, 1, MINUTE);
    let mut first = permit(&budget, SECOND).await;
    first.sent();
    first.complete(SlotOutcome::Answered).await;
    let refused = permit(&budget, SECOND).await;
    let retry_after = 7 * SECOND;
    refused
        .complete(SlotOutcome::Throttled {
            retry_after: Some(retry_after),
        })
        .await;
    let started = Instant::now();
    let _both = (permit(&budget, SECOND).await, permit(&budget, SECOND).await);
    assert_eq!(started.elapsed(), 7 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_limit_of_zero_lets_nothing_through() {
    let budget = MemoryRateLimiter::new(0, 1, MINUTE);
    let request = Acquire::new(
        RateGroup::Strict,
        Priority::Interactive,
        MINUTE,
        SECOND,
        &|_| {},
    );
    let refused = budget.acquire(request).await.err();
    assert_eq!(refused, Some(RateLimiterError::Exhausted { free_in: None }));
}

#[tokio::test(start_paused = true)]
async fn waits_without_an_end_are_no_trouble() {
    let script = MockTransport::new();
    let client = builder(&script)
        .rate_limits(1, 1, Duration::MAX)
        .with(|calls| calls.queue_timeout(Duration::MAX))
        .with(|calls| calls.attempt_timeout(Duration::MAX))
        .with(|calls| calls.operation_timeout(Duration::MAX))
        .build()
        .expect("a client");
    script.respond(with_retry_after(
        StatusCode::TOO_MANY_REQUESTS,
        "99999999999999999999",
        "{}",
    ));
    script.answer(StatusCode::OK, paused());
    let call = client
        .call(SuspendEndpoint::new(endpoint_id()))
        .with(|call| call.operation_timeout(Duration::MAX));
    call.send().await.expect("suspended a day later");
    let error = client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect_err("never");
    assert_eq!(error.kind(), ErrorKind::QueueTimeout);
}

#[tokio::test(start_paused = true)]
async fn a_slot_that_would_come_with_the_end_of_the_time_is_refused_at_once() {
    let script = MockTransport::new();
    let client = builder(&script)
        .rate_limits(1, 1, MINUTE)
        .with(|calls| calls.operation_timeout(MINUTE))
        .build()
        .expect("a client");
    script.answer(StatusCode::OK, paused());
    client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect("the only slot");
    let error = client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect_err("too late");
    assert!(error.elapsed().is_zero());
    assert_eq!(error.retry_after(), Some(MINUTE));
    assert_eq!(
        (error.kind(), error.delivery()),
        (ErrorKind::QueueTimeout, Delivery::NotSent)
    );
    assert_eq!(script.requests().len(), 1);
}

/// A budget whose other side cannot be reached.
struct Unreachable;

impl RateLimiter for Unreachable {
    fn acquire<'a>(
        &'a self,
        _: Acquire<'a>,
    ) -> BoxFuture<'a, Result<Box<dyn Permit>, RateLimiterError>> {
        Box::pin(async {
            Err(RateLimiterError::Unavailable(
                "connection refused".to_owned(),
            ))
        })
    }
}

#[tokio::test]
async fn a_budget_that_cannot_be_asked_sends_nothing_and_says_why() {
    let script = MockTransport::new();
    let client = builder(&script)
        .rate_limiter(Arc::new(Unreachable))
        .build()
        .expect("a client");
    let error = client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect_err("no budget");
    assert_eq!(error.kind(), ErrorKind::RateLimiter);
    assert!(error.to_string().contains("connection refused"), "{error}");
    assert!(script.requests().is_empty());
}

#[test]
fn a_budget_shows_its_limits_to_a_developer() {
    let shown = format!("{:?}", MemoryRateLimiter::default());
    assert!(
        shown.contains("strict: 60") && shown.contains("default: 100"),
        "{shown}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_a_slot_is_told_with_its_length() {
    let budget = MemoryRateLimiter::new(1, 1, MINUTE);
    let mut first = permit(&budget, SECOND).await;
    first.sent();
    first.complete(SlotOutcome::Answered).await;
    let told = Mutex::new(Vec::new());
    let tell = |wait| told.lock().expect("a list").push(wait);
    let request = Acquire::new(
        RateGroup::Strict,
        Priority::Interactive,
        10 * MINUTE,
        SECOND,
        &tell,
    );
    assert!(format!("{request:?}").contains("Strict"));
    drop(budget.acquire(request).await.expect("a permit"));
    assert_eq!(*told.lock().expect("a list"), [MINUTE]);
}

#[tokio::test(start_paused = true)]
async fn a_window_that_a_429_has_closed_is_opened_by_hand() {
    let (client, script) = scripted();
    let at_once = client.with(|calls| calls.queue_timeout(Duration::ZERO));
    let year = with_retry_after(StatusCode::TOO_MANY_REQUESTS, "31536000", "{}");
    script.respond(year);
    let closed = at_once.servers().suspend(endpoint_id()).await;
    assert!(closed.expect_err("a full window").is_throttled());
    let refused = at_once.servers().suspend(endpoint_id()).await;
    assert_eq!(refused.expect_err("closed").kind(), ErrorKind::QueueTimeout);

    client.reset_rate_limit().await;
    script.answer(StatusCode::OK, paused());
    let sent = at_once.servers().suspend(endpoint_id()).await;
    sent.expect("open again");
}

#[tokio::test(start_paused = true)]
async fn a_window_longer_than_any_clock_lasts_a_hundred_years() {
    let budget = MemoryRateLimiter::new(1, 1, Duration::MAX);
    let mut first = permit(&budget, SECOND).await;
    first.sent();
    first.complete(SlotOutcome::Answered).await;
    let request = Acquire::new(
        RateGroup::Strict,
        Priority::Interactive,
        MINUTE,
        SECOND,
        &|_| {},
    );
    let refused = budget.acquire(request).await.err();
    let years = Duration::from_secs(100 * 365 * 86_400);
    let free_in = Some(years);
    assert_eq!(refused, Some(RateLimiterError::Exhausted { free_in }));
}

#[test]
fn a_budget_that_gives_no_slot_says_why() {
    let free_in = Some(3 * SECOND);
    for (error, said) in [
        (
            RateLimiterError::Exhausted { free_in },
            "the next slot is free in 3s",
        ),
        (
            RateLimiterError::Exhausted { free_in: None },
            "no slot comes free in time",
        ),
        (
            RateLimiterError::Unavailable("redis is down".to_owned()),
            "redis is down",
        ),
    ] {
        assert_eq!(error.to_string(), said);
    }
}

/// A service that refuses everything, and counts.
struct Refusing {
    retry_after: Option<&'static str>,
    requests: Mutex<u32>,
}

impl Transport for Refusing {
    fn send(
        &self,
        _: http::Request<Bytes>,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, TransportError>> {
        Box::pin(async move {
            *self.requests.lock().expect("a number") += 1;
            sleep(Duration::from_millis(80)).await;
            let mut answer =
                http::Response::new(Bytes::from(r#"{"message": "Too Many Attempts."}"#));
            *answer.status_mut() = StatusCode::TOO_MANY_REQUESTS;
            if let Some(text) = self.retry_after {
                let header = http::HeaderValue::from_static(text);
                answer.headers_mut().insert("retry-after", header);
            }
            Ok(answer)
        })
    }
}

#[tokio::test(start_paused = true)]
async fn refusals_without_a_usable_wait_are_met_with_the_first_window_and_probes() {
    for retry_after in [None, Some("0"), Some("soon"), Some("1000000000")] {
        let service = Arc::new(Refusing {
            retry_after,
            requests: Mutex::default(),
        });
        let client = Client::builder("https://portal.example.com", key())
            .transport(service.clone())
            .build()
            .expect("a client");
        let ends = Instant::now() + 30 * SECOND;
        let mut tasks = JoinSet::new();
        for _ in 0..200 {
            let client = client.clone();
            tasks.spawn(async move {
                while Instant::now() < ends {
                    let call = client.servers().suspend(endpoint_id()).send();
                    let ended = tokio::time::timeout_at(ends, call).await;
                    // Who is refused at once comes back when there may be a slot.
                    if let Ok(Err(error)) = ended {
                        sleep(error.retry_after().unwrap_or_default().max(SECOND)).await;
                    }
                }
            });
        }
        tasks.join_all().await;
        let requests = *service.requests.lock().expect("a number");
        assert!((60..=75).contains(&requests), "{retry_after:?}: {requests}");
    }
}

/// Sends so many calls, so many of them at a time; gives how many were sent.
async fn suspend_at_a_time(client: &Client, calls: usize, at_a_time: usize) -> usize {
    let (mut left, mut sent, mut tasks) = (calls, 0, JoinSet::new());
    loop {
        while left > 0 && tasks.len() < at_a_time {
            left -= 1;
            tasks.spawn(client.servers().suspend(endpoint_id()).send());
        }
        let Some(ended) = tasks.join_next().await else {
            return sent;
        };
        match ended.expect("no panic") {
            Ok(_) => sent += 1,
            Err(error) => assert_eq!(error.kind(), ErrorKind::QueueTimeout),
        }
    }
}

// The numbers of the guide on order hooks.
#[tokio::test(start_paused = true)]
async fn two_windows_go_within_the_time_of_a_call_and_any_number_some_at_a_time() {
    for (priority, two_windows) in [(Priority::Interactive, 120), (Priority::Batch, 110)] {
        let service = Service::new(Duration::from_millis(80));
        let client = Client::builder("https://portal.example.com", key()).transport(service);
        let client = client.build().expect("a client");
        let client = client.with(|calls| calls.priority(priority));
        assert_eq!(suspend_at_a_time(&client, 300, 300).await, two_windows);
        assert_eq!(suspend_at_a_time(&client, 300, 20).await, 300);
    }
    let minutes = 300_u64.div_ceil(55);
    let service = Service::new(Duration::from_millis(80));
    let client = Client::builder("https://portal.example.com", key()).transport(service);
    let client = client.build().expect("a client").with(|calls| {
        calls
            .priority(Priority::Batch)
            .operation_timeout(Duration::from_secs(65 * minutes + 30))
    });
    assert_eq!(suspend_at_a_time(&client, 300, 300).await, 300);
}
