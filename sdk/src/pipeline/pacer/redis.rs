//! The budget of many processes.

mod connection;
mod store;
#[cfg(feature = "redis-tls")]
mod tls;

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use self::connection::REDIS_TIME;
pub use self::connection::RedisConnection;
use self::store::{Server, Store, TakeOutcome};
use super::interface::{Acquire, Permit, RateLimiter, RateLimiterError, SlotOutcome};
use super::memory::MemoryRateLimiter;
use super::queue::{Queue, QueuePosition};
use super::slots::{Limits, Slots, Wait, WaitLimit};
use super::waits::{after, random_number};
use crate::Error;
use crate::future::BoxFuture;
use crate::operation_info::RateGroup;
use crate::request_options::Priority;

/// How old an answer of Redis the first in the queue goes by, so that it hears of what other processes did.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// A budget kept in Redis or Valkey, shared by every process and host that names it alike (feature `redis`).
///
/// Each decision is one atomic script that goes by the server's clock. A slot whose holder is killed ends by itself, one
/// attempt time-out and one window after it was taken; that of a call given up, the longest round trip seen and one
/// window after that. Within a process callers are served in the order of their
/// [priority](super::Priority) and their coming; between processes whoever asks first when a slot comes free has it,
/// and each keeps its batch callers from the reserve. What another process changes (a request given back unsent, a
/// window opened again) is noticed within a second.
///
/// When Redis cannot be reached nothing is sent ([`ErrorKind::RateLimiter`](crate::ErrorKind::RateLimiter)), unless
/// [`when_unreachable`](Self::when_unreachable) says otherwise. When it loses its data the count starts empty, and a
/// 429 of the service sets it right.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
/// use secmon::pacing::RedisRateLimiter;
/// use secmon::{ApiKey, Client};
///
/// let origin = "https://portal.example.com";
/// let key = ApiKey::new(std::env::var("SECMON_API_KEY")?)?;
/// let budget = RedisRateLimiter::new("redis://127.0.0.1/", &key.fingerprint_with(origin))?;
/// let client = Client::builder(origin, key).rate_limiter(Arc::new(budget)).build()?;
/// # Ok(())
/// # }
/// ```
///
/// # TLS
///
/// With the feature `redis-tls` an address `rediss://` is spoken to over TLS, with rustls, ring and the trust store of
/// the system (on Linux `SSL_CERT_FILE` names another). Neither needs nor sets a crypto provider of the process.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use secmon::pacing::RedisRateLimiter;
/// # let key = secmon::ApiKey::new(std::env::var("SECMON_API_KEY")?)?;
/// let password = std::env::var("REDIS_PASSWORD")?;
/// let url = format!("rediss://worker:{password}@cache.example.com:6380/");
/// # #[cfg(feature = "redis-tls")]
/// let budget = RedisRateLimiter::new(&url, &key.fingerprint_with("https://portal.example.com"))?;
/// # Ok(())
/// # }
/// ```
///
/// Anything else (a private authority, a client certificate, another provider) comes with a connection of your own, made
/// as you wish with the crate `redis`, which is re-exported in the version that fits. Its own TLS (`tokio-rustls-comp`)
/// goes by the crypto provider of the process, so install one before.
///
/// ```no_run
/// # async fn connect(key: secmon::ApiKey) -> Result<(), Box<dyn std::error::Error>> {
/// use secmon::pacing::RedisRateLimiter;
/// use secmon::redis;
///
/// // With its feature `tokio-rustls-comp`, `redis::Client::build_with_tls` takes certificates of yours.
/// let redis = redis::Client::open("redis://cache.example.com/3")?;
/// let connection = redis.get_connection_manager().await?;
/// let name = key.fingerprint_with("https://portal.example.com");
/// let budget = RedisRateLimiter::with_connection(connection, &name);
/// # Ok(())
/// # }
/// ```
pub struct RedisRateLimiter {
    server: Arc<Server>,
    name: String,
    limits: Limits,
    strict: Arc<Window>,
    default: Arc<Window>,
    /// What paces this process while Redis cannot be reached.
    alone: Option<MemoryRateLimiter>,
}

