//! The way of a call of the admin API: guard, control, durable, answer.

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
use serde_json::{Map, Value};

use super::call::{AdminCall, Answered, beside};
use super::guard::{self, Openness};
use super::input;
use super::routes::{self, Control};
use crate::connection::arrival::{ArrivedOn, Scheme};
use crate::http::body::{self, Sent, Unread};
use crate::http::head;
use crate::http::reply::{Reply, plain_error};
use crate::mock::Mock;
use crate::values::admin_error::AdminError;
use crate::values::query;

/// Values that the body of an admin call may have: a fixture of some five thousand servers.
const MOST_VALUES: usize = 50_000;

/// A control that knows how its body is read.
type Run = Box<dyn FnOnce(AdminCall) -> Result<Answered, AdminError> + Send>;

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
        Response::<Body>::from(plain_error(
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
    let sent = body::read(body, body::ADMIN_BODY_LIMIT, &mock.admin_bodies).await;
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
            let answer = match mock.accounts.store.settled().await {
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

/// An answer that takes room until it is read; another one where there is none.
fn held(mock: &Mock, mut reply: Reply) -> Reply {
    match mock.admin_answers.hold(std::mem::take(&mut reply.body)) {
        Some(body) => {
            reply.body = body;
            reply
        }
        None => {
            let sentence = "Large answers wait to be read by others; ask again.";
            plain_error(StatusCode::SERVICE_UNAVAILABLE, sentence).retry_after_text("1".to_owned())
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
        mock.accounts.store.settled().await?;
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
    plain_error(StatusCode::SERVICE_UNAVAILABLE, sentence).retry_after_text("1".to_owned())
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
    plain_error(status, &error.to_string())
}
