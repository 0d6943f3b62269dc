//! Tables for reading.

use super::sanitize::sanitize_cell;
use super::time;
use crate::args::TimeStyle;
use crate::outcome::{Cell, Column, Table};
use crate::settings::Display;
use comfy_table::{CellAlignment, Color, ContentArrangement, presets};
use secmon::model::Severity;
use std::io::IsTerminal;

/// Draws the columns that are shown: all of them when `wide`, or when columns were chosen.
pub fn render(table: &Table, display: &Display, wide: bool) -> String {
    let all = wide || !display.columns.is_empty();
    let shown: Vec<usize> = (0..table.columns.len())
        .filter(|i| all || !table.columns[*i].wide)
        .collect();
    if table.rows.is_empty() {
        return "nothing found\n".to_owned();
    }
    let mut drawn = comfy_table::Table::new();
    drawn.load_style(presets::NOTHING).enforce_styling();
    let on_terminal = std::io::stdout().is_terminal();
    drawn.set_content_arrangement(if on_terminal {
        ContentArrangement::Dynamic
    } else {
        ContentArrangement::Disabled
    });
    if !display.no_headers {
        drawn.set_header(shown.iter().map(|i| heading(&table.columns[*i])));
    }
    for row in &table.rows {
        drawn.add_row(
            shown
                .iter()
                .filter_map(|i| row.get(*i))
                .map(|cell| drawn_cell(cell, display.time)),
        );
    }
    for column in drawn.column_iter_mut() {
        column.set_padding((0, 2));
    }
    drawn
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

fn heading(column: &Column) -> comfy_table::Cell {
    comfy_table::Cell::new(column.name.to_ascii_uppercase().replace('_', " "))
        .add_attribute(comfy_table::Attribute::Bold)
}

fn drawn_cell(cell: &Cell, style: TimeStyle) -> comfy_table::Cell {
    let drawn = comfy_table::Cell::new(plain(cell, style));
    match cell {
        Cell::Number(_) => drawn.set_alignment(CellAlignment::Right),
        Cell::Severity(severity) => drawn.fg(severity_color(severity)),
        Cell::State(state) => match state_color(state) {
            Some(color) => drawn.fg(color),
            None => drawn,
        },
        _ => drawn,
    }
}

/// A cell as text for reading.
pub fn plain(cell: &Cell, style: TimeStyle) -> String {
    match cell {
        Cell::Time(time) => time::shown(time, style),
        Cell::Missing => "-".to_owned(),
        other => sanitize_cell(&exact(other)),
    }
}

/// A cell as the API gives it.
pub fn exact(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) | Cell::State(text) => text.clone(),
        Cell::Number(number) => number.to_string(),
        Cell::Time(time) => time.as_str().to_owned(),
        Cell::Severity(severity) => severity.as_str().to_owned(),
        Cell::Missing => String::new(),
    }
}

fn severity_color(severity: &Severity) -> Color {
    match severity {
        Severity::Critical => Color::Magenta,
        Severity::High => Color::Red,
        Severity::Medium => Color::Yellow,
        _ => Color::Reset,
    }
}

fn state_color(state: &str) -> Option<Color> {
    match state {
        "active" | "resolved" | "succeeded" => Some(Color::Green),
        "paused" | "skipped" => Some(Color::Yellow),
        "open" | "failed" | "terminated" => Some(Color::Red),
        _ => None,
    }
}
