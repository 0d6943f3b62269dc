//! The way of a call: fault, route, key, rate window, validation, engine, durable, envelope,
//! journal, answer.

pub(crate) mod record;

use std::sync::{Arc, OnceLock};
use std::time::Instant as Stopwatch;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, Method, Request, StatusCode};
use hyper::body::Body;
use secmon_engine::{Call, Instant, RateGroup, SandboxHeader};

use super::body::{self, Sent, Unread};
use super::context::{Context, PartnerRequest};
use super::problem::{coded, validation_shape};
use super::reply::{self, Reply};
use super::routes::{self, Answer, Route};
use super::{head, sso_page, trouble, unkind};
use crate::account::registry::Holder;
use crate::account::shared::Partner;
use crate::configuration::settings::AnswerStyle;
use crate::connection::arrival::ArrivedOn;
use crate::connection::close_mode::Hangup;
use crate::faults::aim::{Incoming, RequestParams};
use crate::faults::fault::{CloseAt, Effect};
use crate::mock::Mock;
use crate::observation::notice::Fact;
use crate::operations::catalogue::{Operation, SIGN_IN_PATH};
use crate::operations::group::{ErrorShape, Group};
use crate::operations::paths::{Found, Paths};
use crate::store::commit::Commit;
use crate::values::fields::FieldErrors;

/// The partner API, ready to answer.
pub(crate) struct Api {
    mock: Arc<Mock>,
}

impl Api {
    pub(crate) fn new(mock: &Arc<Mock>) -> Self {
        Self {
            mock: Arc::clone(mock),
        }
    }

    /// Answers one call.
    pub(crate) async fn answer<B>(&self, incoming: Request<B>, arrived_on: ArrivedOn) -> Ending
    where
        B: Body<Data = Bytes> + Unpin + Send + 'static,
    {
        let (head, body) = incoming.into_parts();
        let Found {
            operations,
            segments,
        } = Paths::all().find(head.uri.path());
        let mut request = PartnerRequest::new(&head, arrived_on, segments);
        let mut call = InFlight::new(&self.mock, operations, &request);
        let ended = match call.read(&head, body).await {
            Ok(sent) => {
                if head.method != Method::GET {
                    call.waited();
                }
                request.sent = sent;
                call.run(&request).await
            }
            Err(Unread::TimedOut) => Ended::by_itself(Ending::Answer(timed_out(call.now()))),
            Err(Unread::NoRoom) => Ended::by_itself(Ending::Answer(call.crowded_out())),
            Err(Unread::Broken) => Ended::by_itself(Ending::UNPROCESSED),
        };
        call.record(&request, &ended);
        ended.ending
    }
}

/// How a call ends.
pub(crate) enum Ending {
    /// With this answer.
    Answer(Reply),
    /// With half of this answer.
    Half(Reply),
    /// Without any.
    Nothing { how: Hangup, processed: bool },
}

impl Ending {
    const UNPROCESSED: Self = Self::Nothing {
        how: Hangup::Close,
        processed: false,
    };

    /// What goes out of an answer that is cut: one without a body has no half.
    fn half(reply: Reply) -> Self {
        if reply.body.len() > 1 {
            return Self::Half(reply);
        }
        Self::Nothing {
            how: Hangup::Close,
            processed: true,
        }
    }

    fn reply(&self) -> Option<&Reply> {
        match self {
            Self::Answer(reply) | Self::Half(reply) => Some(reply),
            Self::Nothing { .. } => None,
        }
    }
}

/// How a call ended, and which fault acted on it.
struct Ended {
    ending: Ending,
    fault: Option<u64>,
}

impl Ended {
    fn by_itself(ending: Ending) -> Self {
        Self {
            ending,
            fault: None,
        }
    }
}

/// One call on its way.
struct InFlight<'a> {
    mock: &'a Mock,
    operations: &'a [Operation],
    method: &'a Method,
    /// The text of the bearer key, if there is one.
    key: Option<&'a str>,
    /// The account of the key, or of the sign-in token, when the call arrived.
    partner: Option<Arc<Partner>>,
    /// The host that was called, without its port.
    host: &'a str,
    sandbox: SandboxHeader,
    /// By the account's clock.
    arrived: Instant,
    /// The server's time when the call was last waited for: nothing else passes time.
    server_now: Instant,
    /// The call's number in the journal, once it has one.
    number: OnceLock<u64>,
    /// What its operation noted.
    facts: OnceLock<Vec<Fact>>,
    stopwatch: Stopwatch,
}

