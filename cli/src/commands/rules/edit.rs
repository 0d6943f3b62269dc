//! `secmon rules edit`.

use super::rule::{self, danger_of, sentence, servers_of};
use super::wanted_rule::{is_live, refuse_options};
use crate::commands::common::args::Justification;
use crate::commands::common::views;
use crate::context::Context;
use crate::error::{CliError, LocalErrorKind};
use crate::references;
use crate::session::Session;
use crate::session::prompt::ConfirmationLevel;
use crate::ui::outcome::{Block, Outcome, Table, to_json};
use crate::values::days;
use crate::values::ports::PortSpec;
use clap::Args;
use secmon::model::Rule;
use secmon::operations::UpdateRule;
use secmon::{FieldErrors, Operation};
use serde_json::Value;

/// Changes to a rule; what is not given stays.
#[derive(Debug, Args)]
pub struct RuleEditArgs {
    /// Id of the rule, or the first 6 or more of its characters
    pub rule: String,
    /// The new port or range, as 22, 22/tcp or 8000-8100/udp
    #[arg(long, value_name = "PORT")]
    pub port: Option<String>,
    /// The new reason: 10 to 500 characters
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
    let session = &context.session;
    let rule = rule::find(session, &args.rule).await?;
    let mut update = changed(&rule, &args)?;
    update.billing_customer_id = rule::customer_of(session, &rule);
    let level = danger_of(session, &rule, ConfirmationLevel::Mild);
    let question = format!("About to change the {}.", rule::about(session, &rule));
    context
        .prompt
        .confirm(level, &question, &rule.id.to_string())?;
    if level != ConfirmationLevel::Mild {
        refuse_changed_since(session, &rule).await?;
    }
    if args.port.is_some() {
        let wanted = PortSpec {
            range: update.ports,
            protocol: update.protocol.clone(),
        };
        if let Some(sentence) = wanted.if_wide() {
            context.screen.note(&sentence);
        }
        refuse_overlap(session, &rule, &wanted).await?;
    }
    let sent = rule::update(session, &rule, update);
    let Some(answer) = sent.await? else {
        return Ok(Outcome::record(Value::Null, Table::of(views::RULE, [])));
    };
    let table = Table::of(views::RULE, [&answer.data]);
    let sentence = sentence(&answer.data, &servers_of(session, &rule));
    Ok(Outcome::record(to_json(&answer.data), table).tell(vec![Block::text(sentence)]))
}

/// Another rule of the server for some of the new ports is named, where the service would refuse them. Whose a rule for all
/// servers is, no list tells: there the service decides.
async fn refuse_overlap(session: &Session, rule: &Rule, wanted: &PortSpec) -> Result<(), CliError> {
    let Some(server) = rule.endpoint_id else {
        return Ok(());
    };
    let rules = references::all_rules(session, |list| list.endpoint_id = Some(server)).await?;
    let mut others = rules.iter().filter(|other| other.id != rule.id);
    match others.find(|other| is_live(other) && wanted.meets(other)) {
        None => Ok(()),
        Some(other) => {
            let message = format!("there is already a rule for {}", views::ports_of(other));
            let error = CliError::new(LocalErrorKind::Overlap, message);
            Err(error.hint(format!("look at it: `rules show {}`", other.id)))
        }
    }
}

/// The service replaces the whole rule: what somebody has changed while a question stood would be lost.
async fn refuse_changed_since(session: &Session, rule: &Rule) -> Result<(), CliError> {
    let now = rule::find(session, &rule.id.to_string()).await?;
    match now == *rule {
        true => Ok(()),
        false => Err(CliError::new(
            LocalErrorKind::ChangedSince,
            format!(
                "rule {} was changed in the meantime, so nothing was sent",
                rule.id
            ),
        )
        .hint(format!("look at it again: `rules show {}`", rule.id))),
    }
}

/// The rule as it is, with the changes: the service replaces the whole rule.
fn changed(rule: &Rule, args: &RuleEditArgs) -> Result<UpdateRule, CliError> {
    let mut update = UpdateRule::from_rule(rule).ok_or_else(|| rule::unreadable(rule))?;
    if let Some(text) = &args.port {
        let port = PortSpec::parse(text)?;
        update.ports = port.range;
        if text.contains('/') {
            update.protocol = port.protocol;
        }
    }
    if let Some(message) = &args.justification.message {
        update.justification.clone_from(message);
    }
    if args.service.is_some() {
        update.service.clone_from(&args.service);
    }
    match args.expires.as_deref() {
        Some("never") => update.expires_at = None,
        Some(day) => update.expires_at = Some(days::day("--expires", day)?),
        None => {}
    }
    let mut problems = FieldErrors::default();
    update.validate(&mut problems);
    refuse_options(&problems)?;
    Ok(update)
}
