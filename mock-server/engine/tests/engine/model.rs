//! A model of the states of servers, domains and subscriptions that recomputes
//! everything from scratch and knows no index.

use secmon_engine::{CapacityReport, DowngradeCheck, Product, SubscriptionStatus};
use uuid::Uuid;

use crate::steps::{ACCOUNT_LIMIT, BillingStep, CUSTOMER_LIMIT, DomainStep, ServerStep};

use SubscriptionStatus::{Active, Cancelled, Suspended};

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum State {
    Active,
    Hand,
    Platform,
    Terminated,
    Gone,
}

impl State {
    pub fn is_live(self) -> bool {
        matches!(self, Self::Active | Self::Hand | Self::Platform)
    }
}

#[derive(Clone, Debug)]
pub struct Item {
    pub customer: u8,
    pub id: Uuid,
    name: String,
    pub state: State,
}

#[derive(Clone, Debug)]
struct Service {
    customer: u8,
    number: u8,
    product: Product,
    holds: u64,
    status: SubscriptionStatus,
}

#[derive(Clone, Default, Debug)]
pub struct Model {
    pub servers: Vec<Item>,
    pub domains: Vec<Item>,
    services: Vec<Service>,
    pub links: Vec<(u8, u8, String)>,
}

/// What the model expects an answer to begin with; nothing where it has no
/// opinion.
pub type Expected = Option<String>;

pub fn ok() -> Expected {
    Some("Ok(".to_owned())
}

fn refused(name: &str) -> Expected {
    Some(format!("Err({name}"))
}

impl Model {
    fn items(&mut self, product: Product) -> &mut Vec<Item> {
        match product {
            Product::DomainMonitoring => &mut self.domains,
            _ => &mut self.servers,
        }
    }

    fn all(&self, product: Product) -> &[Item] {
        match product {
            Product::DomainMonitoring => &self.domains,
            _ => &self.servers,
        }
    }

    pub fn capacity(&self, customer: u8, product: Product) -> u64 {
        let services = self
            .services
            .iter()
            .filter(|one| one.customer == customer && one.product == product);
        if product == Product::PortMonitoring && services.clone().count() == 0 {
            return CUSTOMER_LIMIT;
        }
        let active = services.filter(|one| one.status == Active);
        active.map(|one| one.holds).sum()
    }

    pub fn count(&self, customer: u8, product: Product, states: &[State]) -> u64 {
        let counted = self
            .all(product)
            .iter()
            .filter(|item| item.customer == customer && states.contains(&item.state));
        counted.count() as u64
    }

    pub fn usage(&self, customer: u8, product: Product) -> u64 {
        let live = [State::Active, State::Hand, State::Platform];
        self.count(customer, product, &live)
    }

    fn running(&self, customer: u8, product: Product) -> u64 {
        self.count(customer, product, &[State::Active, State::Hand])
    }

    /// B7, word by word.
    fn reconcile(&mut self, customer: u8, product: Product) {
        loop {
            let running = self.running(customer, product);
            let capacity = self.capacity(customer, product);
            let items = self.items(product);
            let of = |state: State| {
                move |item: &&mut Item| item.customer == customer && item.state == state
            };
            let newest = items.iter_mut().rev().find(of(State::Active));
            if running > capacity
                && let Some(newest) = newest
            {
                newest.state = State::Platform;
                continue;
            }
            let oldest = items.iter_mut().find(of(State::Platform));
            if running < capacity
                && let Some(oldest) = oldest
            {
                oldest.state = State::Active;
                continue;
            }
            return;
        }
    }

    fn has_room(&self, customer: u8, product: Product) -> bool {
        let fits = self.usage(customer, product) < self.capacity(customer, product);
        let live = self.servers.iter().filter(|item| item.state.is_live());
        fits && (product == Product::DomainMonitoring || (live.count() as u64) < ACCOUNT_LIMIT)
    }

