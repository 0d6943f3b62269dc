//! Fields of faults, read with the sentences of the admin API.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::values::fields::Raw;
use crate::values::fields::readers::Read;

/// What a field holds; null is the same as leaving it out.
pub(super) fn read_field<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    name: &str,
    read: impl FnOnce(Raw<'_>) -> Read<T>,
) -> Result<Option<T>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    if value.is_null() {
        return Ok(None);
    }
    let read = read(Raw::Json(&value)).map(Some);
    read.map_err(|reason| D::Error::custom(format_args!("The {name} {reason}")))
}

/// A value by the name that serde has for it.
pub(super) fn by_name<T: DeserializeOwned>(name: &str) -> Option<T> {
    serde_json::from_value(name.into()).ok()
}

/// Functions for `deserialize_with`: of each, the type, the field's name, and its reader.
macro_rules! field_readers {
    ($($function:ident: $type:ty = $name:literal, $read:expr;)*) => {$(
        fn $function<'de, D: serde::Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Option<$type>, D::Error> {
            read_field(deserializer, $name, $read)
        }
    )*};
}
pub(super) use field_readers;
