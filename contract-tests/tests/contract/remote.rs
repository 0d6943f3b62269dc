//! The suite as somebody runs it against a server over the network: in an account that others use, without steering,
//! and with it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::{Command, Output};
use std::sync::{LazyLock, Mutex};

use secmon_contract_tests::{Body, Need};
use secmon_mock::{MockServer, RateLimit};
use serde_json::{Value, json};

use crate::deviation::Deviation;
use crate::message::Passing;
use crate::proxy::Proxy;

checks! {
    any_server_can_be_put_to_the_cases_that_steer_nothing(Embedded),
    a_server_with_the_admin_api_can_be_put_to_all(Embedded),
    an_account_without_sandbox_mode_is_not_asked_for_scenarios(Embedded),
}

/// The key of its account.
pub const KEY: &str = "test_key_acme";

/// A server with a real clock and an account that is in use.
pub struct Remote {
    server: MockServer,
}

impl Remote {
    /// Starts one.
    pub fn start() -> Self {
        let server = MockServer::builder().rate_limit(RateLimit::Off).start();
        let remote = Self {
            server: server.expect("a server"),
        };
        for customer in [41, 42] {
            let address = format!("203.0.113.{customer}");
            remote.call(
                "POST",
                "/api/v1/billing/provision",
                &json!({"client_id": customer, "ip_address": address}),
            );
            let service = json!({
                "client_id": customer, "service_id": 7, "product_slug": "domain_monitoring", "quantity": 3,
            });
            remote.call("POST", "/api/v1/billing/provision-subscription", &service);
            let domain = json!({"client_id": customer, "service_id": 7, "domain": "example.com"});
            remote.call("POST", "/api/v1/billing/provision-domain", &domain);
            let mut customers = CUSTOMERS.lock().expect("customers");
            customers.insert(customer.to_string());
        }
        // No port is left that a rule of the whole account does not cover.
        let rule = json!({
            "port_start": 1, "port_end": 65535, "protocol": "*", "scope": "global",
            "justification": "For everybody here",
        });
        remote.call("POST", "/api/v1/whitelists", &rule);
        remote.call("POST", "/api/v1/billing/pricing", &json!({
            "product_slug": "port_monitoring", "plan_slug": "starter", "price": 5, "currency": "EUR",
        }));
        remote
    }

    /// Its address.
    pub fn url(&self) -> &str {
        self.server.url()
    }

    /// A call that succeeds.
    pub fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let address = format!("{}{path}", self.server.url());
        let answer = secmon_contract_tests::ask(method, &address, Some(KEY), body);
        let (status, json) = answer.expect("an answer");
        assert!(
            (200..300).contains(&status),
            "{method} {path}: {status} {json}"
        );
        json
    }

    /// What is alive in the account, and what the customers that were spoken of have left, by the partner API alone.
    pub fn alive(&self) -> Value {
        let total = |path: &str| self.call("GET", path, &Value::Null)["meta"]["total"].clone();
        let customers = CUSTOMERS.lock().expect("customers").clone();
        let customers = customers.iter().filter_map(|id| self.left_of(id));
        json!({
            "endpoints": total("/api/v1/endpoints"),
            "rules": total("/api/v1/whitelists"),
            "customers": customers.collect::<Vec<_>>(),
        })
    }

    /// What a customer has; nothing when it has nothing.
    fn left_of(&self, customer: &str) -> Option<Value> {
        let read = |list: &str| {
            let path = format!("/api/v1/{list}?billing_customer_id={customer}");
            self.call("GET", &path, &Value::Null)
        };
        let (domains, servers) = (read("domains")["data"].take(), read("endpoints"));
        let has = [
            &domains["slots_used"],
            &domains["slots_total"],
            &servers["meta"]["total"],
        ];
        // A customer has the account's default without a plan, and nothing after its last one.
        let plan = ![0, 25]
            .map(Value::from)
            .contains(&servers["meta"]["endpoint_limit"]);
        let left = plan || has.iter().any(|count| **count != 0);
        left.then(|| json!({"customer": customer, "domains and servers": has, "plan": plan}))
    }

    /// The suite in a process of its own; only this binary's cases run there.
    fn suite(url: &str, environment: &[(&str, &str)], report: &str) -> Output {
        let suite = std::env::current_exe().expect("this program");
        let mut command = Command::new(suite);
        command
            .env("SECMON_CONTRACT_URL", url)
            .env("SECMON_CONTRACT_KEY", KEY);
        command
            .env("SECMON_CONTRACT_JUNIT", report)
            .envs(environment.iter().copied());
        for part in left_out() {
            command.args(["--skip", part]);
        }
        command.output().expect("the suite runs")
    }
}

/// Of the operations that a mechanism is put to, every so manieth plays here.
const SAMPLE: usize = 8;

/// What plays here only where the variable is set: the other operations of each mechanism, and what takes long, faults
/// above all, whose waits are real here.
fn left_out() -> &'static [String] {
    static LEFT_OUT: LazyLock<Vec<String>> = LazyLock::new(|| {
        if std::env::var_os("SECMON_CONTRACT_THOROUGH").is_some() {
            return Vec::new();
        }
        let mut met: BTreeMap<&str, usize> = BTreeMap::new();
        let cases = secmon_contract_tests::cases().into_iter();
        let others = cases.filter(|case| matches!(case.body, Body::Of(..)));
        let others = others.filter(|case| {
            let count = met.entry(case.path).or_default();
            *count += 1;
            *count % SAMPLE != 1
        });
        let long = ["faults::", "model::"].map(str::to_owned);
        others.map(|case| case.name()).chain(long).collect()
    });
    &LEFT_OUT
}

