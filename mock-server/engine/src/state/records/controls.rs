//! What is set while an account lives, and its counters.

use serde::{Deserialize, Serialize};

use crate::named::named;
use crate::settings::AccountSettings;
use crate::state::records::scan::Progress;
use crate::time::Instant;
use crate::world::Scenario;

/// What is set while the account lives, and how many ids of each kind were
/// given to records that may go again.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Controls {
    pub(crate) scenario: Scenario,
    pub(crate) progress: Progress,
    /// When `progress` was set: a scan that was held back until then ends then.
    pub(crate) progress_since: Instant,
    pub(crate) keys: u32,
    pub(crate) rules: u32,
    pub(crate) scans: u32,
    pub(crate) leak_dataset: LeakDataset,
    pub(crate) subscriptions: u32,
    pub(crate) domains: u32,
    pub(crate) domain_scans: u32,
    pub(crate) domain_alerts: u32,
    pub(crate) mentions: u32,
    pub(crate) sso_tokens: u32,
}

impl Controls {
    pub(crate) fn new(settings: &AccountSettings) -> Self {
        Self {
            scenario: settings.scenario,
            progress: Progress::Timed,
            progress_since: Instant::from_unix_millis(i64::MIN),
            keys: 0,
            rules: 0,
            scans: 0,
            leak_dataset: LeakDataset::Configured,
            subscriptions: 0,
            domains: 0,
            domain_scans: 0,
            domain_alerts: 0,
            mentions: 0,
            sso_tokens: 0,
        }
    }
}

/// The next number of a counter.
pub(crate) fn next_number(counter: &mut u32) -> u32 {
    let number = *counter;
    *counter = counter.saturating_add(1);
    number
}

/// The state of the upstream dataset of leaked credentials.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LeakDataset {
    /// It answers.
    Configured,
    /// There is none.
    Unconfigured,
    /// It does not answer for now.
    Unreachable,
}

named!(LeakDataset {
    Configured = "configured",
    Unconfigured = "unconfigured",
    Unreachable = "unreachable",
});
