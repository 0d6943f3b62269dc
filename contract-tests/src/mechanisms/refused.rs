//! What every operation refuses whatever it does, though the request is a good one: keys, accounts, hosts, bodies, full
//! windows. It does nothing then.

use std::sync::Arc;

use crate::table::{Row, TABLE};
use crate::{Account, Need, RawAnswer, RawCall, SampleAccount, Snapshot, Stage, Wire, rate_limits};
use http::{Method, StatusCode, header};
use serde_json::{Value, json};

use super::each_operation::unsteered;

cases! {
    spec_ref: "A1 to A7";
    anywhere:
        a_wrong_key_learns_nothing_and_does_nothing,
        a_body_that_is_no_object_does_nothing,
        a_body_of_more_than_a_mebibyte_does_nothing,
        a_path_or_method_that_is_none_is_refused_by_name;
    steered:
        a_key_without_an_account_does_nothing(Accounts, World),
        a_key_that_was_taken_away_does_nothing(Accounts, World, Switches, Embedded),
        a_suspended_account_does_nothing(Accounts, World),
        a_foreign_portal_domain_does_nothing_in_provisioning_and_sign_in(Accounts, World),
        a_full_window_refuses_every_operation_that_counts_in_it(Accounts, World, Clock),
        a_sandbox_account_refuses_bad_bodies_too(Sandbox)
}

const MEBIBYTE: usize = 1024 * 1024;

/// A good request of each operation, in both namespaces, and what was there before any of them was sent.
struct All {
    sample: SampleAccount,
    wires: Vec<(&'static Row, Wire)>,
    before: Snapshot,
}

impl All {
    /// Of those operations; where the service cannot be steered, something unknown stands for what a scan finds.
    async fn of(stage: &Arc<Stage>, rows: fn(&Row) -> bool, need: Option<Need>) -> Self {
        let sample = SampleAccount::new(stage).await;
        let mut wires = Vec::new();
        for row in TABLE.operations().filter(|row| rows(row)) {
            let mut members = row
                .recipe
                .as_ref()
                .map(|recipe| recipe.full())
                .unwrap_or_default();
            if need.is_none() {
                unsteered(&mut members);
            }
            let request = sample.request(row, &members).await;
            wires.push((row, Wire::of(&request, &sample.account)));
        }
        let before = Snapshot::in_short(&sample).await;
        Self {
            sample,
            wires,
            before,
        }
    }

