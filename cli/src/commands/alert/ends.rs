//! What is told of an alert that was changed.

use crate::bulk::{Done, End, Item};
use crate::references::alerts::Alert;
use secmon::model::CustomerId;

pub fn done(alert: &Alert, record: serde_json::Value, end: &str) -> Done {
    Done {
        id: alert.handle(),
        record,
        sentence: format!("The alert {end}: {}{}.", alert.about(), on_place(alert)),
        ..Done::default()
    }
}

pub fn on_place(alert: &Alert) -> String {
    let place = alert.place().map(|place| format!(" on {place}"));
    place.unwrap_or_default()
}

pub fn item(alert: &Alert, customer: CustomerId, end: End) -> Item {
    Item {
        row: None,
        target: format!("{}{}", alert.about(), on_place(alert)),
        customer: Some(customer),
        end,
    }
}
