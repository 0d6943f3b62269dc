//! Bends by somebody who has read the documents and none of the cases.

mod dress;
mod refusals;
mod repeats;
mod strangers;
mod tools;

use super::Bent;

/// All of them.
pub fn all() -> impl Iterator<Item = &'static Bent> {
    let files = [
        refusals::BENDS,
        repeats::BENDS,
        strangers::BENDS,
        dress::BENDS,
    ];
    files.into_iter().flatten()
}
