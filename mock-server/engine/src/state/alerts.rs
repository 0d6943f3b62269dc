//! Alerts in the state, known to the records that they are about.

use crate::state::account::Account;
use crate::state::storage::{AlertNo, DomainAlertNo, DomainNo};

impl Account {
    /// Makes a recorded alert known to its domain.
    pub(crate) fn index_domain_alert(&mut self, number: DomainAlertNo, domain: DomainNo) {
        let alerts = self.index.domain_alerts.entry(domain);
        alerts.or_default().insert(number);
    }

    /// Makes a recorded alert known to its customer and server.
    pub(crate) fn index_alert(&mut self, number: AlertNo) {
        let alert = &self.records.port_alerts[number];
        let (endpoint, port) = (alert.endpoint, alert.port);
        if alert.resolution.is_none() {
            self.index.open_alerts.insert((endpoint, port), number);
        }
        let customer = self.records.endpoints[endpoint].customer;
        self.index.customer_mut(customer).alerts.push(number);
    }
}
