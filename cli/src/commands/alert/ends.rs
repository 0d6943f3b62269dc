//! What is told of an alert that was changed.

use crate::bulk::{Done, End, Label};
use crate::references::alert::Alert;
use secmon::model::CustomerId;
use serde_json::Value;

/// The end of an alert that is now in a state, or was already: with the record that the service answered, which a dry
/// run has none of.
pub fn end(alert: &Alert, record: Option<Value>, state: &str, was_already: bool) -> End {
    let Some(record) = record else {
        return End::Planned;
    };
    let told = match was_already {
        true => format!("was already {state}, so nothing was changed"),
        false => format!("is {state}"),
    };
    let done = Done {
        id: alert.handle(),
        record,
        sentence: format!("The alert {told}: {}{}.", alert.about(), on_place(alert)),
        ..Done::default()
    };
    match was_already {
        true => End::Skipped(done),
        false => End::Done(done),
    }
}

/// Where it is, as the end of a sentence.
pub fn on_place(alert: &Alert) -> String {
    let place = alert.place().map(|place| format!(" on {place}"));
    place.unwrap_or_default()
}

/// What an alert is called in a run over many.
pub fn label(alert: &Alert, customer: CustomerId) -> Label {
    let name = format!("{}{}", alert.about(), on_place(alert));
    Label::of(name, Some(customer))
}
