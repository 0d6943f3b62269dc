//! Eight calls at once over eight connections.

use futures_util::future::join_all;

use crate::http_calls::{RawAnswer, RawCall};

/// How many calls a race has.
pub(crate) const CALLS: usize = 8;

/// Sends calls at once, each over a connection of its own.
pub(crate) async fn at_once(calls: Vec<RawCall>) -> Vec<RawAnswer> {
    let answers = join_all(calls.into_iter().map(RawCall::send)).await;
    let answers = answers.into_iter();
    answers.map(|answer| answer.expect("an answer")).collect()
}

/// What the answers are, in the same order for every race.
pub(crate) fn outcomes(answers: &[RawAnswer]) -> Vec<String> {
    let mut outcomes: Vec<String> = answers.iter().map(RawAnswer::outcome).collect();
    outcomes.sort();
    outcomes
}

/// One call is answered so and the seven others so.
#[track_caller]
pub(crate) fn assert_one(answers: &[RawAnswer], first: &str, others: &str, what: &str) {
    let mut expected = vec![first.to_owned()];
    expected.resize(CALLS, others.to_owned());
    expected.sort();
    assert_eq!(outcomes(answers), expected, "{what}, at once");
}
