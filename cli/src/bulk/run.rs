//! Sending many, several at a time, in the client's pace.

use super::End;
use crate::args::OnError;
use crate::context::Context;
use crate::error::{CliError, Exit};
use crate::ui::Progress;
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
    run_telling(context, targets, on_error, send, |_, _| {}).await
}

/// The same, telling of each end as soon as all before it are known.
pub async fn run_telling<T>(
    context: &Context,
    targets: &[T],
    on_error: OnError,
    send: impl AsyncFn(&T) -> Result<End, CliError>,
    mut tell: impl FnMut(&T, &End),
) -> Vec<End> {
    context.on_interrupt(
        "interrupted: what was sent stays done",
        "the same command goes on with the rest",
    );
    let run = Run {
        on_error,
        failed: Cell::new(0),
        stopped: RefCell::new(None),
        progress: context.ui.progress(targets.len()),
    };
    let sending = targets.iter().map(|target| async {
        let stopped = run.stopped.borrow().clone();
        let end = match stopped {
            Some(reason) => End::Failed(CliError::new(Exit::Other, "not_sent", reason)),
            None => send(target).await.unwrap_or_else(End::Failed),
        };
        run.note(&end);
        end
    });
    let at_once = match on_error {
        OnError::Continue => AT_ONCE,
        OnError::Stop => 1,
    };
    let mut stream = std::pin::pin!(stream::iter(sending).buffered(at_once));
    let mut ends = Vec::with_capacity(targets.len());
    while let Some(end) = stream.next().await {
        if let Some(target) = targets.get(ends.len()) {
            tell(target, &end);
        }
        ends.push(end);
    }
    run.progress.finish();
    ends
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
            if self.on_error == OnError::Stop || is_hopeless(error) {
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

/// A key or an account that the service refuses fails everything that follows.
fn is_hopeless(error: &CliError) -> bool {
    matches!(
        error.code(),
        "unauthenticated"
            | "TENANT_NOT_FOUND"
            | "TENANT_MISMATCH"
            | "ACCOUNT_SUSPENDED"
            | "read_only"
            | "no_connection"
    )
}
