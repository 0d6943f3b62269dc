//! What a client may have to do otherwise, where its goal is not reached.

use std::collections::VecDeque;

use http::StatusCode;
use serde_json::Value;

use super::book::Expected;
use crate::observation::journal::entry::Entry;
use crate::operations::paths::Paths;

/// Refused calls that are told.
const TOLD: usize = 3;

/// Letters of a reason that are told.
const SHOWN: usize = 300;

/// The calls that went wrong so far.
#[derive(Debug, Default)]
pub(super) struct Hints {
    /// The last calls that were refused, and why.
    refused: VecDeque<String>,
    /// The last call that was nearly the one that must come next.
    nearly: Option<String>,
}

impl Hints {
    /// Takes in a call that is not the one that must come next.
    pub(super) fn see(&mut self, entry: &Entry, expected: Option<&Expected>) {
        let Entry {
            id, method, path, ..
        } = entry;
        if let Some(why) = refusal(entry) {
            self.refused
                .push_back(format!("Call {id}, {method} {path}, was refused: {why}"));
            if self.refused.len() > TOLD {
                self.refused.pop_front();
            }
        }
        let Some(pattern) = expected.map(|expected| &expected.pattern) else {
            return;
        };
        let missing = pattern.missing(entry);
        if pattern.meets_but_for_what_was_sent(entry) && !missing.is_empty() {
            let missing = missing.join(" and ");
            self.nearly = Some(format!(
                "Call {id}, {method} {path}, did not say {missing}; send it."
            ));
        }
    }

    /// The call that was nearly right is right now.
    pub(super) fn settle(&mut self) {
        self.nearly = None;
    }

    pub(super) fn sentences(&self) -> impl Iterator<Item = String> {
        self.nearly.iter().chain(&self.refused).cloned()
    }
}

/// Why a call was refused, where it was the client's fault: a full rate window is nobody's.
pub(super) fn refusal(entry: &Entry) -> Option<String> {
    let status = entry.status?;
    if !status.is_client_error() || status == StatusCode::TOO_MANY_REQUESTS {
        return None;
    }
    let answer: Value = serde_json::from_slice(&entry.response).unwrap_or_default();
    let why = another_namespace(&entry.path).unwrap_or_else(|| reasons(&answer));
    let why: String = why.chars().take(SHOWN).collect();
    Some(format!("{} {why}", status.as_u16()))
}

/// The sentences of an answer: those of its fields, else the one of the whole.
fn reasons(answer: &Value) -> String {
    let fields = answer["errors"].as_object().into_iter().flatten();
    let fields = fields.filter_map(|(name, sentences)| Some((name, sentences[0].as_str()?)));
    let fields: Vec<String> = fields
        .map(|(name, sentence)| format!("{name}: {sentence}"))
        .collect();
    if !fields.is_empty() {
        return fields.join(" ");
    }
    let message = [&answer["error"]["message"], &answer["message"]];
    let message = message.into_iter().find_map(Value::as_str);
    message.unwrap_or_default().to_owned()
}

/// Where an operation is, that was called in a namespace which does not have it.
fn another_namespace(path: &str) -> Option<String> {
    let other = path.replacen("/provisioning/", "/billing/", 1);
    let is_there = |path: &str| !Paths::all().find(path).operations.is_empty();
    (!is_there(path) && is_there(&other))
        .then(|| format!("There is no such path; use one namespace for all calls: {other}"))
}
