//! Eight calls at once as a step.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::need::Need;
use crate::race::{CALLS, assert_one, at_once};
use crate::recipe::{Members, text};
use crate::sample_account::SampleAccount;

use super::call::{Call, needs_of};

/// Eight calls at once, of which one is answered otherwise than the others.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Race {
    #[serde(rename = "at_once")]
    operation: String,
    /// Its members.
    #[serde(default)]
    with: Members,
    /// What the table calls the answer of one.
    is: String,
    /// What the seven others are answered.
    others: String,
    /// The call that is every second of them.
    and: Option<Call>,
    /// A place that each of them has otherwise.
    distinct: Option<String>,
}

impl Race {
    pub(super) fn operation(&self) -> &str {
        &self.operation
    }

    pub(super) fn need(&self) -> Option<Need> {
        let of_other = || self.and.as_ref().and_then(Call::need);
        needs_of(&self.operation, &self.with).or_else(of_other)
    }

    pub(super) async fn play(&self, sample: &SampleAccount, what: &str) {
        let own = Call::of(&self.operation, &self.with);
        let mut calls = Vec::new();
        for number in 1..=CALLS {
            let call = match &self.and {
                Some(other) if number % 2 == 0 => other,
                _ => &own,
            };
            let call = call.numbered(number as u64);
            let (request, account) = call.request(sample).await;
            calls.push(request.call(account));
        }
        let answers = at_once(calls).await;
        assert_one(&answers, &self.is, &self.others, what);
        if let Some(place) = &self.distinct {
            let values = answers
                .iter()
                .map(|answer| answer.json.pointer(place).map(text));
            let values: BTreeSet<_> = values.collect();
            let expected = format!("{what}: each of eight has another `{place}`");
            assert_eq!(values.len(), CALLS, "{expected}");
        }
    }
}
