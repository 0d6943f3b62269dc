//! API keys and their rate windows.

use secmon_engine::{RateGroup, RateLimited, StoredRecord, Switch};

use crate::bench::Bench;

#[test]
fn a_window_opens_at_its_first_request_and_closes_sixty_seconds_later_a10() {
    let mut bench = Bench::new();
    let key = bench.key;
    for _ in 0..60 {
        assert_eq!(
            bench.account.take_slot(key, RateGroup::Strict, bench.now),
            Ok(())
        );
    }
    let full = |retry_after_seconds| {
        Err(RateLimited {
            retry_after_seconds,
        })
    };
    let take = |bench: &mut Bench| bench.account.take_slot(key, RateGroup::Strict, bench.now);
    assert_eq!(take(&mut bench), full(60));
    bench.wait_ms(59_500);
    assert_eq!(take(&mut bench), full(1));
    bench.wait_ms(499);
    assert_eq!(take(&mut bench), full(1));
    bench.wait_ms(1);
    for _ in 0..60 {
        assert_eq!(take(&mut bench), Ok(()), "the window that opened anew");
    }
    assert_eq!(take(&mut bench), full(60), "refused ones did not count");
}

#[test]
fn the_two_windows_of_a_key_are_apart_a10() {
    let mut bench = Bench::new();
    let (key, now) = (bench.key, bench.now);
    for _ in 0..60 {
        assert!(bench.account.take_slot(key, RateGroup::Strict, now).is_ok());
    }
    for _ in 0..100 {
        assert!(
            bench
                .account
                .take_slot(key, RateGroup::Default, now)
                .is_ok()
        );
    }
    assert!(
        bench
            .account
            .take_slot(key, RateGroup::Default, now)
            .is_err()
    );
    let text = bench.account.issue_key();
    let (other, _) = bench
        .account
        .keys()
        .find(|(_, key)| *key == text)
        .expect("the new key");
    assert!(
        bench
            .account
            .take_slot(other, RateGroup::Strict, now)
            .is_ok()
    );
}

#[test]
fn limits_and_window_are_configurable_and_can_be_off_a10() {
    let mut bench = Bench::with(|settings| {
        settings.rate_limits.strict = 1;
        settings.rate_limits.window = 5;
    });
    let (key, now) = (bench.key, bench.now);
    assert!(bench.account.take_slot(key, RateGroup::Strict, now).is_ok());
    assert_eq!(
        bench.account.take_slot(key, RateGroup::Strict, now),
        Err(RateLimited {
            retry_after_seconds: 5
        })
    );
    let mut bench = Bench::with(|settings| settings.rate_limit = Switch::Off);
    let key = bench.key;
    let free = (0..1000).all(|_| bench.account.take_slot(key, RateGroup::Strict, now).is_ok());
    assert!(free);
}

#[test]
fn keys_rotate_and_their_ids_stay_their_own() {
    let mut bench = Bench::new();
    let first = bench.account.issue_key();
    let second = bench.account.issue_key();
    assert_ne!(first, second);
    let ids: Vec<_> = bench.account.keys().map(|(id, _)| id).collect();
    assert_eq!(ids.len(), 3);
    assert!(bench.account.revoke_key(&first));
    assert!(!bench.account.revoke_key(&first));
    let left: Vec<_> = bench.account.keys().collect();
    assert_eq!(left, [(ids[0], "test_key_acme"), (ids[2], second.as_str())]);
    let third = bench.account.issue_key();
    assert!(bench.account.keys().all(|(id, _)| id != ids[1]));
    assert_ne!(third, first);
}

#[test]
fn a_reset_goes_back_to_the_start_but_keeps_the_keys_m3() {
    let mut bench = Bench::new();
    let key = bench.account.issue_key();
    let start = bench.account.export();
    let first = bench.provision(42, "203.0.113.10");
    let scenario = secmon_engine::Scenario::Critical;
    bench.account.at(bench.now).set_scenario(scenario);
    while bench
        .account
        .take_slot(bench.key, RateGroup::Strict, bench.now)
        .is_ok()
    {}
    bench.wait(100_000);
    bench.account.reset();
    assert_eq!(bench.account.export(), start);
    assert!(bench.account.keys().any(|(_, text)| text == key));
    bench.now = crate::bench::instant(crate::bench::START);
    let slot = bench
        .account
        .take_slot(bench.key, RateGroup::Strict, bench.now);
    assert!(slot.is_ok());
    assert_eq!(
        bench.provision(42, "203.0.113.10"),
        first,
        "ids start again"
    );
    assert_eq!(
        bench.endpoint(first).created_at.to_string(),
        crate::bench::START
    );
}

#[test]
fn keys_are_in_no_debug_output() {
    let mut bench = Bench::new();
    bench.provision(42, "203.0.113.10");
    let changes = bench.account.take_changes();
    let records: Vec<StoredRecord> = changes
        .iter()
        .filter_map(|change| {
            Some(StoredRecord {
                table: change.table,
                key: change.key.clone(),
                value: change.value.clone()?,
            })
        })
        .collect();
    let seen = format!("{:?}", bench.account);
    assert!(seen.contains("acme") && !seen.contains("test_key_acme"));
    for seen in [format!("{changes:?}"), format!("{records:?}")] {
        assert!(seen.contains("keys/0"), "where a record is may be told");
        assert!(!seen.contains("test_key_acme"), "{seen}");
    }
}
