//! State out and in: changes, restore, export, import; same calls, same bytes.

use std::collections::BTreeMap;

use proptest::prelude::*;
use secmon_engine::{
    Account, Change, Client, DesiredStatus, Progress, Protocol, ProvisionEndpoint, RuleScope,
    ScanOutcome, Scenario, ServiceId, StoredRecord, Table, Target, UpdateEndpoint,
};
use serde_json::Value;
use uuid::Uuid;

use crate::bench::{Bench, allow, client};

/// What a store keeps: the last value of each record.
#[derive(Default)]
struct Store(BTreeMap<(Table, String), Vec<u8>>);

impl Store {
    fn apply(&mut self, changes: Vec<Change>) {
        for change in changes {
            let key = (change.table, change.key);
            match change.value {
                Some(value) => self.0.insert(key, value),
                None => self.0.remove(&key),
            };
        }
    }

    fn records(&self) -> Vec<StoredRecord> {
        let record = |((table, key), value): (&(Table, String), &Vec<u8>)| StoredRecord {
            table: *table,
            key: key.clone(),
            value: value.clone(),
        };
        self.0.iter().map(record).collect()
    }
}

/// A call of the partner or of the admin, with small numbers so that calls
/// meet each other's records.
#[derive(Clone, Debug)]
enum Step {
    Provision(u8, u8),
    Suspend(u8),
    Resume(u8),
    Terminate(u8),
    Delete(u8),
    Rename(u8),
    Scan(u8),
    ScanNow(u8, bool),
    SetPorts(u8, u16),
    AddRule(Option<u8>, u16),
    UpdateRule(u8, u16),
    DeleteRule(u8),
    ResolveAlert(u8),
    Scenario(u8),
    Progress(u8),
    RemovePortalAccount(u8),
    IssueKey,
    Reset,
    Wait(u32),
}

fn step() -> impl Strategy<Value = Step> {
    let n = 0u8..6;
    let port = 20u16..26;
    prop_oneof![
        6 => (0u8..3, n.clone()).prop_map(|(c, h)| Step::Provision(c, h)),
        1 => n.clone().prop_map(Step::Suspend),
        1 => n.clone().prop_map(Step::Resume),
        1 => n.clone().prop_map(Step::Terminate),
        1 => n.clone().prop_map(Step::Delete),
        1 => n.clone().prop_map(Step::Rename),
        2 => n.clone().prop_map(Step::Scan),
        2 => (n.clone(), any::<bool>()).prop_map(|(e, ok)| Step::ScanNow(e, ok)),
        2 => (n.clone(), port.clone()).prop_map(|(e, p)| Step::SetPorts(e, p)),
        2 => (prop::option::of(n.clone()), port.clone()).prop_map(|(e, p)| Step::AddRule(e, p)),
        1 => (n.clone(), port).prop_map(|(r, p)| Step::UpdateRule(r, p)),
        1 => n.clone().prop_map(Step::DeleteRule),
        1 => n.clone().prop_map(Step::ResolveAlert),
        1 => (0u8..3).prop_map(Step::Scenario),
        1 => (0u8..3).prop_map(Step::Progress),
        1 => (0u8..3).prop_map(Step::RemovePortalAccount),
        1 => Just(Step::IssueKey),
        1 => Just(Step::Reset),
        4 => (0u32..200_000).prop_map(Step::Wait),
    ]
}

/// Runs steps and remembers the ids that came back.
struct Runner {
    bench: Bench,
    endpoints: Vec<Uuid>,
    rules: Vec<Uuid>,
}

impl Runner {
    fn new() -> Self {
        Self {
            bench: Bench::new(),
            endpoints: Vec::new(),
            rules: Vec::new(),
        }
    }

    fn endpoint(&self, number: u8) -> Uuid {
        let known = self.endpoints.get(usize::from(number));
        known.copied().unwrap_or_default()
    }

    fn rule(&self, number: u8) -> Uuid {
        let known = self.rules.get(usize::from(number));
        known.copied().unwrap_or_default()
    }

