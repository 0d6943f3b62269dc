//! The journal of a run over many: what was sent, and what was answered, so that the same command goes on where a run
//! ended before its end.
//!
//! A run is named by account, operation and file, so that a row can be corrected in between; a row by operation,
//! customer and target. Each row has one line on the disk before it is sent and one after its answer. A run whose rows
//! all have their answers is closed: the same command later is a new run. An unfinished one is gone on with by itself
//! for half a day; what the service says by then to the contrary counts more than the journal.

mod record;
pub mod store;

use crate::bulk::args::RunArgs;
use crate::bulk::{End, Item, Label, Prior};
use crate::context::Context;
use crate::error::{CliError, Exit, Own};
use crate::machine::paths;
use crate::notebook::history;
use crate::values::durations;
use chrono::{DateTime, Utc};
use record::{JournalLine, KeptEnd};
use secmon::model::CustomerId;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::Store;
use uuid::Uuid;

/// How long the same command goes on with an unfinished run unasked.
const FRESH: Duration = Duration::from_secs(12 * 3600);

/// The same for what is soon wanted anew.
pub const SOON_STALE: Duration = Duration::from_secs(10 * 60);

/// A row as the journal knows it.
#[derive(Debug)]
pub struct Trace {
    /// Names the row.
    pub key: Key,
    /// All that it says: a corrected row is another change of the same target.
    pub content: String,
    /// What people know it by.
    pub label: Label,
    /// What a later run could not find out again.
    pub subject: Value,
    /// Whether the service says by now that what an earlier run did no longer stands.
    pub undone: bool,
}

/// Names a row: what is done, whose, to what.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key(String);

impl Key {
    /// The name of a row.
    pub fn of(operation: &str, customer: Option<CustomerId>, target: &str) -> Self {
        let customer = customer.map(|id| id.to_string()).unwrap_or_default();
        Self(hash(&[operation, &customer, target]))
    }
}

/// Where the rows of a run come from.
#[derive(Debug, Clone, Copy)]
pub enum Origin<'a> {
    /// A file, which may be corrected between two runs.
    File(&'a Path),
    /// The command line or standard input: the rows themselves are what makes it the same run.
    Rows,
    /// All that a customer has: what was ended is in no list any more, so the journal has the rows too.
    Customer(CustomerId),
}

impl<'a> Origin<'a> {
    /// The origin of a file's rows, `-` being standard input.
    pub fn of(file: Option<&'a Path>) -> Self {
        match file {
            Some(path) if path != Path::new("-") => Self::File(path),
            _ => Self::Rows,
        }
    }

    fn name(&self, keys: &[Key]) -> String {
        match self {
            Self::File(path) => std::fs::canonicalize(path)
                .unwrap_or_else(|_| path.to_path_buf())
                .display()
                .to_string(),
            Self::Rows => hash(&keys.iter().map(|key| key.0.as_str()).collect::<Vec<_>>()),
            Self::Customer(customer) => customer.to_string(),
        }
    }
}

/// The journal of one run. In a dry run, and where no file can be kept, it remembers nothing.
#[derive(Debug, Default)]
pub struct Journal {
    store: Option<RefCell<Store>>,
    rows: HashMap<Key, EarlierRow>,
    /// The operation of a run that begins with its first row: until then nothing of an earlier one is thrown away.
    to_begin: RefCell<Option<String>>,
    /// Rows of this run that have only the first of their two lines.
    unanswered: Cell<usize>,
    /// What this machine has provisioned, and when last; read where a row needs it.
    provisions: OnceCell<HashMap<Uuid, String>>,
}

/// What an earlier run left of a row.
#[derive(Debug)]
struct EarlierRow {
    at: String,
    content: String,
    subject: Value,
    end: Option<KeptEnd>,
}

impl Journal {
    /// Opens the journal of a run: a new one, or that of the unfinished run that this one goes on with.
    pub fn open(
        context: &Context,
        operation: &str,
        origin: Origin<'_>,
        keys: &[Key],
        args: &RunArgs,
    ) -> Result<Self, CliError> {
        Self::open_within(context, FRESH, operation, (origin, keys), args)
    }

