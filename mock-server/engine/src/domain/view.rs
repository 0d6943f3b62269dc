//! Monitored domains as the API shows them: list, summary, scan history.

use serde::Serialize;
use uuid::Uuid;

use crate::catalogue::{Pool, Product};
use crate::ids::Kind;
use crate::refusal::Refusal;
use crate::session::Session;
use crate::state::{Domain, DomainNo, DomainState, PausedBy, SubscriptionStatus};
use crate::time::Timestamp;
use crate::values::ClientId;
use crate::world::{Category, DomainFindings};

/// Where in the portal a customer adds domains.
const PORTAL_ADD_PATH: &str = "/domains";

/// The status of a domain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DomainStatus {
    /// It is watched.
    Active,
    /// It is not watched; nothing is lost.
    Paused,
    /// Its monitoring ended.
    Terminated,
}

impl DomainStatus {
    pub(crate) fn of(state: DomainState) -> Self {
        match state {
            DomainState::Active(_) => Self::Active,
            DomainState::Paused(_) => Self::Paused,
            DomainState::Terminated => Self::Terminated,
        }
    }
}

/// What `GET /domains` answers (C5).
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DomainList {
    /// Whether any domain-monitoring service of the customer is not cancelled.
    pub subscribed: bool,
    /// The customer's domains, oldest first, without terminated ones.
    pub domains: Vec<DomainItem>,
    /// Slots in use.
    pub slots_used: u64,
    /// Slots there are.
    pub slots_total: u64,
    /// Where in the portal domains are added.
    pub portal_add_path: &'static str,
    /// What there is to subscribe to, for a customer who is not subscribed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product: Option<ProductDescription>,
}

/// The product that a customer is not subscribed to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ProductDescription {
    /// Its slug.
    pub slug: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub description: &'static str,
}

/// A domain in the list.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DomainItem {
    /// Its id.
    pub id: Uuid,
    /// Its name.
    pub domain: String,
    /// Its status; platform-paused shows as paused.
    pub status: DomainStatus,
    /// How the last scan ended; `pending` before the first did (C12).
    pub scan_status: &'static str,
    /// When the last scan ended.
    pub last_scan_at: Option<Timestamp>,
    /// Compromised credentials of its own people.
    pub employees_compromised: u32,
    /// Compromised credentials of its customers.
    pub customers_compromised: u32,
    /// Compromised credentials of third parties.
    pub third_parties_compromised: u32,
    /// Dark-web mentions.
    pub dark_web_mentions_count: u32,
    /// Where in the portal it is.
    pub portal_detail_path: String,
    /// Whether the platform paused it for capacity (B7).
    pub quota_paused: bool,
}

/// What the summary of a domain answers.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DomainSummary {
    /// What the list shows, too.
    #[serde(flatten)]
    pub item: DomainItem,
    /// When the dark web was last searched: with every scan.
    pub dark_web_last_scan_at: Option<Timestamp>,
    /// How strong the leaked passwords are; null until there are any (C10).
    pub password_strength: Option<PasswordStrength>,
    /// Slots in use.
    pub slots_used: u64,
    /// Slots there are.
    pub slots_total: u64,
    /// When it was made.
    pub created_at: Timestamp,
}

/// Leaked passwords by strength (C10).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct PasswordStrength {
    /// Easily guessed.
    pub weak: u32,
    /// In between.
    pub medium: u32,
    /// Hard to guess.
    pub strong: u32,
}

impl PasswordStrength {
    /// Half of the leaked passwords are weak, three in ten medium.
    fn of(found: &DomainFindings) -> Option<Self> {
        let total = found.all_leaks();
        let (weak, medium) = (total.div_ceil(2), total * 3 / 10);
        (total > 0).then(|| Self {
            weak,
            medium,
            strong: total - weak - medium,
        })
    }
}