    async fn assert_untouched(&self, what: &str) {
        self.before
            .assert_same(&Snapshot::in_short(&self.sample).await, what);
    }
}

/// The operations that need a key.
fn is_keyed(row: &Row) -> bool {
    row.group != "health"
}

/// The operations that take a body, of which sandbox operations need an account of their kind.
fn has_body(row: &Row) -> bool {
    row.takes_body() && row.group != "sandbox"
}

async fn answer(call: RawCall) -> RawAnswer {
    call.send().await.expect("an answer")
}

/// Whatever the key, the same refusal.
async fn assert_unauthenticated(all: &All, key: Option<&str>) {
    for (row, wire) in &all.wires {
        let mut wire = wire.clone();
        wire.set(header::AUTHORIZATION, key);
        let refused = wire.send(&all.sample.account).await;
        assert_eq!(
            refused.status,
            StatusCode::UNAUTHORIZED,
            "{} {key:?}",
            row.name
        );
        assert_eq!(refused.outcome(), "401 key", "{} {key:?}", row.name);
        assert_eq!(refused.json["message"], "Unauthenticated.", "{}", row.name);
        assert!(is_empty(&refused.json["errors"]), "{}", refused.json);
    }
    all.assert_untouched(&format!("the key {key:?}")).await;
}

/// An empty map, which some write as an empty list (F8).
fn is_empty(map: &Value) -> bool {
    *map == json!({}) || *map == json!([])
}

async fn a_wrong_key_learns_nothing_and_does_nothing(stage: Arc<Stage>) {
    let all = All::of(&stage, is_keyed, None).await;
    for wrong in [
        Some("Bearer wrong_key"),
        Some("Basic eDp5"),
        Some("Bearer "),
        None,
    ] {
        assert_unauthenticated(&all, wrong).await;
    }
}

async fn a_key_that_was_taken_away_does_nothing(stage: Arc<Stage>) {
    let all = All::of(&stage, is_keyed, Some(Need::World)).await;
    all.sample.account.revoke_key().await;
    for (row, wire) in &all.wires {
        let refused = wire.send(&all.sample.account).await;
        assert_eq!(
            refused.outcome(),
            "401 key",
            "{}: {}",
            row.name,
            refused.json
        );
    }
    // What is exported has the account's keys, of which one went, and none when it is named.
    let before = all.before.clone().named(&all.sample);
    let after = Snapshot::in_short(&all.sample).await.named(&all.sample);
    before.assert_same(&after, "a key that was taken away");
}

async fn a_body_that_is_no_object_does_nothing(stage: Arc<Stage>) {
    let all = All::of(&stage, has_body, None).await;
    for (row, wire) in &all.wires {
        let good = wire.written_body().unwrap_or_default();
        let cut = &good[..good.len() - 1];
        for body in [
            &format!("[{good}]"),
            cut,
            "42",
            "",
            &format!("{good}{good}"),
        ] {
            let refused = answer(wire.call(&all.sample.account).body(body.to_owned())).await;
            assert_eq!(
                refused.outcome(),
                "422 fields",
                "{} {body}: {}",
                row.name,
                refused.json
            );
            let errors = &refused.json["errors"];
            all.sample.account.assert_members(errors, &["body"]);
        }
    }
    all.assert_untouched("a body that is no object").await;
}

async fn a_body_of_more_than_a_mebibyte_does_nothing(stage: Arc<Stage>) {
    let all = All::of(&stage, has_body, None).await;
    for (row, wire) in &all.wires {
        assert_too_large(&all.sample.account, row, wire).await;
    }
    all.assert_untouched("a body of more than a mebibyte").await;
}

/// One byte more than the limit is refused, good as it is; at the limit it is read, and refused for what is in it.
async fn assert_too_large(account: &Account, row: &Row, wire: &Wire) {
    let padded = |body: &str, length: usize| format!("{body}{}", " ".repeat(length - body.len()));
    let good = padded(&wire.written_body().unwrap_or_default(), MEBIBYTE + 1);
    let refused = answer(wire.call(account).body(good)).await;
    assert_eq!(
        refused.status,
        StatusCode::PAYLOAD_TOO_LARGE,
        "{}",
        row.name
    );
    account.assert_members(&refused.json, &["status", "message", "errors"]);
    let judged = answer(wire.call(account).body(padded("{}", MEBIBYTE))).await;
    assert_eq!(
        judged.status,
        StatusCode::UNPROCESSABLE_ENTITY,
        "{}",
        row.name
    );
}

async fn a_path_or_method_that_is_none_is_refused_by_name(stage: Arc<Stage>) {
    let all = All::of(&stage, |_| true, None).await;
    let account = &all.sample.account;
    for (row, wire) in &all.wires {
        let mut elsewhere = wire.clone();
        elsewhere.path.push('/');
        let refused = elsewhere.send(account).await;
        assert_eq!(
            refused.outcome(),
            "404 NOT_FOUND",
            "{} at {}",
            row.name,
            elsewhere.path
        );
    }
    all.assert_untouched("a path that is none").await;
    let refused = answer(account.raw(Method::GET, "/api/v1/nothing")).await;
    assert_eq!(refused.outcome(), "404 NOT_FOUND");
    for method in [Method::PATCH, Method::OPTIONS] {
        let refused = answer(account.raw(method, "/api/v1/endpoints")).await;
        assert_eq!(refused.outcome(), "405 METHOD_NOT_ALLOWED");
        let lines = refused.headers.get_all(header::ALLOW).iter();
        let lines = lines.filter_map(|line| line.to_str().ok());
        let mut methods: Vec<&str> = lines
            .flat_map(|line| line.split(','))
            .map(str::trim)
            .collect();
        methods.sort_unstable();
        assert_eq!(methods, ["GET", "POST"]);
    }
}

async fn a_key_without_an_account_does_nothing(stage: Arc<Stage>) {
    let all = All::of(&stage, is_keyed, Some(Need::World)).await;
    for (row, wire) in &all.wires {
        let mut wire = wire.clone();
        wire.set(header::AUTHORIZATION, Some("Bearer test_key_orphan"));
        assert_refused(
            row,
            &wire.send(&all.sample.account).await,
            StatusCode::UNAUTHORIZED,
            "TENANT_NOT_FOUND",
        );
    }
    all.assert_untouched("a key without an account").await;
}

async fn a_suspended_account_does_nothing(stage: Arc<Stage>) {
    let all = All::of(&stage, is_keyed, Some(Need::World)).await;
    let sample = SampleAccount::of(Account::with(&stage, json!({"suspended": true})).await).await;
    let before = Snapshot::in_short(&sample).await;
    for (row, wire) in &all.wires {
        let refused = with_key(wire, &sample.account).send(&sample.account).await;
        assert_refused(row, &refused, StatusCode::FORBIDDEN, "ACCOUNT_SUSPENDED");
    }
    let health = answer(sample.account.raw(Method::GET, "/api/v1/health")).await;
    assert_eq!(health.status, StatusCode::OK, "health is told to everybody");
    before.assert_same(&Snapshot::in_short(&sample).await, "a suspended account");
}

#[track_caller]
fn assert_refused(row: &Row, answer: &RawAnswer, status: StatusCode, code: &str) {
    assert_eq!(answer.status, status, "{}", row.name);
    assert_eq!(answer.json["error"]["code"], code, "{}", row.name);
    assert_eq!(answer.json["success"], false, "{}", row.name);
}

async fn a_foreign_portal_domain_does_nothing_in_provisioning_and_sign_in(stage: Arc<Stage>) {
    let all = All::of(&stage, is_keyed, Some(Need::World)).await;
    let account = &all.sample.account;
    let looks = |row: &Row| ["provisioning", "sso"].contains(&row.group.as_str());
    let host = |wire: &Wire, name: &str| answer(wire.call(account).header(header::HOST, name));
    for (row, wire) in all.wires.iter().filter(|(row, _)| looks(row)) {
        let refused = host(wire, "portal.globex.test").await;
        assert_refused(row, &refused, StatusCode::FORBIDDEN, "TENANT_MISMATCH");
    }
    all.assert_untouched("a foreign portal domain").await;
    for (row, wire) in &all.wires {
        let own = host(wire, &account.portal_domain.to_uppercase()).await;
        assert_ne!(own.json["error"]["code"], "TENANT_MISMATCH", "{}", row.name);
        if !looks(row) {
            let foreign = host(wire, "portal.globex.test").await;
            assert_ne!(
                foreign.json["error"]["code"], "TENANT_MISMATCH",
                "{}",
                row.name
            );
        }
    }
}

async fn a_full_window_refuses_every_operation_that_counts_in_it(stage: Arc<Stage>) {
    let all = All::of(&stage, |_| true, Some(Need::World)).await;
    let sample = SampleAccount::of(Account::with(&stage, json!({"rate_limit": true})).await).await;
    let (strict, default) = rate_limits();
    let window = |row: &Row| match row.group.as_str() {
        "sandbox" | "health" => None,
        "allowed ports" | "endpoints" => Some("get_endpoint"),
        _ => Some("suspend_endpoint"),
    };
    let before = Snapshot::in_short(&sample).await;
    for (opening, limit) in [("suspend_endpoint", strict), ("get_endpoint", default)] {
        for _ in 0..limit {
            assert_eq!(
                unknown(opening, &sample).await.status,
                StatusCode::NOT_FOUND,
                "a 404 counts"
            );
        }
        for (row, wire) in all
            .wires
            .iter()
            .filter(|(row, _)| window(row) == Some(opening))
        {
            let refused = with_key(wire, &sample.account).send(&sample.account).await;
            assert_eq!(refused.outcome(), "429 window", "{}", row.name);
            assert!((1..=60).contains(&wait_of(&refused)), "{}", row.name);
            assert!(refused.json["message"].is_string(), "{}", row.name);
        }
    }
    before.assert_same(&Snapshot::in_short(&sample).await, "a full window");
    for (row, wire) in all.wires.iter().filter(|(row, _)| window(row).is_none()) {
        let unlimited = with_key(wire, &sample.account).send(&sample.account).await;
        assert_ne!(
            unlimited.status,
            StatusCode::TOO_MANY_REQUESTS,
            "{}",
            row.name
        );
    }
    let again = || unknown("suspend_endpoint", &sample);
    sample.account.advance(wait_of(&again().await) - 10).await;
    let left = wait_of(&again().await);
    assert!((1..=10).contains(&left), "{left}");
    sample.account.advance(left).await;
    let open = again().await;
    assert_eq!(
        open.status,
        StatusCode::NOT_FOUND,
        "a refused call counts nowhere"
    );
}

fn with_key(wire: &Wire, account: &Account) -> Wire {
    let mut wire = wire.clone();
    wire.set(
        header::AUTHORIZATION,
        Some(&format!("Bearer {}", account.key)),
    );
    wire
}

/// A call that finds nothing.
async fn unknown(operation: &str, sample: &SampleAccount) -> RawAnswer {
    let row = TABLE.row(operation).expect("an operation");
    let members = row
        .recipe
        .as_ref()
        .map(|recipe| recipe.send.clone())
        .unwrap_or_default();
    let members = members
        .into_iter()
        .map(|(name, _)| (name, json!("$unknown")));
    let request = sample.request(row, &members.collect()).await;
    request.send(&sample.account).await
}

/// The seconds of a `Retry-After`; 0 without one.
fn wait_of(answer: &RawAnswer) -> u64 {
    let seconds = answer.headers.get(header::RETRY_AFTER);
    let seconds = seconds.and_then(|seconds| seconds.to_str().ok()?.parse().ok());
    seconds.unwrap_or_default()
}

async fn a_sandbox_account_refuses_bad_bodies_too(stage: Arc<Stage>) {
    let all = All::of(&stage, |row| row.operation == "set_scenario", None).await;
    let (row, wire) = &all.wires[0];
    assert_too_large(&all.sample.account, row, wire).await;
    let refused = answer(wire.call(&all.sample.account).body("[]")).await;
    let errors = &refused.json["errors"];
    all.sample.account.assert_members(errors, &["body"]);
    all.assert_untouched("a bad body").await;
}
