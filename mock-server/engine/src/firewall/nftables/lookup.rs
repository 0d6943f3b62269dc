//! Sets and maps, named or not, and what their elements come to for the
//! fields that are looked up in them.

use std::collections::HashMap;
use std::rc::Rc;

use super::blocks::Table;
use super::branch::{Action, Branch};
use super::elements::{Element, elements};
use super::field::{Field, Place, among, required};
use super::parser::Parser;
use crate::firewall::filter::{Condition, Holds, Match, Ports, Reason};

/// The sets and maps of a table.
pub(super) struct Lookups<'a> {
    pub(super) table: &'a Table<'a>,
    pub(super) place: Place<'a>,
    /// What the elements of a named set come to for a field, once that was asked.
    known: HashMap<(String, Vec<Field>), Rc<Vec<Branch>>>,
}

/// Alternatives among which those are sought that are alike but for their ports.
const MOST_COMPARED: usize = 32;

impl<'a> Lookups<'a> {
    pub(super) fn new(table: &'a Table<'a>, place: Place<'a>) -> Self {
        Self {
            table,
            place,
            known: HashMap::new(),
        }
    }

    /// What the elements of a map come to, with the verdict of each.
    pub(super) fn map(&mut self, parser: &mut Parser<'_>, fields: &[Field]) -> Rc<Vec<Branch>> {
        if let Some(name) = named_set(parser) {
            let key = (name.clone(), fields.to_vec());
            if let Some(known) = self.known.get(&key) {
                return Rc::clone(known);
            }
            let found = match self.lasting(&name) {
                Some(listed) => self.alternatives(listed, fields),
                None => vec![unknown_lookup(&name)],
            };
            let found = Rc::new(found);
            self.known.insert(key, Rc::clone(&found));
            return found;
        }
        let listed = elements(parser.braced());
        Rc::new(self.alternatives(&listed, fields))
    }

    pub(super) fn values(
        &mut self,
        parser: &mut Parser<'_>,
        fields: &[Field],
        is_negated: bool,
    ) -> Rc<Vec<Branch>> {
        if let Some(name) = named_set(parser) {
            let mut key = (name.clone(), fields.to_vec());
            if is_negated {
                key.0.push('!');
            }
            if let Some(known) = self.known.get(&key) {
                return Rc::clone(known);
            }
            let found = match self.lasting(&name) {
                Some(listed) => self.listed(listed, fields, is_negated),
                None if self.is_of_sources(&name, fields) => vec![some_sources(fields)],
                None => vec![missing_set(&name, fields, is_negated)],
            };
            let found = Rc::new(found);
            self.known.insert(key, Rc::clone(&found));
            return found;
        }
        let listed = match parser.sees("{") {
            true => elements(parser.braced()),
            false => listed_values(parser),
        };
        Rc::new(self.listed(&listed, fields, is_negated))
    }

    /// The elements of a named set, where they are the same as long as the rules are.
    fn lasting(&self, name: &str) -> Option<&'a Vec<Element>> {
        let is_lasting = !self.table.filled_at_run_time.contains(name);
        self.table.sets.get(name).filter(|_| is_lasting)
    }

    /// Whether a set is one of sources that come and go.
    fn is_of_sources(&self, name: &str, fields: &[Field]) -> bool {
        let mut fields = fields.iter();
        let has_source = fields.any(|field| matches!(field, Field::Source(_)));
        has_source && self.table.filled_at_run_time.contains(name)
    }

    /// What a packet has whose fields are, or are not, listed.
    fn listed(&self, listed: &[Element], fields: &[Field], is_negated: bool) -> Vec<Branch> {
        if let [field] = fields {
            let values: Vec<&str> = listed
                .iter()
                .filter_map(|element| element.key.first())
                .map(String::as_str)
                .collect();
            let matches = among(field, &values, is_negated, self.place);
            return vec![Branch::of(matches)];
        }
        let alternatives = self.alternatives(listed, fields);
        if !is_negated {
            return alternatives;
        }
        let is_never = |branch: &Branch| branch.matches.holds == Holds::Never;
        let holds = match alternatives.iter().all(is_never) {
            true => Holds::Always,
            false => Holds::Sometimes,
        };
        let mut matches = fields
            .iter()
            .map(required)
            .fold(Match::default(), Match::and);
        matches.require(Condition::new(
            holds,
            Reason::Condition("not in a set".into()),
        ));
        vec![Branch::of(matches)]
    }

    /// A branch for each element, those together that differ in their ports only.
    fn alternatives(&self, listed: &[Element], fields: &[Field]) -> Vec<Branch> {
        let mut branches: Vec<Branch> = Vec::new();
        for element in listed.iter().filter(|element| !element.is_rest()) {
            let parts = fields.iter().zip(
                element
                    .key
                    .iter()
                    .map(String::as_str)
                    .chain(std::iter::repeat("")),
            );
            let matches = parts
                .map(|(field, part)| match part {
                    "*" => required(field),
                    part => among(field, &[part], false, self.place),
                })
                .fold(Match::default(), Match::and);
            let branch = Branch {
                action: action_of(&element.value),
                ..Branch::of(matches)
            };
            let mut alike = branches.iter_mut().take(MOST_COMPARED);
            match alike.find(|known| are_alike(known, &branch)) {
                Some(known) => add_ports(&mut known.matches.ports, branch.matches.ports),
                None => branches.push(branch),
            }
        }
        // What refuses goes first, where elements overlap; what is for all others goes last.
        branches.sort_by_key(|branch| branch.action != Some(Action::Refuse));
        if let Some(rest) = listed.iter().find(|element| element.is_rest()) {
            branches.extend(self.all_others(listed, rest, fields));
        }
        if branches.is_empty() {
            let mut matches = fields
                .iter()
                .map(required)
                .fold(Match::default(), Match::and);
            matches.require(Condition::new(
                Holds::Never,
                Reason::Condition("an empty set".into()),
            ));
            branches.push(Branch::of(matches));
        }
        branches
    }

    /// What `*` comes to. Whoever is listed by name does not come there, though its own verdict let it go on.
    fn all_others(&self, listed: &[Element], rest: &Element, fields: &[Field]) -> Vec<Branch> {
        let named = listed.iter().filter(|element| !element.is_rest());
        let named: Vec<Element> = named.cloned().collect();
        let mut others = self.listed(&named, fields, true);
        for branch in &mut others {
            branch.action = action_of(&rest.value);
        }
        others
    }

    /// What the keys of a `dnat to tcp dport map { ... }` come to.
    pub(super) fn translated(&mut self, parser: &mut Parser<'_>) -> Option<Rc<Vec<Branch>>> {
        let place = parser.rest().iter().position(|token| token.is("map"))?;
        let field = (0..place).find_map(|start| {
            let mut ahead = *parser;
            ahead.skip(start);
            let field = ahead.field()?;
            ahead.sees("map").then_some(field)
        })?;
        parser.skip(place + 1);
        Some(match named_set(parser) {
            Some(name) => {
                let listed = self.table.sets.get(&name).map_or(&[][..], Vec::as_slice);
                Rc::new(self.alternatives(listed, &[field]))
            }
            None => Rc::new(self.alternatives(&elements(parser.braced()), &[field])),
        })
    }
}

