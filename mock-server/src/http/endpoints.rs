//! Monitored servers as resources.

use secmon_engine::{
    ClientId, CreateEndpoint, DesiredStatus, ListEndpoints, Refusal, StatusCounts, Target,
    UpdateEndpoint,
};
use serde::Serialize;
use uuid::Uuid;

use super::context::Context;
use super::problem::Problem;
use super::reply::{self, Reply};
use super::{customer, list};
use crate::values::fields::{Fields, Raw, readers};

/// `GET /endpoints`.
pub(crate) fn list(context: &mut Context<'_>) -> Result<Reply, Problem> {
    #[derive(Serialize)]
    struct Counts {
        endpoint_limit: u64,
        current_endpoint_count: u64,
        status_counts: StatusCounts,
    }
    let mut fields = context.request.parameters();
    let request = ListEndpoints {
        client: fields.optional("billing_customer_id", customer::number),
        status: fields.optional("status", status),
        page: list::page(&mut fields, list::LARGEST_PAGE, context.answer_style),
    };
    let request = fields.finish(|| Some(request))?;
    let found = context.account.at(context.call).list_endpoints(request);
    let counts = Counts {
        endpoint_limit: found.endpoint_limit,
        current_endpoint_count: found.current_endpoint_count,
        status_counts: found.status_counts,
    };
    Ok(list::resource(context, &found.endpoints, counts))
}

/// `POST /endpoints`.
pub(crate) fn create(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let mut fields = Fields::of_body(context.request.object()?);
    let client = customer::new_client(&mut fields, "billing_customer_id");
    let target = fields.required("ip_address", target);
    let nickname = fields.optional("nickname", readers::text(0..=customer::LONGEST));
    let status = fields
        .optional("status", status)
        .unwrap_or(DesiredStatus::Active);
    let request = fields.finish(|| {
        Some(CreateEndpoint {
            client: client?,
            target: target?,
            nickname,
            status,
        })
    })?;
    let done = context.account.at(context.call).create_endpoint(request)?;
    Ok(reply::resource_done(done, context.now()))
}

/// `GET /endpoints/{endpoint}`.
pub(crate) fn show(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let client = checked_owner(context)?;
    let endpoint_id = id(context)?;
    let endpoint = context
        .account
        .at(context.call)
        .endpoint(endpoint_id, client)?;
    Ok(reply::resource(endpoint, context.now()))
}

/// `GET /endpoints/{endpoint}/detail`, which has no `meta`.
pub(crate) fn detail(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let client = checked_owner(context)?;
    let endpoint_id = id(context)?;
    let detail = context
        .account
        .at(context.call)
        .endpoint_detail(endpoint_id, client)?;
    Ok(Reply::json(http::StatusCode::OK, &detail))
}

/// `PUT /endpoints/{endpoint}`.
pub(crate) fn update(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let mut fields = Fields::of_body(context.request.object()?);
    let client = fields.required("billing_customer_id", customer::number);
    let nickname = fields.optional("nickname", readers::text(0..=customer::LONGEST));
    let status = fields.optional("status", status);
    let (client, request) =
        fields.finish(|| Some((client?, UpdateEndpoint { nickname, status })))?;
    let endpoint_id = id(context)?;
    let done = context
        .account
        .at(context.call)
        .update_endpoint(endpoint_id, client, request)?;
    Ok(reply::resource_done(done, context.now()))
}

/// `DELETE /endpoints/{endpoint}`.
pub(crate) fn delete(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let client = checked_owner(context)?;
    let endpoint_id = id(context)?;
    context
        .account
        .at(context.call)
        .delete_endpoint(endpoint_id, client)?;
    Ok(Reply::no_content())
}

fn id(context: &Context<'_>) -> Result<Uuid, Refusal> {
    context
        .request
        .id("endpoint")
        .ok_or(Refusal::EndpointNotFound)
}

/// The customer that the caller says a record is of.
pub(crate) fn checked_owner(context: &Context<'_>) -> Result<Option<ClientId>, Problem> {
    let mut fields = context.request.parameters();
    let client = fields.optional("billing_customer_id", customer::number);
    Ok(fields.finish(|| Some(client))?)
}

fn status(raw: Raw) -> readers::Read<DesiredStatus> {
    readers::named(DesiredStatus::from_name, "active, paused")(raw)
}

fn target(raw: Raw) -> readers::Read<Target> {
    let text = readers::text(0..=customer::LONGEST)(raw)?;
    Target::parse(&text).map_err(str::to_owned)
}
