//! Provisioning of servers: provision, suspend, resume, terminate.

use std::net::IpAddr;

use serde::Serialize;
use uuid::Uuid;

use crate::catalogue::Pool;
use crate::customer::Client;
use crate::dns;
use crate::endpoint::view::{DesiredStatus, EndpointStatus};
use crate::ids::Kind;
use crate::refusal::{Added, Capacity, Done, Refusal};
use crate::session::Session;
use crate::state::{Endpoint, EndpointNo, EndpointState, PausedBy, Phase, ServiceKey};
use crate::values::{ClientId, ServiceId, Target};

const ALREADY_MONITORED: &str = "This address is already monitored for the customer.";

const RESTORED: &str = "This address was monitored before; its record was restored.";

const ALREADY_PAUSED: &str = "The endpoint is already paused.";

const ALREADY_ACTIVE: &str = "The endpoint is already active.";

const ALREADY_TERMINATED: &str = "The endpoint is already terminated.";

/// What `provision` is asked for. Product, plan and `mrr` of the call are
/// labels without effect (B4).
#[derive(Clone, PartialEq, Debug)]
pub struct ProvisionEndpoint {
    /// The customer.
    pub client: Client,
    /// The server (B1).
    pub target: Target,
    /// The service of the billing system that stands for it from now on (B11).
    pub service: Option<ServiceId>,
}

/// What the provisioning calls of a server answer.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Provisioned {
    /// The server.
    pub endpoint_id: Uuid,
    /// Its status now.
    pub status: EndpointStatus,
}

/// What a server that is not known yet is made with.
pub(crate) struct NewServer {
    pub(crate) nickname: Option<String>,
    pub(crate) status: DesiredStatus,
}

