//! Several processes, one key. A process is this test program, started again to run one of its workers.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use secmon::pacing::{Acquire, Priority, RateLimiter, RateLimiterError, RedisRateLimiter};
use secmon::{ApiKey, Client, RateGroup};
use tokio::task::JoinSet;

use crate::redis_server::RedisServer;
use crate::service::{ENDPOINT, Service};
use crate::{LIMIT, WINDOW};

pub const REDIS: &str = "SECMON_TEST_REDIS";
const SERVICE: &str = "SECMON_TEST_SERVICE";
const CALLS_PER_PROCESS: u32 = 75;
/// What the dying worker says once it holds every slot.
const HOLDING: &str = "every slot is held";
/// How long the dying worker's requests may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(1);

pub fn start_worker(name: &str, variables: &[(&str, String)]) -> Child {
    let program = std::env::current_exe().expect("this program");
    Command::new(program)
        .args([name, "--exact", "--ignored", "--nocapture"])
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a process")
}

pub fn what_it_wrote(output: &Output) -> String {
    let written = [&output.stdout, &output.stderr];
    written.map(|text| String::from_utf8_lossy(text)).concat()
}

fn shared_budget(redis: &str) -> RedisRateLimiter {
    RedisRateLimiter::new(redis, "shared")
        .expect("a budget")
        .rate_limits(LIMIT, LIMIT, WINDOW)
}

#[tokio::test]
async fn four_processes_with_one_key_use_every_window_in_full_and_see_no_429() {
    let Some(redis) = RedisServer::start("four processes with one key") else {
        return;
    };
    let service = Service::start().await;
    let variables = [(REDIS, redis.url()), (SERVICE, service.url())];
    let workers: Vec<_> = (0..4)
        .map(|_| start_worker("processes::worker_that_calls", &variables))
        .collect();
    // The service answers from a thread of its own. All are awaited before one is judged: what a first failure takes
    // away from the others would hide it.
    let ended: Vec<_> = workers
        .into_iter()
        .map(|worker| worker.wait_with_output().expect("a process"))
        .collect();
    let failed = ended.iter().filter(|output| !output.status.success());
    let failures: Vec<_> = failed.map(what_it_wrote).collect();
    assert!(
        failures.is_empty(),
        "workers failed: {}",
        failures.join("\n")
    );
    let counts = service.counts();
    assert_eq!(counts.refused, 0, "in windows of {:?}", counts.windows);
    assert_eq!(counts.windows.iter().sum::<u32>(), 4 * CALLS_PER_PROCESS);
    let (_, full) = counts.windows.split_last().expect("windows");
    assert!(
        full.iter().all(|counted| counted * 100 >= LIMIT * 98),
        "{:?}",
        counts.windows
    );
}

#[tokio::test]
#[ignore = "runs only as a process of the tests above"]
async fn worker_that_calls() {
    let (Ok(redis), Ok(service)) = (std::env::var(REDIS), std::env::var(SERVICE)) else {
        return;
    };
    let client = Client::builder(&service, ApiKey::new("shared_key").expect("a key"))
        .rate_limiter(Arc::new(shared_budget(&redis)))
        .build()
        .expect("a client");
    let mut calls = JoinSet::new();
    for _ in 0..CALLS_PER_PROCESS {
        let client = client.clone();
        let endpoint = ENDPOINT.parse().expect("an id");
        calls.spawn(async move { client.servers().suspend(endpoint).await });
    }
    while let Some(call) = calls.join_next().await {
        call.expect("no panic").expect("suspended");
    }
}

#[tokio::test]
async fn slots_of_a_killed_process_are_free_after_its_time_out_and_one_window() {
    let Some(redis) = RedisServer::start("slots of a killed process") else {
        return;
    };
    let started = Instant::now();
    let mut worker = start_worker("processes::worker_that_dies", &[(REDIS, redis.url())]);
    let output = BufReader::new(worker.stdout.take().expect("its output"));
    let said = output.lines().map_while(Result::ok);
    assert!(said.into_iter().any(|line| line.contains(HOLDING)));
    worker.kill().expect("killed");
    worker.wait().expect("ended");

    let budget = shared_budget(&redis.url());
    let silent = |_| {};
    let ask = |queue_timeout| {
        Acquire::new(
            RateGroup::Strict,
            Priority::Interactive,
            queue_timeout,
            ANSWER_WITHIN,
            &silent,
        )
    };
    let full = budget.acquire(ask(Duration::ZERO)).await.err();
    assert!(
        matches!(full, Some(RateLimiterError::Exhausted { free_in: Some(_) })),
        "{full:?}"
    );
    let mut slots = Vec::new();
    for _ in 0..LIMIT {
        let slot = budget.acquire(ask(Duration::from_secs(30))).await;
        slots.push(slot.expect("free again"));
    }
    assert!(started.elapsed() >= ANSWER_WITHIN + WINDOW);
    assert!(budget.acquire(ask(Duration::ZERO)).await.is_err());
}

#[tokio::test]
#[ignore = "runs only as a process of the tests above, and is killed"]
async fn worker_that_dies() {
    let Ok(redis) = std::env::var(REDIS) else {
        return;
    };
    let budget = shared_budget(&redis);
    let silent = |_| {};
    let mut slots = Vec::new();
    for _ in 0..LIMIT {
        let ask = Acquire::new(
            RateGroup::Strict,
            Priority::Interactive,
            Duration::ZERO,
            ANSWER_WITHIN,
            &silent,
        );
        let mut slot = budget.acquire(ask).await.expect("a slot");
        slot.sent();
        slots.push(slot);
    }
    println!("{HOLDING}");
    std::future::pending::<()>().await;
}
