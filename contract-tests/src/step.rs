//! Steps of scenes and state tables: a call with what it is answered, or something else that happens. How each is
//! written, `scenes/capacity.toml` says.

mod call;
mod race;
mod scan;
mod steering;

use serde::de::{Deserialize, Deserializer, Error};
use serde_json::Value;
use toml::Table;

use crate::http_calls::RawAnswer;
use crate::need::Need;
use crate::recipe::text;
use crate::sample_account::SampleAccount;

use call::Call;
use race::Race;
use scan::Scan;
use steering::{Control, Fault, Wait};

/// One step.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// What happens.
    action: Action,
    /// How far this moves what is counted.
    pub(crate) moves: Option<String>,
}

/// What happens in a step.
#[derive(Debug, Clone)]
enum Action {
    /// An operation is called.
    Call(Call),
    /// An operation is called eight times at once.
    Race(Race),
    /// The service is steered by its admin API.
    Steer(Control),
    /// The next call of an operation is hit by a fault.
    Fault(Fault),
    /// Time passes.
    Wait(Wait),
    /// A thing of the sample account comes into being, where it is not there yet.
    There(There),
    /// A server is scanned.
    Scan(Scan),
}

/// A thing of the sample account.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct There {
    #[serde(rename = "there")]
    thing: String,
}

/// The member by which each kind of step is known.
const KINDS: [&str; 7] = [
    "call", "at_once", "steer", "fault", "seconds", "there", "scan",
];

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(written: D) -> Result<Self, D::Error> {
        let mut members = Table::deserialize(written)?;
        let moves = members.remove("moves");
        let moves = moves.map(|moves| moves.as_str().unwrap_or_default().to_owned());
        let kinds = KINDS.iter().filter(|kind| members.contains_key(**kind));
        let kinds: Vec<&str> = kinds.copied().collect();
        let [kind] = kinds[..] else {
            let all = KINDS.join(", ");
            return Err(Error::custom(format!(
                "a step has one of {all}, and this has {kinds:?}"
            )));
        };
        let action = match kind {
            "call" => members.try_into().map(|call: Call| match moves {
                Some(_) => Action::Call(call.in_full()),
                None => Action::Call(call),
            }),
            "at_once" => members.try_into().map(Action::Race),
            "steer" => members.try_into().map(Action::Steer),
            "fault" => members.try_into().map(Action::Fault),
            "seconds" => members.try_into().map(Action::Wait),
            "there" => members.try_into().map(Action::There),
            _ => members.try_into().map(Action::Scan),
        };
        let action = action.map_err(|error| Error::custom(format!("{kind}: {error}")))?;
        Ok(Self { action, moves })
    }
}

/// What a service must be able to do for these steps.
pub(crate) fn needs(steps: &[Step], own_account: bool) -> Vec<Need> {
    let of_steps: Vec<Need> = steps.iter().filter_map(Step::need).collect();
    let is_needed =
        |need: &Need| of_steps.contains(need) || (own_account && *need == Need::Accounts);
    Need::ALL.into_iter().filter(is_needed).collect()
}

impl Step {
    /// The operation that it calls.
    pub(crate) fn operation(&self) -> Option<&str> {
        match &self.action {
            Action::Call(call) => Some(call.operation()),
            Action::Race(race) => Some(race.operation()),
            Action::Steer(_)
            | Action::Fault(_)
            | Action::Wait(_)
            | Action::There(_)
            | Action::Scan(_) => None,
        }
    }

    fn need(&self) -> Option<Need> {
        match &self.action {
            Action::Call(call) => call.need(),
            Action::Race(race) => race.need(),
            Action::Steer(control) => Some(control.need()),
            Action::Fault(_) => Some(Need::Faults),
            Action::Wait(_) => Some(Need::Clock),
            Action::There(there) => Need::of_thing(&there.thing),
            Action::Scan(_) => Some(Need::World),
        }
    }

    pub(crate) fn is_a_race(&self) -> bool {
        matches!(self.action, Action::Race(_))
    }

    /// What is done.
    pub(crate) fn name(&self, sample: &SampleAccount) -> String {
        match &self.action {
            Action::Call(call) => call.operation().to_owned(),
            Action::Race(race) => race.operation().to_owned(),
            Action::Steer(control) => control.name().to_owned(),
            Action::Fault(fault) => fault.operation().to_owned(),
            Action::Wait(wait) => wait.name(),
            Action::There(there) => format!("the account has a {}", there.thing),
            Action::Scan(scan) => {
                let server = sample.with_known(&Value::String(scan.server().to_owned()));
                format!("a scan of {}", text(&server))
            }
        }
    }

    /// Does it.
    ///
    /// # Panics
    /// At an answer that is another one.
    pub(crate) async fn play(&self, sample: &SampleAccount, what: &str) {
        match &self.action {
            Action::Call(call) => call.play(sample, what).await,
            Action::Race(race) => race.play(sample, what).await,
            _ => {
                self.act(sample).await;
            }
        }
    }

    /// Does it, whatever is answered; the answer, where it is a call.
    pub(crate) async fn act(&self, sample: &SampleAccount) -> Option<RawAnswer> {
        match &self.action {
            Action::Call(call) => return Some(call.send(sample).await),
            Action::Race(race) => race.play(sample, race.operation()).await,
            Action::Steer(control) => control.act(sample).await,
            Action::Fault(fault) => fault.place(sample).await,
            Action::Wait(wait) => wait.pass(sample).await,
            Action::There(there) => drop(sample.value(&there.thing).await),
            Action::Scan(scan) => scan.act(sample).await,
        }
        None
    }
}
