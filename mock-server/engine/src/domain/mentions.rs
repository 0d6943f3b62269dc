//! Dark-web mentions: numbered runs, of which only what was seen is kept (C9).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::account::Account;
use crate::ids::Kind;
use crate::mix::mix;
use crate::page::{Page, Paged};
use crate::refusal::Refusal;
use crate::session::Session;
use crate::state::storage::DomainNo;
use crate::time::{Instant, Timestamp};
use crate::values::ClientId;

/// The mentions of a domain: runs of numbers, one for each scan that found
/// more than the one before, oldest first.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub(super) struct Mentions {
    runs: Vec<Run>,
    /// Numbers that an unfiltered read has returned.
    seen: BTreeSet<u32>,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
struct Run {
    first: u32,
    count: u32,
    found_at: Instant,
}

impl Run {
    fn numbers(&self) -> impl DoubleEndedIterator<Item = u32> + use<> {
        self.first..self.first.saturating_add(self.count)
    }
}

impl Mentions {
    pub(super) fn count(&self) -> u32 {
        let counts = self.runs.iter().map(|run| run.count);
        counts.fold(0, u32::saturating_add)
    }

    /// Brings the mentions to what a scan found: new ones are numbered from
    /// `first`; when there are fewer, the newest go.
    pub(super) fn settle(&mut self, count: u32, first: u32, at: Instant) {
        let known = self.count();
        if count > known {
            self.runs.push(Run {
                first,
                count: count - known,
                found_at: at,
            });
        }
        let mut surplus = known.saturating_sub(count);
        while surplus > 0
            && let Some(run) = self.runs.last_mut()
        {
            let gone = surplus.min(run.count);
            run.count -= gone;
            surplus -= gone;
            let end = run.first.saturating_add(run.count);
            self.seen.retain(|number| *number < end);
            if run.count == 0 {
                self.runs.pop();
            }
        }
    }

    /// Newest first, each with the time of the scan that found it.
    fn newest_first(&self) -> impl Iterator<Item = (u32, Instant)> {
        self.runs
            .iter()
            .rev()
            .flat_map(|run| run.numbers().rev().map(|number| (number, run.found_at)))
    }
}

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

const SOURCES: [&str; 4] = [
    "Breach forum",
    "Paste site",
    "Leak marketplace",
    "Chat channel",
];

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
        let source_name = SOURCES[mix(u64::from(number)) as usize % SOURCES.len()];
        MentionView {
            id: self.ids.uuid(Kind::Mention, number),
            title: format!("{domain} mentioned on a {}", source_name.to_lowercase()),
            content_preview: format!("Selling access and records of {domain}, serious offers only"),
            source_name,
            author: format!("user{:04}", mix(u64::from(number)) % 10_000),
            published_at: at.into(),
            is_new,
            created_at: at.into(),
        }
    }
}

impl Account {
    /// Numbers for the mentions by which this count is more than the domain
    /// has, the first of which is given back.
    pub(super) fn give_mentions(&mut self, domain: DomainNo, count: u32) -> u32 {
        let known = self.records.domains[&domain].mentions.count();
        let first = self.records.controls.mentions;
        if count > known {
            self.records.controls.edit().mentions = first.saturating_add(count - known);
        }
        first
    }
}
