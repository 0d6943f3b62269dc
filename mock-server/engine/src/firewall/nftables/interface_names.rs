//! The interfaces that the rules of a table name, and what they tell of where these lead.

use std::collections::HashSet;

use super::blocks::Table;
use super::elements::{Element, elements};
use super::field::Field;
use super::parser::Parser;
use super::tokens::Token;
use crate::firewall::interfaces::Interfaces;

/// Takes note of the interfaces that the rules of a table name, with the chains that their packets go to.
pub(super) fn mention_interfaces(table: &Table<'_>, interfaces: &mut Interfaces) {
    let chains = table.chains.iter();
    let translating = chains.filter(|chain| chain.rules.iter().any(|rule| translates(rule)));
    let translating: HashSet<&str> = translating.map(|chain| chain.name.as_str()).collect();
    for chain in &table.chains {
        for device in chain.base.iter().flat_map(|base| &base.devices) {
            interfaces.mention(device, "");
        }
        for rule in &chain.rules {
            let own = if chain.base.is_none() {
                chain.name.as_str()
            } else {
                ""
            };
            mention_input(table, rule, own, interfaces);
            let leads_there = target(rule).is_some_and(|target| translating.contains(target));
            let Some(named) = NamedInterfaces::of(table, rule, &Field::OutputInterface) else {
                continue;
            };
            match (leads_there || translates(rule)) && !named.is_negated && !has_destination(rule) {
                true => named.each(|name, _| interfaces.mention_translated(name)),
                false => named.each(|name, _| interfaces.mention(name, "")),
            }
        }
    }
}

fn mention_input(table: &Table<'_>, rule: &[Token], own: &str, interfaces: &mut Interfaces) {
    let leads_to = target(rule).unwrap_or(own);
    if let Some(named) = NamedInterfaces::of(table, rule, &Field::Interface) {
        named.each(|name, verdict| interfaces.mention(name, verdict.unwrap_or(leads_to)));
    }
}

/// The chain that a rule leads to.
fn target(rule: &[Token]) -> Option<&str> {
    let place = rule
        .iter()
        .position(|token| token.is("jump") || token.is("goto"));
    Some(&rule.get(place? + 1)?.text)
}

/// Whether a rule gives packets an address of the host.
fn translates(rule: &[Token]) -> bool {
    let is_snat = |pair: &[Token]| {
        let is_behind = ["to", "ip", "ip6"].iter().any(|word| pair[1].is(word));
        pair[0].is("snat") && is_behind
    };
    rule.iter().any(|token| token.is("masquerade")) || rule.windows(2).any(is_snat)
}

/// Whether a rule is for packets to some addresses: those to one network of its own get an address of the host as
/// well, so that their answers come back by it.
fn has_destination(rule: &[Token]) -> bool {
    let is_asked = |pair: &[Token]| pair[0].is("daddr") && !pair[1].is("!=");
    rule.windows(2).any(is_asked)
}

/// The interfaces that a rule names in one field.
struct NamedInterfaces {
    listed: Vec<Element>,
    /// Which part of the key of each it is.
    place: usize,
    is_map: bool,
    is_negated: bool,
}

impl NamedInterfaces {
    fn of(table: &Table<'_>, rule: &[Token], field: &Field) -> Option<Self> {
        let (mut parser, place) = interface_key(rule, field)?;
        let is_map = parser.take("vmap");
        let is_negated = parser.take("!=");
        let next = parser.peek()?;
        let name = next.text.strip_prefix('@');
        let named = name.and_then(|name| table.sets.get(name));
        let (listed, place) = match named {
            Some(listed) => (listed.clone(), place),
            None if next.is("{") => (elements(parser.braced()), place),
            None => {
                let mut only = Element::default();
                only.key.push(next.text.clone());
                (vec![only], 0)
            }
        };
        Some(Self {
            listed,
            place,
            is_map,
            is_negated,
        })
    }

    /// Tells each name, with the chain that a map leads to.
    fn each(&self, mut tell: impl FnMut(&str, Option<&str>)) {
        for element in &self.listed {
            let verdict = element.value.get(1).map_or("", String::as_str);
            if let Some(name) = element.key.get(self.place) {
                tell(name, self.is_map.then_some(verdict));
            }
        }
    }
}

/// Behind the fields of a rule that the interface is one of, and which of them it is.
fn interface_key<'a>(rule: &'a [Token], wanted: &Field) -> Option<(Parser<'a>, usize)> {
    let words = match wanted {
        Field::Interface => ["iif", "iifname"],
        _ => ["oif", "oifname"],
    };
    let is_name = |token: &Token| words.iter().any(|word| token.is(word));
    let last = rule.iter().position(is_name)?;
    let of_route = rule[..last].iter().rposition(|token| token.is("fib"));
    let is_in_route = of_route.is_some_and(|start| {
        let mut parser = Parser::new(&rule[start..]);
        parser.field();
        rule.len() - parser.rest().len() > last
    });
    if is_in_route {
        return None;
    }
    (0..=last).find_map(|start| {
        let mut parser = Parser::new(&rule[start..]);
        let mut fields = vec![parser.field()?];
        while parser.take(".") {
            fields.push(parser.field()?);
        }
        let key = fields.iter().position(|field| field == wanted)?;
        Some((parser, key))
    })
}