    /// Runs one step; refusals are part of the game. The answer is told apart
    /// by its text.
    fn run(&mut self, step: &Step) -> String {
        match step {
            Step::Provision(customer, host) => self.provision(*customer, *host),
            Step::AddRule(endpoint, port) => self.add_rule(*endpoint, *port),
            Step::SetPorts(..)
            | Step::ScanNow(..)
            | Step::Scenario(_)
            | Step::Progress(_)
            | Step::RemovePortalAccount(_)
            | Step::IssueKey
            | Step::Reset
            | Step::Wait(_) => self.administer(step),
            _ => self.operate(step),
        }
    }

    fn provision(&mut self, customer: u8, host: u8) -> String {
        let request = ProvisionEndpoint {
            client: Client::new(client(i64::from(customer) + 1)),
            target: Target::parse(&format!("203.0.113.{host}")).expect("a target"),
            service: ServiceId::new(i64::from(host)),
        };
        let call = self.bench.call();
        let done = self.bench.account.provision(&call, request);
        if let Ok(done) = &done
            && !self.endpoints.contains(&done.value.endpoint_id)
        {
            self.endpoints.push(done.value.endpoint_id);
        }
        format!("{done:?}")
    }

    fn add_rule(&mut self, endpoint: Option<u8>, port: u16) -> String {
        let scope = match endpoint {
            Some(number) => RuleScope::Endpoint(self.endpoint(number)),
            None => RuleScope::Global,
        };
        let mut request = allow((port, port + 1), scope, None);
        request.expires_at = secmon_engine::parse_expiry("2026-01-05", self.bench.now).ok();
        let rule = self.bench.try_rule(request);
        if let Ok(rule) = &rule {
            self.rules.push(rule.id);
        }
        format!("{rule:?}")
    }

    fn operate(&mut self, step: &Step) -> String {
        let call = self.bench.call();
        let update = UpdateEndpoint {
            nickname: Some("renamed".to_owned()),
            status: Some(DesiredStatus::Paused),
        };
        match step {
            Step::Suspend(e) => answer(self.bench.account.suspend(&call, self.endpoint(*e))),
            Step::Resume(e) => answer(self.bench.account.resume(&call, self.endpoint(*e))),
            Step::Terminate(e) => answer(self.bench.account.terminate(&call, self.endpoint(*e))),
            Step::Delete(e) => {
                let id = self.endpoint(*e);
                answer(self.bench.account.delete_endpoint(&call, id, None))
            }
            Step::Rename(e) => {
                let id = self.endpoint(*e);
                let account = &mut self.bench.account;
                answer(account.update_endpoint(&call, id, client(1), update))
            }
            Step::Scan(e) => {
                let id = self.endpoint(*e);
                answer(self.bench.account.scan_endpoint(&call, client(1), id))
            }
            Step::UpdateRule(r, port) => {
                let id = self.rule(*r);
                let request = allow((*port, *port), RuleScope::Unstated, None);
                answer(self.bench.account.update_rule(&call, id, request))
            }
            Step::DeleteRule(r) => {
                answer(self.bench.account.delete_rule(&call, self.rule(*r), None))
            }
            Step::ResolveAlert(customer) => {
                let number = i64::from(*customer % 3) + 1;
                let newest = self.bench.alerts(number, None);
                let id = newest.first().map_or(Uuid::nil(), |alert| alert.summary.id);
                let account = &mut self.bench.account;
                answer(account.resolve_port_alert(&call, id, client(number)))
            }
            other => panic!("{other:?} is no operation of the API"),
        }
    }

