//! One of a kind stays one: eight calls at once over eight connections, and one of them wins.

use std::collections::BTreeSet;

use crate::table::{Row, TABLE};
use crate::{
    Account, Case, Estate, Members, Need, RawAnswer, RawCall, Request, SLOTS, Snapshot, plans,
    rate_limits,
};
use futures_util::future::join_all;
use http::{Method, StatusCode};
use serde_json::{Value, json};

use super::{of_each, own_needs};

cases! {
    law: "A10, B6, B9, E7";
    anywhere:
        the_last_place_goes_to_one_server,
        the_last_slot_goes_to_one_domain,
        a_name_goes_to_one_of_eight_domains,
        the_last_slot_goes_to_one_name_that_all_ask_for,
        an_address_is_one_server_whichever_group_adds_it,
        eight_servers_are_eight,
        a_slot_is_given_up_once,
        of_overlapping_rules_one_is_made,
        two_members_that_are_changed_both_change,
        every_token_is_another;
    steered:
        the_last_call_of_a_window_is_one(Accounts, Clock),
        a_token_signs_in_once(Accounts)
}

const CALLS: usize = 8;

pub fn all() -> Vec<Case> {
    let real = of_each(
        LAW,
        concat!(module_path!(), "::one_wins"),
        |row| Box::pin(one_wins(row)),
        |row| match needs(row)? {
            None => Some(own_needs(row)),
            Some(_) => None,
        },
    );
    let steered = of_each(
        LAW,
        concat!(module_path!(), "::one_wins_where_scans_found_something"),
        |row| Box::pin(one_wins(row)),
        |row| (needs(row)? == Some(Need::World)).then_some(&[Need::World]),
    );
    [CASES.to_vec(), real, steered].concat()
}

/// What a write needs; reads win nothing.
fn needs(row: &Row) -> Option<Option<Need>> {
    let recipe = row.recipe.as_ref()?;
    (row.method != "GET").then(|| recipe.needs(&recipe.send))
}

/// Sends calls at once, each over a connection of its own.
async fn at_once(calls: Vec<RawCall>) -> Vec<RawAnswer> {
    let answers = join_all(calls.into_iter().map(RawCall::send)).await;
    let answers = answers.into_iter();
    answers.map(|answer| answer.expect("an answer")).collect()
}

fn outcomes(answers: &[RawAnswer]) -> Vec<String> {
    let mut outcomes: Vec<String> = answers.iter().map(RawAnswer::outcome).collect();
    outcomes.sort();
    outcomes
}

/// The same call eight times: one is the first, and the others are told what a repeat is told.
async fn one_wins(row: &'static Row) {
    let recipe = row.recipe.as_ref().expect("an operation that is called");
    let alone = readied(row).await;
    let first = alone.1.send(&alone.0.account).await.outcome();
    for _ in 0..alone.0.account.rounds() {
        let (estate, request) = readied(row).await;
        let calls = (0..CALLS).map(|_| request.call(&estate.account));
        let answers = at_once(calls.collect()).await;
        assert_one(
            &answers,
            &first,
            &recipe.again,
            &format!("{} at once", row.name),
        );
        let named = answers
            .iter()
            .filter_map(|answer| identity(&answer.json["data"]));
        let named: Vec<&Value> = named.collect();
        assert!(
            named.windows(2).all(|pair| pair[0] == pair[1]),
            "{} at once: one record, not {named:?}",
            row.name
        );
        Snapshot::of(&estate).await;
    }
}

/// A request of an operation, and an estate whose customer is known already.
async fn readied(row: &Row) -> (Estate, Request) {
    let recipe = row.recipe.as_ref().expect("an operation that is called");
    let estate = Estate::new().await;
    estate.value("plan_service").await;
    let request = Request::new(row, &recipe.send, &estate).await;
    (estate, request)
}

async fn rounds() -> usize {
    Account::new().await.rounds()
}

