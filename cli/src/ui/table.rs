//! Tables for reading.

use super::sanitize::sanitize_cell;
use super::{Display, TimeStyle, time};
use crate::ui::outcome::{Cell, Column, Shown, Table};
use comfy_table::{CellAlignment, Color, ColumnConstraint, ContentArrangement, presets};
use secmon::model::Severity;
use std::collections::HashMap;
use std::io::IsTerminal;
use std::net::IpAddr;
use textwrap::core::display_width;

/// How ids and times are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As they are.
    Whole,
    /// Of ids as much as they are named by.
    ShortIds,
    /// Of times no seconds either, and no offset.
    ShortIdsAndTimes,
}

/// Digits of a shortened id.
const BEGINNING: usize = 8;

/// Letters of a shortened time: `2026-11-21 07:31`.
const TO_THE_MINUTE: usize = 16;

/// Stands where there is nothing.
const MISSING: &str = "-";

/// Space behind each column.
const GAP: u16 = 2;

/// Columns of names, which are cut where the screen is too narrow, and what is left of them at least.
const CUT: [(&str, usize); 9] = [
    ("on", 15),
    ("about", 16),
    ("nickname", 10),
    ("hostname", 10),
    ("justification", 12),
    ("title", 16),
    ("endpoint", 10),
    ("target", 12),
    ("alert", 20),
];

/// Columns of sentences, which go on in the next line, and how narrow they may become.
const WRAPPED: [(&str, usize); 3] = [("message", 30), ("content_preview", 30), ("event", 30)];

fn is_wrapped(column: &Column) -> bool {
    WRAPPED.iter().any(|(name, _)| *name == column.name)
}

/// The least width of a column whose longest cell is this wide.
fn least(column: &Column, natural: usize, listed: &[(&str, usize)]) -> usize {
    let known = listed.iter().find(|(name, _)| *name == column.name);
    known.map_or(natural, |(_, least)| natural.min(*least))
}

/// The columns that are shown and their cells as text.
struct Drawing<'a> {
    table: &'a Table,
    columns: Vec<usize>,
    rows: Vec<Vec<String>>,
    /// The widest text of each column.
    natural: Vec<usize>,
}

impl<'a> Drawing<'a> {
    fn new(table: &'a Table, display: &Display, columns: &[usize], form: Form) -> Self {
        let texts = |i: &usize| texts(table, *i, display.time, form);
        let cells: Vec<Vec<String>> = columns.iter().map(texts).collect();
        let natural = columns.iter().zip(&cells).map(|(i, cells)| {
            let title = match display.no_headers {
                true => 0,
                false => title(table.columns[*i].name).len(),
            };
            let widest = cells.iter().map(|cell| display_width(cell)).max();
            title.max(widest.unwrap_or(0))
        });
        let row = |row: usize| cells.iter().map(|cells| cells[row].clone()).collect();
        Self {
            table,
            columns: columns.to_vec(),
            natural: natural.collect(),
            rows: (0..table.rows.len()).map(row).collect(),
        }
    }

    fn column(&self, at: usize) -> &Column {
        &self.table.columns[self.columns[at]]
    }

    /// The width that it takes where these columns are at their least.
    fn needed(&self, listed: &[(&str, usize)]) -> usize {
        let widths = self.natural.iter().enumerate();
        let widths =
            widths.map(|(at, natural)| least(self.column(at), *natural, listed) + usize::from(GAP));
        widths.sum()
    }

    /// A row as lines of text, each cell that has anything in it with what it is.
    fn as_text(&self, row: usize, screen: usize) -> String {
        const INDENT: &str = "    ";
        let cells = self.rows[row].iter().enumerate();
        let cells = cells.filter(|(_, cell)| *cell != MISSING);
        let cells = cells.map(|(at, cell)| format!("{}: {cell}", spoken(self.column(at))));
        let text = cells.collect::<Vec<_>>().join(" · ");
        let options = textwrap::Options::new(screen)
            .initial_indent(INDENT)
            .subsequent_indent(INDENT);
        format!("{}\n", textwrap::fill(&text, options))
    }

