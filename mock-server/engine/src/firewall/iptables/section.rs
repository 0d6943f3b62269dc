//! The tables of an iptables dump, of either way to print it.

use std::borrow::Cow;
use std::collections::HashSet;

use super::rule::Draft;
use crate::firewall::filter::{Family, Filter, MOST_RULES, Policy, Reason};
use crate::firewall::line::Line;
use crate::firewall::shell::{Backend, IptablesProgram};

/// The chain for what is missing of a table; no chain of a dump has a blank in its name.
const MISSING: &str = "what is missing";

/// Tables that are read of one dump; a host has ten.
const MOST_SECTIONS: usize = 100;

/// A table as one command printed it.
#[derive(Clone, Default, Debug)]
pub(super) struct Section {
    /// As `iptables-save` says it.
    header: Option<String>,
    pub(super) family: Option<Family>,
    /// Where the program that printed it says so.
    pub(super) backend: Option<Backend>,
    /// With the line and the policy of each.
    pub(super) chains: Vec<(String, u32, Policy)>,
    /// With the line of each.
    pub(super) rules: Vec<(u32, Draft)>,
    names: HashSet<String>,
    /// Chains that have rules and that no line declares.
    undeclared: HashSet<String>,
    /// Whether it declares chains as `iptables-save` does: then it declares all of them.
    has_declarations: bool,
    is_committed: bool,
}

impl Section {
    /// The table's name. `iptables -S` does not print it, but the chains of each table differ.
    pub(super) fn table(&self) -> &str {
        if let Some(header) = &self.header {
            return header;
        }
        let has = |name: &str| self.names.contains(name);
        match (has("PREROUTING"), has("POSTROUTING"), has("FORWARD")) {
            (true, true, true) => "mangle",
            (_, true, _) => "nat",
            (true, false, _) if self.translates() => "nat",
            (true, false, _) => "raw",
            _ => "filter",
        }
    }

    fn translates(&self) -> bool {
        let targets = self
            .rules
            .iter()
            .filter_map(|(_, draft)| draft.target.as_ref());
        targets
            .into_iter()
            .any(|target| matches!(target.name.as_str(), "DNAT" | "REDIRECT"))
    }

    /// Whether its end is missing. `iptables -S` prints none: there, only a last rule that does nothing tells it.
    fn is_cut(&self) -> bool {
        let is_torn = |(_, last): &(u32, Draft)| last.target.is_none();
        !self.is_committed && (self.header.is_some() || self.rules.last().is_some_and(is_torn))
    }

    /// Puts what is not known in the place of what is missing, and of a last rule of which some may be missing. Programs
    /// list chain after chain, so this is of the last rule's chain or of those that follow it.
    fn cut(&mut self) {
        let last = self.rules.pop();
        let is_torn = last.as_ref().is_some_and(|(_, rule)| rule.target.is_none());
        // The name of its chain may be torn too.
        let known = if is_torn {
            self.rules.last()
        } else {
            last.as_ref()
        };
        let is_present = |name: &str| known.is_some_and(|(_, rule)| rule.chain == name);
        let first = self.chains.iter().position(|(name, ..)| is_present(name));
        let line = match &last {
            Some((line, _)) => *line,
            None => self.chains.last().map_or(1, |(_, line, _)| *line),
        };
        let incomplete = self.chains[first.unwrap_or(0)..].iter();
        let jumps = incomplete.map(|(name, ..)| (line, Draft::jump(name, MISSING)));
        let jumps: Vec<(u32, Draft)> = jumps.collect();
        self.rules.extend(last.filter(|(_, rule)| rule.is_whole()));
        self.rules.extend(jumps);
        let doubt = if is_torn { Reason::Torn } else { Reason::Cut };
        self.add_rule(line, Draft::doubtful(MISSING, doubt));
    }

    /// Whether another section lists the same chains of the kernel; whatever its family.
    pub(super) fn is_of_same_table(&self, other: &Self) -> bool {
        let mut chains = ["INPUT", "PREROUTING"].into_iter();
        self.table() == other.table()
            && chains.any(|name| self.names.contains(name) && other.names.contains(name))
    }

    /// Whether the chains that both list are the same, whatever `-c` and `-v` count.
    pub(super) fn has_same_rules(&self, other: &Self) -> bool {
        let shared: HashSet<&String> = self.names.intersection(&other.names).collect();
        let policies = |section: &Self| {
            let chains = section.chains.iter();
            let chains = chains.filter(|(name, _, _)| shared.contains(name));
            let policies = chains.map(|(name, _, policy)| format!("{name} {policy:?}"));
            policies.collect::<HashSet<String>>()
        };
        let is_shared = |draft: &&Draft| shared.contains(&draft.chain);
        let mut ours = self.drafts().filter(is_shared);
        let mut theirs = other.drafts().filter(is_shared);
        let are_same = theirs.all(|their| ours.next().is_some_and(|our| our.is_same(their)));
        are_same && ours.next().is_none() && policies(self) == policies(other)
    }

