//! Port alerts. The specification names these operations without their shape; all here is assumed (E6).

use http::Method;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{paged, setters};
use crate::envelope::Envelope;
use crate::model::{
    CustomerId, EndpointId, PortAlert, PortAlertId, PortAlertPage, PortAlertStatus, Severity,
    Timestamp,
};
use crate::operation::{Basis, Group, Operation, OperationInfo, RetrySafety};
use crate::{Client, Error, FieldErrors, Pages, Response, validate};

/// `GET /api/v1/alerts` (assumed): a customer's port alerts, a page at a time, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListPortAlerts {
    /// The customer.
    pub billing_customer_id: CustomerId,
    /// Only alerts of this server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint_id: Option<EndpointId>,
    /// Only open ones, or only resolved ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<PortAlertStatus>,
    /// Only alerts of exactly this severity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// Alerts per page, 1 to 100; 25 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_page: Option<u32>,
    /// Number of the page, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
}

impl ListPortAlerts {
    /// The first page of this customer.
    pub fn new(billing_customer_id: CustomerId) -> Self {
        Self {
            billing_customer_id,
            endpoint_id: None,
            status: None,
            severity: None,
            per_page: None,
            page: None,
        }
    }
}

setters!(ListPortAlerts {
    endpoint_id: EndpointId,
    status: PortAlertStatus,
    severity: Severity,
    per_page: u32,
    page: u32,
});
paged!(ListPortAlerts);

impl Operation for ListPortAlerts {
    type Output = PortAlertPage;

    const INFO: &'static OperationInfo = &OperationInfo {
        name: "list_port_alerts",
        group: Group::Alerts,
        method: Method::GET,
        path: "/api/v1/alerts",
        safety: RetrySafety::Repeatable,
        basis: Basis::Assumed,
        envelope: Envelope::Success,
    };

    fn validate(&self, problems: &mut FieldErrors) {
        validate::at_least_one(problems, "per_page", self.per_page);
        validate::at_least_one(problems, "page", self.page);
    }
}

/// `GET /api/v1/alerts/{alert}` (assumed): one port alert. Error: 404.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct GetPortAlert {
    /// The alert.
    #[serde(skip)]
    pub alert_id: PortAlertId,
    /// The customer.
    pub billing_customer_id: CustomerId,
}

/// `POST /api/v1/alerts/{alert}/resolve` (assumed): takes an alert off the list of open ones.
///
/// A port that is still open raises a new alert at the next scan; a rule is what allows it for good. Resolving twice
/// succeeds, with the first time's `resolved_at`. Error: 404.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ResolvePortAlert {
    /// The alert.
    #[serde(skip)]
    pub alert_id: PortAlertId,
    /// The customer.
    pub billing_customer_id: CustomerId,
}

/// One line for each operation on an alert that exists.
macro_rules! on_one_alert {
    ($($request:ident -> $output:ty: $name:literal, $method:ident, $path:literal, $safety:ident;)+) => {$(
        impl $request {
            /// The request for this customer's alert.
            pub fn new(alert_id: PortAlertId, billing_customer_id: CustomerId) -> Self {
                Self { alert_id, billing_customer_id }
            }
        }

        impl Operation for $request {
            type Output = $output;

            const INFO: &'static OperationInfo = &OperationInfo {
                name: $name,
                group: Group::Alerts,
                method: Method::$method,
                path: $path,
                safety: RetrySafety::$safety,
                basis: Basis::Assumed,
                envelope: Envelope::Success,
            };

            fn path_ids(&self) -> Vec<Uuid> {
                vec![self.alert_id.uuid()]
            }
        }
    )+};
}

on_one_alert! {
    GetPortAlert -> FoundPortAlert: "get_port_alert", GET, "/api/v1/alerts/{alert}", Repeatable;
    ResolvePortAlert -> ResolvedPortAlert:
        "resolve_port_alert", POST, "/api/v1/alerts/{alert}/resolve", Once;
}

/// The answer to [`GetPortAlert`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FoundPortAlert {
    /// The alert.
    pub alert: PortAlert,
}

/// The answer to [`ResolvePortAlert`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ResolvedPortAlert {
    /// A sentence for a person.
    #[serde(default)]
    pub message: Option<String>,
    /// What became of the alert.
    pub alert: PortAlertResolution,
}

/// A port alert after it was resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PortAlertResolution {
    /// The alert.
    pub id: PortAlertId,
    /// `resolved`.
    pub status: PortAlertStatus,
    /// Since when.
    #[serde(default)]
    pub resolved_at: Option<Timestamp>,
}

/// Port alerts, from [`Client::port_alerts`].
#[derive(Clone, Copy)]
pub struct PortAlerts<'a>(&'a Client);

impl Client {
    /// Port alerts.
    pub fn port_alerts(&self) -> PortAlerts<'_> {
        PortAlerts(self)
    }
}

impl PortAlerts<'_> {
    /// The pages of a list: [`ListPortAlerts`].
    pub fn list(self, list: ListPortAlerts) -> Pages<ListPortAlerts> {
        self.0.pages(list)
    }

    /// One port alert: [`GetPortAlert`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn get(
        self,
        alert: PortAlertId,
        customer: CustomerId,
    ) -> Result<Response<PortAlert>, Error> {
        let found = self.0.send(GetPortAlert::new(alert, customer)).await?;
        Ok(found.map(|found| found.alert))
    }

    /// Takes an alert off the list of open ones: [`ResolvePortAlert`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn resolve(
        self,
        alert: PortAlertId,
        customer: CustomerId,
    ) -> Result<Response<ResolvedPortAlert>, Error> {
        self.0.send(ResolvePortAlert::new(alert, customer)).await
    }
}
