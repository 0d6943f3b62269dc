//! Steps on servers, and those that domains have too.

use secmon::model::EndpointStatus;
use secmon::operations::UpdateEndpoint;

use super::super::ops::{Kind, Wish};
use super::super::reference::{DOMAIN, Move, SERVER, State, Who};
use super::super::words::address;
use super::{Expected, Walk, nth};

impl Walk<'_> {
    pub(super) async fn provision(&mut self, who: Who, kind: Kind, name: u8) -> &'static str {
        match kind {
            Kind::Servers => self.provision_server(who, name).await,
            Kind::Domains => self.provision_domain(who, name).await,
        }
    }

    async fn provision_server(&mut self, who: Who, name: u8) -> &'static str {
        let (account, side, expected) = self.of(who);
        let request = side.customer.server(&address(name));
        let request = request.service_id(side.hosts[usize::from(name)]);
        let made = account.client.servers().provision(request).await.ok();
        let expected = expected.servers.add(name);
        let made = made.map(|made| made.data.endpoint_id);
        side.servers.extend(made.filter(|_| expected == "201"));
        expected
    }

    pub(super) async fn fleet(&mut self, who: Who, count: u8) -> Result<(), String> {
        for name in 0..count {
            let expected = self.provision_server(who, name).await;
            self.was_answered(expected)?;
        }
        Ok(())
    }

    pub(super) async fn create(&mut self, who: Who, name: u8, state: State) -> &'static str {
        let (account, side, expected) = self.of(who);
        let request = side.customer.endpoint(&address(name)).status(status(state));
        let made = account.client.servers().create(request).await.ok();
        let expected = expected.servers.create(name, state);
        let made = made.map(|made| made.data.id);
        side.servers.extend(made.filter(|_| expected == "201"));
        expected
    }

    pub(super) async fn update(&mut self, who: Who, at: usize, wish: Wish) -> Expected {
        let (account, side, expected) = self.of(who);
        let (at, id) = nth(&side.servers, at)?;
        let update = UpdateEndpoint::new(side.customer.id, id);
        let (update, expected) = match wish {
            Wish::Nickname(nickname) => (
                update.nickname(nickname.to_string()),
                expected.servers.rename(at, nickname),
            ),
            Wish::Status(state) => (
                update.status(status(state)),
                expected.servers.set_state(at, state),
            ),
        };
        drop(account.client.servers().update(update).await);
        Some(expected)
    }

    pub(super) async fn moved(&mut self, who: Who, kind: Kind, at: usize, to: Move) -> Expected {
        let (account, side, expected) = self.of(who);
        match kind {
            Kind::Servers => {
                let (at, id) = nth(&side.servers, at)?;
                let servers = account.client.servers();
                match to {
                    Move::Suspend => drop(servers.suspend(id).await),
                    Move::Resume => drop(servers.resume(id).await),
                    Move::Terminate => drop(servers.terminate(id).await),
                }
                Some(expected.servers.moved(at, to, &SERVER))
            }
            Kind::Domains => {
                let (at, id) = nth(&side.domains, at)?;
                let domains = account.client.domains();
                match to {
                    Move::Suspend => drop(domains.suspend(id).await),
                    Move::Resume => drop(domains.resume(id).await),
                    Move::Terminate => drop(domains.terminate(id).await),
                }
                Some(expected.domains.moved(at, to, &DOMAIN))
            }
        }
    }

    pub(super) async fn delete(&mut self, who: Who, at: usize) -> Expected {
        let (account, side, expected) = self.of(who);
        let (at, id) = nth(&side.servers, at)?;
        drop(account.client.servers().delete_account_wide(id).await);
        Some(expected.servers.delete(at))
    }
}

fn status(state: State) -> EndpointStatus {
    match state {
        State::Active => EndpointStatus::Active,
        _ => EndpointStatus::Paused,
    }
}
