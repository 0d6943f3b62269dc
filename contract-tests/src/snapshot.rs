//! The snapshot: all that the API shows of a sample account, by reads that change nothing, and what of it cannot be true.

mod truth;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use http::Method;
use serde_json::{Value, json};

use crate::free::{Difference, difference, exact_difference, without_own};
use crate::http_calls::RawAnswer;
use crate::names::Names;
use crate::sample_account::SampleAccount;
use crate::service::Pace;

/// How often a snapshot is taken that contradicts itself, where time alone may be the cause.
const LOOKS: usize = 3;

/// No list of a sample account is longer; one that has no end shall not be read for ever.
pub const MOST_PAGES: usize = 50;

/// The largest page that every list gives.
const PAGE: usize = 50;

/// Members that a scan moves when it ends, of itself.
const OF_SCANS: [&str; 11] = [
    "last_scan_at",
    "next_scan_at",
    "platform",
    "scan_status",
    "dark_web_last_scan_at",
    "updated_at",
    "employees_compromised",
    "customers_compromised",
    "third_parties_compromised",
    "dark_web_mentions_count",
    "password_strength",
];

/// What the `/_mock/` calls export of an account, which holds no answers.
const EXPORTED: &str = "the exported state";

/// Reads of what scans found.
const FOUND: [&str; 5] = [
    "/alerts",
    "/detail",
    "/dark-web-mentions",
    "/credential-leaks",
    "/scan-history",
];

/// All that the API shows of a sample account, by what was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    shown: BTreeMap<String, Value>,
}

impl Snapshot {
    /// What there is now.
    ///
    /// # Panics
    /// Naming what contradicts itself.
    pub async fn of(sample: &SampleAccount) -> Self {
        let mut untrue = Vec::new();
        for _ in 0..LOOKS {
            let snapshot = Self::taken(sample).await;
            untrue = truth::contradictions(&snapshot.shown);
            if untrue.is_empty() {
                return snapshot.of_what_calls_move(sample);
            }
            // A scan that ended meanwhile tears a snapshot where scans cannot be kept from that.
            if sample.account.pace() != Pace::RunsUnsteered {
                break;
            }
        }
        panic!("two reads do not agree: {}", untrue.join("; "));
    }

    async fn taken(sample: &SampleAccount) -> Self {
        let shown = match Self::exported(sample).await {
            Some(exported) => exported.shown,
            None => BTreeMap::new(),
        };
        let mut reader = Reader { sample, shown };
        for customer in sample.customers() {
            reader.customer(customer).await;
        }
        reader.gone().await;
        reader.subscriptions().await;
        Self {
            shown: reader.shown,
        }
    }

    fn of_what_calls_move(mut self, sample: &SampleAccount) -> Self {
        if sample.account.pace() != Pace::RunsUnsteered {
            return self;
        }
        self.shown
            .retain(|read, _| !FOUND.iter().any(|list| read.contains(list)));
        OF_SCANS
            .iter()
            .fold(self, |all, member| all.without(member))
    }

    /// What can be had by one call: the exported state where there is one, else everything.
    pub async fn in_short(sample: &SampleAccount) -> Self {
        match Self::exported(sample).await {
            Some(exported) => exported,
            None => Self::of(sample).await,
        }
    }

    async fn exported(sample: &SampleAccount) -> Option<Self> {
        let records = without_tokens(sample.account.exported().await?);
        let shown = BTreeMap::from_iter([(EXPORTED.to_owned(), records)]);
        Some(Self { shown })
    }

    /// What the partner API shows of it, without what the service exports of the whole account.
    #[must_use]
    pub fn of_customers(mut self) -> Self {
        self.shown.remove(EXPORTED);
        self
    }

    /// The same with the sample account's names for its things, to be held against another sample account's.
    #[must_use]
    pub fn named(self, sample: &SampleAccount) -> Self {
        let names = Names::of(sample);
        let shown = self.shown.iter();
        let shown = shown.map(|(read, value)| match read.as_str() {
            EXPORTED => (read.clone(), names.put(value)),
            _ => (names.put_in(read), names.put(&without_own(value))),
        });
        let mut shown: BTreeMap<_, _> = shown.collect();
        if let Some(Value::Array(records)) = shown.get_mut(EXPORTED) {
            // They have the account's own name and key.
            records.retain(|record| record["table"] != "settings" && record["table"] != "keys");
        }
        Self { shown }
    }

