//! Whether an answer is about what was asked (F11).

use std::fmt::{self, Display};

use chrono::{DateTime, Utc};
use http::{HeaderMap, StatusCode, header};
use serde_json::Value;
use uuid::Uuid;

use crate::answer::Answer;
use crate::envelope::{DecodeProblem, Envelope, json};
use crate::model::Timestamp;

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

/// The members of a request that name a record, and where an answer may repeat them.
const IDENTITY: [(&str, &str); 8] = [
    ("client_id", "client_id"),
    ("client_id", "billing_customer_id"),
    ("billing_customer_id", "billing_customer_id"),
    ("billing_customer_id", "client_id"),
    ("service_id", "service_id"),
    ("product_slug", "product_slug"),
    ("endpoint_id", "endpoint_id"),
    ("monitored_domain_id", "monitored_domain_id"),
];

/// Whether an answer names another record; what cannot be read as what the request has tells nothing (F12).
fn names_another(asked: &Value, answered: &Value) -> bool {
    let text = match answered {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return false,
    };
    match asked {
        Value::Number(number) => {
            let read = text.parse::<f64>().ok();
            let read = read.filter(|read| *read >= 1.0 && read.fract() == 0.0);
            let pair = number.as_f64().zip(read);
            pair.is_some_and(|(asked, answered)| asked != answered)
        }
        Value::String(asked) => match asked.parse::<Uuid>() {
            Ok(asked) => text.parse::<Uuid>().is_ok_and(|answered| answered != asked),
            Err(_) => !text.is_empty() && !asked.trim().eq_ignore_ascii_case(&text),
        },
        _ => false,
    }
}

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
            self.refuse(member, "it is another one than was asked for");
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

    /// What was asked for is also in the answer, and the same.
    pub(crate) fn same_if_asked<T: PartialEq>(
        &mut self,
        member: impl Display,
        requested: Option<&T>,
        answered: Option<&T>,
    ) {
        match (requested, answered) {
            (Some(requested), Some(answered)) => self.same(member, requested, answered),
            (Some(_), None) => self.refuse(member, "it is missing, although it was asked for"),
            (None, _) => {}
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
    pub fn is_created(&self) -> bool {
        self.status == StatusCode::CREATED
    }

    /// A record that was just made is in none of these states; a word that the specification does not know passes.
    pub(crate) fn starts_in_none_of<T: PartialEq>(&mut self, ended: &[T], answered: &T) {
        if self.is_created() && ended.contains(answered) {
            self.refuse("status", "a new record does not begin in this state");
        }
    }

    /// What names the record is the same wherever the answer repeats it, in members that the result has no field for, too.
    pub(crate) fn same_identity(&mut self, request: &Value) {
        let Ok(body) = json::parse(self.body) else {
            return;
        };
        let answered = body.get("data").unwrap_or(&body);
        for (asked, repeated) in IDENTITY {
            if names_another(&request[asked], &answered[repeated]) {
                self.refuse(repeated, "it is another one than was asked for");
            }
        }
    }

    /// The member cannot be right, for this reason; no value of the answer may be in it.
    pub fn refuse(&mut self, member: impl Display, reason: &str) {
        self.problem.get_or_insert_with(|| DecodeProblem {
            place: format!("{}{member}", self.prefix),
            problem: reason.to_owned(),
        });
    }

    /// The service's clock when it answered, by the body or by the `Date` header; `None` where neither tells.
    pub fn answered_at(&self) -> Option<DateTime<Utc>> {
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
