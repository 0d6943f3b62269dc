//! `secmon domain mentions`: mentions on the dark web.

use super::named;
use crate::commands::common::streamed::Stream;
use crate::context::Context;
use crate::error::CliError;
use crate::ui::Reader;
use crate::ui::outcome::{Cell, Field, Outcome, shown, wide, with_room};
use clap::Args;
use secmon::model::{CustomerId, Mention};
use secmon::operations::ListMentions;

const MENTION: &[Field<Mention>] = &[
    shown("id").of(|mention| Cell::text(mention.id)),
    with_room("published_at").of(|mention| Cell::time(mention.published_at.as_ref())),
    with_room("source_name").of(|mention| Cell::maybe(mention.source_name.as_ref())),
    shown("title").of(|mention| Cell::maybe(mention.title.as_ref())),
    shown("is_new")
        .of(|mention| Cell::maybe(mention.is_new.map(|new| if new { "new" } else { "seen" }))),
    wide("author").of(|mention| Cell::maybe(mention.author.as_ref())),
    wide("content_preview").of(|mention| Cell::maybe(mention.content_preview.as_ref())),
];

const PAGE_SIZE: u32 = 50;

/// Which mentions.
#[derive(Debug, Args)]
pub struct DomainMentionsArgs {
    /// The domain: name or id
    pub domain: String,
    /// Only mentions nobody has seen yet; listing without this marks them as seen
    #[arg(long)]
    pub new: bool,
}

/// `secmon domain mentions`.
pub async fn run(context: &Context, args: &DomainMentionsArgs) -> Result<Outcome, CliError> {
    let (domain, customer) = named::one(context, &args.domain).await?;
    let mut list = ListMentions::new(customer, domain.id).per_page(PAGE_SIZE);
    list.is_new = args.new.then_some(true);
    let most = context.screen.limit().unwrap_or(usize::MAX);
    let mut pages = context.session.client()?.pages(list).max_items(most);
    let (mut mentions, mut total) = (Vec::new(), None);
    let mut stream = Stream::new(&context.screen);
    while let Some(page) = pages.next().await {
        let page = page?.into_inner();
        total = page.total;
        if !context.screen.streams() {
            mentions.extend(page.mentions);
        } else if stream.show(listed(&page.mentions, customer))? == Reader::Gone {
            break;
        }
    }
    if context.screen.streams() {
        stream.tell_rest(total);
        return Ok(Outcome::silent());
    }
    let mentions = context.screen.cut(mentions, total);
    Ok(listed(&mentions, customer))
}

fn listed(mentions: &[Mention], customer: CustomerId) -> Outcome {
    Outcome::list(mentions, MENTION).of_kind("mention", Some(customer))
}
