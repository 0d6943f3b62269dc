//! The client: sends operations to one service with one key.

mod builder;
mod call;
mod origin;
mod raw;
mod target;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

pub use builder::ClientBuilder;
pub use call::CallBuilder;
pub use raw::{RawRequest, RawResponse};

use crate::envelope::{self, Envelope};
use crate::error::{CallFacts, Cause, Error, FieldErrors, Sent};
use crate::operation::{Group, Namespace, Operation, OperationInfo, RetrySafety};
use crate::page::{PagedOperation, Pages};
use crate::pipeline::retry::Cooldown;
use crate::pipeline::{Call, Pipeline};
use crate::response::{Answer, History, Response};
use crate::secret::ApiKey;

/// Sends operations to one service with one key.
///
/// Cloning is cheap; clones share connections, the rate budget and the knowledge that the key was refused. Every
/// future of a client may be dropped at any time.
#[derive(Clone)]
pub struct Client(Arc<Shared>);

struct Shared {
    pipeline: Pipeline,
    /// Scheme, host and port, without a slash at the end.
    origin: String,
    namespace: Namespace,
    paths: Paths,
    /// What every request carries, the key included.
    headers: HeaderMap,
    sandbox: Option<SandboxHeader>,
    total_time: Duration,
}

/// Paths of the caller's for operations whose own are assumed, by the operation's name.
type Paths = BTreeMap<&'static str, String>;

/// Marks that provisioning calls are to be simulated.
#[derive(Clone, Copy)]
struct SandboxHeader;

const X_SANDBOX: HeaderName = HeaderName::from_static("x-sandbox");

impl Client {
    /// Starts a client for the service at `base_url`, the origin of the partner's portal
    /// (`https://portal.example.com`).
    pub fn builder(base_url: &str, key: ApiKey) -> ClientBuilder {
        ClientBuilder::new(base_url, key)
    }

    /// Sends an operation with the client's own settings.
    ///
    /// # Errors
    /// Everything a call can end with: see [`Error`].
    pub async fn send<O: Operation>(&self, operation: O) -> Result<Response<O::Output>, Error> {
        self.call(operation).send().await
    }

