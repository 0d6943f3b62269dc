//! The thread that makes changes durable: whatever waits when it comes round goes into one
//! transaction, and everybody who waited is told after the commit.
//!
//! A commit that fails ends the saving: memory is ahead of the file from then on, and nothing that
//! rests on memory may be acknowledged any more.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use secmon_engine::Account;
use tokio::sync::oneshot;

use super::commit::{Commit, NotSaved};
use super::interface::Store;
use super::record::Put;
use super::state_file::StateFile;
use crate::values::lock::lock;

/// After so long without changes the log is put into the file, which may be copied then.
const QUIET: Duration = Duration::from_secs(1);

struct Job {
    changes: Vec<Put>,
    done: oneshot::Sender<Result<(), NotSaved>>,
}

/// A store in a file, with its writer thread.
pub(crate) struct FileStore {
    writer: Mutex<Option<(Sender<Job>, JoinHandle<()>)>>,
    state: Arc<WriterState>,
}

/// How far the writer is.
#[derive(Default)]
struct WriterState {
    /// Jobs handed over whose outcome is not known yet.
    open_jobs: AtomicUsize,
    /// Why nothing is saved any more.
    failure: OnceLock<NotSaved>,
}

impl WriterState {
    fn outcome(&self) -> Result<(), NotSaved> {
        self.failure.get().cloned().map_or(Ok(()), Err)
    }
}

impl FileStore {
    pub(super) fn start(file: StateFile) -> std::io::Result<Self> {
        let (jobs, waiting) = channel();
        let state = Arc::new(WriterState::default());
        let shared = Arc::clone(&state);
        let thread = std::thread::Builder::new().name("secmon-mock-state".to_owned());
        let thread = thread.spawn(move || write(file, &waiting, &shared))?;
        let writer = Mutex::new(Some((jobs, thread)));
        Ok(Self { writer, state })
    }
}

impl FileStore {
    fn hand_over(&self, changes: Vec<Put>) -> Commit {
        let (done, receiver) = oneshot::channel();
        if let Some((jobs, _)) = &*lock(&self.writer) {
            self.state.open_jobs.fetch_add(1, Ordering::AcqRel);
            // A send fails only when the thread is gone; the dropped sender then says so.
            let _ = jobs.send(Job { changes, done });
        }
        Commit::Awaited(receiver)
    }
}

impl Store for FileStore {
    fn save(&self, changes: Vec<Put>) -> Commit {
        if changes.is_empty() && self.state.open_jobs.load(Ordering::Acquire) == 0 {
            return Commit::Known(self.state.outcome());
        }
        self.hand_over(changes)
    }

    fn checked(&self) -> Commit {
        self.hand_over(Vec::new())
    }

    fn save_account(&self, name: &str, account: &mut Account, beside: &dyn Fn() -> Put) -> Commit {
        let changed = account.take_changes().into_iter();
        let mut changes: Vec<Put> = changed.map(|change| Put::of(name, change)).collect();
        if !changes.is_empty() {
            changes.push(beside());
        }
        self.save(changes)
    }

    fn close(&self) {
        if let Some((jobs, thread)) = lock(&self.writer).take() {
            drop(jobs);
            // The thread owns the file; once it ended, the file is closed.
            let _ = thread.join();
        }
    }
}

impl Drop for FileStore {
    fn drop(&mut self) {
        self.close();
    }
}

fn write(mut file: StateFile, waiting: &Receiver<Job>, state: &WriterState) {
    while let Some(first) = next_job(&mut file, waiting) {
        let jobs: Vec<Job> = std::iter::once(first).chain(waiting.try_iter()).collect();
        if state.failure.get().is_none()
            && let Err(error) = file.save(jobs.iter().flat_map(|job| &job.changes))
        {
            let failure = state.failure.get_or_init(|| NotSaved(error.to_string()));
            eprintln!("error: {failure}");
        }
        state.open_jobs.fetch_sub(jobs.len(), Ordering::AcqRel);
        for job in jobs {
            // Somebody who went away needs no answer.
            let _ = job.done.send(state.outcome());
        }
    }
    file.close();
}

/// The next job, when there is one; none at the end.
fn next_job(file: &mut StateFile, waiting: &Receiver<Job>) -> Option<Job> {
    if file.is_logged() {
        match waiting.recv_timeout(QUIET) {
            Ok(job) => return Some(job),
            Err(RecvTimeoutError::Timeout) => file.fold_log(),
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
    waiting.recv().ok()
}