    fn drafts(&self) -> impl Iterator<Item = &Draft> {
        self.rules.iter().map(|(_, draft)| draft)
    }

    /// Where it begins.
    pub(super) fn line(&self) -> u32 {
        let first_rule = self.rules.first().map(|(line, _)| *line);
        let first_chain = self.chains.first().map(|(_, line, _)| *line);
        first_chain.or(first_rule).unwrap_or(1)
    }

    /// Whether lines are missing that every program prints: the name of the table, the policy, or a chain.
    fn is_fragment(&self) -> bool {
        let lacks_declaration = self.has_declarations && !self.undeclared.is_empty();
        self.header.is_none() && (self.is_committed || lacks_declaration)
    }

    /// One of rules that are set up besides others: what they do not decide, the others do.
    pub(super) fn of_loose_rules(table: &str, family: Family) -> Self {
        Self {
            header: Some(table.to_owned()),
            family: Some(family),
            is_committed: true,
            ..Self::default()
        }
    }

    pub(super) fn add_loose_rule(&mut self, line: u32, draft: Draft) {
        self.add_chain(&draft.chain, line, Policy::Accept);
        self.rules.push((line, draft));
    }

    fn is_empty(&self) -> bool {
        self.chains.is_empty() && self.rules.is_empty()
    }

    fn add_chain(&mut self, name: &str, line: u32, policy: Policy) {
        if self.names.insert(name.to_owned()) {
            self.chains.push((name.to_owned(), line, policy));
        }
    }

    fn add_rule(&mut self, line: u32, draft: Draft) {
        if self.family.is_none() {
            self.family = draft.family().or_else(|| draft.family_of_addresses());
        }
        if !self.names.contains(&draft.chain) {
            self.undeclared.insert(draft.chain.clone());
        }
        self.add_chain(&draft.chain, line, Policy::Unknown);
        self.rules.push((line, draft));
    }
}

/// What is said of a table of which lines are missing.
const FRAGMENT: &str = "lines of its table are missing, which may refuse anything: send all of the output of iptables-save";

/// Whether a line is one that an iptables dump has.
pub(crate) fn is_start(line: &str) -> bool {
    let line = &listed(without_counters(line.trim()));
    let words = line.split_whitespace().count();
    ["-A ", "-N ", "-P "]
        .iter()
        .any(|option| line.starts_with(option))
        && words > 1
        || line == "-A"
        || change(line).is_some()
        || line == "COMMIT"
        || table_header(line).is_some()
        || chain_header(line).is_some()
        || generator(line).is_some()
}

/// `*filter`.
fn table_header(line: &str) -> Option<&str> {
    let table = line.strip_prefix('*')?;
    ["filter", "nat", "mangle", "raw", "security"]
        .contains(&table)
        .then_some(table)
}

/// `:INPUT DROP [0:0]`.
fn chain_header(line: &str) -> Option<(&str, Policy)> {
    let mut words = line.strip_prefix(':')?.split_whitespace();
    let (name, policy_word) = (words.next()?, words.next()?);
    match policy_word {
        "-" => Some((name, Policy::Unknown)),
        word => Some((name, policy(word)?)),
    }
}

/// The family of the program that says it made the dump.
fn generator(line: &str) -> Option<Family> {
    let program = line.strip_prefix("# Generated by ")?;
    match (
        program.starts_with("iptables"),
        program.starts_with("ip6tables"),
    ) {
        (true, _) => Some(Family::V4),
        (_, true) => Some(Family::V6),
        _ => None,
    }
}

/// The part of the kernel that the program says it read.
fn backend(line: &str) -> Option<Backend> {
    match (line.contains("(legacy)"), line.contains("(nf_tables)")) {
        (true, _) => Some(Backend::Legacy),
        (_, true) => Some(Backend::Nft),
        _ => None,
    }
}

/// Without the `[packets:bytes]` that `iptables-save -c` puts first.
fn without_counters(line: &str) -> &str {
    match line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((_, rest)) => rest.trim_start(),
        None => line,
    }
}