    /// An operation with settings of its own, sent by [`CallBuilder::send`].
    pub fn call<O: Operation>(&self, operation: O) -> CallBuilder<'_, O> {
        CallBuilder::new(self, operation)
    }

    /// The pages of a list, from the page that the request names (the first, if none).
    pub fn pages<O: PagedOperation>(&self, list: O) -> Pages<O> {
        Pages::new(self.clone(), list)
    }

    /// Sends a request that has no type here, paced and retried by what [`OPERATIONS`](crate::OPERATIONS) says of its
    /// method and path. Unknown ones count in the stricter window, and are sent again only when they are reads.
    ///
    /// # Errors
    /// None for an error status: every complete answer is a result. All other errors as with [`send`](Client::send).
    pub async fn raw(&self, request: RawRequest) -> Result<RawResponse, Error> {
        raw::send(self, request).await
    }

    /// Forgets that the service refused the key, so that calls go out again; for a key that was unlocked meanwhile.
    pub fn reset_key_rejection(&self) {
        self.0.pipeline.key_rejected.store(false, Ordering::Relaxed);
    }

    /// Scheme, host and port of the service.
    pub fn origin(&self) -> &str {
        &self.0.origin
    }

    /// The namespace of the provisioning calls.
    pub fn namespace(&self) -> Namespace {
        self.0.namespace
    }

    /// The path of an operation, with its placeholders.
    fn path_of(&self, info: &OperationInfo) -> &str {
        self.0
            .paths
            .get(info.name)
            .map_or(info.path, String::as_str)
    }

    /// The headers of a request; the health check goes without the key.
    fn headers_for(&self, group: Option<Group>) -> HeaderMap {
        let mut headers = self.0.headers.clone();
        if group == Some(Group::Health) {
            headers.remove(header::AUTHORIZATION);
        }
        if group == Some(Group::Provisioning) && self.0.sandbox.is_some() {
            headers.insert(X_SANDBOX, HeaderValue::from_static("true"));
        }
        headers
    }

    /// The error of a call that was never tried.
    fn unsent(&self, info: &'static OperationInfo, cause: Cause) -> Error {
        Error::new(
            cause,
            CallFacts {
                operation: Some(info),
                method: info.method.clone(),
                path: info.path.to_owned(),
                safety: info.safety,
                sent: Sent::No,
                attempts: 0,
                elapsed: Duration::ZERO,
                answer: None,
            },
        )
    }

    fn prepare<O: Operation>(
        &self,
        operation: &O,
        cooldown: Cooldown,
        total_time: Duration,
    ) -> Result<Call, Error> {
        let info = O::INFO;
        if info.is_billing_only() && self.0.namespace == Namespace::Provisioning {
            return Err(self.unsent(
                info,
                Cause::Configuration(format!(
                    "{} exists in the billing namespace only: build the client with Namespace::Billing",
                    info.path
                )),
            ));
        }
        let target = target::of(
            &self.0.origin,
            self.0.namespace,
            self.path_of(info),
            operation,
        )
        .map_err(|reason| self.unsent(info, Cause::Configuration(reason)))?;
        Ok(Call {
            operation: Some(info),
            method: info.method.clone(),
            uri: target.uri,
            headers: self.headers_for(Some(info.group)),
            body: target.body,
            rate_group: info.rate_group(),
            safety: info.safety,
            cooldown,
            total_time,
        })
    }

    /// Turns a complete answer into the operation's result.
    fn conclude<O: Operation>(
        &self,
        call: &Call,
        answer: Answer,
    ) -> Result<Response<O::Output>, Error> {
        let pipeline = &self.0.pipeline;
        let envelope = O::INFO.envelope;
        if envelope::is_result(Some(envelope), answer.status, &answer.body) {
            return match envelope::decode(envelope, &answer.body) {
                Ok(data) => Ok(Response::new(data, answer)),
                Err(reason) => {
                    let reason = with_content_type(&answer, reason);
                    Err(pipeline.answer_error(call, &answer, reason))
                }
            };
        }
        if answer.status.is_redirection() {
            let location = answer.headers.get(header::LOCATION);
            let location = location.and_then(|value| value.to_str().ok());
            let cause = Cause::Redirect(location.map(|text| pipeline.key.redact(text)));
            return Err(pipeline.error_of(call, &answer, cause));
        }
        let error = pipeline.answer_error(call, &answer, unreadable(&answer));
        if deleted_before(envelope, &answer)
            && let Ok(data) = envelope::decode(Envelope::Empty, b"")
        {
            return Ok(Response::new(data, answer));
        }
        Err(error)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("origin", &self.0.origin)
            .field("namespace", &self.0.namespace)
            .finish_non_exhaustive()
    }
}

/// A deletion whose first answer was lost finds nothing left to delete: that is its success.
fn deleted_before(envelope: Envelope, answer: &Answer) -> bool {
    envelope == Envelope::Empty
        && answer.status == StatusCode::NOT_FOUND
        && answer.history == History::AnswerLost
}

/// Why a result cannot be read, led by what it calls itself when that is not JSON.
fn with_content_type(answer: &Answer, reason: String) -> String {
    match content_type(answer) {
        Some(content) if !content.contains("json") => {
            format!("it is {content} where JSON was expected ({reason})")
        }
        _ => reason,
    }
}

fn content_type(answer: &Answer) -> Option<&str> {
    answer.headers.get(header::CONTENT_TYPE)?.to_str().ok()
}

fn unreadable(answer: &Answer) -> String {
    match content_type(answer) {
        _ if answer.body.is_empty() => "it is empty".to_owned(),
        Some(content) => format!("it is {content}, and no error of the service"),
        None => "it is no error of the service".to_owned(),
    }
}

/// The problems an operation finds in itself.
fn problems(operation: &impl Operation) -> Option<FieldErrors> {
    let mut problems = FieldErrors::default();
    operation.validate(&mut problems);
    (!problems.is_empty()).then_some(problems)
}

/// How an operation without a row of the table is treated.
fn unknown_safety(method: &http::Method) -> RetrySafety {
    match *method {
        http::Method::GET => RetrySafety::Repeatable,
        _ => RetrySafety::Once,
    }
}
