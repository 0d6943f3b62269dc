//! Port alerts. The specification names these operations without their shape; all here is assumed (E6).

use super::declaration::operations;
use crate::model::tolerant::record;
use crate::model::{
    CustomerId, EndpointId, PortAlert, PortAlertId, PortAlertPage, PortAlertStatus, Severity,
    Timestamp,
};
use crate::validate::at_least_one;

operations! {
    {
        /// `GET /api/v1/alerts` (assumed): a customer's port alerts, a page at a time, newest first.
        list_port_alerts: ListPortAlerts -> PortAlertPage = GET "/api/v1/alerts",
        Alerts, Repeatable, Assumed, Success;
        required {
            /// The customer.
            billing_customer_id: CustomerId,
        }
        optional {
            /// Only alerts of this server.
            endpoint_id: EndpointId,
            /// Only open ones, or only resolved ones.
            status: PortAlertStatus,
            /// Only alerts of exactly this severity.
            severity: Severity,
            /// Alerts per page, 1 to 100; 25 unless given.
            per_page: u32 [at_least_one],
            /// Number of the page, from 1.
            page: u32 [at_least_one],
        }
        answer {
            |request, answer, check| check.page("current_page", request.page, answer.current_page)
        }
        accessors { PortAlerts:
            /// A customer's port alerts: [`ListPortAlerts`].
            pages list(customer: CustomerId);
        }
    }
    {
        /// `GET /api/v1/alerts/{alert_id}` (assumed): one port alert. Error: 404.
        get_port_alert: GetPortAlert -> FoundPortAlert = GET "/api/v1/alerts/{alert_id}",
        Alerts, Repeatable, Assumed, Success;
        required {
            /// The customer.
            billing_customer_id: CustomerId,
            /// The alert.
            alert_id: PortAlertId,
        }
        accessors { PortAlerts:
            /// One port alert: [`GetPortAlert`].
            call get(customer: CustomerId, alert: PortAlertId);
        }
    }
    {
        /// `POST /api/v1/alerts/{alert_id}/resolve` (assumed): takes an alert off the list of open ones.
        ///
        /// A port that is still open raises a new alert at the next scan; a rule is what allows it for good. Resolving
        /// twice succeeds, with the first time's `resolved_at`. Error: 404.
        resolve_port_alert: ResolvePortAlert -> ResolvedPortAlert = POST "/api/v1/alerts/{alert_id}/resolve",
        Alerts, Once, Assumed, Success;
        required {
            /// The customer.
            billing_customer_id: CustomerId,
            /// The alert.
            alert_id: PortAlertId,
        }
        answer {
            |_, answer, check| check.same("alert.status", &PortAlertStatus::Resolved, &answer.alert.status)
        }
        accessors { PortAlerts:
            /// Takes an alert off the list of open ones: [`ResolvePortAlert`].
            call resolve(customer: CustomerId, alert: PortAlertId);
        }
    }
}

record! {
    /// The answer to [`GetPortAlert`].
    FoundPortAlert {
        /// The alert.
        alert: PortAlert,
    }
}

record! {
    /// The answer to [`ResolvePortAlert`].
    ResolvedPortAlert {
        /// A sentence for a person.
        message: Option<String>,
        /// What became of the alert.
        alert: PortAlertResolution,
    }
}

record! {
    /// A port alert after it was resolved.
    PortAlertResolution {
        /// The alert.
        id: PortAlertId,
        /// `resolved`.
        status: PortAlertStatus,
        /// Since when.
        resolved_at: Option<Timestamp>,
    }
}
