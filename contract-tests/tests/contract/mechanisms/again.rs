//! The same call twice: the second is answered as the table has it, and moves nothing.

use http::Method;
use secmon_contract_tests::table::Row;
use secmon_contract_tests::{Case, Estate, Need, Recipe, Request, Snapshot};

use super::{of_each, own_needs};

/// Longer than a second that is shown, shorter than any wait of the service.
const LATER: u64 = 7;

pub fn cases() -> Vec<Case> {
    let at_once = of_each(
        concat!(module_path!(), "::moves_nothing"),
        |row| Box::pin(moves_nothing(row)),
        |row| match needs(row.recipe.as_ref()?) {
            None => Some(own_needs(row)),
            Some(_) => None,
        },
    );
    let later = of_each(
        concat!(module_path!(), "::moves_nothing_later_either"),
        |row| Box::pin(moves_nothing_later_either(row)),
        |row| {
            row.recipe
                .as_ref()
                .map(|_| &[Need::Accounts, Need::Clock, Need::World, Need::Sandbox][..])
        },
    );
    [at_once, later].concat()
}

fn needs(recipe: &Recipe) -> Option<Need> {
    recipe.needs(&recipe.with(&recipe.optional))
}

async fn moves_nothing(row: &'static Row) {
    let estate = Estate::furnished().await;
    twice(row, &estate, 0).await;
}

/// A change would show in times.
async fn moves_nothing_later_either(row: &'static Row) {
    let estate = Estate::furnished().await;
    estate.account.end_scans_by_hand().await;
    twice(row, &estate, LATER).await;
}

async fn twice(row: &Row, estate: &Estate, seconds: u64) {
    let recipe = row.recipe.as_ref().expect("an operation that is called");
    let request = Request::new(row, &recipe.with(&recipe.optional), estate).await;
    let what = format!(
        "{} {} {}",
        row.name,
        request.target(),
        request.body.clone().unwrap_or_default()
    );
    let first = request.send(&estate.account).await;
    assert!(
        first.status.is_success(),
        "{what}: {} {}",
        first.outcome(),
        first.json
    );
    let before = Snapshot::of(estate).await;
    if seconds > 0 {
        estate.account.advance(seconds).await;
    }
    let second = request.send(&estate.account).await;
    assert_eq!(
        second.outcome(),
        recipe.again,
        "{what}, again: {}",
        second.json
    );
    let after = Snapshot::of(estate).await;
    // No document says whether a record that is put as it is counts as updated.
    let (before, after) = match row.http_method() {
        Method::PUT => (before.without("updated_at"), after.without("updated_at")),
        _ => (before, after),
    };
    before.assert_same(&after, &format!("{what}, again"));
}
