//! One target: what happened to it, what its first scan found, and what may come next.

use crate::bulk::{self, Done, Item};
use crate::commands::common::args::WaitArgs;
use crate::commands::common::polling::{Awaited, Wait};
use crate::commands::common::{findings, new_customer, other_owners};
use crate::commands::domain::bars;
use crate::commands::provision::WORDS;
use crate::commands::provision::sending::send;
use crate::context::Context;
use crate::error::{CliError, Own};
use crate::references::targets::Target;
use crate::ui::outcome::{Line, Outcome, to_json};
use crate::values::durations;
use secmon::model::{CustomerId, DomainId, EndpointId, ScanStatus};
use secmon::operations::GetDomainSummary;
use std::time::Duration;
use uuid::Uuid;

/// Provisions one target.
pub async fn run(context: &Context, target: &Target, args: &WaitArgs) -> Result<Outcome, CliError> {
    let length = durations::length("--wait-timeout", &args.wait_timeout)?;
    other_owners::confirm(context, target.place()).await?;
    new_customer::announce(&context.session, &context.screen, target.customer()).await?;
    let halfway = |done: Done| {
        context.session.on_interrupt(
            "interrupted: the server is provisioned, and its nickname is not set",
            format!("set it: `endpoint rename {} NAME`", done.id),
        );
    };
    let end = send(&context.session, target, halfway).await?;
    let id = end.done().and_then(|done| done.id.parse::<Uuid>().ok());
    let customer = target.customer();
    let item = Item {
        row: None,
        target: target.name().to_owned(),
        customer: Some(customer),
        end,
    };
    let mut outcome = bulk::conclude(&context.screen, WORDS, vec![item])?;
    let Some(id) = id else { return Ok(outcome) };
    match (target, args.wait) {
        (Target::Server(_), true) => {
            let server = Awaited {
                id: id.into(),
                customer,
                name: target.name().to_owned(),
                since: None,
            };
            let waited = await_server(context, server, length, &mut outcome);
            outcome.trouble = waited.await.err();
        }
        (Target::Domain(_), true) => {
            outcome.trouble = await_domain(context, (id.into(), customer), length, &mut outcome)
                .await
                .err();
        }
        (Target::Server(_), false) => {
            let next = server_next(&outcome, id.into());
            suggest(&mut outcome, next, customer);
        }
        (Target::Domain(_), false) => {
            let domain = outcome.result["domain"].as_str();
            let domain = domain.map_or_else(|| id.to_string(), str::to_owned);
            let show = Line::next(
                format!("domain show {domain} -c {customer}"),
                "see what is found",
            );
            suggest(&mut outcome, show, customer);
        }
    }
    Ok(outcome)
}

fn server_next(outcome: &Outcome, id: EndpointId) -> Line {
    match outcome.result["status"].as_str() {
        Some("paused") => Line::next(format!("endpoint resume {id}"), "have it scanned again"),
        _ if outcome.result["created"] != false => {
            Line::next(format!("endpoint wait {id}"), "wait for the first scan")
        }
        _ => Line::next(format!("endpoint show {id}"), "see what its scans found"),
    }
}

fn suggest(outcome: &mut Outcome, first: Line, customer: CustomerId) {
    let alerts = Line::next(
        format!("alert list -c {customer}"),
        "see the alerts of this customer",
    );
    outcome
        .story
        .extend([Line::Heading("Next:"), first, alerts]);
}

/// Waits for the first scan of a server, and adds what it found.
pub async fn await_server(
    context: &Context,
    server: Awaited,
    length: Duration,
    outcome: &mut Outcome,
) -> Result<(), CliError> {
    let id = server.id;
    let wait = Wait::new(length, format!("endpoint wait {id}"));
    wait.for_scans(context, &[server]).await?;
    let detail = findings::read(&context.session, id).await?;
    findings::check(&detail)?;
    outcome.result["latest_scan"] = to_json(&detail.latest_scan);
    outcome.story.extend(findings::story(&detail));
    outcome.story.extend(findings::next(&detail));
    Ok(())
}

async fn await_domain(
    context: &Context,
    (id, customer): (DomainId, CustomerId),
    length: Duration,
    outcome: &mut Outcome,
) -> Result<(), CliError> {
    let wait = Wait::new(length, format!("domain show {id} -c {customer}"));
    let summary = wait
        .until(context, async || {
            let summary = context
                .session
                .read(GetDomainSummary::new(customer, id))
                .await?
                .into_data();
            Ok(summary.last_scan_at.is_some().then_some(summary))
        })
        .await?;
    if summary.scan_status == Some(ScanStatus::Failed) {
        let message = format!("the scan of {} failed", summary.domain);
        return Err(CliError::new(Own::ScanFailed, message));
    }
    outcome
        .story
        .push(Line::Heading("Compromised credentials and mentions:"));
    outcome.story.extend(bars::counts(&summary));
    outcome.result["summary"] = to_json(&summary);
    Ok(())
}
