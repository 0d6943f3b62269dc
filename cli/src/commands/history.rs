//! `secmon history`: what was changed from this machine.

use crate::args::{HistoryArgs, HistoryCommand};
use crate::context::Context;
use crate::durations::{self, counted};
use crate::error::CliError;
use crate::history::{self, Entry};
use crate::outcome::{Cell, Column, Line, Outcome, Table, shown, to_json, wide, with_room};
use crate::references::{self, Named};
use chrono::DateTime;

const COLUMNS: &[Column] = &[
    shown("id"),
    shown("at"),
    with_room("user"),
    with_room("operation"),
    shown("about"),
    with_room("result"),
    wide("service"),
    wide("command"),
];
/// So many changes are shown unless -L says another number.
const LATEST: usize = 50;
const CHANGE: Named = Named {
    one: "change",
    list: "history",
};

/// Runs the command.
pub fn run(context: &Context, args: &HistoryArgs) -> Result<Outcome, CliError> {
    let mut entries = history::read()?;
    if let Some(HistoryCommand::Show { id }) = &args.command {
        let entry =
            references::by_id_or_prefix(context, id, CHANGE, entries, |entry| entry.id.clone())?;
        return Ok(one(&entry));
    }
    if let Some(since) = &args.since {
        let earliest = chrono::Utc::now() - durations::length("--since", since)?;
        entries
            .retain(|entry| DateTime::parse_from_rfc3339(&entry.at).is_ok_and(|at| at >= earliest));
    }
    if let Some(user) = &args.user {
        entries.retain(|entry| entry.user == *user);
    }
    if let Some(server) = &args.endpoint {
        entries.retain(|entry| names(&entry.about, server) || names(&entry.command, server));
    }
    let display = &context.settings.display;
    let shown = match (&display.sort, display.limit) {
        (Some(_), _) => entries.len(),
        (None, limit) => limit.unwrap_or(LATEST).min(entries.len()),
    };
    let earlier = entries.len() - shown;
    if earlier > 0 {
        context.note(&format!(
            "{} not shown: allow a larger -L",
            counted(earlier, "earlier change")
        ));
    }
    Ok(Outcome::list(&entries[earlier..], COLUMNS, row))
}

/// Whether a text has this name as a whole: 203.0.113.1 is no part of 203.0.113.10.
fn names(text: &str, name: &str) -> bool {
    let (text, name) = (text.to_lowercase(), name.trim().to_lowercase());
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
    let stands_alone = |at: usize| {
        let (before, rest) = text.split_at(at);
        let after = rest.get(name.len()..).unwrap_or_default();
        !before.ends_with(joins) && !after.starts_with(joins)
    };
    !name.is_empty() && text.match_indices(&name).any(|(at, _)| stands_alone(at))
}

fn row(entry: &Entry) -> Vec<Cell> {
    vec![
        Cell::text(&entry.id),
        entry
            .at
            .parse()
            .map_or_else(|_| Cell::text(&entry.at), Cell::Time),
        Cell::text(&entry.user),
        Cell::text(&entry.operation),
        Cell::text(&entry.about),
        Cell::state(&entry.result),
        Cell::text(&entry.service),
        Cell::text(&entry.command),
    ]
}

fn one(entry: &Entry) -> Outcome {
    let story = vec![
        Line::text(format!("{}: {}", entry.operation, entry.about)),
        Line::Field("id", Cell::text(&entry.id)),
        Line::Field("at", Cell::text(&entry.at)),
        Line::Field("user", Cell::text(&entry.user)),
        Line::Field("service", Cell::text(&entry.service)),
        Line::Field("command", Cell::text(&entry.command)),
        Line::Field("result", Cell::state(&entry.result)),
        Line::Field("took", Cell::text(format!("{} ms", entry.duration_ms))),
    ];
    Outcome::record(to_json(entry), Table::one(COLUMNS, row(entry))).tell(story)
}
