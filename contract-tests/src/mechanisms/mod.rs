//! Mechanisms: what holds of every operation, those of tomorrow too. Each is put to each operation of `contract.toml`, with
//! the requests that stand there.

mod again;
mod at_once;
mod dress;
mod instants;
mod journal;
mod lists;
mod refused;
mod still;
mod strangers;

use crate::table::{NAMESPACES, Row, TABLE};
use crate::{Body, Case, Members, Namespace, Need, Playing, SCENES, WALKS, names_in};
use serde_json::json;

/// Every mechanism, put to every operation.
pub fn cases() -> Vec<Case> {
    [
        still::cases(),
        again::cases(),
        strangers::cases(),
        dress::cases(),
        refused::CASES.to_vec(),
        at_once::all(),
        lists::cases(),
        instants::cases(),
        journal::cases(),
        scenes(),
    ]
    .concat()
}

/// Calls in order, with what each is answered, in both namespaces where they are identical; and tables of states.
fn scenes() -> Vec<Case> {
    let scenes = SCENES.iter().map(|scene| Case {
        path: "contract::scenes",
        law: &scene.law,
        needs: &scene.needs,
        namespace: Namespace::Billing,
        body: Body::Scene(scene),
    });
    let scenes: Vec<Case> = scenes.collect();
    let twins = scenes
        .iter()
        .filter(|case| matches!(case.body, Body::Scene(scene) if scene.has_a_twin()));
    let twins = twins.map(|case| Case {
        namespace: Namespace::Provisioning,
        ..*case
    });
    let twins: Vec<Case> = twins.collect();
    let walks = WALKS.iter().map(|walk| Case {
        path: "contract::states",
        law: &walk.law,
        needs: &walk.needs,
        namespace: Namespace::Billing,
        body: Body::Walk(walk),
    });
    [scenes, twins, walks.collect()].concat()
}

/// A mechanism that a law asks for, put to each of some operations with what it needs there.
fn of_each(
    law: &'static str,
    path: &'static str,
    play: fn(&'static Row) -> Playing,
    needs: fn(&'static Row) -> Option<&'static [Need]>,
) -> Vec<Case> {
    let rows = TABLE
        .operations()
        .filter(|row| row.namespace == NAMESPACES[0]);
    let cases = rows.filter_map(|row| {
        Some(Case {
            path,
            law,
            needs: needs(row)?,
            namespace: Namespace::Billing,
            body: Body::Of(play, row),
        })
    });
    cases.collect()
}

/// What a service must be able to do for any call of an operation.
fn own_needs(row: &Row) -> &'static [Need] {
    match row.group.as_str() {
        "sandbox" => &[Need::Sandbox],
        _ => &[],
    }
}

/// What a mechanism needs that looks at everything.
const STEERED: &[Need] = &[Need::Accounts, Need::World, Need::Sandbox];

/// What a service must be able to do for an operation's whole request.
fn needs_of(row: &Row) -> Option<Need> {
    let recipe = row.recipe.as_ref()?;
    recipe.needs(&recipe.full())
}

/// With something unknown in the place of what a scan finds: nobody looks for it in a call that is refused before.
fn unsteered(members: &mut Members) {
    for value in members.values_mut() {
        let names = names_in(value);
        if names.iter().any(|name| Need::of_thing(name).is_some()) {
            *value = json!("$unknown");
        }
    }
}
