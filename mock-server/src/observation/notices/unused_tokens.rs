//! Sign-in tokens that are made and never opened.

use std::collections::{HashMap, VecDeque};

use serde_json::Value;

use super::call_context::{CallContext, Clock, Fingerprint, REMEMBERED};
use crate::observation::notice::{Fact, Notice, NoticeCode};

/// So many tokens of one customer may be made in so many milliseconds without one being opened.
const TOKENS: usize = 2;
const TOKENS_MILLIS: i64 = 10_000;

/// Tokens that are kept of one customer.
const KEPT: usize = 20;

/// The tokens that were made last, and none of them opened, by customer.
#[derive(Debug, Default)]
pub(super) struct UnusedTokens(HashMap<Fingerprint, VecDeque<Made>>);

#[derive(Debug)]
struct Made {
    token: Fingerprint,
    at: i64,
}

impl UnusedTokens {
    /// Takes in a call, and says whether it made one token too many.
    pub(super) fn see(&mut self, call: &CallContext<'_>) -> Option<Notice> {
        if call.facts == [Fact::SignedIn] {
            let token = Fingerprint::of(&call.query.get("token")?.as_str());
            (self.0).retain(|_, made| made.iter().all(|made| made.token != token));
            return None;
        }
        // Where the clock stands, nobody knows how much later a call comes.
        let makes_one = call.operation == "create_sso_token" && call.succeeded();
        if !makes_one || call.clock == Clock::Stands {
            return None;
        }
        let customer = call.body?.get("billing_customer_id")?;
        let answer: Value = serde_json::from_slice(call.answer).ok()?;
        let made = Made {
            token: Fingerprint::of(&answer["data"]["token"].as_str()?),
            at: call.at.unix_millis(),
        };
        self.is_one_too_many(Fingerprint::of(customer), made).then(|| {
            let sentence = format!(
                "create_sso_token makes more than {TOKENS} tokens for customer {customer} within {} s, and none of them was opened; ask for one when the customer opens the portal, not with each page",
                TOKENS_MILLIS / 1000
            );
            call.notice(NoticeCode::UnusedTokens, &sentence)
        })
    }

    fn is_one_too_many(&mut self, customer: Fingerprint, made: Made) -> bool {
        let now = made.at;
        let is_recent = |made: &Made| now - made.at < TOKENS_MILLIS;
        if self.0.len() >= REMEMBERED {
            self.0.retain(|_, made| made.iter().any(is_recent));
        }
        if self.0.len() >= REMEMBERED && !self.0.contains_key(&customer) {
            return false;
        }
        let before = self.0.entry(customer).or_default();
        before.retain(is_recent);
        before.push_back(made);
        if before.len() > KEPT {
            before.pop_front();
        }
        before.len() > TOKENS
    }
}
