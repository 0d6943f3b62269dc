//! Where one case plays: the service, what the case may do there, and what came over the wire.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::{Method, Request, Response, header};
use secmon::Namespace;
use secmon::transport::{
    BoxFuture, HttpOptions, HttpTransport, Transport, TransportError, TransportErrorKind,
};
use serde_json::Value;

use crate::exchange::{Exchange, Forced};
use crate::ledger::{Entry, Left, Said, Sent};
use crate::made::makes_something;
use crate::need::Need;
use crate::numbers::next_shared_number;
use crate::service::{Service, Steering};
use crate::untold::Untold;

/// Where one run of one case plays, and what came over the wire there.
pub struct Stage {
    pub(crate) service: Service,
    /// The case's full name.
    pub(crate) name: String,
    needs: &'static [Need],
    /// Where operations go that stand in two.
    pub(crate) namespace: Namespace,
    transport: HttpTransport,
    /// The next number of an account that is the case's own.
    number: AtomicU64,
    record: Mutex<Record>,
}

/// What happened on a stage.
#[derive(Default)]
pub(crate) struct Record {
    pub(crate) events: Vec<Event>,
    /// Calls that may have made something, in the order of sending.
    made: Vec<Sent>,
    /// Accounts that the case made, or tried to make, by name.
    pub(crate) accounts: Vec<String>,
    /// What answers showed to be otherwise than it is assumed.
    pub(crate) otherwise: BTreeSet<Untold>,
    /// How many events of the transcript are compared; all where nothing is said.
    pub(crate) pinned: Option<usize>,
    /// The faults that are still to act, in the order in which they were placed.
    faults: Vec<Placed>,
}

/// A fault that a case placed.
pub(crate) struct Placed {
    pub(crate) key: String,
    pub(crate) method: Method,
    /// With at most one `*`.
    pub(crate) path: String,
    /// What it makes of an answer.
    pub(crate) forced: Forced,
    /// How many calls it still hits.
    pub(crate) left: usize,
}

/// One line of a transcript.
#[derive(Clone)]
pub(crate) enum Event {
    Answered(Box<Exchange>),
    /// No complete answer: what was asked, and why.
    Lost(String, TransportErrorKind),
}

impl Stage {
    /// For a case of this name that needs so much of the service.
    pub(crate) fn new(
        service: Service,
        name: String,
        needs: &'static [Need],
        namespace: Namespace,
    ) -> Arc<Self> {
        Arc::new(Self {
            needs,
            namespace,
            ..Self::bare(service, name)
        })
    }

    /// Where things are taken away that a case made.
    pub(crate) fn cleaning(service: Service, case: &str) -> Arc<Self> {
        Arc::new(Self::bare(service, case.to_owned()))
    }

    fn bare(service: Service, name: String) -> Self {
        Self {
            service,
            name,
            needs: &[],
            namespace: Namespace::Billing,
            transport: HttpTransport::new(&HttpOptions::default()),
            number: AtomicU64::new(1000),
            record: Mutex::default(),
        }
    }

    /// A number that no other customer or service of this account has.
    pub(crate) fn next_number(&self) -> u64 {
        match self.service.steering {
            Steering::Possible => self.number.fetch_add(1, Ordering::Relaxed) + 1,
            Steering::Impossible => next_shared_number(),
        }
    }

    /// Stops a case that does more than it declared: it would not be skipped where that is impossible.
    #[track_caller]
    pub(crate) fn require(&self, need: Need) {
        let (name, declared) = (&self.name, self.needs.contains(&need));
        assert!(declared, "{name} does not say that it needs {need}");
    }

    pub(crate) fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next calls of this kind are the fault's.
    pub(crate) fn expect_fault(&self, fault: Placed) {
        self.record().faults.push(fault);
    }

    /// No fault that was placed for this key acts any more.
    pub(crate) fn expect_no_fault(&self, key: &str) {
        self.record().faults.retain(|fault| fault.key != key);
    }

    /// An account with this name is about to be made.
    pub(crate) fn makes_account(&self, name: &str) {
        self.note(0, || Entry::Account(name.to_owned()));
        self.record().accounts.push(name.to_owned());
    }

