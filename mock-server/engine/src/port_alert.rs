//! Port alerts: one for each open port that no active rule covers (E3).

use std::net::IpAddr;

use serde::Serialize;
use uuid::Uuid;

use crate::ids::Kind;
use crate::named::named;
use crate::page::{Page, Paged};
use crate::ports::{Severity, service_name, severity};
use crate::refusal::{Done, Refusal};
use crate::session::Session;
use crate::state::{AlertNo, EndpointNo, EndpointState, PortAlert, Rule, Scope};
use crate::time::{Instant, Timestamp};
use crate::values::ClientId;

const ALREADY_RESOLVED: &str = "The alert is already resolved.";

/// The states of a port alert.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PortAlertStatus {
    /// The port is open and not allowed.
    Open,
    /// It closed, was allowed, or somebody said so.
    Resolved,
}

named!(PortAlertStatus {
    Open = "open",
    Resolved = "resolved",
});

/// A port alert as the endpoint detail shows it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PortAlertSummary {
    /// Its id.
    pub id: Uuid,
    /// The port.
    pub port: u16,
    /// `tcp` or `udp`.
    pub protocol: &'static str,
    /// IANA's name of the service, `unknown` where there is none.
    pub service: &'static str,
    /// How bad it is (E4).
    pub severity: Severity,
    /// The same scale (E4).
    pub risk_level: Severity,
    /// Open or resolved.
    pub status: PortAlertStatus,
    /// One line for people.
    pub title: String,
    /// The scan that raised it.
    pub first_detected_at: Timestamp,
    /// The last scan that saw the port open.
    pub last_detected_at: Timestamp,
}

/// A port alert as the alerts group shows it (E6).
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PortAlertView {
    /// What the endpoint detail shows, too.
    #[serde(flatten)]
    pub summary: PortAlertSummary,
    /// The server.
    pub endpoint_id: Uuid,
    /// The server's address.
    pub ip_address: IpAddr,
    /// When it was resolved.
    pub resolved_at: Option<Timestamp>,
}

/// A port alert as its resolution answers it (E6).
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ResolvedPortAlert {
    /// Its id.
    pub id: Uuid,
    /// Always resolved.
    pub status: PortAlertStatus,
    /// When it was resolved, the first time.
    pub resolved_at: Timestamp,
}

/// Which port alerts are asked for (E6). A filter that names nothing of the
/// customer's matches nothing (A12).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListPortAlerts {
    /// Of this customer.
    pub client: ClientId,
    /// Of this server only.
    pub endpoint: Option<Uuid>,
    /// In this state only.
    pub status: Option<PortAlertStatus>,
    /// This bad only.
    pub severity: Option<Severity>,
    /// The page.
    pub page: Page,
}

