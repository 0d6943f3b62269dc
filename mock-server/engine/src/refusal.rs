//! How a call goes in and how it comes out: its circumstances, its result,
//! its refusal. No word here is about HTTP.

use std::collections::BTreeMap;
use std::fmt;

use uuid::Uuid;

use crate::time::Instant;

/// The circumstances of a call.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The account's time when the call arrived.
    pub now: Instant,
    /// The id of the API key that makes the call, from [`crate::Account::keys`].
    pub key: Uuid,
    /// Whether the call asks to be simulated (A14).
    pub sandbox: SandboxHeader,
}

impl From<Instant> for Call {
    /// A call of whoever runs the server: it has no key.
    fn from(now: Instant) -> Self {
        Self {
            now,
            key: Uuid::nil(),
            sandbox: SandboxHeader::Absent,
        }
    }
}

/// Whether a provisioning call carried `X-Sandbox: true` (A14).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SandboxHeader {
    /// It did.
    Simulate,
    /// It did not.
    Absent,
}

/// What an accepted call did.
#[derive(Clone, PartialEq, Debug)]
pub struct Done<T> {
    /// Whether there is a new record.
    pub outcome: Outcome,
    /// Why nothing new was made, or nothing changed, where the API says so.
    pub note: Option<&'static str>,
    /// What the call answers.
    pub value: T,
}

/// What became of the record that an accepted call was about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It was made by this call.
    Created,
    /// It was there and was changed.
    Changed,
    /// It was there already; `note` says how it was found.
    Existing,
}

impl<T> Done<T> {
    pub(crate) fn created(value: T) -> Self {
        Self {
            outcome: Outcome::Created,
            note: None,
            value,
        }
    }

    pub(crate) fn changed(value: T) -> Self {
        Self {
            outcome: Outcome::Changed,
            note: None,
            value,
        }
    }

    pub(crate) fn existing(value: T, note: &'static str) -> Self {
        Self {
            outcome: Outcome::Existing,
            note: Some(note),
            value,
        }
    }
}

/// How a record came to be monitored by a call that asked for it (B9, C2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Added {
    /// It is new.
    New,
    /// It was monitored once, and is again.
    Restored,
    /// It was monitored already.
    Known,
}

/// Sentences by field, for what only the state could judge (A5, A8).
pub type FieldErrors = BTreeMap<&'static str, Vec<String>>;

/// Why a call was refused. A refused call changed nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// No such server in the account, or for the customer.
    EndpointNotFound,
    /// A scan was asked for of a server that is paused or terminated.
    EndpointNotActive,
    /// No further server fits.
    EndpointLimitExceeded(Capacity),
    /// A host name resolved to nothing; it carries the name.
    DnsResolutionFailed(String),
    /// The server was scanned by hand a short while ago.
    ScanCooldown {
        /// Whole seconds until a scan is accepted, rounded up, at least 1.
        retry_after_seconds: u64,
    },
    /// The record is another customer's.
    AccessDenied,
    /// No such Allowed Ports rule in the account, or for the customer.
    RuleNotFound,
    /// No such port alert for the customer.
    PortAlertNotFound,
    /// The customer has no portal account.
    UserNotFound,
    /// No such monitored domain for the account or customer.
    DomainNotFound,
    /// A scan was asked for of a domain that is paused or terminated.
    DomainNotActive,
    /// No further domain fits.
    DomainLimitExceeded(Capacity),
    /// The customer monitors that domain already.
    DomainAlreadyExists,
    /// No such alert of the domain.
    DomainAlertNotFound,
    /// The alert is resolved and cannot be acknowledged.
    AlertAlreadyResolved,
    /// The alert is not acknowledged and cannot be resolved.
    AlertNotAcknowledged,
    /// No product has this slug.
    ProductNotFound,
    /// Nothing is recorded with the customer and service.
    BillingClientNotFound,
    /// The service has no subscription for the product.
    SubscriptionNotFound,
    /// The subscription is cancelled.
    SubscriptionNotChangeable,
    /// More is used than the subscription would hold.
    DowngradeUsageExceeded(Capacity),
    /// Fields that only the state could judge.
    Invalid(FieldErrors),
}

/// How full something is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Capacity {
    /// How many there may be.
    pub limit: u64,
    /// How many there are (B6).
    pub current_usage: u64,
}

impl Refusal {
    pub(crate) fn invalid(field: &'static str, sentence: impl Into<String>) -> Self {
        Self::Invalid(BTreeMap::from([(field, vec![sentence.into()])]))
    }
}

impl fmt::Display for Refusal {
    /// The sentence that the API gives as `message`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EndpointNotFound => f.write_str("Endpoint not found."),
            Self::EndpointNotActive => {
                f.write_str("The endpoint is not active; resume it before scanning it.")
            }
            Self::EndpointLimitExceeded(capacity) => write!(
                f,
                "The plan allows {} endpoints and {} are in use.",
                capacity.limit, capacity.current_usage
            ),
            Self::DnsResolutionFailed(hostname) => {
                write!(f, "The hostname {hostname} could not be resolved.")
            }
            Self::ScanCooldown {
                retry_after_seconds,
            } => write!(
                f,
                "The endpoint was scanned recently; try again in {retry_after_seconds} seconds."
            ),
            Self::AccessDenied => f.write_str("Access denied"),
            Self::RuleNotFound => f.write_str("Allowed Ports rule not found."),
            Self::PortAlertNotFound => f.write_str("Alert not found."),
            Self::UserNotFound => {
                f.write_str("The customer has no portal account; provision a service first.")
            }
            Self::DomainNotFound => f.write_str("Domain not found."),
            Self::DomainNotActive => {
                f.write_str("The domain is not active; resume it before scanning it.")
            }
            Self::DomainLimitExceeded(capacity) => write!(
                f,
                "The subscription has {} domain slots and {} are in use.",
                capacity.limit, capacity.current_usage
            ),
            Self::DomainAlreadyExists => f.write_str("The customer already monitors this domain."),
            Self::DomainAlertNotFound => f.write_str("Alert not found on this domain."),
            Self::AlertAlreadyResolved => f.write_str("The alert is already resolved."),
            Self::AlertNotAcknowledged => {
                f.write_str("The alert must be acknowledged before it is resolved.")
            }
            Self::ProductNotFound => f.write_str("No product has this slug."),
            Self::BillingClientNotFound => {
                f.write_str("The customer has no records for this service.")
            }
            Self::SubscriptionNotFound => {
                f.write_str("The service has no subscription for this product.")
            }
            Self::SubscriptionNotChangeable => {
                f.write_str("The subscription is cancelled; provision it again to revive it.")
            }
            Self::DowngradeUsageExceeded(capacity) => write!(
                f,
                "{} are in use and the new limit is {}. Remove some first, or choose a bigger plan.",
                capacity.current_usage, capacity.limit
            ),
            Self::Invalid(_) => f.write_str("The given data was invalid."),
        }
    }
}

impl std::error::Error for Refusal {}
