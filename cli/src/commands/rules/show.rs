//! `secmon rules show`.

use super::rule::{self, sentence};
use crate::commands::common::views::{self, place_of};
use crate::error::CliError;
use crate::session::Session;
use crate::ui::outcome::{Cell, Line, Outcome, Table, to_json};
use clap::Args;

/// The rule to show.
#[derive(Debug, Args)]
pub struct RuleShowArgs {
    /// Id of the rule, or the first 6 or more of its characters
    pub rule: String,
}

/// Runs the command.
pub async fn run(session: &Session, args: &RuleShowArgs) -> Result<Outcome, CliError> {
    let rule = rule::find(session, &args.rule).await?;
    let table = Table::of(views::RULE, [&rule]);
    let story = vec![
        Line::text(sentence(&rule, &place_of(&rule))),
        Line::Field("id", Cell::text(rule.id)),
        Line::LongField("reason", Cell::maybe(rule.justification.as_ref())),
        Line::Field("service", Cell::maybe(rule.service.as_ref())),
        Line::Field("expires", Cell::due(rule.expires_at.as_ref())),
        Line::Field("active", Cell::maybe(rule.is_active)),
        Line::Field("made", Cell::time(rule.created_at.as_ref())),
    ];
    Ok(Outcome::record(to_json(&rule), table).tell(story))
}
