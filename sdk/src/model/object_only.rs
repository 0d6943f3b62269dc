//! A record that is read from an object alone: serde takes the items of a list for its members in order.

use serde::de::{Deserializer, Visitor};
use serde::forward_to_deserialize_any;

/// Reads a record from an object, and refuses a list in its place. In formats that have no names a record is a list.
pub(crate) struct ObjectOnly<D>(pub(crate) D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ObjectOnly<D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        match self.0.is_human_readable() {
            true => self.0.deserialize_map(visitor),
            false => self.0.deserialize_struct(name, fields, visitor),
        }
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }

    // A record asks for nothing else.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Reads a record whose derived reading is its own (`#[serde(remote = "Self")]`) from an object alone.
macro_rules! from_an_object {
    ($name:ty) => {
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
                Self::deserialize($crate::model::object_only::ObjectOnly(reader))
            }
        }
    };
}
pub(crate) use from_an_object;

/// The same of one that is written as well.
macro_rules! as_an_object {
    ($name:ty) => {
        $crate::model::object_only::from_an_object!($name);

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, writer: S) -> Result<S::Ok, S::Error> {
                Self::serialize(self, writer)
            }
        }
    };
}
pub(crate) use as_an_object;
