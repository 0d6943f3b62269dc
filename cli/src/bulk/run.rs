//! Sending many, several at a time, in the client's pace.

use super::args::OnError;
use crate::bulk::journal::Journal;
use crate::bulk::{End, Item};
use crate::context::Context;
use crate::error::{CliError, Own};
use crate::session::Session;
use crate::ui::invocation::AS_TYPED;
use crate::ui::{Progress, Ui};
use futures_util::stream::{self, StreamExt};
use std::cell::{Cell, RefCell};

/// Calls on the way at one time; the client's pace decides how many may start.
const AT_ONCE: usize = 8;

/// Sends each target, and gives the ends in the order of the targets.
pub async fn run<T>(
    context: &Context,
    targets: &[T],
    on_error: OnError,
    send: impl AsyncFn(&T) -> Result<End, CliError>,
) -> Vec<End> {
    run_telling(context, targets, on_error, send, |_| None, |_, _| {}).await
}

/// Closes the journal of a run that is over.
pub fn close(screen: &Ui, journal: &Journal, items: &[Item]) {
    if let Err(error) = journal.conclude(items) {
        screen.note(&format!("warning: {}", error.message()));
    }
}

/// The same, telling of each end as soon as all before it are known. `unfinished` knows what was done of a target that
/// an interruption kept from its end.
pub async fn run_telling<T>(
    context: &Context,
    targets: &[T],
    on_error: OnError,
    send: impl AsyncFn(&T) -> Result<End, CliError>,
    unfinished: impl Fn(&T) -> Option<End>,
    tell: impl FnMut(&T, &End),
) -> Vec<End> {
    let session = &context.session;
    session.on_interrupt(
        "interrupted: what was sent stays done",
        format!("go on with the rest: `{AS_TYPED}`"),
    );
    let gentle = session.interruption.begin_gentle();
    let run = Run {
        on_error,
        failed: Cell::new(0),
        stopped: RefCell::new(None),
        progress: context.screen.progress(targets.len()),
    };
    let mut told = Told::new(targets, tell);
    let sending = targets.iter().enumerate().map(async |(i, target)| {
        let stopped = run.stopped.borrow().clone();
        let end = match stopped.or_else(|| interrupted(session)) {
            Some(reason) => End::Failed(CliError::new(Own::NotSent, reason)),
            None => send(target).await.unwrap_or_else(End::Failed),
        };
        run.note(&end);
        (i, end)
    });
    let at_once = match on_error {
        OnError::Continue => AT_ONCE,
        OnError::Stop => 1,
    };
    let mut stream = std::pin::pin!(stream::iter(sending).buffer_unordered(at_once));
    loop {
        tokio::select! {
            biased;
            end = stream.next() => match end {
                Some((i, end)) => told.add(i, end),
                None => break,
            },
            () = nothing_more_comes(session) => break,
        }
    }
    run.progress.finish();
    drop(gentle);
    told.finish(unfinished)
}

/// After a Ctrl-C, the moment at which no call is on the wire: a row that still sleeps would only be kept waiting.
async fn nothing_more_comes(session: &Session) {
    session.interruption.sign().raised().await;
    if let Some(guard) = session.guard_in_use() {
        guard.idle().await;
    }
}

fn interrupted(session: &Session) -> Option<String> {
    let stopped = session.interruption.sign().is_up();
    stopped.then(|| "not sent, because the run was interrupted".to_owned())
}

/// The ends that are known, told in the order of the targets.
struct Told<'a, T, F> {
    targets: &'a [T],
    ends: Vec<Option<End>>,
    next: usize,
    tell: F,
}

impl<'a, T, F: FnMut(&T, &End)> Told<'a, T, F> {
    fn new(targets: &'a [T], tell: F) -> Self {
        Self {
            targets,
            ends: targets.iter().map(|_| None).collect(),
            next: 0,
            tell,
        }
    }

    fn add(&mut self, i: usize, end: End) {
        self.ends[i] = Some(end);
        while let Some(Some(end)) = self.ends.get(self.next) {
            (self.tell)(&self.targets[self.next], end);
            self.next += 1;
        }
    }

    /// All ends. A row without one was dropped when the run was interrupted.
    fn finish(mut self, unfinished: impl Fn(&T) -> Option<End>) -> Vec<End> {
        let dropped = || {
            let reason = "not finished, because the run was interrupted";
            End::Failed(CliError::new(Own::NotSent, reason))
        };
        for i in 0..self.ends.len() {
            if self.ends[i].is_none() {
                let end = unfinished(&self.targets[i]).unwrap_or_else(dropped);
                self.add(i, end);
            }
        }
        self.ends.into_iter().flatten().collect()
    }
}

struct Run {
    on_error: OnError,
    failed: Cell<usize>,
    /// Why nothing more is sent.
    stopped: RefCell<Option<String>>,
    progress: Progress,
}

impl Run {
    fn note(&self, end: &End) {
        if let End::Failed(error) = end {
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
}