    /// What a call was answered, with the sample account's names for its things; one thing may be called `it`.
    pub fn answer(
        call: &str,
        answer: &RawAnswer,
        sample: &SampleAccount,
        it: Option<&Value>,
    ) -> Self {
        let mut names = Names::of(sample);
        if let Some(it) = it {
            names = names.and(it, "it");
        }
        let call = call.to_owned();
        let json = names.put(&without_own(&timeless(answer.json.clone())));
        let shown = BTreeMap::from_iter([(call, json!([answer.outcome(), json]))]);
        Self { shown }.of_what_calls_move(sample)
    }

    /// What a read showed.
    pub fn at(&self, read: &str) -> &Value {
        self.shown.get(read).unwrap_or(&Value::Null)
    }

    /// What was read, and what it showed.
    pub fn reads(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.shown
            .iter()
            .map(|(read, value)| (read.as_str(), value))
    }

    /// The same without a member, wherever it stands.
    #[must_use]
    pub fn without(mut self, member: &str) -> Self {
        self.shown
            .values_mut()
            .for_each(|value| remove(value, member));
        self
    }

    /// What another snapshot shows otherwise, a line for each read; empty when all is the same.
    pub fn changes(&self, after: &Self) -> String {
        let mut text = String::new();
        let reads = self.shown.keys().chain(
            after
                .shown
                .keys()
                .filter(|read| !self.shown.contains_key(*read)),
        );
        for read in reads {
            let (was, is) = (self.at(read), after.at(read));
            let found = match read.as_str() {
                EXPORTED => exact_difference(was, is),
                _ => difference(was, is),
            };
            if let Some(difference) = found {
                // Writing to a text cannot fail.
                let _ = writeln!(text, "{read}: {}", told(was, &difference));
            }
        }
        text
    }

    /// Panics when another snapshot shows anything else.
    ///
    /// # Panics
    /// Naming what it shows.
    #[track_caller]
    pub fn assert_same(&self, after: &Self, what: &str) {
        let changes = self.changes(after);
        assert!(changes.is_empty(), "{what} changed something: {changes}");
    }
}

/// A difference of two reads, at a place of the answer itself.
fn told(read: &Value, difference: &Difference) -> String {
    let Difference { place, was, is } = difference;
    // Beside the answer stands what the table calls it.
    let is_answer = read
        .as_array()
        .is_some_and(|pair| pair.len() == 2 && pair[0].is_string());
    match place.strip_prefix("/1") {
        _ if is_answer && place == "/0" => format!("the answer was {was} and is {is}"),
        Some(place) if is_answer => format!("`{place}` was {was} and is {is}"),
        _ => format!("`{place}` was {was} and is {is}"),
    }
}

fn remove(value: &mut Value, member: &str) {
    match value {
        Value::Object(members) => {
            members.remove(member);
            members.values_mut().for_each(|value| remove(value, member));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| remove(item, member)),
        _ => {}
    }
}

/// Sign-in tokens may be minted at any time; no other record is touched by that.
fn without_tokens(mut records: Value) -> Value {
    if let Some(records) = records.as_array_mut() {
        records.retain(|record| record["table"] != "sso_tokens");
        for controls in records
            .iter_mut()
            .filter(|record| record["table"] == "controls")
        {
            if let Some(counts) = controls["value"].as_object_mut() {
                counts.remove("sso_tokens");
            }
        }
    }
    records
}

struct Reader<'a> {
    sample: &'a SampleAccount,
    shown: BTreeMap<String, Value>,
}

