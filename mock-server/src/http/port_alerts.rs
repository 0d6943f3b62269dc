//! Port alerts (E6).

use http::StatusCode;
use secmon_engine::{
    ListPortAlerts, PortAlertStatus, PortAlertView, Refusal, ResolvedPortAlert, Severity,
};
use serde::Serialize;
use uuid::Uuid;

use super::context::Context;
use super::list::PageNumbers;
use super::problem::Problem;
use super::reply::{self, Reply};
use super::{customer, list};
use crate::values::fields::{Fields, readers};

/// `GET /alerts`.
pub(crate) fn list(context: &mut Context<'_>) -> Result<Reply, Problem> {
    #[derive(Serialize)]
    struct Alerts {
        alerts: Vec<PortAlertView>,
        #[serde(flatten)]
        numbers: PageNumbers,
    }
    let mut fields = context.request.parameters();
    let client = fields.required("billing_customer_id", customer::number);
    let endpoint = fields.optional("endpoint_id", readers::uuid);
    let status = fields.optional(
        "status",
        readers::named(PortAlertStatus::from_name, "open, resolved"),
    );
    let severity = fields.optional(
        "severity",
        readers::named(Severity::from_name, "low, medium, high, critical"),
    );
    let page = list::page(&mut fields, list::LARGEST_PAGE, context.answer_style);
    let request = fields.finish(|| {
        Some(ListPortAlerts {
            client: client?,
            endpoint,
            status,
            severity,
            page,
        })
    })?;
    let found = context.account.at(context.call).list_port_alerts(request);
    let alerts = Alerts {
        numbers: PageNumbers::of(context, &found),
        alerts: found.items,
    };
    Ok(reply::success(StatusCode::OK, alerts, context.now()))
}

/// `GET /alerts/{alert}`.
pub(crate) fn show(context: &mut Context<'_>) -> Result<Reply, Problem> {
    #[derive(Serialize)]
    struct Shown {
        alert: PortAlertView,
    }
    let mut fields = context.request.parameters();
    let client = fields.required("billing_customer_id", customer::number);
    let client = fields.finish(|| client)?;
    let alert_id = id(context)?;
    let alert = context
        .account
        .at(context.call)
        .port_alert(alert_id, client)?;
    Ok(reply::success(
        StatusCode::OK,
        Shown { alert },
        context.now(),
    ))
}

/// `POST /alerts/{alert}/resolve`.
pub(crate) fn resolve(context: &mut Context<'_>) -> Result<Reply, Problem> {
    #[derive(Serialize)]
    struct Resolved {
        message: &'static str,
        alert: ResolvedPortAlert,
    }
    let mut fields = Fields::of_body(context.request.object()?);
    let client = fields.required("billing_customer_id", customer::number);
    let client = fields.finish(|| client)?;
    let alert_id = id(context)?;
    let done = context
        .account
        .at(context.call)
        .resolve_port_alert(alert_id, client)?;
    let message = done.note.unwrap_or("The alert was resolved.");
    let resolved = Resolved {
        message,
        alert: done.value,
    };
    Ok(reply::success(StatusCode::OK, resolved, context.now()))
}

fn id(context: &Context<'_>) -> Result<Uuid, Refusal> {
    context
        .request
        .id("alert")
        .ok_or(Refusal::PortAlertNotFound)
}
