//! Domain alerts, as recorded.

use serde::{Deserialize, Serialize};

use crate::named::named;
use crate::state::storage::DomainNo;
use crate::time::Instant;
use crate::world::Category;

/// A domain alert, as recorded.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct DomainAlert {
    pub(crate) domain: DomainNo,
    /// The domain's name when the alert was raised (C3).
    pub(crate) name: Box<str>,
    pub(crate) kind: DomainAlertKind,
    pub(crate) category: Category,
    pub(crate) new_count: u32,
    pub(crate) previous_count: u32,
    pub(crate) created_at: Instant,
    pub(crate) state: AlertState,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AlertState {
    Open,
    Acknowledged {
        at: Instant,
    },
    Resolved {
        acknowledged_at: Instant,
        at: Instant,
    },
}

/// What a domain alert is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DomainAlertKind {
    /// More leaked credentials than before.
    CredentialLeak,
    /// More dark-web mentions than before.
    DarkWebMention,
}

named!(DomainAlertKind {
    CredentialLeak = "credential_leak",
    DarkWebMention = "dark_web_mention",
});