impl<'a> InFlight<'a> {
    fn new(mock: &'a Mock, operations: &'a [Operation], request: &PartnerRequest<'a>) -> Self {
        let head = request.head;
        let key = head::bearer(&head.headers);
        let partner = if request.path() == SIGN_IN_PATH {
            sso_page::minted_by(&mock.accounts, request)
        } else {
            key.and_then(|key| mock.accounts.registry().holder(key)?.account().cloned())
        };
        let server_now = mock.accounts.now();
        Self {
            mock,
            operations,
            method: &head.method,
            key,
            arrived: partner
                .as_ref()
                .map_or(server_now, |partner| partner.time(server_now)),
            server_now,
            partner,
            host: head::host_name(head),
            sandbox: sandbox(&head.headers),
            number: OnceLock::new(),
            facts: OnceLock::new(),
            stopwatch: Stopwatch::now(),
        }
    }

    /// Reads what an operation or a fault may look at: the key comes before the body (A5).
    async fn read<B>(&self, head: &Parts, body: B) -> Result<Sent, Unread>
    where
        B: Body<Data = Bytes> + Unpin + Send + 'static,
    {
        let is_refused = self.partner.is_none() && !self.mock.accounts.faults().look_at_bodies();
        if head.method == Method::GET || is_refused {
            body::pass_over(body);
            return Ok(Sent::Whole(Bytes::new()));
        }
        if body::asks_for_too_much(&head.headers) {
            return Ok(Sent::TooLarge(Bytes::new()));
        }
        body::read(body, body::BODY_LIMIT, &self.mock.bodies).await
    }

    /// Many others send large bodies at the same time.
    fn crowded_out(&self) -> Reply {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        trouble::status(status, None, self.error_shape(), self.now())
            .retry_after_text("1".to_owned())
    }

    /// The call's number in the journal. It is taken when the call takes effect, under its account's
    /// lock: answers that wait for a commit may go out in another order.
    fn number(&self) -> u64 {
        *self.number.get_or_init(|| self.mock.accounts.next_call())
    }

    /// The time of the call's account, or of the server.
    fn now(&self) -> Instant {
        self.partner
            .as_ref()
            .map_or(self.server_now, |partner| partner.time(self.server_now))
    }

    /// Time has passed since the call arrived.
    fn waited(&mut self) {
        self.server_now = self.mock.accounts.now();
    }

    async fn run(&mut self, request: &PartnerRequest<'_>) -> Ended {
        if !head::has_one_host(request.head) {
            return Ended::by_itself(Ending::Answer(ambiguous(self.now())));
        }
        match self.matching_fault(request) {
            None => Ended::by_itself(Ending::Answer(self.answer(request).await)),
            Some((fault, effect)) => Ended {
                ending: self.under(effect, request).await,
                fault: Some(fault),
            },
        }
    }

    /// The fault that acts on this call.
    fn matching_fault(&self, request: &PartnerRequest<'_>) -> Option<(u64, Effect)> {
        let partner = self.key.and(self.partner.as_ref());
        let parameter = |name: &str| request.parameter(name);
        let incoming = Incoming {
            tenant: partner.map(|partner| partner.name()),
            operation: self.operation().map(|operation| operation.name),
            method: self.method.as_str(),
            path: request.path(),
            params: RequestParams {
                parameter: &parameter,
                body: &|| request.object().ok(),
            },
        };
        self.mock
            .accounts
            .faults()
            .matching_fault(&incoming, self.mock.accounts.seed())
    }

