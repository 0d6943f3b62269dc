//! One of a kind stays one: eight calls at once over eight connections, and one of them wins.

use std::sync::Arc;

use crate::account::rounds;
use crate::race::{CALLS, assert_one, at_once, outcomes};
use crate::table::Row;
use crate::{Account, Case, Need, Request, SampleAccount, Snapshot, Stage, rate_limits};
use http::{Method, StatusCode};
use serde_json::{Value, json};

use super::each_operation::{of_each, own_needs};

cases! {
    spec_ref: "A10, B6, B9, E7, E14";
    anywhere: ;
    steered:
        the_last_call_of_a_window_is_one(Accounts, Clock),
        a_token_signs_in_once(Accounts)
}

pub fn all() -> Vec<Case> {
    let real = of_each(
        SPEC_REF,
        concat!(module_path!(), "::one_wins"),
        |stage, row| Box::pin(one_wins(stage, row)),
        |row| match needs(row)? {
            None => Some(own_needs(row)),
            Some(_) => None,
        },
    );
    let steered = of_each(
        SPEC_REF,
        concat!(module_path!(), "::one_wins_where_scans_found_something"),
        |stage, row| Box::pin(one_wins(stage, row)),
        |row| (needs(row)? == Some(Need::World)).then_some(&[Need::World]),
    );
    [CASES.to_vec(), real, steered].concat()
}

/// What a write needs; reads win nothing.
fn needs(row: &Row) -> Option<Option<Need>> {
    let recipe = row.recipe.as_ref()?;
    (row.method != "GET").then(|| recipe.needs(&recipe.send))
}

/// The same call eight times: one is the first, and the others are told what a repeat is told.
async fn one_wins(stage: Arc<Stage>, row: &'static Row) {
    let recipe = row.recipe.as_ref().expect("an operation that is called");
    let alone = readied(&stage, row).await;
    let first = alone.1.send(&alone.0.account).await.outcome();
    for _ in 0..rounds(&stage) {
        let (sample, request) = readied(&stage, row).await;
        let calls = (0..CALLS).map(|_| request.call(&sample.account));
        let answers = at_once(calls.collect()).await;
        assert_one(&answers, &first, &recipe.again, &row.name);
        let named = answers
            .iter()
            .filter_map(|answer| identity(&answer.json["data"]));
        let named: Vec<&Value> = named.collect();
        assert!(
            named.windows(2).all(|pair| pair[0] == pair[1]),
            "{} at once: one record, not {named:?}",
            row.name
        );
        Snapshot::of(&sample).await;
    }
}

/// A request of an operation, and a sample account whose customer is known already.
async fn readied(stage: &Arc<Stage>, row: &Row) -> (SampleAccount, Request) {
    let recipe = row.recipe.as_ref().expect("an operation that is called");
    let sample = SampleAccount::new(stage).await;
    sample.value("plan_service").await;
    let request = sample.request(row, &recipe.send).await;
    (sample, request)
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

async fn the_last_call_of_a_window_is_one(stage: Arc<Stage>) {
    let account = Account::with(&stage, json!({"rate_limit": true})).await;
    account.unpinned();
    let (strict, default) = rate_limits();
    let windows = [
        ("/api/v1/domains?billing_customer_id=1", strict),
        ("/api/v1/endpoints", default),
    ];
    for (path, limit) in windows {
        for _ in 0..rounds(&stage) {
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

async fn a_token_signs_in_once(stage: Arc<Stage>) {
    let sample = SampleAccount::new(&stage).await;
    sample.value("server").await;
    for _ in 0..rounds(&stage) {
        let customer = json!({"billing_customer_id": sample.value("customer").await});
        let minted = sample.post("sso/token", &customer).await;
        let token = minted["token"].as_str().expect("a token");
        let path = format!("/sso?token={token}");
        let calls = (0..CALLS).map(|_| sample.account.call(Method::GET, &path));
        let answers = at_once(calls.collect()).await;
        let signed_in = answers
            .iter()
            .filter(|answer| answer.status == StatusCode::OK);
        assert_eq!(
            signed_in.count(),
            1,
            "a sign-in token signs in once, at once: {:?}",
            outcomes(&answers)
        );
    }
}
