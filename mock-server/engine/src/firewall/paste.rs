//! The text that a person pastes: dumps of one tool or of several, with whatever stands around them.

use std::borrow::Cow;

use super::format::FirewallFormat;
use super::line::Line;
use super::shell::{Command, Surroundings, is_legacy_warning};
use super::{firewalld, iptables, nftables, ufw};

/// A paste, line by line.
pub(super) struct Paste<'a> {
    lines: Vec<(FirewallFormat, Line<'a>)>,
    /// Rules of nftables in front of everything else: of a table whose beginning is missing.
    pub(super) headless: Vec<Line<'a>>,
    pub(super) around: Surroundings<'a>,
    /// Where somebody left lines out, with the tool whose they may have been.
    pub(super) omissions: Vec<(FirewallFormat, u32)>,
}

impl<'a> Paste<'a> {
    /// Tells which lines are of which tool.
    pub(super) fn of(content: &'a str) -> Self {
        let mut sorter = Sorter::default();
        let mut around = Surroundings::default();
        let mut omissions = Vec::new();
        for (number, text) in (1..).zip(content.lines()) {
            let line = Line {
                number,
                text: Cow::Borrowed(text),
            };
            around.commands.extend(Command::at(number, text));
            if is_legacy_warning(&line) {
                around.legacy_warning.get_or_insert(number);
            }
            if iptables::is_listing(text.trim()) {
                around.listing.get_or_insert(number);
            }
            match says_left_out(text) {
                true => omissions.push(number),
                false => sorter.add(line),
            }
        }
        let omissions = omissions.into_iter();
        Self {
            omissions: omissions
                .filter_map(|number| Some((sorter.format_around(number)?, number)))
                .collect(),
            lines: sorter.lines,
            headless: sorter.headless,
            around,
        }
    }

    /// The numbers of the lines that its dumps have.
    pub(super) fn dumped(&self) -> Vec<u32> {
        self.lines.iter().map(|(_, line)| line.number).collect()
    }

    /// The formats that are in it, in the order in which they come.
    pub(super) fn formats(&self) -> Vec<FirewallFormat> {
        let mut formats = Vec::new();
        for (format, _) in &self.lines {
            if !formats.contains(format) {
                formats.push(*format);
            }
        }
        formats
    }

    /// The tool and the text of a line.
    pub(super) fn quote(&self, number: usize) -> Option<(FirewallFormat, &str)> {
        let place = self
            .lines
            .binary_search_by_key(&number, |(_, line)| line.number as usize);
        let (format, line) = self.lines.get(place.ok()?)?;
        Some((*format, &line.text))
    }

    /// The lines of one tool.
    pub(super) fn lines(&self, format: FirewallFormat) -> Vec<Line<'a>> {
        let lines = self.lines.iter().filter(|(of, _)| *of == format);
        lines.map(|(_, line)| line.clone()).collect()
    }
}

/// What the lines before say of the next one.
#[derive(Default)]
struct Sorter<'a> {
    lines: Vec<(FirewallFormat, Line<'a>)>,
    /// Braces of nft that are open.
    depth: usize,
    is_in_ufw_table: bool,
    is_in_zone: bool,
    /// The last line that no tool has claimed, which may be the name of a zone.
    unclaimed: Option<Line<'a>>,
    /// Whether the last line is a rule of iptables.
    follows_rule: bool,
    headless: Vec<Line<'a>>,
}

impl<'a> Sorter<'a> {
    fn follows_iptables(&self) -> bool {
        let last = self.lines.last();
        last.is_some_and(|(format, _)| *format == FirewallFormat::Iptables)
    }

    /// The tool of the lines in front of one, else of those behind it.
    fn format_around(&self, number: u32) -> Option<FirewallFormat> {
        let behind = self.lines.partition_point(|(_, line)| line.number < number);
        let (format, _) = self.lines.get(behind.saturating_sub(1))?;
        Some(*format)
    }

