//! Servers in the state: found by what calls name, and changed so that all
//! that follows from them is changed as well.

use uuid::Uuid;

use crate::ids::Kind;
use crate::refusal::Refusal;
use crate::state::account::Account;
use crate::state::index::Task;
use crate::state::records::{Endpoint, EndpointState, Phase};
use crate::state::storage::EndpointNo;
use crate::time::Instant;
use crate::values::ClientId;

impl Account {
    pub(crate) fn owner(&self, number: EndpointNo) -> ClientId {
        let customer = self.records.endpoints[number].customer;
        self.records.customers[customer].client_id
    }

    /// The server with this id, unless it was deleted.
    pub(crate) fn undeleted_endpoint(&self, id: Uuid) -> Result<EndpointNo, Refusal> {
        let number = self.ids.number(Kind::Endpoint, id).map(EndpointNo);
        let is_there = |number: &EndpointNo| {
            let endpoint = self.records.endpoints.get(*number);
            endpoint.is_some_and(|one| !matches!(one.state, EndpointState::Deleted(_)))
        };
        number.filter(is_there).ok_or(Refusal::EndpointNotFound)
    }

    /// The server with this id, unless it was terminated or deleted.
    pub(crate) fn live_endpoint(&self, id: Uuid) -> Result<EndpointNo, Refusal> {
        let number = self.undeleted_endpoint(id)?;
        match self.is_live(number) {
            true => Ok(number),
            false => Err(Refusal::EndpointNotFound),
        }
    }

    pub(crate) fn is_live(&self, number: EndpointNo) -> bool {
        self.records.endpoints[number].state.live_status().is_some()
    }

    /// Adds a server to the records and to everything that follows from them.
    pub(crate) fn insert_endpoint(&mut self, endpoint: Endpoint) -> EndpointNo {
        let number = self.records.endpoints.push(endpoint);
        self.index_endpoint(number);
        number
    }

    /// Makes a recorded server known to everything that follows from it.
    pub(crate) fn index_endpoint(&mut self, number: EndpointNo) {
        let endpoint = &self.records.endpoints[number];
        let (customer, live_status) = (endpoint.customer, endpoint.state.live_status());
        self.index.add_address(&self.records.endpoints, number);
        self.index.place_endpoint(number, customer, live_status);
        let due = self.endpoint_due(number);
        self.index.schedule(due, Task::Endpoint(number));
    }

    /// Changes a server, and with it everything that follows from it. There
    /// is no other way to change one.
    pub(crate) fn amend_endpoint(
        &mut self,
        number: EndpointNo,
        change: impl FnOnce(&mut Endpoint),
    ) {
        let due = self.endpoint_due(number);
        self.index.cancel(due, Task::Endpoint(number));
        let endpoint = self.records.endpoints.edit(number);
        let before = endpoint.state.live_status();
        change(endpoint);
        let after = endpoint.state.live_status();
        let customer = endpoint.customer;
        if after != before {
            self.index.place_endpoint(number, customer, after);
        }
        let due = self.endpoint_due(number);
        self.index.schedule(due, Task::Endpoint(number));
    }

    /// When something next happens to this server by itself.
    pub(crate) fn endpoint_due(&self, number: EndpointNo) -> Option<Instant> {
        let endpoint = &self.records.endpoints[number];
        match endpoint.state {
            EndpointState::Active(Phase::Waiting) => Some(endpoint.next_scan_at),
            EndpointState::Active(Phase::Scanning) => self.scan_end(endpoint.next_scan_at),
            EndpointState::Paused(_) | EndpointState::Terminated | EndpointState::Deleted(_) => {
                None
            }
        }
    }
}
