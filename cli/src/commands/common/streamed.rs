//! Lists that are shown as their pages come.

use crate::context::Context;
use crate::error::CliError;
use crate::ui::Reader;
use crate::ui::outcome::Outcome;
use secmon::{Operation, PagedOperation, Pages};

/// What is shown of a page, and how many items the whole list has.
pub struct Part {
    /// The page's items.
    pub outcome: Outcome,
    /// As the service counts them.
    pub total: Option<u64>,
}

/// Shows pages as long as somebody reads them; how many items were shown. `part` is told how many it may take of a page;
/// `pages` ends with the page that reaches the limit.
pub async fn show<O: PagedOperation>(
    context: &Context,
    mut pages: Pages<O>,
    mut part: impl FnMut(<O as Operation>::Output, usize) -> Part,
) -> Result<usize, CliError> {
    let most = context.screen.limit().unwrap_or(usize::MAX);
    let (mut shown, mut all) = (0, None);
    while let Some(page) = pages.next().await {
        let Part { outcome, total } = part(page?.into_data(), most - shown);
        shown += outcome.table.rows.len();
        all = total.and_then(|total| usize::try_from(total).ok());
        if context.screen.part(outcome)? == Reader::Gone {
            return Ok(shown);
        }
    }
    let more = all.map_or(0, |all| all.saturating_sub(shown));
    context.screen.tell_cut(more);
    Ok(shown)
}
