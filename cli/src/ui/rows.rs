//! Choosing, ordering and cutting the rows of a list, with the JSON items in step.

use super::table::{exact, title};
use super::{Display, sanitize_cell};
use crate::error::CliError;
use crate::ui::outcome::{Cell, Outcome, Table};
use secmon::model::Severity;
use serde_json::Value;
use std::cmp::Ordering;

/// Sorts, cuts and picks columns, as `--sort`, `--limit` and `--columns` say; how many rows were cut off.
pub fn arrange(display: &Display, outcome: &mut Outcome) -> Result<usize, CliError> {
    if let Some(sort) = &display.sort {
        sort_rows(outcome, sort)?;
    }
    let all = outcome.table.rows.len();
    if let Some(limit) = display.limit {
        outcome.table.rows.truncate(limit);
        if let Value::Array(items) = &mut outcome.result {
            items.truncate(limit);
        }
    }
    if !display.columns.is_empty() && !outcome.table.columns.is_empty() {
        choose_columns(&mut outcome.table, &display.columns)?;
    }
    Ok(all - outcome.table.rows.len())
}

fn sort_rows(outcome: &mut Outcome, sort: &str) -> Result<(), CliError> {
    let (name, backwards) = sort
        .strip_prefix('-')
        .map_or((sort, false), |name| (name, true));
    let column = position(&outcome.table, name)?;
    let order = |a: &[Cell], b: &[Cell]| {
        let order = compare(&a[column], &b[column]);
        if backwards { order.reverse() } else { order }
    };
    match &mut outcome.result {
        Value::Array(items) => {
            let rows = std::mem::take(&mut outcome.table.rows);
            let mut pairs: Vec<(Vec<Cell>, Value)> =
                rows.into_iter().zip(std::mem::take(items)).collect();
            pairs.sort_by(|(a, _), (b, _)| order(a, b));
            (outcome.table.rows, *items) = pairs.into_iter().unzip();
        }
        // Rows that stand inside a record: the record stays as the API gives it.
        _ => outcome.table.rows.sort_by(|a, b| order(a, b)),
    }
    Ok(())
}

fn compare(a: &Cell, b: &Cell) -> Ordering {
    match (a, b) {
        (Cell::Number(a), Cell::Number(b)) => a.cmp(b),
        (Cell::Time(a) | Cell::Due(a), Cell::Time(b) | Cell::Due(b)) => {
            a.date_time().cmp(&b.date_time())
        }
        (Cell::Severity(a), Cell::Severity(b)) => rank(a).cmp(&rank(b)),
        _ => exact(a).cmp(&exact(b)),
    }
}

/// How bad a severity is; one that this version does not know counts as the worst.
pub fn rank(severity: &Severity) -> u8 {
    match severity {
        Severity::Low => 0,
        Severity::Medium => 1,
        Severity::High => 2,
        Severity::Critical => 3,
        _ => 4,
    }
}

fn choose_columns(table: &mut Table, names: &[String]) -> Result<(), CliError> {
    let positions = names
        .iter()
        .map(|name| position(table, name))
        .collect::<Result<Vec<_>, _>>()?;
    let columns: Vec<_> = positions.iter().map(|i| table.columns[*i]).collect();
    for row in &mut table.rows {
        *row = positions.iter().map(|i| row[*i].clone()).collect();
    }
    table.columns = columns;
    Ok(())
}

fn position(table: &Table, name: &str) -> Result<usize, CliError> {
    let titled = || {
        table.columns.iter().position(|column| {
            title(column.name).eq_ignore_ascii_case(&name.replace([' ', '-'], "_"))
        })
    };
    table.position(name).or_else(titled).ok_or_else(|| {
        let known: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
        CliError::usage(format!(
            "there is no column {name:?} here (columns: {})",
            known.join(", ")
        ))
    })
}

/// The column `id`, or else the first, one a line: an end of a line inside one would make two of it.
pub fn ids(table: &Table) -> String {
    let column = table.position("id").unwrap_or(0);
    let ids = table
        .rows
        .iter()
        .filter_map(|row| row.get(column))
        .map(|cell| sanitize_cell(&exact(cell)));
    ids.filter(|id| !id.is_empty())
        .map(|id| format!("{id}\n"))
        .collect()
}
