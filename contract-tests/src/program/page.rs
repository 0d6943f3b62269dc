//! The report as one page, which needs nothing from elsewhere and runs no script.

use std::fmt::Write as _;

use crate::service::Service;
use crate::table::{Reach, Row, TABLE};

use super::report::{Report, Told, counted};

const STYLE: &str = include_str!("page.css");

/// The page.
pub fn written(report: &Report, service: &Service) -> String {
    let (violations, assumed) = report.findings();
    let undocumented = report.undocumented(service);
    let mut page = head(report, violations.len() + undocumented.len(), assumed.len());
    section(
        &mut page,
        "violations",
        "Violations",
        "The documents exclude this.",
    );
    violations.iter().for_each(|told| show(&mut page, told));
    for outcome in &undocumented {
        let _ = writeln!(
            page,
            "<p class=\"one\">{}, which no document has</p>",
            escaped(outcome)
        );
    }
    none(&mut page, violations.is_empty() && undocumented.is_empty());
    section(
        &mut page,
        "differences",
        "Differences",
        "The specification allows this, and this project assumed otherwise.",
    );
    assumed.iter().for_each(|told| show(&mut page, told));
    for difference in &report.differences {
        let _ = writeln!(page, "<p class=\"one\">{}</p>", escaped(difference));
    }
    none(
        &mut page,
        assumed.is_empty() && report.differences.is_empty(),
    );
    section(
        &mut page,
        "observed",
        "Operations and outcomes",
        "How often each was observed. A dashed frame: calls alone lead there, and none did. No frame: the service must be \
         steered to get there.",
    );
    observed(&mut page, report);
    section(
        &mut page,
        "unreached",
        "Not reached",
        "What this service could not be put to, and why.",
    );
    not_reached(&mut page, report);
    let _ = writeln!(
        page,
        "<pre>{}</pre>\n</section>\n</main>\n</body>\n</html>",
        escaped(&report.remains())
    );
    page
}

fn head(report: &Report, violations: usize, assumed: usize) -> String {
    let url = escaped(&report.url);
    let counts = [
        ("violations", "violations", violations),
        (
            "differences",
            "differences",
            assumed + report.differences.len(),
        ),
        ("observed", "cases held", report.held()),
        ("unreached", "not reached", report.not_reached().count()),
    ];
    let counts = counts.map(|(place, name, count)| {
        format!("<a class=\"count {place}\" href=\"#{place}\"><b>{count}</b> {name}</a>")
    });
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>Contract report: {url}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n\
         <h1>Contract report</h1>\n<p>{url}<br>{}, {}<br>{}</p>\n<nav>{}</nav>\n</header>\n<main>\n<section hidden>\n",
        escaped(&report.started),
        escaped(&report.level),
        report.sums(violations, assumed),
        counts.join("\n"),
    )
}

/// Ends the section before, and begins one.
fn section(page: &mut String, id: &str, title: &str, about: &str) {
    let _ = writeln!(
        page,
        "</section>\n<section id=\"{id}\">\n<h2>{title}</h2>\n<p>{about}</p>"
    );
}

fn none(page: &mut String, is_none: bool) {
    if is_none {
        page.push_str("<p class=\"one\">None.</p>\n");
    }
}

fn show(page: &mut String, told: &Told) {
    let finding = told.finding;
    let first = finding.what.lines().next().unwrap_or_default();
    let _ = writeln!(
        page,
        "<details>\n<summary><b>{}</b>{} <code>{}</code></summary>\n<ul>",
        escaped(first),
        told.often(),
        escaped(&finding.case)
    );
    for spec_ref in finding.spec_refs() {
        let _ = writeln!(page, "<li>{}</li>", escaped(&spec_ref));
    }
    if !finding.goes_with.is_empty() {
        let code = escaped(&finding.goes_with);
        let _ = writeln!(page, "<li>What goes with it: {code}</li>");
    }
    let _ = writeln!(page, "</ul>\n<pre>{}</pre>", escaped(&finding.what));
    for call in &finding.calls {
        let _ = writeln!(
            page,
            "<h3>Call</h3>\n<pre>{}</pre>\n<h3>Answer</h3>\n<pre>{}</pre>\n<h3>To send it again</h3>\n<pre>{}</pre>",
            escaped(&call.request),
            escaped(&call.answer),
            escaped(&call.curl)
        );
    }
    if let Some(place) = &finding.place {
        let _ = writeln!(page, "<p class=\"place\">noticed at {}</p>", escaped(place));
    }
    page.push_str("</details>\n");
}

fn observed(page: &mut String, report: &Report) {
    page.push_str("<table>\n");
    for row in &TABLE.rows {
        let _ = writeln!(
            page,
            "<tr><th>{}</th><td>{}</td></tr>",
            escaped(&row.name),
            cells(report, row)
        );
    }
    page.push_str("</table>\n");
}

fn cells(report: &Report, row: &Row) -> String {
    let cells = row.cells.iter().map(|cell| {
        let count = report.matrix.count(row, cell);
        let class = match (count, cell.reach) {
            (0, Reach::Real) => "never",
            (0, _) => "steered",
            _ => "seen",
        };
        format!(
            "<span class=\"cell {class}\">{} <b>{count}</b></span>",
            escaped(&cell.outcome)
        )
    });
    cells.collect::<Vec<_>>().join(" ")
}

fn not_reached(page: &mut String, report: &Report) {
    let reasons = report.reasons();
    none(page, reasons.is_empty());
    for (why, names) in reasons {
        let _ = writeln!(
            page,
            "<details>\n<summary>{} <span>{}</span></summary>\n<pre>{}</pre>\n</details>",
            escaped(why),
            counted(names.len(), "case"),
            escaped(&names.join("\n"))
        );
    }
}

fn escaped(text: &str) -> String {
    let text = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;");
    let isolated = |sign: char| match sign {
        // What changes the direction of a line could make it say something else.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        sign if sign.is_control() && sign != '\n' => '\u{fffd}',
        sign => sign,
    };
    text.chars().map(isolated).collect()
}
