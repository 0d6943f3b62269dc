//! Reads of monitored domains: overview, summary, mentions, leaked credentials, scan history.

use std::fmt;

use super::declaration::operations;
use crate::model::tolerant::record;
use crate::model::{
    CustomerId, DomainId, DomainScan, LeakCategory, LeakRecord, MentionPage, MonitoredDomain,
};
use crate::page::{Page, Position};
use crate::validate::{at_least_one, between, one_of};

operations! {
    {
        /// `GET /api/v1/domains`: a customer's domains and slots. A customer without a subscription to domain monitoring
        /// gets a description of the product instead, with `subscribed: false`.
        list_domains: ListDomains -> DomainOverview = GET "/api/v1/domains",
        DomainMonitoring, Repeatable, Specified, Success;
        required {
            /// The customer.
            billing_customer_id: CustomerId,
        }
        answer {
            |_, answer, check| {
                let has_some = answer.subscribed || answer.slots_used.is_some_and(|used| used > 0);
                if has_some && answer.domains.is_none() {
                    check.refuse("domains", "they are missing, of a customer who is subscribed or has slots in use");
                }
            }
        }
        accessors { Domains:
            /// A customer's domains and slots: [`ListDomains`].
            call list(customer: CustomerId);
        }
    }
    {
        /// `GET /api/v1/domains/{domain_id}/summary`: one domain with all that is known of it. Error: `DOMAIN_NOT_FOUND`.
        get_domain_summary: GetDomainSummary -> MonitoredDomain = GET "/api/v1/domains/{domain_id}/summary",
        DomainMonitoring, Repeatable, Specified, Success;
        required {
            /// The customer.
            billing_customer_id: CustomerId,
            /// The domain.
            domain_id: DomainId,
        }
        answer {
            |request, answer, check| check.same("id", &request.domain_id, &answer.id)
        }
        accessors { Domains:
            /// One domain with all that is known of it: [`GetDomainSummary`].
            call summary(customer: CustomerId, domain: DomainId);
        }
    }
    {
        /// `GET /api/v1/domains/{domain_id}/scan-history`: its last 25 scans, newest first. Error: `DOMAIN_NOT_FOUND`.
        get_scan_history: GetScanHistory -> ScanHistory = GET "/api/v1/domains/{domain_id}/scan-history",
        DomainMonitoring, Repeatable, Specified, Success;
        required {
            /// The customer.
            billing_customer_id: CustomerId,
            /// The domain.
            domain_id: DomainId,
        }
        accessors { Domains:
            /// The last 25 scans of a domain: [`GetScanHistory`].
            call scan_history(customer: CustomerId, domain: DomainId);
        }
    }
    {
        /// `GET /api/v1/domains/{domain_id}/dark-web-mentions`: mentions of a domain, a page at a time, newest first.
        /// Error: `DOMAIN_NOT_FOUND`.
        ///
        /// Without `is_new` what is read counts as seen (assumed). So a read whose answer was lost and that was sent again
        /// tells of mentions as seen that nobody saw: after [`may_have_acted_before`](crate::Response::may_have_acted_before)
        /// do not go by their `is_new`, but by their ids.
        list_mentions: ListMentions -> MentionPage = GET "/api/v1/domains/{domain_id}/dark-web-mentions",
        DomainMonitoring, Repeatable, Specified, Success;
        required {
            /// The customer.
            billing_customer_id: CustomerId,
            /// The domain.
            domain_id: DomainId,
        }
        optional {
            /// Only those not seen before, or (false) only those seen. Without it, what is read counts as seen (assumed).
            is_new: bool,
            /// Mentions per page, 1 to 50.
            per_page: u32 [between(1, 50)],
            /// Number of the page, from 1.
            page: u32 [at_least_one],
        }
        answer {
            |request, answer, check| check.page("current_page", request.page, answer.current_page)
        }
        accessors { Domains:
            /// A domain's mentions on the dark web, which count as seen when they were read without
            /// [`is_new`](ListMentions::is_new): [`ListMentions`].
            pages mentions(customer: CustomerId, domain: DomainId);
        }
    }
    {
        /// `GET /api/v1/domains/{domain_id}/credential-leaks`: leaked credentials of a domain, 50 a page.
        ///
        /// When the data set behind it cannot be reached, the answer (503) is a result without items that says so
        /// ([`unavailable`](CredentialLeaks::unavailable)). Error: `DOMAIN_NOT_FOUND`.
        list_credential_leaks: ListCredentialLeaks -> CredentialLeaks = GET "/api/v1/domains/{domain_id}/credential-leaks",
        DomainMonitoring, Repeatable, Specified, SuccessOrUnavailable, secret;
        required {
            /// The customer.
            billing_customer_id: CustomerId,
            /// The domain.
            domain_id: DomainId,
        }
        optional {
            /// Only credentials of these people.
            category: LeakCategory [one_of(LeakCategory::VARIANTS)],
            /// Number of the page, from 1.
            page: u32 [at_least_one],
        }
        answer {
            |request, answer, check| {
                // An outage need not say which page it is none of, and then it is the first.
                if answer.unavailable().is_none() || answer.page > 1 {
                    check.page("page", request.page, answer.page);
                }
            }
        }
        accessors { Domains:
            /// A domain's leaked credentials: [`ListCredentialLeaks`].
            pages leaks(customer: CustomerId, domain: DomainId);
        }
    }
}

