//! Whether an answer is about what was asked (F11).

mod identity;

use std::fmt::{self, Display};

use chrono::{DateTime, Utc};
use http::{HeaderMap, StatusCode, header};
use serde_json::Value;

use crate::answer::Answer;
use crate::envelope::{DecodeProblem, Envelope, json};
use crate::model::Timestamp;
pub(crate) use identity::Identity;

/// Compares the answer to a call with its request; handed to [`Operation::check_answer`](crate::Operation::check_answer).
///
/// The first difference ends the call with an error of the kind [`Decode`](crate::ErrorKind::Decode) that names the
/// member. Members are named by their place in the result, as in `endpoint_id` or `data[3].id`.
pub struct AnswerCheck<'a> {
    headers: &'a HeaderMap,
    body: &'a [u8],
    status: StatusCode,
    /// The page that was asked for in place of the request's own.
    page: Option<u32>,
    prefix: &'static str,
    problem: Option<DecodeProblem>,
}

const ANOTHER: &str = "it is another one than was asked for";

impl<'a> AnswerCheck<'a> {
    /// A check of this answer, in this envelope.
    pub(crate) fn new(answer: &'a Answer, envelope: Envelope) -> Self {
        let prefix = match envelope {
            Envelope::Success | Envelope::SuccessOrUnavailable | Envelope::Resource => "data.",
            Envelope::Document | Envelope::Empty => "",
        };
        Self {
            headers: &answer.headers,
            body: &answer.body,
            status: answer.status,
            page: None,
            prefix,
            problem: None,
        }
    }

    /// The same, where this page was asked for in place of the request's own.
    pub(crate) fn for_page(self, page: Option<u32>) -> Self {
        Self { page, ..self }
    }

    /// The member must be what the request says.
    pub fn same<T: PartialEq>(&mut self, member: impl Display, requested: &T, answered: &T) {
        if requested != answered {
            self.refuse(member, ANOTHER);
        }
    }

    /// The same where both the request and the answer have the member.
    pub fn same_if_present<T: PartialEq>(
        &mut self,
        member: impl Display,
        requested: Option<&T>,
        answered: Option<&T>,
    ) {
        if let (Some(requested), Some(answered)) = (requested, answered) {
            self.same(member, requested, answered);
        }
    }

    /// What was asked for is in the answer.
    pub(crate) fn present_if_asked<T>(
        &mut self,
        member: impl Display,
        requested: Option<&T>,
        answered: Option<&T>,
    ) {
        if requested.is_some() && answered.is_none() {
            self.refuse(member, "it is missing, although it was asked for");
        }
    }

    /// A summary has at least one of its members, which may each be absent (F9); `first` is where they would begin.
    pub(crate) fn some_member(&mut self, first: &str, present: &[bool]) {
        if !present.contains(&true) {
            self.refuse(first, "it is missing, and so are all members beside it");
        }
    }

    /// The member holds the number of a page: it must be the one that was asked for, or else the first.
    pub fn page(&mut self, member: impl Display, requested: Option<u32>, answered: u32) {
        let requested = self.page.or(requested).unwrap_or(1);
        if requested != answered {
            self.refuse(member, "the page has another number than was asked for");
        }
    }

    /// Whether the call has made a new record: its answer has the status 201.
    fn is_created(&self) -> bool {
        self.status == StatusCode::CREATED
    }

    /// A record that was just made is in none of these states; a word that the specification does not know passes.
    pub(crate) fn starts_in_none_of<T: PartialEq>(&mut self, ended: &[T], answered: &T) {
        if self.is_created() && ended.contains(answered) {
            self.refuse("status", "a new record does not begin in this state");
        }
    }

    /// Customer, service and records are those of the request, wherever the answer names them.
    pub(crate) fn same_identity(&mut self, requested: &Identity) {
        if let Some(place) = requested.contradicted_at(self.body) {
            self.problem.get_or_insert_with(|| DecodeProblem {
                complaint: DecodeProblem::OTHER_REQUEST,
                place,
                problem: ANOTHER.to_owned(),
            });
        }
    }

    /// The member cannot be right, for this reason; no value of the answer may be in it.
    pub fn refuse(&mut self, member: impl Display, reason: &str) {
        self.problem.get_or_insert_with(|| DecodeProblem {
            complaint: DecodeProblem::OTHER_REQUEST,
            place: format!("{}{member}", self.prefix),
            problem: reason.to_owned(),
        });
    }

    /// The service's clock when it answered, by the body or by the `Date` header; `None` where neither tells.
    pub(crate) fn answered_at(&self) -> Option<DateTime<Utc>> {
        let in_body = || {
            let answer = json::parse(self.body).ok()?;
            let timestamp = answer.pointer("/meta/timestamp").and_then(Value::as_str)?;
            let timestamp: Timestamp = timestamp.parse().ok()?;
            Some(timestamp.date_time().to_utc())
        };
        let in_header = || {
            let date = self.headers.get(header::DATE)?.to_str().ok()?;
            httpdate::parse_http_date(date).ok().map(DateTime::from)
        };
        in_body().or_else(in_header)
    }

    pub(crate) fn into_problem(self) -> Option<DecodeProblem> {
        self.problem
    }
}

impl fmt::Debug for AnswerCheck<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problem = self.problem.as_ref();
        f.debug_struct("AnswerCheck")
            .field("refused", &problem.map(|problem| &problem.place))
            .finish_non_exhaustive()
    }
}
