//! How Redis is reached, and what happens while it cannot be.

use std::future::Future;
use std::net::TcpListener;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use secmon::RateGroup;
use secmon::pacing::{
    Permit, Priority, RateLimiter, RateLimiterError, RedisRateLimiter, SlotOutcome, WhenUnreachable,
};
use tokio::task::JoinSet;

use crate::redis_server::RedisServer;
use crate::slots::{MINUTE, take, take_now};

const SECOND: Duration = Duration::from_secs(1);

fn budget_at(url: &str) -> RedisRateLimiter {
    RedisRateLimiter::new(url, "shared")
        .expect("a budget")
        .rate_limits(2, 2, MINUTE)
}

async fn take_all(budget: &RedisRateLimiter) -> Vec<Box<dyn Permit>> {
    let mut permits = Vec::new();
    while let Ok(permit) = take_now(budget).await {
        permits.push(permit);
    }
    permits
}

#[tokio::test]
async fn a_connection_of_the_callers_own_shares_the_count() {
    let Some(redis) = RedisServer::start("a connection of the caller's own") else {
        return;
    };
    let client = redis::Client::open(redis.url()).expect("a client");
    let manager = client.get_connection_manager().await.expect("a connection");
    let multiplexed = client.get_multiplexed_async_connection().await;
    let multiplexed = multiplexed.expect("a connection");
    let managed = RedisRateLimiter::with_connection(manager, "shared").rate_limits(2, 2, MINUTE);
    let multiplexed =
        RedisRateLimiter::with_connection(multiplexed, "shared").rate_limits(2, 2, MINUTE);
    let _one = take_now(&managed).await.expect("free");
    let _two = take_now(&multiplexed).await.expect("free");
    for budget in [managed, multiplexed, budget_at(&redis.url())] {
        let full = take_now(&budget).await.err();
        assert!(
            matches!(full, Some(RateLimiterError::Exhausted { .. })),
            "{full:?}"
        );
    }
}

