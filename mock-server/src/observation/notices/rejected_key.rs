//! A key that goes on being used although it is refused.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use http::StatusCode;

use super::call_context::{CallContext, Fingerprint};
use crate::observation::notice::{Notice, NoticeCode};
use crate::values::lock::lock;

/// Refusals in a row that a careful client does not wait for.
const IN_A_ROW: u32 = 5;

/// Keys that are counted at the same time; who guesses keys sends each but once.
const COUNTED: usize = 300;

/// How often in a row keys were refused, the one that was refused last at the end.
#[derive(Debug, Default)]
pub(crate) struct RejectedKey {
    rows: Mutex<VecDeque<Row>>,
    /// Calls that are answered look here first, without the lock.
    is_any: AtomicBool,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    key: Fingerprint,
    times: u32,
}

impl RejectedKey {
    /// Takes in a call, and says whether its key was refused too often.
    pub(crate) fn see(&self, call: &CallContext<'_>) -> Option<Notice> {
        if call.status != Some(StatusCode::UNAUTHORIZED) {
            // A call without a known key, such as the health check, says nothing about keys.
            if call.account.is_some() {
                self.forget(call.key);
            }
            return None;
        }
        if call.key.is_empty() {
            return None;
        }
        let times = self.count(Fingerprint::of(&call.key));
        (times >= IN_A_ROW).then(|| {
            let sentence = format!(
                "the key was refused {IN_A_ROW} times in a row; stop at the first 401, and have the key renewed"
            );
            call.notice(NoticeCode::RejectedKey, &sentence)
        })
    }

    fn count(&self, key: Fingerprint) -> u32 {
        let mut rows = lock(&self.rows);
        let place = rows.iter().position(|row| row.key == key);
        let before = place.and_then(|place| rows.remove(place));
        let times = before.map_or(0, |row| row.times).saturating_add(1);
        rows.push_back(Row { key, times });
        if rows.len() > COUNTED {
            rows.pop_front();
        }
        self.is_any.store(true, Ordering::Relaxed);
        times
    }

    fn forget(&self, key: &str) {
        if self.is_any.load(Ordering::Relaxed) {
            let key = Fingerprint::of(&key);
            let mut rows = lock(&self.rows);
            rows.retain(|row| row.key != key);
            self.is_any.store(!rows.is_empty(), Ordering::Relaxed);
        }
    }

    /// Forgets every key.
    pub(crate) fn clear(&self) {
        let mut rows = lock(&self.rows);
        rows.clear();
        self.is_any.store(false, Ordering::Relaxed);
    }
}
