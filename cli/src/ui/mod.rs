//! The only place that writes to standard output and standard error, and the only one that asks.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod csv;
mod display;
mod folding;
pub mod invocation;
pub mod jq;
mod limits;
pub mod outcome;
mod plain_prompt;
mod planned;
mod progress;
mod prompt;
mod rows;
mod sanitize;
mod table;
pub mod time;

use crate::error::{CliError, Exit};
use crate::machine::standard_output;
use crate::ui::invocation::Invocation;
use crate::ui::jq::Filter;
use crate::ui::outcome::{Block, Outcome, Table, to_json};
use crate::values::durations;
use anstyle::{AnsiColor, Style};
use secmon::ApiKey;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use folding::{UNBROKEN, folded};

pub use csv::{inert, uninert};
pub use display::{ColorChoice, CsvCells, Display, OutputFormat, TimeStyle};
use planned::Plan;
pub use planned::Planned;
pub use progress::Progress;
pub use rows::rank as severity_rank;
use sanitize::continued;
pub use sanitize::{escape_json, sanitize, sanitize_cell};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const LABEL: Style = AnsiColor::Cyan.on_default();
const HEADING: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// How long a wait must be to be worth a word.
const WORTH_SAYING: Duration = Duration::from_secs(2);

/// Who reads standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// Somebody.
    Listens,
    /// Nobody any longer: what would still come need not be asked for.
    Gone,
}

/// Shows results, errors, progress and questions.
#[derive(Debug)]
pub struct Ui {
    display: Display,
    invocation: Invocation,
    /// When the wait that was last told of is over.
    wait_said: Mutex<Option<Instant>>,
    /// The bar on the screen.
    bar: Mutex<Option<Progress>>,
    /// Whether the names of the columns stand above the parts of a result.
    headed: AtomicBool,
    /// The key in use: somebody may have written it into a name, and it stands on no screen.
    hidden: OnceLock<ApiKey>,
}

impl Ui {
    /// The screen for these settings.
    pub fn new(display: Display, invocation: Invocation) -> Self {
        set_color(display.color);
        Self {
            display,
            invocation,
            wait_said: Mutex::default(),
            bar: Mutex::default(),
            headed: AtomicBool::new(false),
            hidden: OnceLock::new(),
        }
    }

    /// For what goes wrong before there are settings: JSON where the raw arguments ask for it.
    pub fn before_settings(invocation: Invocation) -> Self {
        let mut display = Display::default();
        if invocation.wants_json() {
            display.format = OutputFormat::Json;
        }
        Self::new(display, invocation)
    }

    /// Keeps the key in use off the screen, whatever names and reasons hold it.
    pub fn hide(&self, key: &ApiKey) {
        self.hidden.get_or_init(|| key.clone());
    }

    fn without_key(&self, text: &str) -> String {
        let hidden = self.hidden.get();
        hidden.map_or_else(|| text.to_owned(), |key| key.redact(text))
    }

    /// The form results take.
    pub fn format(&self) -> OutputFormat {
        self.display.format
    }

    /// How many items of a list need be read: the limit, unless a sort must see all of them first.
    pub fn limit(&self) -> Option<usize> {
        self.display.limit.filter(|_| self.display.sort.is_none())
    }

    /// Shows the result of a command, and what went wrong behind it; gives the exit code.
    pub fn show(&self, mut outcome: Outcome) -> Exit {
        let shown = match rows::arrange(&self.display, &mut outcome) {
            Ok(cut) => {
                self.tell_cut(cut);
                self.result(&outcome).map(|_| outcome.exit)
            }
            Err(error) => Err(error),
        };
        match (shown, outcome.deferred_error) {
            (Err(error), _) | (Ok(_), Some(error)) => {
                self.error(&error);
                error.exit()
            }
            (Ok(exit), None) => exit,
        }
    }

    /// Whether a list is shown as its pages come: one value a line, in the order in which they come.
    pub fn streams(&self) -> bool {
        let display = &self.display;
        display.format == OutputFormat::Jsonl && display.sort.is_none() && display.jq.is_none()
    }

    /// Whether a person reads the result.
    pub fn shows_text(&self) -> bool {
        self.display.jq.is_none() && !self.is_data()
    }

    /// Whether results are shown as JSON, or a filter reads them so.
    pub fn shows_json(&self) -> bool {
        self.json() || self.display.jq.is_some()
    }

    /// Shows part of a result that comes bit by bit: as JSON, one value a line.
    pub fn part(&self, mut outcome: Outcome) -> Result<Reader, CliError> {
        rows::arrange(&self.display, &mut outcome)?;
        if self.display.jq.is_some() {
            return self.result(&outcome);
        }
        if self.format() == OutputFormat::Json {
            return self.print(&json_lines(&outcome.result));
        }
        let text = self.render(&outcome);
        let headed = self.headed.swap(true, Ordering::Relaxed);
        let is_bare = matches!(self.format(), OutputFormat::Jsonl | OutputFormat::Ids);
        let has_heading = !is_bare && !self.display.no_headers;
        let shown = match text.split_once('\n') {
            Some((_heading, rows)) if has_heading && headed => rows,
            _ => &text,
        };
        self.print(shown)
    }

