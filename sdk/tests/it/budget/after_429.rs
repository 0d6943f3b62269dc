//! What follows a 429.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::task::JoinSet;

use super::*;

/// So many requests reach a service that refuses every one of them in this way, from 200 tasks that never give up.
async fn requests_in_half_a_minute(retry_after: Option<Duration>) -> usize {
    let budget = Arc::new(MemoryRateLimiter::default());
    let arrived = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    for _ in 0..200 {
        let (budget, arrived) = (budget.clone(), arrived.clone());
        tasks.spawn(async move {
            loop {
                let permit = send(&budget).await;
                arrived.fetch_add(1, Ordering::Relaxed);
                sleep(Duration::from_millis(80)).await;
                permit.complete(throttled(retry_after)).await;
            }
        });
    }
    sleep(30 * SECOND).await;
    arrived.load(Ordering::Relaxed)
}

#[tokio::test(start_paused = true)]
async fn endless_429s_without_a_usable_wait_meet_the_first_window_and_probes_only() {
    let absurd = Duration::from_secs(1_000_000_000);
    for retry_after in [None, Some(Duration::ZERO), Some(absurd)] {
        let requests = requests_in_half_a_minute(retry_after).await;
        assert!((60..=75).contains(&requests), "{retry_after:?}: {requests}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_429_without_a_wait_closes_for_a_second_and_longer_with_each_repeat_up_to_a_window() {
    let budget = MemoryRateLimiter::new(60, 100, MINUTE);
    complete(&budget, BAD).await;
    for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
        let closed = free_in(&budget, Interactive).await;
        let least = Duration::from_secs(seconds);
        assert!(closed >= least && closed <= least * 5 / 4, "{closed:?}");
        let started = Instant::now();
        complete(&budget, BAD).await;
        assert!(started.elapsed() >= closed, "{:?}", started.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn a_window_shorter_than_a_second_is_closed_for_a_second() {
    let budget = MemoryRateLimiter::new(60, 100, SECOND / 10);
    for _ in 0..3 {
        complete(&budget, BAD).await;
        let closed = free_in(&budget, Interactive).await;
        assert!(closed >= SECOND && closed <= SECOND * 5 / 4, "{closed:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_longer_than_the_window_and_a_second_counts_for_that_long() {
    let budget = MemoryRateLimiter::default();
    complete(&budget, throttled(Some(MINUTE + SECOND))).await;
    assert_eq!(free_in(&budget, Interactive).await, MINUTE + SECOND);
    let budget = MemoryRateLimiter::default();
    complete(&budget, throttled(Some(MINUTE + 2 * SECOND))).await;
    assert_eq!(free_in(&budget, Interactive).await, MINUTE + SECOND);
}

#[tokio::test(start_paused = true)]
async fn requests_that_were_under_way_together_and_are_all_refused_count_once() {
    let budget = MemoryRateLimiter::default();
    let mut permits = Vec::new();
    for _ in 0..60 {
        permits.push(send(&budget).await);
    }
    for permit in permits {
        permit.complete(BAD).await;
    }
    let closed = free_in(&budget, Interactive).await;
    assert!(closed >= SECOND && closed <= SECOND * 5 / 4, "{closed:?}");
    complete(&budget, BAD).await;
    let closed = free_in(&budget, Interactive).await;
    assert!(closed >= 2 * SECOND && closed <= 3 * SECOND, "{closed:?}");
}

#[tokio::test(start_paused = true)]
async fn a_late_429_from_before_the_closure_closes_for_longer_only_if_it_says_how_long() {
    let budget = MemoryRateLimiter::default();
    let mut late = Vec::new();
    for _ in 0..4 {
        late.push(send(&budget).await);
    }
    complete(&budget, throttled(Some(10 * SECOND))).await;
    for (outcome, closed) in [
        (throttled(Some(20 * SECOND)), 20 * SECOND),
        (throttled(Some(5 * SECOND)), 20 * SECOND),
        (throttled(Some(DAY)), 20 * SECOND),
        (BAD, 20 * SECOND),
    ] {
        let permit = late.pop().expect("one more");
        permit.complete(outcome).await;
        assert_eq!(free_in(&budget, Interactive).await, closed);
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_from_before_a_closed_window_opens_takes_no_slot_of_the_next() {
    let budget = MemoryRateLimiter::new(2, 1, MINUTE);
    let slow = send(&budget).await;
    complete(&budget, throttled(Some(10 * SECOND))).await;
    sleep(5 * SECOND).await;
    slow.complete(SlotOutcome::Answered).await;
    sleep(5 * SECOND).await;
    let _both = (send(&budget).await, send(&budget).await);
}

#[tokio::test(start_paused = true)]
async fn after_a_429_without_a_wait_one_goes_first_and_the_others_wait_for_its_answer() {
    let budget = Arc::new(MemoryRateLimiter::new(4, 1, MINUTE));
    complete(&budget, BAD).await;
    let probe = send(&budget).await;
    let mut others = Callers::of(&budget);
    others.come_many(Interactive, 4).await;
    sleep(20 * SECOND).await;
    assert_eq!(others.served.lock().expect("a list").len(), 0);
    let answered = Instant::now();
    probe.complete(SlotOutcome::Answered).await;
    // The window is empty but for the probe's own slot.
    let times: Vec<_> = others
        .times()
        .await
        .iter()
        .map(|(_, at)| *at - answered)
        .collect();
    assert_eq!(
        times,
        [Duration::ZERO, Duration::ZERO, Duration::ZERO, MINUTE]
    );
    complete(&budget, BAD).await;
    let closed = free_in(&budget, Interactive).await;
    assert!(
        closed <= SECOND * 5 / 4,
        "counted from one again: {closed:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_wait_is_exact_up_to_a_window_and_a_second() {
    let budget = MemoryRateLimiter::default();
    complete(&budget, throttled(Some(MINUTE + SECOND))).await;
    // Both at once: the window is known to be empty.
    let _both = (send(&budget).await, send_now(&budget).await);
}

#[tokio::test(start_paused = true)]
async fn a_closure_that_names_its_end_begins_the_count_of_guesses_anew() {
    let budget = MemoryRateLimiter::default();
    complete(&budget, BAD).await;
    complete(&budget, BAD).await;
    complete(&budget, throttled(Some(SECOND))).await;
    complete(&budget, BAD).await;
    let closed = free_in(&budget, Interactive).await;
    assert!(closed <= SECOND * 5 / 4, "{closed:?}");
}

#[tokio::test(start_paused = true)]
async fn only_one_goes_when_a_probe_is_due_whoever_asks() {
    let budget = Arc::new(MemoryRateLimiter::default());
    complete(&budget, BAD).await;
    let probe = send(&budget).await;
    let mut queue = Callers::of(&budget);
    queue.come(Interactive).await;
    probe.complete(SlotOutcome::NotSent).await;
    // The next probe is of the one in the queue, who has not run yet.
    assert!(!is_free(&budget).await);
    assert_eq!(queue.order().await, [0]);
}

#[tokio::test(start_paused = true)]
async fn what_becomes_of_other_requests_says_nothing_of_the_probe() {
    let budget = MemoryRateLimiter::default();
    let before = [send(&budget).await, send(&budget).await];
    complete(&budget, BAD).await;
    let probe = send(&budget).await;
    for (permit, outcome) in before
        .into_iter()
        .zip([SlotOutcome::Answered, SlotOutcome::NotSent])
    {
        permit.complete(outcome).await;
        assert!(!is_free(&budget).await, "{outcome:?}");
    }
    // Nor does an earlier probe, once the window was closed anew.
    sleep(ANSWER_WITHIN).await;
    send(&budget).await.complete(BAD).await;
    let _third = send(&budget).await;
    probe.complete(SlotOutcome::Answered).await;
    assert!(!is_free(&budget).await);
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_never_left_closes_nothing_that_was_opened_meanwhile() {
    let budget = MemoryRateLimiter::default();
    complete(&budget, BAD).await;
    let probe = send(&budget).await;
    budget.clear_throttle().await;
    probe.complete(SlotOutcome::NotSent).await;
    let _both = (send_now(&budget).await, send_now(&budget).await);
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_never_left_is_followed_by_the_next_at_once() {
    let budget = MemoryRateLimiter::default();
    complete(&budget, BAD).await;
    let probe = ask(&budget, Interactive, DAY).await.expect("a permit");
    let started = Instant::now();
    drop(probe);
    complete(&budget, SlotOutcome::NotSent).await;
    let _probe = send(&budget).await;
    assert_eq!(started.elapsed(), Duration::ZERO);
    assert!(!is_free(&budget).await);
}

#[tokio::test(start_paused = true)]
async fn a_probe_whose_answer_is_lost_is_followed_by_the_next_when_its_time_is_over() {
    let budget = MemoryRateLimiter::default();
    complete(&budget, BAD).await;
    let probe = send(&budget).await;
    let started = Instant::now();
    sleep(SECOND).await;
    drop(probe);
    let _probe = send(&budget).await;
    assert_eq!(started.elapsed(), ANSWER_WITHIN);
    assert!(!is_free(&budget).await);
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_learns_how_long_to_wait_is_the_last() {
    let budget = MemoryRateLimiter::default();
    complete(&budget, BAD).await;
    complete(&budget, throttled(Some(9 * SECOND))).await;
    assert_eq!(free_in(&budget, Interactive).await, 9 * SECOND);
    let _both = (send(&budget).await, send(&budget).await);
}

#[tokio::test(start_paused = true)]
async fn somebody_without_time_is_not_kept_waiting_for_a_probe() {
    let budget = MemoryRateLimiter::default();
    complete(&budget, BAD).await;
    let _probe = send(&budget).await;
    assert_eq!(free_in(&budget, Interactive).await, SECOND);
    let started = Instant::now();
    let refused = ask(&budget, Interactive, 2 * SECOND).await.err();
    let free_in = Some(SECOND);
    assert_eq!(refused, Some(RateLimiterError::Exhausted { free_in }));
    assert_eq!(started.elapsed(), 2 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_closed_window_can_be_opened_again_and_keeps_what_it_counted() {
    let budget = MemoryRateLimiter::new(3, 1, MINUTE);
    complete(&budget, SlotOutcome::Answered).await;
    let _under_way = send(&budget).await;
    complete(&budget, throttled(Some(DAY))).await;
    assert!(!is_free(&budget).await);
    budget.clear_throttle().await;
    let _third = send(&budget).await;
    assert_eq!(free_in(&budget, Interactive).await, MINUTE);
}

#[tokio::test(start_paused = true)]
async fn those_who_wait_go_on_when_the_window_is_opened_again() {
    let budget = Arc::new(MemoryRateLimiter::default());
    complete(&budget, throttled(Some(DAY))).await;
    let mut callers = Callers::of(&budget);
    callers.come_many(Interactive, 3).await;
    let started = Instant::now();
    budget.clear_throttle().await;
    assert_eq!(callers.order().await, [0, 1, 2]);
    assert_eq!(started.elapsed(), Duration::ZERO);
}

#[tokio::test]
async fn a_budget_says_how_long_its_window_is() {
    assert_eq!(
        MemoryRateLimiter::new(1, 1, 7 * SECOND).window(),
        7 * SECOND
    );
    assert_eq!(NoRateLimit.window(), MINUTE);
    // It has nothing to open.
    NoRateLimit.clear_throttle().await;
}
