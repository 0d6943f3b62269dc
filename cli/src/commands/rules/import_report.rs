//! What `secmon rules import` says of a dump: what is allowed now, and what is not and why.

use crate::commands::common::views::ports_of;
use crate::ui::outcome::Block;
use crate::values::durations::counted;
use secmon::model::Rule;
use secmon::operations::{FirewallIngest, SkippedLine};

/// Lines that are shown of one reason; JSON has all.
const MOST_SHOWN: usize = 5;

/// Characters of a line of the dump that are shown.
const LONGEST_LINE: usize = 100;

/// What came of an import.
pub struct Report<'a> {
    /// What the service made of the dump, without what was removed again.
    pub ingest: &'a FirewallIngest,
    /// Rules that were removed again.
    pub removed: &'a [Rule],
    /// The dump.
    pub content: &'a str,
    /// Its name.
    pub file: &'a str,
    /// The name of its server.
    pub server: &'a str,
}

/// The report as a person reads it.
pub fn report(report: &Report<'_>) -> Vec<Block> {
    let suggested = report.ingest.suggested.as_deref();
    let allowed = match suggested.map(<[Rule]>::len) {
        None => format!("{} was read for {}.", report.file, report.server),
        Some(0) => format!("{} allows nothing new on {}.", report.file, report.server),
        Some(rules) => format!(
            "Now allowed on {} by {}: {}.",
            report.server,
            report.file,
            counted(rules, "rule")
        ),
    };
    let mut text = vec![Block::text(allowed)];
    if suggested.is_some_and(|rules| !rules.is_empty()) {
        text.push(Block::Rows);
    }
    if !report.removed.is_empty() {
        let ports: Vec<String> = report.removed.iter().map(ports_of).collect();
        text.push(Block::text(format!(
            "Not allowed, as asked with --except: {}.",
            ports.join(", ")
        )));
    }
    let skipped = report.ingest.skipped.as_deref().unwrap_or_default();
    if !skipped.is_empty() {
        text.push(Block::text("Not allowed:"));
        text.extend(
            grouped(skipped)
                .into_iter()
                .flat_map(|group| group.shown(report.content)),
        );
    }
    text
}

/// The lines that have one reason.
struct Group<'a> {
    reason: &'a str,
    lines: Vec<u64>,
}

/// By reason, in the order of the first line of each.
fn grouped(skipped: &[SkippedLine]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for one in skipped {
        match groups.iter_mut().find(|group| group.reason == one.reason) {
            Some(group) => group.lines.push(one.line),
            None => groups.push(Group {
                reason: &one.reason,
                lines: vec![one.line],
            }),
        }
    }
    groups
}

impl Group<'_> {
    fn shown(&self, content: &str) -> Vec<Block> {
        let mut shown = vec![Block::text(format!("  {}", self.reason))];
        for number in self.lines.iter().take(MOST_SHOWN) {
            shown.push(Block::text(format!(
                "    line {number}: {}",
                line(content, *number)
            )));
        }
        if let Some(more) = self
            .lines
            .len()
            .checked_sub(MOST_SHOWN)
            .filter(|more| *more > 0)
        {
            shown.push(Block::text(format!(
                "    and {} more",
                counted(more, "line")
            )));
        }
        shown
    }
}

/// A line of the dump, by its number from 1.
fn line(content: &str, number: u64) -> String {
    let place = usize::try_from(number)
        .ok()
        .and_then(|number| number.checked_sub(1));
    let text = place
        .and_then(|place| content.lines().nth(place))
        .unwrap_or_default();
    text.trim().chars().take(LONGEST_LINE).collect()
}
