//! How far the pages of lists were read: not to the last one, or on past it.

use std::collections::HashMap;
use std::time::Instant as Real;

use http::Method;

use super::call_context::{CallContext, Fingerprint, REMEMBERED};
use crate::observation::notice::{Fact, Notice, NoticeCode};
use crate::operations::known_names::Known;

/// Who asks for so few records a page may want the newest ones alone.
pub(super) const FEW: u64 = 5;

pub(super) const PAGE: &str = "page";
pub(super) const PAGE_SIZE: &str = "per_page";

/// Readings of lists that have not come to the last page.
#[derive(Debug, Default)]
pub(crate) struct UnreadPages(HashMap<Fingerprint, Reading>);

/// A list that is read page by page.
#[derive(Debug)]
struct Reading {
    /// The list, in pages of whatever size.
    list: Fingerprint,
    operation: String,
    page: PageOfList,
    /// The call that read this page.
    call: u64,
}

/// A page that was shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageOfList {
    pub(super) number: u64,
    /// The number of the last page.
    pub(super) last: u64,
}

impl PageOfList {
    /// The page that a call showed. Only an answer that arrived shows anything.
    pub(super) fn shown_by(call: &CallContext<'_>) -> Option<Self> {
        call.status?;
        call.facts.iter().find_map(|fact| match *fact {
            Fact::Page { number, last } => Some(Self { number, last }),
            _ => None,
        })
    }
}

impl UnreadPages {
    /// Takes in a call, and says whether it reads a first page again of which no other was read.
    pub(crate) fn see(&mut self, call: &CallContext<'_>) -> Option<Notice> {
        let list = list_without(&[PAGE, PAGE_SIZE], call);
        let Some(page) = PageOfList::shown_by(call) else {
            if asks_for_later_page(call) {
                // It was asked for, which is all that a client can do.
                self.0.retain(|_, reading| reading.list != list);
            }
            return None;
        };
        if page.number >= page.last {
            self.0.retain(|_, reading| reading.list != list);
            return None;
        }
        if page_size(call).is_some_and(|size| size <= FEW) {
            return None;
        }
        let reading = Reading {
            list,
            operation: call.operation.to_owned(),
            page,
            call: call.id,
        };
        let key = list_without(&[PAGE], call);
        match page.number {
            1 => self.begin(key, reading, call),
            _ => self.read_on(key, reading),
        }
    }

    fn begin(
        &mut self,
        key: Fingerprint,
        reading: Reading,
        call: &CallContext<'_>,
    ) -> Option<Notice> {
        if self.0.len() >= REMEMBERED && !self.0.contains_key(&key) {
            return None;
        }
        let before = self.0.insert(key, reading)?;
        if before.page.number > 1 {
            return None;
        }
        let sentence = format!(
            "it reads the first page of {} again, and no other page was read after call {}; read on while there is more",
            call.operation, before.call
        );
        Some(call.notice(NoticeCode::FirstPageOnly, &sentence))
    }

    /// Pages may be read at once, and the later one may end first.
    fn read_on(&mut self, key: Fingerprint, reading: Reading) -> Option<Notice> {
        let before = self.0.get_mut(&key)?;
        if before.page.number < reading.page.number {
            *before = reading;
        }
        None
    }

    /// The lists that are not read to their end, by the call that read their last page so far.
    pub(crate) fn left(&self, account: Option<&str>) -> Vec<(u64, Notice)> {
        let mut left: Vec<_> = (self.0.values())
            .map(|reading| {
                let notice =
                    Notice::new(NoticeCode::FirstPageOnly, account, &reading.left_sentence());
                (reading.call, notice)
            })
            .collect();
        left.sort_by_key(|(call, _)| *call);
        left
    }
}

impl Reading {
    fn left_sentence(&self) -> String {
        let (operation, PageOfList { number, last }) = (&self.operation, self.page);
        match number {
            1 => format!(
                "only the first page of {operation} was read, which said that there is more; read on while there is"
            ),
            _ => format!(
                "page {number} of {last} was the last page of {operation} that was read; read on while there is more"
            ),
        }
    }
}

/// The last empty page that was read of each list, and when it was answered.
#[derive(Debug, Default)]
pub(super) struct EmptyPages(HashMap<Fingerprint, (u64, Real)>);

impl EmptyPages {
    /// Takes in a call, and says whether it reads on although the page before was empty already. The same empty page again
    /// is no reading on: records may have gone since, and come back; neither is one before it, nor one that was asked for
    /// before the other was answered.
    pub(super) fn see(&mut self, call: &CallContext<'_>) -> Option<Notice> {
        let PageOfList { number, last } = PageOfList::shown_by(call)?;
        let list = list_without(&[PAGE], call);
        if number <= last {
            self.0.remove(&list);
            return None;
        }
        if self.0.len() >= REMEMBERED && !self.0.contains_key(&list) {
            return None;
        }
        let (before, answered) = self.0.insert(list, (number, Real::now()))?;
        (number > before && answered < call.came).then(|| {
            let sentence = format!(
                "{} is read on past its last page, which is page {last}, although the page before was empty; stop when there is no more",
                call.operation
            );
            call.notice(NoticeCode::PastTheEnd, &sentence)
        })
    }
}

/// How many records a page that a call asks for.
pub(super) fn page_size(call: &CallContext<'_>) -> Option<u64> {
    call.query.get(PAGE_SIZE)?.parse().ok()
}

/// Whether a call asks for a list.
pub(super) fn is_of_list(call: &CallContext<'_>) -> bool {
    let has_pages = |known: Known| known.parameters().contains(&PAGE);
    *call.method == Method::GET && call.known.is_some_and(has_pages)
}

/// Whether a call asks for a list, and for another page of it than the first.
pub(super) fn asks_for_later_page(call: &CallContext<'_>) -> bool {
    let page: Option<u64> = call.query.get(PAGE).and_then(|page| page.parse().ok());
    is_of_list(call) && page.is_some_and(|page| page > 1)
}

/// Which list is read, whatever these parameters say.
pub(super) fn list_without(names: &[&str], call: &CallContext<'_>) -> Fingerprint {
    let query = call.query.iter();
    let query: Vec<_> = query
        .filter(|(name, _)| !names.contains(&name.as_str()))
        .collect();
    Fingerprint::of(&(call.path, query))
}
