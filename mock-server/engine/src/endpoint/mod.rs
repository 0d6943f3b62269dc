//! Monitored servers: the record, its states, and who is found by what.

mod detail;
mod manage;
mod provision;
mod view;

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::account::Account;
use crate::capacity::Pool;
use crate::ids::Kind;
use crate::index::Task;
use crate::refusal::{Capacity, Refusal};
use crate::roll::{PausedBy, Standing};
use crate::scan::{EndedScan, Phase};
use crate::session::Session;
use crate::state::storage::{CustomerNo, EndpointNo, Key};
use crate::time::Instant;
use crate::values::{ClientId, ServiceId};
use crate::world::PortSet;

pub use detail::{EndpointDetailView, LatestScanView};
pub use manage::{
    CreateEndpoint, DesiredStatus, EndpointList, ListEndpoints, StatusCounts, UpdateEndpoint,
};
pub use provision::{ProvisionEndpoint, Provisioned};
pub use view::{EndpointStatus, EndpointView};

/// A monitored server, as recorded.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Endpoint {
    pub(crate) customer: CustomerNo,
    pub(crate) address: IpAddr,
    /// None shows the address (B3).
    pub(crate) hostname: Option<Box<str>>,
    /// None shows the hostname (B3).
    pub(crate) nickname: Option<Box<str>>,
    pub(crate) state: State,
    /// Whether a provisioning call asked for simulation (A14).
    pub(crate) simulated: bool,
    pub(crate) created_at: Instant,
    pub(crate) updated_at: Instant,
    /// When the next scan starts, or the running one did.
    pub(crate) next_scan_at: Instant,
    pub(crate) last_scan: Option<EndedScan>,
    pub(crate) found: Option<Found>,
}

/// What the completed scans of a server saw.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Found {
    pub(crate) ports: PortSet,
    pub(crate) at: Instant,
    /// What the one before saw, if there was one.
    pub(crate) previous: Option<PortSet>,
}

/// Where a server is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    Active(Phase),
    Paused(PausedBy),
    Terminated,
    /// Gone from every read, shown by its rules as it was (B14).
    Deleted(LastSeen),
}

/// What a deleted server was before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LastSeen {
    Active,
    Paused(PausedBy),
    Terminated,
}

impl State {
    pub(crate) fn standing(self) -> Option<Standing> {
        match self {
            Self::Active(_) => Some(Standing::Active),
            Self::Paused(PausedBy::Hand) => Some(Standing::PausedByHand),
            Self::Paused(PausedBy::Platform) => Some(Standing::PausedByPlatform),
            Self::Terminated | Self::Deleted(_) => None,
        }
    }

    fn last_seen(self) -> LastSeen {
        match self {
            Self::Active(_) => LastSeen::Active,
            Self::Paused(by) => LastSeen::Paused(by),
            Self::Terminated => LastSeen::Terminated,
            Self::Deleted(last) => last,
        }
    }
}

/// A service of the billing system that stands for one server (B11).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct ServiceKey {
    pub(crate) client: ClientId,
    pub(crate) service: ServiceId,
}

impl Key for ServiceKey {
    fn text(&self) -> String {
        format!("{}/{}", self.client, self.service)
    }

    fn parse(text: &str) -> Option<Self> {
        let (client, service) = text.split_once('/')?;
        Some(Self {
            client: ClientId::new(client.parse().ok()?)?,
            service: ServiceId::new(service.parse().ok()?)?,
        })
    }
}

impl Session<'_> {
    /// Makes a paused server active again. One that the platform paused needs
    /// room (B8).
    pub(crate) fn activate(&mut self, number: EndpointNo) -> Result<(), Refusal> {
        let endpoint = &self.records.endpoints[number];
        if endpoint.state == State::Paused(PausedBy::Platform) {
            self.require_resumable(endpoint.customer, Pool::Servers)?;
        }
        self.enter(number, State::Active(Phase::Waiting));
        Ok(())
    }

    /// Whether one more server fits, for the customer and for the account.
    fn require_server_room(&self, client: ClientId) -> Result<(), Refusal> {
        self.require_room(client, Pool::Servers)?;
        let account = Capacity {
            limit: self.records.settings.limits.account_endpoint_limit,
            current_usage: self.index.endpoints.usage(),
        };
        if account.current_usage < account.limit {
            Ok(())
        } else {
            Err(Refusal::EndpointLimitExceeded(account))
        }
    }

    /// Marks a server that a simulated call made or changed.
    pub(crate) fn mark_simulated(&mut self, number: EndpointNo) {
        if self.is_simulated() {
            self.records.endpoints.edit(number).simulated = true;
        }
    }
}

