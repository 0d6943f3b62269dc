//! The transition tables of the specification, as `states.toml` has them: every trigger in every state.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::account::Account;
use crate::free::are_one;
use crate::need::Need;
use crate::recipe::text;
use crate::sample_account::SampleAccount;
use crate::scene::play;
use crate::stage::Stage;
use crate::step::{Step, needs};

/// All tables.
pub static STATE_TABLES: LazyLock<Vec<StateTable>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("../states.toml")).expect("the states");
    let mut walks = file.walk;
    for at in 0..walks.len() {
        let like = walks
            .iter()
            .find(|walk| Some(&walk.name) == walks[at].like.as_ref());
        let like = like.map(|like| (like.trigger.clone(), like.row.clone()));
        let walk = &mut walks[at];
        if let Some((mut trigger, row)) = like {
            trigger.append(&mut walk.trigger);
            (walk.trigger, walk.row) = (trigger, row);
        }
        let later = walk.state.values().flat_map(|state| &state.later);
        let steered: Vec<Step> = walk.found.iter().chain(later).cloned().collect();
        walk.needs = needs(&steered, false);
    }
    walks
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    walk: Vec<StateTable>,
}

/// A record, and what becomes of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateTable {
    /// What holds, in the form of a case's name.
    pub name: String,
    /// The decisions or sections that say so.
    pub spec_ref: String,
    /// The product by which sync-services reports on it, the name it has there, and what is reported beside it.
    product: String,
    record: String,
    #[serde(default)]
    beside: Vec<String>,
    /// What is there before the record.
    begin: Vec<Step>,
    /// How the record is made, and `$id` with it.
    make: Vec<Step>,
    /// What a scan has found of it, where the walk is about that.
    #[serde(default)]
    found: Vec<Step>,
    state: BTreeMap<String, State>,
    /// The walk whose triggers and rows are this one's too.
    like: Option<String>,
    /// What is done; the last step is what the table has the outcome of.
    #[serde(default)]
    trigger: BTreeMap<String, Vec<Step>>,
    /// Outcome, and the next state behind an arrow where it is another, by state and trigger.
    #[serde(default)]
    row: BTreeMap<String, BTreeMap<String, String>>,
    /// What a service must be able to do for it.
    #[serde(skip)]
    pub needs: Vec<Need>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    /// What is there before the record besides.
    #[serde(default)]
    begin: Vec<Step>,
    /// How the record comes to it.
    #[serde(default)]
    enter: Vec<Step>,
    /// Whether nobody has made the record.
    #[serde(default)]
    is_nowhere: bool,
    /// By what it is known.
    #[serde(default)]
    shown: Vec<Step>,
    /// The status that an answer tells.
    tells: Option<String>,
    /// What of its history is there later.
    #[serde(default)]
    later: Vec<Step>,
}

impl StateTable {
    /// The operations that it is about.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &str> {
        let triggers = self.trigger.values();
        triggers
            .filter_map(|steps| steps.last())
            .filter_map(Step::operation)
    }

    /// Walks all of it.
    ///
    /// # Panics
    /// At the first row that is not so.
    pub async fn play(&self, stage: Arc<Stage>) {
        for (before, triggers) in &self.row {
            for (trigger, told) in triggers {
                let (outcome, after) = told.split_once(" -> ").unwrap_or((told, before));
                let what = format!("{trigger} of what was {before} ({})", self.spec_ref);
                let walked = Walked {
                    walk: self,
                    before,
                    trigger,
                    outcome,
                    after,
                    what,
                };
                walked.play(&stage).await;
            }
        }
    }
}

/// A row of the table.
struct Walked<'a> {
    walk: &'a StateTable,
    before: &'a str,
    trigger: &'a str,
    outcome: &'a str,
    after: &'a str,
    what: String,
}

