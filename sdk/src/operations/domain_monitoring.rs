//! Reads of monitored domains, and the transitions of their alerts.

use http::Method;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{paged, setters};
use crate::envelope::Envelope;
use crate::model::tolerant::null_as_default;
use crate::model::{
    CustomerId, DomainAlert, DomainId, DomainScan, LeakCategory, MentionPage, MonitoredDomain,
};
use crate::operation::{Basis, Group, Operation, OperationInfo, RetrySafety};
use crate::{Client, Error, FieldErrors, Pages, Response, validate};

/// The row of an operation of this group.
macro_rules! info {
    ($name:literal, $method:ident, $path:literal, $safety:ident, $envelope:ident) => {
        &OperationInfo {
            name: $name,
            group: Group::DomainMonitoring,
            method: Method::$method,
            path: $path,
            safety: RetrySafety::$safety,
            basis: Basis::Specified,
            envelope: Envelope::$envelope,
        }
    };
}

mod alerts;
mod leaks;

pub use alerts::{
    AcknowledgeDomainAlert, DomainAlertState, DomainAlertTransition, FoundDomainAlert,
    GetDomainAlert, ListDomainAlerts, ResolveDomainAlert,
};
pub use leaks::{CredentialLeaks, ListCredentialLeaks};

/// `GET /api/v1/domains`: a customer's domains and slots. A customer without a subscription to domain monitoring gets
/// a description of the product instead, with `subscribed: false`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ListDomains {
    /// The customer.
    pub billing_customer_id: CustomerId,
}

impl ListDomains {
    /// The domains of this customer.
    pub fn new(billing_customer_id: CustomerId) -> Self {
        Self {
            billing_customer_id,
        }
    }
}

impl Operation for ListDomains {
    type Output = DomainOverview;

    const INFO: &'static OperationInfo =
        info!("list_domains", GET, "/api/v1/domains", Repeatable, Success);
}

/// A customer's domains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DomainOverview {
    /// Whether the customer has a subscription to domain monitoring.
    pub subscribed: bool,
    /// The domains, oldest first, terminated ones left out.
    #[serde(default, deserialize_with = "null_as_default")]
    pub domains: Vec<MonitoredDomain>,
    /// Slots in use.
    #[serde(default)]
    pub slots_used: Option<u64>,
    /// Slots there are.
    #[serde(default)]
    pub slots_total: Option<u64>,
    /// Path of the page in the portal where domains are added.
    #[serde(default)]
    pub portal_add_path: Option<String>,
    /// What could be bought, for a customer who is not subscribed (assumed field).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<ProductDescription>,
}

/// A product for those who do not have it (assumed).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProductDescription {
    /// Its slug.
    #[serde(default)]
    pub slug: Option<String>,
    /// Its name.
    #[serde(default)]
    pub name: Option<String>,
    /// What it does.
    #[serde(default)]
    pub description: Option<String>,
}

/// One line for each read of a domain that takes nothing but the customer.
macro_rules! reads_of_a_domain {
    ($($(#[$about:meta])* $request:ident -> $output:ty: $name:literal, $path:literal;)+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
        pub struct $request {
            /// The domain.
            #[serde(skip)]
            pub domain_id: DomainId,
            /// The customer.
            pub billing_customer_id: CustomerId,
        }

        impl $request {
            /// The request for this customer's domain.
            pub fn new(domain_id: DomainId, billing_customer_id: CustomerId) -> Self {
                Self { domain_id, billing_customer_id }
            }
        }

        impl Operation for $request {
            type Output = $output;

            const INFO: &'static OperationInfo = info!($name, GET, $path, Repeatable, Success);

            fn path_ids(&self) -> Vec<Uuid> {
                vec![self.domain_id.uuid()]
            }
        }
    )+};
}

reads_of_a_domain! {
    /// `GET /api/v1/domains/{id}/summary`: one domain with all that is known of it. Error: `DOMAIN_NOT_FOUND`.
    GetDomainSummary -> MonitoredDomain: "get_domain_summary", "/api/v1/domains/{id}/summary";
    /// `GET /api/v1/domains/{id}/scan-history`: its last 25 scans, newest first. Error: `DOMAIN_NOT_FOUND`.
    GetScanHistory -> ScanHistory: "get_scan_history", "/api/v1/domains/{id}/scan-history";
}

/// The answer to [`GetScanHistory`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ScanHistory {
    /// The last 25 scans, newest first.
    #[serde(default, deserialize_with = "null_as_default")]
    pub scans: Vec<DomainScan>,
}

