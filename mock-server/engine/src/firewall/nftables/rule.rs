//! What one rule of nftables asks of a packet, and what it does with it.

use super::branch::{Action, Branch, Flow, require};
use super::field::{FamilyOf, Field, required};
use super::lookup::Lookups;
use super::parser::Parser;
use super::statement;
use super::tokens::Token;
use crate::firewall::filter::{Alteration, Condition, Holds, Match, Ports, Reason};
use crate::firewall::specs::port_range;

/// Alternatives that a rule may come to.
const MOST_BRANCHES: usize = 20_000;

/// The alternatives of a rule.
pub(super) fn branches(lookups: &mut Lookups<'_>, tokens: &[Token]) -> Vec<Branch> {
    let mut branches = vec![Branch::of(Match::default())];
    let mut parser = Parser::new(tokens);
    while parser.peek().is_some() {
        if let Some(field) = parser.field() {
            match_or_set(lookups, &mut parser, field, &mut branches);
        } else if statement::read(lookups, &mut parser, &mut branches) == Flow::Ends {
            break;
        }
    }
    branches
}

/// Whether a rule asks something, and then does nothing: such a line is one of which the end stands on the next.
pub(super) fn only_matches(tokens: &[Token]) -> bool {
    let is_statement = |token: &Token| statement::begins(token) || token.is("vmap");
    !tokens.iter().any(is_statement)
}

/// What begins with a field: a match, a lookup in a map, or a statement that sets the field.
fn match_or_set(
    lookups: &mut Lookups<'_>,
    parser: &mut Parser<'_>,
    first: Field,
    branches: &mut Vec<Branch>,
) {
    if parser.take("set") {
        set_field(parser, &first, branches);
        return;
    }
    if first == Field::Other("ct count".to_owned()) {
        let holds = if parser.take("over") {
            Holds::Never
        } else {
            Holds::Always
        };
        parser.next();
        require(branches, Condition::new(holds, Reason::Excess));
        return;
    }
    let mut fields = vec![first];
    while parser.take(".") {
        match parser.field() {
            Some(field) => fields.push(field),
            None => fields.push(Field::Other(parser.word().to_owned())),
        }
    }
    if parser.take("vmap") {
        let found = lookups.map(parser, &fields);
        *branches = product(branches, &found);
        return;
    }
    if has_arithmetic(parser) {
        arithmetic(parser, &fields, branches);
        return;
    }
    // `!` says that none of the bits is set.
    let is_negated = parser.take("!=") || parser.take("!");
    parser.take("==");
    let found = lookups.values(parser, &fields, is_negated);
    *branches = product(branches, &found);
}

/// Both: each of the first with each of the second.
pub(super) fn product(first: &[Branch], second: &[Branch]) -> Vec<Branch> {
    if first.len() * second.len() > MOST_BRANCHES {
        let mut first = first.to_vec();
        require(&mut first, Condition::unknown("too many alternatives"));
        for branch in &mut first {
            branch.action = Some(Action::Unknown(Reason::Target(
                "of too many alternatives".into(),
            )));
        }
        return first;
    }
    let pairs = first
        .iter()
        .flat_map(|one| second.iter().map(move |other| (one, other)));
    pairs
        .map(|(one, other)| Branch {
            matches: one.matches.clone().and(other.matches.clone()),
            alters: one.alters.clone().or_else(|| other.alters.clone()),
            action: one.action.clone().or_else(|| other.action.clone()),
        })
        .collect()
}

/// `meta mark set 0x1`: what the packet then has is no longer what it came with.
fn set_field(parser: &mut Parser<'_>, field: &Field, branches: &mut [Branch]) {
    let mut words = vec![parser.word()];
    // A value may be a sum of others.
    while let Some(token) = parser.peek() {
        let word = token.text.as_str();
        let is_sign = matches!(
            word,
            "and" | "or" | "xor" | "&" | "|" | "^" | "mark" | "(" | ")"
        );
        if !is_sign && !word.starts_with("0x") {
            break;
        }
        words.push(parser.word());
    }
    match field {
        Field::Mark | Field::ConnectionMark if !keeps_mark(&words) => {
            statement::alter(branches, Alteration::Mark);
        }
        // Another destination, without a connection that knows of it.
        Field::Destination(_) | Field::Port(_) => {
            for branch in branches {
                branch.action.get_or_insert(Action::Translate);
            }
        }
        _ => {}
    }
}

/// Whether a packet that has no mark has none with this one either: zero, or its own, or parts of that.
fn keeps_mark(value: &[&str]) -> bool {
    let adds = |word: &&str| matches!(*word, "or" | "xor" | "|" | "^");
    match value {
        ["0" | "0x0" | "0x00000000"] => true,
        ["meta" | "ct", "mark", rest @ ..] => !rest.iter().any(adds),
        _ => false,
    }
}

fn has_arithmetic(parser: &mut Parser<'_>) -> bool {
    [
        "&", "and", "|", "or", "^", "xor", "<<", ">>", "<", ">", "<=", ">=", "(",
    ]
    .iter()
    .any(|sign| parser.sees(sign))
        || parser.rest().get(1).is_some_and(|token| token.is("/"))
}

/// A comparison other than with a list: of ports a range, of TCP flags a mask; of everything else not known.
fn arithmetic(parser: &mut Parser<'_>, fields: &[Field], branches: &mut [Branch]) {
    let matches = match fields {
        [Field::Port(transport)] => compared_ports(parser, &Field::Port(*transport)),
        [Field::TcpFlags] => masked_flags(parser),
        [Field::Other(words)] if words == "ip frag-off" => fragments(parser),
        fields => {
            let words = skip_expression(parser);
            let mut matches = fields
                .iter()
                .map(required)
                .fold(Match::default(), Match::and);
            let names: Vec<String> = fields.iter().map(Field::to_string).collect();
            let words = format!("{} {words}", names.join(" . "));
            matches.require(Condition::unknown(&words));
            matches
        }
    };
    for branch in branches {
        let whole = std::mem::take(&mut branch.matches);
        branch.matches = whole.and(matches.clone());
    }
}

