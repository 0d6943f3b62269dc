//! One small mixing function behind ids, secrets and derived addresses.
//!
//! It only has to spread: equal inputs give equal outputs on every machine,
//! and different inputs look unrelated. Nothing here is cryptography.

/// SplitMix64's finaliser: every input bit reaches every output bit.
pub(crate) fn mix(value: u64) -> u64 {
    let mut mixed = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Two values as one.
pub(crate) fn mix2(left: u64, right: u64) -> u64 {
    mix(mix(left).wrapping_add(right))
}

/// A text as one number.
pub(crate) fn mix_bytes(seed: u64, bytes: &[u8]) -> u64 {
    let length = bytes.len() as u64;
    bytes.chunks(8).fold(mix2(seed, length), |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix2(hash, u64::from_le_bytes(word))
    })
}
