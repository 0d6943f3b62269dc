//! Bends by somebody who has read the documents and none of the cases.

mod dress;
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
        sums::BENDS,
        dress::BENDS,
    ];
    files.into_iter().flatten()
}
