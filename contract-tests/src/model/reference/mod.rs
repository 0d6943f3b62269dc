//! What the service should be: two customers of one account, written from the specification in as few words as
//! possible.

mod customers;
mod domains;
mod pool;
mod servers;
mod sync;

pub use customers::{Customer, LIMIT_WITHOUT_PLAN, Reference, Who};
pub use domains::DOMAIN;
pub use pool::{Move, State, Status};
pub use servers::SERVER;
pub use sync::{Capacity, Entry, Report, Service};
