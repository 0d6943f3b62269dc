//! The slots of the rate limit, looked at by one process after the other.

use rusqlite::Connection;
use secmon::RateGroup::{self, Default, Strict};
use secmon_cli::internals::database::is_busy;
use secmon_cli::internals::{Budget, ClockReading, RateDb, SlotRequest, SlotTerms, Throttle};
use std::fs;
use std::path::PathBuf;
use std::sync::Barrier;
use std::time::Duration;
use tempfile::TempDir;

const WINDOW: Duration = Duration::from_secs(60);
const TERMS: SlotTerms = SlotTerms {
    limit: 60,
    hold: Duration::from_secs(90),
};
const START: i64 = 1_000_000;

const fn budget(group: RateGroup) -> Budget<'static> {
    Budget {
        account: "one account",
        group,
    }
}

/// A reading of a clock that never stepped.
fn at(now: i64) -> ClockReading {
    on("this boot", now, now)
}

fn on(boot: &str, up_ms: i64, wall_ms: i64) -> ClockReading {
    ClockReading {
        boot: boot.to_owned(),
        up_ms,
        wall_ms,
    }
}

/// A home whose processes each open the database anew.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("secmon/rate.db")
    }

    fn open(&self, now: &ClockReading) -> RateDb {
        RateDb::open(&self.path(), now, WINDOW).expect("it opens")
    }

    /// How long nothing goes out, in milliseconds.
    fn closed_for(&self, now: &ClockReading) -> i64 {
        let free_in = self.open(now).free_in(now, budget(Strict), TERMS);
        let wait = free_in.expect("it is read").unwrap_or_default();
        i64::try_from(wait.as_millis()).expect("a short time")
    }

    fn throttled(&self, now: i64, retry_after: Option<Duration>) {
        let throttle = Throttle {
            retry_after,
            window: WINDOW,
        };
        let closed = self
            .open(&at(now))
            .close(&at(now), budget(Strict), throttle);
        closed.expect("it is written");
    }

    /// As a call does it: who meets another process for too long asks again.
    fn takes(&self, now: &ClockReading) -> Option<i64> {
        loop {
            match self.open(now).take(now, budget(Strict), TERMS) {
                Ok(SlotRequest::Taken(id)) => return Some(id),
                Ok(SlotRequest::FreeIn(_)) => return None,
                Err(error) => assert!(is_busy(&error), "{error}"),
            }
        }
    }

    fn takes_all(&self, now: &ClockReading) {
        for _ in 0..TERMS.limit {
            self.takes(now).expect("a slot");
        }
        assert_eq!(self.takes(now), None);
    }

    fn answered(&self, now: &ClockReading, slot: i64) {
        let answered = self.open(now).answered(now, budget(Strict), slot, WINDOW);
        answered.expect("it is written");
    }

    fn free(&self, now: &ClockReading, group: RateGroup) -> u32 {
        let free = self.open(now).free(now, budget(group), TERMS);
        free.expect("it is read")
    }
}

#[test]
fn a_429_that_names_no_time_closes_for_longer_each_time_and_never_for_longer_than_a_window() {
    let home = Home::new();
    let mut now = START;
    for least in [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000] {
        home.throttled(now, None);
        let closed = home.closed_for(&at(now));
        let most = (least + least / 4).min(60_000);
        assert!((least..=most).contains(&closed), "{least}: {closed}");
        now += closed;
    }
}

#[test]
fn calls_that_were_refused_together_count_once() {
    let home = Home::new();
    home.throttled(START, None);
    let closed = home.closed_for(&at(START));
    home.throttled(START + 1, None);
    assert_eq!(home.closed_for(&at(START)), closed);
}

#[test]
fn after_a_guess_one_call_goes_first() {
    let home = Home::new();
    home.throttled(START, None);
    let now = at(START + 2_000);
    let first = home.takes(&now).expect("a slot");
    assert_eq!(home.takes(&now), None);
    home.answered(&now, first);
    assert!(home.takes(&now).is_some());
}

#[test]
fn a_time_that_is_named_is_obeyed_and_opens_the_whole_window() {
    let home = Home::new();
    home.takes_all(&at(START));
    home.throttled(START, Some(Duration::from_secs(7)));
    assert_eq!(home.closed_for(&at(START)), 7_000);
    home.takes_all(&at(START + 7_000));
}

#[test]
fn a_time_longer_than_the_window_is_not_believed() {
    let home = Home::new();
    home.throttled(START, Some(Duration::from_secs(3_600)));
    assert_eq!(home.closed_for(&at(START)), 61_000);
}

#[test]
fn a_closed_window_can_be_opened() {
    let home = Home::new();
    home.throttled(START, None);
    let opened = home.open(&at(START)).reopen("one account");
    opened.expect("it is written");
    home.takes_all(&at(START));
}

#[test]
fn a_slot_ends_a_window_after_its_answer_or_after_its_hold() {
    let home = Home::new();
    let answered = home.takes(&at(START)).expect("a slot");
    home.takes(&at(START)).expect("a slot");
    home.answered(&at(START + 5_000), answered);
    assert_eq!(home.free(&at(START + 64_999), Strict), 58);
    assert_eq!(home.free(&at(START + 65_000), Strict), 59);
    assert_eq!(home.free(&at(START + 89_999), Strict), 59);
    assert_eq!(home.free(&at(START + 90_000), Strict), 60);
}

