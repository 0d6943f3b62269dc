//! Ids, keys and made-up names, all derived from (seed, account, kind, number).
//!
//! A record's id is its number in disguise: the first 32 bits are the number,
//! enciphered; the rest proves that the id was made here. So an id is found
//! without an index, and nothing has to be stored to keep it.

use uuid::Uuid;

use crate::hash::{hash, hash_bytes, hash_pair};

/// What an id names; ids of different kinds never meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Account = 1,
    Key,
    KeyText,
    Endpoint,
    Rule,
    PortAlert,
    Scan,
    Subscription,
    Domain,
    DomainScan,
    DomainAlert,
    Mention,
    SsoToken,
    SsoTokenText,
}

/// The source of every id of one account (M9).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ids {
    base: u64,
}

impl Ids {
    pub(crate) fn new(seed: u64, account: &str) -> Self {
        Self {
            base: hash_bytes(hash(seed), account.as_bytes()),
        }
    }

    /// The id of record `number` of this kind, shaped like a random UUID.
    pub(crate) fn uuid(self, kind: Kind, number: u32) -> Uuid {
        let key = hash_pair(self.base, kind as u64);
        let proof = hash_pair(key, u64::from(number));
        let high = u64::from(encipher(key, number)) << 32 | (proof >> 32);
        let low = hash(proof);
        uuid::Builder::from_random_bytes((u128::from(high) << 64 | u128::from(low)).to_be_bytes())
            .into_uuid()
    }

    /// The number of the record that this id names, if it can be an id of
    /// this kind and account. Whether the record exists is another question.
    pub(crate) fn number(self, kind: Kind, id: Uuid) -> Option<u32> {
        let key = hash_pair(self.base, kind as u64);
        let number = decipher(key, id.as_fields().0);
        (self.uuid(kind, number) == id).then_some(number)
    }

    /// A text of 32 hexadecimal digits that is as good as random.
    pub(crate) fn secret(self, kind: Kind, number: u32) -> String {
        let first = hash_pair(hash_pair(self.base, kind as u64), u64::from(number));
        format!("{first:016x}{:016x}", hash_pair(first, self.base))
    }
}

const ROUNDS: u64 = 4;

/// A Feistel network: turns every number into another one, reversibly.
fn encipher(key: u64, number: u32) -> u32 {
    let (left, right) = (0..ROUNDS).fold(halves(number), |(left, right), round| {
        (right, left ^ round_value(key, round, right))
    });
    join(left, right)
}

fn decipher(key: u64, number: u32) -> u32 {
    let (left, right) = (0..ROUNDS)
        .rev()
        .fold(halves(number), |(left, right), round| {
            (right ^ round_value(key, round, left), left)
        });
    join(left, right)
}

fn halves(number: u32) -> (u16, u16) {
    ((number >> 16) as u16, number as u16)
}

fn join(left: u16, right: u16) -> u32 {
    u32::from(left) << 16 | u32::from(right)
}

fn round_value(key: u64, round: u64, half: u16) -> u16 {
    hash_pair(key ^ round, u64::from(half)) as u16
}

/// The seed of an account whose name `removed` accounts before it had: what they
/// gave out is unknown for good (M3).
pub fn seed_after(seed: u64, removed: u32) -> u64 {
    match removed {
        0 => seed,
        removed => hash_pair(hash(seed), u64::from(removed)),
    }
}

/// A name for the account made as number `number` by a server with this seed,
/// when its maker gave none (M4, M9).
pub fn made_up_name(seed: u64, number: u32) -> String {
    const FIRST: [&str; 8] = [
        "amber", "brisk", "calm", "dusty", "eager", "fleet", "gentle", "hardy",
    ];
    const SECOND: [&str; 8] = [
        "badger", "crane", "dolphin", "egret", "falcon", "gecko", "heron", "ibex",
    ];
    let hash = hash_pair(hash(seed), u64::from(number));
    let pick = |words: [&'static str; 8], shift: u32| words[(hash >> shift) as usize % 8];
    format!("{}-{}-{number}", pick(FIRST, 0), pick(SECOND, 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_leads_back_to_its_number_and_only_for_its_kind_and_account() {
        let ids = Ids::new(7, "acme");
        for number in [0, 1, 2, 65_535, 65_536, u32::MAX] {
            let id = ids.uuid(Kind::Endpoint, number);
            assert_eq!(ids.number(Kind::Endpoint, id), Some(number));
            assert_eq!(ids.number(Kind::Rule, id), None);
            assert_eq!(Ids::new(7, "globex").number(Kind::Endpoint, id), None);
            assert_eq!(Ids::new(8, "acme").number(Kind::Endpoint, id), None);
        }
    }

    #[test]
    fn ids_look_like_random_uuids_and_do_not_repeat() {
        let ids = Ids::new(1, "acme");
        let seen: std::collections::BTreeSet<Uuid> = (0..10_000)
            .map(|number| ids.uuid(Kind::PortAlert, number))
            .collect();
        assert_eq!(seen.len(), 10_000);
        assert!(seen.iter().all(|id| id.get_version_num() == 4));
        assert_eq!(ids.number(Kind::PortAlert, Uuid::nil()), None);
    }

    #[test]
    fn secrets_and_names_depend_on_all_they_are_made_from() {
        let ids = Ids::new(1, "acme");
        let key = ids.secret(Kind::KeyText, 0);
        assert_eq!(key.len(), 32);
        assert_ne!(key, ids.secret(Kind::KeyText, 1));
        assert_ne!(key, Ids::new(2, "acme").secret(Kind::KeyText, 0));
        assert_ne!(made_up_name(1, 0), made_up_name(1, 1));
    }
}
