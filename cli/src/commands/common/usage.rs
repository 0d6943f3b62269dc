//! How much of the capacity for them the servers or the domains of a customer use.

use crate::ui::outcome::count_or_unknown;
use secmon::model::{DomainStatus, EndpointPageMeta, MonitoredDomain};
use secmon::operations::DomainOverview;
use std::collections::BTreeMap;

/// What is paused stands in the service's counts under this name.
const PAUSED: &str = "paused";

const ACTIVE: &str = "active";

/// Records of one kind, and the capacity for them.
#[derive(Debug)]
pub struct Usage {
    /// All that count against the capacity, whatever their state, where that is known.
    pub used: Option<u64>,
    /// How many there may be, where that is known.
    pub capacity: Option<u64>,
    /// How many there are of each state, where that is known.
    pub by_status: Option<BTreeMap<String, u64>>,
    /// How many of the paused ones the platform has paused, where that was looked up.
    pub quota_paused: Option<u64>,
}

impl Usage {
    /// That of servers; which of them the platform has paused, this list does not tell.
    pub fn of_servers(meta: &EndpointPageMeta) -> Self {
        Self {
            used: meta.current_endpoint_count.or(meta.total),
            capacity: meta.endpoint_limit,
            by_status: meta.status_counts.as_ref().map(|counts| {
                let counts = counts.iter();
                counts
                    .map(|(status, count)| (status.to_string(), *count))
                    .collect()
            }),
            quota_paused: None,
        }
    }

    /// That of domains.
    pub fn of_domains(overview: &DomainOverview) -> Self {
        let domains = overview.domains.as_deref();
        let by_status = |domains: &[MonitoredDomain]| {
            let mut states = BTreeMap::from([(ACTIVE.to_owned(), 0), (PAUSED.to_owned(), 0)]);
            for domain in domains {
                *states.entry(domain.status.to_string()).or_default() += 1;
            }
            states
        };
        let by_platform = |domains: &[MonitoredDomain]| {
            let paused = domains
                .iter()
                .filter(|domain| domain.status == DomainStatus::Paused);
            by_platform(paused.map(|domain| domain.quota_paused))
        };
        Self {
            used: overview
                .slots_used
                .or(domains.map(|domains| domains.len() as u64)),
            capacity: overview.slots_total,
            by_status: domains.map(by_status),
            quota_paused: domains.and_then(by_platform),
        }
    }

    /// How many are paused, by whomever, where that is known.
    pub fn paused(&self) -> Option<u64> {
        self.by_status.as_ref()?.get(PAUSED).copied()
    }

    /// Whether there are more than there may be, where that is known.
    pub fn is_over_quota(&self) -> Option<bool> {
        Some(self.used? > self.capacity?)
    }

    /// Whether the platform keeps some from being scanned, or may.
    pub fn is_cut(&self) -> bool {
        self.is_over_quota() == Some(true) || self.quota_paused > Some(0)
    }

    /// `6 of 25  [#####---------------]`
    pub fn filling(&self) -> String {
        let used = count_or_unknown(self.used);
        match (self.used, self.capacity) {
            (Some(count), Some(capacity)) => {
                format!("{used} of {capacity}  {}", capacity_bar(count, capacity))
            }
            (None, Some(capacity)) => format!("{used} of {capacity}"),
            (_, None) => used,
        }
    }

    /// `1 active, 5 paused, 5 of them by the platform, over the limit`
    pub fn states(&self) -> String {
        let state = |(status, count): (&String, &u64)| match self.quota_paused {
            Some(by_platform @ 1..) if status == PAUSED => {
                format!("{count} {status}, {by_platform} of them by the platform")
            }
            _ => format!("{count} {status}"),
        };
        let states = match &self.by_status {
            Some(states) => states.iter().map(state).collect::<Vec<_>>().join(", "),
            None => "unknown".to_owned(),
        };
        let over = match self.is_over_quota() {
            Some(true) => ": over quota",
            _ => "",
        };
        format!("{states}{over}")
    }
}

/// How many of the paused ones the platform has paused; unknown as soon as one does not tell.
pub fn by_platform(mut paused: impl Iterator<Item = Option<bool>>) -> Option<u64> {
    paused.try_fold(0, |count, by_platform| {
        Some(count + u64::from(by_platform?))
    })
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
