//! State out and in: from stored records, and as one readable document.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::account::{Account, Records};
use crate::changes::{
    AlertNo, Change, CustomerNo, Durable, EndpointNo, Key, RestoreError, RuleNo, StoredRecord,
    StoredTables, Table,
};
use crate::ids::Kind;
use crate::rule::Scope;
use crate::time::Instant;
use crate::world::PortSet;

/// The format of the exported document; another number is refused.
const FORMAT: u32 = 1;

/// The exported state of one account.
#[derive(Serialize, Deserialize)]
struct Document {
    format: u32,
    records: Vec<Entry>,
}

/// One record of the document. The id is there for readers only: it follows
/// from table and key.
#[derive(Serialize, Deserialize)]
struct Entry {
    table: String,
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Uuid>,
    value: Value,
}

impl Account {
    /// The whole state as a document for people and programs, from which
    /// [`Account::import`] makes the same account again. It holds the
    /// account's API keys.
    pub fn export(&mut self) -> Value {
        let records = self
            .all_records()
            .into_iter()
            .map(|change| self.entry(change))
            .collect();
        let document = Document {
            format: FORMAT,
            records,
        };
        serde_json::to_value(document).unwrap_or_default()
    }

    fn entry(&self, change: Change) -> Entry {
        let kind = match change.table {
            Table::Endpoints => Some(Kind::Endpoint),
            Table::Rules => Some(Kind::Rule),
            Table::PortAlerts => Some(Kind::PortAlert),
            Table::Keys => Some(Kind::Key),
            _ => None,
        };
        let id = kind.and_then(|kind| Some(self.ids.uuid(kind, change.key.parse().ok()?)));
        let value = change.value.unwrap_or_default();
        Entry {
            table: change.table.name().to_owned(),
            key: change.key,
            id,
            value: serde_json::from_slice(&value).unwrap_or_default(),
        }
    }

