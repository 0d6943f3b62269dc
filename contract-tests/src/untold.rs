//! What nobody told the suite of a service, so that it takes for granted what our mock has.

use std::env;
use std::fmt;

/// Something of a service that no document fixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Untold {
    /// Its plans for servers.
    Plans,
    /// A name that resolves.
    Hostname,
    /// The calls that a key has in a minute.
    RateLimits,
}

impl Untold {
    /// What the environment does not tell.
    pub(crate) fn of_environment() -> Vec<Self> {
        let all = [Self::Plans, Self::Hostname, Self::RateLimits];
        all.into_iter()
            .filter(|untold| env::var_os(untold.variable()).is_none())
            .collect()
    }

    /// What tells it.
    fn variable(self) -> &'static str {
        match self {
            Self::Plans => "SECMON_CONTRACT_PLANS",
            Self::Hostname => "SECMON_CONTRACT_HOSTNAME",
            Self::RateLimits => "SECMON_CONTRACT_RATE_LIMITS",
        }
    }
}

impl fmt::Display for Untold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plans => {
                "the service does not have the plans for servers that are assumed: SECMON_CONTRACT_PLANS tells its own, as \
                 in small=5,large=25"
            }
            Self::Hostname => {
                "the service does not resolve the host name that is assumed: SECMON_CONTRACT_HOSTNAME tells one that it \
                 does"
            }
            Self::RateLimits => {
                "the service allows fewer calls a minute than are assumed, or somebody else uses the key: \
                 SECMON_CONTRACT_RATE_LIMITS tells its limits, as in 60,60"
            }
        })
    }
}
