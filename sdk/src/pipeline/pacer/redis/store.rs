//! The shared state of one rate window, and what can be done to it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ::redis::{Cmd, cmd};
use tokio::time::Instant;

use super::super::interface::RateLimiterError;
use super::super::slots::{Closure, Slots, WindowLimits, random_stretch};
use super::super::waits::after;
use super::connection::RedisConnection;
use crate::operation_info::RateGroup;
use crate::pipeline::runtime::RuntimeCheck;
use crate::request_options::Priority;

/// Keeps the counts; a script is run whole or not at all.
const SCRIPT: &str = include_str!("window.lua");
/// Times beyond ten years are as good as for ever, and fit the server's numbers.
const LONGEST_SPAN: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);
/// A server that could not be asked is not asked again before, so that only one caller at a time waits for it in vain.
const OUTAGE: Duration = Duration::from_secs(1);

/// What all windows of a budget ask.
pub(super) struct Server {
    connection: RedisConnection,
    outage: Mutex<Option<Outage>>,
    runtime: RuntimeCheck,
}

struct Outage {
    until: Instant,
    reason: String,
}

impl Server {
    pub(super) fn new(connection: RedisConnection) -> Self {
        Self {
            connection,
            outage: Mutex::default(),
            runtime: RuntimeCheck::default(),
        }
    }

    pub(super) fn name(&self) -> String {
        self.connection.name()
    }

    /// An error while it makes no sense to ask.
    pub(super) fn reachable(&self) -> Result<(), RateLimiterError> {
        match &*self.outage() {
            Some(outage) if outage.until > Instant::now() => {
                Err(RateLimiterError::Unavailable(outage.reason.clone()))
            }
            _ => Ok(()),
        }
    }

    async fn run(&self, command: &Cmd) -> Result<Vec<i64>, RateLimiterError> {
        self.reachable()?;
        let runtime = self.runtime.check();
        runtime.map_err(|error| RateLimiterError::Unavailable(error.to_string()))?;
        if let Some(outage) = &mut *self.outage() {
            outage.until = Instant::now() + OUTAGE;
        }
        let mut reply = self.connection.run(command).await;
        // A connection that broke while it was idle says so at its next use; the second try has a new one.
        if reply.as_ref().is_err_and(|error| !error.is_timeout()) {
            reply = self.connection.run(command).await;
        }
        let reply = reply.map_err(|error| format!("{}: {error}", self.name()));
        *self.outage() = reply.as_ref().err().map(|reason| Outage {
            until: Instant::now() + OUTAGE,
            reason: reason.clone(),
        });
        reply.map_err(RateLimiterError::Unavailable)
    }

    fn outage(&self) -> MutexGuard<'_, Option<Outage>> {
        self.outage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One window as the server knows it.
pub(super) struct Store {
    server: Arc<Server>,
    keys: [String; 3],
    limits: WindowLimits,
}

/// What became of asking for a slot.
pub(super) enum TakeOutcome {
    /// In this epoch of the window.
    Slot(i64),
    /// There is none now, and things stand like this.
    Full(Slots),
}

impl Store {
    pub(super) fn new(
        server: Arc<Server>,
        name: &str,
        group: RateGroup,
        limits: WindowLimits,
    ) -> Self {
        let group = match group {
            RateGroup::Strict => "strict",
            RateGroup::Default => "default",
        };
        // The braces keep a window's keys on one node of a cluster.
        let key = |part: &str| format!("secmon:{{{name}}}:{group}:{part}");
        Self {
            server,
            keys: [key("held"), key("cooling"), key("gate")],
            limits,
        }
    }

    pub(super) fn limit(&self) -> usize {
        self.limits.limit
    }

    pub(super) fn reachable(&self) -> Result<(), RateLimiterError> {
        self.server.reachable()
    }

    pub(super) async fn take(
        &self,
        slot: &str,
        priority: Priority,
        answer_within: Duration,
    ) -> Result<TakeOutcome, RateLimiterError> {
        let mut command = self.command("take", slot);
        command
            .arg(self.limits.room(priority))
            .arg(millis(answer_within));
        let reply = self.server.run(&command).await?;
        Ok(match *reply {
            [epoch] => TakeOutcome::Slot(epoch),
            _ => TakeOutcome::Full(self.snapshot(&reply)),
        })
    }

    /// How things stand, as the script tells it.
    fn snapshot(&self, reply: &[i64]) -> Slots {
        let now = Instant::now();
        let moment = |left: i64| Some(after(now, Duration::from_millis(left.try_into().ok()?)));
        let mut slots = Slots::new(self.limits);
        if let [closed, probe, held, ends @ ..] = reply {
            slots.closed_until = moment(*closed);
            slots.probe_from = moment(*probe);
            let held = usize::try_from(*held).unwrap_or_default();
            slots = slots.with_held(held.min(self.limits.limit), after(now, self.limits.length));
            slots.cooling = ends.iter().copied().filter_map(moment).collect();
            slots.cooling.make_contiguous().sort_unstable();
        }
        slots
    }

    /// Says whether that opened the window, which had waited for this answer.
    pub(super) async fn answered(&self, slot: &str) -> Result<bool, RateLimiterError> {
        let reply = self.server.run(&self.command("answered", slot)).await?;
        Ok(reply == [1])
    }

    pub(super) async fn unused(&self, slot: &str) -> Result<(), RateLimiterError> {
        self.server
            .run(&self.command("unused", slot))
            .await
            .map(drop)
    }

    /// Its answer is no longer awaited; the service has counted it in so long at the latest.
    pub(super) async fn given_up(
        &self,
        slot: &str,
        counted_in: Duration,
    ) -> Result<(), RateLimiterError> {
        let mut command = self.command("given_up", slot);
        command.arg(millis(counted_in));
        self.server.run(&command).await.map(drop)
    }

    pub(super) async fn throttled(
        &self,
        slot: &str,
        epoch: i64,
        retry_after: Option<Duration>,
    ) -> Result<(), RateLimiterError> {
        let (closed_for, plausible) = match Closure::of(retry_after, self.limits.length) {
            Closure::Exact(wait) => (wait, Duration::ZERO),
            Closure::Longest(wait) => (Duration::ZERO, wait),
            Closure::Guessed => (Duration::ZERO, Duration::ZERO),
        };
        let mut command = self.command("throttled", slot);
        command
            .arg(epoch)
            .arg(millis(closed_for))
            .arg(millis(plausible))
            .arg((random_stretch() * 1000.0) as u64);
        self.server.run(&command).await.map(drop)
    }

    pub(super) async fn clear_throttle(&self) -> Result<(), RateLimiterError> {
        self.server
            .run(&self.command("clear_throttle", ""))
            .await
            .map(drop)
    }

    fn command(&self, name: &str, slot: &str) -> Cmd {
        let mut eval = cmd("EVAL");
        eval.arg(SCRIPT).arg(self.keys.len()).arg(&self.keys);
        eval.arg(name).arg(slot).arg(millis(self.limits.length));
        eval
    }
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.min(LONGEST_SPAN).as_millis()).unwrap_or(u64::MAX)
}
