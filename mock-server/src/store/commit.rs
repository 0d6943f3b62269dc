//! Waiting until a change is durable, in async code and in plain threads.

use crate::values::admin_error::AdminError;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use tokio::sync::oneshot;

/// What is in memory could not be made durable, and never will be: the file stays as it was at the
/// last change that was acknowledged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the state could not be saved: {0}; every call is refused until the server is started again"
)]
pub(crate) struct NotSaved(pub(crate) String);

/// Becomes ready when the changes it stands for are durable.
#[must_use]
pub(crate) enum Commit {
    /// How it ended is known already.
    Known(Result<(), NotSaved>),
    #[cfg_attr(not(feature = "durable"), expect(dead_code))]
    Awaited(oneshot::Receiver<Result<(), NotSaved>>),
}

impl Commit {
    /// Nothing to wait for.
    pub(crate) fn done() -> Self {
        Self::Known(Ok(()))
    }
}

impl Future for Commit {
    type Output = Result<(), NotSaved>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Self::Known(outcome) => Poll::Ready(outcome.clone()),
            Self::Awaited(receiver) => Pin::new(receiver).poll(context).map(|answer| {
                answer.unwrap_or_else(|_| Err(NotSaved("the server is stopping".to_owned())))
            }),
        }
    }
}

struct Unpark(std::thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a commit on a thread of its own. Works inside another runtime's thread too, where
/// a runtime's own blocking calls would panic.
pub(crate) fn wait(commit: Commit) -> Result<(), NotSaved> {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut commit = pin!(commit);
    loop {
        match commit.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(answer) => return answer,
            Poll::Pending => std::thread::park(),
        }
    }
}

impl From<NotSaved> for AdminError {
    fn from(error: NotSaved) -> Self {
        Self::NotSaved(error.to_string())
    }
}
