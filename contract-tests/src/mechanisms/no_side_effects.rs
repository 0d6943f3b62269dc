//! A call that is refused, or finds everything as it asks for, leaves everything as it is.

use std::sync::Arc;

use crate::service::Pace;
use crate::table::{Row, TABLE};
use crate::{
    Case, Members, NOTHING, Namespace, Need, RawAnswer, Recipe, Request, SampleAccount, Snapshot,
    Stage, placeholder,
};
use http::Method;
use serde_json::{Map, Value, json};
use std::time::Instant;

use super::each_operation::{of_each, own_needs, unsteered};

pub fn cases() -> Vec<Case> {
    let real = of_each(
        SPEC_REF,
        concat!(module_path!(), "::leaves_all_as_it_is"),
        |stage, row| Box::pin(leaves_all_as_it_is(stage, row, None)),
        |row| (!plays(row, None).is_empty()).then(|| own_needs(row)),
    );
    let steered = of_each(
        SPEC_REF,
        concat!(module_path!(), "::leaves_all_as_it_is_with_findings"),
        |stage, row| Box::pin(leaves_all_as_it_is(stage, row, Some(Need::World))),
        |row| (!plays(row, Some(Need::World)).is_empty()).then_some(&[Need::World, Need::Sandbox]),
    );
    let without_access = of_each(
        SPEC_REF,
        concat!(module_path!(), "::gives_no_access_back"),
        |stage, row| Box::pin(gives_no_access_back(stage, row)),
        |row| {
            row.has("500 USER_NOT_FOUND")
                .then_some(&[Need::World, Need::Switches])
        },
    );
    // What both namespaces have is refused in both.
    let twins = real.iter().filter(|case| case.is_in_both_namespaces());
    let twins = twins.map(|case| Case {
        namespace: Namespace::Provisioning,
        ..*case
    });
    let twins: Vec<Case> = twins.collect();
    [&[real, twins, steered, without_access].concat(), CASES].concat()
}

cases! {
    spec_ref: "States and transitions, A5";
    anywhere: ;
    steered:
        a_refused_scan_moves_no_cooldown(Clock),
        a_refused_sign_in_leaves_earlier_tokens_as_they_are(Clock)
}

/// Only a creation gives a customer its portal access back (C11).
async fn gives_no_access_back(stage: Arc<Stage>, row: &'static Row) {
    let sample = SampleAccount::new(&stage).await;
    let recipe = row.recipe.as_ref().expect("an operation that is called");
    let request = sample.request(row, &recipe.full()).await;
    let in_no_state = in_no_state(row, &sample).await;
    let customer = sample.customers()[0];
    let customer = customer.try_into().expect("a customer number");
    sample.account.remove_portal_account(customer).await;
    let before = Snapshot::of(&sample).await;
    let answer = request.send(&sample.account).await;
    assert_eq!(
        answer.outcome(),
        "500 USER_NOT_FOUND",
        "{}: {}",
        row.name,
        answer.json
    );
    before.assert_same(
        &Snapshot::of(&sample).await,
        &format!("{} without access", row.name),
    );
    for request in in_no_state {
        let answer = request.send(&sample.account).await;
        let what = format!("{} without access, in a state that refuses it", row.name);
        assert_eq!(
            answer.outcome(),
            "500 USER_NOT_FOUND",
            "{what}: {}",
            answer.json
        );
    }
}

/// Requests that the state of what they name refuses, which is judged last (C8).
async fn in_no_state(row: &Row, sample: &SampleAccount) -> Vec<Request> {
    let recipe = row.recipe.as_ref().expect("an operation that is called");
    let refusals = recipe.still.iter();
    let by_state = refusals.filter(|(outcome, _)| outcome.starts_with("422 ALERT_"));
    let mut requests = Vec::new();
    for members in by_state.flat_map(|(_, requests)| requests) {
        requests.push(sample.request(row, &recipe.with(members)).await);
    }
    requests
}

/// Seconds that a manual scan keeps the next one waiting.
fn left(answer: &RawAnswer) -> u64 {
    let left = &answer.json["error"]["details"]["retry_after_seconds"];
    left.as_u64()
        .unwrap_or_else(|| panic!("{} {}", answer.outcome(), answer.json))
}

