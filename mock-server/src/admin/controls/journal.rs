//! The journal (M1, M6).

use std::cmp::Reverse;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

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
    /// As text: as values, all of them at once could take a hundred times as much.
    requests: Vec<Box<RawValue>>,
}

pub(crate) fn list(call: &AdminCall) -> Result<Answered, AdminError> {
    let filter = Filter::read(call)?;
    let of = |tenant: Option<&str>, journal: &mut Journal| {
        let taken = journal.entries().filter(|entry| filter.takes(entry));
        let taken = taken.map(|entry| (tenant.map(str::to_owned), entry));
        (journal.dropped(), taken.collect::<Vec<_>>())
    };
    let tenant = call.query.get("tenant").map(String::as_str);
    let (dropped, taken): (Vec<u64>, Vec<_>) =
        call.mock.with_journals(tenant, of)?.into_iter().unzip();
    let mut taken: Vec<_> = taken.into_iter().flatten().collect();
    taken.sort_unstable_by_key(|(_, entry)| Reverse(entry.id));
    let secrets = call.mock.secrets();
    let redaction = Redaction::new(secrets.iter().map(String::as_str));
    let shown = taken
        .iter()
        .map(|(tenant, entry)| JournalEntry::new(tenant.as_deref(), entry, &redaction));
    let newest = shown
        .filter(|entry| filter.takes_path(entry))
        .take(filter.limit);
    // An entry has text keys and no serializer that fails.
    let mut requests: Vec<_> = newest
        .filter_map(|entry| to_raw_value(&entry).ok())
        .collect();
    requests.reverse();
    Ok(Answered::shown(&Listed {
        dropped: dropped.into_iter().sum(),
        requests,
    }))
}

pub(crate) fn clear(call: &AdminCall) -> Result<Answered, AdminError> {
    let tenant = call.query.get("tenant").map(String::as_str);
    call.mock
        .with_journals(tenant, |_, journal| journal.clear())?;
    Ok(Answered::done(Commit::done()))
}
