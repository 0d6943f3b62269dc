//! A mechanism put to each operation, and what it needs there.

use std::sync::Arc;

use serde_json::json;

use crate::table::{NAMESPACES, Row, TABLE};
use crate::{Body, Case, Members, Namespace, Need, Playing, Stage, names_in};

/// A mechanism that a law asks for, put to each of some operations with what it needs there.
pub(super) fn of_each(
    spec_ref: &'static str,
    path: &'static str,
    play: fn(Arc<Stage>, &'static Row) -> Playing,
    needs: fn(&'static Row) -> Option<&'static [Need]>,
) -> Vec<Case> {
    let rows = TABLE
        .operations()
        .filter(|row| row.namespace == NAMESPACES[0]);
    let cases = rows.filter_map(|row| {
        Some(Case {
            path,
            spec_ref,
            needs: needs(row)?,
            namespace: Namespace::Billing,
            body: Body::Of(play, row),
        })
    });
    cases.collect()
}

/// What a service must be able to do for any call of an operation.
pub(super) fn own_needs(row: &Row) -> &'static [Need] {
    match row.group.as_str() {
        "sandbox" => &[Need::Sandbox],
        _ => &[],
    }
}

/// What a mechanism needs that looks at everything.
pub(super) const STEERED: &[Need] = &[Need::Accounts, Need::World, Need::Sandbox];

/// What a service must be able to do for an operation's whole request.
pub(super) fn needs_of(row: &Row) -> Option<Need> {
    let recipe = row.recipe.as_ref()?;
    recipe.needs(&recipe.full())
}

/// With something unknown in the place of what a scan finds: nobody looks for it in a call that is refused before.
pub(super) fn unsteered(members: &mut Members) {
    for value in members.values_mut() {
        let names = names_in(value);
        if names.iter().any(|name| Need::of_thing(name).is_some()) {
            *value = json!("$unknown");
        }
    }
}
