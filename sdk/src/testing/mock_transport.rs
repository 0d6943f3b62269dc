//! A transport that plays a script.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use serde_json::Value;
use tokio::time::sleep;
use uuid::Uuid;

use super::answers::json_text;
use crate::operation::Operation;
use crate::operation_info::{OperationInfo, path_fits};
use crate::secret::ApiKey;
use crate::transport::{BoxFuture, Transport, TransportError, TransportErrorKind};

/// A transport that plays the steps of a script, and records what was sent.
///
/// A request plays the first step for its operation or its path that is not used up; where there is none, the first
/// step for any request. Where there is none either it fails with [`TransportErrorKind::Refused`] and a sentence.
#[derive(Default)]
pub struct MockTransport(Mutex<State>);

#[derive(Default)]
struct State {
    steps: Vec<PlannedStep>,
    requests: Vec<RecordedRequest>,
    /// Names of the requests that there was no step for.
    unexpected: Vec<String>,
}

struct PlannedStep {
    request: RequestPattern,
    /// How often it is due; `None` for a step that can be played for ever, or never.
    times: Option<u32>,
    played: u32,
    delay: Duration,
    end: End,
}

enum RequestPattern {
    Anything,
    Operation(String),
    Path(Method, String),
}

#[derive(Clone)]
enum End {
    Answer(http::Response<Bytes>),
    Fail(TransportErrorKind),
    Hang,
}

/// A request as a [`MockTransport`] saw it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RecordedRequest {
    /// The operation's name; `None` for a raw request to a path that [`OPERATIONS`](crate::OPERATIONS) does not have.
    pub operation: Option<&'static str>,
    /// The HTTP method.
    pub method: Method,
    /// The path, without the query.
    pub path: String,
    /// The query, empty without one.
    pub query: String,
    /// The headers, without `Authorization`; for the key ask [`key_is`](RecordedRequest::key_is).
    pub headers: HeaderMap,
    /// The JSON body; null without one.
    pub body: Value,
    /// Fingerprint of the header that carried the key.
    key: Option<Uuid>,
}

impl MockTransport {
    /// A script without steps.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// A step for requests of an operation, by its type: `script.on::<SuspendEndpoint>()`.
    pub fn on<O: Operation>(&self) -> Expectation<'_> {
        self.on_named(O::INFO.name)
    }

    /// A step for requests of an operation, by its name in [`OPERATIONS`](crate::OPERATIONS).
    pub fn on_named(&self, operation: &str) -> Expectation<'_> {
        self.step(RequestPattern::Operation(operation.to_owned()))
    }

    /// A step for requests of this method and path, without the query; a segment `*` stands for any one.
    pub fn on_path(&self, method: Method, path: &str) -> Expectation<'_> {
        self.step(RequestPattern::Path(method, path.to_owned()))
    }

    /// A step for whatever comes. Such steps are played in the order in which they were written.
    pub fn on_any(&self) -> Expectation<'_> {
        self.step(RequestPattern::Anything)
    }

    /// Answers the next request, with JSON.
    pub fn answer(&self, status: StatusCode, body: impl Into<Bytes>) {
        self.on_any().answer(status, body);
    }

    /// Answers the next request, headers included.
    pub fn respond(&self, response: http::Response<Bytes>) {
        self.on_any().respond(response);
    }

    /// Fails the next request.
    pub fn fail(&self, kind: TransportErrorKind) {
        self.on_any().fail(kind);
    }

    /// Never answers the next request.
    pub fn hang(&self) {
        self.on_any().hang();
    }

    /// What was sent so far, in order.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.state().requests.clone()
    }

    /// Whether every step was played as often as it says, and every request found one.
    ///
    /// # Errors
    /// A sentence that names the steps that are left, and the requests without a step.
    pub fn verify(&self) -> Result<(), String> {
        let state = self.state();
        let left: Vec<String> = state
            .steps
            .iter()
            .filter_map(PlannedStep::complaint)
            .collect();
        let mut problems = Vec::new();
        if !left.is_empty() {
            problems.push(format!("not played: {}", left.join(", ")));
        }
        if !state.unexpected.is_empty() {
            problems.push(format!(
                "asked without a step: {}",
                state.unexpected.join(", ")
            ));
        }
        match problems.is_empty() {
            true => Ok(()),
            false => Err(format!("the script is not done; {}", problems.join("; "))),
        }
    }

    /// [`verify`](MockTransport::verify) for the end of a test.
    ///
    /// # Panics
    /// With its sentence.
    #[track_caller]
    pub fn assert_done(&self) {
        if let Err(problem) = self.verify() {
            panic!("{problem}");
        }
    }

    fn step(&self, request: RequestPattern) -> Expectation<'_> {
        Expectation {
            script: self,
            plan: PlannedStep {
                request,
                times: Some(1),
                played: 0,
                delay: Duration::ZERO,
                end: End::Hang,
            },
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn play(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Bytes>, TransportError> {
        let (delay, end) = self.state().next(RecordedRequest::of(request))?;
        if !delay.is_zero() {
            sleep(delay).await;
        }
        match end {
            End::Answer(response) => Ok(response),
            End::Fail(kind) => Err(TransportError::new(kind, "as the script says")),
            End::Hang => std::future::pending().await,
        }
    }
}

impl Transport for MockTransport {
    fn send(
        &self,
        request: http::Request<Bytes>,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, TransportError>> {
        Box::pin(self.play(request))
    }
}

impl State {
    fn next(&mut self, sent: RecordedRequest) -> Result<(Duration, End), TransportError> {
        let find = |wanted: &dyn Fn(&RequestPattern) -> bool| {
            let due = |step: &PlannedStep| step.left() != Some(0) && wanted(&step.request);
            self.steps.iter().position(due)
        };
        let place = find(&|asked| asked.names(&sent))
            .or_else(|| find(&|expected| matches!(expected, RequestPattern::Anything)));
        let name = sent.to_string();
        self.requests.push(sent);
        let Some(place) = place else {
            let problem = format!("the script has no step left for {name}");
            self.unexpected.push(name);
            return Err(TransportError::new(TransportErrorKind::Refused, problem));
        };
        let step = &mut self.steps[place];
        step.played += 1;
        Ok((step.delay, step.end.clone()))
    }
}

impl PlannedStep {
    /// How often it is still due; `None` for a step that may be left out.
    fn left(&self) -> Option<u32> {
        let times = self.times?;
        Some(times.saturating_sub(self.played))
    }

    /// The step with how much of it is left; `None` when nothing is.
    fn complaint(&self) -> Option<String> {
        let left = self.left().filter(|left| *left > 0)?;
        let times = left.saturating_add(self.played);
        Some(format!("{} ({left} of {times})", self.request))
    }
}

impl RequestPattern {
    /// Whether it names this request, and not just any.
    fn names(&self, sent: &RecordedRequest) -> bool {
        match self {
            Self::Anything => false,
            Self::Operation(name) => sent.operation == Some(name.as_str()),
            Self::Path(method, pattern) => {
                let fits = |expected: &str, segment: &str| expected == "*" || expected == segment;
                *method == sent.method && path_fits(pattern, &sent.path, fits)
            }
        }
    }
}

impl fmt::Display for RequestPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anything => f.write_str("any request"),
            Self::Operation(name) => f.write_str(name),
            Self::Path(method, path) => write!(f, "{method} {path}"),
        }
    }
}

