//! The two customers, and what they have.

use super::domains::Domain;
use super::pool::Pool;
use super::servers::Server;

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
