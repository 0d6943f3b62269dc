//! One partner account: all its state, its time, its keys.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::changes::{
    AlertNo, Change, CustomerNo, DomainAlertNo, DomainNo, Durable, EndpointNo, KeyNo, Map, Rows,
    RuleNo, Single, Table, TokenNo,
};
use crate::customer::Customer;
use crate::domain::{Domain, DomainAlert, LeakDataset};
use crate::endpoint::{Endpoint, ServiceKey};
use crate::ids::{Ids, Kind};
use crate::index::Index;
use crate::port_alert::PortAlert;
use crate::pricing::{Price, PriceKey};
use crate::rate_window::{RateGroup, RateLimited, RateWindows};
use crate::rule::Rule;
use crate::scan::{ManualScans, Progress};
use crate::session::Session;
use crate::settings::AccountSettings;
use crate::sso::SsoToken;
use crate::subscription::{Subscription, SubscriptionKey};
use crate::time::Instant;
use crate::world::{DomainFindings, PortSet, Scenario};

/// The whole state of one partner account.
///
/// Operations go through a [`Session`]. Same calls at the same time: same
/// answers and same state.
pub struct Account {
    pub(crate) records: Records,
    pub(crate) index: Index,
    pub(crate) ids: Ids,
    pub(crate) now: Instant,
    pub(crate) windows: BTreeMap<KeyNo, RateWindows>,
}

/// The durable tables.
pub(crate) struct Records {
    pub(crate) settings: Single<AccountSettings>,
    pub(crate) controls: Single<Controls>,
    pub(crate) keys: Map<KeyNo, ApiKey>,
    pub(crate) customers: Rows<CustomerNo, Customer>,
    pub(crate) endpoints: Rows<EndpointNo, Endpoint>,
    pub(crate) endpoint_worlds: Map<EndpointNo, PortSet>,
    pub(crate) manual_scans: Map<EndpointNo, ManualScans>,
    pub(crate) service_links: Map<ServiceKey, EndpointNo>,
    pub(crate) rules: Map<RuleNo, Rule>,
    pub(crate) port_alerts: Rows<AlertNo, PortAlert>,
    pub(crate) subscriptions: Map<SubscriptionKey, Subscription>,
    pub(crate) prices: Map<PriceKey, Price>,
    pub(crate) domains: Map<DomainNo, Domain>,
    pub(crate) domain_worlds: Map<DomainNo, DomainFindings>,
    pub(crate) domain_alerts: Map<DomainAlertNo, DomainAlert>,
    pub(crate) sso_tokens: Map<TokenNo, SsoToken>,
}

impl Records {
    fn new(settings: AccountSettings) -> Self {
        let controls = Controls::new(&settings);
        Self {
            settings: Single::new(settings),
            controls: Single::new(controls),
            keys: Map::new(),
            customers: Rows::new(),
            endpoints: Rows::new(),
            endpoint_worlds: Map::new(),
            manual_scans: Map::new(),
            service_links: Map::new(),
            rules: Map::new(),
            port_alerts: Rows::new(),
            subscriptions: Map::new(),
            prices: Map::new(),
            domains: Map::new(),
            domain_worlds: Map::new(),
            domain_alerts: Map::new(),
            sso_tokens: Map::new(),
        }
    }

    /// Every table with its name; what is missing here is not durable.
    fn tables(&mut self) -> [(Table, &mut dyn Durable); 16] {
        [
            (Table::Settings, &mut self.settings),
            (Table::Controls, &mut self.controls),
            (Table::Keys, &mut self.keys),
            (Table::Customers, &mut self.customers),
            (Table::Endpoints, &mut self.endpoints),
            (Table::EndpointWorlds, &mut self.endpoint_worlds),
            (Table::ManualScans, &mut self.manual_scans),
            (Table::ServiceLinks, &mut self.service_links),
            (Table::Rules, &mut self.rules),
            (Table::PortAlerts, &mut self.port_alerts),
            (Table::Subscriptions, &mut self.subscriptions),
            (Table::Prices, &mut self.prices),
            (Table::Domains, &mut self.domains),
            (Table::DomainWorlds, &mut self.domain_worlds),
            (Table::DomainAlerts, &mut self.domain_alerts),
            (Table::SsoTokens, &mut self.sso_tokens),
        ]
    }

    fn clear(&mut self) {
        *self.controls.edit() = Controls {
            keys: self.controls.keys,
            ..Controls::new(&self.settings)
        };
        self.customers.clear();
        self.endpoints.clear();
        self.endpoint_worlds.clear();
        self.manual_scans.clear();
        self.service_links.clear();
        self.rules.clear();
        self.port_alerts.clear();
        self.subscriptions.clear();
        self.prices.clear();
        self.domains.clear();
        self.domain_worlds.clear();
        self.domain_alerts.clear();
        self.sso_tokens.clear();
    }
}

/// What is set while the account lives, and how many ids of each kind were
/// given to records that may go again.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Controls {
    pub(crate) scenario: Scenario,
    pub(crate) progress: Progress,
    /// When `progress` was set: a scan that was held back until then ends then.
    pub(crate) progress_since: Instant,
    pub(crate) keys: u32,
    pub(crate) rules: u32,
    pub(crate) scans: u32,
    pub(crate) leak_dataset: LeakDataset,
    pub(crate) subscriptions: u32,
    pub(crate) domains: u32,
    pub(crate) domain_scans: u32,
    pub(crate) domain_alerts: u32,
    pub(crate) mentions: u32,
    pub(crate) sso_tokens: u32,
}

