//! `nft list ruleset`, with or without handles.

mod blocks;
mod branch;
mod definitions;
mod elements;
mod field;
mod interface_names;
mod lookup;
mod parser;
mod rule;
mod statement;
mod tokens;
mod wrapped;

use std::net::IpAddr;

use blocks::{Chain, Table, statements, tables};
use branch::{Action, Branch, require};
use field::Place;
use interface_names::mention_interfaces;
use lookup::Lookups;
use parser::Parser;
use tokens::{IN_CHAIN, Token, braced, closed, cuts, tokens};
use wrapped::unwrapped;

pub(super) use tokens::{MOST_TOKENS, depth_after};

use super::filter::{ChainNo, Condition, Families, Filter, Holds, Match, Reason, Rule, Verdict};
use super::interfaces::{External, Interfaces};
use super::line::Line;

/// Whether a line begins a table, or a chain that was cut out of one, or defines what stands in them.
pub(super) fn is_start(line: &str) -> bool {
    let line = line.split('#').next().unwrap_or(line).trim();
    let is_block = line.starts_with("table ") || line.starts_with("chain ");
    let defines = line.starts_with("define ") || line.starts_with("redefine ");
    let is_definition = defines && line.contains('=');
    is_block && line.ends_with('{') || is_definition || is_unlisted(line)
}

/// Whether a line brings in another file, or changes a chain by a command: what comes of it is not listed.
fn is_unlisted(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().take(3).collect();
    match words.as_slice() {
        ["include", file, ..] => file.starts_with('"'),
        ["add" | "insert" | "replace" | "delete", "rule", family] => {
            ["ip", "ip6", "inet", "netdev"].contains(family)
        }
        _ => false,
    }
}

/// Whether a line that stands in no table is a rule of one.
pub(super) fn is_rule(line: &str) -> bool {
    let line = line.trim_end_matches([';', '}', ' ']);
    let last = line.split_whitespace().next_back();
    let decides = last.is_some_and(|word| ["accept", "drop", "reject", "return"].contains(&word));
    decides && !line.starts_with('#')
}

/// Adds rules of a table whose beginning is missing.
pub(super) fn note_headless(rules: &[Line<'_>], filter: &mut Filter) {
    for rule in rules {
        filter.doubt(rule.number, Reason::Headless);
    }
}

/// Notes what is brought in, or changed, outside of chains: tables that refuse, or rules of those that are listed.
fn note_unlisted(lines: &[Line<'_>], filter: &mut Filter) {
    let mut depth = 0;
    for line in lines {
        let is_in_chain = depth >= IN_CHAIN;
        depth = depth_after(&line.text, depth);
        if !is_in_chain && is_unlisted(line.text.trim()) {
            filter.doubt(line.number, Reason::Unlisted);
        }
    }
}

/// Adds the tables of a ruleset to a filter.
pub(super) fn translate(lines: &[Line<'_>], host: Option<IpAddr>, filter: &mut Filter) {
    if tokens::are_too_many(lines) {
        filter.note_too_many_rules();
        return;
    }
    let whole = unwrapped(lines);
    for line in cuts(&whole) {
        filter.doubt(line, Reason::Cut);
    }
    let tokens = definitions::resolved(tokens(&closed(whole)));
    let tables = tables(&tokens);
    note_unlisted(lines, filter);
    let mut interfaces = Interfaces::default();
    for table in &tables {
        mention_interfaces(table, &mut interfaces);
    }
    let external = interfaces.external();
    for (number, table) in tables.iter().enumerate() {
        let translation = Translation {
            table,
            prefix: format!("nft {number} "),
        };
        let place = Place {
            host,
            external: &external,
        };
        translation.write(filter, place);
        if filter.names_too_much() {
            return;
        }
    }
}

/// A line that is a rule, or a part of one.
struct Piece<'a> {
    tokens: &'a [Token],
    branches: Vec<Branch>,
}

/// `jump { ... }`: a chain that stands in the rule that leads to it.
struct NamelessJump<'a> {
    line: u32,
    inside: &'a [Token],
}

/// A table on its way into a filter.
struct Translation<'a> {
    table: &'a Table<'a>,
    /// Makes its chains' names its own.
    prefix: String,
}

