//! The rate budget: how many requests may go out, and when the next one may.
//!
//! The service counts requests in fixed windows that open at the first request. A slot here is free again one window
//! after its answer arrived. The service counted the request before it answered, so a slot that is used again falls
//! into a later window there, whatever the latency, and callers who share a budget never see a 429.

mod interface;
mod memory;
mod queue;
#[cfg(feature = "redis")]
mod redis;
mod slots;
pub(crate) mod waits;

pub use interface::{Acquire, NoRateLimit, Permit, RateLimiter, RateLimiterError, SlotOutcome};
pub use memory::MemoryRateLimiter;
#[cfg(feature = "redis")]
pub use redis::{RedisConnection, RedisRateLimiter, WhenUnreachable};

pub use crate::request_options::Priority;
