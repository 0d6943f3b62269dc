//! A record that is read from an object alone: serde takes the items of a list for its members in order.

use serde::de::{Deserialize, Deserializer, Visitor};
use serde::forward_to_deserialize_any;

/// Reads a value, for `deserialize_with`.
///
/// # Errors
/// Those of the value, and a list where a record is expected.
pub(super) fn read<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    inner: D,
) -> Result<T, D::Error> {
    T::deserialize(ObjectOnly(inner))
}

struct ObjectOnly<D>(D);

/// What is asked for in another way than as a record is read as it is.
macro_rules! as_it_is {
    ($($method:ident)+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method(visitor)
        }
    )+};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ObjectOnly<D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    as_it_is! {
        deserialize_any deserialize_option deserialize_seq deserialize_map deserialize_unit
        deserialize_ignored_any
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit_struct newtype_struct tuple tuple_struct enum identifier
    }
}