impl Translation<'_> {
    fn write(&self, filter: &mut Filter, place: Place<'_>) {
        let mut lookups = Lookups::new(self.table, place);
        for chain in &self.table.chains {
            let number = self.chain(filter, &chain.name);
            filter.define(number);
            self.set_base(filter, number, chain, place.external);
            self.write_rules(filter, number, &chain.rules, &mut lookups);
            if filter.names_too_much() {
                return;
            }
        }
    }

    fn write_rules(
        &self,
        filter: &mut Filter,
        chain: ChainNo,
        rules: &[&[Token]],
        lookups: &mut Lookups<'_>,
    ) {
        let mut before: Option<Piece<'_>> = None;
        for tokens in rules {
            let mut branches = match doubt(tokens) {
                Some(doubt) => vec![doubtful(doubt)],
                None => rule::branches(lookups, tokens),
            };
            if let Some(inside) = nameless_chain(tokens) {
                let jump = NamelessJump {
                    line: tokens.first().map_or(0, |token| token.line),
                    inside,
                };
                self.write_nameless(filter, &jump, &mut branches, lookups);
            }
            if rule::only_matches(tokens) && doubt(tokens).is_none() {
                if let Some(start) = before.replace(Piece { tokens, branches }) {
                    self.push(filter, chain, start.tokens, start.branches);
                }
                continue;
            }
            match before.take() {
                Some(start) if is_rule_of_its_own(start.tokens, tokens) => {
                    self.push(filter, chain, start.tokens, start.branches);
                    self.push(filter, chain, tokens, branches);
                }
                Some(start) => {
                    self.push_broken(filter, chain, start, Piece { tokens, branches });
                }
                None => self.push(filter, chain, tokens, branches),
            }
            if filter.names_too_much() {
                return;
            }
        }
        if let Some(start) = before {
            self.push(filter, chain, start.tokens, start.branches);
        }
    }

    /// A chain that stands in the rule that leads to it: `jump { ... }`.
    fn write_nameless(
        &self,
        filter: &mut Filter,
        jump: &NamelessJump<'_>,
        branches: &mut [Branch],
        lookups: &mut Lookups<'_>,
    ) {
        let statements = statements(jump.inside);
        let line = jump.line;
        // Those in which there are others are none that people write.
        if statements
            .iter()
            .any(|inner| nameless_chain(inner).is_some())
        {
            filter.skip(line, "its chains are too complex to follow");
            return;
        }
        let name = format!("in line {line}");
        for branch in branches {
            match &mut branch.action {
                Some(Action::Jump(target) | Action::Goto(target)) => target.clone_from(&name),
                _ => return,
            }
        }
        let chain = self.chain(filter, &name);
        filter.define(chain);
        for tokens in statements {
            let branches = match doubt(tokens) {
                Some(doubt) => vec![doubtful(doubt)],
                None => rule::branches(lookups, tokens),
            };
            self.push(filter, chain, tokens, branches);
        }
    }

    fn chain(&self, filter: &mut Filter, name: &str) -> ChainNo {
        filter.chain(&format!("{}{name}", self.prefix))
    }

    fn set_base(
        &self,
        filter: &mut Filter,
        number: ChainNo,
        chain: &Chain<'_>,
        external: &External,
    ) {
        let Some(line) = &chain.base else {
            return;
        };
        let is_external = |name: &String| external.condition(name).holds != Holds::Never;
        let is_for_host = line.devices.is_empty() || line.devices.iter().any(is_external);
        if line.base.families != Families::Neither && is_for_host {
            filter.set_base(number, line.base);
        }
    }

    /// A rule that was broken behind what it asks. The break is a guess, so it narrows what is accepted; of what is
    /// refused, it only says that not all of it may be.
    fn push_broken(
        &self,
        filter: &mut Filter,
        chain: ChainNo,
        start: Piece<'_>,
        mut end: Piece<'_>,
    ) {
        let is_accepted = |branch: &Branch| branch.action == Some(Action::Accept);
        if end.branches.iter().all(is_accepted) {
            let mut branches = end.branches.iter();
            let names_ports = branches.any(|branch| branch.matches.names_ports());
            let line = if names_ports {
                end.tokens
            } else {
                start.tokens
            };
            let whole = rule::product(&start.branches, &end.branches);
            self.push(filter, chain, line, whole);
            return;
        }
        let words = "the line in front of it, which says nothing alone";
        require(&mut end.branches, Condition::unknown(words));
        self.push(filter, chain, start.tokens, start.branches);
        self.push(filter, chain, end.tokens, end.branches);
    }

    fn push(&self, filter: &mut Filter, chain: ChainNo, rule: &[Token], branches: Vec<Branch>) {
        let line = rule.first().map_or(1, |token| token.line);
        if is_unreadable(rule, &branches) {
            filter.skip(line, "it cannot be read");
        }
        let mut altered = Vec::new();
        for (alteration, matches) in branches
            .iter()
            .filter_map(|branch| branch.alters.as_deref())
        {
            let is_known = altered.last() == Some(&(alteration, matches));
            if !is_known {
                altered.push((alteration, matches));
                let rule = Rule {
                    line,
                    matches: matches.clone(),
                    verdict: Verdict::Alter(*alteration),
                };
                filter.push(chain, rule);
            }
        }
        for branch in branches {
            if let (None, Some(reason @ Reason::UnreadablePorts(_))) =
                (&branch.action, &branch.matches.reason)
            {
                filter.skip(line, reason.to_string());
            }
            let verdict = match branch.action {
                None | Some(Action::Continue) => Verdict::Continue,
                Some(Action::Accept) => Verdict::Accept,
                Some(Action::Refuse) => Verdict::Refuse,
                Some(Action::Return) => Verdict::Return,
                Some(Action::Translate) => Verdict::Translate,
                Some(Action::Unknown(reason)) => Verdict::Unknown(reason),
                Some(Action::Jump(name)) => Verdict::Jump(self.chain(filter, &name)),
                Some(Action::Goto(name)) => Verdict::Goto(self.chain(filter, &name)),
            };
            let rule = Rule {
                line,
                matches: branch.matches,
                verdict,
            };
            filter.push(chain, rule);
        }
    }
}

