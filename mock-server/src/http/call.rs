//! The way of a call: fault, route, key, rate window, validation, engine, durable, envelope,
//! journal, answer.

use std::sync::{Arc, OnceLock};
use std::time::Instant as Stopwatch;

use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use http::header::{AUTHORIZATION, HOST};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, Method, StatusCode};
use secmon_engine::{Call, Instant, SandboxHeader};

use super::ask::{Ask, Asked};
use super::body::{self, Sent, Unread};
use super::problem::{ErrorShape, coded, validation_shape};
use super::reply::{self, Reply};
use super::routes::{Answer, Group, Route, Run};
use super::{query, sso_page, trouble, unkind};
use crate::Secret;
use crate::faults::{CloseAt, Effect, Incoming};
use crate::fields::FieldErrors;
use crate::journal::{Entry, Redaction};
use crate::mock::{Holder, Mock};
use crate::partner::Partner;
use crate::server::{ArrivedOn, Hangup};
use crate::settings::Manners;
use crate::store::Ticket;

/// Answers one call. `routes` are the operations of its path, none for an unknown one.
pub(super) async fn answer(
    mock: &Mock,
    routes: &[Route],
    parts: Vec<(String, String)>,
    request: Request,
) -> Response {
    let visit = Visit::new(mock, routes, request.headers(), request.method());
    let (head, body) = request.into_parts();
    let read = if head.method == Method::GET {
        body::pass_over(body);
        Ok(Sent::Whole(Bytes::new()))
    } else {
        body::read(body, body::BODY_LIMIT).await
    };
    let asked = match read {
        Ok(sent) => Asked::new(&head, parts, sent),
        Err(unread) => {
            let asked = Asked::new(&head, parts, Sent::Whole(Bytes::new()));
            let ending = match unread {
                Unread::TimedOut => Ending::Answer(timed_out(visit.now())),
                Unread::Broken => Ending::Nothing(Hangup::Close),
            };
            return visit.finish(&asked, ending);
        }
    };
    if !names_one_host(&head) {
        let refusal = ambiguous(visit.now());
        return visit.finish(&asked, Ending::Answer(refusal));
    }
    let effect = mock.faults().hit(Incoming {
        tenant: visit.partner.as_ref().map(|partner| partner.name()),
        method: visit.method.as_str(),
        path: &asked.path,
    });
    let ending = visit.under(effect, &asked).await;
    visit.finish(&asked, ending)
}

/// How a call ends.
enum Ending {
    /// With this answer.
    Answer(Reply),
    /// With half of this answer.
    Half(Reply),
    /// Without any.
    Nothing(Hangup),
}

/// One call on its way.
struct Visit<'a> {
    mock: &'a Mock,
    routes: &'a [Route],
    method: Method,
    /// The text of the bearer key, if there is one.
    key: Option<String>,
    /// The account of the key when the call arrived.
    partner: Option<Arc<Partner>>,
    /// The host that was called, without its port.
    host: String,
    sandbox: SandboxHeader,
    arrived: Instant,
    /// The call's number in the journal, once it has one.
    number: OnceLock<u64>,
    stopwatch: Stopwatch,
}

impl<'a> Visit<'a> {
    fn new(mock: &'a Mock, routes: &'a [Route], headers: &HeaderMap, method: &Method) -> Self {
        let key = bearer(headers);
        let partner = match key
            .as_deref()
            .and_then(|key| mock.registry().holder(key).cloned())
        {
            Some(Holder::Account(partner, _)) => Some(partner),
            Some(Holder::Nobody) | None => None,
        };
        let server_now = mock.now();
        Self {
            mock,
            routes,
            method: method.clone(),
            key,
            arrived: partner
                .as_ref()
                .map_or(server_now, |partner| partner.time(server_now)),
            partner,
            host: host_name(headers),
            sandbox: sandbox(headers),
            number: OnceLock::new(),
            stopwatch: Stopwatch::now(),
        }
    }

    /// The call's number in the journal. It is taken when the call takes effect, under its account's
    /// lock: answers that wait for a commit may go out in another order.
    fn number(&self) -> u64 {
        *self.number.get_or_init(|| self.mock.next_call())
    }

    /// The time of the call's account, or of the server.
    fn now(&self) -> Instant {
        let server_now = self.mock.now();
        self.partner
            .as_ref()
            .map_or(server_now, |partner| partner.time(server_now))
    }

    /// Answers, with what a fault adds or takes away.
    async fn under(&self, effect: Option<Effect>, asked: &Asked) -> Ending {
        match effect {
            None => Ending::Answer(self.answer(asked).await),
            Some(Effect::Latency(wait)) => {
                tokio::time::sleep(wait).await;
                Ending::Answer(self.answer(asked).await)
            }
            Some(Effect::Status { status, code }) => Ending::Answer(trouble::status(
                status,
                code.as_deref(),
                self.error_shape(),
                self.now(),
            )),
            Some(Effect::Body { status, body }) => Ending::Answer(trouble::raw(status, body)),
            Some(Effect::Close(CloseAt::Before)) => Ending::Nothing(Hangup::Close),
            Some(Effect::Close(CloseAt::Reset)) => Ending::Nothing(Hangup::Reset),
            Some(Effect::Close(CloseAt::After)) => {
                self.answer(asked).await;
                Ending::Nothing(Hangup::Close)
            }
            Some(Effect::Close(CloseAt::MidBody)) => Ending::Half(self.answer(asked).await),
        }
    }

