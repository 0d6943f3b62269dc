//! Statements of a rule: verdicts, limits, what counts and what logs.

use super::branch::{Action, Branch, Flow, require};
use super::field::required;
use super::lookup::Lookups;
use super::parser::Parser;
use super::tokens::Token;
use crate::firewall::filter::{
    Alteration, Condition, Families, Family, Holds, Ports, Protocols, Reason,
};

/// Words that statements begin with.
const BEGINNINGS: [&str; 30] = [
    "accept",
    "drop",
    "reject",
    "return",
    "continue",
    "jump",
    "goto",
    "queue",
    "counter",
    "log",
    "limit",
    "quota",
    "comment",
    "add",
    "update",
    "delete",
    "meter",
    "set",
    "dnat",
    "snat",
    "redirect",
    "masquerade",
    "tproxy",
    "notrack",
    "flow",
    "dup",
    "fwd",
    "synproxy",
    "xt",
    "#",
];

pub(super) fn begins(token: &Token) -> bool {
    !token.is_quoted && BEGINNINGS.contains(&token.text.as_str())
}

/// Reads a statement, or passes over a word that the reader does not know.
pub(super) fn read(
    lookups: &mut Lookups<'_>,
    parser: &mut Parser<'_>,
    branches: &mut [Branch],
) -> Flow {
    let Some(token) = parser.next() else {
        return Flow::Ends;
    };
    if !begins(token) {
        require(branches, Condition::unknown(&token.text));
        return Flow::GoesOn;
    }
    match token.text.as_str() {
        "accept" => decide(branches, Action::Accept),
        "drop" => decide(branches, Action::Refuse),
        "reject" => reject(parser, branches),
        "return" => decide(branches, Action::Return),
        "continue" => decide(branches, Action::Continue),
        "jump" => decide(branches, Action::Jump(parser.word().to_owned())),
        "goto" => decide(branches, Action::Goto(parser.word().to_owned())),
        "snat" | "masquerade" => decide(branches, Action::Continue),
        "dnat" | "redirect" | "tproxy" => translate(lookups, parser, branches),
        "queue" | "fwd" | "synproxy" => decide(
            branches,
            Action::Unknown(Reason::Target(token.text.as_str().into())),
        ),
        "notrack" => alter(branches, Alteration::Untrack),
        "xt" => extension(parser, branches),
        "#" => remark(parser, branches),
        word => {
            modifier(lookups, parser, word, branches);
            Flow::GoesOn
        }
    }
}

fn decide(branches: &mut [Branch], action: Action) -> Flow {
    for branch in branches {
        branch.action.get_or_insert_with(|| action.clone());
    }
    Flow::Ends
}

/// What an answer is made of is asked of the packet too: one of ICMP is for its own family, one of TCP for TCP.
fn reject(parser: &mut Parser<'_>, branches: &mut [Branch]) -> Flow {
    let answer = if parser.take("with") {
        parser.word()
    } else {
        ""
    };
    for branch in branches.iter_mut().filter(|branch| branch.action.is_none()) {
        let matches = &mut branch.matches;
        match answer {
            "icmp" => matches.families = matches.families & Families::Only(Family::V4),
            "icmpv6" => matches.families = matches.families & Families::Only(Family::V6),
            "tcp" => matches.require_protocols(Protocols::TCP),
            _ => {}
        }
    }
    decide(branches, Action::Refuse)
}

/// What changes a packet does not keep the verdict behind it from deciding.
pub(super) fn alter(branches: &mut [Branch], alteration: Alteration) -> Flow {
    for branch in branches {
        let met = || Box::new((alteration, branch.matches.clone()));
        branch.alters.get_or_insert_with(met);
    }
    Flow::GoesOn
}

/// Address translation, whose map may name the ports.
fn translate(lookups: &mut Lookups<'_>, parser: &mut Parser<'_>, branches: &mut [Branch]) -> Flow {
    if let (Some(found), [branch]) = (lookups.translated(parser), &mut *branches) {
        let mut found = found.iter();
        if let Some(first) = found.next() {
            let named = found.fold(first.matches.clone(), |mut all, one| {
                if let (Ports::Listed(known), Ports::Listed(more)) =
                    (&mut all.ports, &one.matches.ports)
                {
                    known.extend(more);
                }
                all
            });
            branch.matches = std::mem::take(&mut branch.matches).and(named);
        }
    }
    decide(branches, Action::Translate)
}

/// `xt match "comment"`, `xt target "LOG"`: what iptables set up and nft cannot print.
fn extension(parser: &mut Parser<'_>, branches: &mut [Branch]) -> Flow {
    let (kind, name) = (parser.word(), parser.word());
    let is_neutral =
        NEUTRAL_TARGETS.contains(&name) || matches!(name, "comment" | "limit" | "hashlimit");
    match kind {
        _ if is_neutral => Flow::GoesOn,
        "target" if matches!(name, "REJECT" | "TARPIT") => decide(branches, Action::Refuse),
        "target" if matches!(name, "DNAT" | "REDIRECT" | "NETMAP" | "TPROXY") => {
            decide(branches, Action::Translate)
        }
        "target" => decide(branches, Action::Unknown(Reason::Target(name.into()))),
        _ => {
            require(branches, Condition::unknown(&format!("xt {kind} {name}")));
            Flow::GoesOn
        }
    }
}