    fn administer(&mut self, step: &Step) -> String {
        let now = self.bench.now;
        match step {
            Step::SetPorts(e, port) => {
                let open = [*port, *port + 1].map(|port| crate::bench::open(port, Protocol::Tcp));
                let id = self.endpoint(*e);
                answer(self.bench.account.set_ports(now, id, open.to_vec()))
            }
            Step::ScanNow(e, completed) => {
                let outcome = match completed {
                    true => ScanOutcome::Completed,
                    false => ScanOutcome::Failed,
                };
                let id = self.endpoint(*e);
                answer(self.bench.account.scan_endpoint_now(now, id, outcome))
            }
            Step::Scenario(n) => {
                let scenario = Scenario::ALL[usize::from(*n)];
                self.bench.account.set_scenario(now, scenario);
                String::new()
            }
            Step::Progress(n) => {
                let modes = [Progress::Timed, Progress::Immediate, Progress::Manual];
                let mode = modes[usize::from(*n)];
                self.bench.account.set_progress(now, mode);
                String::new()
            }
            Step::RemovePortalAccount(customer) => {
                let number = client(i64::from(*customer) + 1);
                answer(self.bench.account.remove_portal_account(now, number))
            }
            Step::IssueKey => answer(self.bench.account.issue_key()),
            Step::Reset => {
                self.bench.account.reset();
                String::new()
            }
            Step::Wait(seconds) => {
                self.bench.wait((*seconds).into());
                String::new()
            }
            other => panic!("{other:?} is no call of the admin"),
        }
    }
}

fn answer(value: impl std::fmt::Debug) -> String {
    format!("{value:?}")
}

fn restored(store: &Store) -> Account {
    Account::restore(store.records()).expect("what was stored can be restored")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_changes_of_all_calls_restore_the_account_that_made_them(
        steps in prop::collection::vec(step(), 1..60),
        later in prop::collection::vec(step(), 1..20),
    ) {
        let mut runner = Runner::new();
        let mut store = Store::default();
        for step in &steps {
            runner.run(step);
            store.apply(runner.bench.account.take_changes());
        }
        let mut again = restored(&store);
        prop_assert_eq!(again.export(), runner.bench.account.export());
        prop_assert!(again.take_changes().is_empty(), "a restored account is stored");

        let mut twin = Runner {
            bench: Bench { account: again, now: runner.bench.now, key: runner.bench.key },
            endpoints: runner.endpoints.clone(),
            rules: runner.rules.clone(),
        };
        for step in &later {
            prop_assert_eq!(twin.run(step), runner.run(step), "{:?}", step);
        }
        prop_assert_eq!(twin.bench.account.export(), runner.bench.account.export());
        prop_assert_eq!(
            twin.bench.account.take_changes(),
            runner.bench.account.take_changes()
        );
    }

    #[test]
    fn an_exported_account_is_imported_exactly(steps in prop::collection::vec(step(), 1..60)) {
        let mut runner = Runner::new();
        for step in &steps {
            runner.run(step);
        }
        let document = runner.bench.account.export();
        let mut again = Account::import(&document).expect("an exported document");
        prop_assert_eq!(again.export(), document);
        prop_assert_eq!(again.all_records(), runner.bench.account.all_records());
    }

    #[test]
    fn the_same_calls_give_the_same_answers_and_the_same_bytes_m9(
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let (mut one, mut other) = (Runner::new(), Runner::new());
        for step in &steps {
            prop_assert_eq!(one.run(step), other.run(step));
        }
        let bytes = |runner: &mut Runner| runner.bench.account.export().to_string();
        prop_assert_eq!(bytes(&mut one), bytes(&mut other));
    }

    #[test]
    fn damaged_records_are_refused_with_a_sentence_or_read_never_a_panic(
        victim in any::<prop::sample::Index>(),
        place in any::<prop::sample::Index>(),
        bit in 0u8..8,
    ) {
        let mut store = small_store();
        let keys: Vec<(Table, String)> = store.0.keys().cloned().collect();
        let value = store.0.get_mut(victim.get(&keys)).expect("a record");
        let index = place.index(value.len());
        value[index] ^= 1 << bit;
        if let Err(error) = Account::restore(store.records()) {
            prop_assert!(error.to_string().ends_with('.'), "{}", error);
        }
    }
}

