//! Servers: created, updated, deleted, scanned.

use std::collections::BTreeSet;

use super::pool::{Codes, DONE, Monitored, Pool, State};
use super::{Reference, Who};

/// Number and protocol.
pub type Port = (u16, &'static str);

/// What is known of a server.
#[derive(Debug, Clone, Default)]
pub struct Server {
    /// None where it is the address.
    pub nickname: Option<u8>,
    /// Whether sync-services knows it by its service.
    pub mapped: bool,
    /// Whether a manual scan was accepted so short ago that no other is.
    pub cooling: bool,
    /// Ports with an open alert.
    pub alerts: BTreeSet<Port>,
    /// What the last scan found, and the one before it.
    pub found: [Option<BTreeSet<Port>>; 2],
}

pub const SERVER: Codes = Codes {
    not_found: "404 ENDPOINT_NOT_FOUND",
    limit: "403 ENDPOINT_LIMIT_EXCEEDED",
};
const NUMBER: &str = "404 number";

impl Pool<Server> {
    /// By `provision`, which maps the server's service.
    pub fn add(&mut self, name: u8) -> &'static str {
        let outcome = self.provision(name, &[State::Terminated, State::Gone], &SERVER);
        if let Some(at) = self.live(name) {
            self.all[at].known.mapped = true;
        }
        outcome
    }

    /// By `POST /endpoints`. Only a new server starts as it is told.
    pub fn create(&mut self, name: u8, state: State) -> &'static str {
        let outcome = self.provision(name, &[State::Terminated, State::Gone], &SERVER);
        if let Some(new) = self.all.last_mut().filter(|_| outcome == "201") {
            new.state = state;
        }
        outcome
    }

    /// A deleted server is 404, one that is terminated is deleted once more.
    pub fn delete(&mut self, at: usize) -> &'static str {
        match std::mem::replace(&mut self.all[at].state, State::Gone) {
            State::Gone => NUMBER,
            _ => "204",
        }
    }

    pub fn rename(&mut self, at: usize, nickname: u8) -> &'static str {
        if !self.all[at].is_live() {
            return NUMBER;
        }
        self.all[at].known.nickname = Some(nickname);
        DONE
    }

    /// Like suspend and resume, but without a note.
    pub fn set_state(&mut self, at: usize, state: State) -> &'static str {
        let outcome = match state {
            State::Active => self.resume(at, &SERVER),
            _ => self.suspend(at, &SERVER),
        };
        match outcome {
            refused if refused == SERVER.limit => refused,
            gone if gone == SERVER.not_found => NUMBER,
            _ => DONE,
        }
    }

    /// A manual scan is queued, and starts the cooldown.
    pub fn queue_scan(&mut self, at: usize) -> &'static str {
        let server = &mut self.all[at];
        match server.state {
            State::Gone => SERVER.not_found,
            State::Active if server.known.cooling => "429 RATE_LIMITED",
            State::Active => {
                server.known.cooling = true;
                "202"
            }
            _ => "409 ENDPOINT_NOT_ACTIVE",
        }
    }
}

impl Reference {
    /// The cooldown of every server ends.
    pub fn wait(&mut self) {
        for server in self.customers.iter_mut().flat_map(|of| &mut of.servers.all) {
            server.known.cooling = false;
        }
    }

    /// A scan ends.
    pub fn scan(&mut self, who: Who, at: usize, open: &BTreeSet<Port>) {
        let allowed = |port: &Port| {
            self.rules
                .iter()
                .any(|rule| rule.covers_server(who, at) && rule.ports.cover(*port))
        };
        let uncovered = open.iter().copied().filter(|port| !allowed(port)).collect();
        let server = &mut self.customers[who as usize].servers.all[at].known;
        server.alerts = uncovered;
        server.found.swap(0, 1);
        server.found[0] = Some(open.clone());
    }

    /// The servers of a customer that a list of alerts may speak of.
    pub fn alerting(&self, who: Who) -> impl Iterator<Item = &Monitored<Server>> {
        let servers = self.customers[who as usize].servers.all.iter();
        servers.filter(|server| server.state != State::Gone)
    }

    /// The n-th open alert of a customer, counted round, is resolved by hand; tells which it was.
    pub fn resolve_alert(&mut self, who: Who, nth: usize) -> Option<(u8, Port)> {
        let open = self.alerting(who).flat_map(|server| {
            let alerts = server.known.alerts.iter();
            alerts.map(|port| (server.name, *port))
        });
        let open: Vec<(u8, Port)> = open.collect();
        let (name, port) = *open.get(nth.checked_rem(open.len())?)?;
        for server in &mut self.customers[who as usize].servers.all {
            if server.name == name {
                server.known.alerts.remove(&port);
            }
        }
        Some((name, port))
    }
}