async fn a_refused_scan_moves_no_cooldown(stage: Arc<Stage>) {
    let sample = SampleAccount::new(&stage).await;
    let (account, row) = (
        &sample.account,
        TABLE.row("scan_endpoint").expect("an operation"),
    );
    let ask = |server: &'static str| {
        let members = json!({"client_id": "$customer", "endpoint_id": server});
        let sample = &sample;
        async move {
            let members = members.as_object().cloned().unwrap_or_default();
            sample
                .request(row, &members)
                .await
                .send(&sample.account)
                .await
        }
    };
    let begun = Instant::now();
    let cooldown = ask("$server").await.json["data"]["cooldown_seconds"]
        .as_u64()
        .expect("a cooldown");
    for asked in 1..=3 {
        account.advance(cooldown / 4).await;
        let told = left(&ask("$server").await);
        let expected = cooldown - asked * (cooldown / 4);
        let gone_on = match account.pace() {
            Pace::Stands => 0,
            Pace::Runs | Pace::RunsUnsteered => begun.elapsed().as_secs() + 1,
        };
        let least = expected.saturating_sub(gone_on);
        assert!(
            (least..=expected).contains(&told),
            "asked {asked} times, {told} seconds are left of {cooldown}, and not {expected}"
        );
    }
    account.advance(cooldown - 3 * (cooldown / 4)).await;
    assert_eq!(
        ask("$server").await.outcome(),
        "202",
        "at the cooldown's end"
    );
    assert_eq!(
        ask("$paused_server").await.outcome(),
        "409 ENDPOINT_NOT_ACTIVE"
    );
    let resumed = json!({"endpoint_id": sample.value("paused_server").await});
    let resume = account
        .raw(Method::POST, "/api/v1/billing/resume")
        .json(&resumed);
    resume.send().await.expect("an answer");
    assert_eq!(
        ask("$paused_server").await.outcome(),
        "202",
        "after a scan that was refused while it was paused"
    );
}

async fn a_refused_sign_in_leaves_earlier_tokens_as_they_are(stage: Arc<Stage>) {
    let sample = SampleAccount::new(&stage).await;
    let row = TABLE.row("create_sso_token").expect("an operation");
    let recipe = row.recipe.as_ref().expect("an operation that is called");
    let minted = sample
        .request(row, &recipe.full())
        .await
        .send(&sample.account)
        .await;
    let token = minted.json["data"]["token"].as_str().expect("a token");
    for play in plays(row, None) {
        for members in &play.requests {
            sample
                .request(row, members)
                .await
                .send(&sample.account)
                .await;
        }
    }
    let page = sample
        .account
        .raw(Method::GET, &format!("/sso?token={token}"))
        .send()
        .await;
    assert_eq!(
        page.expect("an answer").status,
        200,
        "the token from before the refusals"
    );
}

/// Requests that end in the same way for the same reason.
struct Play {
    outcome: String,
    /// The field that is refused, where the outcome names one.
    field: Option<String>,
    requests: Vec<Members>,
}

async fn leaves_all_as_it_is(stage: Arc<Stage>, row: &'static Row, need: Option<Need>) {
    let sample = SampleAccount::furnished(&stage).await;
    let mut plays: Vec<_> = plays(row, need);
    if need == Some(Need::World) {
        // Refused calls could touch what was found, too.
        for found in ["alert", "domain_alert"] {
            sample.value(found).await;
        }
    }
    let mut filled = Vec::new();
    // What a request names comes into being before the first look.
    for play in &mut plays {
        for members in std::mem::take(&mut play.requests) {
            filled.push((&*play, sample.request(row, &members).await));
        }
    }
    let all = Snapshot::of(&sample).await;
    let before = Snapshot::in_short(&sample).await;
    let mut calls = filled.iter().peekable();
    while let Some((play, request)) = calls.next() {
        let answer = request.send(&sample.account).await;
        let what = format!(
            "{} {} {}",
            row.name,
            request.target(),
            request.body.clone().unwrap_or_default()
        );
        assert_eq!(answer.outcome(), play.outcome, "{what}: {}", answer.json);
        if let Some(field) = &play.field {
            let named = answer.json["errors"]
                .as_object()
                .into_iter()
                .flat_map(Map::keys);
            assert!(
                names(field, named),
                "{what} names {field} and nothing else: {}",
                answer.json
            );
        }
        let is_last = calls
            .peek()
            .is_none_or(|(next, _)| next.outcome != play.outcome);
        if is_last {
            let what = format!("{}, answered {}", row.name, play.outcome);
            before.assert_same(&Snapshot::in_short(&sample).await, &what);
        }
    }
    all.assert_same(&Snapshot::of(&sample).await, &row.name);
}

