//! Chance that can be repeated: the same seed gives the same numbers.

/// A source of numbers (SplitMix64).
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % end.max(1)
    }

    /// One of `of`, which has some.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        let place = self.below(of.len() as u64);
        &of[usize::try_from(place).unwrap_or(0)]
    }

    /// A source of its own, for another thread.
    pub fn split(&mut self) -> Self {
        Self(self.below(u64::MAX))
    }
}
