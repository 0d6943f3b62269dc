//! A call of an operation as a step, and what its answer must have.

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset};
use http::HeaderName;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::account::Account;
use crate::free::{are_one, are_one_set, documented};
use crate::http_calls::RawAnswer;
use crate::need::Need;
use crate::recipe::{Members, names_in, text};
use crate::request::Request;
use crate::sample_account::SampleAccount;
use crate::table::TABLE;
use crate::wire::Wire;

/// A call, and its answer.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Call {
    #[serde(rename = "call")]
    operation: String,
    /// Its members.
    with: Members,
    /// Whether these stand over the operation's whole request.
    #[serde(skip)]
    in_full: bool,
    /// Headers of the call; an empty one is left out.
    headers: BTreeMap<String, String>,
    /// Whether it is sent in another account.
    elsewhere: bool,
    /// How often it is done; `#` is the number, from 1.
    times: Value,
    /// What the table calls the answer; a success where nothing is said.
    is: String,
    /// What the answer has, at least.
    has: Value,
    /// Members that the answer has otherwise.
    not: Members,
    /// Places of the answer that tell its own time.
    now: Vec<String>,
    /// Names for what stands at places of a success.
    keep: BTreeMap<String, String>,
}

/// What a service must be able to do for a call of an operation with these members.
pub(super) fn needs_of(operation: &str, with: &Members) -> Option<Need> {
    let names = names_in(&json!(with));
    let of_things = names.iter().find_map(|name| Need::of_thing(name));
    let is_sandbox = TABLE.operation(operation).group == "sandbox";
    of_things.or(is_sandbox.then_some(Need::Sandbox))
}

impl Call {
    /// A call with members, whatever is answered.
    pub(super) fn of(operation: &str, with: &Members) -> Self {
        Self {
            operation: operation.to_owned(),
            with: with.clone(),
            ..Self::default()
        }
    }

    /// With its members over the operation's whole request.
    pub(super) fn in_full(self) -> Self {
        Self {
            in_full: true,
            ..self
        }
    }

    pub(super) fn operation(&self) -> &str {
        &self.operation
    }

    pub(super) fn need(&self) -> Option<Need> {
        match self.elsewhere {
            true => Some(Need::Accounts),
            false => needs_of(&self.operation, &self.with),
        }
    }

    /// With its number in the place of `#`, and as a number in that of `##`.
    pub(super) fn numbered(&self, number: u64) -> Self {
        let written = json!(self.with).to_string();
        let written = written.replace("\"##\"", &number.to_string());
        let written = written.replace('#', &format!("{number:x}"));
        let keep = self.keep.iter();
        Self {
            with: serde_json::from_str(&written).expect("members"),
            keep: keep
                .map(|(name, place)| (name.replace('#', &format!("{number:x}")), place.clone()))
                .collect(),
            ..self.clone()
        }
    }

    pub(super) async fn play(&self, sample: &SampleAccount, what: &str) {
        let times = sample.filled_value(&self.times).await.as_u64();
        for number in 1..=times.unwrap_or(1) {
            let call = self.numbered(number);
            let answer = call.send(sample).await;
            // The things of the sample account as the service knows them.
            let members = sample.with_known(&json!(call.with));
            call.check(&answer, sample, &format!("{what} {members}"))
                .await;
        }
    }