    /// Writes the result in the form that was asked for, through the filter where there is one.
    fn result(&self, outcome: &Outcome) -> Result<Reader, CliError> {
        match &self.display.jq {
            _ if outcome.is_silent() => Ok(Reader::Listens),
            Some(filter) => self.filtered(filter, &outcome.result),
            None if self.is_data() && !outcome.is_text() => {
                written(std::io::stdout(), &self.without_key(&self.render(outcome)))
            }
            None => self.print(&self.render(outcome)),
        }
    }

    /// Whether programs read the result: it is written as it is, whatever it holds.
    fn is_data(&self) -> bool {
        !matches!(self.format(), OutputFormat::Table | OutputFormat::Wide)
    }

    fn filtered(&self, filter: &Filter, result: &Value) -> Result<Reader, CliError> {
        let filtered = filter.run(result);
        // A text of the service comes out bare, so on a terminal it is made harmless.
        let reader = match std::io::stdout().is_terminal() {
            true => self.print(&sanitize(&filtered.text))?,
            false => written(std::io::stdout(), &self.without_key(&filtered.text))?,
        };
        filtered.deferred_error.map_or(Ok(reader), Err)
    }

    /// Writes to standard output, coloured where that is wanted. What has no colour need not be searched for it.
    fn print(&self, text: &str) -> Result<Reader, CliError> {
        let text = &self.without_key(text);
        match text.contains('\u{1b}') {
            true => written(anstream::stdout(), text),
            false => written(std::io::stdout(), text),
        }
    }

    fn render(&self, outcome: &Outcome) -> String {
        match (self.format(), outcome.text.as_slice()) {
            (_, [Block::Verbatim(text)]) if outcome.is_text() => text.clone(),
            (OutputFormat::Json, _) => pretty(&outcome.result),
            (OutputFormat::Jsonl, _) => json_lines(&outcome.result),
            (OutputFormat::Csv, _) if outcome.table.columns.is_empty() => {
                csv::render_record(&outcome.result, &self.display)
            }
            (OutputFormat::Csv, _) => csv::render(&outcome.table, &self.display),
            (OutputFormat::Ids, _) => rows::ids(&outcome.table),
            (OutputFormat::Table | OutputFormat::Wide, []) if outcome.table.rows.is_empty() => {
                self.note("nothing found");
                String::new()
            }
            (OutputFormat::Table | OutputFormat::Wide, []) => self.table(&outcome.table),
            (OutputFormat::Table | OutputFormat::Wide, text) => self.text(text, &outcome.table),
        }
    }

    fn table(&self, table: &Table) -> String {
        table::render(table, &self.display, self.format() == OutputFormat::Wide)
    }

    fn text(&self, blocks: &[Block], rows: &Table) -> String {
        let mut text = String::new();
        for block in blocks {
            if self.display.quiet && block.is_advice() {
                continue;
            }
            match block {
                Block::Text(sentences) => {
                    for sentence in continued(&sanitize(sentences)).split('\n') {
                        push_line(&mut text, &folded_text(sentence));
                    }
                }
                Block::Field(label, cell) => {
                    let value = table::in_full(cell, self.display.time);
                    push_line(&mut text, &field(label, &value));
                }
                Block::LongField(label, cell) => {
                    let value = table::in_full(cell, self.display.time);
                    let value = folded(&std::io::stdout(), &value, VALUES, VALUES);
                    push_line(&mut text, &field(label, &value));
                }
                // A list that says something below its rows looks as any other.
                Block::Rows if text.is_empty() && !rows.rows.is_empty() => {
                    text.push_str(&self.table(rows));
                }
                Block::Rows => self.indented(&mut text, rows),
                Block::Table(table) => self.indented(&mut text, table),
                Block::Next { command, purpose } => {
                    let command = sanitize(&self.invocation.line(command));
                    push_line(
                        &mut text,
                        &format!("  {command}\n      {DIM}{purpose}{DIM:#}"),
                    );
                }
                Block::Hint(hint) => {
                    let hint = folded(&std::io::stdout(), &self.advice(hint), 9, 9);
                    push_line(&mut text, &format!("  {LABEL}hint: {LABEL:#} {hint}"));
                }
                Block::Heading(heading) => {
                    push_line(&mut text, &format!("\n{HEADING}{heading}{HEADING:#}"))
                }
                Block::Verbatim(verbatim) => text.push_str(verbatim),
            }
        }
        text
    }

