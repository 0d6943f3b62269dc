//! What the end of a scan means for port alerts (E3).

use crate::state::{Account, AlertNo, EndpointNo, PortAlert, Resolution};
use crate::time::Instant;
use crate::values::OpenPort;
use crate::world::PortSet;

impl Account {
    /// Resolves what a scan no longer sees, or what is allowed by now.
    pub(crate) fn resolve_unseen(&mut self, endpoint: EndpointNo, ports: &PortSet, at: Instant) {
        let ended =
            |port| ports.binary_search(&port).is_err() || self.is_allowed(endpoint, port, at);
        self.resolve_alerts(self.open_alerts_where(endpoint, ended), at);
    }

    /// Raises an alert for each port that a scan sees, that nothing allows
    /// and that has no open alert yet.
    pub(crate) fn raise_new(&mut self, endpoint: EndpointNo, ports: &PortSet, at: Instant) {
        // Those of one scan count as made by protocol, then port (A18).
        let mut ports = ports.to_vec();
        ports.sort_by_key(|open| (open.protocol, open.port));
        for port in ports {
            let is_raised = self.index.open_alerts.contains_key(&(endpoint, port));
            if !is_raised && !self.is_allowed(endpoint, port, at) {
                let number = self.records.port_alerts.push(PortAlert {
                    endpoint,
                    port,
                    first_detected_at: at,
                    resolution: None,
                });
                self.index_alert(number);
            }
        }
    }

    pub(crate) fn open_alerts_where(
        &self,
        endpoint: EndpointNo,
        ended: impl Fn(OpenPort) -> bool,
    ) -> Vec<AlertNo> {
        let open = self.index.open_alerts_of(endpoint);
        open.filter(|(port, _)| ended(*port))
            .map(|(_, alert)| alert)
            .collect()
    }

    pub(crate) fn resolve_alerts(&mut self, alerts: Vec<AlertNo>, at: Instant) {
        for alert in alerts {
            self.resolve_alert(alert, at);
        }
    }

    pub(crate) fn resolve_alert(&mut self, number: AlertNo, at: Instant) {
        let last_detected_at = self.last_detected_at(&self.records.port_alerts[number]);
        let alert = self.records.port_alerts.edit(number);
        alert.resolution = Some(Resolution {
            at,
            last_detected_at,
        });
        let key = (alert.endpoint, alert.port);
        self.index.open_alerts.remove(&key);
    }

    pub(crate) fn last_detected_at(&self, alert: &PortAlert) -> Instant {
        match (
            alert.resolution,
            &self.records.endpoints[alert.endpoint].found,
        ) {
            (Some(resolution), _) => resolution.last_detected_at,
            (None, Some(found)) => found.at,
            (None, None) => alert.first_detected_at,
        }
    }
}