record! {
    /// A customer's domains.
    DomainOverview {
        /// Whether the customer has a subscription to domain monitoring.
        subscribed: bool,
        /// The domains, oldest first, terminated ones left out; `None` where the answer describes the product instead.
        domains: Option<Vec<MonitoredDomain>>,
        /// Slots in use.
        slots_used: Option<u64>,
        /// Slots there are.
        slots_total: Option<u64>,
        /// Path of the page in the portal where domains are added.
        portal_add_path: Option<String>,
        /// What could be bought, for a customer who is not subscribed (assumed field).
        #[serde(skip_serializing_if = "Option::is_none")]
        product: Option<ProductDescription>,
    }
}

record! {
    /// A product for those who do not have it (assumed).
    ProductDescription {
        /// Its slug.
        slug: Option<String>,
        /// Its name.
        name: Option<String>,
        /// What it does.
        description: Option<String>,
    }
}

record! {
    /// The answer to [`GetScanHistory`].
    ScanHistory {
        /// The last 25 scans, newest first.
        scans: Vec<DomainScan>,
    }
}

record! {
    masked
    /// One page of leaked credentials; `Debug` shows numbers alone.
    CredentialLeaks {
        /// False when the data set is not configured for the account.
        enabled: bool,
        /// The records; as secret as a password.
        items: Vec<LeakRecord>,
        /// How many there are in the filtered list.
        total: Option<u64>,
        /// Number of this page, from 1; 1 where an outage does not tell.
        page: u32,
        /// Records per page, 50.
        page_size: Option<u64>,
        /// Why there are no records, when the data set cannot be reached.
        #[serde(alias = "message", skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    }
}

impl CredentialLeaks {
    /// The service's sentence when the data set cannot be reached for now; `None` when the page is complete.
    pub fn unavailable(&self) -> Option<&str> {
        self.error.as_deref()
    }
}

impl fmt::Debug for CredentialLeaks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CredentialLeaks")
            .field("enabled", &self.enabled)
            .field("items", &self.items.len())
            .field("total", &self.total)
            .field("page", &self.page)
            .field("unavailable", &self.error.is_some())
            .finish_non_exhaustive()
    }
}

impl Page for CredentialLeaks {
    crate::model::paging::items!(items: LeakRecord);

    fn position(&self) -> Position {
        let size = self.page_size.filter(|size| *size > 0);
        let last_page = size.and_then(|size| Some(self.total?.div_ceil(size)));
        Position {
            last_page: last_page.and_then(|page| u32::try_from(page).ok()),
            source_unavailable: self.error.is_some(),
            source_not_configured: !self.enabled,
            ..Position::of(self.page, self.total)
        }
    }
}
