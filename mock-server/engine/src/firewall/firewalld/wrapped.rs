//! Lines of a zone that a terminal or a mail broke, and those that are not of one listing.

use std::borrow::Cow;

use super::fields::{field, is_field};
use crate::firewall::line::Line;

/// The longest line that is put together again.
const LONGEST: usize = 4096;

/// The lines of a dump, with those together that are one.
pub(super) fn unwrapped<'a>(lines: &[Line<'a>]) -> Vec<Line<'a>> {
    let mut whole: Vec<Line<'a>> = Vec::with_capacity(lines.len());
    for line in lines {
        match whole.last_mut() {
            Some(before) if continues(&before.text, line.text.trim()) => {
                before.text = Cow::Owned(format!("{} {}", before.text, line.text.trim()));
            }
            _ => whole.push(line.clone()),
        }
    }
    whole
}

/// Whether a line goes on with the one before it.
fn continues(before: &str, rest: &str) -> bool {
    if before.len() > LONGEST || is_field(rest) || rest.starts_with("rule ") {
        return false;
    }
    let before = before.trim();
    if before.starts_with("rule ") {
        return !is_decided(before) && is_of_rule(rest);
    }
    match field(before) {
        Some(("ports" | "source-ports", values)) => {
            !values.is_empty() && rest.split_whitespace().all(is_port)
        }
        _ => false,
    }
}

fn is_decided(rule: &str) -> bool {
    let last = rule.split_whitespace().next_back();
    matches!(last, Some("accept" | "reject" | "drop"))
}

/// Whether words may stand in a rich rule, behind its beginning.
fn is_of_rule(words: &str) -> bool {
    let is_quoted = words.contains("=\"") || words.contains("='");
    is_quoted || is_decided(words)
}

/// `9004/tcp`, `8000-8100/udp`.
fn is_port(word: &str) -> bool {
    let Some((ports, protocol)) = word.split_once('/') else {
        return false;
    };
    let is_range = ports.bytes().all(|c| c.is_ascii_digit() || c == b'-');
    is_range && matches!(protocol, "tcp" | "udp" | "sctp" | "dccp")
}

/// Whether a line is one that a comparison of two dumps has added or taken away.
pub(super) fn is_of_comparison(line: &str) -> bool {
    let inner = line.strip_prefix(['+', '-']);
    inner.is_some_and(|inner| is_field(inner) || inner.trim_start().starts_with("rule "))
}
