//! Values by chance, where no seed was given.

use std::hash::{BuildHasher, Hasher, RandomState};

/// A number by chance: the standard library seeds its hashers from the operating system.
pub(crate) fn number() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A text of 32 hexadecimal digits by chance.
pub(crate) fn text() -> String {
    format!("{:016x}{:016x}", number(), number())
}
