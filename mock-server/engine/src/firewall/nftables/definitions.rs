//! `define WAN = eth0`, and what stands for it: `$WAN`.

use std::collections::HashMap;

use super::tokens::{Token, braced};

/// Tokens that definitions may come to, and may add to a ruleset.
const MOST_DEFINED: usize = 20_000;

/// Puts what is defined in the place of its name. A name that is not defined stays, and nobody knows it; so do all where
/// definitions of definitions come to more than is read.
pub(super) fn resolved(tokens: Vec<Token>) -> Vec<Token> {
    match tokens.iter().any(|token| token.is("define")) {
        true => all_resolved(&tokens).unwrap_or(tokens),
        false => tokens,
    }
}

fn all_resolved(tokens: &[Token]) -> Option<Vec<Token>> {
    let mut definitions: HashMap<&str, Vec<Token>> = HashMap::new();
    let mut resolved = Vec::new();
    let mut defined = 0;
    let mut rest = tokens;
    while let Some((token, behind)) = rest.split_first() {
        if let Some(definition) = Definition::at(rest) {
            let mut value = Vec::new();
            for token in definition.value {
                add(token, &definitions, &mut value);
                if defined + value.len() > MOST_DEFINED {
                    return None;
                }
            }
            defined += value.len();
            definitions.insert(definition.name, value);
            rest = &rest[definition.length..];
            continue;
        }
        add(token, &definitions, &mut resolved);
        if resolved.len() > tokens.len() + MOST_DEFINED {
            return None;
        }
        rest = behind;
    }
    Some(resolved)
}

/// A definition at the start of these tokens.
struct Definition<'a> {
    name: &'a str,
    value: &'a [Token],
    length: usize,
}

impl<'a> Definition<'a> {
    fn at(tokens: &'a [Token]) -> Option<Self> {
        let [word, name, sign, value, ..] = tokens else {
            return None;
        };
        if !(word.is("define") || word.is("redefine")) || !sign.is("=") {
            return None;
        }
        let behind = &tokens[3..];
        let length = match value.is("{") {
            true => braced(behind).1,
            false => {
                let is_end = |token: &Token| token.is_newline() || token.is(";") || token.is("#");
                behind.iter().position(is_end).unwrap_or(behind.len())
            }
        };
        Some(Self {
            name: &name.text,
            value: &behind[..length],
            length: 3 + length,
        })
    }
}

/// Adds a token, or what it stands for; elements inside of a set are elements of that set.
fn add(token: &Token, definitions: &HashMap<&str, Vec<Token>>, to: &mut Vec<Token>) {
    let name = token.text.strip_prefix('$').filter(|_| !token.is_quoted);
    let Some(value) = name.and_then(|name| definitions.get(name)) else {
        to.push(token.clone());
        return;
    };
    let last = to.iter().rev().find(|token| !token.is_newline());
    let is_element = last.is_some_and(|last| last.is("{") || last.is(","));
    let value = match value.first() {
        Some(first) if is_element && first.is("{") => braced(value).0,
        _ => value.as_slice(),
    };
    let line = token.line;
    to.extend(value.iter().map(|token| Token {
        line,
        ..token.clone()
    }));
}