/// What an answer says of which record it speaks.
fn identity(data: &Value) -> Option<&Value> {
    let names = [
        "endpoint_id",
        "monitored_domain_id",
        "subscription_id",
        "scan_id",
        "id",
    ];
    names.iter().find_map(|name| data.get(*name))
}

fn row(name: &str) -> &'static Row {
    TABLE.row(name).expect("an operation")
}

async fn call(estate: &Estate, operation: &str, members: Value) -> RawCall {
    let Value::Object(members) = members else {
        panic!("members")
    };
    Request::new(row(operation), &members, estate)
        .await
        .call(&estate.account)
}

async fn answer_of(estate: &Estate, operation: &str, members: Value) -> RawAnswer {
    let call = call(estate, operation, members).await;
    call.send().await.expect("an answer")
}

/// Eight calls of an operation.
async fn eight(estate: &Estate, operation: &str, members: impl Fn(usize) -> Value) -> Vec<RawCall> {
    let mut calls = Vec::new();
    for at in 0..CALLS {
        calls.push(call(estate, operation, members(at)).await);
    }
    calls
}

/// One call is answered so and the seven others so.
#[track_caller]
fn assert_one(answers: &[RawAnswer], first: &str, others: &str, what: &str) {
    let mut expected = vec![first.to_owned()];
    expected.resize(CALLS, others.to_owned());
    expected.sort();
    assert_eq!(outcomes(answers), expected, "{what}");
}

async fn the_last_place_goes_to_one_server() {
    let size = plans()[0].1;
    let estate = Estate::new().await;
    estate.value("plan_service").await;
    for place in 1..size {
        let server = json!({"client_id": "$customer", "ip_address": format!("198.51.100.{place}")});
        answer_of(&estate, "provision_endpoint", server).await;
    }
    for round in 0..estate.account.rounds() {
        let server = |last| json!({"client_id": "$customer", "ip_address": format!("203.0.{}.{}", round + 1, last + 1)});
        let answers = at_once(eight(&estate, "provision_endpoint", server).await).await;
        assert_one(
            &answers,
            "201",
            "403 ENDPOINT_LIMIT_EXCEEDED",
            "the last place of a plan, at once",
        );
        let snapshot = Snapshot::of(&estate).await;
        let customer = estate.value("customer").await;
        let servers = snapshot.at(&format!(
            "all of /api/v1/endpoints?billing_customer_id={customer}"
        ));
        assert_eq!(
            servers.as_array().map(Vec::len),
            Some(size as usize),
            "the last place was taken once"
        );
        let winner = answers
            .iter()
            .find(|answer| answer.status == StatusCode::CREATED);
        let id = winner.expect("a winner").json["data"]["endpoint_id"].clone();
        answer_of(&estate, "terminate_endpoint", json!({"endpoint_id": id})).await;
    }
}

async fn the_last_slot_goes_to_one_domain() {
    let estate = Estate::new().await;
    let slots = json!({"client_id": "$customer", "service_id": "$free_service", "product_slug": "domain_monitoring"});
    answer_of(&estate, "provision_subscription", slots).await;
    for round in 0..estate.account.rounds() {
        let domain = |at| {
            let domain = format!("r{round}n{at}.example.com");
            json!({"client_id": "$customer", "domain": domain, "service_id": "$free_service"})
        };
        let answers = at_once(eight(&estate, "provision_domain", domain).await).await;
        assert_one(
            &answers,
            "201",
            "403 DOMAIN_LIMIT_EXCEEDED",
            "the last slot, at once",
        );
        Snapshot::of(&estate).await;
        let winner = answers
            .iter()
            .find(|answer| answer.status == StatusCode::CREATED);
        let id = winner.expect("a winner").json["data"]["monitored_domain_id"].clone();
        answer_of(
            &estate,
            "terminate_domain",
            json!({"monitored_domain_id": id}),
        )
        .await;
    }
}

