//! What `--limit` leaves of a list, and a word of what it leaves out.

use super::Ui;
use crate::values::durations::counted;

impl Ui {
    /// Says how many items a limit has kept from the screen.
    pub fn tell_cut(&self, more: usize) {
        if more > 0 {
            self.note_cut(&format!("{more} more"));
        }
    }

    /// What a limit leaves of the items that were read of a list, and a word of how many it leaves out of the `total`.
    pub fn cut<T>(&self, mut items: Vec<T>, total: Option<u64>) -> Vec<T> {
        let total = total.map_or(items.len(), |total| {
            usize::try_from(total).unwrap_or(usize::MAX)
        });
        items.truncate(self.limit().unwrap_or(usize::MAX));
        self.tell_cut(total.saturating_sub(items.len()));
        items
    }

    /// What a limit, or else `most`, leaves of what stands in the order of time: the latest of it.
    pub fn latest<'a, T>(&self, items: &'a [T], most: usize, what: &str) -> &'a [T] {
        let shown = match (&self.display.sort, self.display.limit) {
            (Some(_), _) => items.len(),
            (None, limit) => limit.unwrap_or(most).min(items.len()),
        };
        let (earlier, latest) = items.split_at(items.len() - shown);
        if !earlier.is_empty() {
            self.note_cut(&counted(earlier.len(), &format!("earlier {what}")));
        }
        latest
    }

    fn note_cut(&self, what: &str) {
        self.note(&format!("{what} not shown: use a larger -L"));
    }
}
