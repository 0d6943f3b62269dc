//! The budget of many processes.

mod store;

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ::redis::aio::ConnectionManagerConfig;
use tokio::runtime::Handle;
use tokio::sync::{Mutex as FairMutex, Notify};
use tokio::time::{Instant, timeout_at};

use self::store::{Server, Store, Taken};
use super::{Acquire, Budget, BudgetError, Permit, Settlement, after};
use crate::Error;
use crate::operation::RateGroup;
use crate::pipeline::transport::BoxFuture;

/// The longest time for Redis to take a connection, and to answer.
const REDIS_TIME: Duration = Duration::from_secs(2);

/// A budget kept in Redis or Valkey, shared by every process and host that names it alike (feature `redis`).
///
/// Each decision is one atomic script that goes by the server's clock. A slot whose holder is killed ends by itself, one
/// attempt time-out and one window after it was taken. Within a process callers are served in order; between processes
/// whoever asks first when a slot comes free has it. A request that is given back unsent by another process is noticed
/// after one window at the latest.
///
/// When Redis cannot be reached nothing is sent ([`ErrorKind::Budget`](crate::ErrorKind::Budget)). When it loses its
/// data the count starts empty, and a 429 of the service sets it right.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
/// use secmon::pacing::RedisBudget;
/// use secmon::{ApiKey, Client};
///
/// let origin = "https://portal.example.com";
/// let key = ApiKey::new(std::env::var("SECMON_API_KEY")?)?;
/// let budget = RedisBudget::new("redis://127.0.0.1/", &key.fingerprint_with(origin))?;
/// let client = Client::builder(origin, key).budget(Arc::new(budget)).build()?;
/// # Ok(())
/// # }
/// ```
pub struct RedisBudget {
    server: Server,
    name: String,
    strict: Arc<Window>,
    default: Arc<Window>,
}

impl RedisBudget {
    /// A budget at this address (`redis://[user:password@]host[:port][/database]`) under this name, with the documented
    /// limits: 60 and 100 requests a minute. The connection is made by the first call.
    ///
    /// Give it the key's [fingerprint](crate::ApiKey::fingerprint_with) as its name: then exactly those share it who
    /// share the service's count.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) when the address cannot be read, or asks for TLS,
    /// which this budget does not speak.
    pub fn new(url: &str, name: &str) -> Result<Self, Error> {
        // The reason would be of no help here, and could repeat the password.
        let unusable = |_| {
            Error::configuration(
                "the address of the Redis budget cannot be used: it must look like redis://host:6379/0",
            )
        };
        let client = ::redis::Client::open(url).map_err(unusable)?;
        let config = ConnectionManagerConfig::new()
            .set_number_of_retries(0)
            .set_connection_timeout(Some(REDIS_TIME))
            .set_response_timeout(Some(REDIS_TIME));
        let server = Server {
            address: client.get_connection_info().addr().to_string(),
            connection: client
                .get_connection_manager_lazy(config)
                .map_err(unusable)?,
        };
        Ok(Self::with_limits(
            server,
            name.to_owned(),
            60,
            100,
            Duration::from_secs(60),
        ))
    }

    /// Other limits: `strict` and `default` requests in each `window`; a limit of zero lets nothing through. All who
    /// share the budget must set the same.
    #[must_use]
    pub fn rate_limits(self, strict: u32, default: u32, window: Duration) -> Self {
        Self::with_limits(self.server, self.name, strict, default, window)
    }

    fn with_limits(
        server: Server,
        name: String,
        strict: u32,
        default: u32,
        length: Duration,
    ) -> Self {
        let window = |group, limit| {
            let store = Store::new(server.clone(), &name, group, length);
            Arc::new(Window::new(store, limit))
        };
        Self {
            strict: window(RateGroup::Strict, strict),
            default: window(RateGroup::Default, default),
            server,
            name,
        }
    }
}

impl fmt::Debug for RedisBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisBudget")
            .field("address", &self.server.address)
            .field("name", &self.name)
            .field("strict", &self.strict.limit)
            .field("default", &self.default.limit)
            .finish_non_exhaustive()
    }
}

impl Budget for RedisBudget {
    fn acquire<'a>(
        &'a self,
        request: Acquire<'a>,
    ) -> BoxFuture<'a, Result<Box<dyn Permit>, BudgetError>> {
        let window = match request.group {
            RateGroup::Strict => &self.strict,
            RateGroup::Default => &self.default,
        };
        Box::pin(async move {
            let slot = window.wait_for_slot(&request).await?;
            Ok(Box::new(slot) as Box<dyn Permit>)
        })
    }
}