    fn limit(product: Product) -> Expected {
        refused(match product {
            Product::DomainMonitoring => "DomainLimitExceeded",
            _ => "EndpointLimitExceeded",
        })
    }

    /// Adds, finds or restores; `newest` is the id that a new record has.
    pub fn add(&mut self, customer: u8, name: String, product: Product, newest: Uuid) -> Expected {
        let same = |item: &&Item| item.customer == customer && item.name == name;
        let items = self.all(product);
        let known = items
            .iter()
            .filter(same)
            .find(|item| item.state.is_live())
            .or_else(|| items.iter().filter(same).rfind(|_| true))
            .cloned();
        let room = self.has_room(customer, product);
        match known {
            Some(item) if item.state.is_live() => ok(),
            _ if !room => Self::limit(product),
            Some(item) => {
                self.set(product, item.id, State::Active);
                ok()
            }
            None => {
                self.items(product).push(Item {
                    customer,
                    id: newest,
                    name,
                    state: State::Active,
                });
                ok()
            }
        }
    }

    pub fn find(&self, product: Product, id: Uuid) -> Option<Item> {
        let mut items = self.all(product).iter();
        items.find(|item| item.id == id).cloned()
    }

    fn set(&mut self, product: Product, id: Uuid, state: State) {
        for item in self.items(product) {
            if item.id == id {
                item.state = state;
            }
        }
    }

    fn suspend(&mut self, product: Product, item: &Item) -> Expected {
        if item.state == State::Active {
            self.set(product, item.id, State::Hand);
        }
        ok()
    }

    fn resume(&mut self, product: Product, item: &Item) -> Expected {
        let full = self.running(item.customer, product) >= self.capacity(item.customer, product);
        match item.state {
            State::Platform if full => return Self::limit(product),
            State::Platform | State::Hand => self.set(product, item.id, State::Active),
            _ => {}
        }
        ok()
    }

    pub fn server_step(&mut self, step: &ServerStep, id: Uuid) -> Expected {
        let product = Product::PortMonitoring;
        let item = self
            .find(product, id)
            .filter(|item| item.state != State::Gone);
        let live = item.clone().filter(|item| item.state.is_live());
        match (step, item, live) {
            (ServerStep::Suspend, _, Some(item)) => self.suspend(product, &item),
            (ServerStep::Resume, _, Some(item)) => self.resume(product, &item),
            (ServerStep::PauseAndRename, _, Some(item)) if item.customer != 0 => {
                refused("AccessDenied")
            }
            (ServerStep::PauseAndRename, _, Some(item)) => self.suspend(product, &item),
            (ServerStep::Terminate, Some(item), _) => {
                self.set(product, item.id, State::Terminated);
                ok()
            }
            (ServerStep::Delete, Some(item), _) => {
                self.set(product, item.id, State::Gone);
                ok()
            }
            (
                ServerStep::Suspend
                | ServerStep::Resume
                | ServerStep::PauseAndRename
                | ServerStep::Terminate
                | ServerStep::Delete,
                ..,
            ) => refused("EndpointNotFound"),
            _ => None,
        }
    }

    pub fn domain_step(&mut self, step: &DomainStep, id: Uuid) -> Expected {
        let product = Product::DomainMonitoring;
        let item = self.find(product, id);
        let live = item.clone().filter(|item| item.state.is_live());
        match (step, item, live) {
            (DomainStep::Suspend, _, Some(item)) => self.suspend(product, &item),
            (DomainStep::Resume, _, Some(item)) => self.resume(product, &item),
            (DomainStep::Rename(name), _, Some(item)) => self.rename(*name, &item),
            (DomainStep::Terminate, Some(item), _) => {
                self.set(product, item.id, State::Terminated);
                ok()
            }
            (DomainStep::Release(number), Some(item), _) if item.customer == 0 => {
                self.release(*number, &item)
            }
            (
                DomainStep::Suspend
                | DomainStep::Resume
                | DomainStep::Rename(_)
                | DomainStep::Terminate
                | DomainStep::Release(_),
                ..,
            ) => refused("DomainNotFound"),
            _ => None,
        }
    }

