//! Pages of lists (A18).

use std::num::NonZeroU64;

/// Which page of a list is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Page {
    /// From 1.
    pub number: NonZeroU64,
    /// Records a page.
    pub size: NonZeroU64,
}

impl Page {
    /// A page of this number and size, each taken as 1 when 0.
    pub fn new(number: u64, size: u64) -> Self {
        Self {
            number: NonZeroU64::new(number).unwrap_or(NonZeroU64::MIN),
            size: NonZeroU64::new(size).unwrap_or(NonZeroU64::MIN),
        }
    }

    /// How many records stand before this page.
    pub(crate) fn offset(self) -> usize {
        let before = (self.number.get() - 1).saturating_mul(self.size.get());
        usize::try_from(before).unwrap_or(usize::MAX)
    }

    pub(crate) fn limit(self) -> usize {
        usize::try_from(self.size.get()).unwrap_or(usize::MAX)
    }
}

/// One page of a list. A page beyond the end is empty.
#[derive(Clone, PartialEq, Debug)]
pub struct Paged<T> {
    /// The records of the page, in the order of the list.
    pub items: Vec<T>,
    /// Records in the whole list.
    pub total: u64,
    /// The page as it was asked for.
    pub page: Page,
}

impl<T> Paged<T> {
    /// Takes a page out of a list that has to be walked to be counted.
    pub(crate) fn of(list: impl Iterator<Item = T>, page: Page) -> Self {
        let mut total = 0;
        let mut items = Vec::new();
        let wanted = page.offset()..page.offset().saturating_add(page.limit());
        for (place, item) in list.enumerate() {
            total += 1;
            if wanted.contains(&place) {
                items.push(item);
            }
        }
        Self { items, total, page }
    }

    pub(crate) fn map<U>(self, change: impl FnMut(T) -> U) -> Paged<U> {
        Paged {
            items: self.items.into_iter().map(change).collect(),
            total: self.total,
            page: self.page,
        }
    }

    /// The number of the last page, 1 for an empty list.
    pub fn last_page(&self) -> u64 {
        self.total.div_ceil(self.page.size.get()).max(1)
    }

    /// Whether a later page has records.
    pub fn has_more(&self) -> bool {
        self.page.number.get() < self.last_page()
    }
}
