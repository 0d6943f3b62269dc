//! Provisioning of monitored domains.

use secmon_engine::{
    DomainName, DomainProvisioned, Done, ProvisionDomain, Refusal, ReleaseDomain, Session,
};
use uuid::Uuid;

use http::StatusCode;

use super::context::Context;
use super::customer;
use super::problem::Problem;
use super::reply::{self, Reply};
use crate::values::fields::{Fields, Raw, readers};

/// `POST provision-domain`.
pub(crate) fn provision(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let mut fields = Fields::of_body(context.request.object()?);
    let client = customer::new_client(&mut fields, "client_id");
    let domain = fields.required("domain", name);
    let service = fields.required("service_id", customer::service);
    let request = fields.finish(|| {
        Some(ProvisionDomain {
            client: client?,
            domain: domain?,
            service: service?,
        })
    })?;
    let done = context.account.at(context.call).provision_domain(request)?;
    Ok(reply::success_done(done, context.now()))
}

type Transition = fn(&mut Session<'_>, Uuid) -> Result<Done<DomainProvisioned>, Refusal>;

fn transition(context: &mut Context<'_>, go: Transition) -> Result<Reply, Problem> {
    let mut fields = Fields::of_body(context.request.object()?);
    let domain = fields.required("monitored_domain_id", readers::uuid);
    let domain = fields.finish(|| domain)?;
    let done = go(&mut context.account.at(context.call), domain)?;
    Ok(reply::success_done(done, context.now()))
}

/// `POST suspend-domain`.
pub(crate) fn suspend(context: &mut Context<'_>) -> Result<Reply, Problem> {
    transition(context, |session, id| session.suspend_domain(id))
}

/// `POST resume-domain`.
pub(crate) fn resume(context: &mut Context<'_>) -> Result<Reply, Problem> {
    transition(context, |session, id| session.resume_domain(id))
}

/// `POST terminate-domain`.
pub(crate) fn terminate(context: &mut Context<'_>) -> Result<Reply, Problem> {
    transition(context, |session, id| session.terminate_domain(id))
}

/// `POST update-domain`.
pub(crate) fn update(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let mut fields = Fields::of_body(context.request.object()?);
    let domain = fields.required("monitored_domain_id", readers::uuid);
    let name = fields.required("domain", name);
    let (domain, name) = fields.finish(|| Some((domain?, name?)))?;
    let done = context
        .account
        .at(context.call)
        .update_domain(domain, &name)?;
    Ok(reply::success_done(done, context.now()))
}

/// `POST release-domain` (C7).
pub(crate) fn release(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let mut fields = Fields::of_body(context.request.object()?);
    let client = fields.required("client_id", customer::number);
    let service = fields.required("service_id", customer::service);
    let domain = fields.required("monitored_domain_id", readers::uuid);
    let request = fields.finish(|| {
        Some(ReleaseDomain {
            client: client?,
            service: service?,
            domain: domain?,
        })
    })?;
    let released = context.account.at(context.call).release_domain(request)?;
    Ok(reply::success(StatusCode::OK, released, context.now()))
}

fn name(raw: Raw) -> readers::Read<DomainName> {
    DomainName::parse(readers::string(raw)?).map_err(str::to_owned)
}
