//! A complete answer, and what is kept of it when it is an error.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};

use crate::envelope::{self, DecodeProblem};
use crate::error::{AnswerFacts, ApiError};
use crate::operation_info::{Group, OperationInfo};
use crate::redact::{MASK, Redactor};
use crate::retry_after::retry_after;
use crate::secret::ApiKey;

/// How much of an unreadable answer an error keeps, in bytes.
const SNIPPET: usize = 2 * 1024;
/// Longest header value and longest reason that an error keeps, in bytes.
const SHORT_TEXT: usize = 512;
/// An error answer beyond this is no answer of the service, and is not searched for one.
const LARGEST_ERROR_BODY: usize = 1024 * 1024;
/// What an error keeps of the body of an answer that may hold a sign-in token or leaked credentials, or quote them.
const WITHHELD: &str = "(withheld, because answers to this operation hold secrets)";

/// A complete answer, whatever its status.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) attempts: u32,
    pub(crate) elapsed: Duration,
    pub(crate) prior_attempts: PriorAttempts,
    /// The key that no text may show.
    pub(crate) key: Option<ApiKey>,
}

/// What earlier attempts of the same call may have done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PriorAttempts {
    /// None of them can have been acted on.
    Nothing,
    /// One was answered in a way that does not say what happened.
    Unclear,
    /// The answer to one was lost.
    AnswerLost,
}

impl Answer {
    pub(crate) fn redactor(&self) -> Redactor {
        Redactor::of(self.key.as_ref())
    }

    /// What an error keeps of it; of an answer that may hold secrets only the status and the wait, and not the body of
    /// one that may quote a leak.
    pub(crate) fn facts(&self, operation: Option<&OperationInfo>) -> AnswerFacts {
        let secret = operation.is_some_and(|operation| operation.secret);
        let about_domains = operation.is_some_and(|info| info.group == Group::DomainMonitoring);
        let retry_after = retry_after(&self.headers, SystemTime::now());
        let (headers, snippet) = match secret {
            true => (HeaderMap::new(), WITHHELD.to_owned()),
            false => {
                let redactor = self.redactor();
                let text = String::from_utf8_lossy(&self.body[..self.body.len().min(2 * SNIPPET)]);
                let snippet = match about_domains && self.status.is_success() {
                    true => WITHHELD.to_owned(),
                    false => redactor.shown(&text, SNIPPET),
                };
                (clean(&self.headers, &redactor), snippet)
            }
        };
        AnswerFacts {
            status: self.status,
            headers,
            retry_after,
            snippet,
        }
    }

    /// The service's own account; `None` when the answer is in none of the documented error shapes. With a success
    /// status only what calls itself an error is taken for one.
    pub(crate) fn api_error(&self, operation: Option<&OperationInfo>) -> Option<ApiError> {
        if self.body.len() > LARGEST_ERROR_BODY
            || (self.status.is_success() && !envelope::calls_itself_an_error(&self.body))
        {
            return None;
        }
        let error = ApiError::parse(self.status, &self.body, &self.redactor())?;
        Some(match operation.filter(|operation| operation.secret) {
            Some(operation) => error.without_the_services_words(operation.fields),
            None => error,
        })
    }

    /// Why it is no result: led by what it calls itself when that is not JSON.
    pub(crate) fn unreadable(&self, problem: &DecodeProblem, secret: bool) -> String {
        let place = match (secret, problem.place.as_str()) {
            (_, "") => String::new(),
            (true, place) => own_names(place),
            (false, place) => place.to_owned(),
        };
        let problem = match place.as_str() {
            "" => problem.problem.clone(),
            place => format!("`{place}`: {}", problem.problem),
        };
        let reason = match self.content_type().filter(|_| !secret) {
            Some(content) if !content.contains("json") => {
                format!("it is {content} where JSON was expected ({problem})")
            }
            _ => problem,
        };
        self.redactor().shown(&reason, SHORT_TEXT)
    }

    /// Where a redirect points to.
    pub(crate) fn location(&self, secret: bool) -> Option<String> {
        let location = self.headers.get(header::LOCATION).filter(|_| !secret)?;
        let location = String::from_utf8_lossy(location.as_bytes());
        Some(self.redactor().shown(&location, SHORT_TEXT))
    }

    fn content_type(&self) -> Option<&str> {
        self.headers.get(header::CONTENT_TYPE)?.to_str().ok()
    }
}

/// Headers without the key, each value short; one that is named after the key is left out.
fn clean(headers: &HeaderMap, redactor: &Redactor) -> HeaderMap {
    let kept = headers
        .iter()
        .filter(|(name, _)| redactor.redact(name.as_str()) == name.as_str());
    let shown = |value: &HeaderValue| {
        let text = String::from_utf8_lossy(value.as_bytes());
        let shown = redactor.shown(&text, SHORT_TEXT);
        match shown == text {
            true => value.clone(),
            false => HeaderValue::from_str(&shown).unwrap_or(HeaderValue::from_static(MASK)),
        }
    };
    kept.map(|(name, value)| (name.clone(), shown(value)))
        .collect()
}

/// Of a place in an answer with secrets, only names that this crate knows: a field of a leaked record is one too.
fn own_names(place: &str) -> String {
    const OWN: [&str; 15] = [
        "billing_customer_id",
        "client_id",
        "data",
        "domain_id",
        "success",
        "items",
        "enabled",
        "total",
        "page",
        "page_size",
        "error",
        "message",
        "monitored_domain_id",
        "token",
        "expires_at",
    ];
    let known = |name: &&str| OWN.contains(&name.split('[').next().unwrap_or_default());
    let names: Vec<&str> = place.split('.').take_while(known).collect();
    names.join(".")
}
