//! What the pages of a list that were read so far say together.

use std::collections::HashSet;

use uuid::Uuid;

use crate::page::Page;

/// What is known from the pages that were read.
pub(super) struct Progress<T> {
    pub(super) pages: u32,
    /// Items read, repeats included; `None` when the first page is not the list's first, so that they say nothing about
    /// the whole.
    pub(super) read: Option<u64>,
    /// The same without repeats.
    distinct: u64,
    /// Items that are still wanted.
    pub(super) left: usize,
    ids: HashSet<Uuid>,
    /// The page before: its ids, or its items where they have none.
    ids_of_page: Vec<Uuid>,
    page_before: Vec<T>,
    /// Pages in a row on which nothing was new.
    without_news: u32,
    total: Option<u64>,
    pub(super) has_moved: bool,
    /// Whether the list ended at the page cap.
    pub(super) is_too_long: bool,
    /// Which items of the last page are no repeats.
    pub(super) fresh: Vec<bool>,
}

impl<T: PartialEq + Clone> Progress<T> {
    pub(super) fn new(first_page: u32, max_items: usize) -> Self {
        Self {
            pages: 0,
            read: (first_page == 1).then_some(0),
            distinct: 0,
            left: max_items,
            ids: HashSet::new(),
            ids_of_page: Vec::new(),
            page_before: Vec::new(),
            without_news: 0,
            total: None,
            has_moved: false,
            is_too_long: false,
            fresh: Vec::new(),
        }
    }

    /// How many records a list lacks that is said to have more; nothing where its start or its total is not known.
    pub(super) fn lacks(&self) -> Option<u64> {
        let distinct = self.read.map(|_| self.distinct)?;
        self.total?
            .checked_sub(distinct)
            .filter(|lacking| *lacking > 0)
    }

    /// Takes a page in.
    ///
    /// # Errors
    /// When it shows that the service goes in circles.
    pub(super) fn take<P: Page<Item = T>>(&mut self, page: &P) -> Result<(), &'static str> {
        let items = page.items();
        let ids: Vec<Uuid> = items.iter().filter_map(P::id).collect();
        let has_ids = !items.is_empty() && ids.len() == items.len();
        let is_the_page_before = match has_ids {
            true => ids == self.ids_of_page,
            false => !items.is_empty() && items == self.page_before,
        };
        if is_the_page_before {
            self.has_moved = true;
            return Err("the page before came a second time");
        }
        let is_fresh = |item| P::id(item).is_none_or(|id| self.ids.insert(id));
        self.fresh = items.iter().map(is_fresh).collect();
        let news = self.fresh.iter().filter(|fresh| **fresh).count();
        self.without_news = match news {
            0 if has_ids => self.without_news + 1,
            _ => 0,
        };
        if self.without_news > 1 {
            self.has_moved = true;
            return Err("two pages in a row hold nothing but records of pages before");
        }
        let total = page.position().total;
        let is_another_total = self.pages > 0 && total != self.total;
        self.has_moved |= news < items.len() || is_another_total;
        self.total = total;
        self.pages += 1;
        self.read = self.read.map(|read| read + items.len() as u64);
        self.distinct += news as u64;
        self.left = self.left.saturating_sub(news);
        self.page_before = match has_ids {
            true => Vec::new(),
            false => items.to_vec(),
        };
        self.ids_of_page = ids;
        Ok(())
    }
}
