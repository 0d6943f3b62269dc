//! `secmon domain mentions`: mentions on the dark web.

use super::named;
use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::{Cell, Column, Outcome, shown, wide, with_room};
use secmon::model::Mention;
use secmon::operations::ListMentions;

const MENTION: &[Column] = &[
    shown("id"),
    with_room("published_at"),
    with_room("source_name"),
    shown("title"),
    shown("is_new"),
    wide("author"),
    wide("content_preview"),
];

const PAGE_SIZE: u32 = 50;

/// `secmon domain mentions`.
pub async fn run(context: &Context, name: &str, only_new: bool) -> Result<Outcome, CliError> {
    let (domain, customer) = named::one(context, name).await?;
    let mut list = ListMentions::new(customer, domain.id).per_page(PAGE_SIZE);
    list.is_new = only_new.then_some(true);
    let most = context.screen.limit().unwrap_or(usize::MAX);
    let mut pages = context.session.client()?.pages(list).max_items(most);
    let (mut mentions, mut total) = (Vec::new(), None);
    while let Some(page) = pages.next().await {
        let page = page?.into_data();
        total = page.total;
        mentions.extend(page.mentions);
    }
    let mentions = context.screen.cut(mentions, total);
    Ok(Outcome::list(&mentions, MENTION, mention))
}

fn mention(mention: &Mention) -> Vec<Cell> {
    vec![
        Cell::text(mention.id),
        Cell::time(mention.published_at.as_ref()),
        Cell::maybe(mention.source_name.as_ref()),
        Cell::maybe(mention.title.as_ref()),
        Cell::maybe(mention.is_new.map(|new| if new { "new" } else { "seen" })),
        Cell::maybe(mention.author.as_ref()),
        Cell::maybe(mention.content_preview.as_ref()),
    ]
}