/// What iptables set up, as old versions print it: `# xt_recent`.
fn remark(parser: &mut Parser<'_>, branches: &mut [Branch]) -> Flow {
    let is_over = branches.iter().any(|branch| branch.action.is_some());
    if is_over {
        return Flow::Ends;
    }
    if let Some(name) = parser
        .peek()
        .and_then(|token| token.text.strip_prefix("xt_"))
    {
        parser.next();
        return unprinted(name, branches);
    }
    let mut words = Vec::new();
    while parser.peek().is_some_and(|token| !begins(token)) {
        words.push(parser.word());
    }
    require(
        branches,
        Condition::unknown(&format!("# {}", words.join(" "))),
    );
    Flow::GoesOn
}

/// An extension of iptables by its name alone: those that decide have it in capital letters.
fn unprinted(name: &str, branches: &mut [Branch]) -> Flow {
    match name {
        "REJECT" | "TARPIT" => decide(branches, Action::Refuse),
        "DNAT" | "REDIRECT" | "NETMAP" | "TPROXY" => decide(branches, Action::Translate),
        name if NEUTRAL_TARGETS.contains(&name) => Flow::GoesOn,
        name if name.bytes().any(|byte| byte.is_ascii_uppercase()) => {
            decide(branches, Action::Unknown(Reason::Target(name.into())))
        }
        name => {
            require(branches, Condition::unknown(&format!("# xt_{name}")));
            Flow::GoesOn
        }
    }
}

/// Targets of iptables after which the next rule decides.
const NEUTRAL_TARGETS: [&str; 7] = [
    "LOG", "NFLOG", "AUDIT", "CHECKSUM", "TRACE", "CLASSIFY", "TCPMSS",
];

/// What stands in front of a verdict and does not decide.
fn modifier(lookups: &Lookups<'_>, parser: &mut Parser<'_>, word: &str, branches: &mut [Branch]) {
    match word {
        "counter" if parser.take("packets") => parser.skip(3),
        "counter" if parser.take("name") => parser.skip(1),
        "log" => log(parser),
        "comment" => parser.skip(1),
        "limit" if parser.take("name") => {
            let is_over = lookups.table.over_limits.contains(parser.word());
            limit(branches, is_over);
        }
        "limit" => {
            parser.take("rate");
            limit(branches, parser.take("over"));
            parser.skip(1);
            if parser.take("burst") {
                parser.skip(2);
            }
        }
        "quota" if parser.take("name") => {
            parser.skip(1);
            require(branches, Condition::unknown("quota"));
        }
        "quota" => {
            require(branches, Condition::unknown("quota"));
            let _ = parser.take("over") || parser.take("until");
            parser.skip(2);
            if parser.take("used") {
                parser.skip(2);
            }
        }
        "add" | "update" | "delete" | "meter" | "set" | "flow" | "dup" => dynamic(parser, branches),
        _ => {}
    }
}

fn limit(branches: &mut [Branch], is_over: bool) {
    let holds = if is_over { Holds::Never } else { Holds::Always };
    require(branches, Condition::new(holds, Reason::Excess));
}

/// `add @seen { ip saddr limit rate over 10/minute }`: holds always, but for what is over its limit.
fn dynamic(parser: &mut Parser<'_>, branches: &mut [Branch]) {
    while let Some(token) = parser.peek() {
        if token.is("{") {
            let listed = parser.braced();
            require_key(listed, branches);
            limit(branches, listed.iter().any(|token| token.is("over")));
            return;
        }
        if begins(token) && !token.is("add") {
            return;
        }
        parser.next();
    }
}

/// A packet that has no such key passes the rule by: `ip saddr` is of IPv4 alone.
fn require_key(listed: &[Token], branches: &mut [Branch]) {
    let mut parser = Parser::new(listed);
    while let Some(field) = parser.field() {
        for branch in branches.iter_mut() {
            let matches = std::mem::take(&mut branch.matches);
            branch.matches = matches.and(required(&field));
        }
        if !parser.take(".") {
            return;
        }
    }
}

fn log(parser: &mut Parser<'_>) {
    while let Some(token) = parser.peek() {
        match token.text.as_str() {
            _ if token.is_quoted => return,
            "prefix" | "group" | "snaplen" | "queue-threshold" | "level" => parser.skip(2),
            "flags" => {
                parser.skip(2);
                while parser.sees("sequence") || parser.sees("options") || parser.take(",") {
                    parser.next();
                }
            }
            _ => return,
        }
    }
}
