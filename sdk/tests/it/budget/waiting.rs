//! Who waits and for how long, who goes first and who is refused.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::task::JoinSet;

use super::*;

#[tokio::test(start_paused = true)]
async fn a_refused_caller_is_told_exactly_when_a_patient_one_is_served() {
    for (limit, reserve) in [(1, 0), (1, 5), (2, 1), (3, 0), (5, 2), (7, 3), (10, 5)] {
        let budget = Arc::new(MemoryRateLimiter::new(limit, 1, MINUTE).batch_reserve(reserve));
        for _ in 0..limit {
            complete(&budget, SlotOutcome::Answered).await;
            sleep(7 * SECOND / 2).await;
        }
        let mut callers = Callers::of(&budget);
        let mut told = Vec::new();
        for priority in [Interactive, Batch] {
            for _ in 0..25 {
                told.push(Instant::now() + free_in(&budget, priority).await);
                callers.come(priority).await;
            }
        }
        let mut served = callers.times().await;
        served.sort_unstable();
        let served: Vec<_> = served.into_iter().map(|(_, at)| at).collect();
        assert_eq!(served, told, "limit {limit}, reserve {reserve}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_short_deadline_behind_a_long_queue_is_refused_at_once_with_the_time() {
    let budget = Arc::new(MemoryRateLimiter::default());
    let mut under_way = Vec::new();
    for _ in 0..60 {
        under_way.push(send(&budget).await);
    }
    let mut queue = Callers::of(&budget);
    queue.come_many(Interactive, 300).await;
    let started = Instant::now();
    // Each of five rounds takes a window, and so does what is under way.
    let refused = ask(&budget, Interactive, 6 * MINUTE - SECOND).await.err();
    let free_in = Some(6 * MINUTE);
    assert_eq!(refused, Some(RateLimiterError::Exhausted { free_in }));
    assert_eq!(started.elapsed(), Duration::ZERO);
    assert!(
        pending(&budget, 6 * MINUTE).await,
        "it may come just in time"
    );
}

/// Whether somebody with this queue_timeout waits.
async fn pending(budget: &MemoryRateLimiter, queue_timeout: Duration) -> bool {
    let mut asked = pin!(ask(budget, Interactive, queue_timeout));
    poll_fn(|context| std::task::Poll::Ready(asked.as_mut().poll(context).is_pending())).await
}

#[tokio::test(start_paused = true)]
async fn a_slot_that_is_under_way_or_was_answered_counts_as_free_when_a_closed_window_opens() {
    let budget = Arc::new(MemoryRateLimiter::new(3, 1, MINUTE));
    let (answered, _under_way) = (send(&budget).await, send(&budget).await);
    complete(&budget, throttled(Some(10 * SECOND))).await;
    answered.complete(SlotOutcome::Answered).await;
    let mut queue = Callers::of(&budget);
    queue.come_many(Interactive, 2).await;
    assert_eq!(free_in(&budget, Interactive).await, 10 * SECOND);
    queue.come(Interactive).await;
    assert_eq!(free_in(&budget, Interactive).await, 10 * SECOND + MINUTE);
}

#[tokio::test(start_paused = true)]
async fn a_slot_whose_answer_was_lost_long_after_another_comes_round_later() {
    let budget = Arc::new(MemoryRateLimiter::new(2, 1, MINUTE));
    let (first, lost) = (send(&budget).await, send(&budget).await);
    first.complete(SlotOutcome::Answered).await;
    sleep(20 * SECOND).await;
    drop(lost);
    // The first slot is free in 40 s, the lost one in 70 s.
    assert_eq!(free_in(&budget, Interactive).await, 40 * SECOND);
    let budget = Arc::new(MemoryRateLimiter::new(2, 1, 10 * SECOND));
    let (first, lost) = (send(&budget).await, send(&budget).await);
    first.complete(SlotOutcome::Answered).await;
    drop(lost);
    let mut queue = Callers::of(&budget);
    queue.come(Interactive).await;
    // The first slot comes round twice before the lost one is free in 40 s.
    assert_eq!(free_in(&budget, Interactive).await, 20 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_takes_longer_than_hoped_refuses_at_the_deadline_with_the_time_known_then() {
    let budget = MemoryRateLimiter::new(1, 1, MINUTE);
    let slow = send(&budget).await;
    let started = Instant::now();
    let refused = async { ask(&budget, Interactive, MINUTE + SECOND).await.err() };
    let answer = async {
        sleep(20 * SECOND).await;
        slow.complete(SlotOutcome::Answered).await;
        started.elapsed()
    };
    let (refused, answered_after) = tokio::join!(refused, answer);
    // As soon as the answer arrived it was clear that there would be no slot in time.
    assert_eq!(answered_after, 20 * SECOND);
    assert_eq!(started.elapsed(), 20 * SECOND);
    let free_in = Some(MINUTE);
    assert_eq!(refused, Some(RateLimiterError::Exhausted { free_in }));

    let _slow = send(&budget).await;
    let started = Instant::now();
    let refused = ask(&budget, Interactive, MINUTE + SECOND).await.err();
    assert_eq!(refused, Some(RateLimiterError::Exhausted { free_in }));
    // It might have been answered when the wait began, but was not.
    assert_eq!(started.elapsed(), MINUTE);
}

#[tokio::test(start_paused = true)]
async fn a_caller_without_patience_has_a_slot_that_nobody_in_front_needs() {
    let budget = Arc::new(MemoryRateLimiter::new(2, 1, MINUTE));
    let both = [send(&budget).await, send(&budget).await];
    let mut queue = Callers::of(&budget);
    queue.come(Interactive).await;
    for permit in both {
        permit.complete(SlotOutcome::NotSent).await;
    }
    // The one in the queue has not run yet, and has its slot all the same.
    let _second = send_now(&budget).await;
    let started = Instant::now();
    assert_eq!(queue.order().await, [0]);
    assert_eq!(started.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn interactive_callers_go_before_batch_callers_and_each_kind_in_its_order() {
    let budget = Arc::new(MemoryRateLimiter::new(1, 1, MINUTE));
    let held = send(&budget).await;
    let mut callers = Callers::of(&budget);
    for priority in [Batch, Interactive, Batch, Interactive, Interactive] {
        callers.come(priority).await;
    }
    callers.started[3].abort();
    held.complete(SlotOutcome::NotSent).await;
    assert_eq!(callers.order().await, [1, 4, 0, 2]);
}

#[tokio::test(start_paused = true)]
async fn batch_callers_leave_a_reserve_in_both_groups() {
    let budget = MemoryRateLimiter::default();
    let silent = |_| {};
    for (group, limit) in [(RateGroup::Strict, 60), (RateGroup::Default, 100)] {
        let ask = |priority| Acquire::new(group, priority, Duration::ZERO, ANSWER_WITHIN, &silent);
        let mut permits = Vec::new();
        while let Ok(permit) = budget.acquire(ask(Batch)).await {
            permits.push(permit);
        }
        assert_eq!(permits.len(), limit - 5);
        while let Ok(permit) = budget.acquire(ask(Interactive)).await {
            permits.push(permit);
        }
        assert_eq!(permits.len(), limit);
    }
}

#[tokio::test(start_paused = true)]
async fn the_reserve_can_be_set_and_always_leaves_a_slot_to_batch_callers() {
    for (limit, reserve, batch) in [(60, 0, 60), (60, 20, 40), (5, 5, 1), (1, 5, 1), (1, 0, 1)] {
        let budget = MemoryRateLimiter::new(limit, 1, MINUTE).batch_reserve(reserve);
        let mut permits = Vec::new();
        while let Ok(permit) = ask(&budget, Batch, Duration::ZERO).await {
            permits.push(permit);
        }
        assert_eq!(permits.len(), batch, "limit {limit}, reserve {reserve}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_batch_caller_alone_is_the_probe() {
    let budget = MemoryRateLimiter::default();
    complete(&budget, BAD).await;
    let probe = ask(&budget, Batch, DAY).await.expect("a permit");
    assert!(!is_free(&budget).await);
    probe.complete(SlotOutcome::Answered).await;
    assert!(is_free(&budget).await);
}

#[tokio::test(start_paused = true)]
async fn a_limit_of_zero_refuses_batch_callers_without_a_time() {
    let budget = MemoryRateLimiter::new(0, 0, MINUTE);
    let refused = ask(&budget, Batch, DAY).await.err();
    assert_eq!(refused, Some(RateLimiterError::Exhausted { free_in: None }));
}

/// The waits that somebody is told of before a permit comes.
async fn told(budget: &MemoryRateLimiter) -> Vec<Duration> {
    let told = Mutex::new(Vec::new());
    let tell = |wait| told.lock().expect("a list").push(wait);
    let request = Acquire::new(RateGroup::Strict, Interactive, DAY, ANSWER_WITHIN, &tell);
    drop(budget.acquire(request).await.expect("a permit"));
    told.into_inner().expect("a list")
}

#[tokio::test(start_paused = true)]
async fn a_wait_is_told_when_it_begins_and_again_when_its_length_is_known() {
    let budget = Arc::new(MemoryRateLimiter::new(2, 1, MINUTE));
    let slow = send(&budget).await;
    complete(&budget, SlotOutcome::Answered).await;
    let mut first = Callers::of(&budget);
    first.come(Interactive).await;
    // The second in the queue needs the slot of the request under way; its answer comes after ten seconds.
    let answer = async {
        sleep(10 * SECOND).await;
        slow.complete(SlotOutcome::Answered).await;
    };
    let ((), told_second) = tokio::join!(answer, told(&budget));
    assert_eq!(first.order().await, [0]);
    assert_eq!(
        told_second,
        [MINUTE, 10 * SECOND],
        "the second when it was the first"
    );

    complete(&budget, throttled(Some(20 * SECOND))).await;
    assert_eq!(told(&budget).await, [20 * SECOND]);
    assert_eq!(told(&budget).await, []);
}

#[tokio::test(start_paused = true)]
async fn a_wait_of_several_windows_or_for_a_probe_is_estimated_and_told_again_when_its_end_is_known()
 {
    let budget = Arc::new(MemoryRateLimiter::new(1, 1, MINUTE));
    complete(&budget, SlotOutcome::Answered).await;
    let mut first = Callers::of(&budget);
    first.come(Interactive).await;
    assert_eq!(told(&budget).await, [2 * MINUTE, MINUTE], "of the second");
    assert_eq!(first.order().await, [0]);

    let budget = MemoryRateLimiter::default();
    complete(&budget, BAD).await;
    let probe = send(&budget).await;
    let answer = async {
        sleep(10 * SECOND).await;
        probe.complete(throttled(Some(5 * SECOND))).await;
    };
    let ((), told) = tokio::join!(answer, told(&budget));
    assert_eq!(told, [SECOND, 5 * SECOND]);
}

#[tokio::test(start_paused = true)]
async fn everybody_who_waits_is_told_so_however_the_line_moves() {
    let budget = Arc::new(MemoryRateLimiter::new(3, 1, MINUTE));
    let under_way = [
        send(&budget).await,
        send(&budget).await,
        send(&budget).await,
    ];
    let answers = async {
        sleep(SECOND).await;
        for permit in under_way {
            permit.complete(SlotOutcome::Answered).await;
        }
    };
    // All slots come free in the same moment, so that nobody behind the first ever learns how long the wait is.
    let in_line = async { tokio::join!(told(&budget), told(&budget), told(&budget)) };
    let ((), told) = tokio::join!(answers, in_line);
    assert_eq!(told.0, [MINUTE, MINUTE]);
    assert_eq!((told.1, told.2), (vec![MINUTE], vec![MINUTE]));
}

/// Counts how often a future is looked at.
async fn counted<T>(polls: &AtomicUsize, future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    poll_fn(|context| {
        polls.fetch_add(1, Ordering::Relaxed);
        future.as_mut().poll(context)
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_wait_in_order_and_only_those_are_woken_whose_turn_it_is() {
    const CALLERS: usize = 10_000;
    let budget = Arc::new(MemoryRateLimiter::new(100, 1, SECOND));
    let (polls, served) = (
        Arc::new(AtomicUsize::new(0)),
        Arc::new(Mutex::new(Vec::new())),
    );
    let started = Instant::now();
    let mut tasks = JoinSet::new();
    for number in 0..CALLERS {
        let (budget, polls, served) = (budget.clone(), polls.clone(), served.clone());
        tasks.spawn(async move {
            let asked = ask(&budget, Interactive, DAY);
            let mut permit = counted(&polls, asked).await.expect("a permit");
            served.lock().expect("a list").push(number);
            permit.sent();
            permit.complete(SlotOutcome::Answered).await;
        });
    }
    tasks.join_all().await;
    assert_eq!(started.elapsed(), 99 * SECOND);
    assert!(served.lock().expect("a list").is_sorted());
    let polls = polls.load(Ordering::Relaxed);
    assert!(polls <= 3 * CALLERS, "{polls} looks for {CALLERS} callers");
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_who_give_up_leave_the_slot_to_the_one_who_stays() {
    let budget = Arc::new(MemoryRateLimiter::new(1, 1, SECOND));
    let held = send(&budget).await;
    let mut callers = Callers::of(&budget);
    callers.come_many(Interactive, 10_000).await;
    for (number, caller) in callers.started.iter().enumerate() {
        if number != 7_000 {
            caller.abort();
        }
    }
    held.complete(SlotOutcome::NotSent).await;
    assert_eq!(callers.order().await, [7_000]);
}
