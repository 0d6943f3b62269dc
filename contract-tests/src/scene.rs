//! Scenes: calls in order with what each is answered, as the files of `scenes/` have them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use chrono::{DateTime, FixedOffset};
use http::{HeaderName, Method};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::account::Account;
use crate::estate::Estate;
use crate::http_calls::RawAnswer;
use crate::need::Need;
use crate::recipe::{Members, Request, text};
use crate::same::{are_one, are_one_set};
use crate::snapshot::Snapshot;
use crate::table::{Row, TABLE};
use crate::wire::Wire;

/// All scenes.
pub static SCENES: LazyLock<Vec<Scene>> = LazyLock::new(|| {
    let files = [
        include_str!("../scenes/capacity.toml"),
        include_str!("../scenes/domains.toml"),
        include_str!("../scenes/findings.toml"),
        include_str!("../scenes/rules.toml"),
        include_str!("../scenes/servers.toml"),
    ];
    let files = files.map(|text| toml::from_str::<File>(text).expect("a file of scenes"));
    let mut scenes: Vec<Scene> = files.into_iter().flat_map(|file| file.scene).collect();
    scenes
        .iter_mut()
        .for_each(|scene| scene.needs = needs(&scene.steps, scene.account.is_some()));
    scenes
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    scene: Vec<Scene>,
}

/// Calls in order, in an account of which nothing is known but what they make.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// What holds, in the form of a case's name.
    pub name: String,
    /// The decisions or sections that say so.
    pub law: String,
    /// Options of an account that is the scene's own.
    account: Option<Members>,
    /// Whether everything that is shown is not looked at once more at the end.
    #[serde(default)]
    in_short: bool,
    /// The calls.
    steps: Vec<Step>,
    /// What a service must be able to do for it.
    #[serde(skip)]
    pub needs: Vec<Need>,
}

/// A call and its answer, or something else that happens.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Step {
    /// An operation.
    call: String,
    /// Its members, what the service is steered with, or a fault's effect.
    with: Members,
    /// Headers of the call; an empty one is left out.
    headers: BTreeMap<String, String>,
    /// Whether it is sent in another account.
    elsewhere: bool,
    /// How often it is done, with `$address` another one each time.
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
    /// Seconds that pass instead.
    seconds: u64,
    /// A call of the admin API instead.
    steer: String,
    /// An operation whose next call a fault hits.
    fault: String,
}

/// What a service must be able to do for these steps.
pub(crate) fn needs(steps: &[Step], own_account: bool) -> Vec<Need> {
    let mut needs: Vec<Need> = steps.iter().filter_map(Step::need).collect();
    needs.extend(own_account.then_some(Need::Accounts));
    needs.dedup();
    needs
}

impl Scene {
    /// Whether it may be played in either namespace, and comes to the same.
    pub fn has_a_twin(&self) -> bool {
        let calls = || self.steps.iter().map(|step| step.call.as_str());
        let in_both = |call| {
            TABLE
                .row(call)
                .is_some_and(|row| row.path.contains("{namespace}"))
        };
        self.needs.is_empty()
            && !self.in_short
            && calls().any(in_both)
            && !calls().any(|call| call.contains('/'))
    }

    /// Plays it.
    ///
    /// # Panics
    /// At the first answer that is another one.
    pub async fn play(&self) {
        let account = match &self.account {
            Some(options) => {
                let mut options = options.clone();
                options.entry("rate_limit").or_insert(json!(false));
                Account::with(Value::Object(options)).await
            }
            None => Account::new().await,
        };
        let estate = match self.needs.contains(&Need::Clock) {
            true => Estate::at_ease(account),
            false => Estate::of(account).await,
        };
        estate.account.pin(usize::MAX);
        play(
            &self.steps,
            &estate,
            &format!("{} ({})", self.name, self.law),
        )
        .await;
        estate.account.pin_so_far();
        if !self.in_short {
            // What is shown at the end contradicts itself in nothing.
            Snapshot::of(&estate).await;
        }
    }
}