/// What a [`RedisRateLimiter`] does while Redis cannot be reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenUnreachable {
    /// Nothing is sent: every call fails with [`ErrorKind::RateLimiter`](crate::ErrorKind::RateLimiter).
    #[default]
    Refuse,
    /// Each process paces itself, with the same limits, until Redis answers again.
    ///
    /// The processes then know nothing of each other: n of them send up to n times the limit, and the service refuses
    /// what is too much. What was sent meanwhile is not in the count when Redis is back.
    FallBackToLocal,
}

impl RedisRateLimiter {
    /// A budget at this address (`redis://[user:password@]host[:port][/database]`, with the feature `redis-tls` also
    /// `rediss://`) under this name, with the documented limits: 60 and 100 requests a minute. The connection is made
    /// by the first call.
    ///
    /// Give it the key's [fingerprint](crate::ApiKey::fingerprint_with) as its name: then exactly those share it who
    /// share the service's count. Where keys rotate, a name that outlives them is as good.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) when the address cannot be read, or asks for TLS
    /// without the feature.
    pub fn new(url: &str, name: &str) -> Result<Self, Error> {
        Ok(Self::with_connection(RedisConnection::at(url)?, name))
    }

    /// As [`new`](Self::new), over a connection of the caller's own.
    pub fn with_connection(connection: impl Into<RedisConnection>, name: &str) -> Self {
        let server = Server::new(connection.into());
        Self::with_limits(Arc::new(server), name.to_owned(), Limits::DOCUMENTED)
    }

    /// Other limits: `strict` and `default` requests in each `window`; a limit of zero lets nothing through. All who
    /// share the budget must set the same.
    #[must_use]
    pub fn rate_limits(self, strict: u32, default: u32, window: Duration) -> Self {
        self.limited(|limits| Limits {
            strict,
            default,
            window,
            ..limits
        })
    }

    /// So many slots of each group are left to [interactive](super::Priority::Interactive) callers of all processes,
    /// as in [`MemoryRateLimiter::batch_reserve`].
    #[must_use]
    pub fn batch_reserve(self, slots: u32) -> Self {
        self.limited(|limits| Limits {
            batch_reserve: slots,
            ..limits
        })
    }

    /// What happens while Redis cannot be reached; [`Refuse`](WhenUnreachable::Refuse) unless set.
    #[must_use]
    pub fn when_unreachable(mut self, choice: WhenUnreachable) -> Self {
        self.alone = match choice {
            WhenUnreachable::Refuse => None,
            WhenUnreachable::FallBackToLocal => Some(MemoryRateLimiter::with_limits(self.limits)),
        };
        self
    }

    fn limited(self, change: impl FnOnce(Limits) -> Limits) -> Self {
        let limits = change(self.limits);
        Self {
            alone: self.alone.map(|_| MemoryRateLimiter::with_limits(limits)),
            ..Self::with_limits(self.server, self.name, limits)
        }
    }

    fn with_limits(server: Arc<Server>, name: String, limits: Limits) -> Self {
        let window = |group| {
            let limits = limits.window_of(group);
            let store = Store::new(server.clone(), &name, group, limits);
            Arc::new(Window::new(store))
        };
        Self {
            strict: window(RateGroup::Strict),
            default: window(RateGroup::Default),
            server,
            name,
            limits,
            alone: None,
        }
    }
}

