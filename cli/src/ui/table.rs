//! Tables for reading.

use super::sanitize::sanitize_cell;
use super::{Display, TimeStyle, time};
use crate::ui::outcome::{Cell, Column, Shown, Table};
use comfy_table::{CellAlignment, Color, ColumnConstraint, ContentArrangement, presets};
use secmon::model::Severity;
use std::io::IsTerminal;

/// How much of an id is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ids {
    Whole,
    /// Enough to be named by, where the screen is too narrow for more.
    Beginning,
}

/// Digits of a shortened id.
const BEGINNING: usize = 8;

/// Space behind each column.
const GAP: u16 = 2;

/// Columns whose text may be folded, and down to which width.
const FOLDING: [(&str, u16); 11] = [
    ("on", 14),
    ("about", 14),
    ("nickname", 14),
    ("hostname", 14),
    ("justification", 16),
    ("title", 20),
    ("message", 30),
    ("endpoint", 14),
    ("target", 14),
    ("alert", 14),
    ("content_preview", 30),
];

/// How narrow a column may become; `None` where its text is never folded.
fn folded(column: &Column) -> Option<u16> {
    let known = FOLDING.iter().find(|(name, _)| *name == column.name);
    known.map(|(_, width)| *width)
}

/// Fewer columns than this say nothing.
const FEWEST: usize = 3;

/// Draws the columns that are shown: all of them when `wide`, or when columns were chosen. On a screen that is too
/// narrow, ids are shortened, then long texts folded, then columns left out: those of less weight first, from the right.
pub fn render(table: &Table, display: &Display, wide: bool) -> String {
    let all = wide || !display.columns.is_empty();
    let mut shown: Vec<usize> = (0..table.columns.len())
        .filter(|i| all || table.columns[*i].shown != Shown::Wide)
        .collect();
    let mut drawn = draw(table, display, &shown, Ids::Whole);
    if needed(&drawn, table, &shown) > width(&drawn) {
        drawn = draw(table, display, &shown, Ids::Beginning);
    }
    while !all && shown.len() > FEWEST && needed(&drawn, table, &shown) > width(&drawn) {
        let lightest = shown
            .iter()
            .rposition(|i| table.columns[*i].shown == Shown::WithRoom);
        shown.remove(lightest.unwrap_or(shown.len() - 1));
        drawn = draw(table, display, &shown, Ids::Beginning);
    }
    if needed(&drawn, table, &shown) > width(&drawn) {
        // Lines that the terminal wraps are read more easily than columns of one letter.
        drawn = draw(table, display, &shown, Ids::Whole);
        drawn.set_content_arrangement(ContentArrangement::Disabled);
    }
    let lines: String = drawn
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect();
    match &table.pages {
        Some(pages) if links_are_shown() => linked(lines, table, pages),
        _ => lines,
    }
}

/// Links are for a terminal that knows them, and never for a pipe.
fn links_are_shown() -> bool {
    std::io::stdout().is_terminal() && supports_hyperlinks::on(supports_hyperlinks::Stream::Stdout)
}

/// Makes each id a link to its page. The drawing is done, so a link takes no room in it.
fn linked(mut lines: String, table: &Table, pages: &str) -> String {
    let ids = table.position("id");
    let ids = table.rows.iter().filter_map(|row| row.get(ids?)).map(exact);
    for id in ids.filter(|id| id.parse::<uuid::Uuid>().is_ok()) {
        let shown = if lines.contains(&id) {
            id.clone()
        } else {
            beginning(&id)
        };
        let link = format!(
            "\u{1b}]8;;{}\u{1b}\\{shown}\u{1b}]8;;\u{1b}\\",
            sanitize_cell(&format!("{pages}{id}"))
        );
        lines = lines.replacen(&shown, &link, 1);
    }
    lines
}

/// The width of the screen; without one there is room for everything.
fn width(drawn: &comfy_table::Table) -> u16 {
    drawn.width().unwrap_or(u16::MAX)
}

/// The least width at which nothing but long texts is folded.
fn needed(drawn: &comfy_table::Table, table: &Table, shown: &[usize]) -> u16 {
    let widths = drawn.column_max_content_widths();
    let least = widths
        .iter()
        .zip(shown)
        .map(|(width, i)| folded(&table.columns[*i]).map_or(*width, |least| (*width).min(least)));
    least.map(|width| width.saturating_add(GAP)).sum()
}

fn draw(table: &Table, display: &Display, shown: &[usize], ids: Ids) -> comfy_table::Table {
    let mut drawn = comfy_table::Table::new();
    drawn.load_style(presets::NOTHING).enforce_styling();
    let on_terminal = std::io::stdout().is_terminal();
    drawn.set_content_arrangement(match on_terminal {
        true => ContentArrangement::Dynamic,
        false => ContentArrangement::Disabled,
    });
    if !display.no_headers {
        drawn.set_header(shown.iter().map(|i| heading(&table.columns[*i])));
    }
    for row in &table.rows {
        let cells = shown
            .iter()
            .filter_map(|i| Some((table.columns[*i].name, row.get(*i)?)));
        drawn.add_row(cells.map(|(name, cell)| match ids {
            Ids::Beginning if name == "id" => comfy_table::Cell::new(beginning(&exact(cell))),
            _ => drawn_cell(cell, display.time),
        }));
    }
    for (column, i) in drawn.column_iter_mut().zip(shown) {
        column.set_padding((0, GAP));
        if folded(&table.columns[*i]).is_none() {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    drawn
}

/// The name of a domain in front of an alert's id stands in another column too.
fn beginning(id: &str) -> String {
    let own = id.rsplit_once('/').map_or(id, |(_, own)| own);
    match own.parse::<uuid::Uuid>() {
        Ok(_) => own.chars().take(BEGINNING).collect(),
        Err(_) => id.to_owned(),
    }
}

fn heading(column: &Column) -> comfy_table::Cell {
    comfy_table::Cell::new(title(column.name).to_ascii_uppercase().replace('_', " "))
        .add_attribute(comfy_table::Attribute::Bold)
}

/// What people call a field of the API.
pub fn title(name: &str) -> &str {
    match name {
        "billing_customer_id" => "customer",
        "ip_address" => "address",
        "last_scan_at" => "last_scan",
        "next_scan_at" => "next_scan",
        "first_detected_at" => "first_seen",
        "last_detected_at" => "last_seen",
        "employees_compromised" => "employees",
        "customers_compromised" => "customers",
        "third_parties_compromised" => "third_parties",
        "dark_web_mentions_count" => "mentions",
        "published_at" => "published",
        "leaked_at" => "leaked",
        "resolved_at" => "resolved",
        "expires_at" => "expires",
        "created_at" => "created",
        other => other,
    }
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
        Cell::Time(time) => time::passed(time, style),
        Cell::Due(time) => time::due(time, style),
        Cell::Missing => "-".to_owned(),
        other => sanitize_cell(&exact(other)),
    }
}

/// A cell as the API gives it.
pub fn exact(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) | Cell::State(text) => text.clone(),
        Cell::Number(number) => number.to_string(),
        Cell::Time(time) | Cell::Due(time) => time.as_str().to_owned(),
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