/// Does one after the other.
///
/// # Panics
/// At the first answer that is another one.
pub(crate) async fn play(steps: &[Step], estate: &Estate, what: &str) {
    for (number, step) in steps.iter().enumerate() {
        let times = estate.filled_value(&step.times).await.as_u64();
        for time in 1..=times.unwrap_or(1) {
            estate.keep("address", json!(format!("2001:db8:5::{time:x}")));
            let what = format!("{what}, step {}: {}", number + 1, step.told());
            if let Some(answer) = step.act(estate).await {
                step.check(&answer, estate, &what).await;
            }
        }
    }
}

impl Step {
    fn need(&self) -> Option<Need> {
        let row = TABLE.row(&self.call);
        match self.steer.rsplit('/').next()? {
            "ports" | "findings" | "scan" => Some(Need::World),
            "leak-dataset" | "portal-account" => Some(Need::Switches),
            _ if self.elsewhere => Some(Need::Accounts),
            _ if self.seconds > 0 => Some(Need::Clock),
            _ if !self.fault.is_empty() => Some(Need::Faults),
            _ => row
                .filter(|row| row.group == "sandbox")
                .map(|_| Need::Sandbox),
        }
    }

    fn told(&self) -> String {
        let what = [&self.call, &self.steer, &self.fault].map(String::as_str);
        format!("{} {}", what.concat(), json!(self.with))
    }

    /// The answer, where it is a call.
    pub(crate) async fn act(&self, estate: &Estate) -> Option<RawAnswer> {
        let account = &estate.account;
        if self.seconds > 0 {
            account.advance(self.seconds).await;
        } else if let Some((method, path)) = self.steer.split_once(' ') {
            let mut parts = Vec::new();
            for part in path.split('/') {
                parts.push(estate.filled_name(part).await);
            }
            let path = format!("/_mock/{}", parts.join("/").replace("~", &account.name));
            let body = estate.filled_value(&json!(self.with)).await;
            let method: Method = method.parse().expect("a method");
            account.steer(self.need()?, method, &path, &body).await;
        } else if self.fault.is_empty() {
            return Some(self.send(row(&self.call), estate).await);
        } else {
            let (row, effect) = (row(&self.fault), json!(self.with));
            account
                .fault(&row.http_method(), &row.path_with("*"), effect)
                .await;
        }
        None
    }

    async fn send(&self, row: &Row, estate: &Estate) -> RawAnswer {
        let mut members = self.with.clone();
        let required: Vec<&str> = row.recipe.iter().flat_map(|it| it.required()).collect();
        for (name, usual) in USUAL.iter().filter(|(name, _)| required.contains(name)) {
            members.entry(*name).or_insert(json!(usual));
        }
        let list = row.recipe.as_ref().and_then(|recipe| recipe.list.as_ref());
        let list = list.filter(|list| list.size_is_assumed && !estate.account.is_the_mocks());
        if let Some(largest) = list.and_then(|list| list.largest) {
            // Another service's pages are as small as it likes.
            members.entry("per_page").or_insert(json!(largest));
        }
        let request = Request::new(row, &members, estate).await;
        if self.elsewhere {
            estate.value("foreign_customer").await;
        }
        let elsewhere = estate.foreign().filter(|_| self.elsewhere);
        let account = &elsewhere.unwrap_or(estate).account;
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

    async fn check(&self, answer: &RawAnswer, estate: &Estate, what: &str) {
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
            estate.keep(name, json.pointer(place).cloned().unwrap_or_default());
        }
        let lacks = lacking("", &estate.filled_value(&self.has).await, json);
        assert!(lacks.is_empty(), "{what}: {}", lacks.join("; "));
        for (place, other) in estate.filled(&self.not).await {
            assert_ne!(json.pointer(&place), Some(&other), "{what}: `{place}`");
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

fn row(name: &str) -> &'static Row {
    TABLE
        .row(name)
        .unwrap_or_else(|| panic!("there is no {name}"))
}

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
