//! `secmon alert show`.

use super::allow::allow_command;
use super::rows::ANY;
use crate::commands::common::findings;
use crate::commands::common::views::port_of;
use crate::context::Context;
use crate::error::CliError;
use crate::references::alert::Alert;
use crate::references::alerts;
use crate::references::name_of;
use crate::ui::invocation::quoted;
use crate::ui::outcome::{Block, Cell, Outcome, Table, to_json};
use clap::Args;
use secmon::model::{
    CustomerId, DomainAlert, DomainAlertStatus, DomainAlertType, EndpointDetail, PortAlert,
    PortAlertStatus,
};

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
    let server = server_of(context, alert).await;
    let name = server.as_ref().map(|detail| name_of(&detail.data));
    let mut text = vec![
        Block::text(alert.sentence()),
        Block::Field("id", Cell::text(alert.handle())),
        Block::Field("on", Cell::maybe(name.or_else(|| alert.place()))),
        Block::Field("severity", Cell::maybe(alert.severity())),
        Block::Field("status", Cell::state(alert.status())),
        Block::Field("first seen", Cell::time(alert.first_seen())),
    ];
    match alert {
        Alert::Port(port) => {
            text.extend([
                Block::Field("risk level", Cell::maybe(port.risk_level.as_ref())),
                Block::Field("last seen", Cell::time(port.last_detected_at.as_ref())),
                Block::Field("resolved", Cell::time(port.resolved_at.as_ref())),
            ]);
            if port.status == PortAlertStatus::Resolved {
                let proof = server
                    .as_ref()
                    .and_then(|detail| why_resolved(detail, port));
                text.extend(proof.map(Block::text));
            }
            if port.status == PortAlertStatus::Open {
                text.push(Block::Heading("Next:"));
                text.push(Block::next(
                    allow_command(port, customer),
                    "the port is meant to be open: allow it",
                ));
            }
        }
        Alert::Domain(domain) => {
            text.extend([
                Block::Field("acknowledged", Cell::time(domain.acknowledged_at.as_ref())),
                Block::Field("resolved", Cell::time(domain.resolved_at.as_ref())),
            ]);
            if let Some(explanation) = &domain.explanation {
                text.extend([Block::text(""), Block::text(format!("  {explanation}"))]);
            }
            text.push(Block::Heading("Next:"));
            text.extend(evidence(domain, customer));
            if domain.status == DomainAlertStatus::Open {
                text.push(Block::next(
                    format!("alert ack {} -c {customer}", alert.handle()),
                    "say that somebody has seen it",
                ));
            }
        }
    }
    let table = Table::of(ANY, [alert]);
    Ok(Outcome::record(to_json(alert), table).tell(text))
}

/// The server of an alert with its last scan. One that has ended, or cannot be read, keeps nobody from seeing the alert.
async fn server_of(context: &Context, alert: &Alert) -> Option<EndpointDetail> {
    match alert {
        Alert::Port(alert) => findings::read(&context.session, alert.endpoint_id?)
            .await
            .ok(),
        Alert::Domain(_) => None,
    }
}

/// What the last scan shows of the port of a resolved alert. The service does not say who resolved it, or why.
fn why_resolved(detail: &EndpointDetail, alert: &PortAlert) -> Option<String> {
    let port = port_of(alert);
    let scan = findings::scan_time(detail)?;
    let open = findings::open_ports(detail)?;
    Some(match open.contains(&alert.port) {
        false => format!("  {port}: not open in the scan of {scan}."),
        true if findings::is_allowed(detail, alert.port) => {
            format!("  {port}: open in the scan of {scan}, and allowed by a rule.")
        }
        true => format!(
            "  {port}: open in the scan of {scan}, and no rule allows it. A scan that finds it open raises a new alert."
        ),
    })
}

/// The command that shows what was found.
fn evidence(alert: &DomainAlert, customer: CustomerId) -> Option<Block> {
    let domain = alert.domain.as_deref().map(quoted)?;
    Some(match alert.kind {
        DomainAlertType::DarkWebMention => Block::next(
            format!("domain mentions {domain} -c {customer}"),
            "where it is mentioned",
        ),
        _ => Block::next(
            format!("domain leaks {domain} -c {customer}"),
            "whose credentials they are, and where they leaked",
        ),
    })
}