fn small_store() -> Store {
    let mut runner = Runner::new();
    let steps = [
        Step::Provision(0, 1),
        Step::Provision(1, 2),
        Step::Wait(3),
        Step::AddRule(Some(0), 22),
        Step::AddRule(None, 22),
        Step::SetPorts(0, 24),
        Step::Scan(0),
    ];
    for step in &steps {
        runner.run(step);
    }
    let mut store = Store::default();
    store.apply(runner.bench.account.take_changes());
    store
}

/// The sentence with which a store is refused after one change to it.
fn refused(change: impl FnOnce(&mut BTreeMap<(Table, String), Vec<u8>>)) -> String {
    let mut store = small_store();
    change(&mut store.0);
    match Account::restore(store.records()) {
        Ok(_) => "it was restored".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let key = |table: Table, key: &str| (table, key.to_owned());
    assert_eq!(
        refused(|store| {
            store.remove(&key(Table::Settings, "account"));
        }),
        "The record settings/account is missing."
    );
    assert_eq!(
        refused(|store| {
            store.remove(&key(Table::Endpoints, "0"));
        }),
        "The record endpoints/0 is missing."
    );
    assert_eq!(
        refused(|store| {
            store.remove(&key(Table::Customers, "1"));
        }),
        "The record endpoints/1 does not fit: its customer does not exist."
    );
    assert_eq!(
        refused(|store| {
            let rule = store[&key(Table::Rules, "0")].clone();
            store.insert(key(Table::Rules, "9"), rule);
        }),
        "The record rules/9 does not fit: its number was never given."
    );
    assert_eq!(
        refused(|store| {
            let endpoint = store[&key(Table::Endpoints, "0")].clone();
            store.insert(key(Table::Endpoints, "2"), endpoint);
        }),
        "The record endpoints/2 does not fit: another record has the same customer and address."
    );
    assert_eq!(
        refused(|store| {
            let alert = store[&key(Table::PortAlerts, "1")].clone();
            store.insert(key(Table::PortAlerts, "8"), alert);
        }),
        "The record port_alerts/8 does not fit: another open alert has the same endpoint and port."
    );
    assert_eq!(
        refused(|store| {
            store.insert(key(Table::ServiceLinks, "1/1"), b"77".to_vec());
        }),
        "The record service_links/1/1 does not fit: its endpoint does not exist."
    );
    assert!(
        refused(|store| {
            store.insert(key(Table::Keys, "+0"), b"\"k\"".to_vec());
        })
        .contains("its key has the wrong form")
    );
}

#[test]
fn an_import_refuses_what_is_no_exported_account() {
    let mut bench = Bench::new();
    let refused = |document: &Value| match Account::import(document) {
        Ok(_) => "it was imported".to_owned(),
        Err(error) => error.to_string(),
    };
    assert!(refused(&Value::Null).starts_with("The document is no account's state"));
    let mut document = bench.account.export();
    document["format"] = 2.into();
    assert_eq!(
        refused(&document),
        "The document has format 2, this version reads format 1."
    );
    let mut document = bench.account.export();
    document["records"][0]["table"] = "unheard".into();
    assert!(refused(&document).contains("a table unheard"));
}

#[test]
fn an_exported_record_shows_its_id() {
    let mut bench = Bench::new();
    let id = bench.provision(42, "203.0.113.10");
    let document = bench.account.export();
    let records = document["records"].as_array().expect("records");
    let server = records
        .iter()
        .find(|record| record["table"] == "endpoints")
        .expect("a server");
    assert_eq!(server["id"], id.to_string());
    assert_eq!(server["value"]["address"], "203.0.113.10");
}

#[test]
fn forgotten_changes_are_not_handed_out_but_an_export_has_them() {
    let mut bench = Bench::new();
    bench.provision(42, "203.0.113.10");
    bench.account.forget_changes();
    assert!(bench.account.take_changes().is_empty());
    bench.wait(2);
    let touched: Vec<Table> = bench
        .account
        .take_changes()
        .iter()
        .map(|change| change.table)
        .collect();
    assert!(touched.contains(&Table::Endpoints) && touched.contains(&Table::PortAlerts));
    assert!(!touched.contains(&Table::Customers));
}
