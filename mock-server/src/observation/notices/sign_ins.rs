//! Sign-in tokens that were used before, or are used late.

use std::collections::VecDeque;

use super::call_context::{CallContext, Fingerprint, REMEMBERED};
use crate::observation::notice::{Fact, Notice, NoticeCode};

/// The tokens that were used up last, oldest first. A token lives so short that a forgotten one has expired.
#[derive(Debug, Default)]
pub(super) struct SignIns(VecDeque<Fingerprint>);

impl SignIns {
    /// Takes in a call, and says why its token is no good.
    pub(super) fn see(&mut self, call: &CallContext<'_>) -> Option<Notice> {
        let is_refused = match call.facts {
            [Fact::SignedIn] => false,
            [Fact::StaleToken] => true,
            _ => return None,
        };
        let token = Fingerprint::of(&call.query.get("token"));
        if !is_refused {
            self.remember(token);
            return None;
        }
        let why = match self.0.contains(&token) {
            true => "was used before; ask for a new one for each sign-in",
            false => "has expired; ask for a new one when the customer signs in, not before",
        };
        let sentence = format!("{} was sent a token that {why}", call.operation);
        Some(call.notice(NoticeCode::StaleToken, &sentence))
    }

    fn remember(&mut self, token: Fingerprint) {
        self.0.push_back(token);
        if self.0.len() > REMEMBERED {
            self.0.pop_front();
        }
    }
}
