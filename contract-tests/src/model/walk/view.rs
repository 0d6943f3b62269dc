//! What a customer sees, and should see.

use std::fmt::{self, Display, Formatter};

use secmon::model::{DomainStatus, EndpointStatus};
use secmon::operations::ListEndpoints;

use super::super::reference::{State, Who};
use super::super::words::{address, domain, listed, told};
use super::{Walk, same};

/// What a customer has of one kind.
#[derive(PartialEq)]
pub(super) struct Records<T> {
    capacity: Option<u64>,
    usage: Option<u64>,
    /// Oldest first.
    records: Vec<T>,
}

#[derive(PartialEq)]
pub(super) struct ShownServer {
    address: String,
    state: State,
    nickname: String,
}

#[derive(PartialEq)]
pub(super) struct ShownDomain {
    name: String,
    state: State,
}

impl<T: Display> Display for Records<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let [capacity, usage] = [self.capacity, self.usage].map(told);
        let records = listed(&self.records);
        write!(f, "{records} (limit {capacity}, in use {usage})")
    }
}

impl Display for ShownServer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.address, self.state)?;
        match self.nickname == self.address {
            true => Ok(()),
            false => write!(f, " with nickname {}", self.nickname),
        }
    }
}

impl Display for ShownDomain {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.state)
    }
}

impl Walk<'_> {
    pub(super) async fn compare(&self, who: Who) -> Result<(), String> {
        let servers = self.shown_servers(who).await;
        same("servers", servers, self.expected_servers(who))?;
        let domains = self.shown_domains(who).await;
        same("domains", domains, self.expected_domains(who))
    }

    async fn shown_servers(&self, who: Who) -> Records<ShownServer> {
        let list = ListEndpoints::new(self.sides[who as usize].customer.id).per_page(100);
        let page = self.account.client.send(list).await.expect("a page");
        let page = page.into_inner();
        let servers = page.data.iter().map(|server| {
            let by_platform = server.quota_paused == Some(true);
            let state = match server.status {
                EndpointStatus::Active => State::Active,
                EndpointStatus::Paused if by_platform => State::PausedByPlatform,
                EndpointStatus::Paused => State::Paused,
                _ => State::Gone,
            };
            let nickname = server.nickname.clone().unwrap_or_default();
            ShownServer {
                address: server.ip_address.to_string(),
                state,
                nickname,
            }
        });
        let meta = &page.meta;
        Records {
            capacity: meta.endpoint_limit,
            usage: meta.current_endpoint_count,
            records: servers.collect(),
        }
    }

    fn expected_servers(&self, who: Who) -> Records<ShownServer> {
        let pool = &self.expected.customers[who as usize].servers;
        let live = pool.all.iter().filter(|server| server.is_live());
        let servers = live.map(|server| {
            let address = address(server.name);
            let nickname = server.known.nickname.map(|nickname| nickname.to_string());
            let nickname = nickname.unwrap_or_else(|| address.clone());
            ShownServer {
                address,
                state: server.state,
                nickname,
            }
        });
        Records {
            capacity: Some(pool.capacity() as u64),
            usage: Some(pool.usage() as u64),
            records: servers.collect(),
        }
    }

    async fn shown_domains(&self, who: Who) -> Records<ShownDomain> {
        let reads = self.account.client.domains();
        let overview = reads.list(self.sides[who as usize].customer.id).await;
        let overview = overview.expect("an overview").into_inner();
        let domains = overview.domains.expect("the domains");
        let domains = domains.into_iter().map(|domain| {
            let by_platform = domain.quota_paused == Some(true);
            let state = match domain.status {
                DomainStatus::Active => State::Active,
                DomainStatus::Paused if by_platform => State::PausedByPlatform,
                DomainStatus::Paused => State::Paused,
                _ => State::Gone,
            };
            ShownDomain {
                name: domain.domain,
                state,
            }
        });
        Records {
            capacity: overview.slots_total,
            usage: overview.slots_used,
            records: domains.collect(),
        }
    }

    fn expected_domains(&self, who: Who) -> Records<ShownDomain> {
        let pool = &self.expected.customers[who as usize].domains;
        let live = pool.all.iter().filter(|shown| shown.is_live());
        let domains = live.map(|shown| ShownDomain {
            name: domain(shown.name),
            state: shown.state,
        });
        Records {
            capacity: Some(pool.capacity() as u64),
            usage: Some(pool.usage() as u64),
            records: domains.collect(),
        }
    }
}
