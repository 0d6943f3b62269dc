//! The run that this command is, as it is remembered.

use super::Session;
use super::current_run::RunKind;
use super::typed_line::{input_of, typed_line};
use crate::session::guard::Guard;
use crate::state::StateDb;
use crate::state::changes::{BatchId, BatchOutcome, BatchStart, Scope};
use crate::state::unfinished::Made;
use crate::ui::outcome::to_json;
use secmon::model::Rule;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What was typed, by whom and for which service.
struct TypedLines {
    line: String,
    input: String,
    os_user: String,
    service: String,
}

impl Session {
    /// Says what this command is, before its first change.
    pub fn begin_run(&self, kind: RunKind) {
        self.run.kind.borrow_mut().get_or_insert(kind);
    }

    /// Whether this very command line was begun before and has not ended whole.
    pub fn continues_a_run(&self, kind: &RunKind) -> bool {
        self.state().is_some_and(|state| {
            state.has_unfinished_line(&self.batch_start(kind, &self.typed_lines()))
        })
    }

    /// Records that this run begins, also where it turns out to send nothing: it may be what an interrupted one left.
    pub fn record_run(&self) {
        let kind = self.run.kind.borrow().clone();
        if let Some(kind) = kind
            && self.guard_in_use().is_some_and(Guard::is_open)
        {
            self.batch(kind.verb);
        }
    }

    /// The run as it is recorded, if it has changed anything yet.
    pub fn current_batch(&self) -> Option<BatchId> {
        self.run.batch.get()
    }

    /// Whether what is there now was perhaps made by a run that was interrupted; from then on it counts as that.
    pub fn settle_pending(&self, operation: &str, record: &str) -> bool {
        let Some(state) = self.state() else {
            return false;
        };
        match self.guard_in_use().is_some_and(Guard::is_open) {
            true => state.settle_pending(operation, record),
            false => state.is_pending(operation, record),
        }
    }

    /// The same of the create of a rule, whose id nobody knew: what it was about names it.
    pub fn settle_pending_rule(&self, operation: &str, about: &str, rule: &Rule) -> bool {
        let is_open = self.guard_in_use().is_some_and(Guard::is_open);
        let Some(state) = self.state().filter(|_| is_open) else {
            return false;
        };
        let (image, _) = redacted(self, Some(&to_json(rule)));
        let made = Made {
            id: rule.id.into(),
            image: image.unwrap_or_default(),
        };
        state.settle_pending_create(operation, about, &made)
    }

    /// Some rows of this run are not as they were wanted.
    pub fn run_is_partial(&self) {
        self.run.is_partial.set(true);
    }

    /// What this computer remembers of the account in use.
    pub fn state(&self) -> Option<&StateDb> {
        let connection = self.connection.get()?;
        Some(
            self.state
                .get_or_init(|| StateDb::open(connection.place.clone())),
        )
    }

    /// Records that this run begins, where it has not yet; `None` where that cannot be recorded, which is said once.
    pub(super) fn batch(&self, operation: &'static str) -> Option<BatchId> {
        if let Some(batch) = self.run.batch.get() {
            return Some(batch);
        }
        let state = self.state()?;
        let kind = self.run.kind.borrow().clone();
        let kind = kind.unwrap_or(RunKind {
            verb: operation,
            scope: Scope::One,
            customer: None,
        });
        let batch = state.begin_batch(&self.batch_start(&kind, &self.typed_lines()));
        self.run.batch.set(batch);
        if batch.is_none()
            && let Some(problem) = state.problem()
            && !self.run.was_warned.replace(true)
        {
            self.ui.note(&format!(
                "warning: this change is not recorded on this computer: {problem}"
            ));
        }
        batch
    }

    fn typed_lines(&self) -> TypedLines {
        let words = std::env::args_os().skip(1);
        let words: Vec<String> = words
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        TypedLines {
            line: self.without_key(&typed_line(&words)),
            input: self.without_key(&input_of(&words)),
            os_user: os_user(),
            service: self.service_name(),
        }
    }

    fn batch_start<'a>(&'a self, kind: &RunKind, typed: &'a TypedLines) -> BatchStart<'a> {
        BatchStart {
            verb: kind.verb,
            scope: kind.scope,
            customer: kind.customer.or(self.settings.customer),
            line: &typed.line,
            input: &typed.input,
            os_user: &typed.os_user,
            service: &typed.service,
            place: self.settings.safety.place.as_deref(),
        }
    }

    /// Ends the run as it is recorded. `was_stopped` after a Ctrl-C.
    pub fn end_run(&self, failed: bool) {
        let (Some(batch), Some(state)) = (self.run.batch.get(), self.state()) else {
            return;
        };
        let outcome = match (
            self.check_interrupted().is_err(),
            failed || self.run.is_partial.get(),
        ) {
            (true, _) => BatchOutcome::Stopped,
            (false, true) => BatchOutcome::Partial,
            (false, false) => BatchOutcome::Complete,
        };
        state.end_batch(batch, outcome);
    }
}

impl Session {
    /// A record without the key that somebody has written into it.
    pub fn without_key_in<T: Serialize + DeserializeOwned>(&self, record: &T) -> Option<T> {
        let (kept, _) = redacted(self, Some(&to_json(record)));
        serde_json::from_value(kept?).ok()
    }
}

/// A record without the key that somebody has written into it, and whether it was there.
pub(super) fn redacted(session: &Session, record: Option<&Value>) -> (Option<Value>, bool) {
    let Some(record) = record else {
        return (None, false);
    };
    let mut kept = record.clone();
    redact(session, &mut kept);
    let is_redacted = kept != *record;
    (Some(kept), is_redacted)
}

fn redact(session: &Session, value: &mut Value) {
    match value {
        Value::String(text) => *text = session.without_key(text),
        Value::Array(items) => items.iter_mut().for_each(|item| redact(session, item)),
        Value::Object(fields) => fields.values_mut().for_each(|field| redact(session, field)),
        _ => {}
    }
}

/// The user of this computer.
fn os_user() -> String {
    let named = ["USER", "LOGNAME", "USERNAME"];
    let named = named.iter().find_map(|name| std::env::var(name).ok());
    let user = named.or_else(|| whoami::username().ok());
    user.unwrap_or_else(|| "unknown".to_owned())
}
