//! A call that is refused, or finds everything as it asks for, leaves everything as it is.

use secmon_contract_tests::table::{Row, TABLE};
use secmon_contract_tests::{Case, Estate, Members, NOTHING, Need, Request, Snapshot, placeholder};
use serde_json::{Map, Value, json};

use super::{of_each, own_needs};

pub fn cases() -> Vec<Case> {
    let real = of_each(
        concat!(module_path!(), "::leaves_all_as_it_is"),
        |row| Box::pin(leaves_all_as_it_is(row, None)),
        |row| (!plays(row, None).is_empty()).then(|| own_needs(row)),
    );
    let steered = of_each(
        concat!(module_path!(), "::leaves_all_as_it_is_with_findings"),
        |row| Box::pin(leaves_all_as_it_is(row, Some(Need::World))),
        |row| (!plays(row, Some(Need::World)).is_empty()).then_some(&[Need::World]),
    );
    let own = of_each(
        concat!(
            module_path!(),
            "::leaves_all_as_it_is_in_an_account_of_its_own"
        ),
        |row| Box::pin(leaves_all_as_it_is(row, Some(Need::Accounts))),
        |row| (!plays(row, Some(Need::Accounts)).is_empty()).then_some(&[Need::Accounts]),
    );
    [real, steered, own].concat()
}

/// Requests that end in the same way for the same reason.
struct Play {
    outcome: String,
    /// The field that is refused, where the outcome names one.
    field: Option<String>,
    requests: Vec<Members>,
}

async fn leaves_all_as_it_is(row: &'static Row, need: Option<Need>) {
    let estate = Estate::furnished().await;
    let mut plays: Vec<_> = plays(row, need);
    let mut filled = Vec::new();
    // What a request names comes into being before the first look.
    for play in &mut plays {
        for members in std::mem::take(&mut play.requests) {
            filled.push((&*play, Request::new(row, &members, &estate).await));
        }
    }
    let all = Snapshot::of(&estate).await;
    let before = Snapshot::in_short(&estate).await;
    let mut calls = filled.iter().peekable();
    while let Some((play, request)) = calls.next() {
        let answer = request.send(&estate.account).await;
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
            before.assert_same(&Snapshot::in_short(&estate).await, &what);
        }
    }
    all.assert_same(&Snapshot::of(&estate).await, &row.name);
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
    let mut plays: Vec<Play> = written.chain(missing(row)).chain(bad(row)).collect();
    for play in &mut plays {
        play.requests
            .retain(|members| recipe.needs(members) == need);
    }
    plays.retain(|play| !play.requests.is_empty());
    plays
}

/// Without each of the required members.
fn missing(row: &Row) -> Vec<Play> {
    let Some(recipe) = &row.recipe else {
        return Vec::new();
    };
    let in_path = |name: &str| {
        row.path
            .split('/')
            .any(|part| placeholder(part) == Some(name))
    };
    let required = recipe.required().filter(|name| !in_path(name));
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
    let in_path = |name: &str| {
        row.path
            .split('/')
            .any(|part| placeholder(part) == Some(name))
    };
    let bad = match row.takes_body() {
        true => &TABLE.bad.body,
        false => &TABLE.bad.query,
    };
    let names = recipe.send.keys().chain(recipe.optional.keys());
    let plays = names.filter(|name| !in_path(name)).filter_map(|name| {
        let values = bad.get(name)?.as_array()?;
        let requests = values
            .iter()
            .map(|value| recipe.with(&Map::from_iter([(name.clone(), value.clone())])));
        Some(refused(name, requests.collect()))
    });
    plays.collect()
}

fn refused(field: &str, requests: Vec<Members>) -> Play {
    Play {
        outcome: "422 fields".to_owned(),
        field: Some(field.to_owned()),
        requests,
    }
}