/// Whether the suite judges the whole: nothing is left out, so that no cell may be empty.
fn assert_whole(said: &str) {
    if left_out().is_empty() {
        assert!(said.contains("0 of them empty"), "{said}");
    }
}

/// Customers that were spoken of in calls of the suite.
static CUSTOMERS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Notes the customer of a call that makes something.
fn remember(call: &Passing) {
    let body: Value = serde_json::from_slice(&call.body).unwrap_or_default();
    let named = ["client_id", "billing_customer_id"].map(|member| body[member].as_i64());
    let named = named.into_iter().flatten().filter(|id| *id > 0);
    let mut customers = CUSTOMERS.lock().expect("customers");
    customers.extend(named.map(|id| id.to_string()));
}

/// The cases and checks that a service with these abilities cannot be put to.
fn skipped(abilities: &[Need]) -> Vec<String> {
    let lacking = |needs: &[Need]| needs.iter().any(|need| !abilities.contains(need));
    let (cases, checks) = (secmon_contract_tests::cases(), crate::checks());
    let cases = cases.iter().filter(|case| lacking(case.needs));
    let checks = checks.iter().filter(|check| lacking(check.needs));
    let checks = checks.map(|check| check.name().to_owned());
    let names = cases.map(|case| case.name()).chain(checks);
    let is_left_out = |name: &String| left_out().iter().any(|part| name.contains(part));
    names.filter(|name| !is_left_out(name)).collect()
}

#[track_caller]
fn assert_skipped(said: &str, names: &[String]) {
    let count = format!("; {} ignored;", names.len());
    assert!(said.contains(&count), "{said}");
    for name in names {
        let lines = said.lines().filter_map(|line| line.strip_prefix("test "));
        let mut named = lines.filter_map(|line| line.strip_prefix(name.as_str()));
        let ending = named.find(|rest| rest.starts_with(' '));
        let why = ending.is_some_and(|rest| rest.contains("ignored (needs "));
        assert!(why, "{name}: {ending:?}");
    }
}

fn report_path(name: &str) -> String {
    let file = format!("secmon-contract-{name}-{}.xml", std::process::id());
    std::env::temp_dir().join(file).display().to_string()
}

fn any_server_can_be_put_to_the_cases_that_steer_nothing() {
    let remote = Remote::start();
    let before = remote.alive();
    let path = report_path("unsteered");
    let watched = Proxy::start(remote.server.url(), Deviation::Watch(remember));
    let off = [("SECMON_CONTRACT_RATE_LIMITS", "off")];
    let ran = Remote::suite(watched.url(), &off, &path);
    let said = String::from_utf8_lossy(&ran.stdout);
    let failures = said.split("failures:").nth(1).unwrap_or_default();
    assert!(ran.status.success(), "{failures}");
    assert_whole(&said);
    let skipped = skipped(&[Need::Sandbox]);
    assert_skipped(&said, &skipped);
    let spoken_of = CUSTOMERS.lock().expect("customers").len();
    assert!(spoken_of > 50, "{spoken_of} customers");
    assert_eq!(remote.alive(), before, "what the suite made is still there");

    let report = fs::read_to_string(&path).expect("a report");
    fs::remove_file(&path).expect("it can be removed");
    let count = skipped.len();
    assert!(report.contains(&format!("skipped=\"{count}\"")) && report.contains("failures=\"0\""));
    assert_eq!(report.matches("<skipped message=\"needs ").count(), count);
    assert!(
        report.contains("<testcase classname=\"scenes\" name=\"health_is_told_without_a_key\"")
    );
}

fn a_server_with_the_admin_api_can_be_put_to_all() {
    let remote = Remote::start();
    let accounts = |remote: &Remote| remote.call("GET", "/_mock/tenants", &Value::Null);
    let before = accounts(&remote);
    let path = report_path("steered");
    let few = [
        ("SECMON_CONTRACT_ADMIN", "1"),
        ("SECMON_CONTRACT_MODEL_WALKS", "3"),
    ];
    let ran = Remote::suite(remote.server.url(), &few, &path);
    let said = String::from_utf8_lossy(&ran.stdout);
    let failures = said.split("failures:").nth(1).unwrap_or_default();
    assert!(ran.status.success(), "{failures}");
    assert_whole(&said);
    let mut abilities = Need::ALL.to_vec();
    abilities.retain(|need| *need != Need::Embedded);
    assert_skipped(&said, &skipped(&abilities));
    let played = "playbooks::a_client_that_does_right_passes_every_playbook";
    assert!(!skipped(&abilities).contains(&played.to_owned()));
    assert_eq!(accounts(&remote), before, "accounts of the suite stay");
    fs::remove_file(&path).expect("a report");
}

fn an_account_without_sandbox_mode_is_not_asked_for_scenarios() {
    let remote = Remote::start();
    let suite = std::env::current_exe().expect("this program");
    let mut command = Command::new(suite);
    command
        .env("SECMON_CONTRACT_URL", remote.server.url())
        .env("SECMON_CONTRACT_KEY", "test_key_globex")
        .arg("a_scenario_is_chosen");
    let ran = command.output().expect("the suite runs");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{said}");
    let why = "scenes::a_scenario_is_chosen_for_one_record ... ignored (needs an account with sandbox mode)";
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains(why), "{said}");
}
