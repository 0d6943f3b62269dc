//! Waiting until a change is durable, in async code and in plain threads.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use tokio::sync::oneshot;

/// The change is in memory but could not be made durable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the change could not be written to the state file: {0}")]
pub(crate) struct NotSaved(pub(crate) String);

/// Becomes ready when the changes it stands for are durable.
#[must_use]
pub(crate) struct Ticket(Option<oneshot::Receiver<Result<(), NotSaved>>>);

impl Ticket {
    /// Nothing to wait for.
    pub(crate) fn done() -> Self {
        Self(None)
    }

    pub(super) fn new(receiver: oneshot::Receiver<Result<(), NotSaved>>) -> Self {
        Self(Some(receiver))
    }
}

impl Future for Ticket {
    type Output = Result<(), NotSaved>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            None => Poll::Ready(Ok(())),
            Some(receiver) => Pin::new(receiver).poll(context).map(|answer| {
                answer.unwrap_or_else(|_| Err(NotSaved("the server is stopping".to_owned())))
            }),
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a ticket on a thread of its own. Works inside another runtime's thread too, where
/// a runtime's own blocking calls would panic.
pub(crate) fn wait(ticket: Ticket) -> Result<(), NotSaved> {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut ticket = pin!(ticket);
    loop {
        match ticket.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(answer) => return answer,
            Poll::Pending => std::thread::park(),
        }
    }
}
