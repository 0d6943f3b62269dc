//! What may be paused when a customer's capacity goes: told before somebody agrees to it. Which records no longer fit is
//! for the platform to say, since no read tells how much of the capacity one service brings.

use crate::bulk::preview;
use crate::error::CliError;
use crate::references;
use crate::session::Session;
use crate::session::prompt::{ConfirmationLevel, Prompt};
use crate::values::durations::counted;
use chrono::{DateTime, FixedOffset};
use secmon::model::{CustomerId, DomainStatus, EndpointStatus, Timestamp};
use secmon::operations::{ListDomains, ListEndpoints};
use std::cmp::Reverse;

const SERVERS: &str = "port_monitoring";

/// The product whose capacity is a number of slots.
pub const DOMAINS: &str = "domain_monitoring";

/// How much capacity a customer keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// Nobody can tell beforehand.
    Unknown,
    /// So much, whatever the customer's other services bring.
    AtLeast(u64),
    /// All that is in use: a change to less is refused.
    AllInUse,
}

/// What a customer has of one product.
struct Monitored {
    /// As `server`.
    kind: &'static str,
    capacity: Option<u64>,
    /// All that take up capacity, those among them that somebody has suspended included.
    live: usize,
    /// The active ones, newest first.
    active: Vec<String>,
}

/// A server or a domain, as far as it takes up capacity.
struct CapacityUser {
    name: String,
    made: Option<DateTime<FixedOffset>>,
    active: bool,
    /// The platform has paused it, so it takes up none.
    by_platform: bool,
}

/// The sentence about what a change pauses, where somebody sees it: in a question, or beside a dry run. What cannot be
/// read keeps nobody from being asked.
pub async fn outlook(
    session: &Session,
    prompt: &Prompt,
    danger: ConfirmationLevel,
    customer: CustomerId,
    product: &str,
    kept: Kept,
) -> String {
    if !prompt.shows_preview(danger) {
        return String::new();
    }
    match monitored(session, customer, product).await {
        Ok(Some(monitored)) => format!(" {}", monitored.sentence(customer, kept)),
        Ok(None) => String::new(),
        Err(error) => format!(
            " The servers or domains of customer {customer} cannot be read now ({}); those over the new limit will be paused, newest first.",
            error.message()
        ),
    }
}

/// The names of the active records that take up the capacity of a product, where they can be read.
pub async fn active(session: &Session, customer: CustomerId, product: &str) -> Option<Vec<String>> {
    let monitored = monitored(session, customer, product).await.ok().flatten();
    monitored.map(|monitored| monitored.active)
}

/// Reads what the capacity of a product is for; `None` for a product that brings none, or that is not known.
async fn monitored(
    session: &Session,
    customer: CustomerId,
    product: &str,
) -> Result<Option<Monitored>, CliError> {
    match product {
        SERVERS => servers(session, customer).await.map(Some),
        DOMAINS => domains(session, customer).await.map(Some),
        _ => Ok(None),
    }
}

async fn servers(session: &Session, customer: CustomerId) -> Result<Monitored, CliError> {
    session.ready().await?;
    let list = ListEndpoints::new(customer).per_page(references::PAGE_SIZE);
    let mut pages = session.client()?.pages(list);
    let (mut all, mut capacity) = (Vec::new(), None);
    while let Some(page) = pages.next().await {
        let page = page?.into_inner();
        capacity = page.meta.endpoint_limit;
        all.extend(page.data);
    }
    let servers = all.into_iter().map(|server| CapacityUser {
        made: server.created_at.as_ref().map(Timestamp::date_time),
        active: server.status == EndpointStatus::Active,
        by_platform: server.quota_paused == Some(true),
        name: references::name_of(&server),
    });
    Ok(Monitored::of("server", capacity, servers))
}

async fn domains(session: &Session, customer: CustomerId) -> Result<Monitored, CliError> {
    let overview = session.read(ListDomains::new(customer)).await?;
    let slots = overview.slots_total;
    let domains = references::listed_domains(overview, customer)?;
    let domains = domains.into_iter().map(|domain| CapacityUser {
        made: domain.created_at.as_ref().map(Timestamp::date_time),
        active: domain.status == DomainStatus::Active,
        by_platform: domain.quota_paused == Some(true),
        name: domain.domain,
    });
    Ok(Monitored::of("domain", slots, domains))
}

impl Monitored {
    /// Lists come oldest first; where they tell when a record was made, that decides.
    fn of(
        kind: &'static str,
        capacity: Option<u64>,
        listed: impl DoubleEndedIterator<Item = CapacityUser>,
    ) -> Self {
        let mut records: Vec<CapacityUser> = listed.rev().collect();
        records.sort_by_key(|record| Reverse(record.made));
        let live = records.iter().filter(|record| !record.by_platform).count();
        let active = records.into_iter().filter(|record| record.active);
        Self {
            kind,
            capacity,
            live,
            active: active.map(|record| record.name).collect(),
        }
    }

    fn sentence(&self, customer: CustomerId, kept: Kept) -> String {
        let capacity = match self.capacity {
            Some(limit) if self.kind == "server" => format!(" and a plan limit of {limit}"),
            Some(slots) => format!(" and {}", counted(slots, "slot")),
            None => String::new(),
        };
        let has = format!(
            "Customer {customer} has {}{capacity} now",
            counted(self.active.len(), &format!("active {}", self.kind)),
        );
        let at_most = match kept {
            Kept::AllInUse => {
                return format!("{has}; a limit below what is in use is refused.");
            }
            Kept::AtLeast(kept) => {
                let kept = usize::try_from(kept).unwrap_or(usize::MAX);
                self.live.saturating_sub(kept).min(self.active.len())
            }
            Kept::Unknown => self.active.len(),
        };
        let kinds = match self.kind {
            "server" => "Servers",
            _ => "Domains",
        };
        if at_most == 0 {
            return format!("{has}. No further {} will be paused.", self.kind);
        }
        format!(
            "{has}. {kinds} over the new limit are paused, newest first. At most {at_most} can be affected: {}.",
            preview(&self.active[..at_most], String::clone)
        )
    }
}