    /// The operation that is called.
    fn operation(&self) -> Option<&'a Operation> {
        let mut operations = self.operations.iter();
        operations.find(|operation| operation.method == *self.method)
    }

    /// Answers, with what a fault adds or takes away.
    async fn under(&mut self, effect: Effect, request: &PartnerRequest<'_>) -> Ending {
        match effect {
            Effect::Latency(wait) => {
                tokio::time::sleep(wait).await;
                self.waited();
                Ending::Answer(self.answer(request).await)
            }
            Effect::Status {
                status,
                code,
                retry_after,
            } => {
                let shape = self.error_shape();
                let reply = trouble::status(status, code.as_deref(), shape, self.now());
                Ending::Answer(match retry_after {
                    Some(text) => reply.retry_after_text(text),
                    None => reply,
                })
            }
            Effect::Body { status, body } => Ending::Answer(trouble::raw(status, body)),
            Effect::Close(CloseAt::Before) => Ending::UNPROCESSED,
            Effect::Close(CloseAt::Reset) => Ending::Nothing {
                how: Hangup::Reset,
                processed: false,
            },
            Effect::Close(CloseAt::After) => {
                self.answer(request).await;
                Ending::Nothing {
                    how: Hangup::Close,
                    processed: true,
                }
            }
            Effect::Close(CloseAt::MidBody) => Ending::half(self.answer(request).await),
            // It acts on handshakes, before there is a call.
            Effect::Tls(_) => Ending::Answer(self.answer(request).await),
        }
    }

    fn error_shape(&self) -> ErrorShape {
        self.operations
            .first()
            .map_or(ErrorShape::Envelope, |operation| {
                operation.group.error_shape()
            })
    }

    /// The answer, once what it says is durable.
    async fn answer(&self, request: &PartnerRequest<'_>) -> Reply {
        let (reply, commit) = self.routed(request);
        match commit.await {
            Ok(()) if self.mock.accounts.settings.answer_style == AnswerStyle::Unkind => {
                tokio::time::sleep(unkind::SLOWNESS).await;
                unkind::extended(reply, self.lot())
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

    /// What decides how an unkind answer is put.
    fn lot(&self) -> unkind::Lot {
        let account = self.partner.as_ref().map_or("", |partner| partner.name());
        unkind::Lot::new(self.mock.accounts.seed(), account, self.now())
    }

    fn routed(&self, request: &PartnerRequest<'_>) -> (Reply, Commit) {
        let Some(operation) = self.operation() else {
            return (self.unroutable(), self.settled());
        };
        match routes::route(operation.id) {
            Route::Open => (
                reply::health(self.now()),
                self.mock.accounts.store.checked(),
            ),
            Route::Keyed(answer) => self.keyed(operation.group, answer, request),
            Route::SignIn => self.signed_in(request),
        }
    }

    fn signed_in(&self, request: &PartnerRequest<'_>) -> (Reply, Commit) {
        let (reply, commit) = sso_page::sign_in(&self.mock.accounts, request);
        if self.partner.is_some() && !reply.status.is_success() {
            self.keep(vec![Fact::StaleToken]);
        }
        (reply, commit)
    }

    /// Keeps what the operation noted.
    fn keep(&self, facts: Vec<Fact>) {
        // A call meets one operation.
        let _ = self.facts.set(facts);
    }

    /// Where a call changes nothing, its answer still tells of what others changed.
    fn settled(&self) -> Commit {
        self.mock.accounts.store.settled()
    }

    /// No such path, or no such method on it (A6).
    fn unroutable(&self) -> Reply {
        if self.operations.is_empty() {
            return coded(
                StatusCode::NOT_FOUND,
                "NOT_FOUND",
                "There is no such path.",
                self.now(),
            );
        }
        let methods: Vec<&str> = self
            .operations
            .iter()
            .map(|operation| operation.method.as_str())
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

    fn keyed(&self, group: Group, answer: Answer, request: &PartnerRequest<'_>) -> (Reply, Commit) {
        // The accounts cannot change while one of them answers: a reset waits for it.
        let registry = self.mock.accounts.registry();
        let (partner, key) = match self.key.and_then(|key| registry.holder(key)) {
            Some(Holder::Account(partner, key)) => (partner, *key),
            Some(Holder::Nobody) => return (no_account(self.now()), self.settled()),
            None => return (unauthenticated(), self.settled()),
        };
        let mut account = partner.account();
        self.number();
        let now = partner.time(self.server_now);
        if let Some(refused) = self.kept_out(partner, group, now) {
            return (refused, self.settled());
        }
        if let Some(window) = group.window()
            && let Err(limited) = account.take_slot(key, window, now)
        {
            return (
                throttled(window, limited.retry_after_seconds),
                self.settled(),
            );
        }
        let answer_style = self.mock.accounts.settings.answer_style;
        let call = Call {
            now,
            key,
            sandbox: self.sandbox,
        };
        let mut context = Context {
            account: &mut account,
            call,
            request,
            answer_style,
            facts: Vec::new(),
        };
        let reply =
            answer(&mut context).unwrap_or_else(|problem| problem.reply(group.error_shape(), now));
        self.keep(context.facts);
        if let Some(mut watch) = partner.watch() {
            let line = format!("{} {}", self.method, request.path());
            watch.look(self.number(), &line, &mut account);
        }
        let call = Some(self.number());
        let commit = self
            .mock
            .accounts
            .save_by(call, partner.name(), &mut account);
        (reply, commit)
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
            || self.mock.accounts.counts_as_loopback(self.host);
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
}

fn sandbox(headers: &HeaderMap) -> SandboxHeader {
    let request = headers
        .get("x-sandbox")
        .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"true"));
    if request {
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

fn throttled(window: RateGroup, seconds: u64) -> Reply {
    validation_shape(
        StatusCode::TOO_MANY_REQUESTS,
        "Too Many Attempts.",
        &FieldErrors::new(),
    )
    .window_full(window, seconds)
}

fn ambiguous(now: Instant) -> Reply {
    let message = "The request names no host, or several: send one Host header.";
    coded(StatusCode::BAD_REQUEST, "BAD_REQUEST", message, now)
}

fn timed_out(now: Instant) -> Reply {
    let message = "The request's body did not arrive in time.";
    coded(StatusCode::REQUEST_TIMEOUT, "REQUEST_TIMEOUT", message, now)
}