impl fmt::Debug for RedisRateLimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisRateLimiter")
            .field("server", &self.server.name())
            .field("name", &self.name)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl RateLimiter for RedisRateLimiter {
    fn acquire<'a>(
        &'a self,
        request: Acquire<'a>,
    ) -> BoxFuture<'a, Result<Box<dyn Permit>, RateLimiterError>> {
        let window = match request.group {
            RateGroup::Strict => &self.strict,
            RateGroup::Default => &self.default,
        };
        Box::pin(async move {
            let started = Instant::now();
            match (window.wait_for_slot(&request).await, &self.alone) {
                (Ok(slot), _) => Ok(Box::new(slot) as Box<dyn Permit>),
                (Err(RateLimiterError::Unavailable(_)), Some(alone)) => {
                    let queue_timeout = request.queue_timeout.saturating_sub(started.elapsed());
                    alone
                        .acquire(Acquire {
                            queue_timeout,
                            ..request
                        })
                        .await
                }
                (Err(error), _) => Err(error),
            }
        })
    }

    fn window(&self) -> Duration {
        self.limits.window
    }

    fn clear_throttle(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            for window in [&self.strict, &self.default] {
                // When Redis cannot be told, there is nothing to be had from it either.
                let _ = window.store.clear_throttle().await;
                window.changed();
            }
            if let Some(alone) = &self.alone {
                alone.clear_throttle().await;
            }
        })
    }
}

/// One rate window, as this process sees it.
struct Window {
    store: Store,
    queue: Queue,
    snapshot: Mutex<Option<WindowSnapshot>>,
    /// In microseconds, of the answers that came to this process; zero before the first.
    longest_round_trip: AtomicU64,
    /// Rung when there is a snapshot.
    known: Notify,
}

/// How things stood when Redis last had no slot.
struct WindowSnapshot {
    slots: Slots,
    taken_at: Instant,
}

impl Window {
    fn new(store: Store) -> Self {
        Self {
            store,
            queue: Queue::default(),
            snapshot: Mutex::default(),
            longest_round_trip: AtomicU64::new(0),
            known: Notify::new(),
        }
    }

    async fn wait_for_slot(
        self: &Arc<Self>,
        request: &Acquire<'_>,
    ) -> Result<Slot, RateLimiterError> {
        if self.store.limit() == 0 {
            return Err(RateLimiterError::Exhausted { free_in: None });
        }
        let mut wait_limit = WaitLimit::of(request);
        // Those in front may only be asking, which takes a moment even when all of them get a slot.
        let turn_by = after(wait_limit.latest, REDIS_TIME);
        let place = self.queue.join(request.priority);
        loop {
            self.store.reachable()?;
            let now = Instant::now();
            let ahead = place.ahead(now);
            let known = self.known.notified();
            let until = match self.wait(ahead, request.priority, now) {
                Some(wait) => wait_limit.until(wait, ahead, now)?,
                None if ahead == QueuePosition::NOBODY => {
                    place.looks_again(after(now, REDIS_TIME), now);
                    match self.ask(request).await? {
                        Some(slot) => return Ok(slot),
                        None => continue,
                    }
                }
                None if now >= turn_by => {
                    let free_in = Some(LOOK_AGAIN);
                    return Err(RateLimiterError::Exhausted { free_in });
                }
                None => {
                    let until = place.looks_again(turn_by, now);
                    let _ = timeout_at(until, either(place.woken(), known)).await;
                    continue;
                }
            };
            place.woken_by(until, now).await;
        }
    }

    /// How long somebody waits, as far as this process knows; `None` when it is time to ask.
    fn wait(&self, ahead: QueuePosition, priority: Priority, now: Instant) -> Option<Wait> {
        let snapshot = self.snapshot();
        let WindowSnapshot { slots, taken_at } = snapshot.as_ref()?;
        let wait = slots.wait(ahead, priority, now);
        let ask_at = match ahead == QueuePosition::NOBODY {
            true => wait.look_again.min(after(*taken_at, LOOK_AGAIN)),
            false => wait.look_again,
        };
        (ask_at > now).then_some(Wait {
            look_again: ask_at,
            ..wait
        })
    }

    async fn ask(
        self: &Arc<Self>,
        request: &Acquire<'_>,
    ) -> Result<Option<Slot>, RateLimiterError> {
        // Made before the question: dropped in the middle of it, the slot is given back.
        let mut slot = Slot {
            window: self.clone(),
            // No other process, and no other slot of this one, is called so.
            name: format!("{:016x}{:016x}", random_number(), random_number()),
            epoch: 0,
            state: SlotState::Acquired,
        };
        let taken = self
            .store
            .take(&slot.name, request.priority, request.answer_within)
            .await?;
        match taken {
            TakeOutcome::Slot(epoch) => {
                *self.snapshot() = None;
                slot.epoch = epoch;
                Ok(Some(slot))
            }
            TakeOutcome::Full(slots) => {
                slot.state = SlotState::Released;
                let taken_at = Instant::now();
                *self.snapshot() = Some(WindowSnapshot { slots, taken_at });
                self.known.notify_waiters();
                Ok(None)
            }
        }
    }

