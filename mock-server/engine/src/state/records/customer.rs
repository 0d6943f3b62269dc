//! Customers, keys and sign-in tokens, as recorded.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::time::Instant;
use crate::values::ClientId;

/// An API key of the account: a secret, so it has no readable `Debug`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct ApiKey(pub(crate) String);

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey")
    }
}

/// A customer, as recorded.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Customer {
    pub(crate) client_id: ClientId,
    pub(crate) portal: Portal,
    pub(crate) name: Option<Box<str>>,
    pub(crate) email: Option<Box<str>>,
}

/// Whether the customer can sign in to the portal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Portal {
    /// Named by a rule only; nothing was ever provisioned.
    Never,
    Granted,
    Removed,
}

/// A sign-in token that was not used yet. Its text is derived, not stored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct SsoToken {
    pub(crate) client: ClientId,
    pub(crate) expires_at: Instant,
    pub(crate) redirect_path: Option<String>,
}
