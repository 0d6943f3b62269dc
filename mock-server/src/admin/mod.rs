//! The mock's admin API, under `/_mock/`: JSON in and out, errors as `{"error": sentence}`.

mod controls;
mod guard;
mod input;
mod routes;

use std::pin::Pin;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request};
use axum::response::Response;
use axum::routing::any;
use bytes::Bytes;
use http::StatusCode;
use http::request::Parts;
use serde_json::{Map, Value, json};

use crate::account::{AdminError, Mock};
use crate::connection::server::{ArrivedOn, Scheme};
use crate::http::body::{self, Sent, Unread};
use crate::http::head;
use crate::http::query;
use crate::http::reply::Reply;
use crate::store::Commit;
pub(crate) use controls::faults::all_shown as shown_faults;
pub(crate) use controls::faults::read as read_fault;
pub(crate) use controls::tenants::shown as shown_account;
use guard::Openness;
use routes::Control;

/// The largest body of an admin call: a whole state fits.
pub(crate) const BODY_LIMIT: usize = 256 * 1024 * 1024;

/// Values that the body of an admin call may have: a fixture of some five thousand servers.
const MOST_VALUES: usize = 50_000;

/// A response that is waited for.
type Responding = Pin<Box<dyn Future<Output = Result<Response, AdminError>> + Send>>;

/// A control that knows how its body is read.
type Run = Box<dyn FnOnce(AdminCall) -> Result<Answered, AdminError> + Send>;

/// A call of the admin API, read.
pub(super) struct AdminCall {
    pub(super) mock: Arc<Mock>,
    /// The variable parts of the path, in its order.
    pub(super) parts: Vec<String>,
    pub(super) query: std::collections::BTreeMap<String, String>,
    pub(super) body: Map<String, Value>,
    /// The host and port that were called.
    pub(super) host: String,
    /// The last event that a listener has heard.
    pub(super) last_event: Option<String>,
    pub(super) scheme: Scheme,
}

impl AdminCall {
    /// A variable part of the path; every path that is asked for one has it.
    pub(super) fn part(&self, place: usize) -> &str {
        self.parts.get(place).map_or("", String::as_str)
    }

    /// The host and port of the partner API. What was called may be an address of the admin API alone.
    pub(super) fn partner_host(&self) -> String {
        match self.mock.settings.admin_listen {
            None => self.host.clone(),
            Some(_) => format!(
                "{}:{}",
                head::without_port(&self.host),
                self.mock.public_port
            ),
        }
    }
}

/// What a control answers, and what must be durable first.
pub(super) struct Answered {
    pub(super) reply: Reply,
    pub(super) commit: Commit,
}

impl Answered {
    /// An answer that changed nothing.
    pub(super) fn shown(body: &impl serde::Serialize) -> Self {
        Self {
            reply: Reply::json(StatusCode::OK, body),
            commit: Commit::done(),
        }
    }

    /// 204 once it is durable.
    pub(super) fn done(commit: Commit) -> Self {
        Self {
            reply: Reply::no_content(),
            commit,
        }
    }

    /// 201 once it is durable.
    pub(super) fn made(body: &impl serde::Serialize, commit: Commit) -> Self {
        Self {
            reply: Reply::json(StatusCode::CREATED, body),
            commit,
        }
    }
}

/// Answers `/_mock/` and everything below it.
pub(crate) fn router(mock: &Arc<Mock>) -> Router {
    let mut router = Router::new();
    for path in routes::paths() {
        let mock = Arc::clone(mock);
        let handler = move |parts: Result<RawPathParams, RawPathParamsRejection>,
                            request: Request| {
            let mock = Arc::clone(&mock);
            async move { answer(&mock, path, parts, request).await }
        };
        router = router.route(path, any(handler));
    }
    router
}

/// The same on an address of its own, where nothing else answers.
pub(crate) fn standalone_router(mock: &Arc<Mock>) -> Router {
    router(mock).fallback(|| async {
        Response::<Body>::from(refusal(
            StatusCode::NOT_FOUND,
            "This is the admin API; the partner API has another address.",
        ))
    })
}