    /// The call, and the account that sends it.
    pub(super) async fn request<'a>(&self, sample: &'a SampleAccount) -> (Request, &'a Account) {
        let row = TABLE.operation(&self.operation);
        let recipe = row.recipe.as_ref();
        let mut members = match recipe {
            Some(recipe) if self.in_full => recipe.with(&self.with),
            _ => self.with.clone(),
        };
        let required: Vec<&str> = recipe.iter().flat_map(|it| it.required()).collect();
        for (name, usual) in USUAL.iter().filter(|(name, _)| required.contains(name)) {
            members.entry(*name).or_insert(json!(usual));
        }
        let list = recipe.and_then(|recipe| recipe.list.as_ref());
        let list = list.filter(|list| list.size_is_assumed && !sample.account.is_the_mocks());
        if let Some(largest) = list.and_then(|list| list.largest) {
            // Another service's pages are as small as it likes.
            members.entry("per_page").or_insert(json!(largest));
        }
        let request = sample.request(row, &members).await;
        if self.elsewhere {
            sample.value("foreign_customer").await;
        }
        let elsewhere = sample.foreign().filter(|_| self.elsewhere);
        (request, &elsewhere.unwrap_or(sample).account)
    }

    pub(super) async fn send(&self, sample: &SampleAccount) -> RawAnswer {
        let (request, account) = self.request(sample).await;
        if self.headers.is_empty() {
            return request.send(account).await;
        }
        let mut wire = Wire::of(&request, account);
        for (name, value) in &self.headers {
            let name: HeaderName = name.parse().expect("a header");
            wire.set(name, Some(value.as_str()).filter(|value| !value.is_empty()));
        }
        wire.send(account).await
    }

    async fn check(&self, answer: &RawAnswer, sample: &SampleAccount, what: &str) {
        let json = &answer.json;
        match self.is.as_str() {
            "" => assert!(
                answer.status.is_success(),
                "{what}: {}: {json}",
                answer.outcome()
            ),
            is => assert_eq!(answer.outcome(), is, "{what}: {json}"),
        }
        for (name, place) in self.keep.iter().filter(|_| answer.status.is_success()) {
            let kept = json.pointer(place).map(documented);
            sample.keep(name, kept.unwrap_or_default());
        }
        let lacks = lacking("", &sample.filled_value(&self.has).await, json);
        assert!(lacks.is_empty(), "{what}: {}", lacks.join("; "));
        for (place, other) in sample.filled(&self.not).await {
            let is_another = json.pointer(&place) != Some(&other);
            assert!(is_another, "{what}: `{place}` is {other} still");
        }
        for place in &self.now {
            let [told, now] = [place, "/meta/timestamp"].map(|place| time_at(json, place));
            let age = told.zip(now).map(|(told, now)| (now - told).num_seconds());
            let is_now = age.is_some_and(|age| (0..=SLOWEST).contains(&age));
            assert!(
                is_now,
                "{what}: `{place}` is another time than the answer's: {json}"
            );
        }
    }
}

/// Members that stand for themselves where an operation requires them.
const USUAL: [(&str, &str); 3] = [
    ("client_id", "$customer"),
    ("billing_customer_id", "$customer"),
    ("service_id", "$free_service"),
];

/// Seconds that a service may take for an answer.
const SLOWEST: i64 = 5;

fn time_at(json: &Value, place: &str) -> Option<DateTime<FixedOffset>> {
    DateTime::parse_from_rfc3339(&text(json.pointer(place)?)).ok()
}

/// What of an expected value is not in an answer: members may be more, items may not.
fn lacking(place: &str, expected: &Value, found: &Value) -> Vec<String> {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            let members = expected.iter().flat_map(|(name, value)| {
                let found = found.get(name).unwrap_or(&Value::Null);
                lacking(&format!("{place}/{name}"), value, found)
            });
            members.collect()
        }
        (Value::Array(expected), Value::Array(found)) if are_one_set(expected, found) => Vec::new(),
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
            let pairs = expected.iter().zip(found).enumerate();
            let items = pairs
                .flat_map(|(at, (value, found))| lacking(&format!("{place}/{at}"), value, found));
            items.collect()
        }
        (Value::String(word), Value::Null) if word == "null" => Vec::new(),
        (Value::String(word), found) if word == "any" && !found.is_null() => Vec::new(),
        (Value::Null, _) => Vec::new(),
        (expected, found) if are_one(expected, found) => Vec::new(),
        (expected, found) => vec![format!("`{place}` is {found}, not {expected}")],
    }
}
