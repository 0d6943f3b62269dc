//! A call that is refused over and over while nothing changes.

use std::collections::HashMap;

use http::{Method, StatusCode};
use serde_json::Value;

use super::call_context::{CallContext, Clock, Fingerprint, REMEMBERED};
use crate::observation::notice::{Notice, NoticeCode};

/// So often the same call may not be refused in so many milliseconds.
const TIMES: usize = 3;
const WITHIN_MILLIS: i64 = 10_000;

/// What stays refused until something has changed; anything else may be answered otherwise in a while.
const REFUSALS: [StatusCode; 4] = [
    StatusCode::BAD_REQUEST,
    StatusCode::FORBIDDEN,
    StatusCode::NOT_FOUND,
    StatusCode::UNPROCESSABLE_ENTITY,
];

/// When calls were refused since something was changed last, by the account's clock.
#[derive(Debug, Default)]
pub(super) struct RefusedCalls(HashMap<Fingerprint, Vec<i64>>);

impl RefusedCalls {
    /// Takes in a call, and says whether it was refused too often.
    pub(super) fn see(
        &mut self,
        call: &CallContext<'_>,
        fingerprint: Fingerprint,
    ) -> Option<Notice> {
        // Where the clock stands, nobody knows how much later a call comes.
        if *call.method == Method::GET || call.clock == Clock::Stands {
            return None;
        }
        let may_have_changed = call.status.is_none_or(|status| status.is_success());
        if may_have_changed {
            self.0.clear();
            return None;
        }
        let status = call.status.filter(|status| REFUSALS.contains(status))?;
        let is_often = self.count(same_call(call, fingerprint), call.at.unix_millis());
        is_often.then(|| call.notice(NoticeCode::RefusedRepeat, &sentence(call, status)))
    }

    fn count(&mut self, refused: Fingerprint, now: i64) -> bool {
        let is_recent = |time: &i64| now - time < WITHIN_MILLIS;
        if self.0.len() >= REMEMBERED && !self.0.contains_key(&refused) {
            self.0.retain(|_, times| times.iter().any(is_recent));
        }
        if self.0.len() >= REMEMBERED && !self.0.contains_key(&refused) {
            return false;
        }
        let times = self.0.entry(refused).or_default();
        times.retain(is_recent);
        times.push(now);
        if times.len() < TIMES {
            return false;
        }
        times.drain(..times.len() - TIMES);
        true
    }
}

/// Bodies that are no JSON objects differ as well.
fn same_call(call: &CallContext<'_>, fingerprint: Fingerprint) -> Fingerprint {
    match call.body {
        Some(_) => fingerprint,
        None => Fingerprint::of(&(fingerprint, call.sent)),
    }
}

fn sentence(call: &CallContext<'_>, status: StatusCode) -> String {
    let who = match call.operation {
        "" => format!("a {} of an unknown path", call.method),
        operation => operation.to_owned(),
    };
    let answer: Value = serde_json::from_slice(call.answer).unwrap_or_default();
    let code = answer["error"]["code"].as_str();
    let code = code.map_or_else(String::new, |code| format!(" {code}"));
    format!(
        "{who} was refused {TIMES} times in {} s with {}{code}; send it again only after something has changed",
        WITHIN_MILLIS / 1000,
        status.as_u16()
    )
}