/// Whether a field is named, and nothing beside it but what stands inside it.
fn names<'a>(field: &str, named: impl Iterator<Item = &'a String>) -> bool {
    let mut named = named.peekable();
    let inside = |name: &String| {
        let rest = name.strip_prefix(field);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    named.peek().is_some() && named.all(inside)
}

/// The requests of the table, and what can be said against each member of its own.
fn plays(row: &Row, need: Option<Need>) -> Vec<Play> {
    let Some(recipe) = &row.recipe else {
        return Vec::new();
    };
    let written = recipe.still.iter().map(|(outcome, requests)| Play {
        outcome: outcome.clone(),
        field: None,
        requests: requests.iter().map(|over| recipe.with(over)).collect(),
    });
    let written: Vec<Play> = written.collect();
    let count = written.len();
    let mut plays: Vec<Play> = written
        .into_iter()
        .chain(missing(row))
        .chain(bad(row))
        .collect();
    for (at, play) in plays.iter_mut().enumerate() {
        // What the table has is asked once more in the midst of findings.
        let again = need == Some(Need::World) && at < count;
        play.requests.retain(|members| {
            let needs = Recipe::needs_when_refused(members);
            needs == need || (again && needs.is_none())
        });
    }
    plays.retain(|play| !play.requests.is_empty());
    plays
}

/// Whether a member stands in the path.
fn in_path(row: &Row, name: &str) -> bool {
    let mut parts = row.path.split('/');
    parts.any(|part| placeholder(part) == Some(name))
}

/// Without each of the required members.
fn missing(row: &Row) -> Vec<Play> {
    let Some(recipe) = &row.recipe else {
        return Vec::new();
    };
    let required = recipe.required().filter(|name| !in_path(row, name));
    let plays = required.map(|name| {
        let without = [json!(NOTHING), Value::Null];
        let without = without
            .into_iter()
            .filter(|value| row.takes_body() || !value.is_null());
        refused(
            name,
            without
                .map(|value| recipe.with(&Map::from_iter([(name.to_owned(), value)])))
                .collect(),
        )
    });
    plays.collect()
}

/// With each bad value of each member.
fn bad(row: &Row) -> Vec<Play> {
    let Some(recipe) = &row.recipe else {
        return Vec::new();
    };
    let bad = match row.takes_body() {
        true => &TABLE.bad.body,
        false => &TABLE.bad.query,
    };
    // All that is optional stands beside it, so that a part of it could be saved.
    let full = recipe.full();
    let names = full.keys().filter(|name| !in_path(row, name));
    let places = names.flat_map(|name| match full[name].as_array() {
        Some(items) => [vec![name.clone()], inside(name, &items[0])].concat(),
        None => vec![name.clone()],
    });
    let plays = places.filter_map(|place| {
        let values = bad.get(place.rsplit('.').next()?)?.as_array()?;
        let requests = values.iter().map(|value| {
            let mut request = Value::Object(full.clone());
            let pointer = format!("/{}", place.replace('.', "/"));
            request.pointer_mut(&pointer)?.clone_from(value);
            request.as_object().cloned()
        });
        Some(refused(&place, requests.flatten().collect()))
    });
    plays.collect()
}

/// The members of the first item of a list, as a refusal names them.
fn inside(list: &str, item: &Value) -> Vec<String> {
    let members = item.as_object().into_iter().flat_map(Map::keys);
    members.map(|name| format!("{list}.0.{name}")).collect()
}

fn refused(field: &str, mut requests: Vec<Members>) -> Play {
    requests.iter_mut().for_each(unsteered);
    Play {
        outcome: "422 fields".to_owned(),
        field: Some(field.to_owned()),
        requests,
    }
}