pub(super) fn sections(
    lines: &[Line<'_>],
    programs: &[IptablesProgram],
    filter: &mut Filter,
) -> Vec<Section> {
    let mut reader = Reader::default();
    let mut programs = programs.iter().peekable();
    for line in lines {
        while let Some(program) = programs.next_if(|program| program.line < line.number) {
            reader.end(filter);
            (reader.generator, reader.backend) = (program.family, program.backend);
        }
        reader.read(line, filter);
    }
    reader.end(filter);
    reader.sections
}

#[derive(Default)]
struct Reader {
    sections: Vec<Section>,
    present: Section,
    /// From the last program that said it made the dump.
    generator: Option<Family>,
    backend: Option<Backend>,
    /// Rules so far, of all sections.
    rules: usize,
}

impl Reader {
    fn read(&mut self, line: &Line<'_>, filter: &mut Filter) {
        let text = &listed(without_counters(line.text.trim()));
        if let Some(family) = generator(text) {
            self.end(filter);
            self.generator = Some(family);
            self.backend = backend(text).or(self.backend);
        } else if let Some(table) = table_header(text) {
            self.end(filter);
            self.present.header = Some(table.to_owned());
        } else if text == "COMMIT" {
            self.present.is_committed = true;
            self.end(filter);
        } else if let Some((name, policy)) = chain_header(text) {
            self.present.has_declarations = true;
            self.present.add_chain(name, line.number, policy);
        } else if let Some(rest) = text.strip_prefix("-N ") {
            self.present
                .add_chain(rest.trim(), line.number, Policy::Unknown);
        } else if let Some(rest) = text.strip_prefix("-P ") {
            self.read_policy(rest, line, filter);
        } else if text.starts_with("-A ") {
            self.read_rule(text, line, filter);
        } else if let Some((command, chain)) = change(text) {
            let draft = Draft::doubtful(chain, Reason::Target(command.into()));
            self.present.add_chain(chain, line.number, Policy::Unknown);
            self.present.rules.insert(0, (line.number, draft));
            let reason =
                "it changes rules instead of listing them: send the output of iptables-save";
            filter.skip(line.number, reason);
        } else if text == "-A" || asks_or_decides(text) {
            filter.skip(line.number, "it cannot be read");
        }
    }

    fn read_rule(&mut self, text: &str, line: &Line<'_>, filter: &mut Filter) {
        self.rules += 1;
        if self.rules > MOST_RULES {
            filter.note_too_many_rules();
            return;
        }
        match Draft::parse(text) {
            Some(draft) => self.present.add_rule(line.number, draft),
            None => filter.skip(line.number, "it cannot be read"),
        }
    }

    fn read_policy(&mut self, rest: &str, line: &Line<'_>, filter: &mut Filter) {
        let mut words = rest.split_whitespace();
        let (Some(name), Some(policy)) = (words.next(), words.next().and_then(policy)) else {
            filter.skip(line.number, "its policy cannot be read");
            return;
        };
        // `iptables -S` prints the policies of a table first.
        let is_repeated = self.present.names.contains(name);
        let is_after_rules = !self.present.rules.is_empty();
        if self.present.header.is_none() && (is_repeated || is_after_rules) {
            self.end(filter);
        }
        self.present.add_chain(name, line.number, policy);
    }

    fn end(&mut self, filter: &mut Filter) {
        let mut section = std::mem::take(&mut self.present);
        if section.is_fragment() && !section.is_empty() {
            filter.doubt(section.line(), Reason::Incomplete(FRAGMENT.into()));
        }
        if section.is_cut() {
            section.cut();
        }
        if !section.is_empty() && self.sections.len() < MOST_SECTIONS {
            let family = section.family.or(self.generator);
            let backend = self.backend;
            self.sections.push(Section {
                family,
                backend,
                ..section
            });
        }
    }
}

/// A line as the programs list it: people also write the option out, and the address family in front.
fn listed(text: &str) -> Cow<'_, str> {
    let text = ["-4 ", "-6 ", "--ipv4 ", "--ipv6 "]
        .iter()
        .find_map(|family| text.strip_prefix(family))
        .unwrap_or(text)
        .trim_start();
    match text.strip_prefix("--append ") {
        Some(rest) => format!("-A {rest}").into(),
        None => text.into(),
    }
}

/// Whether a line has words of a rule, though it does not begin as one: prompts and headings have none.
pub(crate) fn asks_or_decides(text: &str) -> bool {
    let mut words = text.split_whitespace();
    !text.starts_with('#') && words.any(|word| matches!(word, "-j" | "--dport" | "--dports"))
}

/// Whether a line is the heading of a chain in what `iptables -L` prints.
pub(crate) fn is_listing(text: &str) -> bool {
    let is_heading =
        text.ends_with(')') && (text.contains("(policy ") || text.contains(" references)"));
    text.starts_with("Chain ") && is_heading
}

/// A command that changes rules of a chain, and that chain.
fn change(text: &str) -> Option<(&'static str, &str)> {
    let mut words = text.split_whitespace();
    let command = match words.next()? {
        "-I" | "--insert" => "-I",
        "-D" | "--delete" => "-D",
        "-R" | "--replace" => "-R",
        _ => return None,
    };
    Some((command, words.next()?))
}

/// Names a policy, if this is one.
fn policy(word: &str) -> Option<Policy> {
    match word {
        "ACCEPT" => Some(Policy::Accept),
        "DROP" | "REJECT" => Some(Policy::Refuse),
        _ => None,
    }
}
