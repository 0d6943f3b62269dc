//! One small hash function, SplitMix64's, behind ids, secrets and derived
//! addresses. That of `std` may change from one version to the next.
//!
//! It only has to spread: equal inputs give equal outputs on every machine,
//! and different inputs look unrelated. Nothing here is cryptography.

/// SplitMix64's finaliser: every input bit reaches every output bit.
pub(crate) fn hash(value: u64) -> u64 {
    let mut mixed = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Two values as one, spread over all numbers; the same on every machine.
pub fn hash_pair(left: u64, right: u64) -> u64 {
    hash(hash(left).wrapping_add(right))
}

/// A text as one number.
pub(crate) fn hash_bytes(seed: u64, bytes: &[u8]) -> u64 {
    let length = bytes.len() as u64;
    bytes
        .chunks(8)
        .fold(hash_pair(seed, length), |hash, chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            hash_pair(hash, u64::from_le_bytes(word))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers that SplitMix64 is published with for the seed 0: each
    /// is the finaliser of a state, and the state moves by one constant.
    #[test]
    fn it_mixes_as_splitmix64_does() {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let published = [
            0xe220_a839_7b1d_cdaf,
            0x6e78_9e6a_a1b9_65f4,
            0x06c4_5d18_8009_454f,
            0xf88b_b8a8_724c_81ec,
        ];
        for (number, expected) in (0..).zip(published) {
            assert_eq!(hash(STEP.wrapping_mul(number)), expected);
        }
    }
}
