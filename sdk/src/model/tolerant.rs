//! Reading what a service writes that is nearly, but not quite, as documented.
//!
//! No error made here repeats a value of the answer (F2).

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error, Unexpected, Visitor};
use serde_json::Value;

use super::tolerant_value::{OPTIONAL, TolerantValue, numeral};

/// Reads an optional member, for `deserialize_with` on a field that is `Option` (with `default` besides).
///
/// In an answer that is not as documented, what cannot be read in any spelling is taken for absent, so that it costs
/// nothing else; its text stays in the [kept body](crate::Response::raw_field). Anywhere else it is read like any `Option`.
///
/// # Errors
/// Outside an answer, those of the value.
pub fn optional<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    deserializer.deserialize_newtype_struct(OPTIONAL, OptionalVisitor(PhantomData))
}

struct OptionalVisitor<T>(PhantomData<T>);

impl<'de, T: DeserializeOwned> Visitor<'de> for OptionalVisitor<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an optional value")
    }

    /// Of every deserializer but the tolerant one.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Option<T>, D::Error> {
        Option::deserialize(inner)
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<Option<T>, D::Error> {
        let value = Value::deserialize(inner)?;
        Ok(Option::deserialize(TolerantValue(&value)).unwrap_or_default())
    }
}

/// A value of a map or a list that is [`optional`].
pub(crate) struct OptionalValue<T>(pub(crate) Option<T>);

impl<'de, T: DeserializeOwned> Deserialize<'de> for OptionalValue<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        optional(deserializer).map(Self)
    }
}

/// A text that is read by `FromStr`; `expected` says what it should have been.
pub(crate) fn parsed<'de, D, T>(deserializer: D, expected: &'static str) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr,
{
    deserializer.deserialize_str(Text(expected, PhantomData))
}

/// A number, or the text of one, that is read by `FromStr`.
pub(crate) fn number<'de, D, T>(deserializer: D, expected: &'static str) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr,
{
    deserializer.deserialize_any(Numeral(expected, PhantomData))
}

/// A number, or the text of one.
struct Numeral<T>(&'static str, PhantomData<T>);

impl<T: FromStr> Numeral<T> {
    fn read<E: Error>(&self, text: &str, found: Unexpected<'_>) -> Result<T, E> {
        numeral(text).ok_or_else(|| E::invalid_value(found, &self.0))
    }
}

impl<T: FromStr> Visitor<'_> for Numeral<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        self.read(text, Unexpected::Other("text"))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        self.read(&number.to_string(), Unexpected::Other("number"))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        self.read(&number.to_string(), Unexpected::Other("number"))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        self.read(&number.to_string(), Unexpected::Other("number"))
    }
}

struct Text<T>(&'static str, PhantomData<T>);

impl<T: FromStr> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        let read = text.parse();
        read.map_err(|_| E::invalid_value(Unexpected::Other("text"), &self.0))
    }
}

/// A text; an empty one is none.
pub(crate) fn filled<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    let text: Option<String> = optional(deserializer)?;
    Ok(text.filter(|text| !text.is_empty()))
}

/// Implements `Deserialize` by `FromStr`, from a text (`parsed`) or from a number too (`number`).
macro_rules! deserialize_by_parsing {
    ($name:ty, $how:ident, $expected:literal) => {
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::model::tolerant::$how(deserializer, $expected)
            }
        }
    };
}
pub(crate) use deserialize_by_parsing;

/// Declares the error of a text that cannot be read: the sentence that says so, and how to write it.
macro_rules! invalid_text {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name(String);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::error::Error for $name {}
    };
}
pub(crate) use invalid_text;

/// Declares a record of an answer, each `Option` of which is [`optional`]; the `Debug` of a `masked` one stands beside it.
macro_rules! record {
    (@members $about:tt $name:ident [$($read:tt)*]
        $(#[$what:meta])* $member:ident: Option<$kind:ty>, $($rest:tt)*
    ) => {
        $crate::model::tolerant::record! { @members $about $name [
            $($read)*
            $(#[$what])*
            #[serde(default, deserialize_with = "crate::model::optional")]
            pub $member: Option<$kind>,
        ] $($rest)* }
    };
    (@members $about:tt $name:ident [$($read:tt)*]
        $(#[$what:meta])* $member:ident: $kind:ty, $($rest:tt)*
    ) => {
        $crate::model::tolerant::record! { @members $about $name [
            $($read)*
            $(#[$what])*
            pub $member: $kind,
        ] $($rest)* }
    };
    (@members [$($about:tt)*] $name:ident [$($members:tt)*]) => {
        #[derive(Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(remote = "Self")]
        $($about)*
        #[non_exhaustive]
        pub struct $name {
            $($members)*
        }

        $crate::model::object_only::as_an_object!($name);
    };
    (masked $(#[$about:meta])* $name:ident { $($members:tt)+ }) => {
        $crate::model::tolerant::record! { @members [$(#[$about])*] $name [] $($members)+ }
    };
    ($(#[$about:meta])* $name:ident { $($members:tt)+ }) => {
        $crate::model::tolerant::record! { masked #[derive(Debug)] $(#[$about])* $name { $($members)+ } }
    };
}
pub(crate) use record;
