//! One account's state, out and in (M11).

use secmon_engine::{Account, Instant};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::accounts::Accounts;
use super::document::{AccountDocument, check_format, read_account};
use super::entry::Entry;
use super::records::{moment_put, removals, whole_account};
use super::restore::rehearsed;
use crate::account::shared::{SharedAccount, is_named};
use crate::configuration::checks;
use crate::store::commit::Commit;
use crate::store::record::Put;
use crate::values::admin_error::AdminError;

/// The exported state of one account.
#[derive(Serialize, Deserialize)]
struct TransferDocument<A> {
    format: u32,
    name: String,
    /// The account's time.
    moment: Instant,
    account: A,
}

impl Accounts {
    /// One account's state as a readable document.
    pub(crate) fn export_account(&self, name: &str) -> Result<Value, AdminError> {
        let shared = self.account(name)?;
        let state = shared.lock().export();
        let document = TransferDocument {
            format: super::document::FORMAT,
            name: name.to_owned(),
            moment: shared.time(self.now()),
            account: AccountDocument {
                entry: shared.entry(),
                state,
            },
        };
        serde_json::to_value(document).map_err(|error| AdminError::Conflict(error.to_string()))
    }

    /// Puts an exported state in the place of the account's, its clock included; its journal stays. What the next start
    /// would refuse is refused here, and nothing is changed.
    pub(crate) fn import_account(&self, name: &str, document: &str) -> Result<Commit, AdminError> {
        let refused = |reason: String| AdminError::BadInput(checks::in_one_line(&reason));
        let (account, moment) = read(name, document).map_err(refused)?;
        let ahead = moment.unix_millis() - self.now().unix_millis();
        let entry = Entry {
            // An account's clock is never behind the server's.
            clock_offset_ms: u64::try_from(ahead).unwrap_or(0),
            ..self.account(name)?.entry()
        };
        let new = SharedAccount::new(account, entry);
        // Before the lock that calls of others wait for.
        self.rehearse(&new).map_err(refused)?;
        let mut registry = self.registry_mut();
        let old = registry.named(name)?;
        registry.check(&new.lock(), entry).map_err(refused)?;
        if let Some(mut watch) = old.watch() {
            watch.end();
        }
        std::mem::swap(&mut *old.journal(), &mut *new.journal());
        let mut changes = removals(&old);
        changes.extend(whole_account(&new));
        registry.replace(&old, new);
        Ok(self.store.save(changes))
    }

    /// Whether a start would take the account.
    fn rehearse(&self, account: &SharedAccount) -> Result<(), String> {
        let server = self.server_record(&self.registry()).put();
        let mut records: Vec<Put> = whole_account(account);
        records.extend([server, moment_put(self.now())]);
        rehearsed(&self.settings, &records)
            .map_err(|reason| format!("The next start would refuse this state: {reason}."))
    }
}

fn read(name: &str, document: &str) -> Result<(Account, Instant), String> {
    check_format(document)?;
    let document: TransferDocument<&RawValue> = serde_json::from_str(document)
        .map_err(|error| format!("The document is not an exported account: {error}."))?;
    let (account, _) = read_account(document.account)?;
    if document.name != name || !is_named(&account, name) {
        return Err(format!(
            "The document is of the account `{}`; it goes into that one only.",
            account.settings().name
        ));
    }
    Ok((account, document.moment))
}
