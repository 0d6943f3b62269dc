//! Enums that keep a value they do not know.

use std::fmt;

/// A value that this version of the crate has no name for. Only reading a text makes one, so that none is equal in text
/// to a value with a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnknownValue(Box<str>);

impl UnknownValue {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// The value as the API writes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for UnknownValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// What a text of its own type can do besides, made from `From<&str>` and `as_str`.
macro_rules! like_a_text {
    ($name:ident) => {
        impl std::str::FromStr for $name {
            type Err = std::convert::Infallible;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Ok(Self::from(text))
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

/// One line a value: the variant and its text in the API.
macro_rules! open_enum {
    ($($(#[$about:meta])* $name:ident { $($(#[$what:meta])* $variant:ident = $text:literal,)+ })+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$what])* $variant,)+
            /// A value this version has no name for, kept as it came.
            Unknown($crate::model::UnknownValue),
        }

        impl $name {
            /// The values this version has names for.
            pub const VARIANTS: &'static [Self] = &[$(Self::$variant,)+];

            /// The value as the API writes it.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::Unknown(value) => value.as_str(),
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)+
                    other => Self::Unknown($crate::model::UnknownValue::new(other)),
                }
            }
        }

        $crate::model::open_enum::like_a_text!($name);

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self::from(text.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        $crate::model::tolerant::deserialize_by_parsing!($name, parsed, "a string");
    )+};
}

pub(super) use {like_a_text, open_enum};
