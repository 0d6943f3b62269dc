//! Bars and lines, drawn without scripts, and texts of the service made harmless.

use crate::ui::outcome::count_or_unknown;
use std::fmt::Write;

/// Bars on one scale: label, count where it is known, colour class.
pub fn bars(rows: &[(&str, Option<u64>, &str)]) -> String {
    const ROW: usize = 26;
    const LETTER: usize = 7;
    const GAP: usize = 8;
    let told = rows.iter().filter_map(|(_, count, _)| *count);
    let most = told.max().unwrap_or(0).max(1);
    let height = rows.len() * ROW;
    let longest = rows.iter().map(|(label, _, _)| label.len()).max();
    let start = (longest.unwrap_or(0) * LETTER + GAP).max(110);
    let mut svg = format!(
        r#"<svg class="bars" viewBox="0 0 {} {height}" role="img">"#,
        start + 310
    );
    for (i, (label, count, class)) in rows.iter().enumerate() {
        let bar = count.unwrap_or(0) * 260 / most;
        let (y, width) = (i * ROW, usize::try_from(bar).unwrap_or(0));
        let count = count_or_unknown(*count);
        let _ = write!(
            svg,
            r#"<text x="0" y="{}">{}</text><rect class="{class}" x="{start}" y="{}" width="{width}" height="16" rx="2"/><text x="{}" y="{}">{count}</text>"#,
            y + 17,
            escaped(label),
            y + 4,
            start + 8 + width,
            y + 17,
        );
    }
    svg + "</svg>"
}

/// A count over time, oldest first.
pub fn line(counts: &[u64], class: &str) -> String {
    const WIDTH: u64 = 300;
    const HEIGHT: u64 = 60;
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let steps = (counts.len().max(2) - 1) as u64;
    let points: Vec<String> = counts
        .iter()
        .zip(0_u64..)
        .map(|(count, i)| {
            format!(
                "{},{}",
                4 + i * WIDTH / steps,
                4 + HEIGHT - count * HEIGHT / most
            )
        })
        .collect();
    format!(
        r#"<svg class="line" viewBox="0 0 308 68" role="img"><polyline class="{class}" points="{}"/></svg>"#,
        points.join(" ")
    )
}

/// Text of the service as text of the page; marks that turn the reading direction are taken out.
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
