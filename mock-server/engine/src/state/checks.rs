//! What stored records must be like, and what follows from them.

use std::collections::BTreeSet;
use std::fmt;

use crate::state::account::Account;
use crate::state::records::Scope;
use crate::state::storage::{
    CustomerNo, DomainAlertNo, DomainNo, EndpointNo, Key, RestoreError, RuleNo, Storage,
};
use crate::state::tables::Table;
use crate::world::PortSet;

/// So many records of a kind an account can have had.
const MOST_NUMBERS: u32 = 1 << 31;

impl Account {
    /// No record may have a number that was not given yet, and there must be numbers left to give:
    /// the last one would be given again and again.
    pub(crate) fn check_counters(&self) -> Result<(), RestoreError> {
        let (records, controls) = (&self.records, &self.records.controls);
        let counters = [
            ("keys", controls.keys),
            ("rules", controls.rules),
            ("subscriptions", controls.subscriptions),
            ("domains", controls.domains),
            ("domain_alerts", controls.domain_alerts),
            ("sso_tokens", controls.sso_tokens),
        ];
        if let Some((name, _)) = counters.iter().find(|(_, given)| *given > MOST_NUMBERS) {
            let reason = format!("its counter {name} is above {MOST_NUMBERS}");
            return Err(does_not_fit(Table::Controls, &(), reason));
        }
        check_numbers(Table::Keys, records.keys.keys(), controls.keys)?;
        check_numbers(Table::Rules, records.rules.keys(), controls.rules)?;
        check_numbers(Table::Domains, records.domains.keys(), controls.domains)?;
        let alerts = records.domain_alerts.keys();
        check_numbers(Table::DomainAlerts, alerts, controls.domain_alerts)?;
        check_numbers(
            Table::SsoTokens,
            records.sso_tokens.keys(),
            controls.sso_tokens,
        )
    }

    pub(crate) fn restore_customers(&mut self) -> Result<(), RestoreError> {
        for number in self.records.customers.numbers() {
            let client = self.records.customers[number].client_id;
            if self.customer(client).is_some() {
                let reason = "another record has the same client_id";
                return Err(does_not_fit(Table::Customers, &number, reason));
            }
            self.index.add_customer(number, client);
        }
        Ok(())
    }

    pub(crate) fn restore_endpoints(&mut self) -> Result<(), RestoreError> {
        let mut shared: BTreeSet<PortSet> =
            self.index.scenario_ports.all().iter().cloned().collect();
        for number in self.records.endpoints.numbers() {
            let endpoint = &self.records.endpoints[number];
            let (customer, address) = (endpoint.customer, endpoint.address);
            self.check_customer(Table::Endpoints, number, customer)?;
            if self
                .index
                .by_address(&self.records.endpoints, customer, address)
                .is_some()
            {
                let reason = "another record has the same customer and address";
                return Err(does_not_fit(Table::Endpoints, &number, reason));
            }
            self.share_ports(number, &mut shared);
            self.index_endpoint(number);
        }
        self.records.endpoints.forget_changes();
        Ok(())
    }

    /// Lets equal port sets be one, as they were before they were stored.
    fn share_ports(&mut self, number: EndpointNo, shared: &mut BTreeSet<PortSet>) {
        let Some(found) = &mut self.records.endpoints.edit(number).found else {
            return;
        };
        for ports in std::iter::once(&mut found.ports).chain(&mut found.previous) {
            match shared.get(ports) {
                Some(same) => *ports = same.clone(),
                None => {
                    shared.insert(ports.clone());
                }
            }
        }
    }

    /// What is kept by server must be kept for one that exists.
    pub(crate) fn check_endpoint_keys(&self) -> Result<(), RestoreError> {
        for number in self.records.endpoint_worlds.keys() {
            self.check_endpoint(Table::EndpointWorlds, *number, *number)?;
        }
        for number in self.records.manual_scans.keys() {
            self.check_endpoint(Table::ManualScans, *number, *number)?;
        }
        for (key, number) in self.records.service_links.iter() {
            self.check_endpoint(Table::ServiceLinks, *key, *number)?;
        }
        Ok(())
    }

    pub(crate) fn restore_rules(&mut self) -> Result<(), RestoreError> {
        let scopes: Vec<(RuleNo, Scope)> = self
            .records
            .rules
            .iter()
            .map(|(number, rule)| (*number, rule.scope))
            .collect();
        for (number, scope) in scopes {
            match scope {
                Scope::Account => {}
                Scope::Customer(customer) => {
                    self.check_customer(Table::Rules, number, customer)?;
                }
                Scope::Endpoint(endpoint) => {
                    self.check_endpoint(Table::Rules, number, endpoint)?;
                }
            }
            self.index_rule(number);
        }
        Ok(())
    }

    pub(crate) fn restore_alerts(&mut self) -> Result<(), RestoreError> {
        for number in self.records.port_alerts.numbers() {
            let alert = &self.records.port_alerts[number];
            let key = (alert.endpoint, alert.port);
            let open = alert.resolution.is_none();
            self.check_endpoint(Table::PortAlerts, number, alert.endpoint)?;
            if open && self.index.open_alerts.contains_key(&key) {
                let reason = "another open alert has the same endpoint and port";
                return Err(does_not_fit(Table::PortAlerts, &number, reason));
            }
            self.index_alert(number);
        }
        Ok(())
    }

