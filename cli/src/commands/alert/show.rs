//! `secmon alert show`.

use super::allow::allow_command;
use super::rows::ANY;
use crate::context::Context;
use crate::error::CliError;
use crate::references::alert::Alert;
use crate::references::alerts;
use crate::ui::invocation::quoted;
use crate::ui::outcome::{Cell, Line, Outcome, Table, to_json};
use clap::Args;
use secmon::model::{CustomerId, DomainAlert, DomainAlertStatus, DomainAlertType, PortAlertStatus};

/// The alert to show.
#[derive(Debug, Args)]
pub struct AlertShowArgs {
    /// Id of the alert, or the first 6 or more of its characters; DOMAIN/ID for a domain alert
    pub alert: String,
}

/// Runs the command.
pub async fn run(context: &Context, args: &AlertShowArgs) -> Result<Outcome, CliError> {
    let name = args.alert.as_str();
    let found = alerts::find(context, &[name.to_owned()]).await?;
    let Some(alert) = found.first() else {
        return Err(CliError::not_found(format!("no alert {name:?}")));
    };
    let customer = context.customer()?;
    let mut story = vec![
        Line::text(alert.sentence()),
        Line::Field("id", Cell::text(alert.handle())),
        Line::Field("on", Cell::maybe(alert.place())),
        Line::Field("severity", Cell::maybe(alert.severity())),
        Line::Field("status", Cell::state(alert.status())),
        Line::Field("first seen", Cell::time(alert.first_seen())),
    ];
    match alert {
        Alert::Port(port) => {
            story.extend([
                Line::Field("risk level", Cell::maybe(port.risk_level.as_ref())),
                Line::Field("last seen", Cell::time(port.last_detected_at.as_ref())),
                Line::Field("resolved", Cell::time(port.resolved_at.as_ref())),
            ]);
            if port.status == PortAlertStatus::Open {
                story.push(Line::Heading("Next:"));
                story.push(Line::next(
                    allow_command(port, customer),
                    "the port is meant to be open: allow it",
                ));
            }
        }
        Alert::Domain(domain) => {
            story.extend([
                Line::Field("acknowledged", Cell::time(domain.acknowledged_at.as_ref())),
                Line::Field("resolved", Cell::time(domain.resolved_at.as_ref())),
            ]);
            if let Some(explanation) = &domain.explanation {
                story.extend([Line::text(""), Line::text(format!("  {explanation}"))]);
            }
            story.push(Line::Heading("Next:"));
            story.extend(evidence(domain, customer));
            if domain.status == DomainAlertStatus::Open {
                story.push(Line::next(
                    format!("alert ack {} -c {customer}", alert.handle()),
                    "say that somebody has seen it",
                ));
            }
        }
    }
    let table = Table::of(ANY, [alert]);
    Ok(Outcome::record(to_json(alert), table).tell(story))
}

/// The command that shows what was found.
fn evidence(alert: &DomainAlert, customer: CustomerId) -> Option<Line> {
    let domain = alert.domain.as_deref().map(quoted)?;
    Some(match alert.kind {
        DomainAlertType::DarkWebMention => Line::next(
            format!("domain mentions {domain} -c {customer}"),
            "where it is mentioned",
        ),
        _ => Line::next(
            format!("domain leaks {domain} -c {customer}"),
            "whose credentials they are, and where they leaked",
        ),
    })
}