impl Controls {
    fn new(settings: &AccountSettings) -> Self {
        Self {
            scenario: settings.scenario,
            progress: Progress::Timed,
            progress_since: Instant::from_unix_millis(i64::MIN),
            keys: 0,
            rules: 0,
            scans: 0,
            leak_dataset: LeakDataset::Configured,
            subscriptions: 0,
            domains: 0,
            domain_scans: 0,
            domain_alerts: 0,
            mentions: 0,
            sso_tokens: 0,
        }
    }
}

/// The next number of a counter.
pub(crate) fn give_number(counter: &mut u32) -> u32 {
    let number = *counter;
    *counter = counter.saturating_add(1);
    number
}

/// An API key of the account: a secret, so it has no readable `Debug`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct ApiKey(String);

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey")
    }
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Account({})", self.records.settings.name)
    }
}

impl Session<'_> {
    /// Sets what scans find wherever a record's own world is not set (E2).
    pub fn set_scenario(&mut self, scenario: Scenario) {
        self.records.controls.edit().scenario = scenario;
    }
}

impl Account {
    /// A new account with these settings, and no key.
    pub fn new(settings: AccountSettings) -> Self {
        Self::from_records(Records::new(settings))
    }

    pub(crate) fn from_records(records: Records) -> Self {
        Self {
            ids: Ids::new(records.settings.seed, &records.settings.name),
            records,
            index: Index::new(),
            now: Instant::from_unix_millis(i64::MIN),
            windows: BTreeMap::new(),
        }
    }

    /// What the account was made with.
    pub fn settings(&self) -> &AccountSettings {
        &self.records.settings
    }

    /// The account's own id, `tenant_id` of its records.
    pub fn id(&self) -> Uuid {
        self.ids.uuid(Kind::Account, 0)
    }

    /// The scenario of the account (E2).
    pub fn scenario(&self) -> Scenario {
        self.records.controls.scenario
    }

    /// The ids of the account's API keys, with each one's text.
    pub fn keys(&self) -> impl Iterator<Item = (Uuid, &str)> {
        self.records
            .keys
            .iter()
            .map(|(number, key)| (self.ids.uuid(Kind::Key, number.0), key.0.as_str()))
    }

    /// Takes on a key whose text was chosen elsewhere, and gives its id.
    pub fn add_key(&mut self, text: &str) -> Uuid {
        let number = self.next_key();
        self.records.keys.insert(number, ApiKey(text.to_owned()));
        self.ids.uuid(Kind::Key, number.0)
    }

    /// Makes a new key, and gives its text.
    pub fn issue_key(&mut self) -> String {
        let number = self.next_key();
        let text = format!("test_key_{}", self.ids.secret(Kind::KeyText, number.0));
        self.records.keys.insert(number, ApiKey(text.clone()));
        text
    }

    /// Revokes the key with this text; `false` when the account has none such.
    pub fn revoke_key(&mut self, text: &str) -> bool {
        let found = self.records.keys.iter().find(|(_, key)| key.0 == text);
        match found.map(|(number, _)| *number) {
            Some(number) => {
                self.windows.remove(&number);
                self.records.keys.remove(number).is_some()
            }
            None => false,
        }
    }

    fn next_key(&mut self) -> KeyNo {
        KeyNo(give_number(&mut self.records.controls.edit().keys))
    }

    /// Counts a request in one of the key's two windows, or refuses it without
    /// counting it. Where the rate limit is off, nothing is refused (A10).
    ///
    /// # Errors
    ///
    /// [`RateLimited`] when the window is full.
    pub fn take_slot(
        &mut self,
        key: Uuid,
        group: RateGroup,
        now: Instant,
    ) -> Result<(), RateLimited> {
        let settings = &self.records.settings;
        if !settings.rate_limit.is_on() {
            return Ok(());
        }
        let Some(number) = self.ids.number(Kind::Key, key) else {
            return Ok(());
        };
        self.windows
            .entry(KeyNo(number))
            .or_default()
            .take(group, &settings.rate_limits, now)
    }

    /// Back to the start: records, counters, world and rate windows go, and so
    /// does the account's time; settings and keys stay (M3).
    pub fn reset(&mut self) {
        self.records.clear();
        self.index = Index::new();
        self.windows.clear();
        self.now = Instant::from_unix_millis(i64::MIN);
    }

    /// Every record that was made, changed or removed since this was asked
    /// last; a new account's own records too. A store that applies them in one
    /// transaction is as old as the account.
    pub fn take_changes(&mut self) -> Vec<Change> {
        self.records
            .tables()
            .into_iter()
            .flat_map(|(table, records)| records.take_changes(table))
            .collect()
    }

    /// Forgets what changed; for accounts that nobody stores.
    pub fn forget_changes(&mut self) {
        for (_, records) in self.records.tables() {
            records.forget_changes();
        }
    }

    /// Every record the account has, as if all of them had changed. What
    /// changed stays to be taken.
    pub fn all_records(&mut self) -> Vec<Change> {
        self.records
            .tables()
            .into_iter()
            .flat_map(|(table, records)| records.snapshot(table))
            .collect()
    }
}
