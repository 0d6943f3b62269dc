//! What becomes of a slot, seen from another process's budget.

use std::sync::Arc;
use std::time::{Duration, Instant};

use secmon::pacing::{
    Acquire, Permit, Priority, RateLimiter, RateLimiterError, RedisRateLimiter, SlotOutcome,
};
use secmon::testing::MockTransport;
use secmon::{ApiKey, Client, Delivery, ErrorKind, RateGroup};

use crate::redis_server::RedisServer;

pub const MINUTE: Duration = Duration::from_secs(60);

/// One slot a minute in the strict group, two in the other.
fn budget_at(redis: &RedisServer) -> RedisRateLimiter {
    RedisRateLimiter::new(&redis.url(), "shared")
        .expect("a budget")
        .rate_limits(1, 2, MINUTE)
}

pub async fn take(
    budget: &RedisRateLimiter,
    group: RateGroup,
    priority: Priority,
    queue_timeout: Duration,
) -> Result<Box<dyn Permit>, RateLimiterError> {
    let silent = |_| {};
    budget
        .acquire(Acquire::new(
            group,
            priority,
            queue_timeout,
            MINUTE,
            &silent,
        ))
        .await
}

pub async fn take_now(budget: &RedisRateLimiter) -> Result<Box<dyn Permit>, RateLimiterError> {
    take_within(budget, Duration::ZERO).await
}

pub async fn take_within(
    budget: &RedisRateLimiter,
    queue_timeout: Duration,
) -> Result<Box<dyn Permit>, RateLimiterError> {
    take(
        budget,
        RateGroup::Strict,
        Priority::Interactive,
        queue_timeout,
    )
    .await
}

#[tokio::test]
async fn an_answered_slot_stays_taken_for_everyone_and_each_group_has_its_own() {
    let Some(redis) = RedisServer::start("an answered slot") else {
        return;
    };
    let (one, other) = (budget_at(&redis), budget_at(&redis));
    let mut slot = take_now(&one).await.expect("free");
    slot.sent();
    slot.complete(SlotOutcome::Answered).await;
    let Some(RateLimiterError::Exhausted {
        free_in: Some(wait),
    }) = take_now(&other).await.err()
    else {
        panic!("the slot is taken, and it is known for how long");
    };
    assert!(wait > MINUTE / 2 && wait < 2 * MINUTE, "{wait:?}");
    let default = take(
        &other,
        RateGroup::Default,
        Priority::Interactive,
        Duration::ZERO,
    )
    .await;
    assert!(default.is_ok());
    let elsewhere = RedisRateLimiter::new(&redis.url(), "another key").expect("a budget");
    assert!(take_now(&elsewhere).await.is_ok());
}

