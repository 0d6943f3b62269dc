//! Reading what a service writes that is nearly, but not quite, as documented.
//!
//! No error made here repeats a value of the answer (F2).

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{
    DeserializeOwned, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor,
};

/// An object that may be absent, null, or an empty list in place of an empty object; all of them read as none.
pub(crate) fn object<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    deserializer.deserialize_any(MapVisitor {
        expected: "an object",
        empty: || None,
        read: PhantomData::<(Option<T>, T)>,
    })
}

/// The same, where an empty object means something: `[]` is an empty map, only null is none.
pub(crate) fn map<'de, D, M>(deserializer: D) -> Result<Option<M>, D::Error>
where
    D: Deserializer<'de>,
    M: DeserializeOwned + Default,
{
    deserializer.deserialize_any(MapVisitor {
        expected: "a map",
        empty: || Some(M::default()),
        read: PhantomData::<(Option<M>, M)>,
    })
}

/// The same, where there must be one.
pub(crate) fn members<'de, D, M>(deserializer: D) -> Result<M, D::Error>
where
    D: Deserializer<'de>,
    M: DeserializeOwned + Default,
{
    map(deserializer)?.ok_or_else(|| D::Error::invalid_type(Unexpected::Unit, &"an object"))
}

/// Takes an object, or an empty list for an empty one. `R` is what it gives, `T` what the object is read as.
struct MapVisitor<R, T> {
    expected: &'static str,
    /// What an empty list stands for.
    empty: fn() -> R,
    read: PhantomData<(R, T)>,
}

impl<'de, T: DeserializeOwned> Visitor<'de> for MapVisitor<Option<T>, T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_none<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<T>, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Option<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(entries)).map(Some)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Option<T>, A::Error> {
        match items.next_element::<IgnoredAny>()? {
            None => Ok((self.empty)()),
            Some(_) => Err(A::Error::invalid_type(Unexpected::Seq, &self.expected)),
        }
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

/// A number, or the text of one; a fraction of nothing (`60.0`) is none.
struct Numeral<T>(&'static str, PhantomData<T>);

impl<T: FromStr> Numeral<T> {
    fn read<E: Error>(&self, text: &str, found: Unexpected<'_>) -> Result<T, E> {
        let whole = || {
            text.split_once('.')
                .filter(|(_, rest)| rest.trim_end_matches('0').is_empty())
        };
        let read = text.trim().parse().ok();
        let read = read.or_else(|| whole()?.0.trim().parse().ok());
        read.ok_or_else(|| E::invalid_value(found, &self.0))
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
    let text = Option::<String>::deserialize(deserializer)?;
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

/// Reads and writes a summary as `#[serde(remote = "Self")]` derives it, but for one with none of its members, which is
/// none (F9).
macro_rules! with_some_member {
    ($name:ident: $first:ident $(, $member:ident)*) => {
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let read = $name::deserialize(deserializer)?;
                match read.$first.is_none() $(&& read.$member.is_none())* {
                    true => Err(serde::de::Error::missing_field(stringify!($first))),
                    false => Ok(read),
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $name::serialize(self, serializer)
            }
        }
    };
}
pub(crate) use with_some_member;
