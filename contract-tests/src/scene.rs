//! Scenes: calls in order with what each is answered, as the files of `scenes/` have them.

use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::account::{Account, rounds};
use crate::counts::Counts;
use crate::need::Need;
use crate::recipe::Members;
use crate::sample_account::SampleAccount;
use crate::snapshot::Snapshot;
use crate::stage::Stage;
use crate::step::{Step, needs};
use crate::table::TABLE;

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

impl Scene {
    /// The operations that it calls.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(Step::operation)
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
    pub async fn play(&self, stage: Arc<Stage>) {
        let again = if self.is_a_race() { rounds(&stage) } else { 1 };
        for _ in 0..again {
            self.play_once(&stage).await;
        }
    }

    async fn play_once(&self, stage: &Arc<Stage>) {
        let account = match &self.account {
            Some(options) => {
                let mut options = options.clone();
                options.entry("rate_limit").or_insert(json!(false));
                Account::with(stage, Value::Object(options)).await
            }
            None => Account::new(stage).await,
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
        step.play(sample, &what).await;
        counts = match (&step.moves, counts) {
            (Some(moves), Some(counts)) => Some(counts.assert_moved(moves, sample, &what).await),
            _ => None,
        };
    }
}
