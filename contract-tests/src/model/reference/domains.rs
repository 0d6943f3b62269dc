//! Domains: renamed, released, scanned, and their alerts.

use super::Customer;
use super::pool::{Codes, DONE, NOT_CHANGEABLE, NOTE, Pool, State, Status};

/// What a scan of a domain counts, as the alert about it says it: type, category, severity.
pub const RAISED: [[&str; 3]; 4] = [
    ["credential_leak", "employees", "critical"],
    ["credential_leak", "customers", "high"],
    ["credential_leak", "third_parties", "medium"],
    ["dark_web_mention", "employees", "high"],
];

/// What is known of a domain.
#[derive(Debug, Clone, Default)]
pub struct Domain {
    pub counts: [u64; 4],
    /// Scan after scan, each in the order of what is counted.
    pub alerts: Vec<Alert>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alert {
    /// Of what is counted.
    pub about: usize,
    pub new_count: u64,
    pub previous_count: u64,
    pub state: AlertState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlertState {
    Open,
    Acknowledged,
    Resolved,
}

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

    /// An alert about each count that grew.
    pub fn scan(&mut self, at: usize, found: [u64; 4]) {
        let domain = &mut self.all[at].known;
        for (about, new_count) in found.into_iter().enumerate() {
            let previous_count = std::mem::replace(&mut domain.counts[about], new_count);
            if new_count > previous_count {
                domain.alerts.push(Alert {
                    about,
                    new_count,
                    previous_count,
                    state: AlertState::Open,
                });
            }
        }
    }

    /// Acknowledges an alert, or resolves it.
    pub fn move_alert(&mut self, at: usize, alert: usize, to: AlertState) -> &'static str {
        let domain = &mut self.all[at];
        if domain.state == State::Gone {
            return DOMAIN.not_found;
        }
        let alert = &mut domain.known.alerts[alert].state;
        match (to, *alert) {
            (AlertState::Resolved, AlertState::Acknowledged) => *alert = to,
            (AlertState::Resolved, _) => return "422 ALERT_NOT_ACKNOWLEDGED",
            (_, AlertState::Resolved) => return "422 ALERT_ALREADY_RESOLVED",
            (..) => *alert = to,
        }
        DONE
    }
}

impl Customer {
    /// Gives a domain and its slot up.
    pub fn release(&mut self, at: usize, service: usize) -> &'static str {
        if self.domains.all[at].state == State::Gone {
            return DOMAIN.not_found;
        }
        let Some(slots) = self.domains.services[service].as_mut() else {
            unreachable!("the walk releases by services that exist");
        };
        match (slots.status, slots.buys) {
            (Status::Cancelled, _) => return NOT_CHANGEABLE,
            (_, 1) => slots.status = Status::Cancelled,
            (_, more) => slots.buys = more - 1,
        }
        self.domains.all[at].state = State::Gone;
        self.domains.reconcile();
        DONE
    }
}