    /// The same, going on unasked with a run that is no older than `fresh`.
    pub fn open_within(
        context: &Context,
        fresh: Duration,
        operation: &str,
        (origin, keys): (Origin<'_>, &[Key]),
        args: &RunArgs,
    ) -> Result<Self, CliError> {
        let safety = &context.session.settings.safety;
        let one_alone = matches!(origin, Origin::Rows) && keys.len() < 2 && !args.resume;
        if safety.dry_run || safety.read_only || one_alone {
            return Ok(Self::default());
        }
        let run = hash(&[context.session.account()?, operation, &origin.name(keys)]);
        let (store, lines) = match open_file(&run) {
            Ok(Some(opened)) => opened,
            Ok(None) => return Err(busy()),
            Err(error) => {
                context.screen.note(&format!(
                    "warning: no journal can be kept ({error}): a run that is interrupted begins anew"
                ));
                return Ok(Self::default());
            }
        };
        let mut journal = Self {
            store: Some(RefCell::new(store)),
            rows: HashMap::new(),
            to_begin: RefCell::default(),
            unanswered: Cell::default(),
            provisions: OnceCell::new(),
        };
        match unfinished(&lines, args)? {
            Some(age) if !args.restart && (args.resume || age <= fresh) => {
                journal.rows = earlier(lines);
                journal.announce(context, keys, age);
            }
            unfinished => {
                if unfinished.is_some() && !args.restart {
                    context
                        .screen
                        .note("starting again: the interrupted run is too old to continue");
                }
                journal.to_begin.replace(Some(operation.to_owned()));
            }
        }
        Ok(journal)
    }

    fn begin(&self) -> Result<(), CliError> {
        let Some(operation) = self.to_begin.take() else {
            return Ok(());
        };
        let at = now();
        if let Some(store) = &self.store {
            store.borrow_mut().clear().map_err(|error| full(&error))?;
        }
        self.write(&JournalLine::Began { at, operation })
    }

    fn announce(&self, context: &Context, keys: &[Key], age: Duration) {
        let known = |key: &&Key| self.rows.get(key).is_some_and(EarlierRow::is_settled);
        let done = match keys {
            [] => format!(
                "{} done",
                durations::counted(
                    self.rows.values().filter(|row| row.is_settled()).count(),
                    "record"
                )
            ),
            keys => format!(
                "{} of {} are done",
                keys.iter().filter(known).count(),
                durations::counted(keys.len(), "row")
            ),
        };
        let age = durations::shown(age);
        context.screen.note(&format!(
            "continuing the run that was left unfinished {age} ago: {done} (--restart does all of them again)"
        ));
    }

    /// The answer that an earlier run has for a row, where it says the same as now.
    pub fn answer(&self, trace: &Trace) -> Option<End> {
        let earlier = self.rows.get(&trace.key)?;
        let same = earlier.content == digest(&trace.content) && !trace.undone;
        earlier.settled().filter(|_| same)
    }

    /// What the earlier run knew of a row, whatever became of it.
    pub fn subject(&self, key: &Key) -> Option<&Value> {
        Some(&self.rows.get(key)?.subject)
    }

    /// When an earlier run sent a row whose answer it did not see.
    fn unanswered_since(&self, key: &Key) -> Option<&str> {
        let row = self.rows.get(key)?;
        row.end.is_none().then_some(&row.at)
    }

    /// Whether the answer about a row was not seen, and its record was provisioned from this machine afterwards.
    pub fn was_restored(&self, key: &Key, record: Uuid) -> Result<bool, CliError> {
        let Some(since) = self.unanswered_since(key) else {
            return Ok(false);
        };
        if self.provisions.get().is_none() {
            // Nobody else sets it meanwhile.
            let _ = self.provisions.set(history::provisions()?);
        }
        let known = self.provisions.get();
        let last = known.and_then(|provisions| provisions.get(&record));
        Ok(last.is_some_and(|at| at.as_str() > since))
    }

    /// The id of the record that a row was about.
    pub fn record(&self, key: &Key) -> Option<Uuid> {
        self.subject(key)?["id"].as_str()?.parse().ok()
    }

    /// The same as the record that was kept.
    pub fn recalled<T: DeserializeOwned>(&self, key: &Key) -> Option<T> {
        serde_json::from_value(self.subject(key)?.clone()).ok()
    }

    /// What the earlier run knew of each of its rows.
    pub fn subjects(&self) -> impl Iterator<Item = &Value> {
        self.rows.values().map(|row| &row.subject)
    }

    /// Whether an earlier run has left nothing.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The record that an earlier run has made or changed.
    pub fn earlier_id(&self, key: &Key) -> Option<&str> {
        self.rows.get(key)?.end.as_ref()?.id()
    }

    /// What is known of a row before it is sent.
    pub fn prior(&self, trace: &Trace) -> Prior {
        match self.unanswered_since(&trace.key) {
            Some(_) => Prior::PerhapsDone,
            None => Prior::Nothing,
        }
    }

    /// The answer that an earlier run has for a row; else sends it.
    pub async fn settle(
        &self,
        trace: &Trace,
        send: impl AsyncFnOnce(Prior) -> Result<End, CliError>,
    ) -> Result<End, CliError> {
        match self.answer(trace) {
            Some(end) => Ok(end),
            None => self.carry_out(trace, send).await,
        }
    }

    /// Sends a row between its two lines.
    async fn carry_out(
        &self,
        trace: &Trace,
        send: impl AsyncFnOnce(Prior) -> Result<End, CliError>,
    ) -> Result<End, CliError> {
        self.begin()?;
        self.write(&JournalLine::Sent {
            at: now(),
            key: trace.key.0.clone(),
            content: digest(&trace.content),
            row: trace.label.row,
            target: trace.label.name.clone(),
            customer: trace.label.customer,
            subject: trace.subject.clone(),
        })?;
        // Of a row that an interruption drops here there is no second line either.
        self.unanswered.update(|rows| rows + 1);
        let end = send(self.prior(trace)).await;
        if let Some(kept) = KeptEnd::of(&end) {
            self.unanswered.update(|rows| rows - 1);
            let (at, key) = (now(), trace.key.0.clone());
            // The row is done all the same; the line of the next one will not fit either, and ends the run.
            let _ = self.write(&JournalLine::Answered { at, key, end: kept });
        }
        end
    }

    /// Closes the run when every row has its answer.
    pub fn conclude(&self, items: &[Item]) -> Result<(), CliError> {
        let has_begun = self.to_begin.take().is_none();
        let all_answered = self.unanswered.get() == 0;
        match has_begun && all_answered && items.iter().all(|item| is_settled(&item.end)) {
            true => self.write(&JournalLine::Closed { at: now() }),
            false => Ok(()),
        }
    }

    fn write(&self, line: &JournalLine) -> Result<(), CliError> {
        let Some(store) = &self.store else {
            return Ok(());
        };
        store.borrow_mut().add(line).map_err(|error| full(&error))
    }
}

impl EarlierRow {
    fn settled(&self) -> Option<End> {
        self.end.as_ref()?.settled(&self.at)
    }

