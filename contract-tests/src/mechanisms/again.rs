//! The same call twice: the second is answered as the table has it, and moves nothing.

use crate::table::Row;
use crate::{Case, Estate, Need, RawAnswer, Request, Snapshot, next_service};
use http::Method;
use serde_json::{Value, json};

use super::{needs_of, of_each, own_needs};

/// Longer than a second that is shown, shorter than any wait of the service.
const LATER: u64 = 7;

pub fn cases() -> Vec<Case> {
    let at_once = of_each(
        LAW,
        concat!(module_path!(), "::moves_nothing"),
        |row| Box::pin(moves_nothing(row)),
        |row| needs_of(row).is_none().then(|| own_needs(row)),
    );
    let later = of_each(
        LAW,
        concat!(module_path!(), "::moves_nothing_later_either"),
        |row| Box::pin(moves_nothing_later_either(row)),
        |row| {
            row.recipe
                .as_ref()
                .map(|_| &[Need::Accounts, Need::Clock, Need::World, Need::Sandbox][..])
        },
    );
    let access = of_each(
        LAW,
        concat!(module_path!(), "::gives_access_back"),
        |row| Box::pin(gives_access_back(row)),
        |row| {
            let recipe = row.recipe.as_ref()?;
            recipe
                .optional
                .contains_key("client_name")
                .then_some(&[Need::Switches])
        },
    );
    [&[at_once, later, access].concat(), CASES].concat()
}

cases! {
    law: "Endpoints, B9, B11, C2, D2, D3";
    anywhere:
        what_is_noted_brings_nothing_back,
        a_service_that_is_named_again_moves,
        what_comes_back_is_as_it_was;
    steered:
}

/// What a creation gives it gives again, also when the record is there already (C11).
async fn gives_access_back(row: &'static Row) {
    let estate = Estate::new().await;
    let recipe = row.recipe.as_ref().expect("an operation that is called");
    let request = Request::new(row, &recipe.full(), &estate).await;
    request.send(&estate.account).await;
    let customer = estate.value("customer").await;
    let id = customer
        .as_u64()
        .and_then(|id| id.try_into().ok())
        .expect("a customer number");
    estate.account.remove_portal_account(id).await;
    let sign_in = post(
        &estate,
        "sso/token",
        json!({"billing_customer_id": customer}),
    )
    .await;
    assert_eq!(sign_in.outcome(), "500 USER_NOT_FOUND");
    let again = request.send(&estate.account).await;
    assert_eq!(again.outcome(), recipe.again, "{}", again.json);
    let sign_in = post(
        &estate,
        "sso/token",
        json!({"billing_customer_id": customer}),
    )
    .await;
    assert_eq!(sign_in.outcome(), "200", "{}, again", row.name);
}

async fn post(estate: &Estate, path: &str, body: Value) -> RawAnswer {
    let call = estate.account.raw(Method::POST, &format!("/api/v1/{path}"));
    call.json(&body).send().await.expect("an answer")
}

/// Room that a termination left is given to nobody by a call that finds everything as it asks for (B7).
async fn what_is_noted_brings_nothing_back() {
    let estate = Estate::new().await;
    let (customer, services) = (
        estate.value("customer").await,
        [next_service(), next_service()],
    );
    let of = |service| json!({"client_id": customer, "service_id": service, "product_slug": "domain_monitoring"});
    let mut ids = Vec::new();
    for (service, domain) in services
        .into_iter()
        .zip(["one.example.com", "two.example.com"])
    {
        post(&estate, "billing/provision-subscription", of(service)).await;
        let body = json!({"client_id": customer, "service_id": service, "domain": domain});
        let made = post(&estate, "billing/provision-domain", body).await;
        ids.push(made.json["data"]["monitored_domain_id"].clone());
    }
    post(&estate, "billing/suspend-subscription", of(services[1])).await;
    post(
        &estate,
        "billing/terminate-domain",
        json!({"monitored_domain_id": ids[0]}),
    )
    .await;
    let (mut same, mut entry) = (of(services[0]), of(services[1]));
    same["new_quantity"] = json!(1);
    entry["status"] = json!("suspended");
    let found =
        json!({"client_id": customer, "service_id": services[1], "domain": "two.example.com"});
    let calls = [
        ("suspend-subscription", of(services[1])),
        ("resume-subscription", of(services[0])),
        ("change-subscription", same),
        ("sync-services", json!({"services": [entry]})),
        ("provision-domain", found),
        ("suspend-domain", json!({"monitored_domain_id": ids[1]})),
        ("terminate-domain", json!({"monitored_domain_id": ids[0]})),
        (
            "update-domain",
            json!({"monitored_domain_id": ids[1], "domain": "two.example.com"}),
        ),
    ];
    for (verb, body) in calls {
        let answer = post(&estate, &format!("billing/{verb}"), body).await;
        assert!(answer.status.is_success(), "{verb}: {}", answer.json);
        let list = format!("/api/v1/domains?billing_customer_id={customer}");
        let list = estate
            .account
            .raw(Method::GET, &list)
            .send()
            .await
            .expect("an answer");
        let domain = &list.json["data"]["domains"][0];
        assert_eq!(
            domain["quota_paused"],
            true,
            "after {verb}, answered {}",
            answer.outcome()
        );
    }
}

