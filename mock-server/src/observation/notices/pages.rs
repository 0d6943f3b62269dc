//! Lists of which only the first page was read.

use std::collections::HashMap;

use super::call_context::{CallContext, Fingerprint};
use crate::observation::notice::{Fact, Notice, NoticeCode};

/// Lists of one account that are remembered.
const REMEMBERED: usize = 1000;

/// Parameters that say which part of a list is shown, and not which list.
const OF_PAGES: [&str; 2] = ["page", "per_page"];

/// Lists whose first page said that there is more, and of which no other page was read since.
#[derive(Debug, Default)]
pub(crate) struct UnreadPages(HashMap<Fingerprint, FirstPage>);

/// A first page that said that there is more.
#[derive(Debug)]
struct FirstPage {
    /// The call that read it.
    call: u64,
    operation: String,
}

impl UnreadPages {
    /// Takes in a call, and says whether it reads a first page again of which no other was read.
    pub(crate) fn see(&mut self, call: &CallContext<'_>) -> Option<Notice> {
        // Only an answer that arrived shows anything.
        call.status?;
        let (number, has_more) = call.facts.iter().find_map(|fact| match *fact {
            Fact::Page { number, has_more } => Some((number, has_more)),
            _ => None,
        })?;
        let list = list(call);
        if number > 1 || !has_more {
            self.0.remove(&list);
            return None;
        }
        if self.0.len() >= REMEMBERED && !self.0.contains_key(&list) {
            return None;
        }
        let first = FirstPage {
            call: call.id,
            operation: call.operation.to_owned(),
        };
        let before = self.0.insert(list, first)?;
        let sentence = format!(
            "it reads the first page of {} again, and no other page was read after call {}; read on while there is more",
            call.operation, before.call
        );
        Some(call.notice(NoticeCode::FirstPageOnly, &sentence))
    }

    /// The lists that are not read to their end, by the call that read their first page.
    pub(crate) fn left(&self, account: Option<&str>) -> Vec<(u64, Notice)> {
        let mut left: Vec<_> = (self.0.values())
            .map(|first| {
                let sentence = format!(
                    "only the first page of {} was read, which said that there is more; read on while there is",
                    first.operation
                );
                let notice = Notice::new(NoticeCode::FirstPageOnly, account, &sentence);
                (first.call, notice)
            })
            .collect();
        left.sort_by_key(|(call, _)| *call);
        left
    }
}

fn list(call: &CallContext<'_>) -> Fingerprint {
    let query = call.query.iter();
    let query: Vec<_> = query
        .filter(|(name, _)| !OF_PAGES.contains(&name.as_str()))
        .collect();
    Fingerprint::of(&(call.path, query))
}
