//! What taking a change back does, in words.

use crate::notebook::history::Entry;
use crate::notebook::way_back::WayBack;

/// So many characters of an id are shown in a question.
const SHORT_ID: usize = 8;

/// What taking a change back does to what it is about.
struct Effect {
    /// Before it is done: `suspend X again`.
    before: &'static str,
    again: &'static str,
    /// Once it is done.
    done: &'static str,
}

fn effect_of(way_back: &WayBack) -> Effect {
    let (before, again, done) = match way_back {
        WayBack::Nothing => ("leave", " as it is", "left as it is"),
        WayBack::RemoveRules { .. } => ("remove", "", "removed"),
        WayBack::AddRule { .. } => ("add", " again", "added again"),
        WayBack::EditRule { .. } | WayBack::ChangeSubscription { .. } => {
            ("change", " back", "changed back")
        }
        WayBack::Resume(_) => ("resume", "", "resumed"),
        WayBack::Suspend(_) => ("suspend", " again", "suspended again"),
        WayBack::RenameServer { .. } | WayBack::RenameDomain { .. } => {
            ("rename", " back", "renamed back")
        }
        WayBack::SetScenario { .. } => ("set", " back", "set back"),
    };
    Effect {
        before,
        again,
        done,
    }
}

/// What taking a change back would do, in a sentence: `suspend web-1 again`.
pub(super) fn effect(entry: &Entry) -> String {
    let way_back = entry.way_back.as_ref().unwrap_or(&WayBack::Nothing);
    let Effect { before, again, .. } = effect_of(way_back);
    format!("{before} {}{again}", about_whom(entry))
}

/// What a change is about, and what becomes of that: `rule for 22/tcp (added again)`.
pub(super) fn named_done(entry: &Entry) -> String {
    let way_back = entry.way_back.as_ref().unwrap_or(&WayBack::Nothing);
    format!("{} ({})", entry.about, effect_of(way_back).done)
}

pub(super) fn shortened(id: &str) -> &str {
    id.get(..SHORT_ID).unwrap_or(id)
}

/// What a change is about, and whose that is.
pub(super) fn about_whom(entry: &Entry) -> String {
    let (what, whose) = entry
        .about
        .split_once(", customer ")
        .unwrap_or((&entry.about, ""));
    match entry.customers.as_deref() {
        _ if !whose.is_empty() => format!("{what} of customer {whose}"),
        Some([customer]) if !what.contains("customer") => format!("{what} of customer {customer}"),
        _ => what.to_owned(),
    }
}
