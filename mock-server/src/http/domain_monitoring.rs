//! Reads and actions of domain monitoring.

use http::StatusCode;
use secmon_engine::{
    Category, ClientId, DomainAlertKind, DomainAlertStatus, DomainAlertView, DomainScanView,
    DomainSeverity, LeakAnswer, ListDomainAlerts, ListLeaks, ListMentions, MentionView, Refusal,
};
use serde::Serialize;
use uuid::Uuid;

use super::context::Context;
use super::list::PageNumbers;
use super::problem::Problem;
use super::reply::{self, Reply};
use super::{customer, list};
use crate::observation::notice::Fact;
use crate::values::fields::{Fields, Raw, readers};

/// The largest `per_page` of alerts and mentions.
const LARGEST_PAGE: i64 = 50;

#[derive(Serialize)]
struct Alert<T> {
    alert: T,
}

#[derive(Serialize)]
struct Moved<'a, T> {
    message: &'a str,
    alert: T,
}

#[derive(Serialize)]
struct Scans {
    scans: Vec<DomainScanView>,
}

/// `GET /domains`.
pub(crate) fn list(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let client = queried_client(context)?;
    let domains = context.account.at(context.call).list_domains(client);
    Ok(reply::success(StatusCode::OK, domains, context.now()))
}

/// `GET /domains/{id}/summary`.
pub(crate) fn summary(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let client = queried_client(context)?;
    let domain = domain_id(context)?;
    let summary = context
        .account
        .at(context.call)
        .domain_summary(domain, client)?;
    Ok(reply::success(StatusCode::OK, summary, context.now()))
}

/// `GET /domains/{id}/alerts`.
pub(crate) fn alerts(context: &mut Context<'_>) -> Result<Reply, Problem> {
    #[derive(Serialize)]
    struct Alerts {
        alerts: Vec<DomainAlertView>,
        #[serde(flatten)]
        numbers: PageNumbers,
    }
    let mut fields = context.request.parameters();
    let client = fields.required("billing_customer_id", customer::number);
    let status = fields.optional(
        "status",
        readers::named(DomainAlertStatus::from_name, "open, acknowledged, resolved"),
    );
    let kind = fields.optional(
        "type",
        readers::named(
            DomainAlertKind::from_name,
            "credential_leak, dark_web_mention",
        ),
    );
    let category = fields.optional("category", category);
    let severity = fields.optional(
        "severity",
        readers::named(DomainSeverity::from_name, "critical, high, medium"),
    );
    let page = list::page(&mut fields, LARGEST_PAGE, context.answer_style);
    let request = fields.finish(|| {
        Some(ListDomainAlerts {
            client: client?,
            status,
            kind,
            category,
            severity,
            page,
        })
    })?;
    let domain = domain_id(context)?;
    let found = context
        .account
        .at(context.call)
        .list_domain_alerts(domain, request)?;
    let alerts = Alerts {
        numbers: PageNumbers::of(context, &found),
        alerts: found.items,
    };
    Ok(reply::success(StatusCode::OK, alerts, context.now()))
}

/// `GET /domains/{id}/alerts/{alertId}`.
pub(crate) fn alert(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let client = queried_client(context)?;
    let domain = domain_id(context)?;
    let alert = alert_id(context);
    let alert = context
        .account
        .at(context.call)
        .domain_alert(domain, alert, client)?;
    Ok(reply::success(
        StatusCode::OK,
        Alert { alert },
        context.now(),
    ))
}

/// `POST /domains/{id}/alerts/{alertId}/acknowledge`.
pub(crate) fn acknowledge(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let client = sent_client(context)?;
    let domain = domain_id(context)?;
    let alert = alert_id(context);
    let alert = context
        .account
        .at(context.call)
        .acknowledge_domain_alert(domain, alert, client)?;
    Ok(moved(context, "The alert was acknowledged.", &alert))
}

