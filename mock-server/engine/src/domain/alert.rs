//! Domain alerts: raised by scans, acknowledged and resolved by people (C8).

use serde::Serialize;
use uuid::Uuid;

use crate::ids::Kind;
use crate::named::named;
use crate::page::{Page, Paged};
use crate::refusal::Refusal;
use crate::session::Session;
use crate::state::{AlertState, DomainAlert, DomainAlertKind, DomainAlertNo};
use crate::time::Timestamp;
use crate::values::ClientId;
use crate::world::Category;

/// How bad a domain alert is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DomainSeverity {
    /// Credentials of the domain's own people.
    Critical,
    /// Credentials of its customers, and mentions.
    High,
    /// Credentials of third parties.
    Medium,
}

named!(DomainSeverity {
    Critical = "critical",
    High = "high",
    Medium = "medium",
});

/// The states of a domain alert.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DomainAlertStatus {
    /// Nobody looked at it.
    Open,
    /// Somebody did.
    Acknowledged,
    /// It is dealt with.
    Resolved,
}

named!(DomainAlertStatus {
    Open = "open",
    Acknowledged = "acknowledged",
    Resolved = "resolved",
});

/// The domain alert resource.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DomainAlertView {
    /// Its id.
    pub id: Uuid,
    /// The domain's id.
    pub monitored_domain_id: Uuid,
    /// The domain's name when it was raised (C3).
    pub domain: String,
    /// What it is about.
    #[serde(rename = "type")]
    pub kind: DomainAlertKind,
    /// Whose credentials; `employees` for mentions (C8).
    pub category: Category,
    /// How bad it is.
    pub severity: DomainSeverity,
    /// What the scan that raised it found.
    pub new_count: u32,
    /// What the scan before had found.
    pub previous_count: u32,
    /// Its state.
    pub status: DomainAlertStatus,
    /// Always null (C8).
    pub details: Option<()>,
    /// The scan that raised it.
    pub created_at: Timestamp,
    /// When it was acknowledged.
    pub acknowledged_at: Option<Timestamp>,
    /// When it was resolved.
    pub resolved_at: Option<Timestamp>,
}

/// The domain alert resource with its explanation, as the single read has it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DomainAlertDetail {
    /// What the list shows, too.
    #[serde(flatten)]
    pub alert: DomainAlertView,
    /// What it means, in plain language.
    pub explanation: String,
}

/// What acknowledging an alert answers as `alert`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AcknowledgedAlert {
    /// Its id.
    pub id: Uuid,
    /// Always acknowledged.
    pub status: DomainAlertStatus,
    /// When it was, the first time.
    pub acknowledged_at: Timestamp,
}

/// What resolving an alert answers as `alert`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ResolvedDomainAlert {
    /// Its id.
    pub id: Uuid,
    /// Always resolved.
    pub status: DomainAlertStatus,
    /// When it was.
    pub resolved_at: Timestamp,
}

/// Which alerts of a domain are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListDomainAlerts {
    /// The owner.
    pub client: ClientId,
    /// In this state only.
    pub status: Option<DomainAlertStatus>,
    /// Of this kind only.
    pub kind: Option<DomainAlertKind>,
    /// Of this category only.
    pub category: Option<Category>,
    /// This bad only.
    pub severity: Option<DomainSeverity>,
    /// The page.
    pub page: Page,
}

impl ListDomainAlerts {
    fn matches(&self, alert: &DomainAlert) -> bool {
        self.status.is_none_or(|status| status == alert.status())
            && self.kind.is_none_or(|kind| kind == alert.kind)
            && self
                .category
                .is_none_or(|category| category == alert.category)
            && self
                .severity
                .is_none_or(|severity| severity == alert.severity())
    }
}

impl DomainAlert {
    fn status(&self) -> DomainAlertStatus {
        match self.state {
            AlertState::Open => DomainAlertStatus::Open,
            AlertState::Acknowledged { .. } => DomainAlertStatus::Acknowledged,
            AlertState::Resolved { .. } => DomainAlertStatus::Resolved,
        }
    }

    fn severity(&self) -> DomainSeverity {
        match (self.kind, self.category) {
            (DomainAlertKind::DarkWebMention, _) => DomainSeverity::High,
            (DomainAlertKind::CredentialLeak, Category::Employees) => DomainSeverity::Critical,
            (DomainAlertKind::CredentialLeak, Category::Customers) => DomainSeverity::High,
            (DomainAlertKind::CredentialLeak, Category::ThirdParties) => DomainSeverity::Medium,
        }
    }

    fn explanation(&self) -> String {
        let (name, new, previous) = (&self.name, self.new_count, self.previous_count);
        let whose = match (self.kind, self.category) {
            (DomainAlertKind::DarkWebMention, _) => {
                return format!("Mentions of {name} on the dark web: {new}, {previous} before.");
            }
            (_, Category::Employees) => "people who work for",
            (_, Category::Customers) => "customers of",
            (_, Category::ThirdParties) => "third parties connected with",
        };
        format!(
            "Leaked credentials of {whose} {name}: {new}, {previous} before. \
             Have their passwords changed."
        )
    }
}

