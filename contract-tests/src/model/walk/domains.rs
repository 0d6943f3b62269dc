//! Steps on domains.

use secmon::model::DomainAlert;
use secmon::operations::{ListDomainAlerts, ProvisionDomain};
use serde_json::json;

use super::super::reference::{AlertState, Who};
use super::{Expected, Walk, domain, nth, view};

impl Walk<'_> {
    pub(super) async fn provision_domain(&mut self, who: Who, name: u8) -> &'static str {
        let (account, side, expected) = self.of(who);
        let request = ProvisionDomain::new(side.customer.id, domain(name), side.slots[0]);
        let made = account.client.domains().provision(request).await.ok();
        let expected = expected.domains.add(name);
        if let Some(made) = made.filter(|_| expected == "201") {
            side.domains.push(made.data.monitored_domain_id);
            side.alerts.push(Vec::new());
        }
        expected
    }

    pub(super) async fn rename(&mut self, who: Who, at: usize, name: u8) -> Expected {
        let (account, side, expected) = self.of(who);
        let (at, id) = nth(&side.domains, at)?;
        drop(account.client.domains().update(id, domain(name)).await);
        Some(expected.domains.rename(at, name))
    }

    pub(super) async fn release(&mut self, who: Who, at: usize, by: usize) -> Expected {
        let (account, side, expected) = self.of(who);
        let (at, id) = nth(&side.domains, at)?;
        expected.domains.services[by]?;
        drop(
            account
                .client
                .domains()
                .release(side.customer.id, side.slots[by], id)
                .await,
        );
        Some(expected.release(at, by))
    }

    pub(super) async fn scan_domain(
        &mut self,
        who: Who,
        at: usize,
        counts: [u64; 4],
    ) -> Result<(), String> {
        let (account, side, expected) = self.of(who);
        let Some((_, at)) = nth(&expected.domains.active(), at) else {
            return Ok(());
        };
        let id = side.domains[at];
        let [employees, customers, third_parties, mentions] = counts;
        let findings = json!({"employees": employees, "customers": customers,
            "third_parties": third_parties, "mentions": mentions});
        account.findings(id, findings).await;
        account.scan_domain(id).await;
        expected.domains.scan(at, counts);
        self.learn_alerts(who, at).await;
        self.compare_alerts_of(who, at).await
    }

    /// Notes which alert is which: those of one scan differ in what they are about.
    async fn learn_alerts(&mut self, who: Who, at: usize) {
        let listed = self.alerts_of(who, at).await;
        let known = &mut self.sides[who as usize].alerts[at];
        let mut new: Vec<&DomainAlert> = listed.iter().collect();
        new.retain(|alert| !known.contains(&alert.id));
        new.sort_by_key(|alert| view::about(alert));
        known.extend(new.iter().map(|alert| alert.id));
    }

    pub(super) async fn alerts_of(&self, who: Who, at: usize) -> Vec<DomainAlert> {
        let side = &self.sides[who as usize];
        let list = ListDomainAlerts::new(side.customer.id, side.domains[at]);
        let alerts = self.account.client.pages(list).collect_all().await;
        alerts.expect("a list of alerts")
    }

    pub(super) async fn move_alert(&mut self, who: Who, alert: usize, to: AlertState) -> Expected {
        let (account, side, expected) = self.of(who);
        let alerts = side.alerts.iter().enumerate().flat_map(|(at, alerts)| {
            let alerts = alerts.iter().enumerate();
            alerts.map(move |(which, id)| (at, which, *id))
        });
        let (_, (at, which, alert)) = nth(&alerts.collect::<Vec<_>>(), alert)?;
        let id = side.domains[at];
        let (customer, reads) = (side.customer.id, account.client.domains());
        match to {
            AlertState::Resolved => {
                drop(reads.resolve(customer, id, alert).await);
            }
            _ => {
                drop(reads.acknowledge(customer, id, alert).await);
            }
        }
        Some(expected.domains.move_alert(at, which, to))
    }
}
