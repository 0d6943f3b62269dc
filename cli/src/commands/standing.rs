//! How the servers or the domains of a customer stand against the capacity for them.

use secmon::model::{EndpointPageMeta, MonitoredDomain};
use secmon::operations::DomainOverview;
use std::collections::BTreeMap;

/// What is paused stands in the service's counts under this name.
const PAUSED: &str = "paused";
const ACTIVE: &str = "active";

/// Records of one kind, and the capacity for them.
#[derive(Debug)]
pub struct Standing {
    /// All that count against the capacity, whatever their state.
    pub used: u64,
    /// How many there may be, where that is known.
    pub capacity: Option<u64>,
    /// How many there are of each state.
    pub by_status: BTreeMap<String, u64>,
    /// How many of the paused ones the platform has paused, where that was looked up.
    pub quota_paused: Option<u64>,
}

impl Standing {
    /// That of servers; which of them the platform has paused, this list does not tell.
    pub fn of_servers(meta: &EndpointPageMeta) -> Self {
        Self {
            used: meta.current_endpoint_count.unwrap_or(meta.total),
            capacity: meta.endpoint_limit,
            by_status: meta.status_counts.clone(),
            quota_paused: None,
        }
    }

    /// That of domains.
    pub fn of_domains(overview: &DomainOverview) -> Self {
        let domains = &overview.domains;
        let mut by_status = BTreeMap::from([(ACTIVE.to_owned(), 0), (PAUSED.to_owned(), 0)]);
        for domain in domains {
            *by_status.entry(domain.status.to_string()).or_default() += 1;
        }
        let by_platform = |domain: &&MonitoredDomain| domain.quota_paused == Some(true);
        let quota_paused = domains.iter().filter(by_platform).count();
        Self {
            used: overview.slots_used.unwrap_or(domains.len() as u64),
            capacity: overview.slots_total,
            by_status,
            quota_paused: u64::try_from(quota_paused).ok(),
        }
    }

    /// How many are paused, by whomever.
    pub fn paused(&self) -> u64 {
        self.by_status.get(PAUSED).copied().unwrap_or_default()
    }

    /// Whether there are more than there may be.
    pub fn is_over_quota(&self) -> bool {
        self.capacity.is_some_and(|capacity| self.used > capacity)
    }

    /// Whether the platform keeps some from being scanned, or may.
    pub fn is_cut(&self) -> bool {
        self.is_over_quota() || self.quota_paused > Some(0)
    }

    /// `6 of 25  [#####---------------]`
    pub fn filling(&self) -> String {
        match self.capacity {
            Some(capacity) => {
                let bar = capacity_bar(self.used, capacity);
                format!("{} of {capacity}  {bar}", self.used)
            }
            None => self.used.to_string(),
        }
    }

    /// `1 active, 5 paused, 5 of them by the platform: over quota`
    pub fn states(&self) -> String {
        let state = |(status, count): (&String, &u64)| match self.quota_paused {
            Some(by_platform @ 1..) if status == PAUSED => {
                format!("{count} {status}, {by_platform} of them by the platform")
            }
            _ => format!("{count} {status}"),
        };
        let states: Vec<String> = self.by_status.iter().map(state).collect();
        let over = if self.is_over_quota() {
            ": over quota"
        } else {
            ""
        };
        format!("{}{over}", states.join(", "))
    }
}

/// How full a capacity is: only one with room left has a bar with room left.
fn capacity_bar(used: u64, capacity: u64) -> String {
    const WIDTH: u64 = 20;
    let filled = match used >= capacity {
        true => WIDTH,
        false => (used * WIDTH).div_ceil(capacity).min(WIDTH - 1),
    };
    let cells = |sign: &str, count: u64| sign.repeat(usize::try_from(count).unwrap_or(0));
    format!("[{}{}]", cells("#", filled), cells("-", WIDTH - filled))
}
