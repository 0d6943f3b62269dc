//! One target: what happened to it, what its first scan found, and what may come next.

use super::args::ProvisionArgs;
use crate::bulk::{self, Applied, Created, Item, Label};
use crate::commands::common::polling::{Awaited, Wait};
use crate::commands::common::{findings, new_customer, other_owners, unreachable};
use crate::commands::domain::bars;
use crate::commands::domain::provision::Presence;
use crate::commands::provision::sending::send;
use crate::context::Context;
use crate::error::{CliError, LocalErrorKind};
use crate::references::targets::Target;
use crate::ui::outcome::{Block, Outcome, to_json};
use crate::values::durations;
use secmon::model::{DomainId, ScanStatus};
use secmon::operations::GetDomainSummary;
use std::time::Duration;
use uuid::Uuid;

/// Provisions one target.
pub async fn run(
    context: &Context,
    target: &Target,
    args: &ProvisionArgs,
) -> Result<Outcome, CliError> {
    let wait = &args.wait;
    let length = durations::length("--wait-timeout", &wait.wait_timeout)?;
    unreachable::tell(context, target.place());
    let domain: Vec<_> = target.watched().into_iter().collect();
    other_owners::tell_of_domains(&context.session, &context.screen, &domain);
    other_owners::confirm(context, target.place()).await?;
    new_customer::agree(context, target.customer(), &args.contact).await?;
    let halfway = |done: Applied| {
        context.session.on_interrupt(
            "interrupted: the server is provisioned, and its nickname is not set",
            format!("set it: `endpoint rename {} NAME`", done.id),
        );
    };
    let presence = presence(context, target);
    let outcome = send(&context.session, target, presence, halfway).await?;
    let applied = outcome.applied().cloned();
    let customer = target.customer();
    let label = Label::of(target.name(), Some(customer));
    let mut outcome = bulk::conclude_one(Item::of(label, outcome))?;
    let Some(applied) = applied else {
        return Ok(outcome);
    };
    let Ok(id) = applied.id.parse::<Uuid>() else {
        return Ok(outcome);
    };
    if !wait.wait {
        outcome.text.extend(next(&applied, target));
        return Ok(outcome);
    }
    let waited = match target {
        Target::Server(_) => {
            let server = Awaited {
                id: id.into(),
                customer,
                name: target.name().to_owned(),
                since: None,
            };
            await_server(context, server, length, &mut outcome).await
        }
        Target::Domain(_) => {
            let summary = GetDomainSummary::new(customer, DomainId::from(id));
            await_domain(context, summary, length, &mut outcome).await
        }
    };
    outcome.deferred_error = waited.err();
    Ok(outcome)
}

/// What this computer has ended is in no list any more: the service restores it.
fn presence(context: &Context, target: &Target) -> Presence {
    let (Some((_, address, customer)), Some(state)) = (target.place(), context.session.state())
    else {
        return Presence::Unknown;
    };
    let is_ended = state
        .gone_servers()
        .iter()
        .any(|server| server.customer == Some(customer) && server.ip.parse() == Ok(address));
    match is_ended {
        true => Presence::Absent,
        false => Presence::Unknown,
    }
}

fn next(applied: &Applied, target: &Target) -> [Block; 3] {
    let (id, customer) = (&applied.id, target.customer());
    let (command, purpose) = match target {
        Target::Domain(request) => {
            let command = format!("domain show {} -c {customer}", request.domain);
            (command, "see what is found")
        }
        Target::Server(_) if applied.is_paused => {
            (format!("endpoint resume {id}"), "have it scanned again")
        }
        Target::Server(_) if applied.created != Created::No => {
            (format!("endpoint wait {id}"), "wait for the first scan")
        }
        Target::Server(_) => (format!("endpoint show {id}"), "see what its scans found"),
    };
    let alerts = format!("alert list -c {customer}");
    [
        Block::Heading("Next:"),
        Block::next(command, purpose),
        Block::next(alerts, "see the alerts of this customer"),
    ]
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
    outcome.text.extend(findings::text(&detail));
    outcome.text.extend(findings::next(&detail));
    Ok(())
}

async fn await_domain(
    context: &Context,
    summary: GetDomainSummary,
    length: Duration,
    outcome: &mut Outcome,
) -> Result<(), CliError> {
    let (id, customer) = (summary.domain_id, summary.billing_customer_id);
    let wait = Wait::new(length, format!("domain show {id} -c {customer}"));
    let summary = wait
        .until(context, async || {
            let summary = context.session.read(summary.clone()).await?;
            Ok(summary.last_scan_at.is_some().then_some(summary))
        })
        .await?;
    if summary.scan_status == Some(ScanStatus::Failed) {
        let message = format!("the scan of {} failed", summary.domain);
        return Err(CliError::new(LocalErrorKind::ScanFailed, message));
    }
    outcome
        .text
        .push(Block::Heading("Compromised credentials and mentions:"));
    outcome.text.extend(bars::counts(&summary));
    outcome.result["summary"] = to_json(&summary);
    Ok(())
}
