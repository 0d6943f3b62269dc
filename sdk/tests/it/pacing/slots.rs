//! When a slot is taken and when it is free again, and whose it is then.

use super::*;

/// A permit of the strict group, waited for as long as it takes.
pub async fn permit(budget: &MemoryRateLimiter, answer_within: Duration) -> Box<dyn Permit> {
    let request = Acquire::new(
        RateGroup::Strict,
        Priority::Interactive,
        10 * MINUTE,
        answer_within,
        &|_| {},
    );
    budget.acquire(request).await.expect("a permit")
}

#[tokio::test(start_paused = true)]
async fn a_slot_is_free_at_once_when_unsent_and_one_window_after_the_answer_or_the_time_out() {
    let budget = MemoryRateLimiter::new(1, 1, MINUTE);
    let started = Instant::now();
    drop(permit(&budget, 30 * SECOND).await);
    permit(&budget, 30 * SECOND)
        .await
        .complete(SlotOutcome::NotSent)
        .await;
    let mut answered = permit(&budget, 30 * SECOND).await;
    assert_eq!(started.elapsed(), Duration::ZERO);

    answered.sent();
    sleep(5 * SECOND).await;
    answered.complete(SlotOutcome::Answered).await;
    let mut lost = permit(&budget, 30 * SECOND).await;
    assert_eq!(started.elapsed(), 5 * SECOND + MINUTE);

    lost.sent();
    sleep(SECOND).await;
    lost.complete(SlotOutcome::Unanswered).await;
    let mut given_up = permit(&budget, 30 * SECOND).await;
    let free = 5 * SECOND + MINUTE + 30 * SECOND + MINUTE;
    assert_eq!(started.elapsed(), free);

    // Its request can arrive for as long as an answer ever took.
    given_up.sent();
    sleep(SECOND).await;
    drop(given_up);
    drop(permit(&budget, 30 * SECOND).await);
    assert_eq!(started.elapsed(), free + SECOND + 5 * SECOND + MINUTE);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_never_left_takes_no_slot_of_the_window() {
    let script = MockTransport::new();
    script.fail(TransportErrorKind::Connect);
    script.answer(StatusCode::OK, paused());
    let client = builder(&script)
        .rate_limiter(Arc::new(MemoryRateLimiter::new(1, 1, MINUTE)))
        .build()
        .expect("a client");
    let started = Instant::now();
    let suspended = client.servers().suspend(endpoint_id()).await;
    suspended.expect("suspended");
    assert!(started.elapsed() < SECOND, "{:?}", started.elapsed());
}

#[tokio::test(start_paused = true)]
async fn the_slot_that_is_free_soonest_is_taken_first() {
    let budget = MemoryRateLimiter::new(2, 1, MINUTE);
    let started = Instant::now();
    let (mut lost, mut answered) = (
        permit(&budget, 30 * SECOND).await,
        permit(&budget, 30 * SECOND).await,
    );
    lost.sent();
    answered.sent();
    drop(lost);
    sleep(5 * SECOND).await;
    answered.complete(SlotOutcome::Answered).await;
    for free in [5 * SECOND + MINUTE, 30 * SECOND + MINUTE] {
        let mut next = permit(&budget, MINUTE).await;
        assert_eq!(started.elapsed(), free);
        next.sent();
        next.complete(SlotOutcome::Answered).await;
    }
}

#[tokio::test(start_paused = true)]
async fn slots_go_to_those_who_came_first_and_a_place_given_up_goes_to_the_next() {
    let budget = Arc::new(MemoryRateLimiter::new(1, 1, MINUTE));
    let mut held = permit(&budget, SECOND).await;
    held.sent();
    let served = Arc::new(Mutex::new(Vec::new()));
    let mut waiters = Vec::new();
    for number in 0..4 {
        let (budget, served) = (budget.clone(), served.clone());
        waiters.push(tokio::spawn(async move {
            let mut permit = permit(&budget, SECOND).await;
            served.lock().expect("a list").push(number);
            permit.sent();
            permit.complete(SlotOutcome::Answered).await;
        }));
        tokio::task::yield_now().await;
    }
    waiters[1].abort();
    held.complete(SlotOutcome::Answered).await;
    let started = Instant::now();
    for waiter in waiters {
        // The one that was aborted says so.
        let _ = waiter.await;
    }
    assert_eq!(*served.lock().expect("a list"), [0, 2, 3]);
    assert_eq!(started.elapsed(), 3 * MINUTE);
}

/// As in the arm of a `select!`: nobody drives the attempt, and nobody ends it.
#[tokio::test(start_paused = true)]
async fn an_attempt_that_stands_still_gives_its_slot_back_as_one_without_an_answer() {
    let budget = MemoryRateLimiter::new(1, 1, MINUTE);
    let started = Instant::now();
    let mut still = permit(&budget, 30 * SECOND).await;
    still.sent();
    drop(permit(&budget, 30 * SECOND).await);
    assert_eq!(started.elapsed(), 30 * SECOND + MINUTE);

    // That it ends at last takes no slot of anybody.
    let mut next = permit(&budget, 30 * SECOND).await;
    next.sent();
    still.complete(SlotOutcome::NotSent).await;
    next.complete(SlotOutcome::Answered).await;
    drop(permit(&budget, 30 * SECOND).await);
    assert_eq!(started.elapsed(), 30 * SECOND + 2 * MINUTE);
}
