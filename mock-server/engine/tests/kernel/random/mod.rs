//! Firewalls at random, in the words of nftables and of iptables.

mod iptables;
mod nftables;

pub use iptables::iptables;
pub use nftables::nftables;

/// Numbers that are the same in each run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    /// Yes, once in so many times.
    fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        let place = self.below(of.len() as u64);
        of[usize::try_from(place).expect("small")]
    }

    fn port(&mut self) -> u64 {
        20 + self.below(10)
    }

    /// Two that differ.
    fn two_ports(&mut self) -> (u64, u64) {
        let first = self.below(10);
        let second = (first + 1 + self.below(9)) % 10;
        (20 + first, 20 + second)
    }

    fn range(&mut self, separator: char) -> String {
        let (first, last) = (self.port(), self.port());
        match first < last {
            true => format!("{first}{separator}{last}"),
            false => first.to_string(),
        }
    }
}

/// The ports that filters are about.
pub const PORTS: std::ops::RangeInclusive<u16> = 19..=30;

/// Chains that are jumped to; each only to those behind it.
const CHAINS: u64 = 4;