/// A scan in the history of a domain.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DomainScanView {
    /// Its id.
    pub id: Uuid,
    /// `completed` or `failed`.
    pub status: &'static str,
    /// Compromised credentials of its own people.
    pub employees_compromised: u32,
    /// Compromised credentials of its customers.
    pub customers_compromised: u32,
    /// Compromised credentials of third parties.
    pub third_parties_compromised: u32,
    /// When it ended.
    pub created_at: Timestamp,
}

impl Session<'_> {
    /// `GET /domains`: the customer's domains and slots. An unknown customer
    /// is one that is not subscribed (C5).
    pub fn list_domains(&mut self, client: ClientId) -> DomainList {
        let subscribed = self.subscriptions_of(client).any(|subscription| {
            subscription.offer.product() == Product::DomainMonitoring
                && subscription.status != SubscriptionStatus::Cancelled
        });
        let numbers: Vec<u32> = match self.customer(client) {
            Some(customer) => self
                .live_records(customer, Pool::Domains)
                .live
                .iter()
                .collect(),
            None => Vec::new(),
        };
        DomainList {
            subscribed,
            slots_used: numbers.len() as u64,
            slots_total: self.capacity(client, Pool::Domains),
            domains: numbers
                .into_iter()
                .map(|number| self.domain_item(DomainNo(number)))
                .collect(),
            portal_add_path: PORTAL_ADD_PATH,
            product: (!subscribed).then_some(ProductDescription {
                slug: Product::DomainMonitoring.slug(),
                name: "Domain Monitoring",
                description: "Watches domains for leaked credentials and dark-web mentions.",
            }),
        }
    }

    /// `GET /domains/{id}/summary`: one domain, terminated ones too (C6).
    ///
    /// # Errors
    ///
    /// [`Refusal::DomainNotFound`].
    pub fn domain_summary(
        &mut self,
        domain: Uuid,
        client: ClientId,
    ) -> Result<DomainSummary, Refusal> {
        let number = self.customers_domain(domain, client)?;
        let record = &self.records.domains[&number];
        Ok(DomainSummary {
            item: self.domain_item(number),
            dark_web_last_scan_at: record.last_scan.map(|scan| scan.at.into()),
            password_strength: PasswordStrength::of(&record.found),
            slots_used: self.live_records(record.customer, Pool::Domains).usage(),
            slots_total: self.capacity(client, Pool::Domains),
            created_at: record.created_at.into(),
        })
    }

    /// `GET /domains/{id}/scan-history`: the last 25 scans, newest first.
    ///
    /// # Errors
    ///
    /// [`Refusal::DomainNotFound`].
    pub fn domain_scan_history(
        &mut self,
        domain: Uuid,
        client: ClientId,
    ) -> Result<Vec<DomainScanView>, Refusal> {
        let number = self.customers_domain(domain, client)?;
        let history = self.records.domains[&number].history.iter().rev();
        Ok(history
            .map(|past| DomainScanView {
                id: self.ids.uuid(Kind::DomainScan, past.number),
                status: past.scan.outcome.name(),
                employees_compromised: past.found.leaks(Category::Employees),
                customers_compromised: past.found.leaks(Category::Customers),
                third_parties_compromised: past.found.leaks(Category::ThirdParties),
                created_at: past.scan.at.into(),
            })
            .collect())
    }

    fn domain_item(&self, number: DomainNo) -> DomainItem {
        let id = self.ids.uuid(Kind::Domain, number.into());
        let domain: &Domain = &self.records.domains[&number];
        DomainItem {
            id,
            domain: domain.name.to_string(),
            status: DomainStatus::of(domain.state),
            scan_status: match domain.last_scan {
                Some(scan) => scan.outcome.name(),
                None => "pending",
            },
            last_scan_at: domain.last_scan.map(|scan| scan.at.into()),
            employees_compromised: domain.found.leaks(Category::Employees),
            customers_compromised: domain.found.leaks(Category::Customers),
            third_parties_compromised: domain.found.leaks(Category::ThirdParties),
            dark_web_mentions_count: domain.found.mentions(),
            portal_detail_path: format!("/domains/{id}"),
            quota_paused: domain.state == DomainState::Paused(PausedBy::Platform),
        }
    }
}
