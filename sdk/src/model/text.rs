//! Texts with a meaning of their own: a plan, an address.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A text of its own type, which takes any text and gives it back as it came.
macro_rules! text_type {
    ($($(#[$about:meta])* $name:ident,)+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Box<str>);

        impl $name {
            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl From<&String> for $name {
            fn from(text: &String) -> Self {
                Self::from(text.as_str())
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> Self {
                text.0.into()
            }
        }

        impl FromStr for $name {
            type Err = std::convert::Infallible;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Ok(Self::from(text))
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                *self.0 == *other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                *self.0 == **other
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }
    )+};
}

text_type! {
    /// A plan of a product, at most 50 characters, as in `professional`.
    PlanSlug,
    /// The address of a server: IPv4 or IPv6 where it is one ([`ip`](Address::ip)); where a server is created, a
    /// hostname too. Two are equal when their texts are; compare [`ip`](Address::ip) where spellings differ.
    Address,
}

impl Address {
    /// The IP address; none for a hostname, or for whatever else the service wrote.
    pub fn ip(&self) -> Option<IpAddr> {
        self.0.parse().ok()
    }
}

macro_rules! from_ip {
    ($($kind:ty),+) => {$(
        impl From<$kind> for Address {
            fn from(address: $kind) -> Self {
                Self(address.to_string().into())
            }
        }
    )+};
}
from_ip!(IpAddr, Ipv4Addr, Ipv6Addr);
