//! The same call twice: the second is answered as the table has it, and moves nothing.

use std::sync::Arc;

use crate::table::Row;
use crate::{Case, Need, RawAnswer, SampleAccount, Snapshot, Stage};
use http::Method;
use serde_json::{Value, json};

use super::each_operation::{needs_of, of_each, own_needs};

/// Longer than a second that is shown, shorter than any wait of the service.
const LATER: u64 = 7;

pub fn cases() -> Vec<Case> {
    let at_once = of_each(
        SPEC_REF,
        concat!(module_path!(), "::moves_nothing"),
        |stage, row| Box::pin(moves_nothing(stage, row)),
        |row| needs_of(row).is_none().then(|| own_needs(row)),
    );
    let later = of_each(
        SPEC_REF,
        concat!(module_path!(), "::moves_nothing_later_either"),
        |stage, row| Box::pin(moves_nothing_later_either(stage, row)),
        |row| {
            row.recipe
                .as_ref()
                .map(|_| &[Need::Accounts, Need::Clock, Need::World, Need::Sandbox][..])
        },
    );
    let access = of_each(
        SPEC_REF,
        concat!(module_path!(), "::gives_access_back"),
        |stage, row| Box::pin(gives_access_back(stage, row)),
        |row| {
            let recipe = row.recipe.as_ref()?;
            recipe
                .optional
                .contains_key("client_name")
                .then_some(&[Need::Switches])
        },
    );
    [at_once, later, access].concat()
}

/// What says so.
const SPEC_REF: &str = "Endpoints, B9, B11, C2, D2, D3";

/// What a creation gives it gives again, also when the record is there already (C11).
async fn gives_access_back(stage: Arc<Stage>, row: &'static Row) {
    let sample = SampleAccount::new(&stage).await;
    let recipe = row.recipe.as_ref().expect("an operation that is called");
    let request = sample.request(row, &recipe.full()).await;
    request.send(&sample.account).await;
    let customer = sample.value("customer").await;
    let id = customer
        .as_u64()
        .and_then(|id| id.try_into().ok())
        .expect("a customer number");
    sample.account.remove_portal_account(id).await;
    let sign_in = post(
        &sample,
        "sso/token",
        json!({"billing_customer_id": customer}),
    )
    .await;
    assert_eq!(sign_in.outcome(), "500 USER_NOT_FOUND");
    let again = request.send(&sample.account).await;
    assert_eq!(again.outcome(), recipe.again, "{}", again.json);
    let sign_in = post(
        &sample,
        "sso/token",
        json!({"billing_customer_id": customer}),
    )
    .await;
    assert_eq!(sign_in.outcome(), "200", "{}, again", row.name);
}

async fn post(sample: &SampleAccount, path: &str, body: Value) -> RawAnswer {
    let call = sample.account.raw(Method::POST, &format!("/api/v1/{path}"));
    call.json(&body).send().await.expect("an answer")
}

async fn moves_nothing(stage: Arc<Stage>, row: &'static Row) {
    let sample = SampleAccount::furnished(&stage).await;
    twice(row, &sample, 0).await;
}

/// A change would show in times.
async fn moves_nothing_later_either(stage: Arc<Stage>, row: &'static Row) {
    let sample = SampleAccount::furnished(&stage).await;
    sample.account.end_scans_by_hand().await;
    for found in ["alert", "domain_alert"] {
        sample.value(found).await;
    }
    noted(row, &sample).await;
    twice(row, &sample, LATER).await;
}

/// What finds everything as it asks for would show in times as well.
async fn noted(row: &Row, sample: &SampleAccount) {
    let recipe = row.recipe.as_ref().expect("an operation that is called");
    let found = recipe
        .still
        .iter()
        .filter(|(outcome, _)| outcome.starts_with("200"));
    let mut requests = Vec::new();
    for members in found.flat_map(|(_, requests)| requests) {
        requests.push(sample.request(row, &recipe.with(members)).await);
    }
    if requests.is_empty() {
        return;
    }
    let before = Snapshot::of(sample).await;
    sample.account.advance(LATER).await;
    for request in &requests {
        request.send(&sample.account).await;
    }
    before.assert_same(
        &Snapshot::of(sample).await,
        &format!("{}, which was so already,", row.name),
    );
}

async fn twice(row: &Row, sample: &SampleAccount, seconds: u64) {
    let recipe = row.recipe.as_ref().expect("an operation that is called");
    let request = sample.request(row, &recipe.full()).await;
    let what = format!(
        "{} {} {}",
        row.name,
        request.target(),
        request.body.clone().unwrap_or_default()
    );
    let first = request.send(&sample.account).await;
    assert!(
        first.status.is_success(),
        "{what}: {} {}",
        first.outcome(),
        first.json
    );
    let before = Snapshot::of(sample).await;
    if seconds > 0 {
        sample.account.advance(seconds).await;
    }
    let second = request.send(&sample.account).await;
    assert_eq!(
        second.outcome(),
        recipe.again,
        "{what}, again: {}",
        second.json
    );
    let after = Snapshot::of(sample).await;
    // No document says whether a record that is put as it is counts as updated.
    let (before, after) = match row.http_method() {
        Method::PUT => (before.without("updated_at"), after.without("updated_at")),
        _ => (before, after),
    };
    before.assert_same(&after, &format!("{what}, again"));
}
