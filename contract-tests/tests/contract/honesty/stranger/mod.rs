//! Bends by somebody who has read the documents and none of the cases.

mod derived;
mod dress;
mod instants;
mod journal;
mod lists;
mod races;
mod refusals;
mod repeats;
mod strangers;
mod sums;
mod tools;

use super::Bent;

/// All of them.
pub fn all() -> impl Iterator<Item = &'static Bent> {
    let files = [
        refusals::BENDS,
        repeats::BENDS,
        races::BENDS,
        strangers::BENDS,
        derived::BENDS,
        instants::BENDS,
        lists::BENDS,
        sums::BENDS,
        dress::BENDS,
        journal::BENDS,
    ];
    files.into_iter().flatten()
}
