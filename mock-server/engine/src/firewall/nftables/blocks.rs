//! The tables of a ruleset, with their sets, maps and chains.

use std::collections::{HashMap, HashSet};

use super::elements::{Element, elements};
use super::tokens::{Token, braced};
use crate::firewall::filter::{Base, Families, Family, Hook, Policy};

/// A table.
#[derive(Clone, Default, Debug)]
pub(super) struct Table<'a> {
    pub(super) family: String,
    is_dormant: bool,
    /// Sets and maps, by name.
    pub(super) sets: HashMap<String, Vec<Element>>,
    /// Sets and maps whose elements come and go while the host runs: what is listed is not all that may be in them.
    pub(super) filled_at_run_time: HashSet<String>,
    /// Limits that say what is over them.
    pub(super) over_limits: HashSet<String>,
    pub(super) chains: Vec<Chain<'a>>,
    /// The names of those that packets start in.
    base_chains: HashSet<String>,
}

/// A chain.
#[derive(Clone, Debug)]
pub(super) struct Chain<'a> {
    pub(super) name: String,
    pub(super) base: Option<BaseLine>,
    pub(super) rules: Vec<&'a [Token]>,
}

/// A base chain, as its first line says it.
#[derive(Clone, Debug)]
pub(super) struct BaseLine {
    pub(super) base: Base,
    /// The interfaces that a chain of the family netdev is for.
    pub(super) devices: Vec<String>,
}

impl Table<'_> {
    pub(super) fn families(&self) -> Families {
        match self.family.as_str() {
            "ip" => Families::Only(Family::V4),
            "ip6" => Families::Only(Family::V6),
            "inet" | "netdev" => Families::Both,
            _ => Families::Neither,
        }
    }
}

/// The tables of a ruleset, and the chains that stand outside one.
pub(super) fn tables(tokens: &[Token]) -> Vec<Table<'_>> {
    let mut opened = OpenedTables::default();
    let mut loose = Table {
        family: "inet".to_owned(),
        ..Table::default()
    };
    let mut rest = tokens;
    while let Some(open) = rest.iter().position(|token| token.is("{")) {
        let Some(start) = rest[..open]
            .iter()
            .position(|token| token.is("table") || token.is("chain"))
        else {
            rest = &rest[open + 1..];
            continue;
        };
        let head: Vec<&str> = rest[start..open]
            .iter()
            .map(|token| token.text.as_str())
            .collect();
        let (body, length) = braced(&rest[open..]);
        let removes = ["flush", "delete", "destroy"];
        let is_removal = |token: &Token| removes.iter().any(|word| token.is(word));
        if rest[..start].iter().any(is_removal) {
            opened.places.clear();
        }
        match head.as_slice() {
            ["table", name] => opened.add(name, table("ip", body)),
            ["table", family, name, ..] => opened.add(name, table(family, body)),
            ["chain", name, ..] => loose.add_chain(name, body),
            _ => {}
        }
        rest = &rest[open + length..];
    }
    if !loose.chains.is_empty() {
        opened.tables.push(loose);
    }
    opened.tables
}

/// The tables so far, and where those are that may be opened again.
#[derive(Default)]
struct OpenedTables<'a> {
    tables: Vec<Table<'a>>,
    /// By family and name.
    places: HashMap<(String, String), usize>,
}

impl<'a> OpenedTables<'a> {
    /// Adds a table, or what it adds to one that was opened before. Where it tells a hook again it is of another dump.
    fn add(&mut self, name: &str, table: Table<'a>) {
        let key = (table.family.clone(), name.to_owned());
        let known = self.places.get(&key).copied();
        match known.and_then(|place| self.tables.get_mut(place)) {
            Some(known) if known.base_chains.is_disjoint(&table.base_chains) => known.append(table),
            _ => {
                self.places.insert(key, self.tables.len());
                self.tables.push(table);
            }
        }
    }
}

fn table<'a>(family: &str, body: &'a [Token]) -> Table<'a> {
    let mut table = Table {
        family: family.to_owned(),
        ..Table::default()
    };
    let mut rest = body;
    while let Some(token) = rest.first() {
        let end = rest
            .iter()
            .position(|token| token.is("{") || token.is_newline() || token.is(";"));
        let end = end.unwrap_or(rest.len());
        let head = &rest[..end];
        if !rest.get(end).is_some_and(|token| token.is("{")) {
            table.is_dormant |= token.is("flags") && head.iter().any(|token| token.is("dormant"));
            rest = rest.get(end + 1..).unwrap_or(&[]);
            continue;
        }
        let (inside, length) = braced(&rest[end..]);
        table.add_block(head, inside);
        rest = &rest[end + length..];
    }
    if table.is_dormant {
        for chain in &mut table.chains {
            chain.base = None;
        }
    }
    table
}

impl<'a> Table<'a> {
    /// Rules of a chain that is known are added behind those it has: the translation puts chains of one name together.
    fn append(&mut self, other: Self) {
        for (name, elements) in other.sets {
            self.sets.entry(name).or_default().extend(elements);
        }
        self.filled_at_run_time.extend(other.filled_at_run_time);
        self.over_limits.extend(other.over_limits);
        self.base_chains.extend(other.base_chains);
        self.chains.extend(other.chains);
    }

