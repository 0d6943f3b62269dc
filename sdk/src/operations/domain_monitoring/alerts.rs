//! Alerts of a domain: list, read, acknowledge, resolve.

use http::Method;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::known_category;
use crate::envelope::Envelope;
use crate::model::{
    CustomerId, DomainAlert, DomainAlertId, DomainAlertPage, DomainAlertStatus, DomainAlertType,
    DomainId, LeakCategory, Severity, Timestamp,
};
use crate::operation::{Basis, Group, Operation, OperationInfo, RetrySafety};
use crate::operations::{paged, setters};
use crate::{FieldErrors, validate};

/// `GET /api/v1/domains/{id}/alerts`: a domain's alerts, a page at a time, newest first. Error: `DOMAIN_NOT_FOUND`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListDomainAlerts {
    /// The domain.
    #[serde(skip)]
    pub domain_id: DomainId,
    /// The customer.
    pub billing_customer_id: CustomerId,
    /// Only alerts in this state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<DomainAlertStatus>,
    /// Only alerts of this type, `type` in the API.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<DomainAlertType>,
    /// Only alerts about these people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<LeakCategory>,
    /// Only alerts of exactly this severity: medium, high or critical.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// Alerts per page, 1 to 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_page: Option<u32>,
    /// Number of the page, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
}

impl ListDomainAlerts {
    /// The first page of this customer's domain.
    pub fn new(domain_id: DomainId, billing_customer_id: CustomerId) -> Self {
        Self {
            domain_id,
            billing_customer_id,
            status: None,
            kind: None,
            category: None,
            severity: None,
            per_page: None,
            page: None,
        }
    }
}

setters!(ListDomainAlerts {
    status: DomainAlertStatus,
    kind: DomainAlertType,
    category: LeakCategory,
    severity: Severity,
    per_page: u32,
    page: u32,
});
paged!(ListDomainAlerts);

impl Operation for ListDomainAlerts {
    type Output = DomainAlertPage;

    const INFO: &'static OperationInfo = info!(
        "list_domain_alerts",
        GET, "/api/v1/domains/{id}/alerts", Repeatable, Success
    );

    fn path_ids(&self) -> Vec<Uuid> {
        vec![self.domain_id.uuid()]
    }

    fn validate(&self, problems: &mut FieldErrors) {
        if matches!(self.status, Some(DomainAlertStatus::Unknown(_))) {
            problems.add("status", "It must be `open`, `acknowledged` or `resolved`.");
        }
        if matches!(self.kind, Some(DomainAlertType::Unknown(_))) {
            problems.add(
                "type",
                "It must be `credential_leak` or `dark_web_mention`.",
            );
        }
        known_category(problems, self.category.as_ref());
        if matches!(self.severity, Some(Severity::Low | Severity::Unknown(_))) {
            problems.add("severity", "It must be `critical`, `high` or `medium`.");
        }
        validate::at_most_fifty(problems, "per_page", self.per_page);
        validate::at_least_one(problems, "page", self.page);
    }
}

/// One line for each operation on an alert that exists.
macro_rules! on_one_alert {
    ($($(#[$about:meta])* $request:ident -> $output:ty: $name:literal, $method:ident, $path:literal, $safety:ident;)+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
        pub struct $request {
            /// The domain.
            #[serde(skip)]
            pub domain_id: DomainId,
            /// The alert.
            #[serde(skip)]
            pub alert_id: DomainAlertId,
            /// The customer.
            pub billing_customer_id: CustomerId,
        }

        impl $request {
            /// The request for an alert of this customer's domain.
            pub fn new(
                domain_id: DomainId,
                alert_id: DomainAlertId,
                billing_customer_id: CustomerId,
            ) -> Self {
                Self { domain_id, alert_id, billing_customer_id }
            }
        }

        impl Operation for $request {
            type Output = $output;

            const INFO: &'static OperationInfo = info!($name, $method, $path, $safety, Success);

            fn path_ids(&self) -> Vec<Uuid> {
                vec![self.domain_id.uuid(), self.alert_id.uuid()]
            }
        }
    )+};
}

on_one_alert! {
    /// `GET /api/v1/domains/{id}/alerts/{alertId}`: one alert with its explanation. Errors: `DOMAIN_NOT_FOUND`,
    /// `ALERT_NOT_FOUND`.
    GetDomainAlert -> FoundDomainAlert:
        "get_domain_alert", GET, "/api/v1/domains/{id}/alerts/{alertId}", Repeatable;
    /// `POST /api/v1/domains/{id}/alerts/{alertId}/acknowledge`: somebody has seen it. Errors: `DOMAIN_NOT_FOUND`,
    /// `ALERT_NOT_FOUND`, `ALERT_ALREADY_RESOLVED`, `USER_NOT_FOUND`.
    AcknowledgeDomainAlert -> DomainAlertTransition:
        "acknowledge_domain_alert", POST, "/api/v1/domains/{id}/alerts/{alertId}/acknowledge", Once;
    /// `POST /api/v1/domains/{id}/alerts/{alertId}/resolve`: it is dealt with; it must be acknowledged first. Errors:
    /// `DOMAIN_NOT_FOUND`, `ALERT_NOT_FOUND`, `ALERT_NOT_ACKNOWLEDGED`, `USER_NOT_FOUND`.
    ResolveDomainAlert -> DomainAlertTransition:
        "resolve_domain_alert", POST, "/api/v1/domains/{id}/alerts/{alertId}/resolve", Once;
}

/// The answer to [`GetDomainAlert`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FoundDomainAlert {
    /// The alert, with its explanation.
    pub alert: DomainAlert,
}

/// The answer to a transition of a domain alert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DomainAlertTransition {
    /// A sentence for a person.
    #[serde(default)]
    pub message: Option<String>,
    /// What became of the alert.
    pub alert: DomainAlertState,
}

/// A domain alert after a transition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DomainAlertState {
    /// The alert.
    pub id: DomainAlertId,
    /// Its state now.
    pub status: DomainAlertStatus,
    /// Since when it is acknowledged; after acknowledging.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged_at: Option<Timestamp>,
    /// Since when it is resolved; after resolving.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<Timestamp>,
}
