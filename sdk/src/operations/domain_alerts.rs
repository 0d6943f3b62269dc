//! Alerts of a domain: list, read, acknowledge, resolve.

use super::declaration::operations;
use crate::model::tolerant::record;
use crate::model::{
    CustomerId, DomainAlert, DomainAlertId, DomainAlertPage, DomainAlertStatus, DomainAlertType,
    DomainId, LeakCategory, Severity, Timestamp,
};
use crate::validate::{at_least_one, between, one_of};

operations! {
    {
        /// `GET /api/v1/domains/{domain_id}/alerts`: a domain's alerts, a page at a time, newest first. Error:
        /// `DOMAIN_NOT_FOUND`.
        list_domain_alerts: ListDomainAlerts -> DomainAlertPage = GET "/api/v1/domains/{domain_id}/alerts",
        DomainMonitoring, Repeatable, Specified, Success;
        required {
            /// The customer.
            billing_customer_id: CustomerId,
            /// The domain.
            domain_id: DomainId,
        }
        optional {
            /// Only alerts in this state.
            status: DomainAlertStatus [one_of(DomainAlertStatus::VARIANTS)],
            /// Only alerts of this type, `type` in the API.
            #[serde(rename = "type")]
            kind: DomainAlertType,
            /// Only alerts about these people.
            category: LeakCategory [one_of(LeakCategory::VARIANTS)],
            /// Only alerts of exactly this severity: critical, high or medium.
            severity: Severity [one_of(&[Severity::Critical, Severity::High, Severity::Medium])],
            /// Alerts per page, 1 to 50.
            per_page: u32 [between(1, 50)],
            /// Number of the page, from 1.
            page: u32 [at_least_one],
        }
        check {
            |request, problems| {
                problems.check("type", request.kind.as_ref(), one_of(DomainAlertType::VARIANTS));
            }
        }
        answer {
            |request, answer, check| check.page("current_page", request.page, answer.current_page)
        }
        accessors { Domains:
            /// A domain's alerts: [`ListDomainAlerts`].
            pages alerts(customer: CustomerId, domain: DomainId);
        }
    }
    {
        /// `GET /api/v1/domains/{domain_id}/alerts/{alert_id}`: one alert with its explanation. Errors: `DOMAIN_NOT_FOUND`,
        /// `ALERT_NOT_FOUND`.
        get_domain_alert: GetDomainAlert -> FoundDomainAlert = GET "/api/v1/domains/{domain_id}/alerts/{alert_id}",
        DomainMonitoring, Repeatable, Specified, Success;
        required {
            /// The customer.
            billing_customer_id: CustomerId,
            /// The domain.
            domain_id: DomainId,
            /// The alert.
            alert_id: DomainAlertId,
        }
        accessors { Domains:
            /// One alert with its explanation: [`GetDomainAlert`].
            call alert(customer: CustomerId, domain: DomainId, alert: DomainAlertId);
        }
    }
    {
        /// `POST /api/v1/domains/{domain_id}/alerts/{alert_id}/acknowledge`: somebody has seen it. Errors:
        /// `DOMAIN_NOT_FOUND`, `ALERT_NOT_FOUND`, `ALERT_ALREADY_RESOLVED`, `USER_NOT_FOUND`.
        acknowledge_domain_alert: AcknowledgeDomainAlert -> DomainAlertTransition =
            POST "/api/v1/domains/{domain_id}/alerts/{alert_id}/acknowledge",
        DomainMonitoring, Once, Specified, Success;
        required {
            /// The customer.
            billing_customer_id: CustomerId,
            /// The domain.
            domain_id: DomainId,
            /// The alert.
            alert_id: DomainAlertId,
        }
        answer {
            |_, answer, check| check.same("alert.status", &DomainAlertStatus::Acknowledged, &answer.alert.status)
        }
        accessors { Domains:
            /// Says that somebody has seen an alert: [`AcknowledgeDomainAlert`].
            call acknowledge(customer: CustomerId, domain: DomainId, alert: DomainAlertId);
        }
    }
    {
        /// `POST /api/v1/domains/{domain_id}/alerts/{alert_id}/resolve`: it is dealt with; it must be acknowledged first.
        /// Errors: `DOMAIN_NOT_FOUND`, `ALERT_NOT_FOUND`, `ALERT_NOT_ACKNOWLEDGED`, `USER_NOT_FOUND`.
        resolve_domain_alert: ResolveDomainAlert -> DomainAlertTransition =
            POST "/api/v1/domains/{domain_id}/alerts/{alert_id}/resolve",
        DomainMonitoring, Once, Specified, Success;
        required {
            /// The customer.
            billing_customer_id: CustomerId,
            /// The domain.
            domain_id: DomainId,
            /// The alert.
            alert_id: DomainAlertId,
        }
        answer {
            |_, answer, check| check.same("alert.status", &DomainAlertStatus::Resolved, &answer.alert.status)
        }
        accessors { Domains:
            /// Says that an alert is dealt with: [`ResolveDomainAlert`].
            call resolve(customer: CustomerId, domain: DomainId, alert: DomainAlertId);
        }
    }
}

record! {
    /// The answer to [`GetDomainAlert`].
    FoundDomainAlert {
        /// The alert, with its explanation.
        alert: DomainAlert,
    }
}

record! {
    /// The answer to a transition of a domain alert.
    DomainAlertTransition {
        /// A sentence for a person.
        message: Option<String>,
        /// What became of the alert.
        alert: DomainAlertState,
    }
}

record! {
    /// A domain alert after a transition.
    DomainAlertState {
        /// The alert.
        id: DomainAlertId,
        /// Its state now.
        status: DomainAlertStatus,
        /// Since when it is acknowledged; after acknowledging.
        #[serde(skip_serializing_if = "Option::is_none")]
        acknowledged_at: Option<Timestamp>,
        /// Since when it is resolved; after resolving.
        #[serde(skip_serializing_if = "Option::is_none")]
        resolved_at: Option<Timestamp>,
    }
}