/// One rate window, as this process sees it.
struct Window {
    store: Store,
    limit: u32,
    names: SlotNames,
    /// Only the first in the queue asks for a slot; the others wait for this lock, which is handed on in order.
    turn: FairMutex<()>,
    /// What the last answer without a slot said.
    full_until: Mutex<Option<Instant>>,
    freed: Notify,
}

impl Window {
    fn new(store: Store, limit: u32) -> Self {
        Self {
            store,
            limit,
            names: SlotNames::new(),
            turn: FairMutex::default(),
            full_until: Mutex::default(),
            freed: Notify::new(),
        }
    }

    async fn wait_for_slot(self: &Arc<Self>, request: &Acquire<'_>) -> Result<Slot, BudgetError> {
        if self.limit == 0 {
            return Err(BudgetError::Exhausted { free_in: None });
        }
        let latest = after(Instant::now(), request.patience);
        self.refuse_if_full_beyond(latest)?;
        // Those in front may only be asking, which takes a moment even when all of them get a slot.
        let _turn = timeout_at(after(latest, REDIS_TIME), self.turn.lock())
            .await
            .map_err(|_| BudgetError::Exhausted { free_in: None })?;
        // Made before the first question: dropped in the middle of it, the slot is given back.
        let slot = Slot {
            window: self.clone(),
            name: self.names.next(),
            state: SlotState::Held,
        };
        loop {
            let freed = self.freed.notified();
            let wait = match self
                .store
                .take(&slot.name, self.limit, request.answer_within)
                .await?
            {
                Taken::Slot => return Ok(slot),
                Taken::FreeIn(wait) => wait,
            };
            let free = Instant::now() + wait;
            *self.full_until() = Some(free);
            self.refuse_if_full_beyond(latest)?;
            request.waiting(wait);
            // A slot that is given back unsent may come earlier; either way the next question decides.
            let _ = timeout_at(free, freed).await;
        }
    }

    fn refuse_if_full_beyond(&self, latest: Instant) -> Result<(), BudgetError> {
        match *self.full_until() {
            Some(free) if free > latest => Err(BudgetError::Exhausted {
                free_in: Some(free.saturating_duration_since(Instant::now())),
            }),
            _ => Ok(()),
        }
    }

    async fn give_back(&self, slot: &str) {
        // When Redis cannot be told, the slot ends by itself later.
        let _ = self.store.unused(slot).await;
        *self.full_until() = None;
        self.freed.notify_waiters();
    }

    fn full_until(&self) -> MutexGuard<'_, Option<Instant>> {
        self.full_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Names that no other process gives.
struct SlotNames {
    process: u64,
    next: AtomicU64,
}

impl SlotNames {
    fn new() -> Self {
        Self {
            // The hasher's keys are the standard library's only source of chance.
            process: RandomState::new().build_hasher().finish(),
            next: AtomicU64::new(0),
        }
    }

    fn next(&self) -> String {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        format!("{:016x}-{number}", self.process)
    }
}

struct Slot {
    window: Arc<Window>,
    name: String,
    state: SlotState,
}

enum SlotState {
    Held,
    /// It ends by itself when nothing more is heard of it.
    Sent,
}

impl Permit for Slot {
    fn sent(&mut self) {
        self.state = SlotState::Sent;
    }

    fn settle(mut self: Box<Self>, settlement: Settlement) -> BoxFuture<'static, ()> {
        self.state = SlotState::Sent;
        Box::pin(async move {
            let store = &self.window.store;
            // When Redis cannot be told, the slot ends by itself later.
            let _ = match settlement {
                Settlement::Answered => store.answered(&self.name).await,
                Settlement::NotSent => {
                    self.window.give_back(&self.name).await;
                    Ok(())
                }
                Settlement::Throttled { retry_after } => {
                    store.throttled(&self.name, retry_after).await
                }
            };
        })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        // Without a runtime nothing can be told, and the slot ends by itself.
        if let (SlotState::Held, Ok(runtime)) = (&self.state, Handle::try_current()) {
            let window = self.window.clone();
            let name = std::mem::take(&mut self.name);
            runtime.spawn(async move { window.give_back(&name).await });
        }
    }
}
