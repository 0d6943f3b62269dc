//! What is known about the records besides the records: all of it follows from
//! them and is built again when they are restored.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use hashbrown::HashTable;

use crate::catalogue::Pool;
use crate::hash::{hash_bytes, hash_pair};
use crate::state::live_records::LiveRecords;
use crate::state::port_index::ScopeRules;
use crate::state::records::{Endpoint, LiveStatus, Scope};
use crate::state::storage::{AlertNo, CustomerNo, DomainAlertNo, DomainNo, EndpointNo, Rows};
use crate::time::Instant;
use crate::values::{ClientId, OpenPort};
use crate::world::ScenarioPorts;

/// Something that happens by itself when its time comes. At the same moment
/// the order here decides, then the order of creation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Task {
    /// A scan of this server starts, or the one that runs ends.
    Endpoint(EndpointNo),
    /// A manual scan of this server ends.
    ManualScan(EndpointNo),
    /// A scan of this domain starts, or the one that runs ends.
    Domain(DomainNo),
}

/// Everything derived from the records of one account.
#[derive(Clone, Default, Debug)]
pub(crate) struct Index {
    pub(crate) clients: BTreeMap<ClientId, CustomerNo>,
    /// One entry a customer, by number.
    customers: Vec<CustomerIndex>,
    pub(crate) endpoints: LiveRecords,
    /// Servers by the hash of customer and address. A raw table: it keeps four
    /// bytes a server where a map of `std` would keep the key once more.
    addresses: HashTable<EndpointNo>,
    pub(crate) open_alerts: BTreeMap<(EndpointNo, OpenPort), AlertNo>,
    pub(crate) rules: BTreeMap<Scope, ScopeRules>,
    pub(crate) domain_names: BTreeMap<(CustomerNo, Box<str>), BTreeSet<DomainNo>>,
    pub(crate) domain_alerts: BTreeMap<DomainNo, BTreeSet<DomainAlertNo>>,
    pub(crate) due: BTreeSet<(Instant, Task)>,
    /// Whose capacity a call changed, to be reconciled at its end.
    pub(crate) changed_capacities: BTreeSet<(ClientId, Pool)>,
    pub(crate) scenario_ports: ScenarioPorts,
}

/// What belongs to one customer.
#[derive(Clone, Default, Debug)]
pub(crate) struct CustomerIndex {
    pub(crate) endpoints: LiveRecords,
    pub(crate) domains: LiveRecords,
    /// Port alerts, oldest first.
    pub(crate) alerts: Vec<AlertNo>,
}

impl Index {
    pub(crate) fn add_customer(&mut self, number: CustomerNo, client: ClientId) {
        self.clients.insert(client, number);
        self.customers.push(CustomerIndex::default());
    }

    pub(crate) fn customer(&self, number: CustomerNo) -> &CustomerIndex {
        &self.customers[number.0 as usize]
    }

    pub(crate) fn customer_mut(&mut self, number: CustomerNo) -> &mut CustomerIndex {
        &mut self.customers[number.0 as usize]
    }

    pub(crate) fn place_endpoint(
        &mut self,
        number: EndpointNo,
        customer: CustomerNo,
        live_status: Option<LiveStatus>,
    ) {
        self.endpoints.place(number.0, live_status);
        self.customer_mut(customer)
            .endpoints
            .place(number.0, live_status);
    }

    /// Notes when a task comes up, if it does.
    pub(crate) fn schedule(&mut self, due: Option<Instant>, task: Task) {
        self.due.extend(due.map(|at| (at, task)));
    }

    /// Forgets a task that was to come up then.
    pub(crate) fn cancel(&mut self, due: Option<Instant>, task: Task) {
        if let Some(at) = due {
            self.due.remove(&(at, task));
        }
    }

    /// The customer's server with this address, live or not (B9, B10).
    pub(crate) fn by_address(
        &self,
        endpoints: &Rows<EndpointNo, Endpoint>,
        customer: CustomerNo,
        address: IpAddr,
    ) -> Option<EndpointNo> {
        self.addresses
            .find(address_hash(customer, address), |number| {
                let endpoint = &endpoints[*number];
                endpoint.customer == customer && endpoint.address == address
            })
            .copied()
    }

    /// Makes the server known by its address.
    pub(crate) fn add_address(
        &mut self,
        endpoints: &Rows<EndpointNo, Endpoint>,
        number: EndpointNo,
    ) {
        let hash = |number: &EndpointNo| {
            let endpoint = &endpoints[*number];
            address_hash(endpoint.customer, endpoint.address)
        };
        self.addresses.insert_unique(hash(&number), number, hash);
    }

    /// The open alerts of a server, by port.
    pub(crate) fn open_alerts_of(
        &self,
        endpoint: EndpointNo,
    ) -> impl DoubleEndedIterator<Item = (OpenPort, AlertNo)> {
        self.open_alerts
            .range((endpoint, OpenPort::FIRST)..=(endpoint, OpenPort::LAST))
            .map(|((_, port), alert)| (*port, *alert))
    }
}

fn address_hash(customer: CustomerNo, address: IpAddr) -> u64 {
    let bytes = match address {
        IpAddr::V4(v4) => hash_bytes(4, &v4.octets()),
        IpAddr::V6(v6) => hash_bytes(6, &v6.octets()),
    };
    hash_pair(u64::from(customer.0), bytes)
}
