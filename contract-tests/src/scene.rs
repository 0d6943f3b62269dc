//! Scenes: calls in order with what each is answered, as `scenes.toml` has them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use crate::estate::Estate;
use crate::need::Need;
use crate::recipe::{Members, Request};
use crate::snapshot::Snapshot;
use crate::table::TABLE;

/// All scenes.
pub static SCENES: LazyLock<Vec<Scene>> = LazyLock::new(|| {
    let text = include_str!("../scenes.toml");
    let file: File = toml::from_str(text).expect("scenes.toml is as this module reads it");
    file.scene
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
    /// The calls.
    steps: Vec<Step>,
}

/// A call and its answer, or time that passes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    /// An operation.
    #[serde(default)]
    call: String,
    /// Its members.
    #[serde(default)]
    with: Members,
    /// What the table calls the answer.
    #[serde(default)]
    is: String,
    /// What the answer has, at least.
    #[serde(default)]
    has: Value,
    /// Names for what stands at places of the answer.
    #[serde(default)]
    keep: BTreeMap<String, String>,
    /// Seconds that pass instead.
    #[serde(default)]
    seconds: u64,
}

impl Scene {
    /// What a service must be able to do for it.
    pub fn needs(&self) -> &'static [Need] {
        match self.steps.iter().any(|step| step.seconds > 0) {
            true => &[Need::Clock],
            false => &[],
        }
    }

    /// Plays it.
    ///
    /// # Panics
    /// At the first answer that is another one.
    pub async fn play(&self) {
        let estate = Estate::new().await;
        for (number, step) in self.steps.iter().enumerate() {
            if step.seconds > 0 {
                estate.account.advance(step.seconds).await;
                continue;
            }
            let row = TABLE.row(&step.call);
            let row = row.unwrap_or_else(|| panic!("{}: there is no {}", self.name, step.call));
            let request = Request::new(row, &step.with, &estate).await;
            let answer = request.send(&estate.account).await;
            let body = request.body.clone().unwrap_or_default();
            let what = format!(
                "{} ({}), step {}: {} {body}",
                self.name,
                self.law,
                number + 1,
                request.target()
            );
            assert_eq!(answer.outcome(), step.is, "{what}: {}", answer.json);
            for (name, place) in &step.keep {
                let value = answer.json.pointer(place).cloned().unwrap_or_default();
                estate.keep(name, value);
            }
            let expected = estate.filled_value(&step.has).await;
            let lacks = lacking("", &expected, &answer.json);
            assert!(lacks.is_empty(), "{what}: {}", lacks.join("; "));
        }
        // What is shown at the end contradicts itself in nothing.
        Snapshot::of(&estate).await;
    }
}

/// What of an expected value is not in an answer: members may be more, items may not.
fn lacking(place: &str, expected: &Value, found: &Value) -> Vec<String> {
    match (expected, found) {
        (Value::Null, _) => Vec::new(),
        (Value::Object(expected), Value::Object(found)) => {
            let members = expected.iter().flat_map(|(name, value)| {
                let found = found.get(name).unwrap_or(&Value::Null);
                lacking(&format!("{place}/{name}"), value, found)
            });
            members.collect()
        }
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
            let pairs = expected.iter().zip(found).enumerate();
            let items = pairs
                .flat_map(|(at, (value, found))| lacking(&format!("{place}/{at}"), value, found));
            items.collect()
        }
        (expected, found) if expected == found => Vec::new(),
        (expected, found) => vec![format!("`{place}` is {found}, not {expected}")],
    }
}