impl Walked<'_> {
    async fn play(&self, stage: &Arc<Stage>) {
        let (walk, what) = (self.walk, self.what.as_str());
        let with_history = !walk.found.is_empty();
        let states = [self.before, self.after].map(|name| walk.state.get(name));
        let (before, after) = match states {
            [Some(before), Some(after)] => (before, after),
            // Of what is nowhere there is no history.
            _ if with_history => return,
            _ => panic!("{what}: there is no such state"),
        };
        if with_history && after.later.is_empty() {
            return;
        }
        let sample = SampleAccount::at_ease(Account::new(stage).await);
        play(&walk.begin, &sample, what).await;
        play(&before.begin, &sample, what).await;
        match before.is_nowhere {
            true => sample.keep("id", sample.value("unknown").await),
            false => play(&walk.make, &sample, what).await,
        }
        play(&walk.found, &sample, what).await;
        play(&before.enter, &sample, what).await;
        let id = sample.value("id").await;
        let steps = walk.trigger.get(self.trigger);
        let steps = steps.unwrap_or_else(|| panic!("there is no trigger {}", self.trigger));
        let (last, first) = steps.split_last().expect("a trigger does something");
        play(first, &sample, what).await;
        let answer = last.act(&sample).await.expect("a trigger ends with a call");
        // One that is being scanned is not scanned again.
        if !with_history {
            assert_eq!(answer.outcome(), self.outcome, "{what}: {}", answer.json);
        }
        if answer.status == 201 {
            let made = [
                "/data/endpoint_id",
                "/data/monitored_domain_id",
                "/data/subscription_id",
                "/data/id",
            ];
            let made = made.iter().find_map(|place| answer.json.pointer(place));
            made.iter()
                .for_each(|made| sample.keep("id", (*made).clone()));
            assert_ne!(sample.value("id").await, id, "{what}: another record");
        } else {
            self.check(&answer.json["data"], &id);
        }
        self.check_report(&sample, &answer.json["data"]["enforcement"])
            .await;
        let shown = if with_history {
            &after.later
        } else {
            &after.shown
        };
        play(shown, &sample, &format!("{what}, then {}", self.after)).await;
        // An account that is shared would soon be full, where it has room for no more than a customer.
        if sample.account.name.is_empty() {
            sample.leave().await;
        }
    }

    /// An answer tells the state, and never of another record.
    fn check(&self, data: &Value, id: &Value) {
        let what = &self.what;
        for member in ["endpoint_id", "monitored_domain_id", "id"] {
            let named = data.get(member);
            assert!(
                named.is_none_or(|named| are_one(named, id)),
                "{what}: another record {data}"
            );
        }
        let after = self.walk.state.get(self.after);
        let told = data
            .get("status")
            .zip(after.and_then(|after| after.tells.as_ref()));
        assert!(
            told.is_none_or(|(told, tells)| told == tells),
            "{what}: {data}"
        );
    }

    /// A report names what it paused, newest first, and what runs again, oldest first.
    async fn check_report(&self, sample: &SampleAccount, enforcement: &Value) {
        let customer = text(&sample.value("customer").await);
        let Some(report) = enforcement.get(customer) else {
            return;
        };
        let report = &report[&self.walk.product];
        let (before, after, beside) = (self.before, self.after, &self.walk.beside);
        let stopped = ["platform_paused", "suspended", "cancelled"];
        let paused = before == "active" && stopped.contains(&after);
        let unpaused = after == "active" && (before == after || stopped.contains(&before));
        let named = |moved: bool| {
            if moved {
                vec![self.walk.record.clone()]
            } else {
                Vec::new()
            }
        };
        let names = |list: &str| {
            let names = report[list].as_array().cloned().unwrap_or_default();
            names.iter().map(text).collect::<Vec<_>>()
        };
        let newest_first = names("newly_paused");
        let oldest_first = names("unpaused");
        let first = newest_first
            .strip_suffix(beside.as_slice())
            .unwrap_or(&newest_first);
        let last = oldest_first
            .strip_prefix(beside.as_slice())
            .unwrap_or(&oldest_first);
        let what = &self.what;
        assert_eq!(
            first,
            named(paused),
            "{what}: newly_paused of {}",
            json!(report)
        );
        assert_eq!(
            last,
            named(unpaused),
            "{what}: unpaused of {}",
            json!(report)
        );
    }
}
