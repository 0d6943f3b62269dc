//! Ctrl-C: a run over many ends with what is on its way, everything else ends at once.

use crate::error::{CliError, LocalErrorKind};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};
use tokio::sync::{oneshot, watch};

/// Whether a Ctrl-C comes as a message, and ends the program no longer by itself.
static TAKEN_OVER: AtomicBool = AtomicBool::new(false);

/// Waits for a Ctrl-C, which from here on ends nothing by itself.
pub async fn signal() {
    TAKEN_OVER.store(true, Ordering::Relaxed);
    // Without a handler it goes on ending the program.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Whether a Ctrl-C ends nothing by itself any more.
pub fn is_taken_over() -> bool {
    TAKEN_OVER.load(Ordering::Relaxed)
}

/// Whether a change has left this process.
static CHANGE_SENT: AtomicBool = AtomicBool::new(false);

/// A change is about to leave.
pub fn note_change_sent() {
    CHANGE_SENT.store(true, Ordering::Relaxed);
}

/// The error of a command that was broken off at a question.
pub fn broken_off() -> CliError {
    let sentence = match CHANGE_SENT.load(Ordering::Relaxed) {
        false => "interrupted. Nothing was changed.",
        true => "interrupted. Changes sent before this question are kept.",
    };
    CliError::new(LocalErrorKind::Interrupted, sentence)
}

/// Does something during which nobody waits for a Ctrl-C, and reacts to one on another thread.
pub fn with_ctrl_c<T>(react: impl FnOnce() + Send, work: impl FnOnce() -> T) -> T {
    let (done, over) = oneshot::channel();
    let (ready, listening) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| listen(ready, over, react));
        // Where nobody can listen there is no message either.
        let _ = listening.recv();
        let result = work();
        drop(done);
        result
    })
}

fn listen(ready: Sender<()>, over: oneshot::Receiver<()>, react: impl FnOnce()) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let Ok(runtime) = runtime else { return };
    let signalled = runtime.block_on(async {
        tokio::select! {
            biased;
            () = signal() => true,
            // The line above has been asked once by now, so it hears.
            () = tell(ready) => false,
            _ = over => false,
        }
    });
    if signalled {
        react();
    }
}

/// Says it, and then nothing any more.
async fn tell(ready: Sender<()>) {
    let _ = ready.send(());
    std::future::pending::<()>().await;
}

/// What a Ctrl-C means at this moment.
#[derive(Debug)]
pub struct Interruption {
    stop: watch::Sender<bool>,
    gentle: Cell<bool>,
    said: Mutex<Option<CliError>>,
}

/// What becomes of the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaction {
    /// It ends by itself in a moment.
    Finishes,
    /// It is dropped.
    EndsNow,
}

impl Default for Interruption {
    fn default() -> Self {
        Self {
            stop: watch::Sender::new(false),
            gentle: Cell::new(false),
            said: Mutex::default(),
        }
    }
}

impl Interruption {
    /// Takes a Ctrl-C; the second one always ends the command.
    pub fn take(&self) -> Reaction {
        let second = self.stop.send_replace(true);
        match self.gentle.get() && !second {
            true => Reaction::Finishes,
            false => Reaction::EndsNow,
        }
    }

    /// The sign that nothing more is to be sent.
    pub fn sign(&self) -> StopSign {
        StopSign(self.stop.subscribe())
    }

    /// From here on the first Ctrl-C lets what is on its way come to its end.
    pub fn begin_graceful(&self) -> GracefulShutdown<'_> {
        self.gentle.set(true);
        GracefulShutdown(self)
    }

    /// What an interrupted command says from here on, and how to go on.
    pub fn say(&self, error: CliError) {
        *self.said.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    /// The error of an interrupted command.
    pub fn error(&self) -> CliError {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        said.clone()
            .unwrap_or_else(|| CliError::new(LocalErrorKind::Interrupted, "interrupted"))
    }
}

/// While it lives, the first Ctrl-C is gentle.
#[derive(Debug)]
pub struct GracefulShutdown<'a>(&'a Interruption);

impl Drop for GracefulShutdown<'_> {
    fn drop(&mut self) {
        self.0.gentle.set(false);
    }
}

/// Says when nothing more is to be sent.
#[derive(Debug, Clone)]
pub struct StopSign(watch::Receiver<bool>);

impl StopSign {
    /// Whether it is up.
    pub fn is_up(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is up.
    pub async fn raised(&self) {
        let mut receiver = self.0.clone();
        // Without a sender nobody can raise it any more.
        if receiver.wait_for(|up| *up).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