    fn indented(&self, text: &mut String, table: &Table) {
        if table.rows.is_empty() {
            return push_line(text, "  none");
        }
        for row in self.table(table).lines() {
            push_line(text, &format!("  {row}"));
        }
    }

    /// Shows an error on standard error.
    pub fn error(&self, error: &CliError) {
        if self.json() {
            let object = json!({ "error": self.error_as_json(error) });
            self.to_stderr(&format!("{}\n", escape_json(&object.to_string())));
            return;
        }
        let hint = error.way_out().map(|hint| self.advice(hint));
        let mut text = String::new();
        push_line(
            &mut text,
            &format!("{ERROR}error:{ERROR:#} {}", message_of(error)),
        );
        let activity = error.activity().map(sanitize_cell);
        let reference = error.reference().map(|reference| {
            let details = "secmon help exit-codes".replace(' ', UNBROKEN);
            let exit = error.exit() as u8;
            format!("{} · details: {details} ({exit})", sanitize_cell(reference))
        });
        for (name, value) in [
            ("while:", activity),
            ("hint: ", hint),
            ("ref:  ", reference),
        ] {
            if let Some(value) = value {
                let value = folded(&std::io::stderr(), &value, 9, 9);
                push_line(&mut text, &format!("  {LABEL}{name}{LABEL:#} {value}"));
            }
        }
        self.to_stderr(&text);
    }

    /// What to do, its commands written out and in one piece.
    fn advice(&self, text: &str) -> String {
        let in_one_piece = |command: String| sanitize(&command).replace(' ', UNBROKEN);
        let text = continued(&sanitize(text));
        self.invocation.expand_with(&text, in_one_piece)
    }

    /// An error as it stands in JSON output.
    pub fn error_as_json(&self, error: &CliError) -> Value {
        error.to_json(error.way_out().map(|hint| self.invocation.expand(hint)))
    }

    /// Shows what the parser says of a command line it does not understand, and what to type instead.
    pub fn usage(&self, text: &str, instead: Option<&str>) {
        let instead = instead.map(|instead| folded(&std::io::stderr(), instead, 2, 8));
        let instead = instead.map_or_else(String::new, |instead| format!("\n  {instead}\n"));
        self.to_stderr(&format!("{text}{instead}"));
    }

    /// Commands between backticks written out in full.
    pub fn written_out(&self, text: &str) -> String {
        self.invocation.expand(text)
    }

    /// Says what a question is about; --quiet does not keep it back.
    pub fn before_question(&self, sentence: &str) {
        let sentence = folded(&std::io::stderr(), &continued(&sanitize(sentence)), 0, 2);
        self.to_stderr(&format!("{sentence}\n"));
    }

    /// Says something beside the result.
    pub fn note(&self, sentence: &str) {
        if !self.display.quiet && self.may_chat() {
            let sentence = folded(&std::io::stderr(), &self.advice(sentence), 0, 2);
            self.beside_the_bar(&format!("{sentence}\n"));
        }
    }

    fn bar_on_screen(&self) -> Option<Progress> {
        let bar = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        bar.clone().filter(|bar| !bar.is_over())
    }

    fn beside_the_bar(&self, text: &str) {
        match self.bar_on_screen() {
            Some(bar) => bar.aside(|| self.to_stderr(text)),
            None => self.to_stderr(text),
        }
    }

    /// Tells of a call, as `-v` asks for. With JSON and no terminal, standard error is for the error object alone.
    pub fn trace(&self, text: &str) {
        if !self.may_chat() {
            return;
        }
        let lines: String = text
            .lines()
            .map(|line| format!("{DIM}{line}{DIM:#}\n"))
            .collect();
        self.beside_the_bar(&lines);
    }

    /// Says that a call waits, when the wait is long enough to wonder about: in the bar, while one is on the screen.
    pub fn waiting(&self, reason: secmon::WaitReason, length: Duration) {
        if length < WORTH_SAYING {
            return;
        }
        let reason = match reason {
            secmon::WaitReason::Pacing => "Rate limit: waiting",
            secmon::WaitReason::Throttled => "Rate limit reached at the service: waiting",
            _ => "the service did not answer: next try in",
        };
        match self.bar_on_screen() {
            Some(bar) => bar.wait(reason, length),
            None if self.is_news(length) => {
                self.note(&format!("{reason} {}", durations::shown(length)));
            }
            None => {}
        }
    }

    /// Several calls wait for the same thing; one word is enough until that wait is over.
    fn is_news(&self, length: Duration) -> bool {
        let mut said = self
            .wait_said
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let news = said.is_none_or(|over| over <= now);
        if news {
            *said = Some(now + length);
        }
        news
    }

