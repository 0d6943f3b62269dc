//! What the alternatives of a rule come to.

use crate::firewall::filter::{Condition, Match, Reason};

/// What a rule does in the end.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Action {
    Accept,
    Refuse,
    Return,
    Continue,
    Jump(String),
    Goto(String),
    Translate,
    Alter,
    Unknown(Reason),
}

/// One of the alternatives of a rule.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Branch {
    pub(super) matches: Match,
    pub(super) action: Option<Action>,
}

/// Whether anything of a rule is read behind a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flow {
    GoesOn,
    Ends,
}

pub(super) fn require(branches: &mut [Branch], condition: Condition) {
    for branch in branches {
        branch.matches.require(condition.clone());
    }
}
