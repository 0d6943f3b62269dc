//! What the service should be: two customers of one account, written from the specification in as few words as
//! possible.

mod domains;
mod pool;
mod servers;
mod sync;

pub use domains::{DOMAIN, Domain};
pub use pool::{Move, Pool, State, Status};
pub use servers::{SERVER, Server};
pub use sync::{Capacity, Entry, Report, Service};

/// Servers of a customer that never had a plan, as the account of the walk is set up.
pub const LIMIT_WITHOUT_PLAN: usize = 3;

/// Which of the two customers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    One,
    Other,
}

#[derive(Debug, Clone)]
pub struct Reference {
    pub customers: [Customer; 2],
}

#[derive(Debug, Clone)]
pub struct Customer {
    pub servers: Pool<Server>,
    pub domains: Pool<Domain>,
}

impl Reference {
    pub fn new() -> Self {
        let customer = Customer {
            servers: Pool {
                without_subscription: LIMIT_WITHOUT_PLAN,
                ..Pool::default()
            },
            domains: Pool::default(),
        };
        Self {
            customers: [customer.clone(), customer],
        }
    }
}
