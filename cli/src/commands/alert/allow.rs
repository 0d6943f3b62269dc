//! `secmon alert allow`: the rule that allows the port of an alert.

use crate::bulk::VerbLabels;
use crate::bulk::args::RunArgs;
use crate::commands::common::args::{Justification, justification};
use crate::commands::common::findings::REASON_PLACE;
use crate::commands::rules::create::{self, OnOverlap};
use crate::commands::rules::wanted_rule::{Place, RuleTerms, WantedRule};
use crate::context::Context;
use crate::error::{CliError, if_found};
use crate::references;
use crate::references::alert::Alert;
use crate::references::alerts;
use crate::session::Session;
use crate::ui::invocation::quoted;
use crate::ui::outcome::Outcome;
use crate::values::ports::PortSpec;
use clap::Args;
use secmon::model::{CustomerId, PortAlert, PortRange};
use std::num::NonZeroU16;

/// Alerts whose ports to allow.
#[derive(Debug, Args)]
pub struct AlertAllowArgs {
    /// Ids of the alerts, or the first 6 or more of their characters
    #[arg(value_name = "ALERT", required = true)]
    pub alerts: Vec<String>,
    /// Why the port is meant to be open
    #[command(flatten)]
    pub justification: Justification,
    /// Last day on which the rule applies: 2026-12-31, 31.12.2026, 90d from today, or "end of next month"
    #[arg(long, value_name = "DAY|PERIOD", alias = "until")]
    pub expires: Option<String>,
    /// How the run is made
    #[command(flatten)]
    pub run: RunArgs,
}

const ALLOWED: VerbLabels = VerbLabels {
    done: "allowed",
    skipped: "already allowed",
};

/// The command that allows an alert's port.
pub fn allow_command(alert: &PortAlert, customer: CustomerId) -> String {
    format!("alert allow {} -m {REASON_PLACE} -c {customer}", alert.id)
}

/// Whether its server has ended, as far as this computer knows: then no scan comes, and no rule helps.
pub fn is_of_gone_server(session: &Session, alert: &PortAlert) -> bool {
    let mut ended = references::ended_servers(session).into_iter();
    ended.any(|server| Some(server.id) == alert.endpoint_id)
}

/// `secmon alert allow`.
pub async fn run(context: &Context, args: AlertAllowArgs) -> Result<Outcome, CliError> {
    let reason = justification(context, &args.justification, &what(&args.alerts))?;
    let terms = RuleTerms::new(reason, None, args.expires.as_deref())?;
    let mut wanted = Vec::new();
    for alert in alerts::find(context, &args.alerts).await? {
        match alert {
            Alert::Port(alert) => wanted.push(rule_for(context, &alert, &terms).await?),
            Alert::Domain(_) => {
                return Err(CliError::usage(format!(
                    "{} is about a domain, not about a port: there is nothing to allow",
                    alert.handle()
                ))
                .hint(format!(
                    "acknowledge it with `alert ack {0}`, resolve it with `alert resolve {0} --ack`",
                    quoted(&alert.handle())
                )));
            }
        }
    }
    // A port that is allowed for ever is not allowed until that day.
    let on_overlap = match args.expires {
        Some(_) => OnOverlap::Fail,
        None => OnOverlap::Skip,
    };
    create::run(context, ALLOWED, &wanted, on_overlap, &args.run).await
}

/// What is meant to be open, as far as it was typed.
fn what(alerts: &[String]) -> String {
    match alerts {
        [one] if one != "-" => format!("the port of alert {one}"),
        _ => "each of these ports".to_owned(),
    }
}

async fn rule_for(
    context: &Context,
    alert: &PortAlert,
    terms: &RuleTerms,
) -> Result<WantedRule, CliError> {
    let unclear = || {
        CliError::not_found(format!(
            "alert {} does not say which server and port it is about",
            alert.id
        ))
    };
    let endpoint = alert.endpoint_id.ok_or_else(unclear)?;
    let port = NonZeroU16::new(alert.port).ok_or_else(unclear)?;
    let found = references::endpoint(context, &endpoint.to_string()).await;
    let endpoint = if_found(found)?.ok_or_else(|| {
        CliError::not_found(format!(
            "alert {} is about a server that has ended: there is nothing to allow",
            alert.id
        ))
    })?;
    Ok(WantedRule {
        place: Place::Server(Box::new(endpoint)),
        port: PortSpec {
            range: PortRange::single(port),
            protocol: alert.protocol.clone(),
        },
        terms: terms.clone(),
    })
}
