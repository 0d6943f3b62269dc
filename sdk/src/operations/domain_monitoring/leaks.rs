//! Leaked credentials of a domain.

use http::Method;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::known_category;
use crate::envelope::Envelope;
use crate::model::tolerant::null_as_default;
use crate::model::{CustomerId, DomainId, LeakCategory, LeakRecord};
use crate::operation::{Basis, Group, Operation, OperationInfo, RetrySafety};
use crate::operations::{paged, setters};
use crate::page::Page;
use crate::{FieldErrors, validate};

/// `GET /api/v1/domains/{id}/credential-leaks`: leaked credentials of a domain, 50 a page.
///
/// When the data set behind it cannot be reached, the answer (503) is a result without items that says so
/// ([`unavailable`](CredentialLeaks::unavailable)). Error: `DOMAIN_NOT_FOUND`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListCredentialLeaks {
    /// The domain.
    #[serde(skip)]
    pub domain_id: DomainId,
    /// The customer.
    pub billing_customer_id: CustomerId,
    /// Only credentials of these people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<LeakCategory>,
    /// Number of the page, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
}

impl ListCredentialLeaks {
    /// The first page of this customer's domain.
    pub fn new(domain_id: DomainId, billing_customer_id: CustomerId) -> Self {
        Self {
            domain_id,
            billing_customer_id,
            category: None,
            page: None,
        }
    }
}

setters!(ListCredentialLeaks {
    category: LeakCategory,
    page: u32
});
paged!(ListCredentialLeaks);

impl Operation for ListCredentialLeaks {
    type Output = CredentialLeaks;

    const INFO: &'static OperationInfo = info!(
        "list_credential_leaks",
        GET, "/api/v1/domains/{id}/credential-leaks", Repeatable, SuccessOrUnavailable
    );

    fn path_ids(&self) -> Vec<Uuid> {
        vec![self.domain_id.uuid()]
    }

    fn validate(&self, problems: &mut FieldErrors) {
        known_category(problems, self.category.as_ref());
        validate::at_least_one(problems, "page", self.page);
    }
}

/// One page of leaked credentials.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CredentialLeaks {
    /// False when the data set is not configured for the account.
    pub enabled: bool,
    /// The records; as secret as a password.
    #[serde(default, deserialize_with = "null_as_default")]
    pub items: Vec<LeakRecord>,
    /// How many there are in the filtered list.
    #[serde(default, deserialize_with = "null_as_default")]
    pub total: u64,
    /// Number of this page, from 1.
    #[serde(default = "first_page")]
    pub page: u32,
    /// Records per page, 50.
    #[serde(default, deserialize_with = "null_as_default")]
    pub page_size: u64,
    /// Why there are no records, when the data set cannot be reached.
    #[serde(default, alias = "message", skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

fn first_page() -> u32 {
    1
}

impl CredentialLeaks {
    /// The service's sentence when the data set cannot be reached for now; none when the page is complete.
    pub fn unavailable(&self) -> Option<&str> {
        self.error.as_deref()
    }
}

impl Page for CredentialLeaks {
    type Item = LeakRecord;

    fn items(&self) -> &[LeakRecord] {
        &self.items
    }

    fn into_items(self) -> Vec<LeakRecord> {
        self.items
    }

    fn number(&self) -> u32 {
        self.page
    }

    fn is_last(&self) -> bool {
        u64::from(self.page) * self.page_size >= self.total
    }
}
