//! Waiting for calls to come (M11).

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::select;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::accounts::Accounts;
use crate::account::shared::SharedAccount;
use crate::observation::journal::entry::Entry;
use crate::observation::journal::query::{JournalQuery, ShownCall};
use crate::observation::journal::redaction::Redaction;
use crate::values::admin_error::AdminError;
use crate::values::lock::lock;

impl Accounts {
    /// Returns once so many calls of an account, or of all, came as are waited for, or when the wait is over.
    pub(crate) async fn arrival(
        self: &Arc<Self>,
        tenant: Option<&str>,
        query: &Arc<JournalQuery>,
        count: usize,
        wait: Duration,
    ) -> Result<(), AdminError> {
        let end = Instant::now() + wait;
        let life = match tenant {
            Some(name) => self.account(name)?.journal().life(),
            None => self.unattributed().life(),
        };
        let (there, came) = self.wait_for_calls(tenant, query)?;
        // The time may be over meanwhile, or the account gone.
        let arrived = pin!(self.arrived(there, came, Arc::clone(query), count));
        let _ = timeout_at(end, select(arrived, pin!(ended(life)))).await;
        Ok(())
    }

    /// Returns once so many of these calls and of those that come are query.
    async fn arrived(
        self: &Arc<Self>,
        there: Vec<Arc<Entry>>,
        mut came: watch::Receiver<usize>,
        query: Arc<JournalQuery>,
        count: usize,
    ) {
        let mock = Arc::clone(self);
        // A full journal is searched for longer than others should wait.
        let search = move || mock.count(&there, &query, count);
        let found = tokio::task::spawn_blocking(search).await.unwrap_or(0);
        // An error is the end of the server.
        let _ = came.wait_for(|came| found + came >= count).await;
    }

    /// How many of these calls are query; no more than are asked for.
    fn count(&self, entries: &[Arc<Entry>], query: &JournalQuery, most: usize) -> usize {
        let secrets = self.secrets();
        let redaction = Redaction::new(secrets.iter().map(String::as_str));
        let calls = entries
            .iter()
            .map(|entry| ShownCall::new(entry, &redaction));
        calls
            .filter(|call| query.takes_shown(call))
            .take(most)
            .count()
    }

    /// Those that may be query among the calls that are there, and how many of later ones are.
    fn wait_for_calls(
        &self,
        tenant: Option<&str>,
        query: &Arc<JournalQuery>,
    ) -> Result<(Vec<Arc<Entry>>, watch::Receiver<usize>), AdminError> {
        // Held until all are seen: a call is among them, or is told of later.
        let mut waiters = lock(&self.waiters);
        let mut there = Vec::new();
        self.with_journals(tenant, |_, journal| {
            let told = journal.told_entries().filter(|entry| query.takes(entry));
            there.extend(told.cloned());
        })?;
        Ok((there, waiters.add(tenant, query)))
    }

    /// Tells who waits for calls of one that was recorded.
    pub(crate) fn tell_of_call(&self, shared: Option<&SharedAccount>, entry: &Entry) {
        let told = || match shared {
            Some(shared) => shared.journal().told(entry.id),
            None => self.unattributed().told(entry.id),
        };
        let waiters = lock(&self.waiters);
        if waiters.is_empty() {
            told();
            return;
        }
        // Whoever changes the accounts may look at a journal: their lock is not waited for under one.
        drop(waiters);
        let secrets = self.secrets();
        let redaction = Redaction::new(secrets.iter().map(String::as_str));
        let mut waiters = lock(&self.waiters);
        told();
        waiters.tell(
            shared.map(SharedAccount::name),
            &ShownCall::new(entry, &redaction),
        );
    }
}

/// Returns when a journal is no more.
async fn ended(mut life: watch::Receiver<()>) {
    while life.changed().await.is_ok() {}
}
