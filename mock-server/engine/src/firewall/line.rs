//! The lines that front ends read.

use std::borrow::Cow;

/// A line of a dump; where a terminal broke it, all of it.
#[derive(Clone, Debug)]
pub(super) struct Line<'a> {
    /// Its number, from 1.
    pub(super) number: u32,
    pub(super) text: Cow<'a, str>,
}
