//! Reporting the status of services (D6, D7).

use http::StatusCode;
use secmon_engine::{Product, ReportedService, SubscriptionRef, SubscriptionStatus};
use serde_json::Value;

use super::context::Context;
use super::customer;
use super::problem::Problem;
use super::reply::{self, Reply};
use crate::observation::notice::{ContractLine, Fact};
use crate::values::fields::{FieldErrors, Fields, Raw, readers};

/// The fields of a service; any other one is refused.
const SERVICE_FIELDS: [&str; 4] = ["service_id", "client_id", "product_slug", "status"];

/// `POST sync-services`. One wrong entry refuses the whole request.
pub(crate) fn services(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let mut fields = Fields::of_body(context.request.object()?);
    fields.optional("module_version", readers::text(0..=20));
    let items = fields
        .required("services", readers::array(1..=500))
        .unwrap_or_default();
    let mut services = Vec::with_capacity(items.len());
    for (place, item) in items.iter().enumerate() {
        match service(item, &format!("services.{place}")) {
            Ok(service) => services.push(service),
            Err(errors) => fields.absorb(errors),
        }
    }
    let services = fields.finish(|| Some(services))?;
    let revived = ended_and_reported_otherwise(context, &services);
    let report = context.account.at(context.call).sync_services(&services);
    for line in revived {
        context.note(Fact::LineRevived(line));
    }
    Ok(reply::success(StatusCode::OK, report, context.now()))
}

/// The contract lines that have ended, and that a report takes for lines that go on.
fn ended_and_reported_otherwise(
    context: &mut Context<'_>,
    services: &[ReportedService],
) -> Vec<ContractLine> {
    let session = context.account.at(context.call);
    let goes_on = services
        .iter()
        .filter(|reported| reported.status != SubscriptionStatus::Cancelled);
    let named = goes_on.map(|reported| SubscriptionRef {
        client: reported.client,
        service: reported.service,
        product: reported.product.slug().to_owned(),
    });
    let ended = named.filter(|named| session.is_cancelled(named));
    ended.filter_map(|named| ContractLine::of(&named)).collect()
}

fn service(item: &Value, place: &str) -> Result<ReportedService, FieldErrors> {
    let object = readers::object(Raw::Json(item)).map_err(|problem| {
        FieldErrors::from([(place.to_owned(), vec![format!("The {place} {problem}")])])
    })?;
    let mut fields = Fields::nested(object, place);
    for name in fields.names() {
        if !SERVICE_FIELDS.contains(&name) {
            fields.reject(name, format!("A service has no field {name}."));
        }
    }
    let service = fields.required("service_id", customer::service);
    let client = fields.required("client_id", customer::number);
    let products = "endpoint, port_monitoring, domain_monitoring";
    let product = fields.required("product_slug", readers::named(Product::from_slug, products));
    let statuses = "active, suspended, cancelled";
    let status = fields.required(
        "status",
        readers::named(SubscriptionStatus::from_name, statuses),
    );
    fields.finish(|| {
        Some(ReportedService {
            service: service?,
            client: client?,
            product: product?,
            status: status?,
        })
    })
}
