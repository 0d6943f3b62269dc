//! Subscriptions in the state, changed so that capacity is known to have
//! changed.

use crate::catalogue::{Pool, Product};
use crate::state::account::Account;
use crate::state::records::{ServiceKey, Subscription, SubscriptionKey};
use crate::values::{ClientId, ServiceId};

impl Account {
    /// Changes a subscription, and with it what its customer may have. There is
    /// no other way to change one.
    pub(crate) fn amend_subscription(
        &mut self,
        key: SubscriptionKey,
        change: impl FnOnce(&mut Subscription),
    ) {
        if let Some(subscription) = self.records.subscriptions.edit(key) {
            change(subscription);
        }
        self.mark_capacity_changed(key);
    }

    /// Lets the end of the call reconcile what this subscription adds to.
    pub(crate) fn mark_capacity_changed(&mut self, key: SubscriptionKey) {
        let pool = Pool::of(key.product);
        let changed = pool.map(|pool| (key.service.client, pool));
        self.index.changed_capacities.extend(changed);
    }

    /// The subscriptions of a customer, cancelled ones too.
    pub(crate) fn subscriptions_of(&self, client: ClientId) -> impl Iterator<Item = &Subscription> {
        let first = SubscriptionKey {
            service: ServiceKey {
                client,
                service: ServiceId::FIRST,
            },
            product: Product::ALL[0],
        };
        self.records
            .subscriptions
            .range(first..)
            .take_while(move |(key, _)| key.service.client == client)
            .map(|(_, subscription)| subscription)
    }
}
