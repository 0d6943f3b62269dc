//! One account of an embedded server, with everything a test can do to it.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

use secmon_engine::{ClientId, DomainFindings, LeakDataset, OpenPort, Progress, ScanOutcome};
use uuid::Uuid;

use crate::account::accounts::Accounts;
use crate::account::findings::RecordRef;
use crate::account::lifecycle::NewAccount;
use crate::faults::fault::Fault;
use crate::observation::journal::query::JournalQuery;
use crate::observation::journal::redaction::Redaction;
use crate::observation::journal::shown::JournalEntry;
use crate::observation::notice::Notice;
use crate::store::commit::{Commit, wait};
use crate::values::admin_error::AdminError;
use crate::values::clock::Movement;
use crate::values::wildcard::wildcard;
use secmon_engine::Scenario;

/// An account of its own on a [`MockServer`](crate::embedded::server::MockServer): key, clock, world, faults and
/// journal are its alone. It stays usable, without a network, after the server is dropped.
pub struct Tenant {
    accounts: Arc<Accounts>,
    url: String,
    name: String,
    portal_domain: String,
    api_key: String,
}

impl Tenant {
    pub(crate) fn new(accounts: Arc<Accounts>, url: String, made: NewAccount) -> Self {
        Self {
            accounts,
            url,
            name: made.shared.name().to_owned(),
            portal_domain: made.shared.settings().portal_domain.clone(),
            api_key: made.api_key,
        }
    }

    /// The account's name in the admin API.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The origin of the partner API.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The account's first API key.
    pub fn api_key(&self) -> &str {
        &self.api_key
    }

    /// The portal domain that its keys are bound to.
    pub fn portal_domain(&self) -> &str {
        &self.portal_domain
    }

    /// Moves the account's time forward; what was due until then has happened when it returns.
    ///
    /// # Errors
    ///
    /// [`AdminError`] when the account is gone or the state could not be saved.
    pub fn advance(&self, span: Duration) -> Result<(), AdminError> {
        saved(
            self.accounts
                .move_clock_of(&self.name, Movement::Advance(span)),
        )
    }

    /// Sets what the next scan of a server finds (E2).
    ///
    /// # Errors
    ///
    /// [`AdminError::Unknown`] when there is no such server.
    pub fn set_ports(&self, endpoint_id: Uuid, open: &[OpenPort]) -> Result<(), AdminError> {
        saved(self.accounts.set_ports(self.record(endpoint_id), open))
    }

    /// Runs one scan of a server to its end, outside cooldown and schedule (M6).
    ///
    /// # Errors
    ///
    /// [`AdminError::Unknown`] when there is no such server, [`AdminError::Conflict`] when it is
    /// not active.
    pub fn scan_now(&self, endpoint_id: Uuid, outcome: ScanOutcome) -> Result<(), AdminError> {
        saved(
            self.accounts
                .scan_endpoint_now(self.record(endpoint_id), outcome),
        )
    }

    /// Sets what the next scan of a domain finds (E2).
    ///
    /// # Errors
    ///
    /// [`AdminError::Unknown`] when there is no such domain.
    pub fn set_findings(
        &self,
        domain_id: Uuid,
        findings: DomainFindings,
    ) -> Result<(), AdminError> {
        saved(self.accounts.set_findings(self.record(domain_id), findings))
    }

    /// Runs one scan of a domain to its end, outside the schedule (M6).
    ///
    /// # Errors
    ///
    /// [`AdminError::Unknown`] when there is no such domain, [`AdminError::Conflict`] when it is
    /// not active.
    pub fn scan_domain_now(&self, domain_id: Uuid, outcome: ScanOutcome) -> Result<(), AdminError> {
        saved(
            self.accounts
                .scan_domain_now(self.record(domain_id), outcome),
        )
    }

    /// Sets what scans find from now on, where nothing else was set (E12).
    ///
    /// # Errors
    ///
    /// [`AdminError`] when the account is gone or the state could not be saved.
    pub fn set_scenario(&self, scenario: Scenario) -> Result<(), AdminError> {
        saved(self.accounts.set_scenario(&self.name, scenario))
    }

    /// Sets whether the dataset of leaked credentials answers (C10).
    ///
    /// # Errors
    ///
    /// [`AdminError`] when the account is gone or the state could not be saved.
    pub fn set_leak_dataset(&self, state: LeakDataset) -> Result<(), AdminError> {
        saved(self.accounts.set_leak_dataset(&self.name, state))
    }

    /// Sets how scans come to their end.
    ///
    /// # Errors
    ///
    /// [`AdminError`] when the account is gone or the state could not be saved.
    pub fn set_progress(&self, progress: Progress) -> Result<(), AdminError> {
        saved(self.accounts.set_progress(&self.name, progress))
    }

    /// Takes a customer's portal account away: `USER_NOT_FOUND` follows (C11).
    ///
    /// # Errors
    ///
    /// [`AdminError::Unknown`] when there is no such customer.
    pub fn remove_portal_account(&self, client: ClientId) -> Result<(), AdminError> {
        saved(self.accounts.remove_portal_account(&self.name, client))
    }

    /// Places a fault that hits calls of this account only; its id.
    pub fn fault(&self, mut fault: Fault) -> u64 {
        fault.tenant = Some(self.name.clone());
        self.accounts.faults().place(fault)
    }

    /// Removes the account's faults.
    pub fn clear_faults(&self) {
        self.accounts.faults().clear_account(&self.name);
    }

