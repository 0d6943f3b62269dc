//! Reports of sync-services, and what is answered.

use super::customers::{Customer, Reference, Who};
use super::pool::{DONE, Move, Pool, State, Status};
use super::servers::SERVER;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    Plan(usize),
    Slots(usize),
    /// That of the server at this address.
    Server(u8),
}

#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub who: Who,
    pub service: Service,
    pub to: Status,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    pub changed: u64,
    pub unchanged: u64,
    pub unknown: Vec<(Who, Service)>,
    /// Of customers whose services changed: servers and domains.
    pub enforcement: Vec<(Who, [Capacity; 2])>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capacity {
    pub capacity: usize,
    pub usage: usize,
    /// Newest first.
    pub newly_paused: Vec<u8>,
    /// Oldest first.
    pub unpaused: Vec<u8>,
}

impl Reference {
    pub fn sync(&mut self, entries: &[Entry]) -> Report {
        let before = self.customers.clone();
        let mut report = Report::default();
        let mut touched = [false; 2];
        for Entry { who, service, to } in entries.iter().copied() {
            match self.customers[who as usize].sync(service, to) {
                None => report.unknown.push((who, service)),
                Some(false) => report.unchanged += 1,
                Some(true) => {
                    report.changed += 1;
                    touched[who as usize] = true;
                }
            }
        }
        for who in [Who::One, Who::Other] {
            let (after, before) = (&mut self.customers[who as usize], &before[who as usize]);
            if touched[who as usize] {
                after.servers.reconcile();
                after.domains.reconcile();
                let servers = after.servers.since(&before.servers);
                let domains = after.domains.since(&before.domains);
                report.enforcement.push((who, [servers, domains]));
            }
        }
        report
    }
}

impl Customer {
    /// Whether it changed anything; none when nobody knows the service.
    fn sync(&mut self, service: Service, to: Status) -> Option<bool> {
        let subscription = match service {
            Service::Plan(by) => &mut self.servers.services[by],
            Service::Slots(by) => &mut self.domains.services[by],
            Service::Server(name) => return self.sync_server(name, to),
        };
        let status = &mut subscription.as_mut()?.status;
        Some(std::mem::replace(status, to) != to)
    }

    fn sync_server(&mut self, name: u8, to: Status) -> Option<bool> {
        let mut servers = self.servers.all.iter();
        let at = servers.position(|server| server.name == name && server.known.mapped)?;
        let to = match to {
            Status::Active => Move::Resume,
            Status::Suspended => Move::Suspend,
            Status::Cancelled => Move::Terminate,
        };
        Some(self.servers.moved(at, to, &SERVER) == DONE)
    }
}

impl<T: Default> Pool<T> {
    fn since(&self, before: &Self) -> Capacity {
        let moves = self.all.iter().zip(&before.all);
        let paused = |state: State| state == State::PausedByPlatform;
        let newly_paused = moves
            .clone()
            .filter(|(now, then)| paused(now.state) && !paused(then.state));
        let unpaused = moves.filter(|(now, then)| now.state == State::Active && paused(then.state));
        Capacity {
            capacity: self.capacity(),
            usage: self.usage(),
            newly_paused: newly_paused.rev().map(|(now, _)| now.name).collect(),
            unpaused: unpaused.map(|(now, _)| now.name).collect(),
        }
    }
}