#[test]
fn a_slot_of_which_nothing_was_sent_is_free_at_once() {
    let home = Home::new();
    let slot = home.takes(&at(START)).expect("a slot");
    let given = home.open(&at(START)).give_back(slot);
    given.expect("it is written");
    assert_eq!(home.free(&at(START), Strict), 60);
}

#[test]
fn keys_and_windows_count_apart() {
    let home = Home::new();
    home.takes_all(&at(START));
    assert_eq!(home.free(&at(START), Default), 60);
    let other = Budget {
        account: "another account",
        group: Strict,
    };
    let free = home.open(&at(START)).free(&at(START), other, TERMS);
    assert_eq!(free.expect("it is read"), 60);
}

#[test]
fn a_step_of_the_clock_changes_nothing() {
    let home = Home::new();
    home.takes_all(&on("a boot", START, 5_000_000));
    for wall in [0, 5_000_000, 900_000_000] {
        assert_eq!(home.free(&on("a boot", START + 89_999, wall), Strict), 0);
        assert_eq!(home.free(&on("a boot", START + 90_000, wall), Strict), 60);
    }
}

#[test]
fn after_a_new_boot_the_wall_clock_counts() {
    let home = Home::new();
    home.takes_all(&on("a boot", 900_000, 5_000_000));
    let up = |up_ms| on("the next boot", up_ms, 5_030_000 + up_ms);
    assert_eq!(home.free(&up(10), Strict), 0);
    assert_eq!(home.closed_for(&up(10)), 59_990);
    assert_eq!(home.free(&up(60_000), Strict), 60);
}

#[test]
fn after_a_new_boot_with_a_clock_set_back_a_slot_lasts_one_hold_at_most() {
    let home = Home::new();
    home.takes_all(&on("a boot", 900_000, 5_000_000_000));
    let up = |up_ms| on("the next boot", up_ms, 1_000_000 + up_ms);
    assert_eq!(home.takes(&up(10)), None);
    assert_eq!(home.takes(&up(90_009)), None);
    assert!(home.takes(&up(90_010)).is_some());
}

#[test]
fn two_computers_with_one_home_share_the_window() {
    let home = Home::new();
    let here = |ms: i64| on("here", 7_000 + ms, 5_000_000 + ms);
    let there = |ms: i64| on("there", 800_000_000 + ms, 5_000_000 + ms);
    for ms in 0..30 {
        home.takes(&here(ms)).expect("a slot");
        home.takes(&there(ms)).expect("a slot");
    }
    assert_eq!(home.takes(&here(1_000)), None);
    assert_eq!(home.takes(&there(1_000)), None);
    assert_eq!(home.takes(&here(89_999)), None);
    home.takes_all(&there(90_100));
}

#[test]
fn in_the_place_of_a_damaged_file_comes_a_new_one_whose_first_window_is_half_used() {
    let home = Home::new();
    home.takes_all(&at(START));
    fs::write(home.path(), "no database at all").expect("it is ours");
    // As long as the log is whole, so is what is in it.
    assert_eq!(home.free(&at(START), Strict), 0);
    fs::remove_file(home.path().with_extension("db-wal")).expect("it is there");
    assert_eq!(home.free(&at(START), Strict), 30);
    assert_eq!(home.free(&at(START + 59_999), Strict), 30);
    assert_eq!(home.free(&at(START + 60_000), Strict), 60);
}

#[test]
fn a_file_of_another_version_is_replaced() {
    let home = Home::new();
    drop(home.open(&at(START)));
    let other = Connection::open(home.path()).expect("it opens");
    let changed = other.pragma_update(None, "user_version", 99);
    changed.expect("it is written");
    drop(other);
    assert_eq!(home.free(&at(START), Strict), 30);
}

#[test]
fn a_file_whose_pages_are_broken_is_replaced_once() {
    let home = Home::new();
    home.takes_all(&at(START));
    let other = Connection::open(home.path()).expect("it opens");
    let written = other.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()));
    written.expect("it is written");
    drop(other);
    let mut bytes = fs::read(home.path()).expect("it is there");
    bytes[8192..].fill(0xAA);
    fs::write(home.path(), bytes).expect("it is ours");
    let now = at(START);
    let asked = home.open(&now).take(&now, budget(Strict), TERMS);
    assert!(asked.is_err(), "{asked:?}");
    for _ in 0..3 {
        RateDb::renew(&home.path(), &now, WINDOW).expect("it is replaced");
        assert_eq!(home.free(&now, Strict), 30);
    }
}

#[test]
fn a_file_that_was_deleted_is_noticed() {
    let home = Home::new();
    let database = home.open(&at(START));
    assert!(database.is_current());
    fs::remove_file(home.path()).expect("it is there");
    assert!(!database.is_current());
    drop(home.open(&at(START)));
    assert!(!database.is_current());
}

#[test]
fn fifty_at_once_take_no_slot_twice() {
    let home = Home::new();
    let barrier = Barrier::new(50);
    let now = &at(START);
    let taken: usize = std::thread::scope(|scope| {
        let takers: Vec<_> = (0..50)
            .map(|_| {
                scope.spawn(|| {
                    barrier.wait();
                    (0..4).filter(|_| home.takes(now).is_some()).count()
                })
            })
            .collect();
        takers
            .into_iter()
            .map(|taker| taker.join().expect("it ends"))
            .sum()
    });
    assert_eq!(taken, 60);
}