    fn error_shape(&self) -> ErrorShape {
        self.routes
            .first()
            .map_or(ErrorShape::Envelope, |route| route.group.error_shape())
    }

    /// The answer, once what it says is durable.
    async fn answer(&self, asked: &Asked) -> Reply {
        let (reply, ticket) = self.routed(asked);
        match ticket.await {
            Ok(()) if self.mock.settings.manners == Manners::Unkind => {
                tokio::time::sleep(unkind::SLOWNESS).await;
                unkind::spoilt(reply)
            }
            Ok(()) => reply,
            Err(error) => {
                let message = error.to_string();
                coded(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "STATE_NOT_SAVED",
                    &message,
                    self.now(),
                )
            }
        }
    }

    fn routed(&self, asked: &Asked) -> (Reply, Ticket) {
        let Some(route) = self.routes.iter().find(|route| route.method == self.method) else {
            return (self.unroutable(), self.settled());
        };
        match route.run {
            Run::Open => (reply::health(self.now()), self.settled()),
            Run::Keyed(answer) => self.keyed(route.group, answer, asked),
            Run::SignIn => sso_page::sign_in(self.mock, asked),
        }
    }

    /// Where a call changes nothing, its answer still tells of what others changed.
    fn settled(&self) -> Ticket {
        self.mock.store.settled()
    }

    /// No such path, or no such method on it (A6).
    fn unroutable(&self) -> Reply {
        if self.routes.is_empty() {
            return coded(
                StatusCode::NOT_FOUND,
                "NOT_FOUND",
                "There is no such path.",
                self.now(),
            );
        }
        let methods: Vec<&str> = self
            .routes
            .iter()
            .map(|route| route.method.as_str())
            .collect();
        let methods = methods.join(", ");
        let message = format!("This path has {methods} only.");
        coded(
            StatusCode::METHOD_NOT_ALLOWED,
            "METHOD_NOT_ALLOWED",
            &message,
            self.now(),
        )
        .allow(methods)
    }

    fn keyed(&self, group: Group, answer: Answer, asked: &Asked) -> (Reply, Ticket) {
        // The accounts cannot change while one of them answers: a reset waits for it.
        let registry = self.mock.registry();
        let (partner, key) = match self.key.as_deref().and_then(|key| registry.holder(key)) {
            Some(Holder::Account(partner, key)) => (partner, *key),
            Some(Holder::Nobody) => return (no_account(self.now()), self.settled()),
            None => return (unauthenticated(), self.settled()),
        };
        let mut account = partner.account();
        self.number();
        let now = partner.time(self.mock.now());
        if let Some(refused) = self.kept_out(partner, group, now) {
            return (refused, self.settled());
        }
        if let Some(window) = group.window()
            && let Err(limited) = account.take_slot(key, window, now)
        {
            return (throttled(limited.retry_after_seconds), self.settled());
        }
        let manners = self.mock.settings.manners;
        let call = Call {
            now,
            key,
            sandbox: self.sandbox,
        };
        let reply = answer(&mut Ask {
            account: &mut account,
            call,
            asked,
            manners,
        })
        .unwrap_or_else(|problem| problem.reply(group.error_shape(), now));
        if let Some(mut watch) = partner.watch() {
            let line = format!("{} {}", self.method, asked.path);
            watch.look(self.number(), &line, &mut account);
        }
        let ticket = self.mock.save(partner.name(), &mut account);
        (reply, ticket)
    }

    /// A suspended account, or a key on the wrong portal domain (A3, A4).
    fn kept_out(&self, partner: &Partner, group: Group, now: Instant) -> Option<Reply> {
        let settings = partner.settings();
        if settings.suspended.is_on() {
            let message = "The partner account is suspended.";
            return Some(coded(
                StatusCode::FORBIDDEN,
                "ACCOUNT_SUSPENDED",
                message,
                now,
            ));
        }
        let at_home = !group.checks_host()
            || self.host.eq_ignore_ascii_case(&settings.portal_domain)
            || self.mock.counts_as_loopback(&self.host);
        if at_home {
            return None;
        }
        let message = "The API key does not belong to this portal domain.";
        Some(coded(
            StatusCode::FORBIDDEN,
            "TENANT_MISMATCH",
            message,
            now,
        ))
    }

