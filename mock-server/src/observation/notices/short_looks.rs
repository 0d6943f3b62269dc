//! Looks at a few records of a list, of which nobody in the whole run ever read on.

use std::collections::{BTreeMap, BTreeSet};

use super::call_context::{CallContext, Fingerprint, REMEMBERED};
use super::pages::{
    FEW, PAGE, PAGE_SIZE, PageOfList, asks_for_later_page, list_without, page_size,
};
use crate::observation::notice::{Notice, NoticeCode};

/// The first looks at a few records, of all accounts of a run. A view of the newest records reads no second page, and
/// neither does a client that forgets it: only a run in which nobody ever asks for a second page tells them apart.
#[derive(Debug, Default)]
pub(crate) struct ShortLooks {
    looks: BTreeMap<(Option<String>, Fingerprint), Look>,
    /// The operations of which anybody asked for a later page.
    read_on: BTreeSet<String>,
}

/// A first page of a few records that said there is more.
#[derive(Debug)]
struct Look {
    operation: String,
    call: u64,
}

impl ShortLooks {
    /// Takes in a call.
    pub(crate) fn see(&mut self, call: &CallContext<'_>) {
        if asks_for_later_page(call) {
            self.read_on.insert(call.operation.to_owned());
        }
        let Some(page) = PageOfList::shown_by(call) else {
            return;
        };
        let list = list_without(&[PAGE, PAGE_SIZE], call);
        let key = (call.account.map(str::to_owned), list);
        let is_short = page_size(call).is_some_and(|size| (2..=FEW).contains(&size));
        if page.number >= page.last {
            self.looks.remove(&key);
        } else if is_short && self.looks.len() < REMEMBERED {
            let look = Look {
                operation: call.operation.to_owned(),
                call: call.id,
            };
            self.looks.entry(key).or_insert(look);
        }
    }

    /// The lists of which nobody read on, by the call that looked first.
    pub(crate) fn left(&self) -> Vec<(u64, Notice)> {
        let looks = self.looks.iter();
        let left = looks.filter(|(_, look)| !self.read_on.contains(&look.operation));
        let mut left: Vec<_> = left
            .map(|((account, _), look)| (look.call, look.notice(account.as_deref())))
            .collect();
        left.sort_by_key(|(call, _)| *call);
        left
    }
}

impl Look {
    fn notice(&self, account: Option<&str>) -> Notice {
        let sentence = format!(
            "only the first page of {} was read, which said that there is more, and no call of the run asked for page 2; read on while there is more",
            self.operation
        );
        Notice::new(NoticeCode::FirstPageOnly, account, &sentence)
    }
}
