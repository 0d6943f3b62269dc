//! CRC-32 (the polynomial of IEEE 802.3): finds every flipped bit and every burst to 32 bits.

use super::record::Place;

const POLYNOMIAL: u32 = 0xEDB8_8320;

/// The checksum of a record: where it is and what it says, with a byte between that no text has.
pub(super) fn of(Place { owner, table, key }: &Place, value: &[u8]) -> u32 {
    let names = [owner, table, key].map(|name| name.as_bytes());
    let parts = names.into_iter().flat_map(|name| [name, &[0xFF]]);
    let bytes = parts.chain([value]).flatten();
    !bytes.fold(!0, |sum, byte| {
        let shifted = |sum: u32, _| (sum >> 1) ^ (POLYNOMIAL & (sum & 1).wrapping_neg());
        (0..8).fold(sum ^ u32::from(*byte), shifted)
    })
}
