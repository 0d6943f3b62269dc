//! Sending rows, several at a time, at the rate that the key has.

use super::RowOutcome;
use super::args::OnError;
use super::operation::{BulkOperation, PlannedRow, Step};
use crate::context::Context;
use crate::error::{CliError, LocalErrorKind};
use crate::machine::interrupt::GracefulShutdown;
use crate::session::Session;
use crate::ui::Progress;
use crate::ui::invocation::AS_TYPED;
use futures_util::stream::{self, StreamExt};
use std::cell::{Cell, RefCell};

/// Calls on the way at one time; the rate limit decides how many may start.
const AT_ONCE: usize = 8;

/// Sends each row of a plan, stage after stage, and gives the outcomes in the order of the rows.
pub async fn in_stages<O: BulkOperation>(
    context: &Context,
    operation: &O,
    rows: Vec<PlannedRow<O::Row>>,
) -> Vec<RowOutcome> {
    let run = Run::begin(context, operation.on_error(), rows.len());
    let mut reporter = OrderedReporter::new(operation, &rows);
    let mut stages: Vec<u8> = rows.iter().map(|row| operation.stage(&row.row)).collect();
    stages.sort_unstable();
    stages.dedup();
    for stage in stages {
        let of_stage = rows.iter().enumerate();
        let of_stage = of_stage.filter(|(_, row)| operation.stage(&row.row) == stage);
        run.send(operation, of_stage, &mut reporter).await;
    }
    run.end();
    reporter.finish()
}

/// What all rows of a run have in common.
struct Run<'a> {
    session: &'a Session,
    on_error: OnError,
    failed: Cell<usize>,
    /// Why nothing more is sent.
    stopped: RefCell<Option<String>>,
    progress: Progress,
    graceful: GracefulShutdown<'a>,
}

impl<'a> Run<'a> {
    fn begin(context: &'a Context, on_error: OnError, rows: usize) -> Self {
        let session = &context.session;
        session.on_interrupt(
            "interrupted: changes already sent are kept",
            format!("go on with the rest: `{AS_TYPED}`"),
        );
        Self {
            session,
            on_error,
            failed: Cell::new(0),
            stopped: RefCell::new(None),
            progress: context.screen.progress(rows),
            graceful: session.interruption.begin_graceful(),
        }
    }

    fn end(self) {
        self.progress.finish();
        drop(self.graceful);
    }

    async fn send<'r, O: BulkOperation>(
        &self,
        operation: &O,
        rows: impl Iterator<Item = (usize, &'r PlannedRow<O::Row>)>,
        reporter: &mut OrderedReporter<'_, O>,
    ) where
        O::Row: 'r,
    {
        let sending = rows.map(async |(i, planned)| (i, self.one(operation, planned).await));
        let at_once = match self.on_error {
            OnError::Continue => AT_ONCE,
            OnError::Stop => 1,
        };
        let mut stream = std::pin::pin!(stream::iter(sending).buffer_unordered(at_once));
        loop {
            tokio::select! {
                biased;
                outcome = stream.next() => match outcome {
                    Some((i, outcome)) => reporter.add(i, outcome),
                    None => break,
                },
                () = self.nothing_more_comes() => break,
            }
        }
    }

    async fn one<O: BulkOperation>(
        &self,
        operation: &O,
        planned: &PlannedRow<O::Row>,
    ) -> RowOutcome {
        let outcome = match (&planned.step, self.reason_to_stop()) {
            (Step::Settled(outcome), _) => outcome.clone(),
            (_, Some(error)) => RowOutcome::Failed(error),
            (_, None) => {
                let sent = operation.apply(&planned.row).await;
                sent.unwrap_or_else(RowOutcome::Failed)
            }
        };
        self.note(&outcome);
        outcome
    }

    fn reason_to_stop(&self) -> Option<CliError> {
        let interrupted = || {
            let stopped = self.session.interruption.sign().is_up();
            stopped.then(|| "not sent, because the run was interrupted".to_owned())
        };
        let reason = self.stopped.borrow().clone().or_else(interrupted)?;
        Some(CliError::new(LocalErrorKind::NotSent, reason))
    }

    fn note(&self, outcome: &RowOutcome) {
        if let RowOutcome::Failed(error) = outcome {
            self.failed.set(self.failed.get() + 1);
            if self.on_error == OnError::Stop || error.failure().is_hopeless() {
                let reason = format!(
                    "not sent, because an earlier one failed: {}",
                    error.message()
                );
                self.stopped.borrow_mut().get_or_insert(reason);
            }
        }
        self.progress.advance(self.failed.get());
    }

    /// After a Ctrl-C, the moment at which no call is on the wire: a row that still sleeps would only be kept waiting.
    async fn nothing_more_comes(&self) {
        self.session.interruption.sign().raised().await;
        if let Some(guard) = self.session.guard_in_use() {
            guard.idle().await;
        }
    }
}

/// The outcomes that are known, told in the order of the rows.
struct OrderedReporter<'a, O: BulkOperation> {
    operation: &'a O,
    rows: &'a [PlannedRow<O::Row>],
    outcomes: Vec<Option<RowOutcome>>,
    next: usize,
}

impl<'a, O: BulkOperation> OrderedReporter<'a, O> {
    fn new(operation: &'a O, rows: &'a [PlannedRow<O::Row>]) -> Self {
        Self {
            operation,
            rows,
            outcomes: rows.iter().map(|_| None).collect(),
            next: 0,
        }
    }

    fn add(&mut self, i: usize, outcome: RowOutcome) {
        self.outcomes[i] = Some(outcome);
        while let Some(Some(outcome)) = self.outcomes.get(self.next) {
            self.operation.on_result(&self.rows[self.next].row, outcome);
            self.next += 1;
        }
    }

    /// All outcomes. A row without one was dropped when the run was interrupted.
    fn finish(mut self) -> Vec<RowOutcome> {
        let dropped = || {
            let reason = "not finished, because the run was interrupted";
            RowOutcome::Failed(CliError::new(LocalErrorKind::NotSent, reason))
        };
        for i in 0..self.outcomes.len() {
            if self.outcomes[i].is_none() {
                let unfinished = self.operation.unfinished(&self.rows[i].row);
                self.add(i, unfinished.unwrap_or_else(dropped));
            }
        }
        self.outcomes.into_iter().flatten().collect()
    }
}
