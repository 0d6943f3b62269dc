//! Nobody sees or moves another's: what another account or customer has, or is gone, is answered like what nobody has.

use std::sync::Arc;

use crate::table::{Row, TABLE};
use crate::{Account, Case, Members, Recipe, SampleAccount, Snapshot, Stage, Wire, names_in};
use serde_json::{Value, json};

use super::each_operation::{STEERED, needs_of, of_each, own_needs};

/// An outcome that makes a thing no stranger.
const HOME: &str = "home";

/// What says so.
const SPEC_REF: &str = "A12, B10";

pub fn cases() -> Vec<Case> {
    let anywhere = of_each(
        SPEC_REF,
        concat!(module_path!(), "::are_answered_like_unknown_ones"),
        |stage, row| Box::pin(are_answered_like_unknown_ones(stage, row, false)),
        |row| (!plays(row, false).is_empty()).then(|| own_needs(row)),
    );
    let steered = of_each(
        SPEC_REF,
        concat!(
            module_path!(),
            "::of_another_account_are_answered_like_unknown_ones"
        ),
        |stage, row| Box::pin(are_answered_like_unknown_ones(stage, row, true)),
        |row| (!plays(row, true).is_empty()).then_some(STEERED),
    );
    let beside = of_each(
        SPEC_REF,
        concat!(module_path!(), "::never_meet"),
        |stage, row| Box::pin(never_meet(stage, row, false)),
        |row| needs_of(row).is_none().then(|| own_needs(row)),
    );
    let apart = of_each(
        SPEC_REF,
        concat!(module_path!(), "::never_meet_in_two_accounts"),
        |stage, row| Box::pin(never_meet(stage, row, true)),
        |_| Some(STEERED),
    );
    [anywhere, steered, beside, apart].concat()
}

/// A request with a stranger in the place of a thing, and the same with what nobody has.
struct Play {
    stranger: &'static str,
    named: Members,
    unknown: &'static str,
    with_unknown: Members,
}

/// What may stand where a thing is named, and what nobody has.
fn strangers_to(name: &str) -> (&'static [String], &'static str) {
    let (kind, unknown) = match name {
        "customer" => ("customer", "nobody"),
        "domain_alert" | "acknowledged_alert" => ("domain_alert", "unknown"),
        name if name.ends_with("alert") => ("port_alert", "unknown"),
        name if name.ends_with("_service") => ("service", "free_service"),
        name => (name.rsplit('_').next().unwrap_or(name), "unknown"),
    };
    let strangers = TABLE.strangers.get(kind);
    (strangers.map(Vec::as_slice).unwrap_or_default(), unknown)
}

/// Every request with a stranger: those for any service, or the others.
fn plays(row: &Row, steered: bool) -> Vec<Play> {
    let Some(recipe) = &row.recipe else {
        return Vec::new();
    };
    let mut plays = Vec::new();
    for base in bases(recipe) {
        for (at, name) in places(&base, recipe) {
            let (strangers, unknown) = strangers_to(&name);
            let strangers = strangers
                .iter()
                .filter(|stranger| is_strange(stranger, &name, &base, recipe));
            plays.extend(strangers.map(|stranger| Play {
                stranger,
                named: with(&base, &at, stranger),
                unknown,
                with_unknown: with(&base, &at, unknown),
            }));
        }
    }
    plays.retain(|play| {
        let anywhere =
            recipe.needs(&play.named).is_none() && recipe.needs(&play.with_unknown).is_none();
        anywhere != steered
    });
    plays
}

/// The whole request, once for each of the services that it reports.
fn bases(recipe: &Recipe) -> Vec<Members> {
    let full = recipe.full();
    match full.get("services").and_then(Value::as_array) {
        Some(services) => services
            .iter()
            .map(|service| {
                let mut base = full.clone();
                base.insert("services".to_owned(), json!([service]));
                base
            })
            .collect(),
        None => vec![full],
    }
}

/// Where a request names things of the sample account, and which.
fn places(base: &Members, recipe: &Recipe) -> Vec<(String, String)> {
    let inside = base
        .get("services")
        .and_then(|services| services[0].as_object());
    let inside = inside.into_iter().flatten();
    let inside = inside.map(|(name, value)| (format!("/services/0/{name}"), value));
    let own = base.iter().filter(|(name, _)| !recipe.free.contains(name));
    let own = own.map(|(name, value)| (format!("/{name}"), value));
    let all = inside.chain(own).filter(|(_, value)| value.is_string());
    all.filter_map(|(at, value)| Some((at, names_in(value).pop()?)))
        .collect()
}