    fn add_block(&mut self, head: &[Token], body: &'a [Token]) {
        let name = head.get(1).map_or("", |token| token.text.as_str());
        match head.first().map_or("", |token| token.text.as_str()) {
            "chain" => self.add_chain(name, body),
            "set" | "map" => {
                let listed = body.iter().position(|token| token.is("elements"));
                let listed = listed.and_then(|place| {
                    let open = body[place..].iter().position(|token| token.is("{"))?;
                    Some(elements(braced(&body[place + open..]).0))
                });
                self.sets
                    .insert(name.to_owned(), listed.unwrap_or_default());
                if statements(body).into_iter().any(is_of_run_time) {
                    self.filled_at_run_time.insert(name.to_owned());
                }
            }
            "limit" if body.iter().any(|token| token.is("over")) => {
                self.over_limits.insert(name.to_owned());
            }
            _ => {}
        }
    }

    /// Takes note of the sets that rules fill: `add @seen { ip saddr }`.
    fn note_filled(&mut self, body: &[Token]) {
        for pair in body.windows(2) {
            if (pair[0].is("add") || pair[0].is("update"))
                && let Some(name) = pair[1].text.strip_prefix('@')
            {
                self.filled_at_run_time.insert(name.to_owned());
            }
        }
    }

    fn add_chain(&mut self, name: &str, body: &'a [Token]) {
        let mut chain = Chain {
            name: name.to_owned(),
            base: None,
            rules: Vec::new(),
        };
        self.note_filled(body);
        for statement in statements(body) {
            let is_cut = statement.iter().any(Token::is_cut);
            match statement.first().map_or("", |token| token.text.as_str()) {
                "type" if statement.iter().any(|token| token.is("hook")) => {
                    chain.base = base(statement, self.families());
                }
                "policy" => {
                    if let (Some(line), Some(word)) = (&mut chain.base, statement.get(1)) {
                        line.base.policy = policy(&word.text);
                    }
                }
                "comment" | "flags" | "device" | "devices" => {}
                _ if is_cut => {}
                _ => chain.rules.push(statement),
            }
            if is_cut {
                chain.rules.push(statement);
            }
        }
        if chain.base.is_some() {
            self.base_chains.insert(name.to_owned());
        }
        self.chains.push(chain);
    }
}

/// `flags dynamic,timeout` or `timeout 1d`: what a set is that rules or programs add to.
fn is_of_run_time(statement: &[Token]) -> bool {
    match statement.split_first() {
        Some((first, flags)) if first.is("flags") => flags
            .iter()
            .any(|flag| flag.is("dynamic") || flag.is("timeout")),
        Some((first, _)) => first.is("timeout"),
        None => false,
    }
}

/// The statements of a chain: what stands between ends of lines and semicolons, but not inside a set.
pub(super) fn statements(body: &[Token]) -> Vec<&[Token]> {
    let mut statements = Vec::new();
    let (mut start, mut depth) = (0, 0_usize);
    for (place, token) in body.iter().enumerate() {
        if token.is("{") {
            depth += 1;
        } else if token.is("}") {
            depth = depth.saturating_sub(1);
        } else if depth == 0 && (token.is_newline() || token.is(";")) {
            statements.push(&body[start..place]);
            start = place + 1;
        }
    }
    statements.push(&body[start..]);
    statements.retain(|statement| !statement.is_empty());
    statements
}

/// `type filter hook input device "eth0" priority filter + 10`.
fn base(statement: &[Token], families: Families) -> Option<BaseLine> {
    let after = |word: &str| {
        let place = statement.iter().position(|token| token.is(word))?;
        Some(&statement[place + 1..])
    };
    let hook = match after("hook")?.first()?.text.as_str() {
        "ingress" => Hook::Ingress,
        "prerouting" => Hook::Prerouting,
        "input" => Hook::Input,
        "forward" => Hook::Forward,
        _ => Hook::Output,
    };
    let devices = after("device").or_else(|| after("devices")).unwrap_or(&[]);
    let devices = devices.iter().take_while(|token| !token.is("priority"));
    let names =
        devices.filter(|token| token.is_quoted || token.text.starts_with(char::is_alphabetic));
    let base = Base {
        hook,
        priority: priority(after("priority").unwrap_or(&[])),
        families,
        policy: Policy::Accept,
        line: statement.first()?.line,
    };
    Some(BaseLine {
        base,
        devices: names.map(|token| token.text.clone()).collect(),
    })
}

fn priority(words: &[Token]) -> i32 {
    let mut sum = 0_i32;
    let mut sign = 1;
    for token in words {
        match token.text.as_str() {
            "raw" => sum -= 300,
            "mangle" => sum -= 150,
            "dstnat" => sum -= 100,
            "filter" | "out" => {}
            "security" => sum += 50,
            "srcnat" => sum += 100,
            "+" => sign = 1,
            "-" => sign = -1,
            number => match number.parse::<i32>() {
                Ok(number) => sum = sum.saturating_add(number.saturating_mul(sign)),
                Err(_) => break,
            },
        }
    }
    sum
}

fn policy(word: &str) -> Policy {
    match word {
        "accept" => Policy::Accept,
        _ => Policy::Refuse,
    }
}
