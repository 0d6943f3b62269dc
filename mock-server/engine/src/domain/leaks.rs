//! Leaked credentials: made up when they are read, never stored (C10).

use std::fmt;

use serde::Serialize;
use uuid::Uuid;

use crate::hash::hash_bytes;
use crate::page::{Page, Paged};
use crate::refusal::Refusal;
use crate::session::Session;
use crate::state::LeakDataset;
use crate::time::{Instant, Timestamp};
use crate::values::ClientId;
use crate::world::Category;

/// Leak records a page.
const PAGE_SIZE: u64 = 50;

const SOURCES: [&str; 4] = ["Collection #1", "Stealer logs", "Forum dump", "Combo list"];

const DAY_MILLIS: u64 = 86_400_000;

/// Which leak records are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListLeaks {
    /// The owner.
    pub client: ClientId,
    /// Of this category only.
    pub category: Option<Category>,
    /// The number of the page, from 1.
    pub page: u64,
}

/// What the credential-leaks read answers.
#[derive(Clone, PartialEq, Debug)]
pub enum LeakAnswer {
    /// A page of records.
    Page(LeakPage),
    /// The dataset does not answer.
    Unreachable(LeakUpstreamFailure),
}

/// A page of leak records.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LeakPage {
    /// Whether there is a dataset.
    pub enabled: bool,
    /// The records.
    pub items: Vec<LeakItem>,
    /// Records in all.
    pub total: u64,
    /// The page as it was asked for.
    pub page: u64,
    /// Records a page.
    pub page_size: u64,
}

/// What is answered when the dataset does not.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LeakUpstreamFailure {
    /// Always true.
    pub enabled: bool,
    /// Always empty.
    pub items: [(); 0],
    /// Always 0.
    pub total: u64,
    /// The page as it was asked for.
    pub page: u64,
    /// Records a page.
    pub page_size: u64,
    /// What is the matter.
    pub error: &'static str,
}

/// A leaked credential. It has no readable `Debug`: it stays out of logs.
#[derive(Clone, PartialEq, Serialize)]
pub struct LeakItem {
    email: String,
    source: &'static str,
    leaked_at: Timestamp,
    category: Category,
}

impl fmt::Debug for LeakItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LeakItem")
    }
}

impl Session<'_> {
    /// `GET /domains/{id}/credential-leaks`: a page of 50.
    ///
    /// # Errors
    ///
    /// [`Refusal::DomainNotFound`].
    pub fn list_leaks(&mut self, domain: Uuid, request: ListLeaks) -> Result<LeakAnswer, Refusal> {
        let number = self.customers_domain(domain, request.client)?;
        let record = &self.records.domains[&number];
        let page = Page::new(request.page, PAGE_SIZE);
        let (enabled, leaks) = match self.records.controls.leak_dataset {
            LeakDataset::Unreachable => return Ok(unreachable(page)),
            LeakDataset::Unconfigured => (false, Paged::of(std::iter::empty(), page)),
            LeakDataset::Configured => {
                let matching = Category::ALL
                    .into_iter()
                    .filter(|category| request.category.is_none_or(|wanted| wanted == *category))
                    .flat_map(|category| {
                        (0..record.found.leaks(category)).map(move |place| (category, place))
                    });
                (true, Paged::of(matching, page))
            }
        };
        let leaks = leaks
            .map(|(category, place)| leak_item(&record.name, record.created_at, category, place));
        Ok(LeakAnswer::Page(LeakPage {
            enabled,
            items: leaks.items,
            total: leaks.total,
            page: page.number.get(),
            page_size: PAGE_SIZE,
        }))
    }
}

fn unreachable(page: Page) -> LeakAnswer {
    LeakAnswer::Unreachable(LeakUpstreamFailure {
        enabled: true,
        items: [],
        total: 0,
        page: page.number.get(),
        page_size: PAGE_SIZE,
        error: "The dataset of leaked credentials is unreachable; try again later.",
    })
}

/// The leak record at this place, the same at every read.
fn leak_item(domain: &str, created_at: Instant, category: Category, place: u32) -> LeakItem {
    let label = category.name();
    let hash = hash_bytes(u64::from(place), format!("{label}@{domain}").as_bytes());
    let email = match category {
        Category::Employees => format!("employee{}@{domain}", place + 1),
        Category::Customers => format!("customer{}@customers.example", place + 1),
        Category::ThirdParties => format!("partner{}@partners.example", place + 1),
    };
    let days_before = (1 + hash % 900).cast_signed();
    let leaked_at = created_at.unix_millis() - days_before * DAY_MILLIS.cast_signed();
    LeakItem {
        email,
        source: SOURCES[(hash >> 32) as usize % SOURCES.len()],
        leaked_at: Instant::from_unix_millis(leaked_at).into(),
        category,
    }
}
