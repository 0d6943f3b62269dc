//! Which servers are still monitored, and what they are called. The rules and alerts of a server that was terminated or
//! deleted stay in the service's lists, and mean nothing any more.

use crate::error::CliError;
use crate::references;
use crate::session::Session;
use secmon::model::{CustomerId, Endpoint, EndpointId, EndpointPage, EndpointStatus, Rule};
use secmon::operations::ListEndpoints;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The servers that one call has listed.
#[derive(Debug, Default)]
pub struct Live {
    servers: HashMap<EndpointId, Endpoint>,
    /// Whether there are no others.
    is_whole: bool,
}

impl Live {
    /// Asks for the servers of a customer or of the account, by one call.
    pub async fn read(session: &Session, whose: Option<CustomerId>) -> Result<Self, CliError> {
        let mut list = ListEndpoints::account_wide().per_page(references::PAGE_SIZE);
        list.billing_customer_id = whose;
        Ok(Self::of(session.read(list).await?))
    }

    /// The same once, and only where something is about a server; else nothing is known of them.
    pub async fn read_once(
        known: &mut Option<Self>,
        mut is_about_server: impl Iterator<Item = bool>,
        read: impl AsyncFnOnce() -> Result<Self, CliError>,
    ) -> Result<&Self, CliError> {
        if known.is_none() && is_about_server.any(|is| is) {
            *known = Some(read().await?);
        }
        static NOTHING: LazyLock<Live> = LazyLock::new(Live::default);
        Ok(known.as_ref().unwrap_or(&NOTHING))
    }

    /// All servers there are.
    pub fn all(servers: Vec<Endpoint>) -> Self {
        Self {
            is_whole: true,
            servers: servers
                .into_iter()
                .map(|server| (server.id, server))
                .collect(),
        }
    }

    /// The servers of the first page of a list.
    pub fn of(page: EndpointPage) -> Self {
        let count = u64::try_from(page.data.len()).ok();
        Self {
            is_whole: page.meta.total == count,
            servers: page
                .data
                .into_iter()
                .map(|server| (server.id, server))
                .collect(),
        }
    }

    /// Whether a rule is for a server that has ended. Where not all servers are known, only its own record can tell.
    pub fn has_ended(&self, rule: &Rule) -> bool {
        let server = rule.endpoint.as_ref();
        self.lacks(rule.endpoint_id)
            || server.is_some_and(|server| server.status == EndpointStatus::Terminated)
    }

    /// Whether a server is known not to be monitored any more.
    pub fn lacks(&self, server: Option<EndpointId>) -> bool {
        self.is_whole && server.is_some_and(|id| !self.servers.contains_key(&id))
    }

    /// The servers that were listed.
    pub fn servers(&self) -> impl Iterator<Item = &Endpoint> {
        self.servers.values()
    }

    /// A server, where it was listed.
    pub fn server(&self, id: Option<EndpointId>) -> Option<&Endpoint> {
        self.servers.get(&id?)
    }
}
