//! The thread that makes changes durable: whatever waits when it comes round goes into one
//! transaction, and everybody who waited is told after the commit.
//!
//! A commit that fails ends the saving: memory is ahead of the file from then on, and nothing that
//! rests on memory may be acknowledged any more.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;

use redb::{Database, Durability};
use secmon_engine::Account;
use tokio::sync::oneshot;

use super::file::{RECORDS, key_of, stored};
use super::{NotSaved, Put, Store, Ticket};

struct Job {
    changes: Vec<Put>,
    done: oneshot::Sender<Result<(), NotSaved>>,
}

/// A store in a file, with its writer thread.
pub(crate) struct FileStore {
    writer: Mutex<Option<Writer>>,
    standing: Arc<Standing>,
}

/// How far the writer is.
#[derive(Default)]
struct Standing {
    /// Jobs handed over whose outcome is not known yet.
    open_jobs: AtomicUsize,
    /// Why nothing is saved any more.
    failure: OnceLock<NotSaved>,
}

impl Standing {
    fn outcome(&self) -> Result<(), NotSaved> {
        self.failure.get().cloned().map_or(Ok(()), Err)
    }
}

struct Writer {
    jobs: Sender<Job>,
    thread: JoinHandle<()>,
}

impl FileStore {
    pub(super) fn start(database: Database) -> io::Result<Self> {
        let (jobs, waiting) = channel();
        let standing = Arc::new(Standing::default());
        let shared = Arc::clone(&standing);
        let thread = std::thread::Builder::new()
            .name("secmon-mock-state".to_owned())
            .spawn(move || write(&database, &waiting, &shared))?;
        Ok(Self {
            writer: Mutex::new(Some(Writer { jobs, thread })),
            standing,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Writer>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hand_over(&self, changes: Vec<Put>) -> Ticket {
        let (done, receiver) = oneshot::channel();
        if let Some(writer) = &*self.lock() {
            self.standing.open_jobs.fetch_add(1, Ordering::AcqRel);
            // A send fails only when the thread is gone; the dropped sender then says so.
            let _ = writer.jobs.send(Job { changes, done });
        }
        Ticket::new(receiver)
    }
}

impl Store for FileStore {
    fn save(&self, changes: Vec<Put>) -> Ticket {
        if changes.is_empty() {
            return self.settled();
        }
        self.hand_over(changes)
    }

    fn settled(&self) -> Ticket {
        if self.standing.open_jobs.load(Ordering::Acquire) == 0 {
            return Ticket::known(self.standing.outcome());
        }
        // What memory shows may still fail to be saved: a job without changes ends after it.
        self.hand_over(Vec::new())
    }

    fn save_account(&self, name: &str, account: &mut Account, beside: &dyn Fn() -> Put) -> Ticket {
        let changed = account.take_changes().into_iter();
        let mut changes: Vec<Put> = changed.map(|change| Put::of(name, change)).collect();
        if !changes.is_empty() {
            changes.push(beside());
        }
        self.save(changes)
    }

    fn close(&self) {
        let writer = self.lock().take();
        if let Some(Writer { jobs, thread }) = writer {
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

fn write(database: &Database, waiting: &Receiver<Job>, standing: &Standing) {
    while let Ok(first) = waiting.recv() {
        let mut changes = Vec::new();
        let mut told = Vec::new();
        for job in std::iter::once(first).chain(waiting.try_iter()) {
            changes.extend(job.changes);
            told.push(job.done);
        }
        if standing.failure.get().is_none()
            && !changes.is_empty()
            && let Err(error) = commit(database, &changes)
        {
            let failure = standing.failure.get_or_init(|| NotSaved(error.to_string()));
            eprintln!("error: {failure}");
        }
        standing.open_jobs.fetch_sub(told.len(), Ordering::AcqRel);
        for done in told {
            // Somebody who went away needs no answer.
            let _ = done.send(standing.outcome());
        }
    }
}

fn commit(database: &Database, changes: &[Put]) -> Result<(), redb::Error> {
    let mut transaction = database.begin_write()?;
    transaction.set_durability(Durability::Immediate)?;
    // In one phase, opening would take an older commit for the last one where a bit of that is bad.
    transaction.set_two_phase_commit(true);
    {
        let mut records = transaction.open_table(RECORDS)?;
        for Put { place, value } in changes {
            let key = key_of(place);
            match value {
                Some(value) => records.insert(key.as_str(), stored(&key, value).as_slice())?,
                None => records.remove(key.as_str())?,
            };
        }
    }
    transaction.commit()?;
    Ok(())
}
