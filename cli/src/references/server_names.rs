//! Which of the changes that this computer remembers were about a server.

use super::reference::Reference;
use crate::state::StateDb;
use crate::state::history::ChangeRow;
use secmon::model::{CustomerId, EndpointId};

/// What a server may be called in a change: it may have moved, or be gone.
#[derive(Debug)]
pub struct ServerNames<'a> {
    name: &'a str,
    ids: Vec<String>,
    addresses: Vec<String>,
    customers: Vec<CustomerId>,
}

impl<'a> ServerNames<'a> {
    /// The server as it was typed, as commands have seen it, and as earlier changes name it: it may be gone.
    pub fn new(state: &StateDb, changes: &[ChangeRow], typed: &Reference<'a>) -> Self {
        let mut servers = state.known().servers;
        servers.extend(state.gone_servers());
        let known = match typed.id {
            Some(id) => servers.iter().filter(|server| server.id == id).collect(),
            None => typed.fit(&servers).servers,
        };
        let named = changes
            .iter()
            .filter(|change| {
                change.operation.ends_with("_endpoint") && names(&change.about, typed.text)
            })
            .filter_map(|change| change.record.clone());
        let ids = typed
            .id
            .into_iter()
            .chain(known.iter().map(|server| server.id));
        let mut customers: Vec<CustomerId> =
            known.iter().filter_map(|server| server.customer).collect();
        customers.sort_unstable();
        customers.dedup();
        Self {
            customers,
            name: typed.text,
            ids: ids.map(|id| id.to_string()).chain(named).collect(),
            addresses: known.iter().map(|server| server.ip.clone()).collect(),
        }
    }

    /// Whose servers are called so, each once.
    pub fn customers(&self) -> &[CustomerId] {
        &self.customers
    }

    /// The same for a server that was found.
    #[must_use]
    pub fn and_of(mut self, id: EndpointId, address: &str) -> Self {
        self.ids.push(id.to_string());
        self.addresses.push(address.to_owned());
        self
    }

    /// Whether a change was about it.
    pub fn are_in(&self, change: &ChangeRow) -> bool {
        let is_its = |id: &Option<String>| id.as_ref().is_some_and(|id| self.ids.contains(id));
        let is_called = |moved: &String| moved == self.name || self.addresses.contains(moved);
        is_its(&change.record)
            || is_its(&change.server)
            || names(&change.about, self.name)
            || change.moved.iter().any(is_called)
    }
}

/// Whether a text has this name as a whole: 203.0.113.1 is no part of 203.0.113.10.
fn names(text: &str, name: &str) -> bool {
    let (text, name) = (text.to_lowercase(), name.trim().to_lowercase());
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
    let stands_alone = |at: usize| {
        let (before, rest) = text.split_at(at);
        let after = rest.get(name.len()..).unwrap_or_default();
        !before.ends_with(joins) && !after.starts_with(joins)
    };
    !name.is_empty() && text.match_indices(&name).any(|(at, _)| stands_alone(at))
}