async fn answer(
    mock: &Arc<Mock>,
    path: &'static str,
    parts: Result<RawPathParams, RawPathParamsRejection>,
    request: Request,
) -> Response {
    let (head, body) = request.into_parts();
    let openness = routes::openness(path, &head.method);
    if let Err(refusal) = guard::check(mock, &head, openness) {
        return refusal.into();
    }
    let Some(control) = routes::control(path, &head.method) else {
        return routes::unroutable(path).into();
    };
    let Ok(parts) = parts else {
        let sentence = "The path is not valid UTF-8.".to_owned();
        return failure(&AdminError::BadInput(sentence)).into();
    };
    let query = query::parse(head.uri.query());
    if let Err(error) = routes::check_parameters(path, &head.method, query.keys()) {
        return failure(&error).into();
    }
    let sent = body::read(body, BODY_LIMIT, &mock.admin_bodies).await;
    if let Err(Unread::NoRoom) = sent {
        return crowded_out().into();
    }
    let call = AdminCall {
        mock: Arc::clone(mock),
        parts: parts.iter().map(|(_, text)| text.to_owned()).collect(),
        query,
        body: Map::new(),
        host: called_host(&head),
        last_event: last_event(&head),
        scheme: arrived_on(&head).map_or(Scheme::Http, |arrived| arrived.scheme),
    };
    let run: Run = match control {
        Control::Whole(control) => Box::new(move |call| {
            let body = read_object(sent)?;
            control(&AdminCall { body, ..call })
        }),
        Control::Large(control) => Box::new(move |call| {
            let bytes = read_whole(sent)?;
            let text = std::str::from_utf8(&bytes);
            control(&call, text.map_err(|_| bad("The body is not UTF-8."))?)
        }),
        Control::Own(respond) => {
            return respond(&call).unwrap_or_else(|error| failure(&error).into());
        }
        Control::Awaited(respond) => {
            let answer = match mock.store.settled().await {
                Ok(()) => respond(call).await,
                Err(error) => Err(error.into()),
            };
            return answer.unwrap_or_else(|error| failure(&error).into());
        }
    };
    let done = beside(move || run(call)).await.flatten();
    match durable(mock, done, openness).await {
        Ok(reply) => held(mock, reply).into(),
        Err(error) => failure(&error).into(),
    }
}

/// Does what takes longer than others should wait, such as a whole state, or a year of time.
async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, AdminError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| {
        let sentence = "The mock failed in this call: please report it.".to_owned();
        AdminError::NotSaved(sentence)
    })
}

/// An answer that takes room until it is read; another one where there is none.
fn held(mock: &Mock, mut reply: Reply) -> Reply {
    match mock.admin_answers.hold(std::mem::take(&mut reply.body)) {
        Some(body) => {
            reply.body = body;
            reply
        }
        None => {
            let sentence = "Large answers wait to be read by others; ask again.";
            refusal(StatusCode::SERVICE_UNAVAILABLE, sentence).retry_after_text("1".to_owned())
        }
    }
}

fn last_event(head: &Parts) -> Option<String> {
    let given = head.headers.get("last-event-id")?;
    Some(String::from_utf8_lossy(given.as_bytes()).into_owned())
}

/// The host and port that were called.
fn called_host(head: &Parts) -> String {
    let by_address = || arrived_on(head).map(|arrived| arrived.address.to_string());
    let named = head::authority(head).map(str::to_owned);
    named.or_else(by_address).unwrap_or_default()
}

/// Where the connection of a call came in; calls without a network have none.
fn arrived_on(head: &Parts) -> Option<&ArrivedOn> {
    head.extensions.get()
}

/// The answer, once what it tells of is durable.
async fn durable(
    mock: &Mock,
    done: Result<Answered, AdminError>,
    openness: Openness,
) -> Result<Reply, AdminError> {
    if openness == Openness::Keyed {
        // What is shown, and what is refused, tells of the state in memory.
        mock.store.settled().await?;
    }
    let Answered { reply, commit } = done?;
    commit.await?;
    Ok(reply)
}

/// The body's JSON object; no body is an empty one.
fn read_object(sent: Result<Sent, Unread>) -> Result<Map<String, Value>, AdminError> {
    let bytes = read_whole(sent)?;
    if bytes.is_empty() {
        return Ok(Map::new());
    }
    body::bounded_object(&bytes, MOST_VALUES).map_err(|errors| input::first_sentence(&errors))
}

fn read_whole(sent: Result<Sent, Unread>) -> Result<Bytes, AdminError> {
    match sent {
        Ok(Sent::Whole(bytes)) => Ok(bytes),
        Ok(Sent::TooLarge(_)) => Err(bad("The body must be at most 256 MiB.")),
        Err(_) => Err(bad("The body did not arrive whole.")),
    }
}

fn crowded_out() -> Reply {
    let sentence = "Others send large bodies at the same time; send this one again.";
    refusal(StatusCode::SERVICE_UNAVAILABLE, sentence).retry_after_text("1".to_owned())
}

fn bad(sentence: &str) -> AdminError {
    AdminError::BadInput(sentence.to_owned())
}

/// An error of the admin API (M2).
fn failure(error: &AdminError) -> Reply {
    let status = match error {
        AdminError::BadInput(_) => StatusCode::BAD_REQUEST,
        AdminError::Unknown(_) => StatusCode::NOT_FOUND,
        AdminError::Conflict(_) => StatusCode::CONFLICT,
        AdminError::NotSaved(_) => StatusCode::INTERNAL_SERVER_ERROR,
    };
    refusal(status, &error.to_string())
}

pub(crate) fn refusal(status: StatusCode, sentence: &str) -> Reply {
    Reply::json(status, &json!({ "error": sentence }))
}
