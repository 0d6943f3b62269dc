//! Steps on subscriptions, and reports of many.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

use secmon::model::{
    CapacityReport, CapacityReports, CustomerId, ProductSlug, ServiceId, SubscriptionStatus,
};
use secmon::operations::{
    ChangeSubscription, ProvisionSubscription, ServiceReport, SyncServices, UnknownService,
};

use super::super::ops::{Buys, Kind};
use super::super::reference::{Capacity, Entry, Report, Service, Status, Who};
use super::super::words::{address, domain, listed, told};
use super::{Expected, Side, Walk, same};

const SERVERS: ProductSlug = ProductSlug::PortMonitoring;
const DOMAINS: ProductSlug = ProductSlug::DomainMonitoring;

impl Buys {
    fn kind(self) -> Kind {
        match self {
            Self::Starter | Self::Professional => Kind::Servers,
            Self::Slots(_) => Kind::Domains,
        }
    }

    fn plan(self) -> Option<&'static str> {
        match self {
            Self::Starter => Some("starter"),
            Self::Professional => Some("professional"),
            Self::Slots(_) => None,
        }
    }

    /// Servers or slots.
    fn size(self) -> usize {
        match self {
            Self::Starter => 5,
            Self::Professional => 25,
            Self::Slots(slots) => slots,
        }
    }
}

impl Side<'_> {
    fn service(&self, kind: Kind, by: usize) -> (ServiceId, ProductSlug) {
        match kind {
            Kind::Servers => (self.plans[by], SERVERS),
            Kind::Domains => (self.slots[by], DOMAINS),
        }
    }

    fn reported(&self, service: Service) -> (ServiceId, ProductSlug) {
        match service {
            Service::Plan(by) => (self.plans[by], SERVERS),
            Service::Slots(by) => (self.slots[by], DOMAINS),
            Service::Server(name) => (self.hosts[usize::from(name)], ProductSlug::Endpoint),
        }
    }
}

