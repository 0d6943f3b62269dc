//! What became of a run: for scripts, for people, and as a file that can be fed back in.

use super::columns::OWN_COLUMNS;
use super::input::{Dialect, Row, Sheet};
use super::{Applied, Created, Item, RowOutcome};
use crate::error::{CliError, Exit, LocalErrorKind};
use crate::machine::files;
use crate::ui::outcome::{Block, Cell, Field, Outcome, Table, shown, wide, with_room};
use crate::ui::{Ui, inert};
use secmon::model::CustomerId;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write;
use std::path::Path;

const COLUMNS: &[Field<Item>] = &[
    shown("row").of(|item| Cell::count(item.row)),
    shown("target").of(|item| Cell::text(&item.target)),
    shown("customer").of(|item| Cell::count(item.customer.map(CustomerId::get))),
    shown("status").of(|item| Cell::state(item.outcome.status())),
    wide("id").of(|item| {
        item.outcome
            .applied()
            .map_or(Cell::Missing, |applied| filled(&applied.id))
    }),
    with_room("code").of(|item| filled(&trouble(&item.outcome).0)),
    shown("message").of(|item| filled(trouble(&item.outcome).1)),
];

/// What the change is called.
#[derive(Debug, Clone, Copy)]
pub struct VerbLabels {
    /// As `provisioned`.
    pub done: &'static str,
    /// As `already monitored`.
    pub skipped: &'static str,
}

impl VerbLabels {
    /// What is said of one: a remark of the service means that everything was so before.
    pub fn sentence(self, what: &str, remark: Option<&str>) -> String {
        match remark {
            Some(_) => format!("{what} was {}.", self.skipped),
            None => format!("{what}: {}.", self.done),
        }
    }
}

/// The result of a change: one target of the command line gives its record or its error, several give a report.
pub fn conclude(
    screen: &Ui,
    labels: VerbLabels,
    mut items: Vec<Item>,
) -> Result<Outcome, CliError> {
    if let [Item { row: None, .. }] = items.as_slice()
        && let Some(item) = items.pop()
    {
        return conclude_one(item);
    }
    report_named(screen, labels, &items)
}

/// The result of a run over many, with what was changed by name, and whose it is.
pub fn report_named(screen: &Ui, labels: VerbLabels, items: &[Item]) -> Result<Outcome, CliError> {
    let mut outcome = report(screen, labels, items)?;
    let done = done(items, labels);
    match done.as_slice() {
        [(done, changed)] if changed.len() == items.len() => {
            let names = named(changed);
            outcome.text[0] = Block::text(format!("{} {done}: {names}", items.len()));
        }
        several => {
            let lines = several.iter();
            let lines = lines.map(|(done, changed)| format!("  {done}: {}", named(changed)));
            outcome.text.splice(1..1, lines.map(Block::text));
        }
    }
    Ok(outcome)
}

/// Customers that a result counts one by one.
const MOST_OWNERS: usize = 10;

