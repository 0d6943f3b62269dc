//! Servers: created, updated, deleted.

use super::pool::{Codes, DONE, Move, Pool, State};

/// What is known of a server.
#[derive(Debug, Clone, Default)]
pub struct Server {
    /// None where it is the address.
    pub nickname: Option<u8>,
    /// Whether sync-services knows it by its service.
    pub mapped: bool,
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
        let to = match state {
            State::Active => Move::Resume,
            _ => Move::Suspend,
        };
        match self.moved(at, to, &SERVER) {
            refused if refused == SERVER.limit => refused,
            gone if gone == SERVER.not_found => NUMBER,
            _ => DONE,
        }
    }
}
