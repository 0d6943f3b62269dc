//! What a page of a list is.

use uuid::Uuid;

/// One page of a list.
pub trait Page {
    /// What the list is made of.
    type Item: Clone + PartialEq + Send;

    /// The items of this page.
    fn items(&self) -> &[Self::Item];

    /// The items of this page, taken out.
    fn into_items(self) -> Vec<Self::Item>;

    /// What the answer says about where this page stands.
    fn position(&self) -> Position;

    /// What tells a record from all others of the list; `None` where records have nothing of the kind.
    fn id(_item: &Self::Item) -> Option<Uuid> {
        None
    }
}

/// What an answer says about where its page stands in the list; `None` for what it does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Number of the page, from 1.
    pub number: u32,
    /// Items in the whole list.
    pub total: Option<u64>,
    /// Items on a full page.
    pub per_page: Option<u32>,
    /// Whether a page follows.
    pub has_more: Option<bool>,
    /// Number of the last page.
    pub last_page: Option<u32>,
    /// Whether there is a link to a next page.
    pub next_link: Option<bool>,
    /// Whether the source behind the list is down, so that the page says nothing about what there is.
    pub source_unavailable: bool,
    /// Whether there is no such source for the account, so that the page says nothing either.
    pub source_not_configured: bool,
}

impl Position {
    /// A page that tells its number, and perhaps how many items there are.
    pub const fn of(number: u32, total: Option<u64>) -> Self {
        Self {
            number,
            total,
            per_page: None,
            has_more: None,
            last_page: None,
            next_link: None,
            source_unavailable: false,
            source_not_configured: false,
        }
    }

    /// Each word of the answer about whether a page follows.
    pub(crate) fn claims(&self) -> impl Iterator<Item = bool> {
        let by_last_page = self.last_page.map(|last| self.number < last);
        [self.has_more, by_last_page, self.next_link]
            .into_iter()
            .flatten()
    }

    /// Whether a page follows, after so many items in all.
    ///
    /// # Errors
    /// When what the answer says about it does not agree.
    pub(crate) fn more(&self, read: u64) -> Result<bool, &'static str> {
        let mut claims = self.claims();
        let Some(first) = claims.next() else {
            return Ok(self.total.is_none_or(|total| read < total));
        };
        match claims.all(|claim| claim == first) {
            true => Ok(first),
            false => Err("the page contradicts itself about whether another page follows"),
        }
    }
}