    /// The account's last calls, oldest first.
    pub fn journal(&self) -> Vec<JournalEntry> {
        self.accounts.account(&self.name).map_or_else(
            |_| Vec::new(),
            |shared| {
                let secrets = self.accounts.secrets();
                let redaction = Redaction::new(secrets.iter().map(String::as_str));
                let entries: Vec<_> = shared.journal().entries().collect();
                let shown = |entry| JournalEntry::new(Some(&self.name), entry, &redaction);
                entries.iter().map(|entry| shown(entry)).collect()
            },
        )
    }

    /// The calls of this method that fit the path, oldest first; `*` stands for any text, `/` too.
    pub fn calls(&self, method: &str, path: &str) -> Vec<JournalEntry> {
        let mut calls = self.journal();
        calls.retain(|call| call.method == method && wildcard(path, &call.path));
        calls
    }

    /// Checks that there were just this many calls of this method that fit the path.
    ///
    /// # Errors
    ///
    /// A sentence that says how many there were, and which calls came at all.
    pub fn verify(&self, method: &str, path: &str, times: usize) -> Result<(), String> {
        let found = self.calls(method, path).len();
        if found == times {
            return Ok(());
        }
        let all = self.journal();
        let came: Vec<String> = all
            .iter()
            .map(|call| format!("{} {}", call.method, call.path))
            .collect();
        let came = if came.is_empty() {
            "none".to_owned()
        } else {
            came.join(", ")
        };
        Err(format!(
            "{method} {path} was called {found} times, not {times}; the calls were: {came}"
        ))
    }

    /// Checks that no call was careless: a misspelt name, a read without the customer, a repeat that may act twice, a
    /// call before `Retry-After`, a list that was not read to its end (M10). Of the command line, whose users are staff and
    /// whose calls raise no notices, the mistakes that it makes itself are told here alone.
    ///
    /// # Errors
    ///
    /// One line for each notice, with its call.
    pub fn verify_no_notices(&self) -> Result<(), String> {
        let journal = self.journal();
        let line = |call: &JournalEntry, notice: &Notice| {
            format!("{} {}: {}", call.method, call.path, notice.sentence)
        };
        let of_calls = journal.iter().flat_map(|call| {
            let notices = call.notices.iter().chain(&call.staff_notices);
            notices.map(move |notice| line(call, notice))
        });
        let shared = self.accounts.account(&self.name).ok();
        let unread = shared.map_or_else(Vec::new, |shared| {
            shared.history().unread().left(Some(&self.name))
        });
        let unread = unread
            .into_iter()
            .map(|(call, notice)| format!("call {call}: {}", notice.sentence));
        let told: Vec<String> = of_calls.chain(unread).collect();
        if told.is_empty() {
            Ok(())
        } else {
            Err(told.join("\n"))
        }
    }

    /// Waits until there were this many calls of this method that fit the path, and gives them, oldest first. Runs
    /// where tokio keeps time; the calls may come from any thread.
    ///
    /// # Errors
    ///
    /// After `patience`, a sentence that says how many there were, and which calls came nearest.
    pub async fn wait_for(
        &self,
        method: &str,
        path: &str,
        times: usize,
        patience: Duration,
    ) -> Result<Vec<JournalEntry>, String> {
        let wanted = Arc::new(JournalQuery {
            method: Some(method.to_owned()),
            path: Some(path.to_owned()),
            ..JournalQuery::default()
        });
        let arrival = self
            .accounts
            .arrival(Some(&self.name), &wanted, times, patience);
        arrival.await.map_err(|gone| gone.to_string())?;
        let came = self.calls(method, path);
        if came.len() >= times {
            return Ok(came);
        }
        let near = nearest_calls(&self.journal(), method, path);
        Err(format!(
            "{method} {path} was called {} times in {patience:?}, not {times}; {near}",
            came.len()
        ))
    }

    /// A further API key.
    ///
    /// # Errors
    ///
    /// [`AdminError`] when the account is gone or the state could not be saved.
    pub fn issue_key(&self) -> Result<String, AdminError> {
        let (key, commit) = self.accounts.issue_key(&self.name)?;
        wait(commit)?;
        Ok(key)
    }

    /// Takes a key away; calls with it are answered 401 from now on.
    ///
    /// # Errors
    ///
    /// [`AdminError::Unknown`] when the account has no such key.
    pub fn revoke_key(&self, key: &str) -> Result<(), AdminError> {
        saved(self.accounts.revoke_key(&self.name, key))
    }

    fn record(&self, id: Uuid) -> RecordRef<'_> {
        let tenant = Some(self.name.as_str());
        RecordRef { tenant, id }
    }

    /// Everything of the account back to its start; its keys stay (M3).
    ///
    /// # Errors
    ///
    /// [`AdminError`] when the account is gone or the state could not be saved.
    pub fn reset(&self) -> Result<(), AdminError> {
        saved(self.accounts.reset_account(&self.name))
    }
}

impl std::fmt::Debug for Tenant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tenant")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Which calls came nearest to one that was waited for.
fn nearest_calls(journal: &[JournalEntry], method: &str, path: &str) -> String {
    const NAMED: usize = 3;
    let wanted = format!("{method} {path}");
    let likeness = |call: &str| (strsim::jaro_winkler(&wanted, call) * 1000.0) as u32;
    let mut others: Vec<String> = journal
        .iter()
        .map(|call| format!("{} {}", call.method, call.path))
        .collect();
    others.sort_by_cached_key(|call| Reverse(likeness(call)));
    others.dedup();
    others.retain(|call| !wildcard(&wanted, call));
    others.truncate(NAMED);
    match others.as_slice() {
        [] => "no other call came".to_owned(),
        others => format!("nearest came {}", others.join(", ")),
    }
}

fn saved(done: Result<Commit, AdminError>) -> Result<(), AdminError> {
    Ok(wait(done?)?)
}
