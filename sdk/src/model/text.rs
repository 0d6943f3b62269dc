//! Texts with a meaning of their own: a plan, an address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use serde::{Deserialize, Serialize};

use super::open_enum::like_a_text;

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

        like_a_text!($name);

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
    /// The IP address; `None` for a hostname, or for whatever else the service wrote.
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