#[tokio::test]
async fn a_connection_of_the_callers_own_that_is_lost_is_said_to_be() {
    let Some(redis) = RedisServer::start("a lost connection of the caller's own") else {
        return;
    };
    let client = redis::Client::open(redis.url()).expect("a client");
    let connection = client.get_multiplexed_async_connection().await;
    let budget = RedisRateLimiter::with_connection(connection.expect("a connection"), "shared");
    let _redis = redis.restart();
    match take_now(&budget).await.err() {
        Some(RateLimiterError::Unavailable(reason)) => {
            assert!(reason.starts_with("Redis: "), "{reason}")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn another_runtime_has_a_connection_of_its_own() {
    let Some(redis) = RedisServer::start("another runtime") else {
        return;
    };
    let runtime = || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_all().build().expect("a runtime")
    };
    let budget = budget_at(&redis.url());
    // It lives on, but nothing drives its tasks.
    let first = runtime();
    let _one = first.block_on(take_now(&budget)).expect("free");
    let _two = runtime().block_on(take_now(&budget)).expect("free");
    let full = first.block_on(take_now(&budget)).err();
    assert!(
        matches!(full, Some(RateLimiterError::Exhausted { .. })),
        "{full:?}"
    );
}

#[test]
fn a_runtime_without_time_or_io_is_an_error_and_no_panic() {
    let (_listener, url) = silent_server();
    let bare = tokio::runtime::Builder::new_current_thread().build();
    let timed = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    for runtime in [bare, timed] {
        let runtime = runtime.expect("a runtime");
        match runtime.block_on(take_now(&budget_at(&url))).err() {
            Some(RateLimiterError::Unavailable(reason)) => {
                assert!(reason.contains("enable_all"), "{reason}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_rate_limit_is_reset_outside_of_any_runtime() {
    let (_listener, url) = silent_server();
    let key = secmon::ApiKey::new("any-key").expect("a key");
    let client = secmon::Client::builder("https://portal.example.com", key);
    let client = client.rate_limiter(Arc::new(budget_at(&url))).build();
    let client = client.expect("a client");
    let mut context = Context::from_waker(Waker::noop());
    let reset = pin!(client.reset_rate_limit()).poll(&mut context);
    assert!(reset.is_ready());
}

/// A server that takes connections and never says anything.
fn silent_server() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    (listener, format!("redis://{address}/"))
}

#[tokio::test]
async fn a_redis_that_says_nothing_refuses_all_callers_after_one_wait() {
    let (_listener, url) = silent_server();
    let budget = Arc::new(budget_at(&url));
    let started = Instant::now();
    let mut callers = JoinSet::new();
    for _ in 0..50 {
        let budget = budget.clone();
        callers.spawn(async move { take_now(&budget).await.err() });
    }
    for refused in callers.join_all().await {
        match refused {
            Some(RateLimiterError::Unavailable(reason)) => {
                assert!(reason.contains("no answer within 2s"), "{reason}");
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(started.elapsed() < 5 * SECOND, "{:?}", started.elapsed());
    // Later one asks again, and keeps nobody else waiting.
    let ask = async || {
        let started = Instant::now();
        assert!(take_now(&budget).await.is_err());
        started.elapsed()
    };
    loop {
        let (one, other) = tokio::join!(ask(), ask());
        assert!(one.min(other) < SECOND, "{one:?} and {other:?}");
        if one.max(other) > SECOND {
            break;
        }
    }
}

#[tokio::test]
async fn an_answer_is_handed_over_although_redis_says_nothing() {
    let Some(redis) = RedisServer::start("a Redis that says nothing") else {
        return;
    };
    let budget = budget_at(&redis.url());
    let permits = take_all(&budget).await;
    redis.freeze();
    let started = Instant::now();
    for permit in permits {
        permit.complete(SlotOutcome::Answered).await;
    }
    // The first waits for Redis in vain, the second no more.
    assert!(started.elapsed() < 3 * SECOND, "{:?}", started.elapsed());
}

#[tokio::test]
async fn without_redis_a_process_can_pace_itself_until_redis_answers_again() {
    let Some(redis) = RedisServer::start("a process that paces itself") else {
        return;
    };
    let url = redis.url();
    let alone = || budget_at(&url).when_unreachable(WhenUnreachable::FallBackToLocal);
    let (one, other) = (alone().batch_reserve(1), alone());
    let _shared = [take_now(&one).await, take_now(&other).await].map(Result::unwrap);
    let redis = redis.stop();
    // Each has the whole limit for itself, and no more; the reserve is kept as well.
    let batch = async || take(&one, RateGroup::Strict, Priority::Batch, Duration::ZERO).await;
    let mut ours = vec![batch().await.expect("free")];
    assert!(batch().await.is_err());
    ours.extend(take_all(&one).await);
    let theirs = take_all(&other).await;
    assert_eq!((ours.len(), theirs.len()), (2, 2));

    let retry_after = Some(MINUTE);
    for permit in theirs {
        permit
            .complete(SlotOutcome::Throttled { retry_after })
            .await;
    }
    assert!(take_now(&other).await.is_err());
    other.clear_throttle().await;
    assert_eq!(take_all(&other).await.len(), 2);

    let _redis = redis.start_again();
    // The new server knows of no slot, and soon they are counted there again, where a stranger sees it.
    let deadline = Instant::now() + 20 * SECOND;
    loop {
        let theirs = take_all(&other).await;
        let left = take_all(&budget_at(&url)).await;
        if (theirs.len(), left.len()) == (2, 0) {
            break;
        }
        for permit in theirs.into_iter().chain(left) {
            permit.complete(SlotOutcome::NotSent).await;
        }
        assert!(Instant::now() < deadline, "Redis is not asked again");
    }
}

#[cfg(not(feature = "redis-tls"))]
#[test]
fn an_address_with_tls_is_refused_with_what_to_do() {
    let error = RedisRateLimiter::new("rediss://:canary@host/", "shared").expect_err("no budget");
    assert_eq!(error.kind(), secmon::ErrorKind::Configuration);
    let said = error.to_string();
    assert!(
        said.contains("redis-tls") && said.contains("with_connection"),
        "{said}"
    );
    assert!(!format!("{error} {error:?}").contains("canary"), "{error}");
}

#[cfg(feature = "redis-tls")]
mod tls {
    use super::*;
    use crate::processes::{REDIS, start_worker, what_it_wrote};
    use crate::redis_server::ROOT;

    /// A process of its own, for what it trusts.
    fn worker(redis: &RedisServer, trusted: &str) -> (bool, String) {
        let variables = [(REDIS, redis.url()), ("SSL_CERT_FILE", trusted.to_owned())];
        let worker = start_worker("connections::tls::worker_that_takes_slots", &variables);
        let output = worker.wait_with_output().expect("a process");
        (output.status.success(), what_it_wrote(&output))
    }

    #[test]
    fn an_address_with_tls_is_spoken_to_over_tls_without_a_provider_of_the_process() {
        let Some(redis) = RedisServer::start_with_tls("TLS") else {
            return;
        };
        let (success, written) = worker(&redis, ROOT);
        assert!(success, "{written}");
    }

    #[test]
    fn a_certificate_that_nobody_trusts_is_refused() {
        let Some(redis) = RedisServer::start_with_tls("TLS without trust") else {
            return;
        };
        // Any certificate but the one that signed the server's.
        let other = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/tls/server.pem");
        let (success, written) = worker(&redis, other);
        assert!(
            !success && written.contains("invalid peer certificate"),
            "{written}"
        );
    }

    #[tokio::test]
    #[ignore = "runs only as a process of the tests above"]
    async fn worker_that_takes_slots() {
        let Ok(redis) = std::env::var(REDIS) else {
            return;
        };
        let budget = budget_at(&redis);
        for _ in 0..2 {
            let permit = take_now(&budget)
                .await
                .unwrap_or_else(|error| panic!("{error}"));
            permit.complete(SlotOutcome::Answered).await;
        }
        assert!(take_now(&budget).await.is_err());
        assert!(rustls::crypto::CryptoProvider::get_default().is_none());
    }
}
