//! What a server was before this computer moved it: a move makes a new one and ends the old one.

use crate::commands::common::moving::MOVE_SERVER;
use crate::state::history::ChangeRow;
use secmon::model::{CustomerId, EndpointId};
use std::fmt;

/// A server that has ended, and whose name and rules went along.
#[derive(Debug)]
pub struct EarlierServer {
    /// Its id.
    pub id: EndpointId,
    /// Whose it was.
    pub customer: CustomerId,
    address: Option<String>,
}

impl EarlierServer {
    /// Whether a change was about it.
    pub fn is_in(&self, change: &ChangeRow) -> bool {
        let id = self.id.to_string();
        let is_its = |one: &Option<String>| one.as_ref() == Some(&id);
        is_its(&change.record) || is_its(&change.server)
    }

    /// The one that a move has ended when it made this server. A move that was interrupted is gone on with by the same
    /// line: so its two ends may be of two runs.
    fn of(changes: &[ChangeRow], id: EndpointId) -> Option<Self> {
        let id = id.to_string();
        let made = changes.iter().rposition(|change| {
            change.verb == MOVE_SERVER
                && !change.operation.starts_with("terminate_")
                && change.record.as_ref() == Some(&id)
        })?;
        let line = &changes[made].command;
        let ended = changes[made..].iter().find(|change| {
            change.verb == MOVE_SERVER
                && change.command == *line
                && change.operation == "terminate_endpoint"
                && change.record.as_ref() != Some(&id)
        })?;
        let before = ended.before.as_ref();
        let address = before.and_then(|before| before.get("ip_address")?.as_str());
        Some(Self {
            id: ended.record.as_ref()?.parse().ok()?,
            customer: *ended.customers.first()?,
            address: address.map(str::to_owned),
        })
    }
}

impl fmt::Display for EarlierServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.address {
            Some(address) => write!(f, "{address} of customer {}", self.customer),
            None => write!(f, "the earlier server of customer {}", self.customer),
        }
    }
}

/// Every server that this one has been, the newest first. One that was moved away and back is told once.
pub fn all(changes: &[ChangeRow], id: EndpointId) -> Vec<EarlierServer> {
    let mut earlier: Vec<EarlierServer> = Vec::new();
    let mut newest = id;
    while let Some(before) = EarlierServer::of(changes, newest) {
        newest = before.id;
        if newest == id || earlier.iter().any(|known| known.id == newest) {
            break;
        }
        earlier.push(before);
    }
    earlier
}
