//! One request, and what the answers to it mean.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::uri::Scheme;
use http::{HeaderMap, Method, StatusCode, Uri};
use tracing::Span;
use tracing::field::Empty;

use crate::answer::{Answer, PriorAttempts};
use crate::envelope::{DecodeProblem, Envelope};
use crate::error::{CallFacts, Delivery, Error, ErrorCode, ErrorKind};
use crate::operation_info::{Group, OperationInfo, RateGroup, RetrySafety};
use crate::request_options::RequestOptions;
use crate::secret::ApiKey;

/// A request that is ready to go, as often as needed.
pub(crate) struct Call {
    pub(crate) operation: Option<&'static OperationInfo>,
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    /// All but the key.
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) rate_group: Option<RateGroup>,
    pub(crate) safety: RetrySafety,
    pub(crate) settings: Arc<RequestOptions>,
}

impl Call {
    pub(crate) fn name(&self) -> &'static str {
        self.operation.map_or("raw", |operation| operation.name)
    }

    /// The health check goes without the key.
    pub(super) fn takes_the_key(&self) -> bool {
        self.operation
            .is_none_or(|operation| operation.group != Group::Health)
    }

    /// A deletion whose first answer was lost finds nothing left to delete: that is its success. Only the record's own
    /// 404, which has a number for its code, says so (A11); that of an unknown path has a name (A6).
    pub(super) fn was_deleted_before(&self, answer: &Answer) -> bool {
        self.operation
            .is_some_and(|operation| operation.envelope == Envelope::Empty)
            && answer.status == StatusCode::NOT_FOUND
            && answer.prior_attempts == PriorAttempts::AnswerLost
            && answer
                .api_error(self.operation)
                .is_some_and(|error| error.code == Some(ErrorCode::Number(404)))
    }

    fn is_secret(&self) -> bool {
        self.operation.is_some_and(|operation| operation.secret)
    }

    pub(super) fn request(&self, key: Option<&ApiKey>) -> Result<http::Request<Bytes>, Error> {
        let mut request = http::Request::new(self.body.clone());
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = self.headers.clone();
        if let Some(operation) = self.operation {
            request.extensions_mut().insert(operation);
        }
        if let Some(key) = key.filter(|_| self.takes_the_key()) {
            let authorization = key.authorization()?;
            request
                .headers_mut()
                .insert(http::header::AUTHORIZATION, authorization);
        }
        Ok(request)
    }

    fn port(&self) -> u16 {
        let usual = if self.uri.scheme() == Some(&Scheme::HTTP) {
            80
        } else {
            443
        };
        self.uri.port_u16().unwrap_or(usual)
    }

    /// The span of the call: OpenTelemetry's names, and neither identifiers nor headers nor bodies.
    pub(super) fn span(&self) -> Span {
        tracing::debug_span!(
            "secmon.call",
            otel.name = self.name(),
            otel.kind = "client",
            http.request.method = self.method.as_str(),
            url.template = self.operation.map(|operation| operation.path),
            server.address = self.uri.host(),
            server.port = self.port(),
            otel.status_code = Empty,
            http.response.status_code = Empty,
            http.request.resend_count = Empty,
            error.r#type = Empty,
        )
    }
}

/// A call without a result: the error, and the answer behind it where there was one.
pub(crate) struct Failure {
    pub(crate) error: Error,
    pub(crate) answer: Option<Box<Answer>>,
}

impl Call {
    /// The error that an answer is: the service's own account, a redirect, a proxy's 407, or an answer that nobody can
    /// read, for the reason given.
    pub(crate) fn error_of(&self, answer: &Answer, problem: Option<&DecodeProblem>) -> Error {
        let api = answer.api_error(self.operation);
        let status = answer.status;
        let error = match (api, problem) {
            _ if points_elsewhere(answer) => Error::new(
                ErrorKind::Redirect,
                match answer.location(self.is_secret()) {
                    Some(target) => {
                        format!("the answer points to {target}; redirects are never followed")
                    }
                    None => "the answer is a redirect; they are never followed".to_owned(),
                },
            ),
            _ if status == StatusCode::PROXY_AUTHENTICATION_REQUIRED => Error::new(
                ErrorKind::Proxy,
                "something on the way answered in the service's place: it wants a proxy's credentials",
            ),
            (Some(api), None) if !api.is_documented && comes_from_a_gateway(status) => {
                Error::new(ErrorKind::Gateway, of_a_gateway(&api.message))
            }
            (Some(api), _) => Error::refused_by_service(api),
            (None, Some(problem)) => {
                no_result(problem, &answer.unreadable(problem, self.is_secret()))
            }
            (None, None) => {
                let problem = match answer.body.is_empty() {
                    true => "it is empty",
                    false => "it is no error of the service",
                };
                let problem = DecodeProblem::whole(problem);
                let reason = answer.unreadable(&problem, self.is_secret());
                match comes_from_a_gateway(status) {
                    true => Error::new(ErrorKind::Gateway, of_a_gateway(&reason)),
                    false => no_result(&problem, &reason),
                }
            }
        };
        let delivery = match error.kind() {
            _ if answer.prior_attempts != PriorAttempts::Nothing => Delivery::Maybe,
            _ if says_what_happened(answer, &error) => Delivery::Answered,
            _ => Delivery::Maybe,
        };
        error.about(CallFacts {
            answer: Some(answer.facts(self.operation)),
            ..self.facts(
                delivery,
                answer.attempts,
                answer.elapsed,
                answer.key.as_ref(),
            )
        })
    }

    /// What an error tells of the call itself.
    pub(crate) fn facts(
        &self,
        delivery: Delivery,
        attempts: u32,
        elapsed: Duration,
        key: Option<&ApiKey>,
    ) -> CallFacts {
        CallFacts {
            operation: self.operation,
            method: self.method.clone(),
            path: crate::redact::Redactor::of(key).shown(self.uri.path(), 1024),
            safety: self.safety,
            delivery,
            attempts,
            elapsed,
            answer: None,
        }
    }
}

fn no_result(problem: &DecodeProblem, reason: &str) -> Error {
    Error::new(
        ErrorKind::Decode,
        format!("{}: {reason}", problem.complaint),
    )
}

fn of_a_gateway(reason: &str) -> String {
    format!("something on the way to the service answered in its place: {reason}")
}

/// A status of what stands between client and service, where the answer is in none of the service's shapes (F13).
fn comes_from_a_gateway(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 421 | 425) || status.is_server_error()
}

/// A redirect. 304 is none, and the other 3xx are one where they say where to.
fn points_elsewhere(answer: &Answer) -> bool {
    match answer.status.as_u16() {
        301 | 302 | 303 | 307 | 308 => true,
        300 | 305 | 306 => answer.headers.contains_key(http::header::LOCATION),
        _ => false,
    }
}

/// Whether an answer tells what became of the request: a redirect or a page of a proxy does not, nor does what is in none
/// of the service's shapes, nor a 5xx without one of the service's own codes, nor one that a server on the way gives for
/// another, whatever code is in it; a 429 was not processed, whatever its body says (F5).
fn says_what_happened(answer: &Answer, error: &Error) -> bool {
    match error.kind() {
        _ if answer.status == StatusCode::TOO_MANY_REQUESTS => true,
        ErrorKind::Api if !error.is_the_services_own() => false,
        ErrorKind::Api => match answer.status {
            StatusCode::INTERNAL_SERVER_ERROR | StatusCode::SERVICE_UNAVAILABLE => {
                error.code().is_some_and(ErrorCode::is_named)
            }
            status => !status.is_server_error(),
        },
        _ => false,
    }
}