    /// Shows what a dry run would have sent.
    pub fn planned(&self, planned: &[Planned]) -> Exit {
        let written = match self.format() {
            _ if self.display.jq.is_some() => {
                let plan = Outcome::record(to_json(&Plan { dry_run: planned }), Table::default());
                self.result(&plan)
            }
            OutputFormat::Json => self.print(&pretty(&Plan { dry_run: planned })),
            OutputFormat::Jsonl => self.each(planned, |planned| json_line(&planned.to_json())),
            OutputFormat::Csv | OutputFormat::Ids => {
                planned
                    .iter()
                    .for_each(|planned| self.note(&planned.to_string()));
                Ok(Reader::Listens)
            }
            OutputFormat::Table | OutputFormat::Wide => self.each(planned, |planned| {
                let sentence = sanitize(&planned.to_string());
                format!("{}\n", folded(&std::io::stdout(), &sentence, 0, 6))
            }),
        };
        match written {
            Ok(_) => Exit::Done,
            Err(error) => {
                self.error(&error);
                error.exit()
            }
        }
    }

    /// Writes one after the other, as long as somebody reads them: the text of fifty thousand is never in memory.
    fn each<T>(&self, items: &[T], text: impl Fn(&T) -> String) -> Result<Reader, CliError> {
        for item in items {
            if self.print(&text(item))? == Reader::Gone {
                return Ok(Reader::Gone);
            }
        }
        Ok(Reader::Listens)
    }

    /// A progress bar on standard error; invisible where nobody watches, and for one thing alone.
    pub fn progress(&self, total: usize) -> Progress {
        let visible = total > 1
            && !self.display.quiet
            && !self.display.no_progress
            && std::io::stderr().is_terminal();
        if !visible {
            return Progress::hidden();
        }
        let progress = Progress::shown(total);
        *self.bar.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress.clone());
        progress
    }

    fn json(&self) -> bool {
        matches!(self.format(), OutputFormat::Json | OutputFormat::Jsonl)
    }

    /// With JSON and no terminal on standard error, only the error object is written there.
    fn may_chat(&self) -> bool {
        !self.json() || std::io::stderr().is_terminal()
    }

    /// Standard error that cannot be written leaves nowhere to say so.
    fn to_stderr(&self, text: &str) {
        let text = &self.without_key(text);
        let _ = match text.contains('\u{1b}') {
            true => anstream::stderr().write_all(text.as_bytes()),
            false => std::io::stderr().write_all(text.as_bytes()),
        };
    }
}

/// Where the values of fields begin.
const VALUES: usize = 19;

fn field(label: &str, value: &str) -> String {
    format!("  {LABEL}{label:<16}{LABEL:#} {value}")
}

/// A line of a result. What stands in columns is no sentence.
fn folded_text(line: &str) -> String {
    let inside = line.trim_start();
    if inside.contains("  ") {
        return line.to_owned();
    }
    folded(&std::io::stdout(), line, 0, line.len() - inside.len())
}

/// What an error says, with status and code behind it.
fn message_of(error: &CliError) -> String {
    let message = continued(&sanitize(error.message()));
    let folded = |text: &str| folded(&std::io::stderr(), text, 7, 2);
    let Some(label) = error
        .label()
        .map(|label| format!("[{}]", sanitize_cell(&label)))
    else {
        return folded(&message);
    };
    let text = folded(&format!("{message}  {}", label.replace(' ', UNBROKEN)));
    let before = text.strip_suffix(&label).unwrap_or(&text);
    format!("{before}{DIM}{label}{DIM:#}")
}

/// The option goes before NO_COLOR, which decides only where nothing was said.
fn set_color(choice: ColorChoice) {
    if choice == ColorChoice::Always {
        crossterm::style::force_color_output(true);
    }
    let choice = match choice {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
}

/// A reader that has seen enough is no error.
fn written(mut to: impl Write, text: &str) -> Result<Reader, CliError> {
    let failed = |error: &std::io::Error| CliError::io("writing to standard output", error);
    if standard_output::is_closed() && !text.is_empty() {
        return Err(failed(&std::io::Error::other("it is closed")));
    }
    let written = to.write_all(text.as_bytes());
    match written.and_then(|()| to.flush()) {
        Ok(()) => Ok(Reader::Listens),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(Reader::Gone),
        Err(error) => Err(failed(&error)),
    }
}

fn push_line(text: &mut String, line: &str) {
    let _ = writeln!(text, "{}", line.trim_end());
}

fn pretty(value: &impl Serialize) -> String {
    // Nothing that is shown has a key that is no text, so this does not fail.
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    escape_json(&text) + "\n"
}

fn json_lines(value: &Value) -> String {
    match value {
        Value::Array(items) => items.iter().map(json_line).collect(),
        other => json_line(other),
    }
}

fn json_line(value: &Value) -> String {
    escape_json(&value.to_string()) + "\n"
}
