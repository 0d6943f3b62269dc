//! Lists that are shown as their pages come.

use crate::error::CliError;
use crate::ui::outcome::Outcome;
use crate::ui::{Reader, Ui};
use serde_json::Value;

/// A list that is shown one item a line, as long as somebody reads it and the limit leaves room.
pub struct Stream<'a> {
    screen: &'a Ui,
    most: usize,
    shown: usize,
}

impl<'a> Stream<'a> {
    /// Before its first page.
    pub fn new(screen: &'a Ui) -> Self {
        let most = screen.limit().unwrap_or(usize::MAX);
        let shown = 0;
        Self {
            screen,
            most,
            shown,
        }
    }

    /// Shows what there is room for of a page; whether another page is wanted.
    pub fn show(&mut self, mut page: Outcome) -> Result<Reader, CliError> {
        if let Value::Array(items) = &mut page.result {
            items.truncate(self.room());
            self.shown += items.len();
        }
        let reader = self.screen.part(page)?;
        match self.room() {
            0 => Ok(Reader::Gone),
            _ => Ok(reader),
        }
    }

    /// How many more items it takes.
    pub fn room(&self) -> usize {
        self.most - self.shown
    }

    /// How many items were shown.
    pub fn shown(&self) -> usize {
        self.shown
    }

    /// Says how many of `total` items the limit has kept from the screen.
    pub fn tell_rest(&self, total: Option<u64>) {
        let total = total.and_then(|total| usize::try_from(total).ok());
        if let Some(total) = total.filter(|_| self.room() == 0) {
            self.screen.tell_cut(total.saturating_sub(self.shown));
        }
    }
}