async fn a_name_goes_to_one_of_eight_domains() {
    let estate = Estate::new().await;
    let mut domains = Vec::new();
    for at in 0..CALLS {
        let members = json!({"client_id": "$customer", "domain": format!("n{at}.example.com"), "service_id": "$slots_service"});
        let made = answer_of(&estate, "provision_domain", members).await;
        domains.push(made.json["data"]["monitored_domain_id"].clone());
    }
    for round in 0..estate.account.rounds() {
        let name = |at: usize| json!({"monitored_domain_id": domains[at], "domain": format!("wanted{round}.example.com")});
        let calls = eight(&estate, "update_domain", name).await;
        assert_one(
            &at_once(calls).await,
            "200",
            "409 DOMAIN_ALREADY_EXISTS",
            "one name for eight domains, at once",
        );
        Snapshot::of(&estate).await;
    }
}

async fn an_address_is_one_server_whichever_group_adds_it() {
    for round in 0..rounds().await {
        let estate = Estate::new().await;
        let mut calls = Vec::new();
        for at in 0..CALLS {
            let (operation, owner) = match at % 2 {
                0 => ("provision_endpoint", "client_id"),
                _ => ("create_endpoint", "billing_customer_id"),
            };
            let mut members = Members::new();
            members.insert(owner.to_owned(), json!("$customer"));
            members.insert(
                "ip_address".to_owned(),
                json!(format!("203.0.113.{}", round + 1)),
            );
            calls.push(call(&estate, operation, Value::Object(members)).await);
        }
        assert_one(
            &at_once(calls).await,
            "201",
            "200 note",
            "one address by both groups, at once",
        );
        Snapshot::of(&estate).await;
    }
}

/// The slot is taken by the first, and the record found by the others (B9, C2).
async fn the_last_slot_goes_to_one_name_that_all_ask_for() {
    for _ in 0..rounds().await {
        let estate = Estate::new().await;
        let slot = json!({"client_id": "$customer", "service_id": "$free_service", "product_slug": "domain_monitoring"});
        answer_of(&estate, "provision_subscription", slot).await;
        let members = json!({"client_id": "$customer", "domain": "new.example.com", "service_id": "$free_service"});
        let calls = eight(&estate, "provision_domain", |_| members.clone()).await;
        assert_one(
            &at_once(calls).await,
            "201",
            "200 note",
            "the last slot for one name, at once",
        );
        Snapshot::of(&estate).await;
    }
}

async fn eight_servers_are_eight() {
    for (operation, owner, id) in [
        ("provision_endpoint", "client_id", "endpoint_id"),
        ("create_endpoint", "billing_customer_id", "id"),
    ] {
        for _ in 0..rounds().await {
            let estate = Estate::new().await;
            let server =
                |at| json!({owner: "$customer", "ip_address": format!("203.0.113.{}", at + 1)});
            let answers = at_once(eight(&estate, operation, server).await).await;
            assert_one(&answers, "201", "201", "eight addresses at once");
            let snapshot = Snapshot::of(&estate).await;
            let customer = estate.value("customer").await;
            let servers = snapshot.at(&format!(
                "all of /api/v1/endpoints?billing_customer_id={customer}"
            ));
            for answer in &answers {
                let made = &answer.json["data"][id];
                let mut listed = servers.as_array().into_iter().flatten();
                assert!(
                    listed.any(|one| one["id"] == *made),
                    "{made}, one of eight made at once, is not in the list"
                );
            }
        }
    }
}

/// A release that is not idempotent takes one slot, whoever asks at the same time (C7).
async fn a_slot_is_given_up_once() {
    for _ in 0..rounds().await {
        let estate = Estate::new().await;
        let release = json!({"client_id": "$customer", "service_id": "$slots_service", "monitored_domain_id": "$domain"});
        let calls = eight(&estate, "release_domain", |_| release.clone()).await;
        assert_one(
            &at_once(calls).await,
            "200",
            "404 DOMAIN_NOT_FOUND",
            "a release, at once",
        );
        let left = answer_of(
            &estate,
            "list_domains",
            json!({"billing_customer_id": "$customer"}),
        )
        .await;
        assert_eq!(
            left.json["data"]["slots_total"],
            SLOTS - 1,
            "one release takes one slot"
        );
    }
}

