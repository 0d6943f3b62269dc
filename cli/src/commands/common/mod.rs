//! What several nouns have in common.

pub mod args;
pub mod capacity;
pub mod findings;
pub mod live;
pub mod moving;
pub mod new_customer;
pub mod other_owners;
pub mod overwriting;
pub mod polling;
pub mod streamed;
pub mod unreachable;
pub mod usage;
pub mod views;