fn known_category(problems: &mut FieldErrors, category: Option<&LeakCategory>) {
    if matches!(category, Some(LeakCategory::Unknown(_))) {
        problems.add(
            "category",
            "It must be `employees`, `customers` or `third_parties`.",
        );
    }
}

/// `GET /api/v1/domains/{id}/dark-web-mentions`: mentions of a domain, a page at a time, newest first. Error:
/// `DOMAIN_NOT_FOUND`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListMentions {
    /// The domain.
    #[serde(skip)]
    pub domain_id: DomainId,
    /// The customer.
    pub billing_customer_id: CustomerId,
    /// Only those not seen before, or (false) only those seen. Without it, what is read counts as seen (assumed).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_new: Option<bool>,
    /// Mentions per page, 1 to 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_page: Option<u32>,
    /// Number of the page, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
}

impl ListMentions {
    /// The first page of this customer's domain.
    pub fn new(domain_id: DomainId, billing_customer_id: CustomerId) -> Self {
        Self {
            domain_id,
            billing_customer_id,
            is_new: None,
            per_page: None,
            page: None,
        }
    }
}

setters!(ListMentions {
    is_new: bool,
    per_page: u32,
    page: u32
});
paged!(ListMentions);

impl Operation for ListMentions {
    type Output = MentionPage;

    const INFO: &'static OperationInfo = info!(
        "list_mentions",
        GET, "/api/v1/domains/{id}/dark-web-mentions", Repeatable, Success
    );

    fn path_ids(&self) -> Vec<Uuid> {
        vec![self.domain_id.uuid()]
    }

    fn validate(&self, problems: &mut FieldErrors) {
        validate::at_most_fifty(problems, "per_page", self.per_page);
        validate::at_least_one(problems, "page", self.page);
    }
}

/// Reads of monitored domains, from [`Client::domain_monitoring`].
#[derive(Clone, Copy)]
pub struct DomainMonitoring<'a>(&'a Client);

impl Client {
    /// Reads of monitored domains, and the transitions of their alerts.
    pub fn domain_monitoring(&self) -> DomainMonitoring<'_> {
        DomainMonitoring(self)
    }
}

impl DomainMonitoring<'_> {
    /// A customer's domains and slots: [`ListDomains`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn list(self, customer: CustomerId) -> Result<Response<DomainOverview>, Error> {
        self.0.send(ListDomains::new(customer)).await
    }

    /// One domain with all that is known of it: [`GetDomainSummary`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn summary(
        self,
        domain: DomainId,
        customer: CustomerId,
    ) -> Result<Response<MonitoredDomain>, Error> {
        self.0.send(GetDomainSummary::new(domain, customer)).await
    }

    /// The pages of a domain's alerts: [`ListDomainAlerts`].
    pub fn alerts(self, list: ListDomainAlerts) -> Pages<ListDomainAlerts> {
        self.0.pages(list)
    }

    /// One alert with its explanation: [`GetDomainAlert`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn alert(self, alert: GetDomainAlert) -> Result<Response<DomainAlert>, Error> {
        let found = self.0.send(alert).await?;
        Ok(found.map(|found| found.alert))
    }

    /// Somebody has seen an alert: [`AcknowledgeDomainAlert`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn acknowledge(
        self,
        alert: AcknowledgeDomainAlert,
    ) -> Result<Response<DomainAlertTransition>, Error> {
        self.0.send(alert).await
    }

    /// An alert is dealt with: [`ResolveDomainAlert`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn resolve(
        self,
        alert: ResolveDomainAlert,
    ) -> Result<Response<DomainAlertTransition>, Error> {
        self.0.send(alert).await
    }

    /// The pages of a domain's mentions on the dark web: [`ListMentions`].
    pub fn mentions(self, list: ListMentions) -> Pages<ListMentions> {
        self.0.pages(list)
    }

    /// The pages of a domain's leaked credentials: [`ListCredentialLeaks`].
    pub fn leaks(self, list: ListCredentialLeaks) -> Pages<ListCredentialLeaks> {
        self.0.pages(list)
    }

    /// The last 25 scans of a domain: [`GetScanHistory`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn scan_history(
        self,
        domain: DomainId,
        customer: CustomerId,
    ) -> Result<Response<ScanHistory>, Error> {
        self.0.send(GetScanHistory::new(domain, customer)).await
    }
}