    fn rename(&mut self, name: u8, item: &Item) -> Expected {
        let name = format!("site{name}.example");
        let taken = self.domains.iter().any(|other| {
            other.id != item.id
                && other.customer == item.customer
                && other.state.is_live()
                && other.name == name
        });
        if taken {
            return refused("DomainAlreadyExists");
        }
        for domain in &mut self.domains {
            if domain.id == item.id {
                domain.name.clone_from(&name);
            }
        }
        ok()
    }

    fn release(&mut self, number: u8, item: &Item) -> Expected {
        let product = Product::DomainMonitoring;
        if let Some(refusal) = self.missing(0, number, product) {
            return Some(refusal);
        }
        let service = self.service(0, number, product).expect("not missing");
        match service.status {
            Cancelled => return refused("SubscriptionNotChangeable"),
            _ if service.holds == 1 => service.status = Cancelled,
            _ => service.holds -= 1,
        }
        self.domains.retain(|domain| domain.id != item.id);
        self.reconcile(0, product);
        ok()
    }

    fn service(&mut self, customer: u8, number: u8, product: Product) -> Option<&mut Service> {
        self.services
            .iter_mut()
            .find(|one| one.customer == customer && one.number == number && one.product == product)
    }

    /// D1: why there is no such subscription.
    fn missing(&mut self, customer: u8, number: u8, product: Product) -> Expected {
        if self.service(customer, number, product).is_some() {
            return None;
        }
        let mut services = self.services.iter();
        let mut links = self.links.iter();
        let mut domains = self.domains.iter();
        let recorded = services.any(|one| one.customer == customer && one.number == number)
            || links.any(|link| (link.0, link.1) == (customer, number))
            || domains.any(|domain| domain.customer == customer && customer == number);
        refused(match recorded {
            true => "SubscriptionNotFound",
            false => "BillingClientNotFound",
        })
    }

    pub fn billing_step(&mut self, step: &BillingStep, customer: u8, number: u8) -> Expected {
        match step {
            BillingStep::Plan(plan) => {
                let holds = [5, 25][usize::from(*plan)];
                self.subscribe(customer, number, Product::PortMonitoring, holds)
            }
            BillingStep::Slots(slots) => {
                let product = Product::DomainMonitoring;
                self.subscribe(customer, number, product, (*slots).into())
            }
            BillingStep::Suspend(product) => {
                self.move_service(customer, number, *product, Suspended)
            }
            BillingStep::Resume(product) => self.move_service(customer, number, *product, Active),
            BillingStep::Terminate(product) => {
                self.move_service(customer, number, *product, Cancelled)
            }
            BillingStep::Change(slots, downgrade) => {
                self.change(customer, number, (*slots).into(), *downgrade)
            }
            BillingStep::Price(_) => None,
        }
    }

    fn subscribe(&mut self, customer: u8, number: u8, product: Product, holds: u64) -> Expected {
        match self.service(customer, number, product) {
            Some(service) => {
                service.holds = holds;
                if service.status == Cancelled {
                    service.status = Active;
                }
            }
            None => self.services.push(Service {
                customer,
                number,
                product,
                holds,
                status: Active,
            }),
        }
        self.reconcile(customer, product);
        ok()
    }

    fn move_service(
        &mut self,
        customer: u8,
        number: u8,
        product: Product,
        status: SubscriptionStatus,
    ) -> Expected {
        if let Some(refusal) = self.missing(customer, number, product) {
            return Some(refusal);
        }
        let service = self
            .service(customer, number, product)
            .expect("not missing");
        if service.status == Cancelled && status != Cancelled {
            return refused("SubscriptionNotChangeable");
        }
        if service.status != status {
            service.status = status;
            self.reconcile(customer, product);
        }
        ok()
    }

