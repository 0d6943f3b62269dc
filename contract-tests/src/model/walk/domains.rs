//! Steps on domains.

use secmon::operations::ProvisionDomain;

use super::super::reference::Who;
use super::super::words::domain;
use super::{Expected, Walk, nth};

impl Walk<'_> {
    pub(super) async fn provision_domain(&mut self, who: Who, name: u8) -> &'static str {
        let (account, side, expected) = self.of(who);
        let request = ProvisionDomain::new(side.customer.id, domain(name), side.slots[0]);
        let made = account.client.domains().provision(request).await.ok();
        let expected = expected.domains.add(name);
        if let Some(made) = made.filter(|_| expected == "201") {
            side.domains.push(made.data.monitored_domain_id);
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
        Some(expected.domains.release(at, by))
    }
}
