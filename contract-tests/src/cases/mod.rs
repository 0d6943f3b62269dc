//! The cases that are written out: what the client does of itself. What is answered stands in `scenes/` and
//! `states.toml`, and what holds of every operation in the mechanisms.

mod access;
mod faults;
mod reading;

use crate::case::Case;
use crate::{mechanisms, model};

/// Every case.
pub fn cases() -> Vec<Case> {
    let files = [reading::CASES, access::CASES, faults::CASES, model::CASES];
    let mut cases = files.concat();
    cases.extend(mechanisms::cases());
    cases
}
