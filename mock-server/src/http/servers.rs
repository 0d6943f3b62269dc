//! Provisioning of monitored servers.

use http::StatusCode;
use secmon_engine::{
    Done, Hostname, ProvisionEndpoint, Provisioned, Refusal, Session, Target, parse_address,
};
use uuid::Uuid;

use super::context::Context;
use super::customer;
use super::problem::Problem;
use super::reply::{self, Reply};
use crate::values::fields::{Fields, Raw, readers};

/// `POST provision`.
pub(crate) fn provision(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let mut fields = Fields::of_body(context.request.object()?);
    let client = customer::new_client(&mut fields, "client_id");
    let service = fields.optional("service_id", customer::service);
    // Labels without an effect (B4); they are checked like any field.
    fields.optional("product_slug", customer::slug);
    fields.optional("plan_slug", customer::slug);
    customer::check_mrr(&mut fields);
    let target = target(&mut fields);
    let request = fields.finish(|| {
        Some(ProvisionEndpoint {
            client: client?,
            target: target?,
            service,
        })
    })?;
    let done = context.account.at(context.call).provision(request)?;
    Ok(reply::success_done(done, context.now()))
}

/// The server that `ip_address` and `hostname` name together (B1).
fn target(fields: &mut Fields<'_>) -> Option<Target> {
    let address = fields.optional(
        "ip_address",
        absent_or(|text| {
            parse_address(text).ok_or("must be a valid IPv4 or IPv6 address.".to_owned())
        }),
    );
    let hostname = fields.optional("hostname", |raw| {
        readers::text(0..=255)(raw).map(|text| Some(text).filter(|text| !text.is_empty()))
    });
    let hostname = hostname.flatten();
    match (address.flatten(), hostname) {
        (Some(address), hostname) => Some(Target::Address { address, hostname }),
        (None, Some(_)) if fields.failed("ip_address") => None,
        (None, Some(hostname)) => match Hostname::parse(&hostname) {
            Ok(hostname) => Some(Target::Hostname(hostname)),
            Err(problem) => {
                fields.reject("hostname", format!("The hostname {problem}"));
                None
            }
        },
        (None, None) => {
            if !fields.failed("ip_address") && !fields.failed("hostname") {
                let sentence = "The ip_address field is required when hostname is not given.";
                fields.reject("ip_address", sentence.to_owned());
            }
            None
        }
    }
}

/// A reader that takes an empty text for an absent one.
fn absent_or<T>(
    parse: impl Fn(&str) -> Result<T, String>,
) -> impl Fn(Raw) -> readers::Read<Option<T>> {
    move |raw| match readers::string(raw)? {
        "" => Ok(None),
        text => parse(text).map(Some),
    }
}

type Transition = fn(&mut Session<'_>, Uuid) -> Result<Done<Provisioned>, Refusal>;

fn transition(context: &mut Context<'_>, go: Transition) -> Result<Reply, Problem> {
    let mut fields = Fields::of_body(context.request.object()?);
    let endpoint = fields.required("endpoint_id", readers::uuid);
    let endpoint = fields.finish(|| endpoint)?;
    let done = go(&mut context.account.at(context.call), endpoint)?;
    Ok(reply::success_done(done, context.now()))
}

/// `POST suspend`.
pub(crate) fn suspend(context: &mut Context<'_>) -> Result<Reply, Problem> {
    transition(context, |session, id| session.suspend(id))
}

/// `POST resume`.
pub(crate) fn resume(context: &mut Context<'_>) -> Result<Reply, Problem> {
    transition(context, |session, id| session.resume(id))
}

/// `POST terminate`.
pub(crate) fn terminate(context: &mut Context<'_>) -> Result<Reply, Problem> {
    transition(context, |session, id| session.terminate(id))
}

/// `POST scan-endpoint`.
pub(crate) fn scan(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let mut fields = Fields::of_body(context.request.object()?);
    let client = fields.required("client_id", customer::number);
    let endpoint = fields.required("endpoint_id", readers::uuid);
    let (client, endpoint) = fields.finish(|| Some((client?, endpoint?)))?;
    let queued = context
        .account
        .at(context.call)
        .scan_endpoint(client, endpoint)?;
    Ok(reply::success(StatusCode::ACCEPTED, queued, context.now()))
}