/// A step that is being written. It is in its [`MockTransport`] once it says how it ends.
#[must_use = "a step is in the script once it says how it ends: answer, respond, fail or hang"]
pub struct Expectation<'a> {
    script: &'a MockTransport,
    plan: PlannedStep,
}

impl Expectation<'_> {
    /// Is played exactly so many times; once unless set.
    pub fn times(mut self, times: u32) -> Self {
        self.plan.times = Some(times);
        self
    }

    /// Is played as often as asked for, and may be left out.
    pub fn forever(mut self) -> Self {
        self.plan.times = None;
        self
    }

    /// Ends after this time.
    pub fn after(mut self, delay: Duration) -> Self {
        self.plan.delay = delay;
        self
    }

    /// Ends with an answer in JSON.
    pub fn answer(self, status: StatusCode, body: impl Into<Bytes>) {
        self.respond(json_text(status, body.into()));
    }

    /// Ends with this answer, headers included; the functions of [`testing`](crate::testing) make them.
    pub fn respond(self, response: http::Response<Bytes>) {
        self.end(End::Answer(response));
    }

    /// Ends without an answer.
    pub fn fail(self, kind: TransportErrorKind) {
        self.end(End::Fail(kind));
    }

    /// Never ends.
    pub fn hang(self) {
        self.end(End::Hang);
    }

    fn end(mut self, end: End) {
        self.plan.end = end;
        self.script.state().steps.push(self.plan);
    }
}

impl RecordedRequest {
    /// Whether this key was sent; the request does not hold its text.
    pub fn key_is(&self, key: &ApiKey) -> bool {
        key.authorization()
            .is_ok_and(|header| self.key == Some(fingerprint(&header)))
    }

    fn of(request: http::Request<Bytes>) -> Self {
        let (mut parts, body) = request.into_parts();
        let authorization = parts.headers.remove(header::AUTHORIZATION);
        let operation = parts.extensions.get::<&'static OperationInfo>();
        Self {
            operation: operation.map(|info| info.name),
            path: parts.uri.path().to_owned(),
            query: parts.uri.query().unwrap_or_default().to_owned(),
            method: parts.method,
            headers: parts.headers,
            body: serde_json::from_slice(&body).unwrap_or_default(),
            key: authorization.as_ref().map(fingerprint),
        }
    }
}

impl fmt::Debug for MockTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        f.debug_struct("MockTransport")
            .field("steps", &state.steps.len())
            .field("requests", &state.requests)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Expectation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expectation({})", self.plan.request)
    }
}

/// Method and path, and the operation's name where it has one.
impl fmt::Display for RecordedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)?;
        match self.operation {
            Some(name) => write!(f, " ({name})"),
            None => Ok(()),
        }
    }
}

/// Tells one key from another and does not lead back to either.
fn fingerprint(authorization: &HeaderValue) -> Uuid {
    Uuid::new_v5(&Uuid::NAMESPACE_URL, authorization.as_bytes())
}
