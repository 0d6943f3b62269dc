//! State out and in: from stored records, and as one readable document.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::ids::Kind;
use crate::settings::AccountSettings;
use crate::state::account::Account;
use crate::state::records::{Domain, PortAlert};
use crate::state::storage::{AlertNo, RestoreError};
use crate::state::tables::{Change, Records, StoredRecord, Table};
use crate::time::Instant;

/// The format of the exported document; another number is refused.
const FORMAT: u32 = 1;

/// The exported state of one account.
#[derive(Serialize, Deserialize)]
struct Document<R> {
    format: u32,
    records: Vec<R>,
}

/// One record of the document. The id is there for readers only: it follows
/// from table and key.
#[derive(Serialize)]
struct Entry {
    table: String,
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Uuid>,
    value: Value,
}

/// The same as it is read: what a document holds is not kept a second time in another form.
#[derive(Deserialize)]
struct Found<'a> {
    table: String,
    key: String,
    #[serde(default, rename = "id")]
    _id: Option<Uuid>,
    #[serde(borrow)]
    value: &'a RawValue,
}

impl Account {
    /// The whole state as a document for people and programs, from which
    /// [`Account::import`] makes the same account again. It holds the
    /// account's API keys.
    pub fn export(&self) -> Value {
        let records = self
            .all_records()
            .into_iter()
            .map(|change| self.entry(change))
            .collect();
        let document = Document {
            format: FORMAT,
            records,
        };
        serde_json::to_value(document).expect("records have text keys and no failing serializer")
    }

    fn entry(&self, change: Change) -> Entry {
        let value = change.value.unwrap_or_default();
        let value: Value = serde_json::from_slice(&value).unwrap_or_default();
        Entry {
            table: change.table.name().to_owned(),
            id: self.shown_id(change.table, &change.key, &value),
            key: change.key,
            value,
        }
    }

    /// What changed and was not taken or forgotten yet, with the ids that the API shows.
    pub fn changes(&mut self) -> Vec<(Change, Option<Uuid>)> {
        let changes = self.records.changes();
        let with_id = |change: Change| {
            let value = change.value.as_deref().unwrap_or_default();
            let value = serde_json::from_slice(value).unwrap_or_default();
            let id = self.shown_id(change.table, &change.key, &value);
            (change, id)
        };
        changes.into_iter().map(with_id).collect()
    }

    /// The id that the API shows for a record, where it shows one.
    fn shown_id(&self, table: Table, key: &str, value: &Value) -> Option<Uuid> {
        let kind = match table {
            Table::Endpoints => Kind::Endpoint,
            Table::Rules => Kind::Rule,
            Table::PortAlerts => Kind::PortAlert,
            Table::Keys => return Some(self.own_ids.uuid(Kind::Key, key.parse().ok()?)),
            Table::Domains => Kind::Domain,
            Table::DomainAlerts => Kind::DomainAlert,
            Table::Subscriptions => {
                let number = value["number"].as_u64()?;
                return Some(
                    self.ids
                        .uuid(Kind::Subscription, u32::try_from(number).ok()?),
                );
            }
            _ => return None,
        };
        Some(self.ids.uuid(kind, key.parse().ok()?))
    }

    /// A copy of the account under other settings: the same records under the same ids, no key and no sign-in token.
    ///
    /// # Errors
    ///
    /// [`RestoreError`] when the settings do not fit the records.
    pub fn copied(&self, settings: AccountSettings) -> Result<Self, RestoreError> {
        let settings = AccountSettings {
            copied_from: Some(self.records.settings.id_source()),
            ..settings
        };
        let copied = self.all_records().into_iter().filter_map(|change| {
            let value = match change.table {
                Table::Keys | Table::SsoTokens => return None,
                Table::Settings => serde_json::to_vec(&settings).ok()?,
                _ => change.value?,
            };
            Some(StoredRecord {
                table: change.table,
                key: change.key,
                value,
            })
        });
        Self::restore(copied)
    }

    /// Makes the account again that a document was exported from.
    ///
    /// # Errors
    ///
    /// [`RestoreError`], one sentence that names what is wrong.
    pub fn import(document: &str) -> Result<Self, RestoreError> {
        let document: Document<Found<'_>> = serde_json::from_str(document).map_err(|error| {
            RestoreError(format!(
                "The document is not the state of an account: {error}."
            ))
        })?;
        if document.format != FORMAT {
            return Err(RestoreError(format!(
                "The document has format {}, this version reads format {FORMAT}.",
                document.format
            )));
        }
        let records: Result<Vec<StoredRecord>, RestoreError> =
            document.records.into_iter().map(stored).collect();
        Self::restore(records?)
    }

    /// Builds an account from its stored records, each one checked, with
    /// everything that follows from them.
    ///
    /// # Errors
    ///
    /// [`RestoreError`], one sentence that names the first record that is
    /// missing, unreadable, or does not fit the others.
    pub fn restore(records: impl IntoIterator<Item = StoredRecord>) -> Result<Self, RestoreError> {
        let mut account = Self::from_records(Records::restore(records)?);
        account.check_counters()?;
        account.restore_customers()?;
        account.restore_endpoints()?;
        account.check_endpoint_keys()?;
        account.restore_rules()?;
        account.restore_alerts()?;
        account.check_subscriptions()?;
        account.restore_domains()?;
        account.restore_domain_alerts()?;
        account.index_due();
        account.now = account.latest_moment();
        Ok(account)
    }

    /// The latest time any record speaks of having been: the account's time
    /// does not move behind it.
    fn latest_moment(&self) -> Instant {
        let endpoints = self.records.endpoints.iter().flat_map(|(_, endpoint)| {
            let scanned = endpoint.last_scan.map(|scan| scan.at);
            [Some(endpoint.updated_at), scanned].into_iter().flatten()
        });
        let rules = self.records.rules.values().map(|rule| rule.updated_at);
        let alerts = self.records.port_alerts.iter().flat_map(alert_moments);
        let subscriptions = self.records.subscriptions.values().map(|one| one.since);
        let domains = self.records.domains.values().map(Domain::latest_moment);
        endpoints
            .chain(rules)
            .chain(alerts)
            .chain(subscriptions)
            .chain(domains)
            .max()
            .unwrap_or(self.now)
            .max(self.records.controls.progress_since)
    }
}

fn alert_moments((_, alert): (AlertNo, &PortAlert)) -> impl Iterator<Item = Instant> + use<> {
    let resolved = alert.resolution.map(|resolution| resolution.at);
    std::iter::once(alert.first_detected_at).chain(resolved)
}

fn stored(entry: Found<'_>) -> Result<StoredRecord, RestoreError> {
    let table = Table::from_name(&entry.table).ok_or_else(|| {
        RestoreError(format!(
            "The document has a table {}, which this version does not know.",
            entry.table
        ))
    })?;
    Ok(StoredRecord {
        table,
        key: entry.key,
        value: entry.value.get().as_bytes().to_vec(),
    })
}
