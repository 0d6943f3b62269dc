//! Endpoints CRUD: list, create, read, update, delete.

use uuid::Uuid;

use crate::catalogue::Pool;
use crate::customer::Client;
use crate::endpoint::provision::{NewServer, added_server};
use crate::endpoint::view::{DesiredStatus, EndpointView};
use crate::page::{Page, Paged};
use crate::refusal::{Done, Refusal};
use crate::session::Session;
use crate::state::{EndpointNo, EndpointState, LiveRecords, PausedBy};
use crate::values::{ClientId, Target};

/// What `POST /endpoints` is asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct CreateEndpoint {
    /// The customer.
    pub client: Client,
    /// The server.
    pub target: Target,
    /// The display name; the hostname, else the address, where none is given.
    pub nickname: Option<String>,
    /// The status it starts with.
    pub status: DesiredStatus,
}

/// What `PUT /endpoints/{endpoint}` changes; none leaves a field as it is.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct UpdateEndpoint {
    /// The display name.
    pub nickname: Option<String>,
    /// The status.
    pub status: Option<DesiredStatus>,
}

/// Which servers `GET /endpoints` asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListEndpoints {
    /// Of this customer only; none means the whole account.
    pub client: Option<ClientId>,
    /// Of this status only.
    pub status: Option<DesiredStatus>,
    /// The page.
    pub page: Page,
}

/// A page of servers, oldest first, and the numbers around it.
#[derive(Clone, PartialEq, Debug)]
pub struct EndpointList {
    /// The page.
    pub endpoints: Paged<EndpointView>,
    /// How many servers the customer, or the account, may have (B5).
    pub endpoint_limit: u64,
    /// How many there are, whatever the filter (B6).
    pub current_endpoint_count: u64,
    /// How many there are by status, whatever the filter (B13).
    pub status_counts: StatusCounts,
}

/// Servers by status.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, serde::Serialize)]
pub struct StatusCounts {
    /// Active ones.
    pub active: u64,
    /// Paused ones, by whomever.
    pub paused: u64,
}

impl Session<'_> {
    /// `GET /endpoints`: a page of live servers.
    pub fn list_endpoints(&mut self, request: ListEndpoints) -> EndpointList {
        let customer = request.client.and_then(|client| self.customer(client));
        let nobody = LiveRecords::default();
        let servers = match (request.client, customer) {
            (None, _) => &self.index.endpoints,
            (Some(_), None) => &nobody,
            (Some(_), Some(number)) => self.live_records(number, Pool::Servers),
        };
        let endpoint_limit = match request.client {
            None => self.records.settings.limits.account_endpoint_limit,
            Some(client) => self.capacity(client, Pool::Servers),
        };
        EndpointList {
            endpoints: self.page_of_endpoints(servers, request.status, request.page),
            endpoint_limit,
            current_endpoint_count: servers.usage(),
            status_counts: StatusCounts {
                active: servers.active.len() as u64,
                paused: servers.paused.len() as u64,
            },
        }
    }

    fn page_of_endpoints(
        &self,
        servers: &LiveRecords,
        status: Option<DesiredStatus>,
        page: Page,
    ) -> Paged<EndpointView> {
        let set = match status {
            None => &servers.live,
            Some(DesiredStatus::Active) => &servers.active,
            Some(DesiredStatus::Paused) => &servers.paused,
        };
        Paged {
            items: set
                .skip_to_rank(page.offset())
                .take(page.limit())
                .map(|number| self.endpoint_view(EndpointNo(number)))
                .collect(),
            total: set.len() as u64,
            page,
        }
    }

    /// `POST /endpoints`: starts monitoring a server.
    ///
    /// # Errors
    ///
    /// [`Refusal::EndpointLimitExceeded`], [`Refusal::DnsResolutionFailed`].
    pub fn create_endpoint(
        &mut self,
        request: CreateEndpoint,
    ) -> Result<Done<EndpointView>, Refusal> {
        let new = NewServer {
            nickname: request.nickname,
            status: request.status,
        };
        let (number, added) = self.add_server(&request.client, request.target, new)?;
        self.settle();
        Ok(added_server(added, self.endpoint_view(number)))
    }

    /// `GET /endpoints/{endpoint}`: one server.
    ///
    /// # Errors
    ///
    /// [`Refusal::EndpointNotFound`]; [`Refusal::AccessDenied`] when it is not
    /// the given customer's (A12).
    pub fn endpoint(
        &mut self,
        endpoint: Uuid,
        client: Option<ClientId>,
    ) -> Result<EndpointView, Refusal> {
        let number = self.accessible_endpoint(endpoint, client)?;
        Ok(self.endpoint_view(number))
    }

    /// `PUT /endpoints/{endpoint}`: changes display name and status.
    ///
    /// # Errors
    ///
    /// As for [`Session::endpoint`]; [`Refusal::EndpointLimitExceeded`] when
    /// the platform paused it and there is still no room (B8).
    pub fn update_endpoint(
        &mut self,
        endpoint: Uuid,
        client: ClientId,
        request: UpdateEndpoint,
    ) -> Result<Done<EndpointView>, Refusal> {
        let number = self.accessible_endpoint(endpoint, Some(client))?;
        self.change_status(number, request.status)?;
        if let Some(nickname) = request.nickname {
            let now = self.now;
            self.amend_endpoint(number, |endpoint| {
                endpoint.nickname = Some(nickname.into_boxed_str());
                endpoint.updated_at = now;
            });
        }
        self.settle();
        Ok(Done::changed(self.endpoint_view(number)))
    }

    fn change_status(
        &mut self,
        number: EndpointNo,
        status: Option<DesiredStatus>,
    ) -> Result<(), Refusal> {
        match (status, self.records.endpoints[number].state) {
            (Some(DesiredStatus::Active), EndpointState::Paused(_)) => self.activate(number),
            (Some(DesiredStatus::Paused), EndpointState::Active(_)) => {
                self.set_endpoint_state(number, EndpointState::Paused(PausedBy::Hand));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// `DELETE /endpoints/{endpoint}`: takes a server off every list. Its
    /// address can be added again, which restores it (B9).
    ///
    /// # Errors
    ///
    /// As for [`Session::endpoint`].
    pub fn delete_endpoint(
        &mut self,
        endpoint: Uuid,
        client: Option<ClientId>,
    ) -> Result<(), Refusal> {
        let number = self.undeleted_endpoint(endpoint)?;
        self.require_access(number, client)?;
        let last = self.records.endpoints[number].state.last_seen();
        self.drop_manual_scans(number);
        self.amend_endpoint(number, |endpoint| {
            endpoint.state = EndpointState::Deleted(last)
        });
        Ok(())
    }

    /// A live server that the given customer, if any, may see.
    pub(crate) fn accessible_endpoint(
        &self,
        endpoint: Uuid,
        client: Option<ClientId>,
    ) -> Result<EndpointNo, Refusal> {
        let number = self.live_endpoint(endpoint)?;
        self.require_access(number, client)?;
        Ok(number)
    }

    fn require_access(&self, number: EndpointNo, client: Option<ClientId>) -> Result<(), Refusal> {
        match client {
            Some(client) if client != self.owner(number) => Err(Refusal::AccessDenied),
            _ => Ok(()),
        }
    }
}