/// A mapping that is made again moves, also to a server that is there already (B11).
async fn a_service_that_is_named_again_moves() {
    let estate = Estate::new().await;
    let (customer, service) = (
        estate.value("customer").await,
        estate.value("mapped_service").await,
    );
    let (server, mapped) = (
        estate.value("server").await,
        estate.value("mapped_server").await,
    );
    let body = json!({"client_id": customer, "ip_address": "192.0.2.1", "service_id": service});
    let moved = post(&estate, "billing/provision", body).await;
    assert_eq!(moved.outcome(), "200 note");
    let entry = json!({"client_id": customer, "service_id": service, "product_slug": "endpoint", "status": "suspended"});
    post(
        &estate,
        "billing/sync-services",
        json!({"services": [entry]}),
    )
    .await;
    for (id, status) in [(server, "paused"), (mapped, "active")] {
        let path = format!("/api/v1/endpoints/{}", id.as_str().unwrap_or_default());
        let read = estate
            .account
            .raw(Method::GET, &path)
            .send()
            .await
            .expect("an answer");
        assert_eq!(
            read.json["data"]["status"], status,
            "{path} after the service moved"
        );
    }
}

/// A server that comes back has what it had, whatever the call says that restores it (B9).
async fn what_comes_back_is_as_it_was() {
    let estate = Estate::new().await;
    let customer = estate.value("customer").await;
    let id = estate.value("server").await;
    let path = format!("/api/v1/endpoints/{}", id.as_str().unwrap_or_default());
    let read = || async {
        estate
            .account
            .raw(Method::GET, &path)
            .send()
            .await
            .expect("an answer")
            .json["data"]
            .take()
    };
    let before = read().await;
    let kept = [
        "id",
        "status",
        "nickname",
        "hostname",
        "ip_address",
        "created_at",
    ];
    for (method, gone) in [
        (Method::DELETE, path.as_str()),
        (Method::POST, "/api/v1/billing/terminate"),
    ] {
        let call = estate
            .account
            .raw(method.clone(), gone)
            .json(&json!({"endpoint_id": id}));
        assert!(
            call.send().await.expect("an answer").status.is_success(),
            "{method} {gone}"
        );
        let body = json!({
            "billing_customer_id": customer, "client_id": customer, "ip_address": "192.0.2.1", "status": "paused",
            "nickname": "other", "hostname": "other.example.com",
        });
        let back = if method == Method::DELETE {
            "endpoints"
        } else {
            "billing/provision"
        };
        assert_eq!(post(&estate, back, body).await.outcome(), "200 note");
        let after = read().await;
        for member in kept {
            assert_eq!(
                after[member], before[member],
                "{member} after {method} and {back}"
            );
        }
    }
}

async fn moves_nothing(row: &'static Row) {
    let estate = Estate::furnished().await;
    twice(row, &estate, 0).await;
}

/// A change would show in times.
async fn moves_nothing_later_either(row: &'static Row) {
    let estate = Estate::furnished().await;
    estate.account.end_scans_by_hand().await;
    for found in ["alert", "domain_alert"] {
        estate.value(found).await;
    }
    noted(row, &estate).await;
    twice(row, &estate, LATER).await;
}

/// What finds everything as it asks for would show in times as well.
async fn noted(row: &Row, estate: &Estate) {
    let recipe = row.recipe.as_ref().expect("an operation that is called");
    let found = recipe
        .still
        .iter()
        .filter(|(outcome, _)| outcome.starts_with("200"));
    let mut requests = Vec::new();
    for members in found.flat_map(|(_, requests)| requests) {
        requests.push(Request::new(row, &recipe.with(members), estate).await);
    }
    if requests.is_empty() {
        return;
    }
    let before = Snapshot::of(estate).await;
    estate.account.advance(LATER).await;
    for request in &requests {
        request.send(&estate.account).await;
    }
    before.assert_same(
        &Snapshot::of(estate).await,
        &format!("{}, which was so already,", row.name),
    );
}

async fn twice(row: &Row, estate: &Estate, seconds: u64) {
    let recipe = row.recipe.as_ref().expect("an operation that is called");
    let request = Request::new(row, &recipe.full(), estate).await;
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
