//! The thread that makes changes durable: whatever waits when it comes round goes into one
//! transaction, and everybody who waited is told after the commit.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
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
}

struct Writer {
    jobs: Sender<Job>,
    thread: JoinHandle<()>,
}

impl FileStore {
    pub(super) fn start(database: Database) -> io::Result<Self> {
        let (jobs, waiting) = channel();
        let thread = std::thread::Builder::new()
            .name("secmon-mock-state".to_owned())
            .spawn(move || write(&database, &waiting))?;
        Ok(Self {
            writer: Mutex::new(Some(Writer { jobs, thread })),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Writer>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for FileStore {
    fn save(&self, changes: Vec<Put>) -> Ticket {
        if changes.is_empty() {
            return Ticket::done();
        }
        let (done, receiver) = oneshot::channel();
        if let Some(writer) = &*self.lock() {
            // A send fails only when the thread is gone; the dropped sender then says so.
            let _ = writer.jobs.send(Job { changes, done });
        }
        Ticket::new(receiver)
    }

    fn save_account(&self, name: &str, account: &mut Account, beside: Vec<Put>) -> Ticket {
        let mut changes = beside;
        let changed = account.take_changes().into_iter();
        changes.extend(changed.map(|change| Put::of(name, change)));
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

fn write(database: &Database, waiting: &Receiver<Job>) {
    // Changes of a commit that failed are tried again with the next one: memory has them already,
    // and later changes build on them.
    let mut unsaved = Vec::new();
    while let Ok(first) = waiting.recv() {
        let mut told = Vec::new();
        for job in std::iter::once(first).chain(waiting.try_iter()) {
            unsaved.extend(job.changes);
            told.push(job.done);
        }
        let outcome = commit(database, &unsaved).map_err(|error| NotSaved(error.to_string()));
        if outcome.is_ok() {
            unsaved.clear();
        }
        for done in told {
            // Somebody who went away needs no answer.
            let _ = done.send(outcome.clone());
        }
    }
}

fn commit(database: &Database, changes: &[Put]) -> Result<(), redb::Error> {
    let mut transaction = database.begin_write()?;
    transaction.set_durability(Durability::Immediate)?;
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
