//! What an operation is given: the request as it came in, and the account that it is about.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use bytes::Bytes;
use http::request::Parts;
use secmon_engine::{Account, Call, Instant};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::body::{self, Sent};
use super::head;
use super::problem::Problem;
use crate::configuration::settings::AnswerStyle;
use crate::connection::arrival::ArrivedOn;
use crate::observation::notice::Fact;
use crate::operations::paths::Segments;
use crate::values::fields::{FieldErrors, Fields, readers};
use crate::values::query;

/// A request, read but not judged.
pub(crate) struct PartnerRequest<'a> {
    pub(crate) head: &'a Parts,
    pub(crate) arrived_on: ArrivedOn,
    pub(crate) query: BTreeMap<String, String>,
    pub(crate) segments: Segments<'a>,
    pub(crate) sent: Sent,
    /// The body's JSON object, once somebody has looked: operations, faults and notices read the same.
    object: OnceLock<Result<Map<String, Value>, FieldErrors>>,
}

impl<'a> PartnerRequest<'a> {
    /// A request whose body is not read yet.
    pub(crate) fn new(head: &'a Parts, arrived_on: ArrivedOn, segments: Segments<'a>) -> Self {
        Self {
            head,
            arrived_on,
            query: query::parse(head.uri.query()),
            segments,
            sent: Sent::Whole(Bytes::new()),
            object: OnceLock::new(),
        }
    }

    pub(crate) fn path(&self) -> &str {
        self.head.uri.path()
    }

    /// The address that the client called, for example `http://127.0.0.1:4010`.
    pub(crate) fn origin(&self) -> String {
        self.arrived_on.origin(head::authority(self.head))
    }

    /// The body's JSON object.
    pub(crate) fn object(&self) -> Result<&Map<String, Value>, Problem> {
        let Sent::Whole(bytes) = &self.sent else {
            return Err(Problem::TooLarge);
        };
        let read = || body::bounded_object(bytes, body::MOST_VALUES);
        let object = self.object.get_or_init(read).as_ref();
        object.map_err(|errors| errors.clone().into())
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
    pub(crate) answer_style: AnswerStyle,
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