/// A customer is a stranger to somebody's thing, and not to nothing; a customer's thing is none where nobody is named.
fn is_strange(stranger: &str, name: &str, base: &Members, recipe: &Recipe) -> bool {
    let all = names_in(&Value::Object(base.clone()));
    let names_a_thing = all
        .iter()
        .any(|other| strangers_to(other).1 != "nobody" && !strangers_to(other).0.is_empty());
    let of_a_customer = stranger.starts_with("others_") || name == "customer";
    let known = !of_a_customer || (names_a_thing && all.iter().any(|other| other == "customer"));
    // A domain of the same customer is strange to another one's alerts alone.
    let is_parent = all.iter().any(|other| other.ends_with("alert"));
    known
        && stranger != name
        && (stranger != "sibling_domain" || is_parent)
        && recipe
            .strange
            .get(stranger)
            .is_none_or(|outcome| outcome != HOME)
}

fn with(base: &Members, at: &str, name: &str) -> Members {
    let mut base = Value::Object(base.clone());
    if let Some(place) = base.pointer_mut(at) {
        *place = json!(format!("${name}"));
    }
    base.as_object().cloned().unwrap_or_default()
}

async fn are_answered_like_unknown_ones(stage: Arc<Stage>, row: &'static Row, steered: bool) {
    let sample = SampleAccount::furnished(&stage).await;
    let recipe = row.recipe.as_ref().expect("an operation that is called");
    let mut all = Vec::new();
    for play in plays(row, steered) {
        let named = sample.request(row, &play.named).await;
        let unknown = sample.request(row, &play.with_unknown).await;
        all.push((play, named, unknown));
    }
    let before = Snapshot::in_short(&sample).await;
    let watched = match sample.foreign() {
        Some(foreign) => Some((foreign, Snapshot::in_short(foreign).await)),
        None => None,
    };
    for (play, named, unknown) in all {
        let what = format!("{} with ${} ({named})", row.name, play.stranger);
        let answer = named.send(&sample.account).await;
        if let Some(outcome) = recipe.strange.get(play.stranger) {
            assert_eq!(answer.outcome(), *outcome, "{what}: {}", answer.json);
            continue;
        }
        let other = unknown.send(&sample.account).await;
        // Where something must be there, nobody's is refused; a filter finds nothing.
        let refuses = recipe.still.keys().any(|outcome| outcome.starts_with("40"));
        assert!(
            !refuses || other.status.is_client_error(),
            "{} with ${}: {}",
            row.name,
            play.unknown,
            other.json
        );
        let (it, nobodys) = (
            sample.value(play.stranger).await,
            sample.value(play.unknown).await,
        );
        let answer = Snapshot::answer(&row.path, &answer, &sample, Some(&it));
        let other = Snapshot::answer(&row.path, &other, &sample, Some(&nobodys));
        let differs = other.changes(&answer);
        assert!(
            differs.is_empty(),
            "{what} is not answered like ${}: {differs}",
            play.unknown
        );
    }
    before.assert_same(
        &Snapshot::in_short(&sample).await,
        &format!("{} with strangers", row.name),
    );
    if let Some((foreign, before)) = watched {
        let what = format!("{} of another account", row.name);
        before.assert_same(&Snapshot::in_short(foreign).await, &what);
    }
}

/// Two who use the same numbers, addresses and names: the second is answered as if it were alone, and the first keeps all.
async fn never_meet(stage: Arc<Stage>, row: &'static Row, in_two_accounts: bool) {
    let alone = SampleAccount::new(&stage).await;
    let expected = answered(row, &alone).await;
    let first = SampleAccount::new(&stage).await;
    answered(row, &first).await;
    let second = match in_two_accounts {
        true => {
            first
                .like(
                    Account::with(&stage, json!({"rate_limit": false})).await,
                    |_| true,
                )
                .await
        }
        false => {
            first
                .like(first.account.clone(), |name| name.ends_with("_service"))
                .await
        }
    };
    let before = Snapshot::of(&first).await.of_customers();
    let answer = answered(row, &second).await;
    let differs = expected.changes(&answer);
    assert!(
        differs.is_empty(),
        "{} beside somebody with the same names: {differs}",
        row.name
    );
    let after = Snapshot::of(&first).await.of_customers();
    before.assert_same(&after, &format!("somebody else's {}", row.name));
}

async fn answered(row: &Row, sample: &SampleAccount) -> Snapshot {
    let recipe = row.recipe.as_ref().expect("an operation that is called");
    let request = sample.request(row, &recipe.full()).await;
    let answer = Wire::of(&request, &sample.account)
        .send(&sample.account)
        .await;
    assert!(
        answer.status.is_success(),
        "{} {request}: {}",
        row.name,
        answer.json
    );
    Snapshot::answer(&row.path, &answer, sample, None)
}
