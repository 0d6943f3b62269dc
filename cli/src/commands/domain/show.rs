//! `secmon domain show`.

use super::bars;
use super::named::{self, DomainArg};
use crate::commands::common::views;
use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::{Block, Cell, Outcome, Table, to_json};
use secmon::model::MonitoredDomain;
use secmon::operations::GetDomainSummary;

/// Runs the command.
pub async fn run(context: &Context, args: &DomainArg) -> Result<Outcome, CliError> {
    let (domain, customer) = named::one(context, &args.domain).await?;
    let summary = GetDomainSummary::new(customer, domain.id);
    let summary = context.session.read(summary).await?;
    let strength = summary.password_strength.as_ref().map(|strength| {
        let counts = strength.iter();
        let counts = counts.map(|(name, count)| format!("{count} {name}"));
        counts.collect::<Vec<_>>().join(", ")
    });
    let slots = summary
        .slots_used
        .zip(summary.slots_total)
        .map(|(used, total)| format!("{used} of {total} in use"));
    let mut text = vec![
        Block::text(&summary.domain),
        Block::Field("id", Cell::text(summary.id)),
        Block::Field("customer", Cell::text(customer)),
        Block::Field("status", Cell::text(status_and_why(&summary))),
        Block::Field("last scan", Cell::time(summary.last_scan_at.as_ref())),
        Block::Field("slots", Cell::maybe(slots)),
        Block::Field("passwords", Cell::maybe(strength)),
        Block::Heading("Leaked logins and mentions:"),
    ];
    text.extend(bars::counts(&summary));
    let table = Table::of(views::DOMAIN, [&summary]);
    Ok(Outcome::record(to_json(&summary), table).tell(text))
}

fn status_and_why(domain: &MonitoredDomain) -> String {
    match domain.quota_paused {
        Some(true) => format!("{} (by the platform: the slots are used up)", domain.status),
        _ => domain.status.to_string(),
    }
}