/// What was changed, by what was done: mostly what the run is for.
fn done(items: &[Item], labels: VerbLabels) -> Vec<(&'static str, Vec<&Item>)> {
    let mut done: Vec<(&'static str, Vec<&Item>)> = Vec::new();
    for item in items {
        let RowOutcome::Applied(applied) = &item.outcome else {
            continue;
        };
        let label = applied.done_instead.unwrap_or(labels.done);
        match done.iter_mut().find(|(known, _)| *known == label) {
            Some((_, items)) => items.push(item),
            None => done.push((label, vec![item])),
        }
    }
    done
}

/// `web-1, web-2, web-3, of customer 42`
fn named(changed: &[&Item]) -> String {
    let names = super::preview(changed, |item| item.target.clone());
    let customers: BTreeSet<_> = changed.iter().map(|item| item.customer).collect();
    let whose = match customers.len() {
        many if many > MOST_OWNERS => format!(" of {many} customers"),
        _ => owners(changed.iter().map(|item| item.customer)),
    };
    let whose = match whose.as_str() {
        "" => String::new(),
        whose => format!(",{whose}"),
    };
    format!("{names}{whose}")
}

/// ` of customer 42`, or ` of 2 customers: 77 (9), 42 (2)`: all of them, whatever else a sentence leaves out.
pub fn owners(customers: impl Iterator<Item = Option<CustomerId>>) -> String {
    let mut owners: Vec<(Option<CustomerId>, usize)> = Vec::new();
    for customer in customers {
        match owners.iter_mut().find(|(owner, _)| *owner == customer) {
            Some((_, count)) => *count += 1,
            None => owners.push((customer, 1)),
        }
    }
    owners.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let named = |owner: Option<CustomerId>| {
        owner.map_or_else(|| "not known".to_owned(), |id| id.to_string())
    };
    match owners.as_slice() {
        [] | [(None, _)] => String::new(),
        [(Some(owner), _)] => format!(" of customer {owner}"),
        many => {
            let each = many.iter();
            let each = each.map(|(owner, count)| format!("{} ({count})", named(*owner)));
            let each: Vec<String> = each.collect();
            format!(" of {} customers: {}", many.len(), each.join(", "))
        }
    }
}

/// The result of a change of one target: its record, or its error.
pub fn conclude_one(item: Item) -> Result<Outcome, CliError> {
    let table = Table::of(COLUMNS, [&item]);
    match item.outcome {
        RowOutcome::Failed(error) => Err(error),
        RowOutcome::Planned => Ok(Outcome::record(Value::Null, Table::of(COLUMNS, []))),
        RowOutcome::Applied(done) | RowOutcome::Skipped(done) | RowOutcome::Left(done) => {
            let mut sentence = done.sentence.clone();
            if let Some(note) = &done.note
                && !sentence.contains(note.as_str())
            {
                sentence.push_str(&format!("\n  note: {note}"));
            }
            Ok(Outcome::record(done.to_json(), table).tell(vec![Block::text(sentence)]))
        }
    }
}

/// The result of a run over many; one that a read-only profile kept from beginning is an error.
pub fn report(screen: &Ui, labels: VerbLabels, items: &[Item]) -> Result<Outcome, CliError> {
    let mut errors = items.iter().filter_map(|item| item.outcome.error());
    if let Some(refused) = errors.find(|error| error.is(LocalErrorKind::ReadOnly)) {
        return Err(refused.clone());
    }
    let count = |status: &str| {
        items
            .iter()
            .filter(|item| item.outcome.status() == status)
            .count()
    };
    let (succeeded, skipped, failed) = (count("succeeded"), count("skipped"), count("failed"));
    // Of a hundred thousand rows it is most of what they take.
    let result = match screen.shows_json() {
        true => json!({
            "summary": { "total": items.len(), "succeeded": succeeded, "failed": failed, "skipped": skipped },
            "items": items.iter().map(|item| to_json(screen, item)).collect::<Vec<_>>(),
        }),
        false => Value::Null,
    };
    let table = Table::of(COLUMNS, items);
    let unsent = items.iter().filter(is_unsent).count();
    let left = items
        .iter()
        .filter(|item| matches!(item.outcome, RowOutcome::Left(_)));
    let left = left.count();
    let changed = done(items, labels).into_iter();
    let mut ends: Vec<(usize, &str)> = changed.map(|(done, items)| (items.len(), done)).collect();
    ends.extend([
        (skipped - left, labels.skipped),
        (left, "left as they are"),
        (failed - unsent, "failed"),
        (unsent, "not sent"),
    ]);
    let sentence = counted(&ends);
    let mut text = vec![Block::text(sentence)];
    text.extend(items.iter().filter_map(left_undone));
    text.extend(failures(items));
    Ok(Outcome {
        exit: exit_of(items),
        ..Outcome::record(result, table).tell(text)
    })
}

/// `3 in all: 2 suspended, 1 failed`; what there is none of is left out.
fn counted(ends: &[(usize, &str)]) -> String {
    let total: usize = ends.iter().map(|(count, _)| count).sum();
    let ends = ends.iter().filter(|(count, _)| *count > 0);
    let ends: Vec<String> = ends.map(|(count, end)| format!("{count} {end}")).collect();
    match ends.as_slice() {
        [] => "nothing to do".to_owned(),
        [all] => all.clone(),
        several => format!("{total} in all: {}", several.join(", ")),
    }
}

/// A key that is not known concerns the whole run, whatever it did before.
fn exit_of(items: &[Item]) -> Exit {
    let mut errors = items
        .iter()
        .filter_map(|item| item.outcome.error())
        .peekable();
    if errors.peek().is_none() {
        Exit::Done
    } else if errors.any(|error| error.failure().is_unknown_key()) {
        Exit::Permission
    } else {
        Exit::SomeFailed
    }
}

/// The option that names the report.
pub const REPORT: &str = "--report";

/// The file that says what became of each row: the input's columns, and ours behind them. It is opened before
/// anything is sent and written row by row, so that an interrupted run leaves what it knows.
pub struct ReportFile {
    name: String,
    file: File,
    dialect: Dialect,
    kept: Vec<usize>,
}

impl ReportFile {
    /// Begins the file with its heading, written as the input is.
    pub fn create(path: &Path, sheet: &Sheet) -> Result<Self, CliError> {
        let header = &sheet.header;
        let file = files::create(REPORT, path, &mut File::options())
            .map_err(|error| CliError::usage(format!("{}; nothing was sent", error.message())))?;
        let kept: Vec<usize> = (0..header.len())
            .filter(|i| !header[*i].starts_with(OWN_COLUMNS))
            .collect();
        let titles: Vec<String> = kept.iter().map(|i| header[*i].clone()).collect();
        let own = ["status", "id", "code", "message"].map(|name| format!("{OWN_COLUMNS}{name}"));
        let mut report = Self {
            name: format!("{REPORT} {}", path.display()),
            file,
            dialect: sheet.dialect,
            kept,
        };
        report.send(&sheet.dialect.letters.beginning())?;
        if sheet.dialect.tells_delimiter {
            let delimiter = char::from(sheet.dialect.delimiter);
            let line = format!("sep={delimiter}{}", report.line_end());
            report.send(&sheet.dialect.letters.encode(&line))?;
        }
        report.write(titles.into_iter().chain(own))?;
        Ok(report)
    }

    /// Whether a file begins as a report does, in whatever letters.
    pub fn is_one(beginning: &[u8]) -> bool {
        let letters: Vec<u8> = beginning
            .iter()
            .copied()
            .filter(|byte| *byte != 0)
            .collect();
        let heading = String::from_utf8_lossy(&letters);
        heading.contains(&format!("{OWN_COLUMNS}status"))
    }

    /// Adds a row.
    pub fn add(&mut self, row: &Row, outcome: &RowOutcome) -> Result<(), CliError> {
        let cell = |i: &usize| row.cells.get(*i).unwrap_or_default().to_owned();
        let cells: Vec<String> = self.kept.iter().map(cell).collect();
        let id = outcome
            .applied()
            .map(|done| done.id.clone())
            .unwrap_or_default();
        let (code, message) = trouble(outcome);
        let note = outcome.applied().and_then(|done| done.note.as_deref());
        let message = note.unwrap_or(message);
        self.write(cells.into_iter().chain([
            outcome.status().to_owned(),
            inert(&id),
            inert(&code),
            inert(message),
        ]))
    }

    fn line_end(&self) -> &'static str {
        match self.dialect.is_crlf {
            true => "\r\n",
            false => "\n",
        }
    }

    fn write(&mut self, record: impl Iterator<Item = String>) -> Result<(), CliError> {
        let terminator = match self.dialect.is_crlf {
            true => csv::Terminator::CRLF,
            false => csv::Terminator::Any(b'\n'),
        };
        let mut line = csv::WriterBuilder::new()
            .delimiter(self.dialect.delimiter)
            .terminator(terminator)
            .from_writer(Vec::new());
        let line = line
            .write_record(record)
            .map_err(std::io::Error::from)
            .and_then(|()| line.into_inner().map_err(|error| error.into_error()))
            .map_err(|error| CliError::io(&self.name, &error))?;
        let line = String::from_utf8_lossy(&line);
        self.send(&self.dialect.letters.encode(&line))
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), CliError> {
        let sent = self.file.write_all(bytes);
        sent.map_err(|error| CliError::io(&self.name, &error))
    }
}

