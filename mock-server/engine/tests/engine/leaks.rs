//! Leaked credentials and what a summary makes of their number (C9, C10).

use std::collections::BTreeSet;
use std::time::Duration;

use secmon_engine::{DomainFindings, LeakAnswer, ListLeaks};
use serde_json::Value;
use uuid::Uuid;

use crate::bench::{Bench, START, What, client, instant};

/// A customer with one domain, whose scans find these leaks and mentions.
fn with_findings(employees: u32, mentions: u32) -> (Bench, Uuid) {
    let mut bench = Bench::new();
    bench.subscribe(42, 1, What::Slots(1));
    let id = bench.new_domain(42, "a.example");
    let findings = DomainFindings::new(employees, 0, 0, mentions).expect("findings");
    let set = bench.account.at(bench.now).set_findings(id, findings);
    set.expect("a domain");
    bench.wait(2);
    (bench, id)
}

/// The records on this page.
fn page(bench: &mut Bench, domain: Uuid, page: u64) -> Vec<Value> {
    let request = ListLeaks {
        client: client(42),
        category: None,
        page,
    };
    let call = bench.call();
    match bench.account.at(call).list_leaks(domain, request) {
        Ok(LeakAnswer::Page(page)) => page
            .items
            .iter()
            .map(|item| serde_json::to_value(item).expect("json"))
            .collect(),
        other => panic!("no page: {other:?}"),
    }
}

#[test]
fn a_leak_is_older_than_its_domain_and_from_one_of_several_sources_c10() {
    const DAY: u64 = 86_400;
    const LEAKS: usize = 5000;
    let (mut bench, id) = with_findings(LEAKS as u32, 0);
    let leaks: Vec<Value> = (1..=100)
        .flat_map(|number| page(&mut bench, id, number))
        .collect();
    let texts = |field: &str| -> BTreeSet<String> {
        let of_each = leaks.iter().filter_map(|leak| leak[field].as_str());
        of_each.map(str::to_owned).collect()
    };
    assert_eq!((texts("email").len(), texts("source").len()), (LEAKS, 4));
    let moments: BTreeSet<_> = texts("leaked_at")
        .iter()
        .map(|text| instant(text))
        .collect();
    assert!(moments.len() > 800, "they are spread over time");
    let created = instant(START);
    for moment in moments {
        let age = moment.seconds_until(created);
        assert!((DAY..=900 * DAY).contains(&age), "{moment}");
        let end = moment.plus(Duration::from_secs(age));
        assert_eq!((age % DAY, end), (0, created), "whole days: {moment}");
    }
}

#[test]
fn half_of_the_passwords_are_weak_and_three_in_ten_medium_c10() {
    for (leaks, weak, medium, strong) in [
        (1, 1, 0, 0),
        (2, 1, 0, 1),
        (3, 2, 0, 1),
        (10, 5, 3, 2),
        (25, 13, 7, 5),
        (100, 50, 30, 20),
    ] {
        let (mut bench, id) = with_findings(leaks, 0);
        let summary = bench.summary(42, id).expect("a domain");
        let shown = serde_json::to_value(summary.password_strength).expect("json");
        let expected = serde_json::json!({"weak": weak, "medium": medium, "strong": strong});
        assert_eq!(shown, expected);
    }
}

#[test]
fn a_scan_that_finds_the_mentions_known_already_adds_none_to_the_record_c9() {
    let (mut bench, _) = with_findings(0, 3);
    let mentions = |bench: &mut Bench| {
        let document = bench.account.export();
        let records = document["records"].as_array().expect("records");
        let mut domains = records.iter().filter(|record| record["table"] == "domains");
        domains.next().expect("a domain")["value"]["mentions"].clone()
    };
    let first = mentions(&mut bench);
    assert_eq!(first["runs"].as_array().map(Vec::len), Some(1));
    bench.wait(90_000);
    assert_eq!(mentions(&mut bench), first);
}
