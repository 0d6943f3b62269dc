//! What the alternatives of a rule come to.

use crate::firewall::filter::{Alteration, Condition, Match, Reason};

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
    Unknown(Reason),
}

/// One of the alternatives of a rule.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Branch {
    pub(super) matches: Match,
    /// What it changes before it does that, of what met the conditions in front of it.
    pub(super) alters: Option<Box<(Alteration, Match)>>,
    pub(super) action: Option<Action>,
}

impl Branch {
    /// One that does nothing yet.
    pub(super) fn of(matches: Match) -> Self {
        Self {
            matches,
            alters: None,
            action: None,
        }
    }
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