fn to_json(screen: &Ui, item: &Item) -> Value {
    let done = item.outcome.applied();
    json!({
        "row": item.row,
        "target": item.target,
        "customer": item.customer,
        "status": item.outcome.status(),
        "id": done.map(|done| &done.id).filter(|id| !id.is_empty()),
        "created": done.and_then(|done| done.created.to_json()).unwrap_or(Value::Bool(false)),
        "note": done.and_then(|done| done.note.as_ref()),
        "error": item.outcome.error().map(|error| screen.error_as_json(error)),
    })
}

fn filled(text: &str) -> Cell {
    match text {
        "" => Cell::Missing,
        text => Cell::text(text),
    }
}

/// What is left as it is, with the reason.
pub fn stays(items: &[Item]) -> Vec<Block> {
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for item in items {
        if let RowOutcome::Left(applied) = &item.outcome
            && let Some(note) = applied.note.as_deref()
        {
            reasons.entry(note).or_default().push(item.target.clone());
        }
    }
    let lines = reasons.into_iter();
    lines
        .map(|(note, names)| {
            Block::text(format!(
                "{}: {note}.",
                super::preview(&names, String::clone)
            ))
        })
        .collect()
}

/// What is said of a record that was made, and is not quite as it was wanted.
fn left_undone(item: &Item) -> Option<Block> {
    let is_made = |done: &&Applied| matches!(done.created, Created::Yes | Created::Perhaps);
    let done = item.outcome.applied().filter(is_made)?;
    let note = done.note.as_ref()?;
    Some(Block::text(format!("  {}: {note}", item.target)))
}