impl Session<'_> {
    /// `GET /domains/{id}/alerts`: a page, newest first.
    ///
    /// # Errors
    ///
    /// [`Refusal::DomainNotFound`].
    pub fn list_domain_alerts(
        &mut self,
        domain: Uuid,
        request: ListDomainAlerts,
    ) -> Result<Paged<DomainAlertView>, Refusal> {
        let number = self.customers_domain(domain, request.client)?;
        let alerts = self.index.domain_alerts.get(&number);
        let matching = alerts
            .into_iter()
            .flat_map(|alerts| alerts.iter().rev())
            .filter(|alert| request.matches(&self.records.domain_alerts[alert]));
        Ok(Paged::of(matching, request.page).map(|alert| self.domain_alert_view(*alert)))
    }

    /// `GET /domains/{id}/alerts/{alertId}`: one alert.
    ///
    /// # Errors
    ///
    /// [`Refusal::DomainNotFound`], [`Refusal::DomainAlertNotFound`].
    pub fn domain_alert(
        &mut self,
        domain: Uuid,
        alert: Uuid,
        client: ClientId,
    ) -> Result<DomainAlertDetail, Refusal> {
        let number = self.known_domain_alert(domain, alert, client)?;
        Ok(DomainAlertDetail {
            alert: self.domain_alert_view(number),
            explanation: self.records.domain_alerts[&number].explanation(),
        })
    }

    /// Acknowledges an open alert; an acknowledged one stays as it is (C8).
    ///
    /// # Errors
    ///
    /// [`Refusal::DomainNotFound`], [`Refusal::DomainAlertNotFound`],
    /// [`Refusal::UserNotFound`], [`Refusal::AlertAlreadyResolved`].
    pub fn acknowledge_domain_alert(
        &mut self,
        domain: Uuid,
        alert: Uuid,
        client: ClientId,
    ) -> Result<AcknowledgedAlert, Refusal> {
        let number = self.known_domain_alert(domain, alert, client)?;
        self.require_portal_account(client)?;
        let at = match self.records.domain_alerts[&number].state {
            AlertState::Resolved { .. } => return Err(Refusal::AlertAlreadyResolved),
            AlertState::Acknowledged { at } => at,
            AlertState::Open => {
                let at = self.now;
                self.set_alert_state(number, AlertState::Acknowledged { at });
                at
            }
        };
        Ok(AcknowledgedAlert {
            id: alert,
            status: DomainAlertStatus::Acknowledged,
            acknowledged_at: at.into(),
        })
    }

    /// Resolves an acknowledged alert.
    ///
    /// # Errors
    ///
    /// [`Refusal::DomainNotFound`], [`Refusal::DomainAlertNotFound`],
    /// [`Refusal::UserNotFound`]; [`Refusal::AlertNotAcknowledged`] when it is
    /// open, and when it is resolved already (C8).
    pub fn resolve_domain_alert(
        &mut self,
        domain: Uuid,
        alert: Uuid,
        client: ClientId,
    ) -> Result<ResolvedDomainAlert, Refusal> {
        let number = self.known_domain_alert(domain, alert, client)?;
        self.require_portal_account(client)?;
        let AlertState::Acknowledged {
            at: acknowledged_at,
        } = self.records.domain_alerts[&number].state
        else {
            return Err(Refusal::AlertNotAcknowledged);
        };
        let at = self.now;
        let resolved = AlertState::Resolved {
            acknowledged_at,
            at,
        };
        self.set_alert_state(number, resolved);
        Ok(ResolvedDomainAlert {
            id: alert,
            status: DomainAlertStatus::Resolved,
            resolved_at: at.into(),
        })
    }

    fn set_alert_state(&mut self, number: DomainAlertNo, state: AlertState) {
        if let Some(alert) = self.records.domain_alerts.edit(number) {
            alert.state = state;
        }
    }

    fn known_domain_alert(
        &self,
        domain: Uuid,
        alert: Uuid,
        client: ClientId,
    ) -> Result<DomainAlertNo, Refusal> {
        let domain = self.customers_domain(domain, client)?;
        let number = self.ids.number(Kind::DomainAlert, alert);
        number
            .map(DomainAlertNo)
            .filter(|number| {
                let recorded = self.records.domain_alerts.get(number);
                recorded.is_some_and(|alert| alert.domain == domain)
            })
            .ok_or(Refusal::DomainAlertNotFound)
    }

    fn domain_alert_view(&self, number: DomainAlertNo) -> DomainAlertView {
        let alert = &self.records.domain_alerts[&number];
        let (acknowledged_at, resolved_at) = match alert.state {
            AlertState::Open => (None, None),
            AlertState::Acknowledged { at } => (Some(at), None),
            AlertState::Resolved {
                acknowledged_at,
                at,
            } => (Some(acknowledged_at), Some(at)),
        };
        DomainAlertView {
            id: self.ids.uuid(Kind::DomainAlert, number.into()),
            monitored_domain_id: self.ids.uuid(Kind::Domain, alert.domain.into()),
            domain: alert.name.to_string(),
            kind: alert.kind,
            category: alert.category,
            severity: alert.severity(),
            new_count: alert.new_count,
            previous_count: alert.previous_count,
            status: alert.status(),
            details: None,
            created_at: alert.created_at.into(),
            acknowledged_at: acknowledged_at.map(Timestamp),
            resolved_at: resolved_at.map(Timestamp),
        }
    }
}
