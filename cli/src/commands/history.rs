//! `secmon history`: what was changed from this machine.

use crate::commands::undo;
use crate::context::Context;
use crate::error::CliError;
use crate::notebook::history::{self, Entry};
use crate::notebook::index::Index;
use crate::references::{self, Reference};
use crate::session::account;
use crate::ui::outcome::{Cell, Field, Line, Outcome, Table, shown, to_json, wide, with_room};
use crate::values::durations::{self, counted};
use chrono::DateTime;
use clap::{Args, Subcommand};
use uuid::Uuid;

/// What was changed from this machine, oldest first.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct HistoryArgs {
    /// Only changes within this time, as 30d
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only changes that touched this server: id, address, host name or nickname
    #[arg(long, value_name = "ENDPOINT")]
    pub endpoint: Option<String>,
    /// Only changes by this user of the machine
    #[arg(long, value_name = "USER")]
    pub user: Option<String>,
    /// One change
    #[command(subcommand)]
    pub command: Option<HistoryCommand>,
}

/// One change.
#[derive(Debug, Subcommand)]
pub enum HistoryCommand {
    /// Show one change
    Show {
        /// Its id, or the first 6 or more of its characters
        id: String,
    },
}

const COLUMNS: &[Field<Entry>] = &[
    shown("id").of(|entry| Cell::text(&entry.id)),
    shown("at").of(|entry| {
        entry
            .at
            .parse()
            .map_or_else(|_| Cell::text(&entry.at), Cell::Time)
    }),
    with_room("user").of(|entry| Cell::text(&entry.user)),
    shown("customer").of(|entry| listed(entry.customers.as_deref().unwrap_or_default())),
    shown("operation").of(|entry| Cell::text(&entry.operation)),
    shown("about").of(|entry| Cell::text(&entry.about)),
    shown("result").of(|entry| Cell::state(&entry.result)),
    wide("service").of(|entry| Cell::text(&entry.service)),
    wide("command").of(|entry| Cell::text(&entry.command)),
    wide("ids").of(|entry| listed(entry.ids.as_deref().unwrap_or_default())),
    wide("moved").of(|entry| listed(&entry.moved)),
];

/// So many changes are shown unless -L says another number.
const LATEST: usize = 50;

/// Runs the command.
pub fn run(context: &Context, args: &HistoryArgs) -> Result<Outcome, CliError> {
    let mut entries = history::read()?;
    let undone = undo::undone(&entries);
    if let Some(customer) = context.session.settings.customer {
        entries.retain(|entry| entry.is_about(customer));
    }
    if let Some(HistoryCommand::Show { id }) = &args.command {
        let entry =
            references::by_id_or_prefix(&context.session, id, undo::CHANGE, entries, |entry| {
                entry.id.clone()
            })?;
        return Ok(one(&entry, &undone));
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
        let server = Reference::parse(server)?;
        let server = Sought::new(context, &entries, &server);
        entries.retain(|entry| server.is_touched_by(entry));
    }
    let display = &context.session.settings.display;
    let shown = match (&display.sort, display.limit) {
        (Some(_), _) => entries.len(),
        (None, limit) => limit.unwrap_or(LATEST).min(entries.len()),
    };
    let earlier = entries.len() - shown;
    if earlier > 0 {
        context.screen.note(&format!(
            "{} not shown: give a larger -L",
            counted(earlier, "earlier change")
        ));
    }
    if entries.is_empty() {
        context.screen.note(
            "only changes made from this machine are recorded here: for others, see `history` on your colleagues' machines or ask the vendor for the log of your API key",
        );
    }
    Ok(Outcome::list(&entries[earlier..], COLUMNS))
}

/// What a server may be called in a change.
struct Sought<'a> {
    name: &'a str,
    ids: Vec<Uuid>,
    addresses: Vec<String>,
}

impl<'a> Sought<'a> {
    /// The server as it was typed, as commands have seen it, and as earlier changes name it: it may be gone.
    fn new(context: &Context, entries: &[Entry], typed: &Reference<'a>) -> Self {
        let service = context.session.settings.service.as_ref().ok();
        let account = service.and_then(account::known);
        let servers = account.map(|account| Index::read(&account).servers);
        let servers = servers.unwrap_or_default();
        let known = match typed.id {
            Some(id) => servers.iter().filter(|server| server.id == id).collect(),
            None => typed.fit(&servers).servers,
        };
        let named = entries
            .iter()
            .filter(|entry| {
                entry.operation.ends_with("_endpoint") && names(&entry.about, typed.text)
            })
            .flat_map(|entry| entry.ids.iter().flatten().copied());
        let ids = typed
            .id
            .into_iter()
            .chain(known.iter().map(|server| server.id));
        Self {
            name: typed.text,
            ids: ids.map(Uuid::from).chain(named).collect(),
            addresses: known.iter().map(|server| server.ip.clone()).collect(),
        }
    }

    /// Whether a change touched it. A line without ids may tell it by the command alone.
    fn is_touched_by(&self, entry: &Entry) -> bool {
        let touched = match &entry.ids {
            Some(ids) => ids.iter().any(|id| self.ids.contains(id)),
            None => names(&entry.command, self.name),
        };
        let is_its = |moved: &String| moved == self.name || self.addresses.contains(moved);
        touched || names(&entry.about, self.name) || entry.moved.iter().any(is_its)
    }
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

fn listed<T: ToString>(items: &[T]) -> Cell {
    let items: Vec<String> = items.iter().map(ToString::to_string).collect();
    Cell::maybe((!items.is_empty()).then(|| items.join(" ")))
}

fn one(entry: &Entry, undone: &[String]) -> Outcome {
    let mut story = vec![
        Line::text(format!("{}: {}", entry.operation, entry.about)),
        Line::Field("id", Cell::text(&entry.id)),
        Line::Field("at", Cell::text(&entry.at)),
        Line::Field("user", Cell::text(&entry.user)),
        Line::Field(
            "customer",
            listed(entry.customers.as_deref().unwrap_or_default()),
        ),
        Line::Field(
            "service",
            Cell::text(entry.place.as_ref().unwrap_or(&entry.service)),
        ),
        Line::Field("command", Cell::text(&entry.command)),
        Line::Field("touched", listed(entry.ids.as_deref().unwrap_or_default())),
        Line::Field("result", Cell::state(&entry.result)),
        Line::Field("took", Cell::text(format!("{} ms", entry.duration_ms))),
    ];
    if !entry.moved.is_empty() {
        story.push(Line::Field("capacity moved", listed(&entry.moved)));
    }
    story.extend(undo::told(entry, undone));
    Outcome::record(to_json(entry), Table::of(COLUMNS, [entry])).tell(story)
}