    /// Notes a call that may make something; gives its number.
    fn sending(&self, method: &Method, path: &str, body: &Value) -> Option<usize> {
        let call = Sent::new(method, path, body.clone());
        if !makes_something(&call) {
            return None;
        }
        let number = self.record().made.len();
        self.note(number, || Entry::Sending(call.clone()));
        self.record().made.push(call);
        Some(number)
    }

    fn answered(&self, number: usize, said: Said) {
        self.note(number, || Entry::Answered(said.clone()));
        self.record().made[number].answer = Some(said);
    }

    /// All that the case made is gone.
    pub(crate) fn is_taken_away(&self) {
        self.note(0, || Entry::TakenAway);
    }

    fn note(&self, number: usize, entry: impl FnOnce() -> Entry) {
        if let Some(ledger) = &self.service.ledger {
            ledger.write(&self.name, number as u64, entry());
        }
    }

    async fn exchange(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        let (parts, sent) = request.clone().into_parts();
        assert!(
            !self.service.read_only || parts.method == Method::GET,
            "{} changes something, and this run only reads",
            self.name
        );
        if !parts.uri.path().starts_with("/api/") {
            return self.transport.send(request).await;
        }
        let sent: Value = serde_json::from_slice(&sent).unwrap_or_default();
        let made = self.sending(&parts.method, parts.uri.path(), &sent);
        // A caller that runs out of patience drops this future here.
        let answer = self.transport.send(request).await;
        if let (Some(number), Ok(answer)) = (made, &answer) {
            let json = serde_json::from_slice(answer.body()).unwrap_or_default();
            self.answered(number, Said::new(answer.status(), &json));
        }
        let mut record = self.record();
        let forced = record.forced(&parts);
        let event = match &answer {
            Err(error) => Event::Lost(
                format!("{} {}", parts.method, parts.uri.path()),
                error.kind(),
            ),
            Ok(response) => Event::Answered(Box::new(Exchange {
                forced,
                path: parts.uri.path().to_owned(),
                query: parts.uri.query().unwrap_or_default().to_owned(),
                method: parts.method,
                sent,
                status: response.status(),
                headers: response.headers().clone(),
                body: response.body().clone(),
                json: serde_json::from_slice(response.body()).unwrap_or_default(),
            })),
        };
        if let Event::Answered(exchange) = &event {
            let otherwise = self.service.shown_otherwise(exchange);
            // A refusal by the window that another call came after ended nothing.
            record.otherwise.remove(&Untold::RateLimits);
            record.otherwise.extend(otherwise);
        }
        record.events.push(event);
        answer
    }
}

impl Record {
    /// What a case may leave behind.
    pub(crate) fn left(&self) -> Left {
        Left {
            calls: self.made.clone(),
            accounts: self.accounts.clone(),
        }
    }

    /// What a fault made of a call; of those that fit, the one that was placed first acts.
    fn forced(&mut self, call: &http::request::Parts) -> Forced {
        let key = call.headers.get(header::AUTHORIZATION);
        let key = key.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        let hit = self.faults.iter_mut().find(|fault| {
            fault.left > 0
                && key == Some(&fault.key)
                && fault.method == call.method
                && fits(&fault.path, call.uri.path())
        });
        hit.map_or(Forced::No, |fault| {
            fault.left -= 1;
            fault.forced
        })
    }
}

/// Whether a path fits a pattern with at most one `*`, as the cases write them.
fn fits(pattern: &str, path: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == path,
        Some((start, end)) => {
            path.len() >= start.len() + end.len() && path.starts_with(start) && path.ends_with(end)
        }
    }
}

/// The stage between the client and the network.
pub(crate) struct RecordingTransport(pub(crate) Arc<Stage>);

impl Transport for RecordingTransport {
    fn send(
        &self,
        request: Request<Bytes>,
    ) -> BoxFuture<'_, Result<Response<Bytes>, TransportError>> {
        Box::pin(self.0.exchange(request))
    }
}
