//! Bars and lines, drawn without scripts, and texts of the service made harmless.

use crate::ui::outcome::count_or_unknown;
use chrono::NaiveDate;
use std::fmt::Write;

/// Bars on one scale: label, count where it is known, colour class.
pub fn bars(rows: &[(&str, Option<u64>, &str)]) -> String {
    let told = rows.iter().filter_map(|(_, count, _)| *count);
    let most = told.max().unwrap_or(0).max(1);
    let mut bars = String::from("<div class=\"bars\">");
    for (label, count, class) in rows {
        let width = count.unwrap_or(0) * 100 / most;
        let count = count_or_unknown(*count);
        let _ = write!(
            bars,
            "<span>{label}</span><span class=\"track\"><i class=\"{class}\" style=\"width:{width}%\"></i></span><b>{count}</b>"
        );
    }
    bars + "</div>"
}

/// A count over time, oldest first, with its numbers and the dates of its ends.
pub fn trend(what: &str, points: &[(NaiveDate, u64)]) -> String {
    let mut svg = format!(
        "<svg class=\"trend\" viewBox=\"0 0 340 140\" role=\"img\" aria-label=\"{what}, {}\">\
         <path class=\"axis\" d=\"M34 14V114H330\"/>",
        in_words(points)
    );
    let most = points.iter().map(|(_, count)| *count).max().unwrap_or(0);
    let place = |i: usize, count: u64| {
        let x = 44 + i * 276 / (points.len().max(2) - 1);
        (x, 114 - count * 90 / most.max(1))
    };
    let _ = write!(
        svg,
        "<text class=\"end\" x=\"28\" y=\"28\">{most}</text><text class=\"end\" x=\"28\" y=\"118\">0</text>"
    );
    let mut line = String::new();
    for (i, (_, count)) in points.iter().enumerate() {
        let (x, y) = place(i, *count);
        let _ = write!(line, "{x},{y} ");
        let _ = write!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"3\"/>");
        if is_labelled(i, points) {
            let y = y - 7;
            let _ = write!(
                svg,
                "<text class=\"middle\" x=\"{x}\" y=\"{y}\">{count}</text>"
            );
        }
    }
    let _ = write!(svg, "<polyline points=\"{}\"/>", line.trim_end());
    if let [(first, _), .., (last, _)] = points {
        let _ = write!(
            svg,
            "<text x=\"34\" y=\"132\">{}</text><text class=\"end\" x=\"330\" y=\"132\">{}</text>",
            day(*first),
            day(*last)
        );
    }
    svg + "</svg>"
}

/// Numbers at more points than this would run into each other; then only the ends have theirs.
const ROOM: usize = 10;

fn is_labelled(i: usize, points: &[(NaiveDate, u64)]) -> bool {
    let is_end = i == 0 || i + 1 == points.len();
    points.len() <= ROOM || is_end
}

fn in_words(points: &[(NaiveDate, u64)]) -> String {
    let words = points
        .iter()
        .map(|(date, count)| format!("{}: {count}", day(*date)));
    words.collect::<Vec<_>>().join(", ")
}

/// A day as letters write it.
pub fn day(date: NaiveDate) -> String {
    date.format("%-d %b %Y").to_string()
}

/// A name of the service's or the sender's as text of the page; its reading direction stays its own.
pub fn name(text: &str) -> String {
    format!("<bdi>{}</bdi>", escaped(text))
}

/// Text of the service as text of the page; marks that turn the reading direction are replaced.
pub fn escaped(text: &str) -> String {
    let mut page = String::with_capacity(text.len());
    for c in crate::ui::sanitize(text).chars() {
        match c {
            '&' => page.push_str("&amp;"),
            '<' => page.push_str("&lt;"),
            '>' => page.push_str("&gt;"),
            '"' => page.push_str("&quot;"),
            '\'' => page.push_str("&#39;"),
            other => page.push(other),
        }
    }
    page
}