    fn change(
        &mut self,
        customer: u8,
        number: u8,
        slots: u64,
        downgrade: DowngradeCheck,
    ) -> Expected {
        let product = Product::DomainMonitoring;
        let (before, usage) = (
            self.capacity(customer, product),
            self.usage(customer, product),
        );
        let Some(service) = self.service(customer, number, product) else {
            return refused("SubscriptionNotFound");
        };
        if service.status == Cancelled {
            return refused("SubscriptionNotChangeable");
        }
        let too_small = service.status == Active
            && slots < service.holds
            && usage > before - service.holds + slots;
        if downgrade == DowngradeCheck::Refuse && too_small {
            return refused("DowngradeUsageExceeded");
        }
        if service.holds != slots {
            service.holds = slots;
            self.reconcile(customer, product);
        }
        ok()
    }

    /// The counts of a sync, and the reports of each customer whose services
    /// changed.
    pub fn sync(&mut self, entries: &[(u8, u8, u8)]) -> Vec<String> {
        let before = self.clone();
        let (mut changed, mut unchanged) = (0, 0);
        let mut customers = std::collections::BTreeSet::new();
        for (customer, number, kind) in entries {
            let product = Product::ALL[usize::from(kind % 3)];
            let status = [Active, Suspended, Cancelled][usize::from(kind / 3)];
            match self.sync_one(*customer, *number, product, status) {
                Some(true) => {
                    changed += 1;
                    customers.insert(*customer);
                }
                Some(false) => unchanged += 1,
                None => {}
            }
        }
        let mut expected = vec![format!("changed: {changed}, unchanged: {unchanged}, ")];
        for customer in customers {
            for product in [Product::DomainMonitoring, Product::PortMonitoring] {
                self.reconcile(customer, product);
                let report = self.report(&before, customer, product);
                expected.push(format!("{report:?}"));
            }
        }
        expected
    }

    fn sync_one(
        &mut self,
        customer: u8,
        number: u8,
        product: Product,
        status: SubscriptionStatus,
    ) -> Option<bool> {
        if product == Product::Endpoint {
            let link = (customer, number);
            let mut links = self.links.iter();
            let name = links.find(|one| (one.0, one.1) == link)?.2.clone();
            return Some(self.sync_server(customer, &name, status));
        }
        let service = self.service(customer, number, product)?;
        let moves = service.status != status;
        service.status = status;
        Some(moves)
    }

    fn sync_server(&mut self, customer: u8, name: &str, status: SubscriptionStatus) -> bool {
        let product = Product::PortMonitoring;
        let mut servers = self.servers.iter();
        let item = servers.find(|one| one.customer == customer && one.name == name);
        let item = item.expect("a linked server").clone();
        let before = item.state;
        match (status, before.is_live()) {
            (Active, true) => drop(self.resume(product, &item)),
            (Suspended, true) => drop(self.suspend(product, &item)),
            (Cancelled, true) => self.set(product, item.id, State::Terminated),
            _ => {}
        }
        self.find(product, item.id).expect("still there").state != before
    }

    /// D6: the net effect, by comparing all states before and after.
    fn report(&self, before: &Model, customer: u8, product: Product) -> CapacityReport {
        let was_platform = |id: Uuid| {
            let item = before.find(product, id);
            item.is_some_and(|item| item.state == State::Platform)
        };
        let of_customer = self
            .all(product)
            .iter()
            .filter(|one| one.customer == customer);
        let newly_paused = of_customer
            .clone()
            .rev()
            .filter(|item| item.state == State::Platform && !was_platform(item.id));
        let unpaused = of_customer
            .filter(|item| item.state == State::Active && was_platform(item.id))
            .map(|item| item.name.clone());
        let (capacity, usage) = (
            self.capacity(customer, product),
            self.usage(customer, product),
        );
        CapacityReport {
            product_type: product.slug(),
            capacity,
            usage,
            over_quota: usage > capacity,
            newly_paused: newly_paused.map(|item| item.name.clone()).collect(),
            unpaused: unpaused.collect(),
        }
    }
}
