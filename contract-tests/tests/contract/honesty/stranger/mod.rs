//! Bends thought up by somebody who had not read the cases.

pub mod races;
pub mod sums;
pub mod tools;
