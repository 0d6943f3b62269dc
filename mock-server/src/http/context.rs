//! What an operation is given: the request as it came in, and the account that it is about.

use std::collections::BTreeMap;

use http::request::Parts;
use secmon_engine::{Account, Call, Instant};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::body::{self, Sent};
use super::head;
use super::paths::Segments;
use super::problem::Problem;
use crate::fields::{Fields, readers};
use crate::notice::Fact;
use crate::server::ArrivedOn;
use crate::settings::Manners;

/// A request, read but not judged.
pub(crate) struct PartnerRequest<'a> {
    pub(crate) head: &'a Parts,
    pub(crate) arrived_on: ArrivedOn,
    pub(crate) query: BTreeMap<String, String>,
    pub(crate) segments: Segments<'a>,
    pub(crate) sent: Sent,
}

impl PartnerRequest<'_> {
    pub(crate) fn path(&self) -> &str {
        self.head.uri.path()
    }

    /// The address that the client called, for example `http://127.0.0.1:4010`.
    pub(crate) fn origin(&self) -> String {
        self.arrived_on.origin(head::authority(self.head))
    }

    /// The body's JSON object.
    pub(crate) fn object(&self) -> Result<Map<String, Value>, Problem> {
        match &self.sent {
            Sent::TooLarge(_) => Err(Problem::TooLarge),
            Sent::Whole(bytes) => Ok(body::bounded_object(bytes, body::MOST_VALUES)?),
        }
    }

    /// The text of a parameter, of the path or of the query.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        let of_query = || self.query.get(name).map(String::as_str);
        self.segments.get(name).or_else(of_query)
    }

    /// The query's parameters.
    pub(crate) fn parameters(&self) -> Fields<'_> {
        Fields::of_query(&self.query)
    }

    /// An id in the path; none when it is no UUID (A16).
    pub(crate) fn id(&self, name: &str) -> Option<Uuid> {
        readers::parse_uuid(self.segments.get(name)?)
    }
}

/// What an operation works with.
pub(crate) struct Context<'a> {
    pub(crate) account: &'a mut Account,
    pub(crate) call: Call,
    pub(crate) request: &'a PartnerRequest<'a>,
    pub(crate) manners: Manners,
    /// What notices are made from.
    pub(crate) facts: Vec<Fact>,
}

impl Context<'_> {
    /// The account's time.
    pub(crate) fn now(&self) -> Instant {
        self.call.now
    }

    /// Notes what the answer does not tell plainly.
    pub(crate) fn note(&mut self, fact: Fact) {
        self.facts.push(fact);
    }
}