async fn of_overlapping_rules_one_is_made() {
    let estate = Estate::new().await;
    for round in 0..estate.account.rounds() {
        let rule = |at| {
            let start = 1000 * (round + 1);
            json!({
                "port_start": start + at, "port_end": start + CALLS, "protocol": "tcp", "scope": "endpoint",
                "justification": "One of eight.", "endpoint_id": "$server",
            })
        };
        let answers = at_once(eight(&estate, "create_rule", rule).await).await;
        assert_one(&answers, "201", "422 fields", "rules that overlap, at once");
        Snapshot::of(&estate).await;
    }
}

async fn two_members_that_are_changed_both_change() {
    let estate = Estate::new().await;
    for round in 0..estate.account.rounds() {
        let (nickname, status) = (format!("round {round}"), ["paused", "active"][round % 2]);
        let change = |at| match at % 2 {
            0 => {
                json!({"endpoint": "$server", "billing_customer_id": "$customer", "nickname": nickname})
            }
            _ => {
                json!({"endpoint": "$server", "billing_customer_id": "$customer", "status": status})
            }
        };
        let answers = at_once(eight(&estate, "update_endpoint", change).await).await;
        assert_one(&answers, "200", "200", "two members changed at once");
        let server = answer_of(&estate, "get_endpoint", json!({"endpoint": "$server"})).await;
        let found = [
            &server.json["data"]["nickname"],
            &server.json["data"]["status"],
        ];
        assert_eq!(
            found,
            [nickname.as_str(), status],
            "nickname and status, both changed at once"
        );
    }
}

async fn every_token_is_another() {
    let estate = Estate::new().await;
    estate.value("server").await;
    for _ in 0..estate.account.rounds() {
        let calls = eight(
            &estate,
            "create_sso_token",
            |_| json!({"billing_customer_id": "$customer"}),
        )
        .await;
        let answers = at_once(calls).await;
        let tokens = answers
            .iter()
            .map(|answer| answer.json["data"]["token"].to_string());
        let tokens: BTreeSet<String> = tokens.collect();
        assert_eq!(
            tokens.len(),
            CALLS,
            "eight tokens asked for at once are eight"
        );
    }
}

async fn the_last_call_of_a_window_is_one() {
    let account = Account::with(json!({"rate_limit": true})).await;
    account.unpinned();
    let (strict, default) = rate_limits();
    let windows = [
        ("/api/v1/domains?billing_customer_id=1", strict),
        ("/api/v1/endpoints", default),
    ];
    for (path, limit) in windows {
        for _ in 0..account.rounds() {
            let read = || account.raw(Method::GET, path);
            for _ in 1..limit {
                read().send().await.expect("an answer");
            }
            let answers = at_once((0..CALLS).map(|_| read()).collect()).await;
            let served = answers
                .iter()
                .filter(|answer| answer.status == StatusCode::OK);
            assert_eq!(
                served.count(),
                1,
                "the last call of a window of {limit}, at once: {:?}",
                outcomes(&answers)
            );
            account.advance(60).await;
        }
    }
}

async fn a_token_signs_in_once() {
    let estate = Estate::new().await;
    estate.value("server").await;
    for _ in 0..estate.account.rounds() {
        let minted = call(
            &estate,
            "create_sso_token",
            json!({"billing_customer_id": "$customer"}),
        )
        .await;
        let minted = minted.send().await.expect("an answer").json;
        let token = minted["data"]["token"].as_str().expect("a token");
        let address = format!("{}/sso?token={token}", estate.account.url);
        let calls = (0..CALLS).map(|_| RawCall::new(Method::GET, &address));
        let answers = at_once(calls.collect()).await;
        let signed_in = answers
            .iter()
            .filter(|answer| answer.status == StatusCode::OK);
        assert_eq!(
            signed_in.count(),
            1,
            "a token signs in once, at once: {:?}",
            outcomes(&answers)
        );
    }
}
