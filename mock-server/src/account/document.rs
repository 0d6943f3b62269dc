//! The whole state as one readable document, and back.

use std::collections::BTreeMap;
use std::path::Path;

use secmon_engine::{Account, Instant};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::accounts::Accounts;
use super::entry::{Entry, Removed};
use super::records::{ServerRecord, moment_put, removals, removed_puts, whole_account};
use super::registry::Registry;
use super::restore::{rehearsed, stored_state};
use crate::account::shared::is_named;
use crate::configuration::checks;
use crate::store::commit::Commit;
use crate::store::file;
use crate::store::record::Put;
use crate::values::admin_error::AdminError;

/// The format that this version writes and reads.
pub(super) const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Document<A> {
    format: u32,
    server: ServerRecord,
    /// The server's time.
    moment: Instant,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    removed: Removed,
    accounts: BTreeMap<String, A>,
}

#[derive(Serialize)]
pub(super) struct AccountDocument {
    #[serde(flatten)]
    pub(super) entry: Entry,
    /// As the engine exports it, the account's keys included.
    pub(super) state: Value,
}

/// The state in the document of an account, whose other members are its entry.
#[derive(Deserialize)]
struct State<'a> {
    #[serde(borrow)]
    state: &'a RawValue,
}

/// What the document of an account holds.
pub(super) fn read_account(document: &RawValue) -> Result<(Account, Entry), String> {
    let unreadable = |error| format!("The document is not the state of an account: {error}.");
    let entry: Entry = serde_json::from_str(document.get()).map_err(unreadable)?;
    let State { state } = serde_json::from_str(document.get()).map_err(unreadable)?;
    let account = Account::import(state.get()).map_err(|error| error.to_string())?;
    Ok((account, entry))
}

/// The document of a state file, which is left as it is.
pub(crate) fn of_file(path: &Path) -> Result<Value, String> {
    let records = file::open_to_read(path).map_err(|error| error.to_string())?;
    let stored = stored_state(records)?;
    let mut accounts = BTreeMap::new();
    for account in stored.accounts {
        let (name, entry) = (account.name.clone(), account.entry);
        let state = account.restore()?.export();
        accounts.insert(name, AccountDocument { entry, state });
    }
    written(Document {
        format: FORMAT,
        server: stored.server,
        moment: stored.moment,
        removed: stored.removed,
        accounts,
    })
}

fn written(document: Document<AccountDocument>) -> Result<Value, String> {
    serde_json::to_value(document).map_err(|error| error.to_string())
}

/// What a document holds.
struct Imported {
    server: ServerRecord,
    moment: Instant,
    registry: Registry,
}

#[derive(Deserialize)]
struct Format {
    format: Option<Value>,
}

/// Whether this version reads the document.
pub(super) fn check_format(document: &str) -> Result<(), String> {
    let Format { format } = match serde_json::from_str(document) {
        Err(error) if !error.is_data() => {
            return Err(format!("The document is not valid JSON: {error}."));
        }
        read => read.unwrap_or(Format { format: None }),
    };
    match format.as_ref().and_then(Value::as_u64) {
        Some(format) if format == u64::from(FORMAT) => Ok(()),
        Some(format) => Err(format!(
            "The document's format {format} is unknown; this version reads {FORMAT}."
        )),
        None => Err("The document has no format; give one that was exported here.".to_owned()),
    }
}

/// The server and its accounts as a document has them.
fn read(document: &str) -> Result<Imported, String> {
    check_format(document)?;
    let document: Document<&RawValue> = serde_json::from_str(document)
        .map_err(|error| format!("The document is not an exported state: {error}."))?;
    let mut registry = Registry::with_history(document.server.made_up_names, document.removed)?;
    for (name, account) in document.accounts {
        checks::account_name(&name)
            .map_err(|reason| format!("The name of an account {reason}."))?;
        let (account, entry) =
            read_account(account).map_err(|error| format!("Account `{name}`: {error}"))?;
        if !is_named(&account, &name) {
            return Err(format!("The account `{name}` has another name inside."));
        }
        registry.admit(account, entry)?;
    }
    Ok(Imported {
        server: document.server,
        moment: document.moment,
        registry,
    })
}

impl Accounts {
    /// The whole state as a readable document.
    pub(crate) fn export(&self) -> Result<Value, AdminError> {
        let registry = self.registry();
        let mut accounts = BTreeMap::new();
        for shared in registry.accounts() {
            let state = shared.lock().export();
            let entry = shared.entry();
            accounts.insert(shared.name().to_owned(), AccountDocument { entry, state });
        }
        let document = Document {
            format: FORMAT,
            server: self.server_record(&registry),
            moment: self.now(),
            removed: registry.removed().clone(),
            accounts,
        };
        written(document).map_err(AdminError::Conflict)
    }

    /// Puts an exported state in the place of this one. What the next start would refuse is refused
    /// here, before anything is changed: all that is acknowledged afterwards rests on it.
    pub(crate) fn import(&self, document: &str) -> Result<Commit, AdminError> {
        let mut imported =
            read(document).map_err(|reason| AdminError::BadInput(checks::in_one_line(&reason)))?;
        imported.server.clock_offset_ms = self.offset_to(imported.moment);
        let new = self.records(&imported);
        rehearsed(&self.settings, &new).map_err(|reason| {
            let reason = reason.trim_end_matches('.');
            AdminError::BadInput(format!("The next start would refuse this state: {reason}."))
        })?;
        let mut registry = self.registry_mut();
        let old = registry.accounts().into_iter();
        let mut changes: Vec<Put> = old
            .flat_map(|shared| removals(shared))
            .chain(removed_puts(&registry).map(Put::removal))
            .collect();
        changes.extend(new);
        let mut new = imported.registry;
        new.keep_out_keys_of(&registry);
        *registry = new;
        self.adopt_server_record(imported.server);
        Ok(self.store.save(changes))
    }

    /// All that a store holds of an imported state.
    fn records(&self, imported: &Imported) -> Vec<Put> {
        let registry = &imported.registry;
        let mut records = vec![imported.server.put(), moment_put(imported.moment)];
        records.extend(removed_puts(registry));
        for shared in registry.accounts() {
            records.extend(whole_account(shared));
        }
        records
    }
}
