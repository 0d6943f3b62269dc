//! The calls of a move.

use super::source::{is_suspended, own_hostname, own_nickname, resource};
use super::{MoveSource, Moving, about_new};
use crate::bulk::{Applied, Created, RowOutcome};
use crate::commands::common::moving::waits;
use crate::commands::domain::provision;
use crate::commands::lifecycle::{self, Transition};
use crate::commands::rules::create::{self, OnOverlap};
use crate::commands::rules::wanted_rule::{Place, WantedRule};
use crate::error::CliError;
use crate::session::calls::PlannedChange;
use crate::state::records::{Observation, Server};
use secmon::Response;
use secmon::model::{Endpoint, EndpointId, EndpointStatus, Rule};
use secmon::operations::{CreateEndpoint, ProvisionEndpoint, UpdateEndpoint};
use serde::Serialize;
use uuid::Uuid;

/// The server at its new address.
struct Made {
    id: EndpointId,
    applied: Applied,
}

impl Made {
    fn of<T: Serialize>(id: EndpointId, answer: &Response<T>, sentence: String) -> Self {
        let applied = Applied {
            created: Created::by(answer),
            ..Applied::answered(id, answer, sentence)
        };
        Self { id, applied }
    }
}

impl Moving<'_> {
    pub(super) async fn create(&self, source: &MoveSource) -> Result<RowOutcome, CliError> {
        let made = match self.is_provisioned(source) {
            true => self.provision(source).await?,
            false => self.add(source).await?,
        };
        let mut new = source.server.clone();
        new.ip_address = source.address.into();
        new.billing_customer_id = Some(source.to);
        new.id = made
            .as_ref()
            .map_or_else(|| Uuid::nil().into(), |made| made.id);
        self.new.get_or_init(|| new);
        Ok(made.map_or(RowOutcome::Planned, |made| {
            RowOutcome::Applied(made.applied)
        }))
    }

    /// The provisioning call maps a service, and knows neither a nickname nor a state.
    async fn provision(&self, source: &MoveSource) -> Result<Option<Made>, CliError> {
        let (address, to) = (source.address, source.to);
        let contact = &self.args.contact;
        let mut request = ProvisionEndpoint::new(to);
        request.ip_address = Some(address.into());
        if let Some(service) = &self.args.service {
            request.service_id = Some(provision::service(&self.context.prompt, Some(service))?);
        }
        request.hostname = own_hostname(&source.server);
        request.client_name.clone_from(&contact.client_name);
        request.client_email.clone_from(&contact.client_email);
        let about = PlannedChange::new(about_new(address, to)).was_absent();
        let answered = self.context.session.change(request, about).await?;
        Ok(answered.map(|answered| {
            let response = &answered.response;
            let id = response.data.endpoint_id;
            self.note_restored(response);
            let sentence = format!("Server {address} is monitored for customer {to}.");
            Made::of(id, response, sentence)
        }))
    }

    /// The endpoints call makes it with its name and state.
    async fn add(&self, source: &MoveSource) -> Result<Option<Made>, CliError> {
        let (address, to) = (source.address, source.to);
        let contact = &self.args.contact;
        let mut request = CreateEndpoint::new(to, address);
        request.nickname = own_nickname(&source.server);
        request.status = is_suspended(&source.server).then_some(EndpointStatus::Paused);
        request.client_name.clone_from(&contact.client_name);
        request.client_email.clone_from(&contact.client_email);
        let about = PlannedChange::new(about_new(address, to)).was_absent();
        let session = &self.context.session;
        let answered = session.change(request, about).await?;
        Ok(answered.map(|answered| {
            let response = &answered.response;
            let id = response.data.id;
            self.note_restored(response);
            session.learn(Observation::Servers(vec![Server::from(&response.data)]));
            let sentence = format!("Server {address} is added for customer {to}.");
            Made::of(id, response, sentence)
        }))
    }

    fn note_restored<T>(&self, answer: &Response<T>) {
        self.is_restored.set(answer.was_created() == Some(false));
    }

    pub(super) async fn name(
        &self,
        source: &MoveSource,
        name: &str,
    ) -> Result<RowOutcome, CliError> {
        let new = self.new_server()?;
        let update = UpdateEndpoint::new(source.to, new.id).nickname(name);
        let planned = PlannedChange::new(format!("the nickname of {}", source.address)).before(new);
        let sent = self.context.session.change(update, planned).await?;
        Ok(sent.map_or(RowOutcome::Planned, |answered| {
            let sentence = format!("Server {} is now named {name}.", source.address);
            RowOutcome::Applied(Applied::answered(new.id, &answered.response, sentence))
        }))
    }

    pub(super) async fn allow(&self, rule: &Rule) -> Result<RowOutcome, CliError> {
        let place = Place::Server(Box::new(self.new_server()?.clone()));
        let wanted = WantedRule::like(rule, place)?;
        create::add(&self.context.session, &wanted, OnOverlap::Skip).await
    }

    pub(super) fn new_server(&self) -> Result<&Endpoint, CliError> {
        let new = self.new.get();
        new.ok_or_else(|| waits("the new address is not provisioned"))
    }

    pub(super) async fn change(
        &self,
        server: &Endpoint,
        to: Transition,
    ) -> Result<RowOutcome, CliError> {
        lifecycle::send::apply(&self.context.session, &resource(server), to).await
    }

    pub(super) async fn terminate(&self, source: &MoveSource) -> Result<RowOutcome, CliError> {
        self.new_server()?;
        if self.missing.get() > 0 {
            return Err(waits(
                "the new server does not have everything of the old one",
            ));
        }
        self.change(&source.server, Transition::Terminate).await
    }
}
