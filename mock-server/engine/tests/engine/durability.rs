//! State out and in: changes, restore, export, import; same calls, same bytes.

use std::collections::BTreeMap;

use proptest::prelude::*;
use secmon_engine::{Account, Change, PortAlertStatus, RuleScope, StoredRecord, Table};
use serde_json::Value;
use uuid::Uuid;

use crate::bench::{Bench, What, allow, client};
use crate::steps::{BillingStep, RuleStep, Runner, ServerStep, Step, step};

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

fn restored(store: &Store) -> Account {
    Account::restore(store.records()).expect("what was stored can be restored")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_changes_of_all_calls_restore_the_account_that_made_them(
        steps in prop::collection::vec(step(), 1..80),
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
            servers: runner.servers.clone(),
            domains: runner.domains.clone(),
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
    fn an_exported_account_is_imported_exactly(steps in prop::collection::vec(step(), 1..80)) {
        let mut runner = Runner::new();
        for step in &steps {
            runner.run(step);
        }
        let document = runner.bench.account.export();
        let again = Account::import(&document.to_string()).expect("an exported document");
        prop_assert_eq!(again.export(), document);
        prop_assert_eq!(again.all_records(), runner.bench.account.all_records());
    }

    #[test]
    fn the_same_calls_give_the_same_answers_and_the_same_bytes_m9(
        steps in prop::collection::vec(step(), 1..80),
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
    let provision = |customer, host| Step::Provision { customer, host };
    let steps = [
        provision(0, 1),
        provision(1, 2),
        Step::Wait(3),
        Step::Rule(RuleStep::Add(Some(0), None, 22)),
        Step::Rule(RuleStep::Add(None, None, 22)),
        Step::Server(ServerStep::SetPorts(24), 0),
        Step::Server(ServerStep::Scan, 0),
        Step::Billing(BillingStep::Slots(2), 0, 0),
        Step::Billing(BillingStep::Plan(0), 0, 1),
        Step::Billing(BillingStep::Price(1), 0, 1),
        Step::ProvisionDomain {
            customer: 0,
            name: 0,
        },
        Step::Wait(3),
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

fn key(table: Table, key: &str) -> (Table, String) {
    (table, key.to_owned())
}

/// The sentence with which a store without this record is refused.
fn refused_without(table: Table, record: &str) -> String {
    refused(|store| {
        store.remove(&key(table, record));
    })
}

/// The sentence with which a store is refused where this record is there
/// under another key, too.
fn refused_with_copy(table: Table, record: &str, copy: &str) -> String {
    refused(|store| {
        let value = store[&key(table, record)].clone();
        store.insert(key(table, copy), value);
    })
}

/// What is said of a store whose counter of rules stands there.
fn with_rules_counted_to(count: u64) -> String {
    refused(|store| {
        let controls = store
            .get_mut(&key(Table::Controls, "account"))
            .expect("controls");
        let mut value: Value = serde_json::from_slice(controls).expect("json");
        value["rules"] = count.into();
        *controls = value.to_string().into_bytes();
    })
}

#[test]
fn a_counter_leaves_half_of_its_numbers_for_what_is_still_to_come() {
    assert_eq!(with_rules_counted_to(1 << 31), "it was restored");
    assert_eq!(
        with_rules_counted_to((1 << 31) + 2),
        "The record controls/account does not fit: its counter rules is above 2147483648."
    );
}

#[test]
fn a_missing_record_is_named() {
    for (table, record, sentence) in [
        (
            Table::Settings,
            "account",
            "The record settings/account is missing.",
        ),
        (Table::Endpoints, "0", "The record endpoints/0 is missing."),
        (
            Table::Customers,
            "1",
            "The record endpoints/1 does not fit: its customer does not exist.",
        ),
        (
            Table::Domains,
            "0",
            "The record domain_alerts/0 does not fit: its domain does not exist.",
        ),
    ] {
        assert_eq!(refused_without(table, record), sentence);
    }
}

#[test]
fn a_record_that_does_not_fit_the_others_is_named() {
    for (table, record, copy, reason) in [
        (Table::Rules, "0", "9", "its number was never given"),
        (
            Table::Endpoints,
            "0",
            "2",
            "another record has the same customer and address",
        ),
        (
            Table::PortAlerts,
            "5",
            "10",
            "another open alert has the same endpoint and port",
        ),
        (
            Table::Subscriptions,
            "1/1/domain_monitoring",
            "1/2/port_monitoring",
            "it is to another product",
        ),
    ] {
        let name = table.name();
        let sentence = format!("The record {name}/{copy} does not fit: {reason}.");
        assert_eq!(refused_with_copy(table, record, copy), sentence);
    }
    let linked = refused(|store| {
        store.insert(key(Table::ServiceLinks, "1/1"), b"77".to_vec());
    });
    assert_eq!(
        linked,
        "The record service_links/1/1 does not fit: its endpoint does not exist."
    );
    let odd_key = refused(|store| {
        store.insert(key(Table::Keys, "+0"), b"\"k\"".to_vec());
    });
    assert!(odd_key.contains("its key has the wrong form"));
    let second_settings = refused_with_copy(Table::Settings, "account", "other");
    assert!(
        second_settings.contains("settings/other"),
        "{second_settings}"
    );
    let no_mentions = refused(|store| {
        let stored = store.get_mut(&key(Table::Domains, "0")).expect("a domain");
        let mut domain: Value = serde_json::from_slice(stored).expect("json");
        domain["mentions"]["runs"] = Value::Array(Vec::new());
        *stored = domain.to_string().into_bytes();
    });
    assert_eq!(
        no_mentions,
        "The record domains/0 does not fit: its mentions are not as many as its last scan found."
    );
}

#[test]
fn an_import_refuses_what_is_no_exported_account() {
    let bench = Bench::new();
    let refused = |document: &Value| match Account::import(&document.to_string()) {
        Ok(_) => "it was imported".to_owned(),
        Err(error) => error.to_string(),
    };
    assert!(refused(&Value::Null).starts_with("The document is not the state of an account"));
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
    let subscription = bench.subscribe(42, 1, What::Slots(1)).subscription_id;
    let domain = bench.new_domain(42, "example.com");
    let rule = bench.rule(allow((22, 22), RuleScope::Global, Some(42))).id;
    bench.wait(2);
    let alerts = bench.alerts(42, None);
    let document = bench.account.export();
    let records = document["records"].as_array().expect("records");
    let record = |table: &str| {
        let mut of_table = records.iter().filter(|record| record["table"] == table);
        of_table.next().expect("a record")
    };
    assert_eq!(record("endpoints")["id"], id.to_string());
    assert_eq!(record("endpoints")["value"]["address"], "203.0.113.10");
    assert_eq!(record("subscriptions")["id"], subscription.to_string());
    assert_eq!(record("keys")["id"], bench.key.to_string());
    assert_eq!(record("domains")["id"], domain.to_string());
    assert_eq!(record("rules")["id"], rule.to_string());
    let first = alerts.iter().map(|alert| alert.summary.id.to_string());
    assert!(
        first
            .into_iter()
            .any(|id| record("port_alerts")["id"] == id)
    );
    assert_eq!(record("customers")["id"], Value::Null);
    let raised = record("domain_alerts")["id"].as_str().map(Uuid::parse_str);
    let raised = raised.expect("an id").expect("a uuid");
    let call = bench.call();
    let found = bench
        .account
        .at(call)
        .domain_alert(domain, raised, client(42));
    assert!(found.is_ok());
}

#[test]
fn a_restored_account_does_not_go_back_behind_its_records() {
    let mut bench = Bench::new();
    bench.wait(100);
    let id = bench.provision(42, "203.0.113.10");
    bench.wait(2);
    let scanned = bench.endpoint(id).last_scan_at;
    bench.account = Account::import(&bench.account.export().to_string()).expect("exported");
    bench.now = crate::bench::instant(crate::bench::START);
    let later = bench.provision(42, "203.0.113.11");
    assert_eq!(Some(bench.endpoint(later).created_at), scanned);
}

#[test]
fn a_restored_account_does_not_go_back_behind_its_alerts() {
    let mut bench = Bench::new();
    let id = bench.provision(42, "203.0.113.10");
    bench.wait(60);
    let alert = bench.alerts(42, Some(PortAlertStatus::Open)).remove(0);
    let call = bench.call();
    let resolved = bench
        .account
        .at(call)
        .resolve_port_alert(alert.summary.id, client(42));
    resolved.expect("resolved");
    bench.account = Account::import(&bench.account.export().to_string()).expect("exported");
    let resolution = bench.now;
    bench.now = crate::bench::instant(crate::bench::START);
    let later = bench.provision(42, "203.0.113.11");
    assert_ne!(later, id);
    assert_eq!(bench.endpoint(later).created_at, resolution.into());
}

#[test]
fn more_records_than_fit_one_allocation_are_read_and_restored() {
    let mut bench = Bench::with(|settings| settings.limits.default_endpoint_limit = 600);
    let address = |host: u32| format!("203.0.{}.{}", host / 200, host % 200);
    let ids: Vec<Uuid> = (0..600)
        .map(|host| bench.provision(42, &address(host)))
        .collect();
    bench.wait(2);
    bench.account = Account::import(&bench.account.export().to_string()).expect("exported");
    for (host, id) in (0..).zip(ids) {
        assert_eq!(bench.endpoint(id).ip_address.to_string(), address(host));
    }
    assert_eq!(bench.list(Some(42)).current_endpoint_count, 600);
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