impl Reader<'_> {
    async fn customer(&mut self, customer: u64) {
        let of = format!("billing_customer_id={customer}");
        let servers = self.pages(&format!("/api/v1/endpoints?{of}"), "data").await;
        for status in ["active", "paused"] {
            self.read(&format!("/api/v1/endpoints?{of}&status={status}"))
                .await;
        }
        for id in ids(&servers) {
            for of_server in ["", "/detail"] {
                self.read(&format!("/api/v1/endpoints/{id}{of_server}?{of}"))
                    .await;
            }
        }
        let rules = self
            .pages(&format!("/api/v1/whitelists?{of}"), "data")
            .await;
        for status in ["active", "expired"] {
            self.read(&format!("/api/v1/whitelists?{of}&status={status}"))
                .await;
        }
        for id in ids(&rules) {
            self.read(&format!("/api/v1/whitelists/{id}")).await;
        }
        self.read(&format!("/api/v1/whitelists/endpoint-summary?{of}"))
            .await;
        self.pages(&format!("/api/v1/alerts?{of}"), "data/alerts")
            .await;
        let domains = self.read(&format!("/api/v1/domains?{of}")).await;
        for id in ids(&domains["data"]["domains"]) {
            self.domain(&id, &of).await;
        }
        let body = json!({"billing_customer_id": customer});
        let access = self.ask(Method::POST, "/api/v1/sso/token", &body).await.1;
        self.shown
            .insert(format!("access of {customer}"), access.into());
    }

    async fn domain(&mut self, id: &str, of: &str) {
        let at = format!("/api/v1/domains/{id}");
        self.read(&format!("{at}/summary?{of}")).await;
        self.pages(&format!("{at}/alerts?{of}"), "data/alerts")
            .await;
        // With this parameter a read marks nothing as seen (C9).
        for seen in [true, false] {
            self.pages(
                &format!("{at}/dark-web-mentions?{of}&is_new={seen}"),
                "data/mentions",
            )
            .await;
        }
        self.read(&format!("{at}/credential-leaks?{of}")).await;
        self.read(&format!("{at}/scan-history?{of}")).await;
    }

    /// Records that no list shows any more.
    async fn gone(&mut self) {
        let known = self.sample.known();
        let owner = known.get("customer").cloned().unwrap_or_default();
        let of = format!("billing_customer_id={owner}");
        for (name, id) in &known {
            let id = id.as_str().unwrap_or_default();
            match name.as_str() {
                "terminated_server" | "deleted_server" => {
                    self.read(&format!("/api/v1/endpoints/{id}?{of}")).await;
                }
                "terminated_domain" | "released_domain" => self.domain(id, &of).await,
                "deleted_rule" => drop(self.read(&format!("/api/v1/whitelists/{id}?{of}")).await),
                _ => {}
            }
        }
    }

    /// A change to a value that the product does not take changes nothing, and says what is there (D4).
    async fn subscriptions(&mut self) {
        let known = self.sample.known();
        for (name, service) in known.iter().filter(|(name, _)| name.ends_with("_service")) {
            let owner = match name.split('_').next() {
                Some("others") => "other",
                Some("crowded") => "crowded",
                _ => "customer",
            };
            let mut body = json!({"client_id": known[owner], "service_id": service, "product_slug": "domain_monitoring"});
            match name.as_str() {
                "plan_service" => {
                    body["product_slug"] = json!("port_monitoring");
                    body["new_quantity"] = json!(1);
                }
                _ => body["new_plan_slug"] = json!("none"),
            }
            let (answer, outcome) = self
                .ask(Method::POST, "/api/v1/billing/change-subscription", &body)
                .await;
            self.shown.insert(
                format!("subscription of {name}"),
                json!([outcome, answer["data"]]),
            );
        }
    }

    /// All items of a list; what its pages say besides is kept.
    async fn pages(&mut self, list: &str, items: &str) -> Value {
        let mut all = Vec::new();
        for page in 1.. {
            assert!(page <= MOST_PAGES, "{list} goes on and on");
            let path = format!("{list}&per_page={PAGE}&page={page}");
            let answer = self.read(&path).await;
            let found = answer
                .pointer(&format!("/{items}"))
                .and_then(Value::as_array);
            let Some(found) = found else { break };
            let begins_again = page > 1
                && found
                    .first()
                    .is_some_and(|first| all.first() == Some(first));
            assert!(!begins_again, "{path}: the list begins again");
            all.extend(found.iter().cloned());
            if found.len() < PAGE {
                break;
            }
        }
        let all = Value::Array(all);
        self.shown.insert(format!("all of {list}"), all.clone());
        all
    }

    async fn read(&mut self, path: &str) -> Value {
        let (answer, outcome) = self.ask(Method::GET, path, &Value::Null).await;
        let shown = json!([outcome, timeless(answer.clone())]);
        self.shown.insert(path.to_owned(), shown);
        answer
    }

    async fn ask(&self, method: Method, path: &str, body: &Value) -> (Value, String) {
        let mut call = self.sample.account.raw(method, path);
        if !body.is_null() {
            call = call.json(body);
        }
        let answer = call
            .send()
            .await
            .unwrap_or_else(|error| panic!("{path}: {error}"));
        let outcome = answer.outcome();
        (answer.json, outcome)
    }
}

/// An answer without the moment at which it was given.
fn timeless(mut answer: Value) -> Value {
    if let Some(meta) = answer.get_mut("meta").and_then(Value::as_object_mut) {
        meta.remove("timestamp");
    }
    answer
}

fn ids(items: &Value) -> Vec<String> {
    let items = items.as_array().into_iter().flatten();
    items
        .filter_map(|item| item["id"].as_str().map(str::to_owned))
        .collect()
}
