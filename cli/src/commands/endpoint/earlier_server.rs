//! Servers that have ended: what a server was before this computer moved it, since a move makes a new one and ends the old
//! one, and what is left of one that is asked for itself.

use crate::commands::common::moving::MOVE_SERVER;
use crate::error::CliError;
use crate::references::{self, Reference};
use crate::session::Session;
use crate::state::history::ChangeRow;
use crate::state::records::Server;
use secmon::model::{CustomerId, EndpointId};
use std::fmt;

/// A server that has ended, and whose name and rules went along.
#[derive(Debug, Clone)]
pub struct EarlierServer {
    /// Its id.
    pub id: EndpointId,
    /// Whose it was.
    pub customer: CustomerId,
    /// Where it stood.
    pub address: String,
}

impl EarlierServer {
    /// Whether a change was about it.
    pub fn is_in(&self, change: &ChangeRow) -> bool {
        let id = self.id.to_string();
        let is_its = |one: &Option<String>| one.as_ref() == Some(&id);
        is_its(&change.record) || is_its(&change.server)
    }

    /// One that earlier commands have seen, and no list shows any more.
    fn seen(server: &Server) -> Option<Self> {
        Some(Self {
            id: server.id,
            customer: server.customer?,
            address: server.ip.clone(),
        })
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
            address: address.unwrap_or("an earlier server").to_owned(),
        })
    }
}

impl fmt::Display for EarlierServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of customer {}", self.address, self.customer)
    }
}

/// The server that a name stood for before it ended, as far as this computer has seen it; else `missing`, that there is
/// none of this name.
pub fn ended(session: &Session, typed: &str, missing: CliError) -> Result<EarlierServer, CliError> {
    let reference = Reference::parse(typed)?;
    let gone = references::ended_servers(session);
    let fitting = match reference.id {
        Some(id) => gone.iter().filter(|server| server.id == id).collect(),
        None => reference.fit(&gone).servers,
    };
    let ended = fitting.into_iter().filter_map(EarlierServer::seen);
    match ended.collect::<Vec<_>>().as_slice() {
        [] => Err(missing),
        [one] => Ok(one.clone()),
        several => {
            let commands = several.iter();
            let commands =
                commands.map(|ended| format!("`endpoint history {}` ({ended})", ended.id));
            let commands: Vec<String> = commands.collect();
            Err(missing.hint(format!(
                "servers of this name have ended: {}",
                commands.join(", ")
            )))
        }
    }
}

/// What a move from this computer made of a server that it ended; behind `-c` nothing of another customer.
pub fn moved_to(session: &Session, changes: &[ChangeRow], id: EndpointId) -> Option<EndpointId> {
    let id = id.to_string();
    let ends = |change: &ChangeRow| {
        change.verb == MOVE_SERVER
            && change.operation == "terminate_endpoint"
            && change.record.as_ref() == Some(&id)
    };
    let place = changes.iter().rposition(ends)?;
    let makes = |change: &&ChangeRow| {
        change.verb == MOVE_SERVER
            && change.command == changes[place].command
            && ["create_endpoint", "provision_endpoint"].contains(&change.operation.as_str())
    };
    let made = changes[..place].iter().rfind(makes)?;
    let wall = session.settings.customer;
    if wall.is_some_and(|customer| !made.customers.contains(&customer)) {
        return None;
    }
    made.record.as_ref()?.parse().ok()
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
