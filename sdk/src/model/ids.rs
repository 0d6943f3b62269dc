//! Identifiers that cannot be mixed up: each kind of record has a type of its own.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

use serde::Serialize;
use uuid::Uuid;

use super::tolerant::{deserialize_by_parsing, invalid_text};

invalid_text! {
    /// A text that is not the identifier it was read as; its `Display` names the reason and the way out.
    InvalidId
}

macro_rules! record_id {
    ($($(#[$about:meta])* $name:ident: $kind:literal,)+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        deserialize_by_parsing!($name, parsed, "a UUID");

        impl $name {
            /// The identifier as a plain UUID.
            pub const fn as_uuid(&self) -> &Uuid {
                &self.0
            }
        }

        impl From<Uuid> for $name {
            fn from(uuid: Uuid) -> Self {
                Self(uuid)
            }
        }

        impl From<$name> for Uuid {
            fn from(id: $name) -> Uuid {
                id.0
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                Uuid::parse_str(text).map(Self).map_err(|_| {
                    InvalidId(format!(
                        "`{text}` is no {} id: write the full UUID, as in 6f9619ff-8b86-4011-b42d-00c04fc964ff",
                        $kind
                    ))
                })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }
    )+};
}

record_id! {
    /// Identifies a monitored server.
    EndpointId: "endpoint",
    /// Identifies an Allowed Ports rule.
    RuleId: "rule",
    /// Identifies a port alert.
    PortAlertId: "alert",
    /// Identifies a scan.
    ScanId: "scan",
    /// Identifies a monitored domain.
    DomainId: "domain",
    /// Identifies an alert of a domain.
    DomainAlertId: "alert",
    /// Identifies a dark-web mention.
    MentionId: "mention",
    /// Identifies a subscription.
    SubscriptionId: "subscription",
    /// Identifies the partner account.
    AccountId: "account",
    /// Identifies who made a record: a portal user or an API key.
    CreatorId: "creator",
}

macro_rules! billing_number {
    (@from $name:ident: $($kind:ident)+) => {$(
        impl TryFrom<$kind> for $name {
            type Error = InvalidId;

            fn try_from(number: $kind) -> Result<Self, InvalidId> {
                Self::from_str(&number.to_string())
            }
        }
    )+};
    ($($(#[$about:meta])* $name:ident: $kind:literal,)+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(NonZeroU64);

        deserialize_by_parsing!($name, number, "a whole number from 1");

        impl $name {
            /// The number.
            pub fn get(self) -> u64 {
                self.0.get()
            }
        }

        impl TryFrom<u64> for $name {
            type Error = InvalidId;

            fn try_from(number: u64) -> Result<Self, InvalidId> {
                NonZeroU64::new(number)
                    .filter(|number| i64::try_from(number.get()).is_ok())
                    .map(Self)
                    .ok_or_else(|| InvalidId(format!(
                        "{number} is no {} id: it is a whole number from 1 to {}",
                        $kind,
                        i64::MAX
                    )))
            }
        }

        billing_number!(@from $name: u32 i32 i64);

        impl From<$name> for u64 {
            fn from(id: $name) -> u64 {
                id.get()
            }
        }

        impl From<$name> for NonZeroU64 {
            fn from(id: $name) -> NonZeroU64 {
                id.0
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                let number: u64 = text.parse().map_err(|_| {
                    InvalidId(format!("`{text}` is no {} id: it is a whole number from 1", $kind))
                })?;
                Self::try_from(number)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }
    )+};
}

billing_number! {
    /// The customer in the partner's billing system: `client_id` in the provisioning group, `billing_customer_id`
    /// everywhere else. At least 1.
    CustomerId: "customer",
    /// The service (contract line) in the partner's billing system. At least 1.
    ServiceId: "service",
}
