//! An ordered set of record numbers that also knows each one's rank, which no
//! set of `std` does: page 4000 of a list costs what page 1 costs.

/// Numbers a chunk; a full chunk in the middle splits in two.
const CHUNK: usize = 512;

/// Numbers in ascending order. Page N costs what page 1 costs but for one
/// look at each chunk's length; both ends are at hand.
#[derive(Clone, Default, Debug)]
pub(crate) struct RankedSet {
    chunks: Vec<Vec<u32>>,
    len: usize,
}

impl RankedSet {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn first(&self) -> Option<u32> {
        self.chunks.first()?.first().copied()
    }

    pub(crate) fn last(&self) -> Option<u32> {
        self.chunks.last()?.last().copied()
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = u32> {
        self.chunks.iter().flatten().copied()
    }

    /// The numbers from this rank on.
    pub(crate) fn skip_to_rank(&self, rank: usize) -> impl Iterator<Item = u32> {
        let mut before = rank;
        let skipped = self
            .chunks
            .iter()
            .take_while(|chunk| {
                let passed = chunk.len() <= before;
                before -= if passed { chunk.len() } else { 0 };
                passed
            })
            .count();
        self.chunks[skipped..]
            .iter()
            .flatten()
            .copied()
            .skip(before)
    }

    /// Adds a number; nothing happens when it is there.
    pub(crate) fn insert(&mut self, number: u32) {
        let place = self.chunk_of(number);
        if place == self.chunks.len() {
            self.append(number);
            return;
        }
        let chunk = &mut self.chunks[place];
        if let Err(position) = chunk.binary_search(&number) {
            chunk.insert(position, number);
            self.len += 1;
            if chunk.len() > CHUNK {
                let upper = chunk.split_off(CHUNK / 2);
                self.chunks.insert(place + 1, upper);
            }
        }
    }

    /// Takes a number out; nothing happens when it is not there.
    pub(crate) fn remove(&mut self, number: u32) {
        let place = self.chunk_of(number);
        let Some(chunk) = self.chunks.get_mut(place) else {
            return;
        };
        if let Ok(position) = chunk.binary_search(&number) {
            chunk.remove(position);
            self.len -= 1;
            if chunk.is_empty() {
                self.chunks.remove(place);
            }
        }
    }

    /// Adds a number above all others, without splitting the last chunk.
    fn append(&mut self, number: u32) {
        match self.chunks.last_mut() {
            Some(chunk) if chunk.len() < CHUNK => chunk.push(number),
            _ => self.chunks.push(vec![number]),
        }
        self.len += 1;
    }

    /// The first chunk that ends at this number or above it.
    fn chunk_of(&self, number: u32) -> usize {
        self.chunks
            .partition_point(|chunk| chunk.last().is_none_or(|last| *last < number))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_holds_and_ranks_like_a_sorted_set(
            steps in prop::collection::vec((any::<bool>(), 0u32..2_000), 0..3_000),
            rank in 0usize..2_200,
        ) {
            let mut ranked = RankedSet::default();
            let mut model = BTreeSet::new();
            for (insert, number) in steps {
                if insert {
                    ranked.insert(number);
                    model.insert(number);
                } else {
                    ranked.remove(number);
                    model.remove(&number);
                }
            }
            prop_assert_eq!(ranked.len(), model.len());
            prop_assert_eq!(ranked.first(), model.first().copied());
            prop_assert_eq!(ranked.last(), model.last().copied());
            prop_assert_eq!(
                ranked.skip_to_rank(rank).collect::<Vec<_>>(),
                model.iter().copied().skip(rank).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn numbers_added_in_order_fill_their_chunks() {
        let mut ranked = RankedSet::default();
        (0..10_000).for_each(|number| ranked.insert(number));
        let (last, full) = ranked.chunks.split_last().expect("chunks");
        assert!(full.iter().all(|chunk| chunk.len() == CHUNK));
        assert_eq!(last.len(), 10_000 % CHUNK);
        assert_eq!(ranked.skip_to_rank(9_999).collect::<Vec<_>>(), [9_999]);
        assert_eq!(ranked.skip_to_rank(10_000).next(), None);
    }

    #[test]
    fn a_chunk_splits_only_when_it_is_overfull() {
        let mut ranked = RankedSet::default();
        (1..CHUNK as u32).for_each(|number| ranked.insert(2 * number));
        ranked.insert(3);
        assert_eq!(ranked.chunks.len(), 1);
        ranked.insert(5);
        assert_eq!(ranked.chunks.len(), 2);
    }
}
