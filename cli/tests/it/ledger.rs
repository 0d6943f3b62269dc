//! The file behind the pace, looked at by one process after the other.

use secmon::RateGroup::Strict;
use secmon_cli::internals::{Ledger, Taken};
use std::time::Duration;

const WINDOW: Duration = Duration::from_secs(60);
const LIMIT: u32 = 60;
const START: u64 = 1_000_000;

/// One key's file, looked at by one process after the other.
struct Pace(tempfile::TempDir);

impl Pace {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn at(&self, now: u64) -> Ledger {
        Ledger::open(&self.0.path().join("pace"), WINDOW, now).expect("the file opens")
    }

    /// How long nothing goes out, in milliseconds.
    fn closed_for(&self, now: u64) -> u64 {
        self.at(now).free_in(Strict, LIMIT).map_or(0, |wait| {
            u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)
        })
    }

    fn guesses(&self, now: u64) {
        let closed = self.at(now).close(Strict, None, WINDOW);
        closed.expect("it is written");
    }

    fn takes(&self, now: u64) -> Option<u64> {
        let lost_at = now + 90_000;
        match self.at(now).take(Strict, LIMIT, lost_at) {
            Ok(Taken::Slot(id)) => Some(id),
            _ => None,
        }
    }
}

#[test]
fn a_refusal_that_names_no_time_closes_for_longer_each_time_and_never_for_longer_than_a_window() {
    let pace = Pace::new();
    let mut now = START;
    for least in [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000] {
        pace.guesses(now);
        let closed = pace.closed_for(now);
        let most = (least + least / 4).min(60_000);
        assert!((least..=most).contains(&closed), "{least}: {closed}");
        now += closed;
    }
}

#[test]
fn calls_that_were_refused_together_count_once() {
    let pace = Pace::new();
    pace.guesses(START);
    let closed = pace.closed_for(START);
    pace.guesses(START + 1);
    assert_eq!(pace.closed_for(START), closed);
}

#[test]
fn after_a_guess_one_call_goes_first() {
    let pace = Pace::new();
    pace.guesses(START);
    let now = START + 2_000;
    let first = pace.takes(now).expect("a slot");
    assert_eq!(pace.takes(now), None);
    let answered = pace.at(now).answered(Strict, first, now + 60_000);
    answered.expect("it is written");
    assert!(pace.takes(now).is_some());
}

#[test]
fn a_time_that_is_named_is_obeyed_and_opens_the_whole_window() {
    let pace = Pace::new();
    let named = Some(Duration::from_secs(7));
    let closed = pace.at(START).close(Strict, named, WINDOW);
    closed.expect("it is written");
    assert_eq!(pace.closed_for(START), 7_000);
    let now = START + 7_000;
    assert!(pace.takes(now).is_some() && pace.takes(now).is_some());
}

#[test]
fn a_closed_window_can_be_opened() {
    let pace = Pace::new();
    pace.guesses(START);
    pace.at(START).reopen().expect("it is written");
    assert!(pace.takes(START).is_some() && pace.takes(START).is_some());
}
