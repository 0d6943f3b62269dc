//! What a move finds: the server as it is, and what stands at its new address.

use super::source::{made_by_move, own_hostname};
use super::{MoveSource, Moving, about_new};
use crate::bulk::preview;
use crate::commands::common::moving::{DANGER, MOVE_SERVER};
use crate::commands::common::usage::Usage;
use crate::commands::common::views::ports_of;
use crate::commands::common::{new_customer, other_owners, unreachable};
use crate::error::CliError;
use crate::references::{self, FoundServer, PrefixPolicy, Reference, ServerTarget};
use crate::session::settings;
use crate::state::StateDb;
use secmon::model::{Address, CustomerId, Endpoint, Rule, RuleScope, RuleStatus};
use secmon::operations::ListEndpoints;
use std::net::IpAddr;
use uuid::Uuid;

/// Where a server moves to.
#[derive(Clone, Copy)]
struct Destination {
    address: IpAddr,
    customer: CustomerId,
}

impl Destination {
    fn is_of(self, server: &Endpoint) -> bool {
        server.ip_address == Address::from(self.address)
    }
}

impl Moving<'_> {
    /// The server as it is, and the one at the new address where there is one.
    pub(super) async fn read(&self) -> Result<Option<MoveSource>, CliError> {
        let name = std::slice::from_ref(&self.args.endpoint);
        let mut found = match self.named_but_new().await? {
            Some(server) => vec![FoundServer::There(Box::new(ServerTarget::from(server)))],
            None => references::server_targets(self.context, name, PrefixPolicy::Accepted).await?,
        };
        let server = match found.pop() {
            Some(FoundServer::There(found)) => match found.listed {
                Some(server) => server,
                None => {
                    let error = CliError::not_found(format!("no server {}", found.id));
                    return self.moved_before(Some(found.id.into()), error).await;
                }
            },
            Some(FoundServer::Absent { id, error }) => {
                return self.moved_before(id.map(Uuid::from), error).await;
            }
            None => return Ok(None),
        };
        let from = references::owner(self.context, &server)?;
        let destination = Destination {
            address: self.address_or(server.ip_address.as_str())?,
            customer: self.new_customer()?.unwrap_or(from),
        };
        if destination.is_of(&server) && destination.customer == from {
            return self.is_where_it_goes(server, destination).map(|()| None);
        }
        let rules = references::all_rules(&self.context.session, |list| {
            list.endpoint_id = Some(server.id);
            list.scope = Some(RuleScope::Endpoint);
            list.status = Some(RuleStatus::Active);
        })
        .await?;
        let remark = self.look_at_new(&server, from, destination).await?;
        let mut left_behind = String::new();
        if destination.customer != from {
            left_behind += &self.lost_allowances(from, destination.customer).await?;
        }
        if let (Some(name), Some(new)) = (own_hostname(&server), self.new.get())
            && new.hostname.as_ref() != Some(&name)
        {
            left_behind += &format!(
                " Its host name {name} does not go along: {} is there already, and keeps its own.",
                new.ip_address
            );
        }
        Ok(Some(MoveSource {
            server,
            from,
            to: destination.customer,
            address: destination.address,
            rules,
            remark,
            left_behind,
        }))
    }

    /// The customer of `--customer-to`.
    fn new_customer(&self) -> Result<Option<CustomerId>, CliError> {
        let number = self.args.customer_to.as_deref();
        number
            .map(|number| settings::parse_customer("--customer-to", number))
            .transpose()
    }

    /// The new address; without one, it is the old one.
    fn address_or(&self, old: &str) -> Result<IpAddr, CliError> {
        let address = self.args.address.or_else(|| old.parse().ok());
        address.ok_or_else(|| {
            CliError::usage(format!("{old} is not an IP address: give the new address"))
        })
    }

    /// A server that is where it is to go was moved there by this computer, or the line is wrong.
    fn is_where_it_goes(&self, server: Endpoint, destination: Destination) -> Result<(), CliError> {
        let id = server.id.to_string();
        let about = about_new(destination.address, destination.customer);
        let state = self.context.session.state();
        // The name that was typed has gone along to the new server, and the old one has ended.
        let is_moved = |state: &StateDb| {
            state.made_by_unfinished(MOVE_SERVER, &id, &about) || made_by_move(state, &id, &about)
        };
        if state.is_some_and(is_moved) {
            self.new.get_or_init(|| server);
            return Ok(());
        }
        let name = references::name_of(&server);
        Err(CliError::usage(match self.args.address {
            Some(_) => format!("{name} already has this address: give a different one"),
            None => format!(
                "{name} is a server of customer {} already: give another customer, or its new address",
                destination.customer
            ),
        }))
    }

    /// An unfinished move has given its name to the new server, too: of the two, the old one is meant.
    async fn named_but_new(&self) -> Result<Option<Endpoint>, CliError> {
        let session = &self.context.session;
        let reference = Reference::parse(&self.args.endpoint)?;
        if reference.id.is_some() {
            return Ok(None);
        }
        let listed = references::all_endpoints(session, session.settings.customer).await?;
        let fit = reference.fit(&listed);
        let (address, customer) = (self.args.address.map(Address::from), self.new_customer()?);
        let is_new = |server: &&Endpoint| match (&address, customer) {
            (Some(address), _) => server.ip_address == *address,
            (None, customer) => server.billing_customer_id == customer,
        };
        let (new, old): (Vec<&Endpoint>, Vec<&Endpoint>) =
            fit.servers.into_iter().partition(is_new);
        Ok(match (new.as_slice(), old.as_slice()) {
            ([_], [old]) => Some((*old).clone()),
            _ => None,
        })
    }

    /// A server that this computer has ended, where it is at its new address now, has moved.
    async fn moved_before(
        &self,
        id: Option<Uuid>,
        error: CliError,
    ) -> Result<Option<MoveSource>, CliError> {
        let session = &self.context.session;
        let Some(state) = session.state() else {
            return Err(error);
        };
        let ended = id.filter(|id| state.ended_from_here(&id.to_string()).is_some());
        let Some(id) = ended else {
            return Err(error);
        };
        let gone = state.gone_servers().into_iter();
        let gone = gone.filter(|server| Uuid::from(server.id) == id);
        let earlier = gone.filter_map(|server| server.ip.parse().ok()).next();
        let Some(address) = self.args.address.or(earlier) else {
            return Err(error);
        };
        let customer = self.new_customer()?.or(session.settings.customer);
        let servers = references::all_endpoints(session, customer).await?;
        let address = Address::from(address);
        let mut there = servers.into_iter();
        match there.find(|server| server.ip_address == address) {
            Some(new) => {
                self.new.get_or_init(|| new);
                Ok(None)
            }
            None => Err(error),
        }
    }

    /// A server that stands at the new address is gone on with where an unfinished move of this computer has made it;
    /// else a person is asked. Gives what is said before the question.
    async fn look_at_new(
        &self,
        server: &Endpoint,
        from: CustomerId,
        destination: Destination,
    ) -> Result<String, CliError> {
        let session = &self.context.session;
        let (address, to) = (destination.address, destination.customer);
        let servers = references::all_endpoints(session, Some(to)).await?;
        let Some(there) = servers.into_iter().find(|one| destination.is_of(one)) else {
            if !destination.is_of(server) {
                let name = address.to_string();
                let place = (name.as_str(), address, to);
                unreachable::tell(self.context, Some(place));
                other_owners::confirm(self.context, Some(place)).await?;
            }
            if to != from {
                new_customer::agree(self.context, to, &self.args.contact).await?;
            }
            return self.want_of_room(from, to).await;
        };
        let state = session.state();
        let is_ours = state.is_some_and(|state| {
            state.made_by_unfinished(MOVE_SERVER, &there.id.to_string(), &about_new(address, to))
        });
        let name = references::name_of(&there);
        let remark = match (is_ours, self.context.prompt.may_ask()) {
            (true, _) => String::new(),
            (false, true) => format!(
                " {name} already belongs to customer {to}, and will get this server's name and rules."
            ),
            (false, false) => {
                return Err(CliError::usage(format!(
                    "{address} is a server of customer {to} already: {name}"
                ))
                .hint(format!(
                    "look at it: `endpoint show {}`; to give it this one's name and rules, run the same line in a terminal, where it is asked about",
                    there.id
                )));
            }
        };
        self.new.get_or_init(|| there);
        Ok(remark)
    }

    /// What rules for all servers of the old customer allow, those of the new one may not.
    async fn lost_allowances(&self, from: CustomerId, to: CustomerId) -> Result<String, CliError> {
        let session = &self.context.session;
        let of = async |customer| {
            references::all_rules(session, |list| {
                list.billing_customer_id = Some(customer);
                list.scope = Some(RuleScope::Global);
                list.status = Some(RuleStatus::Active);
            })
            .await
        };
        let (theirs, here) = (of(from).await?, of(to).await?);
        let is_lost = |rule: &&Rule| here.iter().all(|other| other.id != rule.id);
        let lost: Vec<String> = theirs.iter().filter(is_lost).map(ports_of).collect();
        Ok(match lost.is_empty() {
            true => String::new(),
            false => format!(
                " Rules for all servers of customer {from} will not apply there: {}.",
                preview(&lost, String::clone)
            ),
        })
    }

    /// Until the old server ends there are both, which a full plan does not allow. What cannot be read keeps nobody from
    /// being asked.
    async fn want_of_room(&self, from: CustomerId, to: CustomerId) -> Result<String, CliError> {
        if from != to || !self.context.prompt.shows_preview(DANGER) {
            return Ok(String::new());
        }
        let list = ListEndpoints::new(to).per_page(1);
        let Ok(page) = self.context.session.read(list).await else {
            return Ok(String::new());
        };
        let usage = Usage::of_servers(&page.meta);
        Ok(match (usage.used, usage.capacity) {
            (Some(used), Some(capacity)) if used >= capacity => format!(
                " The plan is full ({used} of {capacity} servers): the service is likely to refuse the new server, and then nothing changes."
            ),
            _ => String::new(),
        })
    }
}
