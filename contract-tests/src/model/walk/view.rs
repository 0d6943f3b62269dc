//! What a customer sees, and should see.

use secmon::model::{DomainStatus, EndpointStatus};
use secmon::operations::ListEndpoints;

use super::super::reference::{State, Who};
use super::{Walk, address, domain, same};

/// Capacity, usage, and the records, oldest first.
type Records<T> = (u64, u64, Vec<T>);

impl Walk<'_> {
    pub(super) async fn compare(&self, who: Who) -> Result<(), String> {
        let servers = self.shown_servers(who).await;
        same("servers", servers, self.expected_servers(who))?;
        let domains = self.shown_domains(who).await;
        same("domains", domains, self.expected_domains(who))
    }

    async fn shown_servers(&self, who: Who) -> Records<(String, State, String)> {
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
            (server.ip_address.to_string(), state, nickname)
        });
        let meta = &page.meta;
        let number = |number: Option<u64>| number.unwrap_or(u64::MAX);
        let (limit, count) = (meta.endpoint_limit, meta.current_endpoint_count);
        (number(limit), number(count), servers.collect())
    }

    fn expected_servers(&self, who: Who) -> Records<(String, State, String)> {
        let pool = &self.expected.customers[who as usize].servers;
        let live = pool.all.iter().filter(|server| server.is_live());
        let servers = live.map(|server| {
            let address = address(server.name);
            let nickname = server.known.nickname.map(|nickname| nickname.to_string());
            let nickname = nickname.unwrap_or_else(|| address.clone());
            (address, server.state, nickname)
        });
        let (capacity, usage) = (pool.capacity() as u64, pool.usage() as u64);
        (capacity, usage, servers.collect())
    }

    async fn shown_domains(&self, who: Who) -> Records<(String, State)> {
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
            (domain.domain, state)
        });
        let number = |number: Option<u64>| number.unwrap_or(u64::MAX);
        (
            number(overview.slots_total),
            number(overview.slots_used),
            domains.collect(),
        )
    }

    fn expected_domains(&self, who: Who) -> Records<(String, State)> {
        let pool = &self.expected.customers[who as usize].domains;
        let live = pool.all.iter().filter(|shown| shown.is_live());
        let domains = live.map(|shown| (domain(shown.name), shown.state));
        let (capacity, usage) = (pool.capacity() as u64, pool.usage() as u64);
        (capacity, usage, domains.collect())
    }
}
