//! The last gate before the network: a dry run and a read-only profile let no write through.

use crate::error::{CliError, LocalErrorKind};
use crate::machine::interrupt;
use crate::ui::Planned;
use bytes::Bytes;
use http::{Request, Response};
use secmon::transport::{BoxFuture, Transport, TransportError, TransportErrorKind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// Stands in a planned path for the id of a record that the step before would make.
const NOT_YET_KNOWN: &str = "{new-id}";

/// What a transport gives for a request.
pub type Answer = Result<Response<Bytes>, TransportError>;

/// What the gate lets through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Policy {
    /// Everything.
    Open,
    /// Reads; writes are kept to be shown.
    DryRun,
    /// Reads; writes are refused.
    ReadOnly,
}

/// A transport with a gate in front of it.
pub struct Guard {
    inner: Arc<dyn Transport>,
    policy: Policy,
    planned: Mutex<Vec<Planned>>,
    /// Changes that were let through so far.
    passed: AtomicUsize,
    /// Calls on the wire at this moment.
    on_the_wire: watch::Sender<usize>,
}

impl Guard {
    /// Puts the gate in front of a transport.
    pub fn new(inner: Arc<dyn Transport>, policy: Policy) -> Self {
        Self {
            inner,
            policy,
            planned: Mutex::default(),
            passed: AtomicUsize::new(0),
            on_the_wire: watch::Sender::new(0),
        }
    }

    /// Whether an error means that this gate stopped the call, and not that something below it did.
    pub fn stopped(&self, error: &secmon::Error) -> bool {
        let write = error.method().is_some_and(|method| !method.is_safe());
        self.policy != Policy::Open && write && error.kind() == secmon::ErrorKind::Refused
    }

    /// How many changes were let through so far.
    pub fn passed(&self) -> usize {
        self.passed.load(Ordering::Relaxed)
    }

    /// Waits until no call is on the wire.
    pub async fn idle(&self) {
        let mut calls = self.on_the_wire.subscribe();
        // The sender lives as long as this gate.
        let _ = calls.wait_for(|calls| *calls == 0).await;
    }

    fn pass(&self, request: Request<Bytes>) -> BoxFuture<'_, Answer> {
        if !request.method().is_safe() {
            self.passed.fetch_add(1, Ordering::Relaxed);
            interrupt::note_change_sent();
        }
        let call = OnTheWire::begin(&self.on_the_wire);
        let answer = self.inner.send(request);
        Box::pin(async move {
            let answer = answer.await;
            drop(call);
            answer
        })
    }

    /// Whether everything is sent.
    pub fn is_open(&self) -> bool {
        self.policy == Policy::Open
    }

    /// Whether writes are kept instead of sent.
    pub fn is_dry_run(&self) -> bool {
        self.policy == Policy::DryRun
    }

    /// Says what the write that was just kept is about.
    pub fn describe_last(&self, about: &str) {
        let mut planned = self.planned.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = planned.last_mut() {
            about.clone_into(&mut last.about);
        }
    }

    /// Gives the writes that were kept, in order, and keeps them no longer.
    pub fn take_planned(&self) -> Vec<Planned> {
        let mut planned = self.planned.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *planned)
    }

    /// The error for a write that a read-only profile refuses.
    pub fn read_only_error(profile: &str) -> CliError {
        CliError::new(
            LocalErrorKind::ReadOnly,
            format!("profile {profile} is read-only, so nothing was sent"),
        )
    }

    fn keep(&self, request: &Request<Bytes>) {
        let path = request
            .uri()
            .path_and_query()
            .map(ToString::to_string)
            .unwrap_or_default();
        let path = path.replace(&uuid::Uuid::nil().to_string(), NOT_YET_KNOWN);
        let planned = Planned {
            method: request.method().clone(),
            path,
            body: request.body().clone(),
            about: String::new(),
            sandbox: request.headers().contains_key("x-sandbox"),
        };
        self.planned
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(planned);
    }
}

impl Transport for Guard {
    fn send(&self, request: Request<Bytes>) -> BoxFuture<'_, Answer> {
        let write = !request.method().is_safe();
        match self.policy {
            Policy::DryRun if write => {
                self.keep(&request);
                refuse("a dry run sends no change")
            }
            Policy::ReadOnly if write => refuse("the profile is read-only"),
            _ => self.pass(request),
        }
    }
}

/// A call on the wire, until it is dropped.
struct OnTheWire<'a>(&'a watch::Sender<usize>);

impl<'a> OnTheWire<'a> {
    fn begin(calls: &'a watch::Sender<usize>) -> Self {
        calls.send_modify(|calls| *calls += 1);
        Self(calls)
    }
}

impl Drop for OnTheWire<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|calls| *calls -= 1);
    }
}

fn refuse(reason: &'static str) -> BoxFuture<'static, Answer> {
    Box::pin(async move { Err(TransportError::new(TransportErrorKind::Refused, reason)) })
}