fn are_alike(one: &Branch, other: &Branch) -> bool {
    let (first, second) = (&one.matches, &other.matches);
    one.action == other.action
        && matches!(
            (&first.ports, &second.ports),
            (Ports::Listed(_), Ports::Listed(_))
        )
        && first.is_alike_but_for_ports(second)
}

fn add_ports(ports: &mut Ports, more: Ports) {
    if let (Ports::Listed(known), Ports::Listed(more)) = (ports, more) {
        known.extend(more);
    }
}

fn named_set(parser: &mut Parser<'_>) -> Option<String> {
    let name = parser.peek()?.text.strip_prefix('@')?.to_owned();
    // `@th,16,16` is a place in the packet.
    if matches!(name.as_str(), "th" | "nh" | "ll" | "ih") {
        return None;
    }
    parser.next();
    Some(name)
}

fn unknown_lookup(name: &str) -> Branch {
    let mut matches = Match::default();
    matches.require(Condition::unknown(&format!("@{name}")));
    Branch {
        action: Some(Action::Unknown(Reason::Target(
            format!("vmap @{name}").into(),
        ))),
        ..Branch::of(matches)
    }
}

fn some_sources(fields: &[Field]) -> Branch {
    let required = fields.iter().map(required);
    let mut matches = required.fold(Match::default(), Match::and);
    matches.require(Condition::new(Holds::Sometimes, Reason::Sources));
    Branch::of(matches)
}

fn missing_set(name: &str, fields: &[Field], is_negated: bool) -> Branch {
    let mut matches = fields
        .iter()
        .map(required)
        .fold(Match::default(), Match::and);
    let sign = if is_negated { "!= " } else { "" };
    let condition = match fields {
        [Field::Port(_)] => Condition::new(
            Holds::Sometimes,
            Reason::UnreadablePorts(format!("{sign}@{name}").into()),
        ),
        _ => Condition::unknown(&format!("{sign}@{name}")),
    };
    matches.require(condition);
    Branch::of(matches)
}

/// One value, or several with commas between, each perhaps of several parts.
fn listed_values(parser: &mut Parser<'_>) -> Vec<Element> {
    let mut listed = Vec::new();
    loop {
        let mut element = Element::default();
        element.key.push(parser.word().to_owned());
        while parser.take(".") {
            element.key.push(parser.word().to_owned());
        }
        listed.push(element);
        if !parser.take(",") {
            return listed;
        }
    }
}

fn action_of(words: &[String]) -> Option<Action> {
    let mut words = words.iter().map(String::as_str);
    Some(match words.next()? {
        "accept" => Action::Accept,
        "drop" => Action::Refuse,
        "return" => Action::Return,
        "continue" => Action::Continue,
        "jump" => Action::Jump(words.next()?.to_owned()),
        "goto" => Action::Goto(words.next()?.to_owned()),
        word => Action::Unknown(Reason::Target(word.into())),
    })
}