impl Walk<'_> {
    pub(super) async fn buy(&mut self, who: Who, buys: Buys, by: usize) -> &'static str {
        let (account, side, expected) = self.of(who);
        let (service, product) = side.service(buys.kind(), by);
        let request = ProvisionSubscription::new(side.customer.id, service, product);
        let request = match buys.plan() {
            Some(plan) => request.plan_slug(plan),
            None => request.quantity(buys.size() as u32),
        };
        drop(account.client.subscriptions().provision(request).await);
        match buys.kind() {
            Kind::Servers => expected.servers.buy(by, buys.size()),
            Kind::Domains => expected.domains.buy(by, buys.size()),
        }
    }

    pub(super) async fn turn(&mut self, who: Who, kind: Kind, by: usize, to: Status) -> Expected {
        let (account, side, expected) = self.of(who);
        let (service, product) = side.service(kind, by);
        let (customer, subscriptions) = (side.customer.id, account.client.subscriptions());
        let expected = match kind {
            Kind::Servers => expected.servers.turn(by, to),
            Kind::Domains => {
                // Without a subscription it depends on whether a domain was ever added by the service.
                expected.domains.services[by]?;
                expected.domains.turn(by, to)
            }
        };
        match to {
            Status::Active => {
                drop(subscriptions.resume(customer, service, product).await);
            }
            Status::Suspended => {
                drop(subscriptions.suspend(customer, service, product).await);
            }
            Status::Cancelled => {
                drop(subscriptions.terminate(customer, service, product).await);
            }
        }
        Some(expected)
    }

    pub(super) async fn change(
        &mut self,
        who: Who,
        buys: Buys,
        by: usize,
        forced: bool,
    ) -> Expected {
        let (account, side, expected) = self.of(who);
        let (service, product) = side.service(buys.kind(), by);
        let change = ChangeSubscription::new(side.customer.id, service, product);
        let change = match buys.plan() {
            Some(plan) => change.new_plan_slug(plan),
            None => change.new_quantity(buys.size() as u32),
        };
        let change = if forced { change.force(true) } else { change };
        drop(account.client.subscriptions().change(change).await);
        Some(match buys.kind() {
            Kind::Servers => expected.servers.change(by, buys.size(), forced),
            Kind::Domains => expected.domains.change(by, buys.size(), forced),
        })
    }

    /// Everything that is answered counts.
    pub(super) async fn sync(&mut self, entries: &[Entry]) -> Result<(), String> {
        let reports = entries.iter().map(|entry| {
            let side = &self.sides[entry.who as usize];
            let (service_id, product_slug) = side.reported(entry.service);
            let status = match entry.to {
                Status::Active => SubscriptionStatus::Active,
                Status::Suspended => SubscriptionStatus::Suspended,
                Status::Cancelled => SubscriptionStatus::Cancelled,
            };
            ServiceReport::new(side.customer.id, service_id, product_slug, status)
        });
        let reports: Vec<_> = reports.collect();
        let answer = self.account.client.send(SyncServices::new(reports)).await;
        let answer = answer.map_err(|error| error.to_string())?.into_inner();
        let expected = self.expected.sync(entries);
        let unknown = answer.unknown_services.ok_or("no unknown services")?;
        let unknown: BTreeSet<_> = unknown.iter().map(UnknownService::service_id).collect();
        let unrecorded = expected.unknown.iter();
        let unrecorded: BTreeSet<_> = unrecorded
            .map(|(who, service)| Some(self.sides[*who as usize].reported(*service).0))
            .collect();
        let [unknown, unrecorded] =
            [unknown, unrecorded].map(|services| listed(services.into_iter().map(told)));
        same("unknown_services", unknown, unrecorded)?;
        same(
            "changed",
            told(answer.changed),
            told(Some(expected.changed)),
        )?;
        let unchanged = told(Some(expected.unchanged));
        same("unchanged", told(answer.unchanged), unchanged)?;
        let enforced = answer.enforcement.ok_or("no enforcement")?.into_iter();
        let enforced = enforced.map(|(customer, reports)| (customer, shown(&reports)));
        let [enforced, expected] = [enforced.collect(), self.enforcement(&expected)].map(
            |customers: BTreeMap<CustomerId, Vec<Shown>>| {
                let customers = customers.into_iter();
                listed(customers.map(|(id, reports)| format!("{id}: {}", listed(reports))))
            },
        );
        same("enforcement", enforced, expected)
    }

    fn enforcement(&self, report: &Report) -> BTreeMap<CustomerId, Vec<Shown>> {
        let customers = report.enforcement.iter();
        let customers = customers.map(|(who, [servers, domains])| {
            let reports = vec![
                expected(DOMAINS, domains, domain),
                expected(SERVERS, servers, address),
            ];
            (self.sides[*who as usize].customer.id, reports)
        });
        customers.collect()
    }
}

/// A capacity report, servers or domains by what they are called.
#[derive(Debug)]
struct Shown {
    product: ProductSlug,
    capacity: Option<u64>,
    usage: Option<u64>,
    over_quota: Option<bool>,
    newly_paused: Option<Vec<String>>,
    unpaused: Option<Vec<String>>,
}

fn shown(reports: &CapacityReports) -> Vec<Shown> {
    let one = |report: &CapacityReport| Shown {
        product: report.product_type.clone(),
        capacity: report.capacity,
        usage: report.usage,
        over_quota: report.over_quota,
        newly_paused: report.newly_paused.clone(),
        unpaused: report.unpaused.clone(),
    };
    // Reports of further products are the service's own, and in which order they come (F1).
    let known = [DOMAINS, SERVERS].map(|product| {
        let mut reports = reports.iter();
        reports.find(|report| report.product_type == product)
    });
    known.into_iter().flatten().map(one).collect()
}

fn expected(product: ProductSlug, capacity: &Capacity, called: fn(u8) -> String) -> Shown {
    let names = |names: &[u8]| Some(names.iter().copied().map(called).collect());
    Shown {
        product,
        capacity: Some(capacity.capacity as u64),
        usage: Some(capacity.usage as u64),
        over_quota: Some(capacity.usage > capacity.capacity),
        newly_paused: names(&capacity.newly_paused),
        unpaused: names(&capacity.unpaused),
    }
}

impl Display for Shown {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (product, over_quota) = (self.product.as_str(), told(self.over_quota));
        let [capacity, usage] = [self.capacity, self.usage].map(told);
        let [paused, unpaused] =
            [&self.newly_paused, &self.unpaused].map(|names| told(names.as_ref().map(listed)));
        write!(
            f,
            "{product} (capacity {capacity}, usage {usage}, over_quota {over_quota}, newly_paused {paused}, \
             unpaused {unpaused})"
        )
    }
}
