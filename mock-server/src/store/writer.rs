//! The thread that makes changes durable: whatever waits when it comes round goes into one
//! transaction, and everybody who waited is told after the commit.
//!
//! A commit that fails ends the saving: memory is ahead of the file from then on, and nothing that
//! rests on memory may be acknowledged any more.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;

use rusqlite::Connection;
use secmon_engine::Account;
use tokio::sync::oneshot;

use super::{Commit, NotSaved, Place, Put, Store, checksum, file};
use crate::partner::lock;

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
    pub(super) fn start(connection: Connection) -> std::io::Result<Self> {
        let (jobs, waiting) = channel();
        let state = Arc::new(WriterState::default());
        let shared = Arc::clone(&state);
        let thread = std::thread::Builder::new().name("secmon-mock-state".to_owned());
        let thread = thread.spawn(move || write(connection, &waiting, &shared))?;
        let writer = Mutex::new(Some((jobs, thread)));
        Ok(Self { writer, state })
    }
}

impl Store for FileStore {
    fn save(&self, changes: Vec<Put>) -> Commit {
        if changes.is_empty() && self.state.open_jobs.load(Ordering::Acquire) == 0 {
            return Commit::Known(self.state.outcome());
        }
        let (done, receiver) = oneshot::channel();
        if let Some((jobs, _)) = &*lock(&self.writer) {
            self.state.open_jobs.fetch_add(1, Ordering::AcqRel);
            // A send fails only when the thread is gone; the dropped sender then says so.
            let _ = jobs.send(Job { changes, done });
        }
        Commit::Awaited(receiver)
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

fn write(mut connection: Connection, waiting: &Receiver<Job>, state: &WriterState) {
    while let Ok(first) = waiting.recv() {
        let jobs: Vec<Job> = std::iter::once(first).chain(waiting.try_iter()).collect();
        if state.failure.get().is_none()
            && let Err(error) = commit(&mut connection, jobs.iter().flat_map(|job| &job.changes))
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
    file::close(&connection);
}

const KEEP: &str = "INSERT OR REPLACE INTO records VALUES (?1, ?2, ?3, ?4, ?5)";
const REMOVE: &str = "DELETE FROM records WHERE account = ?1 AND \"table\" = ?2 AND key = ?3";

fn commit<'a>(
    connection: &mut Connection,
    changes: impl Iterator<Item = &'a Put>,
) -> Result<(), rusqlite::Error> {
    let transaction = connection.transaction()?;
    {
        let (mut keep, mut remove) = (transaction.prepare(KEEP)?, transaction.prepare(REMOVE)?);
        for Put { place, value } in changes {
            let Place { owner, table, key } = place;
            match value {
                Some(value) => {
                    let sum = checksum::of(place, value);
                    keep.execute((owner, table, key, value, sum))?
                }
                None => remove.execute((owner, table, key))?,
            };
        }
    }
    transaction.commit()
}
