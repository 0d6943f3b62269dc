//! `secmon rules edit`.

use super::rule::{self, danger_of, owner_of, sentence, servers_of};
use crate::commands::common::args::Justification;
use crate::commands::common::views;
use crate::context::Context;
use crate::error::CliError;
use crate::notebook::way_back::WayBack;
use crate::session::prompt::Danger;
use crate::ui::outcome::{Line, Outcome, Table, to_json};
use crate::values::days;
use crate::values::ports::PortSpec;
use clap::Args;
use secmon::model::Rule;
use secmon::operations::UpdateRule;
use serde_json::Value;

/// Changes to a rule; what is not given stays.
#[derive(Debug, Args)]
pub struct RuleEditArgs {
    /// Id of the rule, or the first 6 or more of its characters
    pub rule: String,
    /// The new port or range, as 22, 22/tcp or 8000-8100/udp
    #[arg(long, value_name = "PORT")]
    pub port: Option<String>,
    /// The new justification
    #[command(flatten)]
    pub justification: Justification,
    /// The new name of the service
    #[arg(long, value_name = "NAME")]
    pub service: Option<String>,
    /// The new last day: 2026-12-31, 31.12.2026, 90d, "end of next month", or never
    #[arg(long, value_name = "DAY|PERIOD|never", alias = "until")]
    pub expires: Option<String>,
}

/// Runs the command.
pub async fn run(context: &Context, args: RuleEditArgs) -> Result<Outcome, CliError> {
    if args.port.is_none()
        && args.justification.message.is_none()
        && args.service.is_none()
        && args.expires.is_none()
    {
        return Err(CliError::usage(
            "nothing to change: give --port, -m, --service or --expires",
        ));
    }
    let rule = rule::find(&context.session, &args.rule).await?;
    let mut update = changed(&rule, args)?;
    update.billing_customer_id = context.session.settings.customer;
    let session = &context.session;
    context.prompt.confirm(
        danger_of(session, &rule, Danger::Mild),
        &format!("About to change the {}.", rule::about(session, &rule)),
        &rule.id.to_string(),
    )?;
    let way_back = WayBack::EditRule {
        rule: Box::new(rule.clone()),
        customer: owner_of(session, &rule),
    };
    let sent = rule::send(session, ("changing", &rule), update, Some(way_back));
    let Some(answer) = sent.await? else {
        return Ok(Outcome::record(Value::Null, Table::of(views::RULE, [])));
    };
    let table = Table::of(views::RULE, [&answer.data]);
    let sentence = sentence(&answer.data, &servers_of(session, &rule));
    Ok(Outcome::record(to_json(&answer.data), table).tell(vec![Line::text(sentence)]))
}

/// The rule as it is, with the changes: the service replaces the whole rule.
fn changed(rule: &Rule, args: RuleEditArgs) -> Result<UpdateRule, CliError> {
    let mut update = UpdateRule::from_rule(rule).ok_or_else(|| rule::unreadable(rule))?;
    if let Some(text) = &args.port {
        let port = PortSpec::parse(text)?;
        update.ports = port.range;
        if text.contains('/') {
            update.protocol = port.protocol;
        }
    }
    if let Some(message) = args.justification.message {
        update.justification = message;
    }
    update.service = args.service.or(update.service);
    match args.expires.as_deref() {
        Some("never") => update.expires_at = None,
        Some(day) => update.expires_at = Some(days::day("--expires", day)?),
        None => {}
    }
    Ok(update)
}
