//! What is told of an alert that was changed.

use crate::bulk::{Done, Label};
use crate::references::alerts::Alert;
use secmon::model::CustomerId;

/// The end of an alert that was changed.
pub fn done(alert: &Alert, record: serde_json::Value, end: &str) -> Done {
    Done {
        id: alert.handle(),
        record,
        sentence: format!("The alert {end}: {}{}.", alert.about(), on_place(alert)),
        ..Done::default()
    }
}

/// The end of an alert that was as it should be already.
pub fn unchanged(alert: &Alert, record: serde_json::Value, was: &str) -> Done {
    let end = format!("{was}, so nothing was changed");
    done(alert, record, &end)
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
