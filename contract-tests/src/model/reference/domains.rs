//! Domains: renamed, released.

use super::pool::{Codes, DONE, NOT_CHANGEABLE, NOTE, Pool, State, Status};

/// What is known of a domain besides its name and state: nothing.
#[derive(Debug, Clone, Default)]
pub struct Domain;

pub const DOMAIN: Codes = Codes {
    not_found: "404 DOMAIN_NOT_FOUND",
    limit: "403 DOMAIN_LIMIT_EXCEEDED",
};

impl Pool<Domain> {
    pub fn add(&mut self, name: u8) -> &'static str {
        self.provision(name, &[State::Terminated], &DOMAIN)
    }

    pub fn rename(&mut self, at: usize, name: u8) -> &'static str {
        let domain = &self.all[at];
        if !domain.is_live() {
            return DOMAIN.not_found;
        }
        if domain.name == name {
            return NOTE;
        }
        if self.live(name).is_some() {
            return "409 DOMAIN_ALREADY_EXISTS";
        }
        self.all[at].name = name;
        DONE
    }

    /// Gives a domain and its slot up.
    pub fn release(&mut self, at: usize, service: usize) -> &'static str {
        if self.all[at].state == State::Gone {
            return DOMAIN.not_found;
        }
        let Some(slots) = self.services[service].as_mut() else {
            unreachable!("the walk releases by services that exist");
        };
        match (slots.status, slots.buys) {
            (Status::Cancelled, _) => return NOT_CHANGEABLE,
            (_, 1) => slots.status = Status::Cancelled,
            (_, more) => slots.buys = more - 1,
        }
        self.all[at].state = State::Gone;
        self.reconcile();
        DONE
    }
}