/// `POST /domains/{id}/alerts/{alertId}/resolve`.
pub(crate) fn resolve(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let client = sent_client(context)?;
    let domain = domain_id(context)?;
    let alert = alert_id(context);
    let alert = context
        .account
        .at(context.call)
        .resolve_domain_alert(domain, alert, client)?;
    Ok(moved(context, "The alert was resolved.", &alert))
}

fn moved(context: &Context<'_>, message: &str, alert: &impl Serialize) -> Reply {
    reply::success(StatusCode::OK, Moved { message, alert }, context.now())
}

/// `GET /domains/{id}/dark-web-mentions`.
pub(crate) fn mentions(context: &mut Context<'_>) -> Result<Reply, Problem> {
    #[derive(Serialize)]
    struct Mentions {
        mentions: Vec<MentionView>,
        #[serde(flatten)]
        numbers: PageNumbers,
    }
    let mut fields = context.request.parameters();
    let client = fields.required("billing_customer_id", customer::number);
    let is_new = fields.optional("is_new", readers::boolean);
    let page = list::page(&mut fields, LARGEST_PAGE, context.answer_style);
    let request = fields.finish(|| {
        Some(ListMentions {
            client: client?,
            is_new,
            page,
        })
    })?;
    let domain = domain_id(context)?;
    let found = context
        .account
        .at(context.call)
        .list_mentions(domain, request)?;
    let mentions = Mentions {
        numbers: PageNumbers::of(context, &found),
        mentions: found.items,
    };
    Ok(reply::success(StatusCode::OK, mentions, context.now()))
}

/// `GET /domains/{id}/credential-leaks`. An unreachable dataset is a 503 in the success envelope.
pub(crate) fn leaks(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let mut fields = context.request.parameters();
    let client = fields.required("billing_customer_id", customer::number);
    let category = fields.optional("category", category);
    let page = fields.optional("page", readers::identifier).unwrap_or(1);
    let request = fields.finish(|| {
        Some(ListLeaks {
            client: client?,
            category,
            page,
        })
    })?;
    let domain = domain_id(context)?;
    let leaks = context
        .account
        .at(context.call)
        .list_leaks(domain, request)?;
    match leaks {
        LeakAnswer::Page(page) => {
            context.note(Fact::Page {
                number: page.page,
                last: page.total.div_ceil(page.page_size.max(1)).max(1),
            });
            Ok(reply::success(StatusCode::OK, page, context.now()))
        }
        LeakAnswer::Unreachable(failure) => Ok(reply::success(
            StatusCode::SERVICE_UNAVAILABLE,
            failure,
            context.now(),
        )),
    }
}

/// `GET /domains/{id}/scan-history`.
pub(crate) fn scan_history(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let client = queried_client(context)?;
    let domain = domain_id(context)?;
    let scans = context
        .account
        .at(context.call)
        .domain_scan_history(domain, client)?;
    Ok(reply::success(
        StatusCode::OK,
        Scans { scans },
        context.now(),
    ))
}

fn queried_client(context: &Context<'_>) -> Result<ClientId, Problem> {
    only_client(context.request.parameters())
}

fn sent_client(context: &Context<'_>) -> Result<ClientId, Problem> {
    only_client(Fields::of_body(context.request.object()?))
}

fn only_client(mut fields: Fields<'_>) -> Result<ClientId, Problem> {
    let client = fields.required("billing_customer_id", customer::number);
    Ok(fields.finish(|| client)?)
}

fn domain_id(context: &Context<'_>) -> Result<Uuid, Refusal> {
    context.request.id("id").ok_or(Refusal::DomainNotFound)
}

/// The alert's id. What is no UUID becomes the id that no record has: whether the domain is there
/// is asked first (C8, A16).
fn alert_id(context: &Context<'_>) -> Uuid {
    context.request.id("alertId").unwrap_or(Uuid::nil())
}

fn category(raw: Raw) -> readers::Read<Category> {
    readers::named(Category::from_name, "employees, customers, third_parties")(raw)
}
