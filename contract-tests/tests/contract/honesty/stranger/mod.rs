//! Bends thought up by somebody who had not read the cases.

mod derived;
mod instants;
mod journal;
mod lists;
mod tools;

use super::Bent;

/// All of them.
pub fn all() -> impl Iterator<Item = &'static Bent> {
    let first = lists::BENDS.iter().chain(instants::BENDS);
    first.chain(derived::BENDS).chain(journal::BENDS)
}
