//! What an account is made with: names, flags, limits, timings, products.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::catalogue::Catalogue;
use crate::world::Scenario;

/// The settings of one partner account. They do not change while it lives;
/// a reset goes back to them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AccountSettings {
    /// The account's name on this server; ids are derived from it.
    pub name: String,
    /// The portal domain that the account's keys are bound to (A4).
    pub portal_domain: String,
    /// What ids and made-up values are derived from, with the name (M9).
    pub seed: u64,
    /// Whether sandbox mode is enabled (A14, E12).
    pub sandbox: Switch,
    /// Whether the partner account is suspended (A3).
    pub suspended: Switch,
    /// Whether the rate windows count (A10).
    pub rate_limit: Switch,
    /// How many servers may be monitored.
    pub limits: Limits,
    /// How long scans, cooldowns and tokens last.
    pub timings: Timings,
    /// The sizes of the rate windows.
    pub rate_limits: RateLimits,
    /// Host names with the address that each resolves to, in lower case (B2).
    pub dns: BTreeMap<String, IpAddr>,
    /// The products on sale (B4).
    pub catalogue: Catalogue,
    /// The scenario that the account starts with (E2).
    pub scenario: Scenario,
    /// Whose record ids it goes on with, where it began as a copy of another account (M11).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copied_from: Option<IdSource>,
}

/// What the record ids of an account are derived from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct IdSource {
    /// The seed.
    pub seed: u64,
    /// The account's name.
    pub name: String,
}

impl AccountSettings {
    /// An account of this name, portal domain and seed with every default:
    /// sandbox on, not suspended, rate limited, scenario `warnings`.
    pub fn new(name: &str, portal_domain: &str, seed: u64) -> Self {
        Self {
            name: name.to_owned(),
            portal_domain: portal_domain.to_owned(),
            seed,
            sandbox: Switch::On,
            suspended: Switch::Off,
            rate_limit: Switch::On,
            limits: Limits::default(),
            timings: Timings::default(),
            rate_limits: RateLimits::default(),
            dns: BTreeMap::new(),
            catalogue: Catalogue::default(),
            scenario: Scenario::Warnings,
            copied_from: None,
        }
    }

    /// What the ids of its records are derived from.
    pub(crate) fn id_source(&self) -> IdSource {
        let own = || IdSource {
            seed: self.seed,
            name: self.name.clone(),
        };
        self.copied_from.clone().unwrap_or_else(own)
    }
}

/// Something that is on or off.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Switch {
    /// It is on.
    On,
    /// It is off.
    Off,
}

impl Switch {
    /// Whether it is on.
    pub fn is_on(self) -> bool {
        self == Self::On
    }
}

impl From<bool> for Switch {
    fn from(on: bool) -> Self {
        if on { Self::On } else { Self::Off }
    }
}

/// How many servers may be monitored (B5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Servers of a customer that never had a `port_monitoring` service.
    pub default_endpoint_limit: u64,
    /// Servers of the whole account.
    pub account_endpoint_limit: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            default_endpoint_limit: 25,
            account_endpoint_limit: 10_000,
        }
    }
}

/// How long things last, in seconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Timings {
    /// From the start of a scan to its end (E1).
    pub scan_duration: u32,
    /// From the end of a scan to the start of the next (E1); at least 1.
    pub scan_interval: NonZeroU32,
    /// From an accepted manual scan to the next one that may follow (E1).
    pub scan_cooldown: u32,
    /// The life of a sign-in token (E14).
    pub sso_token: u32,
}

impl Timings {
    pub(crate) fn duration(&self) -> Duration {
        Duration::from_secs(self.scan_duration.into())
    }

    pub(crate) fn interval(&self) -> Duration {
        Duration::from_secs(self.scan_interval.get().into())
    }

    pub(crate) fn cooldown(&self) -> Duration {
        Duration::from_secs(self.scan_cooldown.into())
    }
}

impl Default for Timings {
    fn default() -> Self {
        const DAY: NonZeroU32 = NonZeroU32::new(86_400).expect("a day is not empty");
        Self {
            scan_duration: 2,
            scan_interval: DAY,
            scan_cooldown: 300,
            sso_token: 60,
        }
    }
}

/// The sizes of the rate windows of a key (A10).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RateLimits {
    /// Requests a window for provisioning, SSO, alerts, domain monitoring and
    /// firewall ingest together.
    pub strict: u32,
    /// Requests a window for endpoints CRUD and Allowed Ports together.
    pub default: u32,
    /// The length of a window in seconds.
    pub window: u32,
}

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            strict: 60,
            default: 100,
            window: 60,
        }
    }
}