impl Session<'_> {
    /// `provision`: starts monitoring a server.
    ///
    /// # Errors
    ///
    /// [`Refusal::EndpointLimitExceeded`], [`Refusal::DnsResolutionFailed`].
    pub fn provision(&mut self, request: ProvisionEndpoint) -> Result<Done<Provisioned>, Refusal> {
        let new = NewServer {
            nickname: None,
            status: DesiredStatus::Active,
        };
        let client = request.client.id;
        let (number, added) = self.add_server(&request.client, request.target, new)?;
        if let Some(service) = request.service {
            let key = ServiceKey { client, service };
            self.records.service_links.insert(key, number);
        }
        if added != Added::Known {
            self.mark_simulated(number);
        }
        Ok(added_server(added, self.provisioned(number)))
    }

    /// `suspend`: pauses a server.
    ///
    /// # Errors
    ///
    /// [`Refusal::EndpointNotFound`].
    pub fn suspend(&mut self, endpoint: Uuid) -> Result<Done<Provisioned>, Refusal> {
        let number = self.live_endpoint(endpoint)?;
        let state = EndpointState::Paused(PausedBy::Hand);
        self.transition(number, state, ALREADY_PAUSED)
    }

    /// `resume`: makes a paused server active again.
    ///
    /// # Errors
    ///
    /// [`Refusal::EndpointNotFound`]; [`Refusal::EndpointLimitExceeded`] when
    /// the platform paused it and there is still no room (B8).
    pub fn resume(&mut self, endpoint: Uuid) -> Result<Done<Provisioned>, Refusal> {
        let number = self.live_endpoint(endpoint)?;
        let state = EndpointState::Active(Phase::Waiting);
        self.transition(number, state, ALREADY_ACTIVE)
    }

    /// `terminate`: ends the monitoring of a server.
    ///
    /// # Errors
    ///
    /// [`Refusal::EndpointNotFound`].
    pub fn terminate(&mut self, endpoint: Uuid) -> Result<Done<Provisioned>, Refusal> {
        let number = self.undeleted_endpoint(endpoint)?;
        self.transition(number, EndpointState::Terminated, ALREADY_TERMINATED)
    }

    fn transition(
        &mut self,
        number: EndpointNo,
        state: EndpointState,
        already: &'static str,
    ) -> Result<Done<Provisioned>, Refusal> {
        let status = EndpointStatus::of(state);
        if self.provisioned(number).status == status {
            return Ok(Done::existing(self.provisioned(number), already));
        }
        match status {
            EndpointStatus::Active => self.activate(number)?,
            EndpointStatus::Paused | EndpointStatus::Terminated => {
                self.set_endpoint_state(number, state);
            }
        }
        self.mark_simulated(number);
        Ok(Done::changed(self.provisioned(number)))
    }

    /// Makes a paused server active again. One that the platform paused needs
    /// room (B8).
    pub(crate) fn activate(&mut self, number: EndpointNo) -> Result<(), Refusal> {
        let endpoint = &self.records.endpoints[number];
        if endpoint.state == EndpointState::Paused(PausedBy::Platform) {
            self.require_resumable(endpoint.customer, Pool::Servers)?;
        }
        self.set_endpoint_state(number, EndpointState::Active(Phase::Waiting));
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

    fn provisioned(&self, number: EndpointNo) -> Provisioned {
        Provisioned {
            endpoint_id: self.ids.uuid(Kind::Endpoint, number.into()),
            status: EndpointStatus::of(self.records.endpoints[number].state),
        }
    }

    /// Adds a server, finds it as it is, or restores it (B9).
    pub(crate) fn add_server(
        &mut self,
        client: &Client,
        target: Target,
        new: NewServer,
    ) -> Result<(EndpointNo, Added), Refusal> {
        let (address, hostname) = self.resolve(target)?;
        let known = self.customer(client.id).and_then(|customer| {
            self.index
                .by_address(&self.records.endpoints, customer, address)
        });
        let added = match known {
            Some(number) if self.is_live(number) => (number, Added::Known),
            Some(number) => {
                self.require_server_room(client.id)?;
                self.set_endpoint_state(number, EndpointState::Active(Phase::Waiting));
                (number, Added::Restored)
            }
            None => {
                self.require_server_room(client.id)?;
                (self.new_server(client, address, hostname, new), Added::New)
            }
        };
        self.grant_portal_access(client);
        Ok(added)
    }

    fn new_server(
        &mut self,
        client: &Client,
        address: IpAddr,
        hostname: Option<String>,
        new: NewServer,
    ) -> EndpointNo {
        let customer = self.grant_portal_access(client);
        let now = self.now;
        self.insert_endpoint(Endpoint {
            customer,
            address,
            hostname: hostname.map(String::into_boxed_str),
            nickname: new.nickname.map(String::into_boxed_str),
            state: match new.status {
                DesiredStatus::Active => EndpointState::Active(Phase::Waiting),
                DesiredStatus::Paused => EndpointState::Paused(PausedBy::Hand),
            },
            simulated: false,
            created_at: now,
            updated_at: now,
            next_scan_at: now,
            last_scan: None,
            found: None,
        })
    }

    /// The address of a target and the name it is shown by.
    fn resolve(&self, target: Target) -> Result<(IpAddr, Option<String>), Refusal> {
        match target {
            Target::Address { address, hostname } => {
                Ok((address, hostname.filter(|name| !name.is_empty())))
            }
            Target::Hostname(hostname) => {
                let name = hostname.as_str().to_owned();
                match dns::resolve(&self.records.settings.dns, &hostname) {
                    Some(address) => Ok((address, Some(name))),
                    None => Err(Refusal::DnsResolutionFailed(name)),
                }
            }
        }
    }
}

/// What is answered about a server that was asked for.
pub(crate) fn added_server<T>(added: Added, answer: T) -> Done<T> {
    match added {
        Added::New => Done::created(answer),
        Added::Restored => Done::existing(answer, RESTORED),
        Added::Known => Done::existing(answer, ALREADY_MONITORED),
    }
}