    /// Cuts names, the longest first, until all fits besides sentences at their least.
    fn cut_to(&mut self, screen: usize) {
        let excess = self.needed(&WRAPPED).saturating_sub(screen);
        let mut widths = self.natural.clone();
        for _ in 0..excess {
            let least = |at: usize| least(self.column(at), self.natural[at], &CUT);
            let longest = (0..widths.len()).filter(|at| widths[*at] > least(*at));
            let Some(longest) = longest.max_by_key(|at| widths[*at]) else {
                break;
            };
            widths[longest] -= 1;
        }
        for row in &mut self.rows {
            for (cell, width) in row.iter_mut().zip(&widths) {
                *cell = cut(cell, *width);
            }
        }
        self.natural = widths;
    }
}

/// The cells of a column as text. Ids that begin alike stay whole.
fn texts(table: &Table, column: usize, style: TimeStyle, form: Form) -> Vec<String> {
    let cells = table.rows.iter().filter_map(|row| row.get(column));
    if table.columns[column].name == "id" && form != Form::Whole {
        return short_ids(&cells.map(exact).collect::<Vec<_>>());
    }
    let text = |cell: &Cell| match (form, cell) {
        (Form::ShortIdsAndTimes, Cell::Time(_) | Cell::Due(_)) => {
            to_the_minute(&plain(cell, style))
        }
        _ => plain(cell, style),
    };
    cells.map(text).collect()
}

fn short_ids(ids: &[String]) -> Vec<String> {
    let mut alike: HashMap<String, usize> = HashMap::new();
    for id in ids {
        *alike.entry(beginning(id)).or_default() += 1;
    }
    let short = |id: &String| match beginning(id) {
        beginning if alike.get(&beginning) == Some(&1) => sanitize_cell(&beginning),
        _ => sanitize_cell(id),
    };
    ids.iter().map(short).collect()
}

/// A time without seconds and offset; one in words is short already.
fn to_the_minute(time: &str) -> String {
    match time.get(..TO_THE_MINUTE) {
        Some(minute) if time.contains(':') => minute.replace('T', " "),
        _ => time.to_owned(),
    }
}

/// A name in this width. An address behind it says more than the end of the name.
fn cut(text: &str, width: usize) -> String {
    if display_width(text) <= width {
        return text.to_owned();
    }
    let behind = text.rfind(" (").map_or("", |at| &text[at..]);
    let inside = behind.trim_start_matches(" (").trim_end_matches(')');
    let is_kept = inside.parse::<IpAddr>().is_ok() && display_width(behind) + 2 < width;
    let address = if is_kept { behind } else { "" };
    let room = width.saturating_sub(display_width(address) + 1);
    let mut beginning = String::new();
    for letter in text.chars() {
        let mut longer = beginning.clone();
        longer.push(letter);
        if display_width(&longer) > room {
            break;
        }
        beginning = longer;
    }
    format!("{}…{address}", beginning.trim_end())
}

/// Draws the columns that are shown: all of them when `wide`, or when columns were chosen. On a screen that is too
/// narrow, ids are shortened, then names cut, then times shortened, then columns left out that it can do without; what
/// has no room then stands below its row.
pub fn render(table: &Table, display: &Display, wide: bool) -> String {
    let all = wide || !display.columns.is_empty();
    let shown: Vec<usize> = (0..table.columns.len())
        .filter(|i| all || table.columns[*i].shown != Shown::Wide)
        .collect();
    let lines = match wide {
        true => draw(&Drawing::new(table, display, &shown, Form::Whole), display),
        false => fitted(table, display, shown, screen_width()),
    };
    match &table.pages {
        Some(pages) if links_are_shown() => linked(lines, table, pages),
        _ => lines,
    }
}

