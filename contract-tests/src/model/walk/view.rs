//! What a customer sees, and should see.

use std::collections::BTreeSet;

use secmon::model::{
    DomainAlert, DomainAlertStatus, DomainStatus, EndpointStatus, PortAlertStatus, RuleId,
};
use secmon::operations::{ListEndpoints, ListPortAlerts, ListRules};

use super::super::reference::{AlertState, Port, RAISED, State, Who};
use super::{Walk, address, domain, same};

/// Capacity, usage, and the records, oldest first.
type Records<T> = (u64, u64, Vec<T>);

impl Walk<'_> {
    pub(super) async fn compare(&self, who: Who) -> Result<(), String> {
        let servers = self.shown_servers(who).await;
        same("servers", servers, self.expected_servers(who))?;
        let domains = self.shown_domains(who).await;
        same("domains", domains, self.expected_domains(who))?;
        let rules = self.shown_rules(who).await;
        same("rules", rules, self.expected_rules(who))?;
        let alerts = self.shown_alerts(who).await;
        same("alerts", alerts, self.expected_alerts(who))
    }

    pub(super) async fn compare_all(&self, who: Who) -> Result<(), String> {
        self.compare(who).await?;
        let expected = &self.expected.customers[who as usize];
        for (at, server) in expected.servers.all.iter().enumerate() {
            if server.is_live() {
                self.compare_detail(who, at).await?;
            }
        }
        for (at, domain) in expected.domains.all.iter().enumerate() {
            if domain.state != State::Gone {
                self.compare_alerts_of(who, at).await?;
            }
        }
        Ok(())
    }

    async fn shown_servers(&self, who: Who) -> Records<(String, State, String)> {
        let list = ListEndpoints::new(self.sides[who as usize].customer.id).per_page(100);
        let page = self.account.client.send(list).await.expect("a page");
        let page = page.into_data();
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

    async fn shown_domains(&self, who: Who) -> Records<(String, State, [Option<u64>; 4])> {
        let reads = self.account.client.domains();
        let overview = reads.list(self.sides[who as usize].customer.id).await;
        let overview = overview.expect("an overview").into_data();
        let domains = overview.domains.expect("the domains");
        let domains = domains.into_iter().map(|domain| {
            let by_platform = domain.quota_paused == Some(true);
            let state = match domain.status {
                DomainStatus::Active => State::Active,
                DomainStatus::Paused if by_platform => State::PausedByPlatform,
                DomainStatus::Paused => State::Paused,
                _ => State::Gone,
            };
            let counts = [
                domain.employees_compromised,
                domain.customers_compromised,
                domain.third_parties_compromised,
                domain.dark_web_mentions_count,
            ];
            (domain.domain, state, counts)
        });
        let number = |number: Option<u64>| number.unwrap_or(u64::MAX);
        (
            number(overview.slots_total),
            number(overview.slots_used),
            domains.collect(),
        )
    }

    fn expected_domains(&self, who: Who) -> Records<(String, State, [Option<u64>; 4])> {
        let pool = &self.expected.customers[who as usize].domains;
        let live = pool.all.iter().filter(|shown| shown.is_live());
        let counts = |counts: [u64; 4]| counts.map(Some);
        let domains =
            live.map(|shown| (domain(shown.name), shown.state, counts(shown.known.counts)));
        let (capacity, usage) = (pool.capacity() as u64, pool.usage() as u64);
        (capacity, usage, domains.collect())
    }

    async fn shown_rules(&self, who: Who) -> Vec<(RuleId, u16, u16, String)> {
        let list = ListRules::new(self.sides[who as usize].customer.id).per_page(100);
        let rules = self.account.client.pages(list).collect_all().await;
        let rules = rules.expect("a list").into_iter().map(|rule| {
            let protocol = rule.protocol.to_string();
            (rule.id, rule.port_start, rule.port_end, protocol)
        });
        rules.collect()
    }

    fn expected_rules(&self, who: Who) -> Vec<(RuleId, u16, u16, String)> {
        let rules = self.rules.iter().zip(&self.expected.rules);
        let rules = rules.filter(|(_, rule)| rule.is_shown_to(who));
        let rules = rules.map(|(id, rule)| {
            let ports = rule.ports;
            (*id, ports.first, ports.last, ports.protocol.to_owned())
        });
        rules.collect()
    }

    async fn shown_alerts(&self, who: Who) -> BTreeSet<(String, u16, String)> {
        let list = ListPortAlerts::new(self.sides[who as usize].customer.id)
            .status(PortAlertStatus::Open)
            .per_page(100);
        let alerts = self.account.client.pages(list).collect_all().await;
        let alerts = alerts.expect("a list").into_iter().map(|alert| {
            let address = alert.ip_address.map_or_else(String::new, String::from);
            (address, alert.port, alert.protocol.to_string())
        });
        alerts.collect()
    }

    fn expected_alerts(&self, who: Who) -> BTreeSet<(String, u16, String)> {
        let alerts = self.expected.alerting(who).flat_map(|server| {
            let alerts = server.known.alerts.iter();
            alerts.map(|(port, protocol)| (address(server.name), *port, (*protocol).to_owned()))
        });
        alerts.collect()
    }

    /// What the last scans of a server found.
    pub(super) async fn compare_detail(&self, who: Who, at: usize) -> Result<(), String> {
        let id = self.sides[who as usize].servers[at];
        let detail = self.account.client.servers().detail_account_wide(id).await;
        let detail = detail.expect("a detail").into_data();
        let set = |ports: &[u16]| ports.iter().copied().collect::<BTreeSet<u16>>();
        let open = detail.latest_scan.and_then(|scan| scan.open_ports);
        let open = open.map(|ports| set(&ports));
        let shown = (open, set(&detail.new_ports), set(&detail.closed_ports));
        let server = &self.expected.customers[who as usize].servers.all[at].known;
        let numbers = |ports: &BTreeSet<Port>| ports.iter().map(|(port, _)| *port).collect();
        let found = server.found.each_ref();
        let [last, before] = found.map(|ports| ports.as_ref().map(numbers));
        let expected = match (last, before) {
            (Some(last), Some(before)) => {
                let before: BTreeSet<u16> = before;
                let (new, closed) = (&last - &before, &before - &last);
                (Some(last), new, closed)
            }
            (last, _) => (last, BTreeSet::new(), BTreeSet::new()),
        };
        same("open, new and closed ports", shown, expected)
    }

    /// The alerts of a domain, as they are about something, were counted, and stand.
    pub(super) async fn compare_alerts_of(&self, who: Who, at: usize) -> Result<(), String> {
        let listed = self.alerts_of(who, at).await;
        let ids = &self.sides[who as usize].alerts[at];
        let mut shown: Vec<_> = listed
            .iter()
            .map(|alert| {
                let place = ids.iter().position(|id| *id == alert.id);
                let counts = (alert.new_count, alert.previous_count);
                (place, about(alert), counts, alert.status.clone())
            })
            .collect();
        shown.sort();
        let domain = &self.expected.customers[who as usize].domains.all[at].known;
        let expected = domain.alerts.iter().enumerate().map(|(place, alert)| {
            let status = match alert.state {
                AlertState::Open => DomainAlertStatus::Open,
                AlertState::Acknowledged => DomainAlertStatus::Acknowledged,
                AlertState::Resolved => DomainAlertStatus::Resolved,
            };
            let counts = (Some(alert.new_count), Some(alert.previous_count));
            (Some(place), Some(alert.about), counts, status)
        });
        same("alerts of a domain", shown, expected.collect())
    }
}

/// Which of the counts an alert is about; none when it is none of them.
pub(super) fn about(alert: &DomainAlert) -> Option<usize> {
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let shown = [
        alert.kind.as_str().to_owned(),
        text(alert.category.as_ref().map(|category| category.as_str())),
        text(alert.severity.as_ref().map(|severity| severity.as_str())),
    ];
    RAISED.iter().position(|raised| shown == *raised)
}
