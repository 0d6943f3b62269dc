//! What taking a change back does, in words.

use crate::bulk::preview;
use crate::notebook::history::Entry;
use crate::notebook::way_back::WayBack;

/// So many characters of an id are shown in a question.
const SHORT_ID: usize = 8;

/// What taking a change back does to what it is about.
#[derive(Clone, Copy, PartialEq, Eq)]
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

/// What taking changes back would do, in a sentence: `suspend web-1, web-2 of customer 42 again`.
pub(super) fn effects(entries: &[Entry]) -> String {
    let mut groups: Vec<(Effect, String, Vec<String>)> = Vec::new();
    for entry in entries {
        let effect = effect_of(entry.way_back.as_ref().unwrap_or(&WayBack::Nothing));
        let (what, whose) = about_and_whose(entry);
        match groups.last_mut() {
            Some((same, of, list)) if *same == effect && *of == whose => list.push(what),
            _ => groups.push((effect, whose, vec![what])),
        }
    }
    let told = groups.iter().map(|(effect, whose, list)| {
        let list = preview(list, String::clone);
        format!("{} {list}{whose}{}", effect.before, effect.again)
    });
    told.collect::<Vec<_>>().join("; ")
}

/// What a change is about, and what becomes of that: `rule for 22/tcp (added again)`.
pub(super) fn named_done(entry: &Entry) -> String {
    let way_back = entry.way_back.as_ref().unwrap_or(&WayBack::Nothing);
    format!("{} ({})", entry.about, effect_of(way_back).done)
}

/// The same as a sentence: `rule for 22/tcp is added again`, `the nickname of 203.0.113.10 is "web-1" again`.
pub(super) fn is_done(entry: &Entry) -> String {
    let about = &entry.about;
    match entry.way_back.as_ref().unwrap_or(&WayBack::Nothing) {
        WayBack::RenameServer { name, .. } | WayBack::RenameDomain { name, .. } => {
            format!("{about} is {name:?} again")
        }
        way_back => format!("{about} is {}", effect_of(way_back).done),
    }
}

pub(super) fn shortened(id: &str) -> &str {
    id.get(..SHORT_ID).unwrap_or(id)
}

/// What a change is about, and whose that is.
pub(super) fn about_whom(entry: &Entry) -> String {
    let (what, whose) = about_and_whose(entry);
    what + &whose
}

fn about_and_whose(entry: &Entry) -> (String, String) {
    let about = &entry.about;
    match (about.split_once(", customer "), entry.customers.as_deref()) {
        (Some((what, whose)), _) => (what.to_owned(), format!(" of customer {whose}")),
        (None, Some([customer])) if !about.contains("customer") => {
            (about.clone(), format!(" of customer {customer}"))
        }
        _ => (about.clone(), String::new()),
    }
}
