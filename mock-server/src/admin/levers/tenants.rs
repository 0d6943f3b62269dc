//! Accounts and their keys (M3, M4).

use secmon_engine::{ClientId, LeakDataset, Progress};
use serde_json::json;

use super::{AdminCall, Pulled, input};
use crate::fields::readers;
use crate::mock::TenantOptions;
use crate::{AdminError, Scenario};

pub(crate) fn list(call: &AdminCall<'_>) -> Result<Pulled, AdminError> {
    let registry = call.mock.registry();
    let tenants: Vec<_> = registry
        .partners()
        .into_iter()
        .map(|partner| {
            let settings = partner.settings();
            json!({
                "name": settings.name,
                "portal_domain": settings.portal_domain,
                "sandbox": settings.sandbox.is_on(),
                "suspended": settings.suspended.is_on(),
            })
        })
        .collect();
    Ok(Pulled::shown(&json!({ "tenants": tenants })))
}

pub(crate) fn add(call: &AdminCall<'_>) -> Result<Pulled, AdminError> {
    let (made, ticket) = call.mock.add_tenant(options(call)?)?;
    let settings = made.partner.settings();
    let body = json!({
        "name": settings.name,
        "portal_domain": settings.portal_domain,
        "api_key": made.api_key,
    });
    Ok(Pulled::made(&body, ticket))
}

fn options(call: &AdminCall<'_>) -> Result<TenantOptions, AdminError> {
    let known = [
        "name",
        "portal_domain",
        "sandbox",
        "suspended",
        "rate_limit",
        "default_endpoint_limit",
        "account_endpoint_limit",
        "scenario",
    ];
    let mut fields = input::fields(&call.body, &known);
    let limit = readers::integer(0..=i64::MAX);
    let options = TenantOptions {
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
        scenario: fields.optional(
            "scenario",
            readers::named(Scenario::from_name, "clean, warnings, critical"),
        ),
    };
    input::finish(fields, || Some(options))
}

pub(crate) fn remove(call: &AdminCall<'_>) -> Result<Pulled, AdminError> {
    Ok(Pulled::done(call.mock.remove_tenant(call.part(0))?))
}

pub(crate) fn reset(call: &AdminCall<'_>) -> Result<Pulled, AdminError> {
    Ok(Pulled::done(call.mock.reset_tenant(call.part(0))?))
}

pub(crate) fn export(call: &AdminCall<'_>) -> Result<Pulled, AdminError> {
    Ok(Pulled::shown(&call.mock.export_tenant(call.part(0))?))
}

pub(crate) fn issue_key(call: &AdminCall<'_>) -> Result<Pulled, AdminError> {
    let (key, ticket) = call.mock.issue_key(call.part(0))?;
    Ok(Pulled::made(&json!({ "api_key": key }), ticket))
}

pub(crate) fn revoke_key(call: &AdminCall<'_>) -> Result<Pulled, AdminError> {
    Ok(Pulled::done(
        call.mock.revoke_key(call.part(0), call.part(1))?,
    ))
}

pub(crate) fn set_progress(call: &AdminCall<'_>) -> Result<Pulled, AdminError> {
    let mut fields = input::fields(&call.body, &["scans"]);
    let progress = fields.required(
        "scans",
        readers::named(Progress::from_name, "timed, immediate, manual"),
    );
    let progress = input::finish(fields, || progress)?;
    Ok(Pulled::done(
        call.mock.set_progress(call.part(0), progress)?,
    ))
}

pub(crate) fn set_leak_dataset(call: &AdminCall<'_>) -> Result<Pulled, AdminError> {
    let mut fields = input::fields(&call.body, &["state"]);
    let states = "configured, unconfigured, unreachable";
    let state = fields.required("state", readers::named(LeakDataset::from_name, states));
    let state = input::finish(fields, || state)?;
    Ok(Pulled::done(
        call.mock.set_leak_dataset(call.part(0), state)?,
    ))
}

pub(crate) fn remove_portal_account(call: &AdminCall<'_>) -> Result<Pulled, AdminError> {
    let client = call.part(1).parse().ok().and_then(ClientId::new);
    let client = client.ok_or_else(|| {
        AdminError::BadInput(
            "The client id in the path must be an integer of at least 1.".to_owned(),
        )
    })?;
    Ok(Pulled::done(
        call.mock.remove_portal_account(call.part(0), client)?,
    ))
}