fn fitted(table: &Table, display: &Display, mut shown: Vec<usize>, screen: usize) -> String {
    let can_be_cut: Vec<_> = CUT.into_iter().chain(WRAPPED).collect();
    let is_chosen = !display.columns.is_empty();
    let drawing = |shown: &[usize], form| Drawing::new(table, display, shown, form);
    let mut drawn = drawing(&shown, Form::Whole);
    if drawn.needed(&WRAPPED) > screen {
        drawn = drawing(&shown, Form::ShortIds);
    }
    if drawn.needed(&can_be_cut) > screen {
        drawn = drawing(&shown, Form::ShortIdsAndTimes);
    }
    let mut below = Vec::new();
    while drawn.needed(&can_be_cut) > screen && shown.len() > 1 {
        let dispensable = |i: &usize| !is_chosen && table.columns[*i].shown == Shown::WithRoom;
        match shown.iter().rposition(dispensable) {
            Some(dispensable) => drop(shown.remove(dispensable)),
            None => below.extend(shown.pop()),
        }
        drawn = drawing(&shown, Form::ShortIdsAndTimes);
    }
    if below.is_empty() {
        drawn.cut_to(screen);
        return draw(&drawn, display);
    }
    // A sentence that goes on in the next line would part a row from what stands below it.
    below.extend(shown.extract_if(.., |i| is_wrapped(&table.columns[*i])));
    below.reverse();
    drawn = drawing(&shown, Form::ShortIdsAndTimes);
    drawn.cut_to(screen);
    let below = drawing(&below, Form::Whole);
    let lines = draw(&drawn, display);
    let headings = lines.lines().count().saturating_sub(table.rows.len());
    let below = (0..table.rows.len()).map(|row| below.as_text(row, screen));
    let below = std::iter::repeat_n(String::new(), headings).chain(below);
    let lines = lines.lines().zip(below);
    lines
        .map(|(line, below)| format!("{line}\n{below}"))
        .collect()
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
const UNTOLD_WIDTH: usize = 80;

fn screen_width() -> usize {
    let on_terminal = std::io::stdout().is_terminal();
    let width = comfy_table::Table::new().width().filter(|_| on_terminal);
    match width.map(usize::from) {
        // A terminal that does not tell its size.
        Some(0) => UNTOLD_WIDTH,
        Some(width) => width,
        None => usize::MAX,
    }
}

fn draw(drawing: &Drawing<'_>, display: &Display) -> String {
    let mut drawn = comfy_table::Table::new();
    drawn.load_style(presets::NOTHING).enforce_styling();
    let on_terminal = std::io::stdout().is_terminal();
    // A single column that is wider than the screen is wrapped by the terminal.
    let fits = drawing.needed(&WRAPPED) <= screen_width();
    if let (true, Ok(width)) = (on_terminal, u16::try_from(screen_width())) {
        drawn.set_width(width);
    }
    drawn.set_content_arrangement(match on_terminal && fits {
        true => ContentArrangement::Dynamic,
        false => ContentArrangement::Disabled,
    });
    if !display.no_headers {
        let columns = 0..drawing.columns.len();
        drawn.set_header(columns.map(|at| heading(drawing.column(at))));
    }
    for (row, texts) in drawing.table.rows.iter().zip(&drawing.rows) {
        let cells = drawing.columns.iter().zip(texts);
        drawn.add_row(cells.map(|(i, text)| drawn_cell(&row[*i], text)));
    }
    for (at, column) in drawn.column_iter_mut().enumerate() {
        column.set_padding((0, GAP));
        if !is_wrapped(drawing.column(at)) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    let lines = drawn.lines();
    lines.map(|line| format!("{}\n", line.trim_end())).collect()
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
    comfy_table::Cell::new(spoken(column).to_ascii_uppercase())
        .add_attribute(comfy_table::Attribute::Bold)
}

fn spoken(column: &Column) -> String {
    title(column.name).replace('_', " ")
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

fn drawn_cell(cell: &Cell, text: &str) -> comfy_table::Cell {
    let drawn = comfy_table::Cell::new(text);
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
        Cell::Missing => MISSING.to_owned(),
        other => sanitize_cell(&exact(other)),
    }
}

/// The same where there is room: a day that is not today has its date.
pub fn in_full(cell: &Cell, style: TimeStyle) -> String {
    let shown = plain(cell, style);
    match cell {
        Cell::Due(time) => time::with_date(shown, time, style),
        _ => shown,
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
