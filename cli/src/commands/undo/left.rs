//! What of a command is not taken back, said once for all of its records.

use super::inverse::{Nearest, NotUndoable};
use crate::bulk::preview;
use crate::error::CliError;
use crate::state::history::ChangeRow;
use crate::ui::outcome::Block;
use crate::values::durations::counted;

/// A change that is not taken back.
pub type Left = (ChangeRow, NotUndoable);

/// So many records stand in one line to copy.
const MOST_RECORDS: usize = 10;

/// Changes that are left for the same reason, and the lines that come nearest.
struct Group<'a> {
    operation: &'a str,
    reason: &'a str,
    abouts: Vec<String>,
    lines: Vec<Line<'a>>,
}

/// One line for several records.
struct Line<'a> {
    nearest: &'a Nearest,
    records: Vec<&'a str>,
}

impl Line<'_> {
    fn command(&self) -> String {
        match self.records.len() {
            0 => self.nearest.line(),
            1..=MOST_RECORDS => self.nearest.line_for(&self.records.join(" ")),
            _ => self.nearest.line_for(self.records[0]),
        }
    }

    fn purpose(&self) -> String {
        let purpose = self.nearest.purpose;
        match self.records.len() {
            0..=MOST_RECORDS => purpose.to_owned(),
            many => format!("{purpose} (shown for 1 of {})", counted(many, "record")),
        }
    }
}

/// The changes by their reasons, the first change's first.
fn groups(left: &[Left]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (change, why) in left.iter().rev() {
        let same = |group: &&mut Group<'_>| group.reason == why.reason;
        let group = match groups.iter_mut().find(same) {
            Some(group) => group,
            None => {
                groups.push(Group {
                    operation: &change.operation,
                    reason: &why.reason,
                    abouts: Vec::new(),
                    lines: Vec::new(),
                });
                let last = groups.len() - 1;
                &mut groups[last]
            }
        };
        group.abouts.push(change.about.clone());
        if let Some(nearest) = &why.nearest {
            add_line(&mut group.lines, nearest);
        }
    }
    groups
}

fn add_line<'a>(lines: &mut Vec<Line<'a>>, nearest: &'a Nearest) {
    let record = nearest.record.as_deref();
    let takes_more = |line: &&mut Line<'_>| line.nearest.differs_in_record_only(nearest);
    match lines.iter_mut().find(takes_more) {
        Some(line) => line.records.extend(record),
        None => lines.push(Line {
            nearest,
            records: record.into_iter().collect(),
        }),
    }
}

/// The refusal of a command of which nothing can be taken back.
pub fn refused(left: &[Left]) -> CliError {
    let groups = groups(left);
    let Some(first) = groups.first() else {
        return CliError::not_found("there is nothing to undo");
    };
    let error = CliError::usage(format!(
        "Cannot be undone: {} ({}): {}",
        first.operation.replace('_', " "),
        preview(&first.abouts, String::clone),
        first.reason
    ));
    let lines = groups.iter().flat_map(|group| &group.lines);
    let lines: Vec<String> = lines
        .map(|line| format!("to {}: `{}`", line.purpose(), line.command()))
        .collect();
    match lines.is_empty() {
        true => error,
        false => error.hint(preview(&lines, String::clone)),
    }
}

/// What was left beside what was taken back.
pub fn not_undone(left: &[Left]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for group in groups(left) {
        let abouts = preview(&group.abouts, String::clone);
        blocks.push(Block::text(format!(
            "Not undone: {abouts}: {}.",
            group.reason
        )));
        blocks.extend(
            group
                .lines
                .iter()
                .map(|line| Block::Hint(format!("to {}: `{}`", line.purpose(), line.command()))),
        );
    }
    blocks
}
