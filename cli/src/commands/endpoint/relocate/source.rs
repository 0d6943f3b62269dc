//! What of a server goes along when it moves.

use crate::commands::common::moving::MOVE_SERVER;
use crate::commands::lifecycle::Resource;
use crate::references::ServerTarget;
use crate::state::StateDb;
use secmon::model::{Endpoint, EndpointStatus};

/// Whether a move from this computer has made this server at its address.
pub fn made_by_move(state: &StateDb, id: &str, about: &str) -> bool {
    let creates = ["create_endpoint", "provision_endpoint"];
    state.changes().iter().any(|change| {
        change.record.as_deref() == Some(id)
            && change.about == about
            && creates.contains(&change.operation.as_str())
            && change.verb == MOVE_SERVER
    })
}

/// The server as the changes of state take it.
pub fn resource(server: &Endpoint) -> Resource {
    Resource::Server(Box::new(ServerTarget::from(server.clone())))
}

/// What somebody has suspended stays so; what the platform has paused, it decides anew.
pub fn is_suspended(server: &Endpoint) -> bool {
    server.status == EndpointStatus::Paused && server.quota_paused != Some(true)
}

/// A nickname that is not its address.
pub fn own_nickname(server: &Endpoint) -> Option<String> {
    let name = server.nickname.clone();
    name.filter(|name| !name.is_empty() && server.ip_address != name.as_str())
}

/// A host name that is not its address.
pub fn own_hostname(server: &Endpoint) -> Option<String> {
    let name = server.hostname.clone();
    name.filter(|name| server.ip_address != name.as_str())
}
