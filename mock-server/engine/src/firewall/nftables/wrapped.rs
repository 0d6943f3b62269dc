//! Rules that a terminal, a mail or an editor broke over several lines.

use std::borrow::Cow;
use std::collections::HashSet;

use super::parser::Parser;
use super::statement;
use super::tokens::{IN_CHAIN, Token, depth_after, is_table, tokens};
use crate::firewall::line::Line;

/// The longest rule that is put together again.
const LONGEST: usize = 4096;

/// Lines that a rule is put together of; each costs another look at all of them.
const MOST_PARTS: usize = 4;

/// Words that lines of a chain begin with, besides matches and statements.
const OF_BLOCKS: [&str; 9] = [
    "type", "policy", "comment", "flags", "device", "devices", "elements", "include", "}",
];

/// Words behind which a rule is not over.
const UNFINISHED: [&str; 9] = [
    "comment", "with", "jump", "goto", "prefix", "to", "type", "level", "map",
];

/// Words that decide about a packet.
const VERDICTS: [&str; 13] = [
    "accept",
    "drop",
    "reject",
    "return",
    "continue",
    "queue",
    "jump",
    "goto",
    "dnat",
    "snat",
    "redirect",
    "masquerade",
    "notrack",
];

/// The lines of a ruleset, with those together that are one rule.
pub(super) fn unwrapped<'a>(lines: &[Line<'a>]) -> Vec<Line<'a>> {
    let words: HashSet<&str> = lines
        .iter()
        .flat_map(|line| line.text.split_whitespace())
        .collect();
    let mut whole: Vec<Line<'a>> = Vec::with_capacity(lines.len());
    let (mut depth_before, mut depth, mut parts) = (0, 0, 1);
    for line in lines {
        match whole.last_mut() {
            Some(before)
                if depth >= IN_CHAIN && parts < MOST_PARTS && continues(before, line, depth) =>
            {
                parts += 1;
                let joined = joined(&before.text, &line.text, &words);
                before.text = Cow::Owned(joined);
            }
            _ => {
                (depth_before, parts) = (depth, 1);
                whole.push(line.clone());
            }
        }
        let text = whole.last().map_or("", |line| &line.text);
        depth = depth_after(text, depth_before);
    }
    whole
}

/// Whether a line goes on with the rule of the line before it.
fn continues(before: &Line<'_>, line: &Line<'_>, depth: usize) -> bool {
    let (rule, rest) = (before.text.trim(), line.text.trim());
    if rule.len() > LONGEST || rule.ends_with(['{', ';', ',']) || rule == "}" || rest == "}" {
        return false;
    }
    // The one before it was cut.
    if is_table(rest) {
        return false;
    }
    if rule.matches('"').count() % 2 == 1 {
        let quotes = rest.matches('"').count();
        let is_inside = quotes == 0 && !may_begin_rule(&tokens(std::slice::from_ref(line)));
        return is_inside || quotes % 2 == 1;
    }
    if rest.is_empty() || depth > IN_CHAIN || is_finished(&tokens(std::slice::from_ref(before))) {
        return false;
    }
    let is_moved_out = indentation(&before.text) > 0 && indentation(&line.text) == 0;
    is_moved_out || !may_begin_rule(&tokens(std::slice::from_ref(line)))
}

/// Whether a rule says what becomes of its packets.
fn is_finished(rule: &[Token]) -> bool {
    let mut words = rule.iter().filter(|token| !token.is_newline());
    let is_one_of = |token: &Token, words: &[&str]| words.iter().any(|word| token.is(word));
    let is_unfinished = words
        .clone()
        .next_back()
        .is_some_and(|token| is_one_of(token, &UNFINISHED));
    let is_rule = rule
        .first()
        .is_some_and(|token| !is_one_of(token, &OF_BLOCKS));
    !is_rule || (!is_unfinished && words.any(|token| is_one_of(token, &VERDICTS)))
}

fn may_begin_rule(line: &[Token]) -> bool {
    let Some(first) = line.first() else {
        return false;
    };
    let is_of_block = OF_BLOCKS.iter().any(|word| first.is(word));
    is_of_block
        || statement::begins(first)
        || first.text.starts_with(['@', '#'])
        || Parser::new(line).field().is_some()
}

/// Both parts of a rule; with a blank between them, unless the break was inside of a word.
fn joined(rule: &str, rest: &str, words: &HashSet<&str>) -> String {
    let is_sign = |c: char| c.is_whitespace() || "{},;\"".contains(c);
    let last = rule.rsplit(is_sign).next().unwrap_or_default();
    let rest = rest.trim_start();
    let first = rest.split(is_sign).next().unwrap_or_default();
    let is_number = |part: &str| {
        let is_of_number = |c: char| c.is_ascii_digit() || "./:-".contains(c);
        !part.is_empty() && part.chars().all(is_of_number)
    };
    let is_inside_word = (is_number(last) && is_number(first))
        || (!last.is_empty() && is_known(&format!("{last}{first}"), words));
    match is_inside_word {
        true => format!("{rule}{rest}"),
        false => format!("{rule} {rest}"),
    }
}

fn is_known(word: &str, words: &HashSet<&str>) -> bool {
    words.contains(word) || VERDICTS.contains(&word)
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}
