//! What is told of an alert that was changed.

use crate::bulk::{Applied, Label, RowOutcome};
use crate::references::alert::Alert;
use secmon::model::CustomerId;
use serde_json::Value;

/// The end of an alert that is now in a state, or was already: with the record that the service answered, which a dry
/// run has none of.
pub fn outcome(alert: &Alert, record: Option<Value>, state: &str, was_already: bool) -> RowOutcome {
    let Some(record) = record else {
        return RowOutcome::Planned;
    };
    let told = match was_already {
        true => format!("was already {state}; nothing was changed"),
        false => format!("is {state}"),
    };
    let done = Applied {
        id: alert.handle(),
        record,
        sentence: format!("The alert {told}: {}{}.", alert.about(), on_place(alert)),
        ..Applied::default()
    };
    match was_already {
        true => RowOutcome::Skipped(done),
        false => RowOutcome::Applied(done),
    }
}

/// Where it is, as the end of a sentence.
pub fn on_place(alert: &Alert) -> String {
    let place = alert.place().map(|place| format!(" on {place}"));
    place.unwrap_or_default()
}

/// What an alert is called in a run over many.
pub fn label(alert: &Alert, customer: Option<CustomerId>) -> Label {
    let name = format!("{}{}", alert.about(), on_place(alert));
    Label::of(name, customer)
}
