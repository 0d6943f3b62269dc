//! Accounts and their keys (M3, M4).

use std::time::Duration;

use secmon_engine::{ClientId, LeakDataset, Progress, RateLimits};
use serde_json::{Map, Value, json};

use crate::account::options::TenantOptions;
use crate::admin::call::{AdminCall, Answered};
use crate::admin::input;
use crate::fixtures::document::Fixtures;
use crate::values::admin_error::AdminError;
use crate::values::fields::readers;
use secmon_engine::Scenario;

/// Ten years, in seconds.
const LONGEST_LIFE: i64 = 10 * 366 * 86_400;

const SCENARIOS: &str = "clean, warnings, critical";

pub(crate) fn list(call: &AdminCall) -> Result<Answered, AdminError> {
    let registry = call.mock.accounts.registry();
    let tenants: Vec<_> = registry
        .accounts()
        .into_iter()
        .map(|shared| shared.shown())
        .collect();
    Ok(Answered::shown(&json!({ "tenants": tenants })))
}

pub(crate) fn add(call: &AdminCall) -> Result<Answered, AdminError> {
    let (made, commit) = call.mock.accounts.add_account(options(call)?)?;
    let settings = made.shared.settings();
    let body = json!({
        "name": settings.name,
        "portal_domain": settings.portal_domain,
        "api_key": made.api_key,
    });
    Ok(Answered::made(&body, commit))
}

fn options(call: &AdminCall) -> Result<TenantOptions, AdminError> {
    let known = [
        "name",
        "portal_domain",
        "sandbox",
        "suspended",
        "rate_limit",
        "rate_limits",
        "default_endpoint_limit",
        "account_endpoint_limit",
        "scenario",
        "like",
        "fixtures",
        "expires_in",
    ];
    let mut fields = input::fields(&call.body, &known);
    let limit = readers::integer(0..=i64::MAX);
    let windows = fields.optional("rate_limits", readers::object);
    let options = TenantOptions {
        rate_limits: windows.map(rate_limits).transpose()?,
        name: fields.optional("name", readers::text(0..=usize::MAX)),
        portal_domain: fields.optional("portal_domain", readers::text(1..=253)),
        sandbox: fields.optional("sandbox", readers::boolean),
        suspended: fields.optional("suspended", readers::boolean),
        rate_limit: fields.optional("rate_limit", readers::boolean),
        default_endpoint_limit: fields
            .optional("default_endpoint_limit", &limit)
            .map(i64::unsigned_abs),
        account_endpoint_limit: fields
            .optional("account_endpoint_limit", &limit)
            .map(i64::unsigned_abs),
        scenario: fields.optional("scenario", readers::named(Scenario::from_name, SCENARIOS)),
        like: fields.optional("like", readers::text(1..=64)),
        fixtures: fields
            .optional("fixtures", readers::object)
            .map(Fixtures::of),
        expires_in: fields
            .optional("expires_in", readers::integer(1..=LONGEST_LIFE))
            .map(|seconds| Duration::from_secs(seconds.unsigned_abs())),
    };
    input::finish(fields, || Some(options))
}

/// The sizes of an account's windows; those that are left out are the documented ones.
fn rate_limits(object: &Map<String, Value>) -> Result<RateLimits, AdminError> {
    let usual = RateLimits::default();
    let mut fields = input::fields(object, &["strict", "default", "window"]);
    let mut size = |name, usual| {
        let given = fields.optional(name, readers::integer(0..=u32::MAX.into()));
        given
            .and_then(|size| u32::try_from(size).ok())
            .unwrap_or(usual)
    };
    let limits = RateLimits {
        strict: size("strict", usual.strict),
        default: size("default", usual.default),
        window: size("window", usual.window),
    };
    input::finish(fields, || Some(limits))
}

pub(crate) fn remove(call: &AdminCall) -> Result<Answered, AdminError> {
    Ok(Answered::done(
        call.mock.accounts.remove_account(call.part(0))?,
    ))
}

pub(crate) fn reset(call: &AdminCall) -> Result<Answered, AdminError> {
    Ok(Answered::done(
        call.mock.accounts.reset_account(call.part(0))?,
    ))
}

pub(crate) fn export(call: &AdminCall) -> Result<Answered, AdminError> {
    Ok(Answered::shown(
        &call.mock.accounts.export_account(call.part(0))?,
    ))
}

pub(crate) fn import(call: &AdminCall, document: &str) -> Result<Answered, AdminError> {
    Ok(Answered::done(
        call.mock.accounts.import_account(call.part(0), document)?,
    ))
}

pub(crate) fn issue_key(call: &AdminCall) -> Result<Answered, AdminError> {
    let (key, commit) = call.mock.accounts.issue_key(call.part(0))?;
    Ok(Answered::made(&json!({ "api_key": key }), commit))
}

pub(crate) fn revoke_key(call: &AdminCall) -> Result<Answered, AdminError> {
    Ok(Answered::done(
        call.mock.accounts.revoke_key(call.part(0), call.part(1))?,
    ))
}

pub(crate) fn set_progress(call: &AdminCall) -> Result<Answered, AdminError> {
    let mut fields = input::fields(&call.body, &["scans"]);
    let progress = fields.required(
        "scans",
        readers::named(Progress::from_name, "timed, immediate, manual"),
    );
    let progress = input::finish(fields, || progress)?;
    Ok(Answered::done(
        call.mock.accounts.set_progress(call.part(0), progress)?,
    ))
}

pub(crate) fn set_scenario(call: &AdminCall) -> Result<Answered, AdminError> {
    let mut fields = input::fields(&call.body, &["scenario"]);
    let scenario = fields.required("scenario", readers::named(Scenario::from_name, SCENARIOS));
    let scenario = input::finish(fields, || scenario)?;
    Ok(Answered::done(
        call.mock.accounts.set_scenario(call.part(0), scenario)?,
    ))
}

pub(crate) fn set_leak_dataset(call: &AdminCall) -> Result<Answered, AdminError> {
    let mut fields = input::fields(&call.body, &["state"]);
    let states = "configured, unconfigured, unreachable";
    let state = fields.required("state", readers::named(LeakDataset::from_name, states));
    let state = input::finish(fields, || state)?;
    Ok(Answered::done(
        call.mock.accounts.set_leak_dataset(call.part(0), state)?,
    ))
}

pub(crate) fn remove_portal_account(call: &AdminCall) -> Result<Answered, AdminError> {
    let client = call.part(1).parse().ok().and_then(ClientId::new);
    let client = client.ok_or_else(|| {
        AdminError::BadInput(
            "The client id in the path must be an integer of at least 1.".to_owned(),
        )
    })?;
    Ok(Answered::done(
        call.mock
            .accounts
            .remove_portal_account(call.part(0), client)?,
    ))
}