impl Account {
    pub(crate) fn owner(&self, number: EndpointNo) -> ClientId {
        let customer = self.records.endpoints[number].customer;
        self.records.customers[customer].client_id
    }

    /// The server with this id, unless it was deleted.
    pub(crate) fn undeleted_endpoint(&self, id: Uuid) -> Option<EndpointNo> {
        let number = EndpointNo(self.ids.number(Kind::Endpoint, id)?);
        let endpoint = self.records.endpoints.get(number)?;
        (!matches!(endpoint.state, State::Deleted(_))).then_some(number)
    }

    /// The server with this id, unless it was terminated or deleted.
    pub(crate) fn live_endpoint(&self, id: Uuid) -> Option<EndpointNo> {
        self.undeleted_endpoint(id)
            .filter(|number| self.is_live(*number))
    }

    pub(crate) fn is_live(&self, number: EndpointNo) -> bool {
        self.records.endpoints[number].state.standing().is_some()
    }

    /// Adds a server to the records and to everything that follows from them.
    fn insert_endpoint(&mut self, endpoint: Endpoint) -> EndpointNo {
        let number = self.records.endpoints.push(endpoint);
        self.index_endpoint(number);
        number
    }

    /// Makes a recorded server known to everything that follows from it.
    pub(crate) fn index_endpoint(&mut self, number: EndpointNo) {
        let endpoint = &self.records.endpoints[number];
        let (customer, standing) = (endpoint.customer, endpoint.state.standing());
        self.index.add_address(&self.records.endpoints, number);
        self.index.place_endpoint(number, customer, standing);
        let due = self.endpoint_due(number);
        self.index
            .due
            .extend(due.map(|at| (at, Task::Endpoint(number))));
    }

    /// Changes a server, and with it everything that follows from it. There
    /// is no other way to change one.
    pub(crate) fn amend(&mut self, number: EndpointNo, change: impl FnOnce(&mut Endpoint)) {
        if let Some(due) = self.endpoint_due(number) {
            self.index.due.remove(&(due, Task::Endpoint(number)));
        }
        let endpoint = self.records.endpoints.edit(number);
        let before = endpoint.state.standing();
        change(endpoint);
        let after = endpoint.state.standing();
        let customer = endpoint.customer;
        if after != before {
            self.index.place_endpoint(number, customer, after);
        }
        if let Some(due) = self.endpoint_due(number) {
            self.index.due.insert((due, Task::Endpoint(number)));
        }
    }

    /// When something next happens to this server by itself.
    pub(crate) fn endpoint_due(&self, number: EndpointNo) -> Option<Instant> {
        let endpoint = &self.records.endpoints[number];
        match endpoint.state {
            State::Active(Phase::Waiting) => Some(endpoint.next_scan_at),
            State::Active(Phase::Scanning) => self.scan_end(endpoint.next_scan_at),
            State::Paused(_) | State::Terminated | State::Deleted(_) => None,
        }
    }

    /// Moves a server to another state, now. Its scans in flight are dropped;
    /// an active one is scanned at the later of now and one interval after its
    /// last scan (E1).
    pub(crate) fn enter(&mut self, number: EndpointNo, state: State) {
        let now = self.now;
        let interval = self.records.settings.timings.interval();
        self.drop_manual_scans(number);
        self.amend(number, |endpoint| {
            endpoint.state = state;
            endpoint.updated_at = now;
            if state == State::Active(Phase::Waiting) {
                let scanned = endpoint.last_scan.map(|scan| scan.at.plus(interval));
                endpoint.next_scan_at = scanned.map_or(now, |next| next.max(now));
            }
        });
    }
}
