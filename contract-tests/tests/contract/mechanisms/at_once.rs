//! One of a kind stays one: eight calls at once over eight connections, and one of them wins.

use futures_util::future::join_all;
use http::{Method, StatusCode};
use secmon_contract_tests::table::{Row, TABLE};
use secmon_contract_tests::{
    Account, Case, Estate, Members, Need, RawAnswer, RawCall, Request, Snapshot, cases, plans,
    rate_limits,
};
use serde_json::{Value, json};

use super::{of_each, own_needs};

cases! {
    anywhere:
        the_last_place_goes_to_one_server,
        the_last_slot_goes_to_one_domain,
        a_name_goes_to_one_of_eight_domains,
        an_address_is_one_server_whichever_group_adds_it;
    steered:
        the_last_call_of_a_window_is_one(Accounts, Clock),
        a_token_signs_in_once(Accounts)
}

const CALLS: usize = 8;
const ROUNDS: usize = 20;

pub fn all() -> Vec<Case> {
    let real = of_each(
        concat!(module_path!(), "::one_wins"),
        |row| Box::pin(one_wins(row)),
        |row| match needs(row)? {
            None => Some(own_needs(row)),
            Some(_) => None,
        },
    );
    let steered = of_each(
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
    for _ in 0..ROUNDS {
        let estate = Estate::new().await;
        // A customer that is known already.
        estate.value("plan_service").await;
        let request = Request::new(row, &recipe.send, &estate).await;
        let calls = (0..CALLS).map(|_| request.call(&estate.account));
        let answers = at_once(calls.collect()).await;
        let found = outcomes(&answers);
        let repeats = found
            .iter()
            .filter(|outcome| **outcome == recipe.again)
            .count();
        let first = found.iter().find(|outcome| **outcome != recipe.again);
        let one = repeats == CALLS
            || (repeats == CALLS - 1 && first.is_some_and(|first| first.starts_with('2')));
        assert!(
            one,
            "{} at once: one wins, the others are told {}: {found:?}",
            row.name, recipe.again
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
        call(&estate, "provision_endpoint", server)
            .await
            .send()
            .await
            .expect("an answer");
    }
    for round in 0..ROUNDS {
        let mut calls = Vec::new();
        for last in 0..CALLS {
            let address = format!("203.0.{}.{}", round + 1, last + 1);
            calls.push(
                call(
                    &estate,
                    "provision_endpoint",
                    json!({"client_id": "$customer", "ip_address": address}),
                )
                .await,
            );
        }
        let answers = at_once(calls).await;
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
        let ended = call(&estate, "terminate_endpoint", json!({"endpoint_id": id})).await;
        ended.send().await.expect("an answer");
    }
}

async fn the_last_slot_goes_to_one_domain() {
    let estate = Estate::new().await;
    let slots = json!({"client_id": "$customer", "service_id": "$free_service", "product_slug": "domain_monitoring"});
    call(&estate, "provision_subscription", slots)
        .await
        .send()
        .await
        .expect("an answer");
    for round in 0..ROUNDS {
        let mut calls = Vec::new();
        for at in 0..CALLS {
            let domain = format!("r{round}n{at}.example.com");
            let members =
                json!({"client_id": "$customer", "domain": domain, "service_id": "$free_service"});
            calls.push(call(&estate, "provision_domain", members).await);
        }
        let answers = at_once(calls).await;
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
        let ended = call(
            &estate,
            "terminate_domain",
            json!({"monitored_domain_id": id}),
        )
        .await;
        ended.send().await.expect("an answer");
    }
}

async fn a_name_goes_to_one_of_eight_domains() {
    let estate = Estate::new().await;
    let mut domains = Vec::new();
    for at in 0..CALLS {
        let members = json!({"client_id": "$customer", "domain": format!("n{at}.example.com"), "service_id": "$slots_service"});
        let made = call(&estate, "provision_domain", members)
            .await
            .send()
            .await
            .expect("an answer");
        domains.push(made.json["data"]["monitored_domain_id"].clone());
    }
    for round in 0..ROUNDS {
        let mut calls = Vec::new();
        for id in &domains {
            let members =
                json!({"monitored_domain_id": id, "domain": format!("wanted{round}.example.com")});
            calls.push(call(&estate, "update_domain", members).await);
        }
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
    for round in 0..ROUNDS {
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

async fn the_last_call_of_a_window_is_one() {
    let account = Account::with(json!({"rate_limit": true})).await;
    account.unpinned();
    let (strict, default) = rate_limits();
    let windows = [
        ("/api/v1/domains?billing_customer_id=1", strict),
        ("/api/v1/endpoints", default),
    ];
    for (path, limit) in windows {
        for _ in 0..ROUNDS {
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
    for _ in 0..ROUNDS {
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
