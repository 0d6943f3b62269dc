//! Whose a global rule is. The service never says it.

use secmon::model::CustomerId;
use serde::{Deserialize, Serialize};

/// Whose a global rule is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleOwner {
    /// It counts for the servers of one customer.
    Customer(CustomerId),
    /// It counts for all servers of the account.
    Account,
}

impl RuleOwner {
    /// The customer, where it is one.
    pub fn customer(self) -> Option<CustomerId> {
        match self {
            Self::Customer(customer) => Some(customer),
            Self::Account => None,
        }
    }
}

impl std::fmt::Display for RuleOwner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Customer(customer) => customer.fmt(f),
            Self::Account => f.write_str("WHOLE ACCOUNT"),
        }
    }
}
