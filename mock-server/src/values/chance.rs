//! Values by chance.

use std::hash::{BuildHasher, Hasher, RandomState};

use secmon_engine::hash_pair;

/// A number by chance, where no seed was given: the standard library seeds its hashers from the operating system.
pub(crate) fn number() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A text of 32 hexadecimal digits by chance.
pub(crate) fn text() -> String {
    format!("{:016x}{:016x}", number(), number())
}

/// A number from 0 up to 1 that the seed decides: the one of this turn of whatever has this id.
pub(crate) fn draw(seed: u64, id: u64, turn: u64) -> f64 {
    // As many bits as a number with a fraction keeps exactly.
    const BITS: u32 = f64::MANTISSA_DIGITS;
    let drawn = hash_pair(hash_pair(seed, id), turn) >> (u64::BITS - BITS);
    drawn as f64 / (1_u64 << BITS) as f64
}
