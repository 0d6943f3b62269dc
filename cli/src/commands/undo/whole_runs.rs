//! Runs whose changes belong together: to take back one of them alone would leave less than before.

use crate::commands::common::moving::{MOVE_DOMAIN, MOVE_SERVER};
use crate::error::CliError;
use crate::state::history::ChangeRow;
use crate::ui::invocation::quoted;
use serde_json::Value;

/// What ends the old record.
const ENDS: [&str; 2] = ["terminate_endpoint", "terminate_domain"];

/// Refuses a move that has ended the old record, with the move that goes back.
pub fn refuse_move(changes: &[ChangeRow]) -> Result<(), CliError> {
    let (Some(ended), [first, _, ..]) = (of(changes, &ENDS), changes) else {
        return Ok(());
    };
    let back = match first.verb.as_str() {
        MOVE_SERVER => server_back(changes, ended),
        MOVE_DOMAIN => domain_back(changes, ended),
        _ => return Ok(()),
    };
    let error = CliError::usage(format!(
        "Cannot be undone: a move ends the old record, and undo cannot restore ended records ({})",
        first.command
    ));
    Err(match back {
        Some(line) => error.hint(format!("to move back: `{line}`")),
        None => error,
    })
}

/// Without the rules that an import has removed again: they were never wanted.
pub fn without_exceptions(mut changes: Vec<ChangeRow>) -> Vec<ChangeRow> {
    let imports: Vec<String> = changes
        .iter()
        .filter(|change| change.operation == "ingest_firewall")
        .map(|change| change.batch.clone())
        .collect();
    changes.retain(|change| change.operation != "delete_rule" || !imports.contains(&change.batch));
    changes
}

fn server_back(changes: &[ChangeRow], ended: &ChangeRow) -> Option<String> {
    let made = of(changes, &["create_endpoint", "provision_endpoint"])?;
    let old = text(&ended.before, "ip_address")?;
    let new = text(&made.after, "ip_address").or_else(|| text(&made.after, "ip"))?;
    let (from, to) = (ended.customers.first()?, made.customers.first()?);
    let whither = match (new == old, from == to) {
        (true, _) => format!("--customer-to {from}"),
        (false, true) => old.to_owned(),
        (false, false) => format!("{old} --customer-to {from}"),
    };
    Some(format!("endpoint move {new} {whither} -c {to}"))
}

fn domain_back(changes: &[ChangeRow], ended: &ChangeRow) -> Option<String> {
    let made = of(changes, &["provision_domain"])?;
    let name = quoted(text(&ended.before, "domain")?);
    let (from, to) = (ended.customers.first()?, made.customers.first()?);
    Some(format!("domain move {name} --customer-to {from} -c {to}"))
}

fn of<'a>(changes: &'a [ChangeRow], operations: &[&str]) -> Option<&'a ChangeRow> {
    let mut changes = changes.iter();
    changes.find(|change| operations.contains(&change.operation.as_str()))
}

fn text<'a>(image: &'a Option<Value>, field: &str) -> Option<&'a str> {
    image.as_ref()?.get(field)?.as_str()
}