    fn check_customer(
        &self,
        table: Table,
        key: impl Key,
        customer: CustomerNo,
    ) -> Result<(), RestoreError> {
        match self.records.customers.get(customer) {
            Some(_) => Ok(()),
            None => Err(does_not_fit(table, &key, "its customer does not exist")),
        }
    }

    fn check_endpoint(
        &self,
        table: Table,
        key: impl Key,
        endpoint: EndpointNo,
    ) -> Result<(), RestoreError> {
        match self.records.endpoints.get(endpoint) {
            Some(_) => Ok(()),
            None => Err(does_not_fit(table, &key, "its endpoint does not exist")),
        }
    }

    /// A subscription must be to the product of its key and to a plan on sale.
    pub(crate) fn check_subscriptions(&self) -> Result<(), RestoreError> {
        let catalogue = &self.records.settings.catalogue;
        for (key, subscription) in self.records.subscriptions.iter() {
            if subscription.offer.product() != key.product {
                let reason = "it is to another product";
                return Err(does_not_fit(Table::Subscriptions, key, reason));
            }
            let plan = subscription.offer.plan();
            if plan.is_some_and(|plan| catalogue.servers(&plan).is_none()) {
                let reason = "its plan is not in the catalogue";
                return Err(does_not_fit(Table::Subscriptions, key, reason));
            }
            if self.customer(key.service.client).is_none() {
                let reason = "its customer does not exist";
                return Err(does_not_fit(Table::Subscriptions, key, reason));
            }
        }
        Ok(())
    }

    pub(crate) fn restore_domains(&mut self) -> Result<(), RestoreError> {
        let numbers: Vec<DomainNo> = self.records.domains.keys().copied().collect();
        for number in numbers {
            let domain = &self.records.domains[&number];
            self.check_customer(Table::Domains, number, domain.customer)?;
            if !domain.mentions_match_findings() {
                let reason = "its mentions are not as many as its last scan found";
                return Err(does_not_fit(Table::Domains, &number, reason));
            }
            self.index_domain(number);
        }
        for number in self.records.domain_worlds.keys() {
            self.check_domain(Table::DomainWorlds, *number, *number)?;
        }
        Ok(())
    }

    pub(crate) fn restore_domain_alerts(&mut self) -> Result<(), RestoreError> {
        let alerts: Vec<(DomainAlertNo, DomainNo)> = self
            .records
            .domain_alerts
            .iter()
            .map(|(number, alert)| (*number, alert.domain))
            .collect();
        for (number, domain) in alerts {
            self.check_domain(Table::DomainAlerts, number, domain)?;
            self.index_domain_alert(number, domain);
        }
        Ok(())
    }

    fn check_domain(
        &self,
        table: Table,
        key: impl Key,
        domain: DomainNo,
    ) -> Result<(), RestoreError> {
        match self.records.domains.contains_key(&domain) {
            true => Ok(()),
            false => Err(does_not_fit(table, &key, "its domain does not exist")),
        }
    }
}

fn check_numbers<'a, N: Key + Copy + Into<u32> + 'a>(
    table: Table,
    mut numbers: impl Iterator<Item = &'a N>,
    given: u32,
) -> Result<(), RestoreError> {
    match numbers.find(|number| (**number).into() >= given) {
        None => Ok(()),
        Some(number) => Err(does_not_fit(table, number, "its number was never given")),
    }
}

fn does_not_fit(table: Table, key: &impl Key, reason: impl fmt::Display) -> RestoreError {
    RestoreError(format!(
        "The record {}/{} does not fit: {reason}.",
        table.name(),
        key.text()
    ))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{
        AccountSettings, Call, Client, ClientId, Instant, ProvisionEndpoint, SandboxHeader, Target,
    };

    #[test]
    fn servers_that_a_scenario_gave_their_open_ports_share_one_list_of_them_again() {
        let mut account = Account::new(AccountSettings::new("acme", "portal.acme.test", 7));
        let call = Call {
            now: Instant::parse("2026-01-01T00:00:00+00:00").expect("a timestamp"),
            key: account.add_key("test_key_acme"),
            sandbox: SandboxHeader::Absent,
        };
        for address in ["203.0.113.10", "203.0.113.11"] {
            let request = ProvisionEndpoint {
                client: Client::new(ClientId::new(42).expect("a customer number")),
                target: Target::parse(address).expect("a target"),
                service: None,
            };
            account.at(call).provision(request).expect("provisioned");
        }
        account.advance(call.now.plus(Duration::from_secs(60)));
        let again = Account::import(&account.export().to_string()).expect("exported");
        let lists: Vec<&PortSet> = again
            .records
            .endpoints
            .iter()
            .filter_map(|(_, endpoint)| Some(&endpoint.found.as_ref()?.ports))
            .collect();
        assert_eq!(lists.len(), 2);
        let new = again
            .index
            .scenario_ports
            .of(again.records.controls.scenario);
        for list in lists {
            assert!(std::ptr::eq::<[_]>(&**list, &*new));
        }
    }
}
