//! Dark-web mentions: numbered runs, of which only what was seen is kept (C9).

use serde::Serialize;
use uuid::Uuid;

use crate::hash::hash;
use crate::ids::Kind;
use crate::page::{Page, Paged};
use crate::refusal::Refusal;
use crate::session::Session;
use crate::state::DomainNo;
use crate::time::{Instant, Timestamp};
use crate::values::ClientId;

const SOURCES: [&str; 4] = [
    "Breach forum",
    "Paste site",
    "Leak marketplace",
    "Chat channel",
];

/// Which mentions are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListMentions {
    /// The owner.
    pub client: ClientId,
    /// Only unseen ones, only seen ones, or all, which marks them as seen.
    pub is_new: Option<bool>,
    /// The page.
    pub page: Page,
}

/// A dark-web mention.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MentionView {
    /// Its id.
    pub id: Uuid,
    /// A headline.
    pub title: String,
    /// How it begins.
    pub content_preview: String,
    /// Where it was found.
    pub source_name: &'static str,
    /// Who wrote it.
    pub author: String,
    /// When it was written.
    pub published_at: Timestamp,
    /// Whether no unfiltered read has returned it before.
    pub is_new: bool,
    /// The scan that found it.
    pub created_at: Timestamp,
}

impl Session<'_> {
    /// `GET /domains/{id}/dark-web-mentions`: a page, newest first. A read
    /// without `is_new` marks what it returns as seen (C9).
    ///
    /// # Errors
    ///
    /// [`Refusal::DomainNotFound`].
    pub fn list_mentions(
        &mut self,
        domain: Uuid,
        request: ListMentions,
    ) -> Result<Paged<MentionView>, Refusal> {
        let number = self.customers_domain(domain, request.client)?;
        let record = &self.records.domains[&number];
        let mentions = &record.mentions;
        let matching = mentions
            .newest_first()
            .map(|(mention, at)| (mention, at, !mentions.seen.contains(&mention)))
            .filter(|(_, _, new)| request.is_new.is_none_or(|wanted| wanted == *new));
        let page = Paged::of(matching, request.page);
        let name = record.name.clone();
        if request.is_new.is_none() {
            self.mark_seen(number, page.items.iter().map(|(mention, _, _)| *mention));
        }
        Ok(page.map(|(mention, at, is_new)| self.mention_view(&name, mention, at, is_new)))
    }

    fn mark_seen(&mut self, number: DomainNo, mentions: impl Iterator<Item = u32>) {
        let seen = &self.records.domains[&number].mentions.seen;
        let new: Vec<u32> = mentions.filter(|mention| !seen.contains(mention)).collect();
        if !new.is_empty()
            && let Some(domain) = self.records.domains.edit(number)
        {
            domain.mentions.seen.extend(new);
        }
    }

    fn mention_view(&self, domain: &str, number: u32, at: Instant, is_new: bool) -> MentionView {
        let source_name = SOURCES[hash(u64::from(number)) as usize % SOURCES.len()];
        MentionView {
            id: self.ids.uuid(Kind::Mention, number),
            title: format!("{domain} mentioned on a {}", source_name.to_lowercase()),
            content_preview: format!("Selling access and records of {domain}, serious offers only"),
            source_name,
            author: format!("user{:04}", hash(u64::from(number)) % 10_000),
            published_at: at.into(),
            is_new,
            created_at: at.into(),
        }
    }
}