/// Whether a verdict alone on a line stands as far in as the line in front of it: nft reads it as a rule for every
/// packet. What a mail or a terminal breaks begins elsewhere.
fn is_rule_of_its_own(before: &[Token], rule: &[Token]) -> bool {
    let indentation = |tokens: &[Token]| tokens.first().map_or(0, |token| token.indentation);
    let is_verdict = matches!(rule, [only] if only.is("accept") || only.is("drop"));
    is_verdict && indentation(rule) > 0 && indentation(before) == indentation(rule)
}

/// Whether a rule begins with a word that no rule begins with, and comes to nothing.
fn is_unreadable(rule: &[Token], branches: &[Branch]) -> bool {
    let does_nothing = |branch: &Branch| branch.action.is_none() && branch.alters.is_none();
    let is_known = |first: &Token| statement::begins(first) || Parser::new(rule).field().is_some();
    branches.iter().all(does_nothing) && rule.first().is_some_and(|first| !is_known(first))
}

/// What stands in the braces behind `jump` or `goto`.
fn nameless_chain(rule: &[Token]) -> Option<&[Token]> {
    let is_jump = |pair: &[Token]| (pair[0].is("jump") || pair[0].is("goto")) && pair[1].is("{");
    let place = rule.windows(2).position(is_jump)?;
    Some(braced(&rule[place + 1..]).0)
}

/// Why it is not known what a rule does, if so.
fn doubt(rule: &[Token]) -> Option<Reason> {
    let count = |sign: &str| rule.iter().filter(|token| token.is(sign)).count();
    if rule.iter().any(Token::is_cut) {
        return Some(Reason::Cut);
    }
    if rule.first().is_some_and(|first| first.is("include")) {
        return Some(Reason::Unlisted);
    }
    let is_torn = count("{") != count("}") || rule.iter().any(Token::is_open_quote);
    is_torn.then_some(Reason::Torn)
}

fn doubtful(doubt: Reason) -> Branch {
    Branch {
        action: Some(Action::Unknown(doubt)),
        ..Branch::of(Match::default())
    }
}
