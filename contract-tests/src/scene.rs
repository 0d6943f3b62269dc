//! Scenes: calls in order with what each is answered, as the files of `scenes/` have them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use chrono::{DateTime, FixedOffset};
use http::{HeaderName, Method};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::account::{Account, rounds};
use crate::counts::Counts;
use crate::free::{are_one, are_one_set, documented};
use crate::http_calls::RawAnswer;
use crate::need::Need;
use crate::race::{CALLS, assert_one, at_once};
use crate::recipe::{Members, names_in, text};
use crate::request::Request;
use crate::sample_account::SampleAccount;
use crate::snapshot::Snapshot;
use crate::table::{Row, TABLE};
use crate::wire::Wire;

/// All scenes.
pub static SCENES: LazyLock<Vec<Scene>> = LazyLock::new(|| {
    let files = [
        include_str!("../scenes/at_once.toml"),
        include_str!("../scenes/capacity.toml"),
        include_str!("../scenes/derived.toml"),
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
    pub spec_ref: String,
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
    /// Seconds that pass instead.
    seconds: u64,
    /// A call of the admin API instead.
    steer: String,
    /// An operation whose next call a fault hits.
    fault: String,
    /// A thing of the sample account that must be there instead.
    there: String,
    /// A server that is scanned instead, the ports that are `open` then, and those that `was` open before, where that is
    /// to be held against what changed.
    scan: String,
    open: BTreeSet<u64>,
    was: Option<BTreeSet<u64>>,
    /// Whether that scan fails.
    fails: bool,
    /// How far this moves what is counted; then a call is the operation's whole request but for `with`.
    moves: Option<String>,
    /// What the seven others are answered, of eight calls at once.
    at_once: String,
    /// The call that is every second of them.
    and: Option<Box<Step>>,
    /// A place that each of them has otherwise.
    distinct: Option<String>,
}

/// What a service must be able to do for these steps.
pub(crate) fn needs(steps: &[Step], own_account: bool) -> Vec<Need> {
    let of_steps: Vec<Need> = steps.iter().filter_map(Step::need).collect();
    let is_needed =
        |need: &Need| of_steps.contains(need) || (own_account && *need == Need::Accounts);
    Need::ALL.into_iter().filter(is_needed).collect()
}

impl Scene {
    /// The operations that it calls.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().map(Step::call)
    }

    /// Whether it may be played in either namespace, and comes to the same.
    pub fn has_a_twin(&self) -> bool {
        let in_both = |call| {
            TABLE
                .row(call)
                .is_some_and(|row| row.path.contains("{namespace}"))
        };
        self.needs.is_empty()
            && !self.in_short
            && !self.is_long()
            && self.calls().any(in_both)
            && !self.calls().any(|call| call.contains('/'))
    }

    /// Whether everything is looked at after each step, or eight calls are sent at once: too much to be read.
    fn is_long(&self) -> bool {
        self.is_a_race() || self.steps.iter().any(|step| step.moves.is_some())
    }

    /// Whether calls are sent at once.
    pub(crate) fn is_a_race(&self) -> bool {
        self.steps.iter().any(Step::is_a_race)
    }

    /// Plays it; a race again and again.
    ///
    /// # Panics
    /// At the first answer that is another one.
    pub async fn play(&self) {
        let again = if self.is_a_race() { rounds() } else { 1 };
        for _ in 0..again {
            self.play_once().await;
        }
    }

    async fn play_once(&self) {
        let account = match &self.account {
            Some(options) => {
                let mut options = options.clone();
                options.entry("rate_limit").or_insert(json!(false));
                Account::with(Value::Object(options)).await
            }
            None => Account::new().await,
        };
        let sample = match self.needs.contains(&Need::Clock) {
            true => SampleAccount::at_ease(account),
            false => SampleAccount::of(account).await,
        };
        let pinned = if self.is_long() { 0 } else { usize::MAX };
        sample.account.pin(pinned);
        let what = format!("{} ({})", self.name, self.spec_ref);
        play(&self.steps, &sample, &what).await;
        if !self.is_long() {
            sample.account.pin_so_far();
        }
        if !self.in_short {
            // At the end no read disagrees with another.
            Snapshot::of(&sample).await;
        }
    }
}

/// Does one after the other.
///
/// # Panics
/// At the first answer that is another one.
pub(crate) async fn play(steps: &[Step], sample: &SampleAccount, what: &str) {
    let mut counts = None;
    for (number, step) in steps.iter().enumerate() {
        let what = format!("{what}, step {}: {}", number + 1, step.name(sample));
        counts = match (&step.moves, counts.take()) {
            (None, _) => None,
            (Some(_), Some(counts)) => Some(counts),
            (Some(_), None) => Some(Counts::of(sample).await),
        };
        let times = sample.filled_value(&step.times).await.as_u64();
        for time in 1..=times.unwrap_or(1) {
            step.play(time, sample, &what).await;
        }
        counts = match (&step.moves, counts) {
            (Some(moves), Some(counts)) => Some(counts.assert_moved(moves, sample, &what).await),
            _ => None,
        };
    }
}

impl Step {
    /// The operation that it calls; empty where it does something else.
    pub(crate) fn call(&self) -> &str {
        &self.call
    }

    fn need(&self) -> Option<Need> {
        let row = TABLE.row(&self.call);
        match self.steer.rsplit('/').next()? {
            "ports" | "findings" | "scan" | "progress" => Some(Need::World),
            "leak-dataset" | "portal-account" => Some(Need::Switches),
            _ if self.elsewhere => Some(Need::Accounts),
            _ if self.seconds > 0 => Some(Need::Clock),
            _ if !self.fault.is_empty() => Some(Need::Faults),
            _ if !self.scan.is_empty() => Some(Need::World),
            _ if self.names_findings() => Some(Need::World),
            _ => row
                .filter(|row| row.group == "sandbox")
                .map(|_| Need::Sandbox),
        }
    }

    fn names_findings(&self) -> bool {
        let mut names = names_in(&json!(self.with));
        names.push(self.there.clone());
        names.iter().any(|name| Need::of_thing(name).is_some())
    }

    fn is_a_race(&self) -> bool {
        !self.at_once.is_empty()
    }

    /// What is done.
    fn name(&self, sample: &SampleAccount) -> String {
        let known = |name: &str| text(&sample.with_known(&json!(name)));
        if !self.scan.is_empty() {
            return format!("a scan of {}", known(&self.scan));
        }
        if !self.there.is_empty() {
            return format!("the account has a {}", self.there);
        }
        [&self.call, &self.steer, &self.fault]
            .map(String::as_str)
            .concat()
    }

    /// What it is done with, the things of the sample account as the service knows them.
    fn told(&self, sample: &SampleAccount) -> String {
        sample.with_known(&json!(self.with)).to_string()
    }

    /// With its number in the place of `#`, and as a number in that of `##`.
    fn numbered(&self, number: u64) -> Self {
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

    async fn play(&self, number: u64, sample: &SampleAccount, what: &str) {
        if self.is_a_race() {
            return self.race(sample, what).await;
        }
        let step = self.numbered(number);
        if let Some(answer) = step.act(sample).await {
            let what = format!("{what} {}", step.told(sample));
            step.check(&answer, sample, &what).await;
        }
    }

    /// Eight calls at once, of which one is answered otherwise than the others.
    async fn race(&self, sample: &SampleAccount, what: &str) {
        let mut calls = Vec::new();
        for number in 1..=CALLS {
            let step = match &self.and {
                Some(other) if number % 2 == 0 => other,
                _ => self,
            };
            let step = step.numbered(number as u64);
            let (request, account) = step.request(sample).await;
            calls.push(request.call(account));
        }
        let answers = at_once(calls).await;
        assert_one(&answers, &self.is, &self.at_once, what);
        if let Some(place) = &self.distinct {
            let values = answers
                .iter()
                .map(|answer| answer.json.pointer(place).map(text));
            let values: BTreeSet<_> = values.collect();
            assert_eq!(
                values.len(),
                CALLS,
                "{what}: each of eight has another `{place}`"
            );
        }
    }

    /// The answer, where it is a call.
    pub(crate) async fn act(&self, sample: &SampleAccount) -> Option<RawAnswer> {
        let account = &sample.account;
        if self.seconds > 0 {
            account.advance(self.seconds).await;
        } else if let Some((method, path)) = self.steer.split_once(' ') {
            let mut parts = Vec::new();
            for part in path.split('/') {
                parts.push(sample.filled_name(part).await);
            }
            let path = format!("/_mock/{}", parts.join("/").replace("~", &account.name));
            let body = sample.filled_value(&json!(self.with)).await;
            let method: Method = method.parse().expect("a method");
            account.steer(self.need()?, method, &path, &body).await;
        } else if !self.there.is_empty() {
            sample.value(&self.there).await;
        } else if !self.scan.is_empty() {
            self.scanned(sample).await;
        } else if self.fault.is_empty() {
            return Some(self.send(sample).await);
        } else {
            let (row, effect) = (row(&self.fault), json!(self.with));
            account
                .fault(&row.http_method(), &row.path_with("*"), effect)
                .await;
        }
        None
    }

    /// The call, and the account that sends it.
    async fn request<'a>(&self, sample: &'a SampleAccount) -> (Request, &'a Account) {
        let row = row(&self.call);
        let recipe = row.recipe.as_ref();
        let mut members = match (recipe, &self.moves) {
            (Some(recipe), Some(_)) => recipe.with(&self.with),
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

    async fn send(&self, sample: &SampleAccount) -> RawAnswer {
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

    /// Lets a scan find ports, and holds what the detail says of it against the last scan that was completed.
    async fn scanned(&self, sample: &SampleAccount) {
        let account = &sample.account;
        let id = sample.filled_name(&self.scan).await;
        let path = format!("/api/v1/endpoints/{id}/detail");
        let detail = async || {
            let answer = account.raw(Method::GET, &path).send().await;
            answer.expect("an answer").json
        };
        let before = detail().await;
        let open = self
            .open
            .iter()
            .map(|port| json!({"port": port, "protocol": "tcp"}));
        let world = json!({"open": open.collect::<Vec<_>>()});
        let path = format!("/_mock/endpoints/{id}/ports");
        account.steer(Need::World, Method::PUT, &path, &world).await;
        let outcome = if self.fails { "failed" } else { "completed" };
        let path = format!("/_mock/endpoints/{id}/scan");
        let ends = json!({"outcome": outcome});
        account.steer(Need::World, Method::POST, &path, &ends).await;
        let after = detail().await;
        // Another service has words of its own.
        let said = &after["latest_scan"]["status"];
        let right = *said == outcome || !account.is_the_mocks();
        assert!(right, "a scan that {outcome} is called {said}");
        let changes = ["new_ports", "closed_ports"];
        if self.fails {
            let [was, is] =
                [&before, &after].map(|detail| changes.map(|ports| numbers(&detail[ports])));
            assert_eq!(
                is, was,
                "new_ports and closed_ports after a scan that failed"
            );
            return;
        }
        assert_eq!(
            numbers(&after["latest_scan"]["open_ports"]),
            self.open,
            "open_ports"
        );
        // Before the second scan there is nothing to compare with.
        if let Some(was) = &self.was {
            let changed = [&self.open - was, was - &self.open];
            let shown = changes.map(|ports| numbers(&after[ports]));
            assert_eq!(shown, changed, "new_ports and closed_ports since {was:?}");
        }
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

fn numbers(ports: &Value) -> BTreeSet<u64> {
    let ports = ports.as_array().into_iter().flatten();
    ports.filter_map(Value::as_u64).collect()
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