    /// Records the call and hands the answer over.
    fn finish(self, asked: &Asked, ending: Ending) -> Response {
        let (reply, hangup) = match ending {
            Ending::Answer(reply) => (Some(reply), None),
            Ending::Half(reply) => (Some(reply), Some(Hangup::MidBody)),
            Ending::Nothing(hangup) => (None, Some(hangup)),
        };
        if asked.path.starts_with("/api/") || asked.path == sso_page::PATH {
            self.record(asked, reply.as_ref());
        }
        let mut response = reply.map_or_else(Response::default, Response::from);
        if let Some(hangup) = hangup {
            response.extensions_mut().insert(hangup);
        }
        response
    }

    fn record(&self, asked: &Asked, reply: Option<&Reply>) {
        let entry = Entry {
            id: self.number(),
            at: self.arrived,
            tenant: self
                .partner
                .as_ref()
                .map(|partner| partner.name().to_owned()),
            method: self.method.as_str().to_owned(),
            path: asked.path.clone(),
            query: asked.raw_query.clone(),
            body: asked.sent.bytes().clone(),
            status: reply.map(|reply| reply.status.as_u16()),
            response: reply.map_or_else(Bytes::new, |reply| reply.body.clone()),
            duration_us: u64::try_from(self.stopwatch.elapsed().as_micros()).unwrap_or(u64::MAX),
        };
        let partner = self.partner.as_ref();
        if let Some(mut watch) = partner.and_then(|partner| partner.watch()) {
            watch.hear(&entry);
        }
        let minted = reply.and_then(|reply| reply.secret.as_deref());
        let admin_key = self.mock.settings.admin_key.as_ref();
        let registry = self.mock.registry();
        let redaction = Redaction::new(
            registry
                .chosen_keys()
                .chain(self.key.as_deref())
                .chain(minted)
                .chain(admin_key.map(Secret::expose)),
        );
        match &self.partner {
            Some(partner) => partner.journal().record(entry, &redaction),
            None => self.mock.strays().record(entry, &redaction),
        }
    }
}

impl Asked {
    fn new(head: &Parts, parts: Vec<(String, String)>, sent: Sent) -> Self {
        Self {
            origin: format!("http://{}", called_host(head)),
            path: head.uri.path().to_owned(),
            raw_query: head.uri.query().map(str::to_owned),
            query: query::parse(head.uri.query()),
            parts,
            sent,
        }
    }
}

/// The host and port that a client called; without a `Host`, the address it came in on.
pub(crate) fn called_host(head: &Parts) -> String {
    let named = head.headers.get(HOST).and_then(|host| host.to_str().ok());
    let arrived = || {
        head.extensions
            .get::<ArrivedOn>()
            .map(|local| local.0.to_string())
    };
    named
        .map(str::to_owned)
        .or_else(arrived)
        .unwrap_or_default()
}

/// Whether a request names one host: who is behind a proxy that reads another one than we do is
/// answered for somebody else.
pub(crate) fn names_one_host(head: &Parts) -> bool {
    let mut hosts = head.headers.get_all(HOST).iter();
    let host = hosts.next();
    let same = |authority: &Authority| {
        host.is_none_or(|host| {
            host.as_bytes()
                .eq_ignore_ascii_case(authority.as_str().as_bytes())
        })
    };
    hosts.next().is_none() && head.uri.authority().is_none_or(same)
}

/// The text of the key in `Authorization: Bearer KEY`; `Bearer` in any case (A4).
pub(crate) fn bearer(headers: &HeaderMap) -> Option<String> {
    let (scheme, key) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| key.trim().to_owned())
}

/// The name in the `Host` header, without its port.
pub(crate) fn host_name(headers: &HeaderMap) -> String {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    without_port(host.unwrap_or_default()).to_owned()
}

/// A host's name alone.
pub(crate) fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        // The colons of an IPv6 address in brackets are not before a port.
        Some((name, port)) if !port.ends_with(']') => name,
        _ => host,
    }
}

fn sandbox(headers: &HeaderMap) -> SandboxHeader {
    let asked = headers
        .get("x-sandbox")
        .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"true"));
    if asked {
        SandboxHeader::Simulate
    } else {
        SandboxHeader::Absent
    }
}

fn unauthenticated() -> Reply {
    validation_shape(
        StatusCode::UNAUTHORIZED,
        "Unauthenticated.",
        &FieldErrors::new(),
    )
}

fn no_account(now: Instant) -> Reply {
    let message = "The API key does not resolve to an account.";
    coded(StatusCode::UNAUTHORIZED, "TENANT_NOT_FOUND", message, now)
}

fn throttled(seconds: u64) -> Reply {
    validation_shape(
        StatusCode::TOO_MANY_REQUESTS,
        "Too Many Attempts.",
        &FieldErrors::new(),
    )
    .retry_after(seconds)
}

fn ambiguous(now: Instant) -> Reply {
    let message = "The request names several hosts: send one Host header, and the same host in an absolute address.";
    coded(StatusCode::BAD_REQUEST, "BAD_REQUEST", message, now)
}

fn timed_out(now: Instant) -> Reply {
    let message = "The request's body did not arrive in time.";
    coded(StatusCode::REQUEST_TIMEOUT, "REQUEST_TIMEOUT", message, now)
}
