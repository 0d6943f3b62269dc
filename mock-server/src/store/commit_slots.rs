//! Which of redb's two commit slots counts when a file is opened.
//!
//! Every commit is made in two phases: first its slot is written and synced, then a bit is turned
//! to name that slot. So redb trusts the bit and never falls back to an older commit. But a single
//! wrong bit may be that one: then a commit that was acknowledged lies in the slot that is not
//! named. Only there can a slot be newer than the named one, or after a crash between the phases,
//! and in both cases it is right to take it when all its pages are good.

/// Where the flags are: after redb's magic number.
pub(super) const FLAGS_AT: usize = 9;

/// The bytes that [`looking_at_both`] needs.
pub(super) const HEADER_BYTES: usize = SLOTS_AT + 2 * SLOT_BYTES;

const SECOND_SLOT_NAMED: u8 = 1;
const TWO_PHASES: u8 = 4;
const SLOTS_AT: usize = 64;
const SLOT_BYTES: usize = 128;
/// Where a slot keeps the number of its transaction.
const TRANSACTION_AT: usize = 104;

/// The flags under which redb looks at both slots and takes the newest whose pages are all good;
/// none where the named slot is the newest anyhow.
pub(super) fn looking_at_both(header: &[u8; HEADER_BYTES]) -> Option<u8> {
    let flags = header[FLAGS_AT];
    let (first, second) = (transaction(header, 0), transaction(header, 1));
    let (named, other) = match flags & SECOND_SLOT_NAMED {
        0 => (first, second),
        _ => (second, first),
    };
    (flags & TWO_PHASES != 0 && other > named).then_some(flags & !TWO_PHASES)
}

fn transaction(header: &[u8; HEADER_BYTES], slot: usize) -> u64 {
    let at = SLOTS_AT + slot * SLOT_BYTES + TRANSACTION_AT;
    let mut number = [0; 8];
    number.copy_from_slice(&header[at..at + 8]);
    u64::from_le_bytes(number)
}