/// Whether a row never went out, because the run ended before it.
fn is_unsent(item: &&Item) -> bool {
    item.outcome
        .error()
        .is_some_and(|error| error.is(LocalErrorKind::NotSent))
}

/// The rows that failed, and the way out of each kind of trouble, once. What was never sent has no trouble of its own.
fn failures(items: &[Item]) -> Vec<Block> {
    let failed = items
        .iter()
        .filter(|item| item.outcome.error().is_some() && !is_unsent(item));
    let table = Table::of(COLUMNS, failed);
    if table.rows.is_empty() {
        return Vec::new();
    }
    let errors = items.iter().filter_map(|item| item.outcome.error());
    let hints: BTreeMap<_, &str> = errors
        .filter(|error| !error.asks_for_patience())
        .filter_map(|error| Some((error.code(), error.way_out()?)))
        .collect();
    let hints = hints
        .into_iter()
        .map(|(code, hint)| Block::Hint(format!("{code}: {hint}")));
    let mut errors = items.iter().filter_map(|item| item.outcome.error());
    let again = errors.any(CliError::asks_for_patience);
    let again = again.then(|| Block::Hint(GO_ON.to_owned()));
    std::iter::once(Block::Table(table))
        .chain(hints)
        .chain(again)
        .collect()
}

const GO_ON: &str = "run the same command again in a few minutes: it goes on with what is left";

fn trouble(outcome: &RowOutcome) -> (Cow<'_, str>, &str) {
    outcome
        .error()
        .map_or(("".into(), ""), |error| (error.code(), error.message()))
}
