//! `secmon rules show`.

use super::rule::{self, sentence};
use crate::commands::common::views::{self, place_of};
use crate::error::CliError;
use crate::session::Session;
use crate::ui::outcome::{Block, Cell, Outcome, Table, to_json};
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
    let text = vec![
        Block::text(sentence(&rule, &place_of(&rule))),
        Block::Field("id", Cell::text(rule.id)),
        Block::LongField("reason", Cell::maybe(rule.justification.as_ref())),
        Block::Field("service", Cell::maybe(rule.service.as_ref())),
        Block::Field("expires", Cell::due(rule.expires_at.as_ref())),
        Block::Field("active", Cell::maybe(rule.is_active)),
        Block::Field("made", Cell::time(rule.created_at.as_ref())),
    ];
    Ok(Outcome::record(to_json(&rule), table).tell(text))
}
