//! The text that a person pastes: dumps of one tool or of several, with
//! whatever a terminal, a mail or an editor did to them.

use std::borrow::Cow;

use super::format::FirewallFormat;
use super::line::Line;
use super::shell::{Command, Surroundings, is_legacy_warning};
use super::{firewalld, iptables, nftables, ufw};

/// Without the sign in front of each line by which a mail quotes another.
pub(super) fn unquoted(content: &str) -> Cow<'_, str> {
    let mut lines = content.lines().filter(|line| !line.trim().is_empty());
    let is_quoted = lines.clone().count() > 1 && lines.all(|line| line.starts_with('>'));
    if !is_quoted {
        return Cow::Borrowed(content);
    }
    let lines = content.lines().map(|line| {
        let line = line.trim_start_matches('>');
        line.strip_prefix(' ').unwrap_or(line)
    });
    Cow::Owned(lines.collect::<Vec<&str>>().join("\n"))
}

/// A paste, line by line.
pub(super) struct Paste<'a> {
    lines: Vec<(FirewallFormat, Line<'a>)>,
    /// Rules of nftables in front of everything else: of a table whose beginning is missing.
    pub(super) headless: Vec<Line<'a>>,
    pub(super) around: Surroundings<'a>,
}

/// A paste without byte-order marks, the zeros of UTF-16 that somebody read as UTF-8, the colours of a terminal, and with
/// plain blanks for those that no line breaks at.
pub(super) fn clean(content: &str) -> Cow<'_, str> {
    let content = decoded(content);
    match content.contains(['\u{1b}', '\u{a0}', '\u{202f}']) {
        true => Cow::Owned(plain(&content)),
        false => content,
    }
}

/// Without the sequences by which programs colour what they print, and with plain blanks.
fn plain(content: &str) -> String {
    let mut plain = String::with_capacity(content.len());
    let mut letters = content.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' if letters.next_if_eq(&'[').is_some() => {
                let is_parameter = |c: &char| matches!(c, '0'..='9' | ';' | '?');
                while letters.next_if(is_parameter).is_some() {}
                // The letter that says what the sequence does.
                letters.next_if(char::is_ascii_alphabetic);
            }
            '\u{1b}' => {}
            '\u{a0}' | '\u{202f}' => plain.push(' '),
            letter => plain.push(letter),
        }
    }
    plain
}

fn decoded(content: &str) -> Cow<'_, str> {
    let marks = ['\u{feff}', '\u{fffd}', '\u{fffe}', 'ÿ', 'þ'];
    match content.contains('\0') {
        true => {
            let text = content.replace('\0', "");
            Cow::Owned(text.trim_start_matches(marks).to_owned())
        }
        false => Cow::Borrowed(content.trim_start_matches('\u{feff}')),
    }
}

impl<'a> Paste<'a> {
    /// Tells which lines are of which tool.
    pub(super) fn of(content: &'a str) -> Self {
        let mut sorter = Sorter::default();
        let mut around = Surroundings::default();
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
            sorter.add(line);
        }
        Self {
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
        } else if self.is_in_zone || firewalld::is_field(text) {
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

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}
