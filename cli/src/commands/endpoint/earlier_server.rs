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

    /// Those that moves have ended when they made, or restored, this server, the newest first.
    fn before<'a>(changes: &'a [ChangeRow], id: EndpointId) -> impl Iterator<Item = Self> + 'a {
        let id = id.to_string();
        let moves = changes.iter().enumerate().rev();
        let made = moves.filter(move |(_, change)| {
            change.verb == MOVE_SERVER
                && !change.operation.starts_with("terminate_")
                && change.record.as_ref() == Some(&id)
        });
        made.filter_map(|(place, made)| Self::ended_by(made, &changes[place..]))
    }

    /// A move that was interrupted is gone on with by the same line: so its two ends may be of two runs.
    fn ended_by(made: &ChangeRow, since: &[ChangeRow]) -> Option<Self> {
        let ended = since.iter().find(|change| {
            change.verb == MOVE_SERVER
                && change.command == made.command
                && change.operation == "terminate_endpoint"
                && change.record != made.record
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

/// Every server that this one has been. One that was moved away and back is told once.
pub fn all(changes: &[ChangeRow], id: EndpointId) -> Vec<EarlierServer> {
    let mut earlier: Vec<EarlierServer> = Vec::new();
    let mut to_follow = vec![id];
    while let Some(next) = to_follow.pop() {
        for before in EarlierServer::before(changes, next) {
            if before.id != id && earlier.iter().all(|known| known.id != before.id) {
                to_follow.push(before.id);
                earlier.push(before);
            }
        }
    }
    earlier
}