    async fn give_back(&self, slot: &str) {
        // When Redis cannot be told, the slot ends by itself later.
        let _ = self.store.unused(slot).await;
        self.changed();
    }

    fn note_round_trip(&self, latency: Duration) {
        let micros = u64::try_from(latency.as_micros())
            .unwrap_or(u64::MAX)
            .max(1);
        self.longest_round_trip.fetch_max(micros, Ordering::Relaxed);
    }

    /// The caller gave it up: the request may still arrive, as late as the slowest so far.
    async fn give_up(&self, slot: &str) {
        let longest = self.longest_round_trip.load(Ordering::Relaxed);
        // Before the first answer nothing is known, and the slot ends by itself.
        if longest > 0 {
            let _ = self
                .store
                .given_up(slot, Duration::from_micros(longest))
                .await;
            self.changed();
        }
    }

    /// What was known of the window is no longer so.
    fn changed(&self) {
        *self.snapshot() = None;
        self.queue.wake_first();
    }

    fn snapshot(&self) -> MutexGuard<'_, Option<WindowSnapshot>> {
        self.snapshot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Until one of the two has happened.
async fn either(one: impl Future<Output = ()>, other: impl Future<Output = ()>) {
    let (mut one, mut other) = (pin!(one), pin!(other));
    poll_fn(|context| match one.as_mut().poll(context) {
        Poll::Ready(()) => Poll::Ready(()),
        Poll::Pending => other.as_mut().poll(context),
    })
    .await
}

struct Slot {
    window: Arc<Window>,
    name: String,
    epoch: i64,
    state: SlotState,
}

/// What becomes of a slot that is dropped; Redis ends by itself what it is told nothing of.
#[derive(Clone, Copy)]
enum SlotState {
    /// It is given back.
    Acquired,
    /// It is given up.
    Sent(Instant),
    Released,
}

impl Permit for Slot {
    fn sent(&mut self) {
        self.state = SlotState::Sent(Instant::now());
    }

    fn complete(mut self: Box<Self>, outcome: SlotOutcome) -> BoxFuture<'static, ()> {
        if let (SlotState::Sent(at), SlotOutcome::Answered) = (self.state, outcome) {
            self.window.note_round_trip(at.elapsed());
        }
        if outcome == SlotOutcome::NotSent {
            self.state = SlotState::Acquired;
        }
        Box::pin(async move {
            let (window, name) = (&self.window, &self.name);
            // When Redis cannot be told, the slot ends by itself later.
            match outcome {
                SlotOutcome::Answered => {
                    if let Ok(true) = window.store.answered(name).await {
                        window.changed();
                    }
                }
                SlotOutcome::NotSent => window.give_back(name).await,
                // The slot ends by itself at the end of the attempt's time-out.
                SlotOutcome::Unanswered => {}
                SlotOutcome::Throttled { retry_after } => {
                    let _ = window.store.throttled(name, self.epoch, retry_after).await;
                    window.changed();
                }
            }
            // Dropped before, while Redis is being told, it is told again.
            self.state = SlotState::Released;
        })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let state = std::mem::replace(&mut self.state, SlotState::Released);
        // Without a runtime nothing can be told, and the slot ends by itself.
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let window = self.window.clone();
        let name = std::mem::take(&mut self.name);
        match state {
            SlotState::Acquired => {
                drop(runtime.spawn(async move { window.give_back(&name).await }))
            }
            SlotState::Sent(_) => drop(runtime.spawn(async move { window.give_up(&name).await })),
            SlotState::Released => {}
        }
    }
}
