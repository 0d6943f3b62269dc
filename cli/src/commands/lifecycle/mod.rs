//! Pausing, resuming and ending servers, domains, subscriptions and customers: one table and one driver.

pub mod change;
pub mod everything;
pub mod resource;
mod resume;
mod row;
pub mod send;
pub mod transition;

pub use change::{LifecycleChange, Selection};
pub use resource::{Resource, ResourceKind, SubscriptionRef};
pub use transition::Transition;