    /// Makes the account again that a document was exported from.
    ///
    /// # Errors
    ///
    /// [`RestoreError`], one sentence that names what is wrong.
    pub fn import(document: &Value) -> Result<Self, RestoreError> {
        let document = Document::deserialize(document).map_err(|error| {
            RestoreError(format!("The document is no account's state: {error}."))
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
        let mut stored = StoredTables::new(records)?;
        let mut account = Self::from_records(Records {
            settings: stored.single(Table::Settings)?,
            controls: stored.single(Table::Controls)?,
            keys: stored.map(Table::Keys)?,
            customers: stored.rows(Table::Customers)?,
            endpoints: stored.rows(Table::Endpoints)?,
            endpoint_worlds: stored.map(Table::EndpointWorlds)?,
            manual_scans: stored.map(Table::ManualScans)?,
            service_links: stored.map(Table::ServiceLinks)?,
            rules: stored.map(Table::Rules)?,
            port_alerts: stored.rows(Table::PortAlerts)?,
        });
        account.check_counters()?;
        account.restore_customers()?;
        account.restore_endpoints()?;
        account.check_endpoint_keys()?;
        account.restore_rules()?;
        account.restore_alerts()?;
        account.index_due();
        account.now = account.latest_moment();
        Ok(account)
    }

    /// No record may have a number that was not given yet.
    fn check_counters(&self) -> Result<(), RestoreError> {
        let controls = &self.records.controls;
        if let Some(number) = self.records.keys.keys().find(|key| key.0 >= controls.keys) {
            return Err(misfit(Table::Keys, *number, "its number was never given"));
        }
        let rules = &self.records.rules;
        if let Some(number) = rules.keys().find(|rule| rule.0 >= controls.rules) {
            return Err(misfit(Table::Rules, *number, "its number was never given"));
        }
        let mut scans = self.records.manual_scans.iter();
        let early = scans.find(|(_, scans)| {
            let mut flying = scans.in_flight.iter();
            flying.any(|scan| scan.number >= controls.scans)
        });
        match early {
            None => Ok(()),
            Some((number, _)) => {
                let reason = "it has a scan whose number was never given";
                Err(misfit(Table::ManualScans, *number, reason))
            }
        }
    }

    fn restore_customers(&mut self) -> Result<(), RestoreError> {
        for number in self.records.customers.numbers() {
            let client = self.records.customers[number].client_id;
            if self.customer(client).is_some() {
                let reason = "another record has the same client_id";
                return Err(misfit(Table::Customers, number, reason));
            }
            self.index.add_customer(number, client);
        }
        Ok(())
    }

    fn restore_endpoints(&mut self) -> Result<(), RestoreError> {
        let mut shared: BTreeSet<PortSet> =
            self.index.scenario_ports.all().iter().cloned().collect();
        for number in self.records.endpoints.numbers() {
            let endpoint = &self.records.endpoints[number];
            let (customer, address) = (endpoint.customer, endpoint.address);
            self.check_customer(Table::Endpoints, number, customer)?;
            if self
                .index
                .by_address(&self.records.endpoints, customer, address)
                .is_some()
            {
                let reason = "another record has the same customer and address";
                return Err(misfit(Table::Endpoints, number, reason));
            }
            self.share_ports(number, &mut shared);
            self.index_endpoint(number);
        }
        self.records.endpoints.forget_changes();
        Ok(())
    }

    /// Lets equal port sets be one, as they were before they were stored.
    fn share_ports(&mut self, number: EndpointNo, shared: &mut BTreeSet<PortSet>) {
        let Some(found) = &mut self.records.endpoints.edit(number).found else {
            return;
        };
        for ports in std::iter::once(&mut found.ports).chain(&mut found.previous) {
            match shared.get(ports) {
                Some(same) => *ports = same.clone(),
                None => {
                    shared.insert(ports.clone());
                }
            }
        }
    }

    /// What is kept by server must be kept for one that exists.
    fn check_endpoint_keys(&self) -> Result<(), RestoreError> {
        for number in self.records.endpoint_worlds.keys() {
            self.check_endpoint(Table::EndpointWorlds, *number, *number)?;
        }
        for number in self.records.manual_scans.keys() {
            self.check_endpoint(Table::ManualScans, *number, *number)?;
        }
        for (key, number) in self.records.service_links.iter() {
            self.check_endpoint(Table::ServiceLinks, *key, *number)?;
        }
        Ok(())
    }

    fn restore_rules(&mut self) -> Result<(), RestoreError> {
        let scopes: Vec<(RuleNo, Scope)> = self
            .records
            .rules
            .iter()
            .map(|(number, rule)| (*number, rule.scope))
            .collect();
        for (number, scope) in scopes {
            match scope {
                Scope::Account => {}
                Scope::Customer(customer) => {
                    self.check_customer(Table::Rules, number, customer)?;
                }
                Scope::Endpoint(endpoint) => {
                    self.check_endpoint(Table::Rules, number, endpoint)?;
                }
            }
            self.index_rule(number, scope);
        }
        Ok(())
    }

    fn restore_alerts(&mut self) -> Result<(), RestoreError> {
        for number in self.records.port_alerts.numbers() {
            let alert = &self.records.port_alerts[number];
            let key = (alert.endpoint, alert.port);
            let open = alert.resolution.is_none();
            self.check_endpoint(Table::PortAlerts, number, alert.endpoint)?;
            if open && self.index.open_alerts.contains_key(&key) {
                let reason = "another open alert has the same endpoint and port";
                return Err(misfit(Table::PortAlerts, number, reason));
            }
            self.index_alert(number);
        }
        Ok(())
    }

    fn check_customer(
        &self,
        table: Table,
        key: impl Key,
        customer: CustomerNo,
    ) -> Result<(), RestoreError> {
        match self.records.customers.get(customer) {
            Some(_) => Ok(()),
            None => Err(misfit(table, key, "its customer does not exist")),
        }
    }

    fn check_endpoint(
        &self,
        table: Table,
        key: impl Key,
        endpoint: EndpointNo,
    ) -> Result<(), RestoreError> {
        match self.records.endpoints.get(endpoint) {
            Some(_) => Ok(()),
            None => Err(misfit(table, key, "its endpoint does not exist")),
        }
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
        endpoints
            .chain(rules)
            .chain(alerts)
            .max()
            .unwrap_or(self.now)
            .max(self.records.controls.progress_since)
    }
}

fn alert_moments(
    (_, alert): (AlertNo, &crate::port_alert::PortAlert),
) -> impl Iterator<Item = Instant> + use<> {
    let resolved = alert.resolution.map(|resolution| resolution.at);
    std::iter::once(alert.first_detected_at).chain(resolved)
}

fn stored(entry: Entry) -> Result<StoredRecord, RestoreError> {
    let table = Table::from_name(&entry.table).ok_or_else(|| {
        RestoreError(format!(
            "The document has a table {}, which this version does not know.",
            entry.table
        ))
    })?;
    Ok(StoredRecord {
        table,
        key: entry.key,
        value: entry.value.to_string().into_bytes(),
    })
}

fn misfit(table: Table, key: impl Key, reason: impl fmt::Display) -> RestoreError {
    RestoreError(format!(
        "The record {}/{} does not fit: {reason}.",
        table.name(),
        key.text()
    ))
}
