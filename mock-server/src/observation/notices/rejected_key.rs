//! A key that goes on being used although it is refused.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use http::StatusCode;

use super::call_context::{CallContext, Fingerprint};
use crate::observation::notice::{Notice, NoticeCode};
use crate::values::lock::lock;

/// Refusals in a row that a careful client does not wait for.
const IN_A_ROW: u32 = 5;

/// How often in a row the last key was refused.
#[derive(Debug, Default)]
pub(crate) struct RejectedKey {
    row: Mutex<Option<Row>>,
    /// Calls that are answered look here first, without the lock.
    is_any: AtomicBool,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    key: Fingerprint,
    times: u32,
}

impl RejectedKey {
    /// Forgets the row.
    pub(crate) fn clear(&self) {
        if self.is_any.swap(false, Ordering::Relaxed) {
            *lock(&self.row) = None;
        }
    }

    /// Takes in a call, and says whether its key was refused too often.
    pub(crate) fn see(&self, call: &CallContext<'_>) -> Option<Notice> {
        if call.status != Some(StatusCode::UNAUTHORIZED) {
            // A call without a known key, such as the health check, says nothing about keys.
            if call.account.is_some() {
                self.clear();
            }
            return None;
        }
        if call.key.is_empty() {
            return None;
        }
        let key = Fingerprint::of(&call.key);
        let mut row = lock(&self.row);
        let before = row.filter(|row| row.key == key).map_or(0, |row| row.times);
        let times = before + 1;
        *row = Some(Row { key, times });
        self.is_any.store(true, Ordering::Relaxed);
        drop(row);
        (times >= IN_A_ROW).then(|| {
            let sentence = format!(
                "the key was refused {IN_A_ROW} times in a row; stop at the first 401, and have the key renewed"
            );
            call.notice(NoticeCode::RejectedKey, &sentence)
        })
    }
}
