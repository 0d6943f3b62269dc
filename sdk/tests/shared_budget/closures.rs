//! What follows a 429, who goes first and who is refused, seen from several budgets on one Redis.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use secmon::RateGroup;
use secmon::pacing::{
    Acquire, Permit, Priority, RateLimiter, RateLimiterError, RedisRateLimiter, SlotOutcome,
};
use tokio::task::JoinSet;

use crate::redis_server::RedisServer;
use crate::slots::{MINUTE, take, take_now, take_within};

const SECOND: Duration = Duration::from_secs(1);
const BAD: SlotOutcome = SlotOutcome::Throttled { retry_after: None };

/// Ten slots a minute.
fn budget_at(redis: &RedisServer) -> RedisRateLimiter {
    RedisRateLimiter::new(&redis.url(), "shared")
        .expect("a budget")
        .rate_limits(10, 10, MINUTE)
}

async fn send(budget: &RedisRateLimiter) -> Box<dyn Permit> {
    let mut permit = take_within(budget, 2 * MINUTE).await.expect("a slot");
    permit.sent();
    permit
}

/// When somebody without queue_timeout is told that there would have been a slot.
async fn free_in(budget: &RedisRateLimiter) -> Duration {
    match take_now(budget).await.err() {
        Some(RateLimiterError::Exhausted {
            free_in: Some(wait),
        }) => wait,
        other => panic!("{other:?}"),
    }
}

/// Redis counts in milliseconds, and some time passes before it is asked.
fn assert_about(wait: Duration, least: Duration, most: Duration) {
    assert!(
        wait >= least - SECOND / 2 && wait <= most + SECOND / 10,
        "{wait:?} is not within {least:?} and {most:?}"
    );
}

