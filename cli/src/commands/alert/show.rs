//! `secmon alert show`.

use super::allow::allow_command;
use super::rows::{self, ANY};
use crate::commands::common::findings;
use crate::commands::common::views::port_of;
use crate::context::Context;
use crate::error::{CliError, if_found};
use crate::references::alert::Alert;
use crate::references::alerts;
use crate::references::name_of;
use crate::ui::invocation::quoted;
use crate::ui::outcome::{Block, Cell, Outcome, Table};
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
    let server = AlertServer::read(context, alert).await;
    let name = server.detail().map(|detail| name_of(&detail.data));
    let mut text = vec![
        Block::text(alert.sentence()),
        Block::Field("id", Cell::text(alert.handle())),
        Block::Field("on", Cell::maybe(name.or_else(|| alert.place()))),
        Block::Field("severity", Cell::maybe(alert.severity())),
        Block::Field("status", status(alert, &server)),
        Block::Field("first seen", Cell::time(alert.first_seen())),
    ];
    text.extend(match alert {
        Alert::Port(port) => of_port(port, &server, customer),
        Alert::Domain(domain) => of_domain(domain, &alert.handle(), customer),
    });
    let table = Table::of(ANY, [alert]);
    let record = rows::row(&customer, alert, matches!(server, AlertServer::Ended));
    Ok(Outcome::record(record, table).tell(text))
}

/// As the list of alerts shows it.
fn status(alert: &Alert, server: &AlertServer) -> Cell {
    let is_over = alert.status() == "open" && matches!(server, AlertServer::Ended);
    match is_over {
        true => Cell::state("server ended"),
        false => Cell::state(alert.status()),
    }
}

fn of_port(alert: &PortAlert, server: &AlertServer, customer: CustomerId) -> Vec<Block> {
    let mut text = vec![
        Block::Field("risk level", Cell::maybe(alert.risk_level.as_ref())),
        Block::Field("last seen", Cell::time(alert.last_detected_at.as_ref())),
        Block::Field("resolved", Cell::time(alert.resolved_at.as_ref())),
    ];
    match (&alert.status, server) {
        (PortAlertStatus::Resolved, server) => {
            let proof = server
                .detail()
                .and_then(|detail| why_resolved(detail, alert));
            text.extend(proof.map(Block::text));
        }
        (PortAlertStatus::Open, AlertServer::Ended) => {
            text.push(Block::text(
                "  The server is no longer monitored: nothing needs to be done.",
            ));
        }
        (PortAlertStatus::Open, _) => {
            text.push(Block::Heading("Next:"));
            text.push(Block::next(
                allow_command(alert, customer),
                "allow the port, if it is meant to be open",
            ));
        }
        _ => {}
    }
    text
}

fn of_domain(alert: &DomainAlert, handle: &str, customer: CustomerId) -> Vec<Block> {
    let mut text = vec![
        Block::Field("acknowledged", Cell::time(alert.acknowledged_at.as_ref())),
        Block::Field("resolved", Cell::time(alert.resolved_at.as_ref())),
    ];
    if let Some(explanation) = &alert.explanation {
        text.extend([Block::text(""), Block::text(format!("  {explanation}"))]);
    }
    text.push(Block::Heading("Next:"));
    text.extend(evidence(alert, customer));
    if alert.status == DomainAlertStatus::Open {
        text.push(Block::next(
            format!("alert ack {handle} -c {customer}"),
            "say that somebody has seen it",
        ));
    }
    text
}

/// The server of a port alert. One that has ended, or cannot be read, keeps nobody from seeing the alert.
enum AlertServer {
    Read(Box<EndpointDetail>),
    Ended,
    Unread,
}

impl AlertServer {
    async fn read(context: &Context, alert: &Alert) -> Self {
        let id = match alert {
            Alert::Port(alert) => alert.endpoint_id,
            Alert::Domain(_) => None,
        };
        let Some(id) = id else { return Self::Unread };
        match if_found(findings::read(&context.session, id).await) {
            Ok(Some(detail)) => Self::Read(Box::new(detail)),
            Ok(None) => Self::Ended,
            Err(_) => Self::Unread,
        }
    }

    /// With its last scan.
    fn detail(&self) -> Option<&EndpointDetail> {
        match self {
            Self::Read(detail) => Some(detail),
            Self::Ended | Self::Unread => None,
        }
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
