//! One reader for each kind of value, whatever spelling the service has for it (F12).

use std::str::FromStr;

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Error, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Number, Value};

/// The name of a newtype by which an optional member asks how it is read; any other deserializer passes it over.
pub(super) const OPTIONAL: &str = "secmon::optional";

/// Reads a value as the kind that is asked for: numbers from text and `60.0`, booleans from 0 and 1, texts from
/// numbers, an empty list as an empty object, and an object whose members are numbered as a list (PHP writes a list so
/// that lost its first items). Records are read from objects alone.
#[derive(Clone, Copy)]
pub(crate) struct TolerantValue<'a>(pub(crate) &'a Value);

impl<'a> TolerantValue<'a> {
    fn visit_members<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, serde_json::Error> {
        match self.0 {
            Value::Array(items) if items.is_empty() => {
                let nothing = std::iter::empty::<(&str, TolerantValue<'_>)>();
                visitor.visit_map(MapDeserializer::new(nothing))
            }
            Value::Array(_) => Err(Error::invalid_type(Unexpected::Seq, &visitor)),
            _ => self.deserialize_any(visitor),
        }
    }
}

/// What the text of a number stands for; a fraction of nothing (`60.0`) is none.
pub(super) fn numeral<T: FromStr>(text: &str) -> Option<T> {
    let text = text.trim();
    let whole = || {
        let (whole, fraction) = text.split_once('.')?;
        let is_whole = fraction.trim_end_matches('0').is_empty();
        is_whole.then(|| whole.parse().ok()).flatten()
    };
    text.parse().ok().or_else(whole)
}

/// The whole number that a value stands for.
pub(crate) fn whole_number(value: &Value) -> Option<Number> {
    let text = match value {
        Value::Number(number) if !number.is_f64() => return Some(number.clone()),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        _ => return None,
    };
    let signed = || numeral::<i64>(&text).map(Number::from);
    numeral::<u64>(&text).map(Number::from).or_else(signed)
}

/// The yes or no that a value stands for.
pub(crate) fn flag(value: &Value) -> Option<bool> {
    let word = match value {
        Value::Bool(flag) => return Some(*flag),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().to_ascii_lowercase(),
        _ => return None,
    };
    match word.as_str() {
        "1" | "true" => Some(true),
        "0" | "false" => Some(false),
        _ => None,
    }
}

/// An object without members may be anything.
fn are_numbered(members: &Map<String, Value>) -> bool {
    let is_number = |name: &String| name.bytes().all(|digit| digit.is_ascii_digit());
    !members.is_empty() && members.keys().all(is_number)
}

fn visit_number<'de, V: Visitor<'de>>(
    number: &Number,
    visitor: V,
) -> Result<V::Value, serde_json::Error> {
    match (number.as_u64(), number.as_i64()) {
        (Some(number), _) => visitor.visit_u64(number),
        (None, Some(number)) => visitor.visit_i64(number),
        (None, None) => visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN)),
    }
}

macro_rules! whole_numbers {
    ($($method:ident)+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
            match whole_number(self.0) {
                Some(number) => visit_number(&number, visitor),
                None => self.deserialize_any(visitor),
            }
        }
    )+};
}

impl<'de> Deserializer<'de> for TolerantValue<'de> {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::Number(number) => visit_number(number, visitor),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => {
                visitor.visit_seq(SeqDeserializer::new(items.iter().map(TolerantValue)))
            }
            Value::Object(members) => {
                let members = members.iter();
                let members = members.map(|(name, value)| (name.as_str(), TolerantValue(value)));
                visitor.visit_map(MapDeserializer::new(members))
            }
        }
    }

    whole_numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match flag(self.0) {
            Some(flag) => visitor.visit_bool(flag),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self.0 {
            Value::Number(number) => visitor.visit_string(number.to_string()),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        match name {
            OPTIONAL => visitor.visit_some(self),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.visit_members(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        self.visit_members(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self.0 {
            Value::Object(members) if are_numbered(members) => {
                visitor.visit_seq(SeqDeserializer::new(members.values().map(TolerantValue)))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        f32 f64 char str bytes byte_buf unit unit_struct tuple tuple_struct enum identifier
    }
}

impl<'de> IntoDeserializer<'de, serde_json::Error> for TolerantValue<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
