//! Steps on servers, and those that domains have too.

use std::collections::BTreeSet;

use secmon::model::PortAlertStatus;
use secmon::model::{EndpointStatus, ScanStatus};
use secmon::operations::{ListPortAlerts, ResolvePortAlert, UpdateEndpoint};

use super::super::ops::{Kind, Wish};
use super::super::reference::{DOMAIN, Port, SERVER, State, Who};
use super::{Expected, Walk, address, nth, same};

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

    pub(super) async fn suspend(&mut self, who: Who, kind: Kind, at: usize) -> Expected {
        let (account, side, expected) = self.of(who);
        match kind {
            Kind::Servers => {
                let (at, id) = nth(&side.servers, at)?;
                drop(account.client.servers().suspend(id).await);
                Some(expected.servers.suspend(at, &SERVER))
            }
            Kind::Domains => {
                let (at, id) = nth(&side.domains, at)?;
                drop(account.client.domains().suspend(id).await);
                Some(expected.domains.suspend(at, &DOMAIN))
            }
        }
    }

    pub(super) async fn resume(&mut self, who: Who, kind: Kind, at: usize) -> Expected {
        let (account, side, expected) = self.of(who);
        match kind {
            Kind::Servers => {
                let (at, id) = nth(&side.servers, at)?;
                drop(account.client.servers().resume(id).await);
                Some(expected.servers.resume(at, &SERVER))
            }
            Kind::Domains => {
                let (at, id) = nth(&side.domains, at)?;
                drop(account.client.domains().resume(id).await);
                Some(expected.domains.resume(at, &DOMAIN))
            }
        }
    }

    pub(super) async fn terminate(&mut self, who: Who, kind: Kind, at: usize) -> Expected {
        let (account, side, expected) = self.of(who);
        match kind {
            Kind::Servers => {
                let (at, id) = nth(&side.servers, at)?;
                drop(account.client.servers().terminate(id).await);
                Some(expected.servers.terminate(at, &SERVER))
            }
            Kind::Domains => {
                let (at, id) = nth(&side.domains, at)?;
                drop(account.client.domains().terminate(id).await);
                Some(expected.domains.terminate(at, &DOMAIN))
            }
        }
    }

    pub(super) async fn delete(&mut self, who: Who, at: usize) -> Expected {
        let (account, side, expected) = self.of(who);
        let (at, id) = nth(&side.servers, at)?;
        drop(account.client.servers().delete_account_wide(id).await);
        Some(expected.servers.delete(at))
    }

    pub(super) async fn queue_scan(&mut self, who: Who, at: usize) -> Result<Expected, String> {
        let (account, side, expected) = self.of(who);
        let Some((at, id)) = nth(&side.servers, at) else {
            return Ok(None);
        };
        let queued = account.client.servers().scan(side.customer.id, id).await;
        let expected = expected.servers.queue_scan(at);
        if let Ok(queued) = queued {
            same("the scan", queued.data.status.clone(), ScanStatus::Pending)?;
            self.cooldown_seconds = queued.data.cooldown_seconds.ok_or("no cooldown")?;
        }
        Ok(Some(expected))
    }

    /// Nothing is left out before there is a cooldown: it ends none.
    pub(super) async fn wait(&mut self) -> Result<(), String> {
        self.account.advance(self.cooldown_seconds).await;
        self.expected.wait();
        Ok(())
    }

    pub(super) async fn end_scan(
        &mut self,
        who: Who,
        at: usize,
        open: &BTreeSet<Port>,
    ) -> Result<(), String> {
        let (account, side, expected) = self.of(who);
        let Some((_, at)) = nth(&expected.servers.active(), at) else {
            return Ok(());
        };
        let id = side.servers[at];
        let ports: Vec<Port> = open.iter().copied().collect();
        account.open_ports(id, &ports).await;
        account.scan(id, "completed").await;
        self.expected.scan(who, at, open);
        self.compare_detail(who, at).await
    }

    pub(super) async fn resolve_port(&mut self, who: Who, nth: usize) -> Result<Expected, String> {
        let Some((name, (port, protocol))) = self.expected.resolve_alert(who, nth) else {
            return Ok(None);
        };
        let (account, side, _) = self.of(who);
        let open = ListPortAlerts::new(side.customer.id).status(PortAlertStatus::Open);
        let open = account.client.pages(open).collect_all().await;
        let open = open.expect("a list");
        let found = open.iter().find(|alert| {
            alert.ip_address == Some(address(name).into())
                && (alert.port, alert.protocol.as_str()) == (port, protocol)
        });
        let alert = found.ok_or("the alert is gone")?.id;
        let resolve = ResolvePortAlert::new(side.customer.id, alert);
        drop(account.client.send(resolve).await);
        Ok(Some("200"))
    }
}

fn status(state: State) -> EndpointStatus {
    match state {
        State::Active => EndpointStatus::Active,
        _ => EndpointStatus::Paused,
    }
}