#[tokio::test]
async fn a_429_without_a_wait_closes_for_everyone_and_one_probe_of_all_goes_first() {
    let Some(redis) = RedisServer::start("a 429 without a wait") else {
        return;
    };
    let (one, other) = (budget_at(&redis), budget_at(&redis));
    let together = [send(&one).await, send(&one).await, send(&other).await];
    for permit in together {
        permit.complete(BAD).await;
    }
    // They were under way together, so they count once.
    assert_about(free_in(&other).await, SECOND, SECOND * 5 / 4);

    let probe = send(&one).await;
    let started = Instant::now();
    assert!(take_within(&other, SECOND / 5).await.is_err());
    assert!(take_within(&one, SECOND / 5).await.is_err());
    let (next, answered) = tokio::join!(take_within(&one, 3 * SECOND), async {
        probe.complete(SlotOutcome::Answered).await;
        Instant::now()
    });
    assert!(answered.elapsed() < SECOND / 2, "{:?}", answered.elapsed());
    // The window is empty but for the probe's slot; the other process hears of it within a second.
    let mut permits = vec![next.expect("a slot")];
    for _ in 0..8 {
        permits.push(take_within(&other, 3 * SECOND).await.expect("a slot"));
    }
    assert!(take_now(&other).await.is_err());
    assert!(started.elapsed() < 5 * SECOND, "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_429_without_a_wait_closes_for_longer_with_each_repeat() {
    let Some(redis) = RedisServer::start("429s without a wait") else {
        return;
    };
    let (one, other) = (budget_at(&redis), budget_at(&redis));
    for (budget, least) in [(&one, SECOND), (&other, 2 * SECOND), (&one, 4 * SECOND)] {
        send(budget).await.complete(BAD).await;
        assert_about(free_in(budget).await, least, least * 5 / 4);
    }
}

#[tokio::test]
async fn a_probe_that_never_left_or_whose_process_died_is_followed_by_the_next() {
    let Some(redis) = RedisServer::start("a probe without an answer") else {
        return;
    };
    let (one, other) = (budget_at(&redis), budget_at(&redis));
    send(&one).await.complete(BAD).await;
    send(&one).await.complete(SlotOutcome::NotSent).await;
    let silent = |_| {};
    let ask = Acquire::new(
        RateGroup::Strict,
        Priority::Interactive,
        Duration::ZERO,
        SECOND,
        &silent,
    );
    let mut probe = other.acquire(ask).await.expect("the next probe");
    probe.sent();
    // As when its process is killed: nothing more is heard of it.
    drop(probe);
    let started = Instant::now();
    assert!(take_now(&one).await.is_err());
    let _next = send(&one).await;
    assert_about(started.elapsed(), SECOND, 2 * SECOND);
}

#[tokio::test]
async fn a_wait_that_is_absurd_counts_for_a_window_and_a_second_until_the_window_is_opened() {
    let Some(redis) = RedisServer::start("an absurd wait") else {
        return;
    };
    let (one, other) = (Arc::new(budget_at(&redis)), budget_at(&redis));
    let late = send(&one).await;
    let absurd = SlotOutcome::Throttled {
        retry_after: Some(1_000_000_000 * SECOND),
    };
    send(&one).await.complete(absurd).await;
    late.complete(absurd).await;
    assert_about(free_in(&other).await, MINUTE + SECOND, MINUTE + SECOND);

    let waiting = tokio::spawn({
        let one = one.clone();
        async move { take_within(&one, 2 * MINUTE).await.is_ok() }
    });
    tokio::task::yield_now().await;
    let started = Instant::now();
    other.clear_throttle().await;
    assert!(take_now(&other).await.is_ok());
    assert!(waiting.await.expect("no panic"));
    assert!(started.elapsed() < 3 * SECOND, "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_late_429_from_before_the_closure_can_only_say_for_how_long() {
    let Some(redis) = RedisServer::start("a late 429") else {
        return;
    };
    let budget = budget_at(&redis);
    let after = |seconds| SlotOutcome::Throttled {
        retry_after: Some(seconds * SECOND),
    };
    let late = [
        send(&budget).await,
        send(&budget).await,
        send(&budget).await,
    ];
    send(&budget).await.complete(after(10)).await;
    let said = [(BAD, 10), (after(20), 20), (after(5), 20)];
    for (permit, (outcome, closed)) in late.into_iter().zip(said) {
        permit.complete(outcome).await;
        assert_about(free_in(&budget).await, closed * SECOND, closed * SECOND);
    }
}

#[tokio::test]
async fn batch_callers_of_all_processes_leave_the_reserve() {
    let Some(redis) = RedisServer::start("the reserve") else {
        return;
    };
    let (one, other) = (
        budget_at(&redis).batch_reserve(4),
        budget_at(&redis).batch_reserve(4),
    );
    let mut permits = Vec::new();
    for (priority, slots) in [(Priority::Batch, 6), (Priority::Interactive, 4)] {
        for number in 0..slots {
            let budget = if number % 2 == 0 { &one } else { &other };
            let taken = take(budget, RateGroup::Strict, priority, Duration::ZERO).await;
            permits.push(taken.expect("a slot"));
        }
        let full = take(&one, RateGroup::Strict, priority, Duration::ZERO).await;
        assert!(full.is_err(), "{priority:?}");
    }
}

#[tokio::test]
async fn callers_of_a_process_are_served_in_their_order_and_refused_at_once_behind_a_queue() {
    let Some(redis) = RedisServer::start("the order of a process") else {
        return;
    };
    let budget = Arc::new(
        RedisRateLimiter::new(&redis.url(), "shared")
            .expect("a budget")
            .rate_limits(1, 1, SECOND),
    );
    let held = send(&budget).await;
    let served = Arc::new(Mutex::new(Vec::new()));
    let mut callers = JoinSet::new();
    for (number, priority) in [
        Priority::Batch,
        Priority::Interactive,
        Priority::Interactive,
    ]
    .into_iter()
    .enumerate()
    {
        let (budget, served) = (budget.clone(), served.clone());
        callers.spawn(async move {
            let permit = take(&budget, RateGroup::Strict, priority, MINUTE).await;
            served.lock().expect("a list").push(number);
            permit
                .expect("a slot")
                .complete(SlotOutcome::Answered)
                .await;
        });
        tokio::task::yield_now().await;
    }
    // The one under way and the two in front keep a slot for a second each.
    let started = Instant::now();
    let refused = take_within(&budget, 2 * SECOND).await.err();
    assert!(started.elapsed() < SECOND / 2, "{:?}", started.elapsed());
    match refused {
        Some(RateLimiterError::Exhausted {
            free_in: Some(wait),
        }) => assert_about(wait, 3 * SECOND, 3 * SECOND),
        other => panic!("{other:?}"),
    }
    held.complete(SlotOutcome::Answered).await;
    callers.join_all().await;
    assert_eq!(*served.lock().expect("a list"), [1, 2, 0]);
}

#[tokio::test]
async fn a_wait_is_told_once_and_asks_redis_once_a_second() {
    let Some(redis) = RedisServer::start("a wait that is told") else {
        return;
    };
    let budget = RedisRateLimiter::new(&redis.url(), "shared").expect("a budget");
    let budget = budget.rate_limits(1, 1, 3 * SECOND);
    assert_eq!(budget.window(), 3 * SECOND);
    send(&budget).await.complete(SlotOutcome::Answered).await;
    let told = Mutex::new(Vec::new());
    let tell = |wait| told.lock().expect("a list").push(wait);
    let ask = Acquire::new(
        RateGroup::Strict,
        Priority::Interactive,
        MINUTE,
        SECOND,
        &tell,
    );
    drop(budget.acquire(ask).await.expect("a slot"));
    let told = told.into_inner().expect("a list");
    assert_eq!(told.len(), 1, "{told:?}");
    assert_about(told[0], 3 * SECOND, 3 * SECOND);

    let asked = redis.scripts_run().await;
    assert!((3..=9).contains(&asked), "{asked} scripts");
}
