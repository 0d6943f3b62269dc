//! The journal (M1, M6).

use serde::Serialize;

use super::{AdminCall, Answered, input};
use crate::AdminError;
use crate::faults::wildcard;
use crate::fields::{Fields, readers};
use crate::journal::{Entry, Journal, JournalEntry, Redaction};
use crate::store::Commit;

struct Filter {
    method: Option<String>,
    path: Option<String>,
    status: Option<u16>,
    limit: usize,
}

impl Filter {
    fn read(call: &AdminCall) -> Result<Self, AdminError> {
        let mut fields = Fields::of_query(&call.query);
        let method = fields.optional("method", readers::text(1..=32));
        let path = fields.optional("path", readers::text(1..=4096));
        let status = fields.optional("status", readers::integer(100..=599));
        let limit = fields.optional("limit", readers::integer(0..=i64::MAX));
        input::finish(fields, || {
            Some(Self {
                method: method.map(|method| method.to_ascii_uppercase()),
                path,
                status: status.and_then(|status| u16::try_from(status).ok()),
                limit: limit.map_or(usize::MAX, |limit| {
                    usize::try_from(limit).unwrap_or(usize::MAX)
                }),
            })
        })
    }

    fn takes(&self, entry: &Entry) -> bool {
        let method = self.method.as_deref();
        method.is_none_or(|method| method == entry.method.as_str())
            && self
                .status
                .is_none_or(|status| entry.status.is_some_and(|known| known == status))
    }

    /// The path is compared as it is shown: nobody finds out a key by looking for it.
    fn takes_path(&self, entry: &JournalEntry) -> bool {
        let pattern = self.path.as_deref();
        pattern.is_none_or(|pattern| wildcard(pattern, &entry.path))
    }
}

#[derive(Serialize)]
struct Listed {
    dropped: u64,
    requests: Vec<JournalEntry>,
}

pub(crate) fn list(call: &AdminCall) -> Result<Answered, AdminError> {
    let filter = Filter::read(call)?;
    let secrets = call.mock.secrets();
    let redaction = Redaction::new(secrets.iter().map(String::as_str));
    let newest = |tenant: Option<&str>, journal: &mut Journal| {
        let taken = journal.entries().rev().filter(|entry| filter.takes(entry));
        let shown = taken.map(|entry| JournalEntry::new(tenant, entry, &redaction));
        let shown = shown.filter(|entry| filter.takes_path(entry));
        (
            journal.dropped(),
            shown.take(filter.limit).collect::<Vec<_>>(),
        )
    };
    let tenant = call.query.get("tenant").map(String::as_str);
    let (dropped, entries): (Vec<u64>, Vec<_>) =
        call.mock.with_journals(tenant, newest)?.into_iter().unzip();
    let mut entries: Vec<JournalEntry> = entries.into_iter().flatten().collect();
    entries.sort_unstable_by_key(|entry| entry.id);
    let surplus = entries.len().saturating_sub(filter.limit);
    entries.drain(..surplus);
    Ok(Answered::shown(&Listed {
        dropped: dropped.into_iter().sum(),
        requests: entries,
    }))
}

pub(crate) fn clear(call: &AdminCall) -> Result<Answered, AdminError> {
    let tenant = call.query.get("tenant").map(String::as_str);
    call.mock
        .with_journals(tenant, |_, journal| journal.clear())?;
    Ok(Answered::done(Commit::done()))
}
