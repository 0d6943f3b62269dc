//! The journal (M1, M6, M11).

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use futures_util::{StreamExt, stream};
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode};
use serde_json::Value;

use crate::account::accounts::Accounts;
use crate::admin::call::{AdminCall, Answered, Responding, beside};
use crate::admin::input;
use crate::http::reply::Reply;
use crate::observation::journal::entry::Entry;
use crate::observation::journal::query::{JournalQuery, ShownCall};
use crate::observation::journal::redaction::Redaction;
use crate::observation::journal::shown::WrittenEntry;
use crate::store::commit::Commit;
use crate::values::admin_error::AdminError;
use crate::values::fields::{Fields, Raw, readers};

const JSON: &str = "application/json";

/// Bytes of a journal that are written out at a time.
const PIECE: usize = 64 * 1024;

/// Longest wait for calls to come, in seconds.
const LONGEST_WAIT: f64 = 60.0;

struct Filter {
    wanted: Arc<JournalQuery>,
    limit: usize,
    /// How many must come before it is answered, and how long they may take.
    count: usize,
    wait: Option<Duration>,
}

impl Filter {
    fn read(call: &AdminCall) -> Result<Self, AdminError> {
        let mut fields = Fields::of_query(&call.query);
        let method = fields.optional("method", readers::text(1..=32));
        let path = fields.optional("path", readers::text(1..=4096));
        let status = fields.optional("status", readers::integer(100..=599));
        let since = fields.optional("since", readers::integer(0..=i64::MAX));
        let body = fields.optional("body", part);
        let limit = fields.optional("limit", readers::integer(0..=i64::MAX));
        let count = fields.optional("count", readers::integer(1..=1000));
        let wait = fields.optional("wait", readers::number(0.0..=LONGEST_WAIT));
        let size = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
        input::finish(fields, || {
            Some(Self {
                wanted: Arc::new(JournalQuery {
                    method: method.map(|method| method.to_ascii_uppercase()),
                    path,
                    status: status.and_then(|status| u16::try_from(status).ok()),
                    since: since.map_or(0, i64::unsigned_abs),
                    body,
                }),
                limit: limit.map_or(usize::MAX, size),
                count: count.map_or(1, size),
                wait: wait.map(Duration::from_secs_f64),
            })
        })
    }
}

/// A part of a body, as JSON.
fn part(raw: Raw) -> readers::Read<Value> {
    serde_json::from_str(readers::string(raw)?)
        .map_err(|_| r#"must be JSON, such as {"client_id":42}."#.to_owned())
}

/// Answers with the journal, once the calls came that are waited for. A full journal is longer than many answers that
/// nobody reads may be: so it goes out in pieces.
pub(crate) fn list(call: AdminCall) -> Responding {
    Box::pin(async move {
        let Filter {
            wanted,
            limit,
            count,
            wait,
        } = Filter::read(&call)?;
        if let Some(wait) = wait {
            let arrival = call
                .mock
                .accounts
                .arrival(tenant(&call), &wanted, count, wait);
            arrival.await?;
        }
        let (accounts, tenant) = (
            Arc::clone(&call.mock.accounts),
            tenant(&call).map(str::to_owned),
        );
        let list = move || Listing::new(&accounts, tenant.as_deref(), &wanted, limit);
        let listing = beside(list).await??;
        in_pieces(listing).await
    })
}

/// The first piece, or whole, as a response.
async fn in_pieces(listing: Listing) -> Result<Response, AdminError> {
    let (first, listing) = next_piece(listing).await?;
    if listing.is_written {
        return Ok(Reply::new(StatusCode::OK, JSON, first).into());
    }
    let rest = stream::unfold(listing, |listing| async {
        if listing.is_written {
            return None;
        }
        // Without the end, the reader sees that it is none.
        let (piece, listing) = next_piece(listing).await.ok()?;
        Some((Ok::<_, Infallible>(piece), listing))
    });
    let first = stream::iter([Ok(first)]);
    let mut response = Response::new(Body::from_stream(first.chain(rest)));
    let content_type = HeaderValue::from_static(JSON);
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    Ok(response)
}

async fn next_piece(mut listing: Listing) -> Result<(String, Listing), AdminError> {
    beside(move || (listing.piece(), listing)).await
}

/// A journal that is being written out.
struct Listing {
    accounts: Arc<Accounts>,
    /// Oldest first. What the journal has dropped meanwhile is left out: nobody who reads slowly holds it.
    calls: VecDeque<ListedCall>,
    /// What stands in front of the next one: the head of the whole, or a comma.
    before: String,
    is_written: bool,
}

struct ListedCall {
    tenant: Option<Arc<str>>,
    id: u64,
    entry: Weak<Entry>,
}

impl Listing {
    fn new(
        accounts: &Arc<Accounts>,
        tenant: Option<&str>,
        wanted: &JournalQuery,
        limit: usize,
    ) -> Result<Self, AdminError> {
        let mut dropped = 0;
        let mut calls = Vec::new();
        accounts.with_journals(tenant, |tenant, journal| {
            let tenant: Option<Arc<str>> = tenant.map(Arc::from);
            dropped += journal.dropped();
            let taken = journal.entries().filter(|entry| wanted.takes(entry));
            calls.extend(taken.map(|entry| ListedCall {
                tenant: tenant.clone(),
                id: entry.id,
                entry: Arc::downgrade(&entry),
            }));
        })?;
        calls.sort_unstable_by_key(|call| Reverse(call.id));
        let secrets = accounts.secrets();
        let redaction = Redaction::new(secrets.iter().map(String::as_str));
        let is_wanted = |call: &ListedCall| {
            let entry = call.entry.upgrade();
            entry.is_some_and(|entry| wanted.takes_shown(&ShownCall::new(&entry, &redaction)))
        };
        let newest = calls.into_iter().filter(is_wanted).take(limit);
        let mut calls: VecDeque<_> = newest.collect();
        calls.make_contiguous().reverse();
        Ok(Self {
            accounts: Arc::clone(accounts),
            calls,
            before: format!(r#"{{"dropped":{dropped},"requests":["#),
            is_written: false,
        })
    }

    /// The next piece: a little more than [`PIECE`], or what is left.
    fn piece(&mut self) -> String {
        let secrets = self.accounts.secrets();
        let redaction = Redaction::new(secrets.iter().map(String::as_str));
        let mut text = String::new();
        while text.len() < PIECE {
            let Some(call) = self.calls.pop_front() else {
                text += self.before.trim_end_matches(',');
                text += "]}";
                self.is_written = true;
                break;
            };
            // An entry has text keys and no serializer that fails.
            let shown = call.entry.upgrade().and_then(|entry| {
                let shown = WrittenEntry::to_write(call.tenant.as_deref(), &entry, &redaction);
                serde_json::to_string(&shown).ok()
            });
            if let Some(shown) = shown {
                text += &std::mem::replace(&mut self.before, ",".to_owned());
                text += &shown;
            }
        }
        text
    }
}

fn tenant(call: &AdminCall) -> Option<&str> {
    call.query.get("tenant").map(String::as_str)
}

pub(crate) fn clear(call: &AdminCall) -> Result<Answered, AdminError> {
    call.mock.accounts.clear_journals(tenant(call))?;
    Ok(Answered::done(Commit::done()))
}