#[tokio::test]
async fn a_slot_whose_request_never_left_is_free_for_everyone() {
    let Some(redis) = RedisServer::start("a slot whose request never left") else {
        return;
    };
    let (one, other) = (budget_at(&redis), budget_at(&redis));
    let mut slot = take_now(&one).await.expect("free");
    slot.sent();
    slot.complete(SlotOutcome::NotSent).await;
    let slot = take_now(&other).await.expect("free again");

    // A permit that is dropped unsent is given back behind its holder's back.
    drop(slot);
    let deadline = Instant::now() + Duration::from_secs(60);
    while take_now(&one).await.is_err() {
        assert!(Instant::now() < deadline, "it is never given back");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_slot_given_up_is_held_only_while_its_answer_could_still_count() {
    let Some(redis) = RedisServer::start("a slot given up") else {
        return;
    };
    let window = Duration::from_secs(2);
    let budget = budget_at(&redis).rate_limits(1, 1, window);
    let mut slot = take_now(&budget).await.expect("free");
    slot.sent();
    slot.complete(SlotOutcome::Answered).await;
    let mut slot = take_within(&budget, 2 * window).await.expect("free again");
    slot.sent();
    drop(slot);
    // Its attempt could have lasted a minute; the slowest answer so far took a moment.
    let given_up = Instant::now();
    let again = take_within(&budget_at(&redis).rate_limits(1, 1, window), 2 * window).await;
    assert!(again.is_ok(), "{:?}", again.err());
    let waited = given_up.elapsed();
    assert!(waited > window && waited < 2 * window, "{waited:?}");
}

#[tokio::test]
async fn a_slot_whose_answer_nobody_waits_for_any_more_stays_taken() {
    let Some(redis) = RedisServer::start("a slot without an answer") else {
        return;
    };
    let mut slot = take_now(&budget_at(&redis)).await.expect("free");
    slot.sent();
    drop(slot);
    // One that is given back comes at the first of these, or soon after; a budget that met a full window asks no more.
    for _ in 0..20 {
        assert!(take_now(&budget_at(&redis)).await.is_err());
    }
}

#[tokio::test]
async fn a_429_closes_the_window_for_everyone_and_leaves_it_empty() {
    let Some(redis) = RedisServer::start("a 429") else {
        return;
    };
    let (one, other) = (budget_at(&redis), budget_at(&redis));
    let complete = async |outcome| {
        let slot = take(
            &one,
            RateGroup::Default,
            Priority::Interactive,
            Duration::ZERO,
        )
        .await;
        slot.expect("free").complete(outcome).await;
    };
    complete(SlotOutcome::Answered).await;
    complete(SlotOutcome::Throttled {
        retry_after: Some(Duration::from_secs(2)),
    })
    .await;
    let closed = take(
        &other,
        RateGroup::Default,
        Priority::Interactive,
        Duration::ZERO,
    )
    .await;
    assert!(closed.is_err());
    let mut slots = Vec::new();
    for _ in 0..2 {
        let slot = take(
            &other,
            RateGroup::Default,
            Priority::Interactive,
            MINUTE / 2,
        )
        .await;
        slots.push(slot.expect("an empty window after two seconds"));
    }
    let third = take(
        &other,
        RateGroup::Default,
        Priority::Interactive,
        Duration::ZERO,
    )
    .await;
    assert!(third.is_err());
}

#[tokio::test]
async fn callers_who_do_not_wait_get_all_free_slots_at_once() {
    let Some(redis) = RedisServer::start("callers who do not wait") else {
        return;
    };
    let budget = RedisRateLimiter::new(&redis.url(), "shared").expect("a budget");
    let budget = Arc::new(budget.rate_limits(20, 20, MINUTE));
    let mut callers = tokio::task::JoinSet::new();
    let started = Instant::now();
    for _ in 0..200 {
        let budget = budget.clone();
        callers.spawn(async move { take_now(&budget).await });
    }
    let slots = callers.join_all().await;
    // Nobody waits for more than those who ask.
    assert!(started.elapsed() < MINUTE / 2, "{:?}", started.elapsed());
    assert_eq!(slots.iter().filter(|slot| slot.is_ok()).count(), 20);
}

#[tokio::test]
async fn a_window_longer_than_ten_years_lasts_ten_years() {
    let Some(redis) = RedisServer::start("a window without end") else {
        return;
    };
    let budget = RedisRateLimiter::new(&redis.url(), "shared").expect("a budget");
    let budget = budget.rate_limits(1, 1, Duration::MAX);
    let mut slot = take_now(&budget).await.expect("free");
    slot.sent();
    slot.complete(SlotOutcome::Answered).await;
    let ten_years = Duration::from_secs(10 * 365 * 86_400);
    match take_now(&budget).await.err() {
        Some(RateLimiterError::Exhausted {
            free_in: Some(wait),
        }) => assert!(wait.abs_diff(ten_years) < MINUTE, "{wait:?}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_restarted_redis_is_found_again() {
    let Some(redis) = RedisServer::start("a restarted Redis") else {
        return;
    };
    let budget = budget_at(&redis);
    let slot = take_now(&budget).await.expect("free");
    let _redis = redis.restart();
    slot.complete(SlotOutcome::NotSent).await;
    assert!(take_now(&budget).await.is_ok());
}

#[tokio::test]
async fn without_redis_nothing_is_sent_and_the_error_keeps_the_password() {
    let url = "redis://worker:canary_password@127.0.0.1:1/";
    let budget = RedisRateLimiter::new(url, "shared").expect("a budget");
    assert!(!format!("{budget:?}").contains("canary"));
    let script = MockTransport::new();
    let client = Client::builder(
        "https://portal.example.com",
        ApiKey::new("shared_key").expect("a key"),
    )
    .transport(script.clone())
    .rate_limiter(Arc::new(budget))
    .build()
    .expect("a client");
    let error = client
        .servers()
        .suspend(crate::service::ENDPOINT.parse().expect("an id"))
        .await
        .expect_err("not sent");
    assert_eq!(error.kind(), ErrorKind::RateLimiter);
    assert_eq!(error.delivery(), Delivery::NotSent);
    assert!(script.requests().is_empty());
    assert!(error.to_string().contains("127.0.0.1:1"), "{error}");
    assert!(!format!("{error} {error:?}").contains("canary"), "{error}");
}

#[test]
fn an_address_that_cannot_be_used_is_refused_without_being_repeated() {
    for url in [
        "",
        "portal.example.com",
        "https://:canary@host/",
        "redis://:canary@host/database",
        "rediss://:canary@/",
    ] {
        let error = RedisRateLimiter::new(url, "shared").expect_err("no budget");
        assert_eq!(error.kind(), ErrorKind::Configuration);
        assert!(error.to_string().contains("redis://"), "{error}");
        assert!(!format!("{error} {error:?}").contains("canary"), "{error}");
    }
}
