//! What `secmon rules import` says of a dump: what is allowed now, and what is not and why.

use crate::commands::common::views::ports_of;
use crate::ui::outcome::Block;
use crate::values::durations::counted;
use crate::values::ports::PortSpec;
use secmon::model::Rule;
use secmon::operations::{FirewallIngest, SkippedLine};

/// Lines that are shown of one reason; JSON has all.
const MOST_SHOWN: usize = 5;

/// Ports that are shown of those that are allowed already; JSON has all.
const MOST_PORTS: usize = 20;

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
            "Not allowed, as asked with --except: {}. Open alerts of these ports may be resolved by the import all the same; the next scan raises new ones.",
            ports.join(", ")
        )));
    }
    let skipped = report.ingest.skipped.iter().flatten();
    let (allowed, refused): (Vec<_>, Vec<_>) =
        skipped.partition(|skipped| allowed_ports(&skipped.reason).is_some());
    text.extend(allowed_already(&allowed));
    if !refused.is_empty() {
        text.push(Block::text("Not allowed:"));
        text.extend(
            grouped(&refused)
                .into_iter()
                .flat_map(|group| group.shown(report.content)),
        );
    }
    text
}

/// The ports of a line that makes no rule because they are allowed, by a rule from before or by another line.
pub fn allowed_ports(reason: &str) -> Option<PortSpec> {
    let ends = [" is allowed already", " is suggested by an earlier line"];
    let ports = ends.iter().find_map(|end| reason.strip_suffix(end))?;
    PortSpec::parse(ports).ok()
}

/// The ports that had a rule before, each once; those of another line are among what is new.
fn allowed_already(skipped: &[&SkippedLine]) -> Option<Block> {
    let had_rule = skipped
        .iter()
        .filter(|skipped| skipped.reason.ends_with("already"));
    let mut ports: Vec<String> = Vec::new();
    for spec in had_rule.filter_map(|skipped| allowed_ports(&skipped.reason)) {
        let spec = spec.to_string();
        if !ports.contains(&spec) {
            ports.push(spec);
        }
    }
    let more = ports.len().saturating_sub(MOST_PORTS);
    ports.truncate(MOST_PORTS);
    let and_more = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let told = format!("Allowed already: {}{and_more}.", ports.join(", "));
    (!ports.is_empty()).then(|| Block::text(told))
}

/// The lines that have one reason.
struct Group<'a> {
    reason: &'a str,
    lines: Vec<u64>,
}

/// By reason, in the order of the first line of each.
fn grouped<'a>(skipped: &[&'a SkippedLine]) -> Vec<Group<'a>> {
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
