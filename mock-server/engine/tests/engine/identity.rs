//! Ids, keys and names that an account gives out, for good.

use std::collections::BTreeSet;

use secmon_engine::{Account, AccountSettings, made_up_name, seed_after};

use crate::bench::{Bench, What};

fn account(name: &str, seed: u64) -> Account {
    Account::new(AccountSettings::new(name, "portal.acme.test", seed))
}

/// Ids are not stored but made again: another one would lose every record that
/// a partner knows.
#[test]
fn an_account_gives_the_same_ids_and_keys_in_every_version_m9() {
    let mut bench = Bench::new();
    let server = bench.provision(42, "203.0.113.10");
    let second = bench.provision(42, "203.0.113.11");
    let subscription = bench.subscribe(42, 7, What::Slots(1)).subscription_id;
    let domain = bench.new_domain(42, "example.com");
    let ids = [
        bench.account.id(),
        bench.key,
        server,
        second,
        subscription,
        domain,
    ];
    assert_eq!(
        ids.map(|id| id.to_string()),
        [
            "e73232e8-8060-4954-bbbb-6fa83faf8e44",
            "74e0c34f-462e-4335-95c4-18b6115cc0a5",
            "8a0a93f9-2686-4703-ac5b-52ba36acb002",
            "4a83aefe-b339-4716-856d-7a2b9a6b3796",
            "ad02bbc3-4a81-4fd5-ba2c-aed6cb64eaf7",
            "5038bbae-15b2-4cbe-9185-022216043af3"
        ]
    );
    assert_eq!(
        bench.account.issue_key(),
        "test_key_3ef69d15155bca4a5a733854e8642e23"
    );
}

#[test]
fn an_account_has_an_id_of_its_own_that_it_keeps_when_it_moves() {
    let acme = account("acme", 7);
    let others = [account("globex", 7), account("acme", 8)];
    assert!(others.iter().all(|other| other.id() != acme.id()));
    let moved = Account::import(&acme.export().to_string()).expect("exported");
    assert_eq!(moved.id(), acme.id());
}

#[test]
fn an_account_whose_name_was_had_before_has_another_seed_m3() {
    assert_eq!(seed_after(7, 0), 7);
    let seeds: BTreeSet<u64> = [7, 8]
        .into_iter()
        .flat_map(|seed| (0..50).map(move |removed| seed_after(seed, removed)))
        .collect();
    assert_eq!(seeds.len(), 100);
}

#[test]
fn made_up_names_use_all_their_words_and_differ() {
    let names: Vec<String> = (0..200).map(|number| made_up_name(7, number)).collect();
    let words = |place: usize| -> BTreeSet<&str> {
        let words = names.iter().filter_map(|name| name.split('-').nth(place));
        words.collect()
    };
    assert_eq!((words(0).len(), words(1).len()), (8, 8));
    assert_eq!(
        words(2).len(),
        200,
        "the number makes each name one of its own"
    );
    assert_ne!(made_up_name(8, 0), names[0]);
}