    fn is_settled(&self) -> bool {
        self.settled().is_some()
    }
}

/// The age of the run that the lines tell of, where it has not ended; asking for one that is not there is an error.
fn unfinished(lines: &[JournalLine], args: &RunArgs) -> Result<Option<Duration>, CliError> {
    let last = lines
        .last()
        .filter(|line| !matches!(line, JournalLine::Closed { .. }));
    let at = last.and_then(|line| DateTime::parse_from_rfc3339(line.at()).ok());
    let Some(at) = at else {
        return match args.resume {
            false => Ok(None),
            true => Err(CliError::usage(
                "--resume: no run of this command was interrupted",
            )
            .hint("leave --resume out: an interrupted run continues by itself when its command is given again")),
        };
    };
    let age = Utc::now().signed_duration_since(at).to_std();
    Ok(Some(age.unwrap_or_default()))
}

/// Whether nothing is open about a row: it was done, or the service refused it for good.
fn is_settled(end: &End) -> bool {
    match end {
        End::Done(_) | End::Skipped(_) => true,
        End::Planned => false,
        End::Failed(error) => {
            let unsent = error.is(Own::NotSent) || error.is(Own::JournalFull);
            // Trouble of the service's own: the same command goes on with such a row.
            let passes = error.is_retryable() || error.exit() == Exit::Unavailable;
            !unsent && !passes && !error.may_have_happened() && !error.failure().is_hopeless()
        }
    }
}

fn earlier(lines: Vec<JournalLine>) -> HashMap<Key, EarlierRow> {
    let mut rows: HashMap<Key, EarlierRow> = HashMap::new();
    for line in lines {
        match line {
            JournalLine::Sent {
                at,
                key,
                content,
                subject,
                ..
            } => {
                let end = None;
                let earlier = EarlierRow {
                    at,
                    content,
                    subject,
                    end,
                };
                rows.insert(Key(key), earlier);
            }
            JournalLine::Answered { at, key, end } => {
                if let Some(row) = rows.get_mut(&Key(key)) {
                    row.at = at;
                    row.end = Some(end);
                }
            }
            JournalLine::Began { .. } | JournalLine::Closed { .. } => {}
        }
    }
    rows
}

fn open_file(run: &str) -> std::io::Result<Option<(Store, Vec<JournalLine>)>> {
    let folder = folder()?;
    std::fs::create_dir_all(&folder)?;
    // What cannot be tidied up keeps nobody from working.
    let _ = store::prune(&folder);
    Store::open(&folder.join(format!("{run}.jsonl")))
}

fn folder() -> std::io::Result<PathBuf> {
    paths::runs_folder().map_err(|error| std::io::Error::other(error.message().to_owned()))
}

fn busy() -> CliError {
    CliError::new(
        Own::RunInProgress,
        "another process is doing the same run at this moment: nothing was sent",
    )
}

fn full(error: &std::io::Error) -> CliError {
    CliError::new(
        Own::JournalFull,
        format!("the journal of the run cannot be written ({error}), so nothing more is sent"),
    )
}

fn digest(content: &str) -> String {
    hash(&[content])
}

fn hash(parts: &[&str]) -> String {
    let text = parts.join("\n");
    Uuid::new_v5(&Uuid::NAMESPACE_URL, text.as_bytes())
        .simple()
        .to_string()
}

fn now() -> String {
    Utc::now().format("%Y-%m-%dT%H:%M:%S+00:00").to_string()
}
