//! CRC-32 (the polynomial of IEEE 802.3): finds every flipped bit and every burst to 32 bits.

const POLYNOMIAL: u32 = 0xEDB8_8320;

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut value = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 {
                (value >> 1) ^ POLYNOMIAL
            } else {
                value >> 1
            };
            bit += 1;
        }
        table[byte] = value;
        byte += 1;
    }
    table
};

/// The checksum of a record: its key, a byte that occurs in no text, and its value.
pub(super) fn of(key: &str, value: &[u8]) -> u32 {
    const SEPARATOR: u8 = 0xFF;
    let bytes = key.bytes().chain([SEPARATOR]).chain(value.iter().copied());
    !bytes.fold(!0, |sum, byte| {
        (sum >> 8) ^ TABLE[((sum ^ u32::from(byte)) & 0xFF) as usize]
    })
}