impl Session<'_> {
    /// The port alerts of a customer, newest first; those of deleted servers
    /// are hidden (B14).
    pub fn list_port_alerts(&mut self, request: ListPortAlerts) -> Paged<PortAlertView> {
        let alerts = match self.customer(request.client) {
            Some(customer) => self.index.customer(customer).alerts.as_slice(),
            None => &[],
        };
        let endpoint = request.endpoint.map(|id| self.undeleted_endpoint(id).ok());
        let matching = alerts.iter().rev().copied().filter(|number| {
            let alert = &self.records.port_alerts[*number];
            self.is_shown(alert)
                && endpoint.is_none_or(|endpoint| endpoint == Some(alert.endpoint))
                && request.status.is_none_or(|status| status == alert.status())
                && request
                    .severity
                    .is_none_or(|wanted| wanted == severity(alert.port.port.get()))
        });
        Paged::of(matching, request.page).map(|number| self.port_alert_view(number))
    }

    /// One port alert of a customer.
    ///
    /// # Errors
    ///
    /// [`Refusal::PortAlertNotFound`].
    pub fn port_alert(&mut self, alert: Uuid, client: ClientId) -> Result<PortAlertView, Refusal> {
        let number = self.customers_alert(alert, client)?;
        Ok(self.port_alert_view(number))
    }

    /// Resolves a port alert. A port that is still open raises a new one at
    /// the next scan (E6).
    ///
    /// # Errors
    ///
    /// [`Refusal::PortAlertNotFound`].
    pub fn resolve_port_alert(
        &mut self,
        alert: Uuid,
        client: ClientId,
    ) -> Result<Done<ResolvedPortAlert>, Refusal> {
        let number = self.customers_alert(alert, client)?;
        let resolved = |at: Instant| ResolvedPortAlert {
            id: alert,
            status: PortAlertStatus::Resolved,
            resolved_at: at.into(),
        };
        if let Some(resolution) = self.records.port_alerts[number].resolution {
            return Ok(Done::existing(resolved(resolution.at), ALREADY_RESOLVED));
        }
        let now = self.now;
        self.resolve_alert(number, now);
        Ok(Done::changed(resolved(now)))
    }

    fn customers_alert(&self, alert: Uuid, client: ClientId) -> Result<AlertNo, Refusal> {
        self.ids
            .number(Kind::PortAlert, alert)
            .map(AlertNo)
            .filter(|number| {
                self.records.port_alerts.get(*number).is_some_and(|alert| {
                    self.is_shown(alert) && self.owner(alert.endpoint) == client
                })
            })
            .ok_or(Refusal::PortAlertNotFound)
    }

    fn is_shown(&self, alert: &PortAlert) -> bool {
        !matches!(
            self.records.endpoints[alert.endpoint].state,
            EndpointState::Deleted(_)
        )
    }

    /// Resolves the open alerts that a rule covers, at once (E3). Those of
    /// terminated and deleted servers stay (B14).
    pub(crate) fn resolve_covered(&mut self, rule: &Rule) {
        let endpoints: Vec<EndpointNo> = match rule.scope {
            Scope::Endpoint(endpoint) => vec![endpoint],
            Scope::Customer(customer) => {
                let servers = &self.index.customer(customer).endpoints;
                servers.live.iter().map(EndpointNo).collect()
            }
            Scope::Account => self.index.endpoints.live.iter().map(EndpointNo).collect(),
        };
        for endpoint in endpoints {
            self.resolve_covered_by(endpoint, rule);
        }
    }

    /// Resolves the open alerts of a live server that a new rule covers.
    pub(crate) fn resolve_covered_by(&mut self, endpoint: EndpointNo, rule: &Rule) {
        if self.is_live(endpoint) {
            let covered = self.open_alerts_where(endpoint, |port| rule.covers(port));
            let now = self.now;
            self.resolve_alerts(covered, now);
        }
    }

    /// The newest open alerts of a server.
    pub(crate) fn newest_open_alerts(
        &self,
        endpoint: EndpointNo,
        most: usize,
    ) -> Vec<PortAlertSummary> {
        let mut open: Vec<AlertNo> = self
            .index
            .open_alerts_of(endpoint)
            .map(|(_, alert)| alert)
            .collect();
        open.sort_unstable_by(|one, other| other.cmp(one));
        open.truncate(most);
        open.into_iter()
            .map(|number| self.port_alert_summary(number))
            .collect()
    }

    fn port_alert_summary(&self, number: AlertNo) -> PortAlertSummary {
        let alert = &self.records.port_alerts[number];
        let port = alert.port.port.get();
        let protocol = alert.port.protocol.name();
        let service = service_name(alert.port);
        PortAlertSummary {
            id: self.ids.uuid(Kind::PortAlert, number.into()),
            port,
            protocol,
            service,
            severity: severity(port),
            risk_level: severity(port),
            status: alert.status(),
            title: format!("Port {port}/{protocol} ({service}) is open and not allowed"),
            first_detected_at: alert.first_detected_at.into(),
            last_detected_at: self.last_detected_at(alert).into(),
        }
    }

    fn port_alert_view(&self, number: AlertNo) -> PortAlertView {
        let alert = &self.records.port_alerts[number];
        PortAlertView {
            summary: self.port_alert_summary(number),
            endpoint_id: self.ids.uuid(Kind::Endpoint, alert.endpoint.into()),
            ip_address: self.records.endpoints[alert.endpoint].address,
            resolved_at: alert.resolution.map(|resolution| resolution.at.into()),
        }
    }
}

impl PortAlert {
    fn status(&self) -> PortAlertStatus {
        match self.resolution {
            None => PortAlertStatus::Open,
            Some(_) => PortAlertStatus::Resolved,
        }
    }
}