    fn add(&mut self, line: Line<'a>) {
        let text = line.text.trim();
        let follows_rule = std::mem::take(&mut self.follows_rule);
        if self.depth > 0 && starts_other_dump(text) {
            self.depth = 0;
        }
        if iptables::is_start(text) {
            self.depth = 0;
            self.leave();
            self.follows_rule = text.contains("-A ");
            self.lines.push((FirewallFormat::Iptables, line));
        } else if nftables::is_start(text) || self.depth > 0 {
            self.leave();
            self.depth = nftables::depth_after(text, self.depth);
            self.lines.push((FirewallFormat::Nftables, line));
        } else if text.is_empty() {
            self.is_in_zone = false;
        } else if follows_rule && self.take_continuation(&line) {
            self.follows_rule = true;
        } else if firewalld::is_direct_rule(text) {
            self.leave();
            self.lines.push((FirewallFormat::Firewalld, line));
        } else if self.follows_iptables() && iptables::asks_or_decides(text) {
            self.lines.push((FirewallFormat::Iptables, line));
        } else if ufw::is_start(text) {
            self.leave();
            self.is_in_ufw_table = true;
            self.lines.push((FirewallFormat::Ufw, line));
        } else if firewalld::is_about_default_zone(text) {
            self.lines.push((FirewallFormat::Firewalld, line));
        } else if self.is_in_zone || firewalld::is_field(text) || self.is_spaced_rule(text) {
            self.add_to_zone(line);
        } else if self.is_in_ufw_table {
            self.unclaimed = Some(line.clone());
            self.lines.push((FirewallFormat::Ufw, line));
        } else if self.lines.is_empty() && nftables::is_rule(text) {
            self.headless.push(line);
        } else {
            self.unclaimed = Some(line);
        }
    }

    /// Whether a line is a rule of a zone though a blank line stands in front of it, as web pages show listings.
    fn is_spaced_rule(&self, text: &str) -> bool {
        let last = self.lines.last();
        let follows_zone = last.is_some_and(|(format, _)| *format == FirewallFormat::Firewalld);
        follows_zone && (text.starts_with("rule ") || text.starts_with("port="))
    }

    fn leave(&mut self) {
        self.is_in_ufw_table = false;
        self.is_in_zone = false;
        self.unclaimed = None;
    }

    fn add_to_zone(&mut self, line: Line<'a>) {
        if !self.is_in_zone {
            self.is_in_ufw_table = false;
            let header = self.unclaimed.take();
            let header =
                header.filter(|header| indentation(&header.text) < indentation(&line.text));
            self.lines
                .extend(header.map(|header| (FirewallFormat::Firewalld, header)));
        }
        self.is_in_zone = true;
        self.lines.push((FirewallFormat::Firewalld, line));
    }

    /// Joins a line to the rule that a terminal broke before it; whether it was one.
    fn take_continuation(&mut self, line: &Line<'a>) -> bool {
        let Some((_, rule)) = self.lines.last_mut() else {
            return false;
        };
        match iptables::joined(&rule.text, &line.text) {
            Some(joined) => rule.text = Cow::Owned(joined),
            None => return false,
        }
        true
    }
}

/// Whether a dump of another tool follows a ruleset whose end is missing.
fn starts_other_dump(line: &str) -> bool {
    ufw::is_start(line) || line.starts_with("target: ")
}

/// Words by which people say that they left lines out.
const LEFT_OUT: [&str; 7] = [
    "snip",
    "snipped",
    "omitted",
    "truncated",
    "skipped",
    "elided",
    "shortened",
];

/// Whether a line stands for others: `[...]`, `<snip>`, `--- 20 lines omitted ---`.
fn says_left_out(line: &str) -> bool {
    let text = line.trim();
    let is_frame = |c: char| c.is_whitespace() || "[](){}<>-=*#/.…_~:;,|".contains(c);
    let core = text.trim_matches(is_frame);
    let has_dots = text.contains("...") || text.contains('…');
    let is_marked = text.starts_with(['[', '<', '(', '-', '=', '*', '.', '…', '~']);
    let mut words = core.split_whitespace();
    let is_said = words.clone().count() <= 6
        && words.any(|word| LEFT_OUT.contains(&word.to_lowercase().as_str()));
    let begins_with_dots = text.trim_start_matches(['[', '(', '<']).starts_with("...");
    match core.is_empty() {
        true => has_dots,
        false => begins_with_dots || (is_marked && is_said),
    }
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}