/// `ip frag-off & 0x1fff != 0`: the later parts of a packet, which have no port.
fn fragments(parser: &mut Parser<'_>) -> Match {
    let mut matches = required(&Field::Source(FamilyOf::V4));
    let words = skip_expression(parser);
    let is_later_part = words.starts_with('&') && words.contains("!= 0");
    matches.require(match is_later_part {
        true => Condition::new(Holds::Never, Reason::Existing),
        false => Condition::unknown(&format!("ip frag-off {words}")),
    });
    matches
}

fn compared_ports(parser: &mut Parser<'_>, field: &Field) -> Match {
    let mut matches = required(field);
    let sign = parser.word();
    let word = parser.word();
    let number = word.parse::<u16>().ok();
    let range = number.and_then(|number| match sign {
        "<" => Some(format!("1-{}", number.checked_sub(1)?)),
        "<=" => Some(format!("1-{number}")),
        ">" => Some(format!("{}-65535", number.checked_add(1)?)),
        ">=" => Some(format!("{number}-65535")),
        _ => None,
    });
    match range.and_then(|range| port_range(&range, '-')) {
        Some(range) => matches.require_ports(Ports::Listed(vec![range])),
        None => matches.require(Condition::unknown(&format!("{field} {sign} {word}"))),
    }
    matches
}

/// `tcp flags & (fin | syn | rst | ack) == syn`, or `tcp flags syn / fin,syn,rst,ack`.
fn masked_flags(parser: &mut Parser<'_>) -> Match {
    let mut matches = required(&Field::TcpFlags);
    let expression = expression(parser);
    let words: Vec<&str> = expression.iter().map(|token| token.text.as_str()).collect();
    let sign = words
        .iter()
        .position(|word| matches!(*word, "==" | "!=" | "/"));
    let (left, right, is_negated) = match sign {
        Some(place) if words[place] == "/" => {
            let is_negated = words.first() == Some(&"!=");
            (&words[place + 1..], &words[..place], is_negated)
        }
        Some(place) => (&words[..place], &words[place + 1..], words[place] == "!="),
        None => (&words[..], &["0"][..], true),
    };
    let flags = |words: &[&str]| {
        let names = ["fin", "syn", "rst", "psh", "ack", "urg", "ecn", "cwr"];
        let mut flags: Vec<String> = words
            .iter()
            .flat_map(|word| word.split(['|', ',', '(', ')']))
            .filter(|word| names.contains(word))
            .map(str::to_owned)
            .collect();
        flags.sort();
        flags
    };
    let comparison = words
        .iter()
        .position(|word| matches!(*word, "<" | ">" | "<=" | ">="));
    if let Some(place) = comparison {
        matches.require(compared_flags(&words, place));
        return matches;
    }
    if words.iter().any(|word| word.starts_with(['<', '>', '^'])) {
        matches.require(Condition::unknown(&words.join(" ")));
        return matches;
    }
    let mut seen = flags(left);
    seen.retain(|flag| flag == "syn");
    let holds = match (seen == flags(right)) != is_negated {
        true => Holds::Always,
        false => Holds::Never,
    };
    matches.require(Condition::new(holds, Reason::Existing));
    matches
}

/// `tcp flags & (fin | syn | rst) < fin`: the flags as a number, of a packet that has SYN alone.
fn compared_flags(words: &[&str], place: usize) -> Condition {
    let (left, right) = (&words[..place], &words[place + 1..]);
    let number = |words: &[&str]| {
        let flags = words
            .iter()
            .flat_map(|word| word.split(['&', '|', '(', ')']))
            .filter(|word| !word.is_empty());
        flags
            .map(flag_number)
            .try_fold(0, |all, flag| Some(all | flag?))
    };
    let (Some(mask), Some(limit)) = (number(left), number(right)) else {
        return Condition::unknown(&words.join(" "));
    };
    let seen = if left.is_empty() { SYN } else { mask & SYN };
    let is_met = match words[place] {
        "<" => seen < limit,
        "<=" => seen <= limit,
        ">" => seen > limit,
        _ => seen >= limit,
    };
    Condition::new(Holds::from(is_met), Reason::Existing)
}

const SYN: u8 = 2;

fn flag_number(flag: &str) -> Option<u8> {
    let names = ["fin", "syn", "rst", "psh", "ack", "urg", "ecn", "cwr"];
    let place = names.iter().position(|name| *name == flag);
    place.map(|place| 1 << place).or_else(|| flag.parse().ok())
}

fn skip_expression(parser: &mut Parser<'_>) -> String {
    let tokens = expression(parser);
    let words: Vec<&str> = tokens
        .iter()
        .take(12)
        .map(|token| token.text.as_str())
        .collect();
    words.join(" ")
}

/// Takes signs and values up to the next match or statement.
fn expression<'a>(parser: &mut Parser<'a>) -> Vec<&'a Token> {
    let mut taken = Vec::new();
    while let Some(token) = parser.peek() {
        if statement::begins(token) {
            break;
        }
        let mut ahead = *parser;
        let is_field = ahead.field().is_some();
        if is_field && taken.len() > 1 {
            break;
        }
        if token.is("{") {
            parser.braced();
        } else {
            parser.next();
        }
        taken.push(token);
    }
    taken
}
