//! What nobody told the suite of a service, so that it takes for granted what our mock has.

use std::env;
use std::fmt;

use http::StatusCode;
use serde_json::Value;

use crate::exchange::{Exchange, Forced};
use crate::service::{Service, Steering};

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

    /// Whether an answer shows that the service has it otherwise: then nothing that rests on it can be asked.
    pub(crate) fn is_shown_by(self, exchange: &Exchange, service: &Service) -> bool {
        if exchange.forced != Forced::No {
            return false;
        }
        match self {
            Self::Plans => refused_plan(exchange).is_some_and(|refused| {
                let mut plans = service.plans.iter();
                plans.any(|(plan, _)| refused == plan)
            }),
            Self::Hostname => {
                exchange.json["error"]["code"] == "DNS_RESOLUTION_FAILED"
                    && ["ip_address", "hostname"]
                        .iter()
                        .any(|field| exchange.sent[*field] == service.hostname.as_str())
            }
            // Where accounts are the cases' own, so are their limits.
            Self::RateLimits => {
                service.steering == Steering::Impossible
                    && exchange.status == StatusCode::TOO_MANY_REQUESTS
                    && exchange.json["error"]["code"].is_null()
            }
        }
    }
}

/// The plan that is refused by its name.
fn refused_plan(exchange: &Exchange) -> Option<&Value> {
    let fields = ["plan_slug", "new_plan_slug"];
    let refused = fields
        .iter()
        .find(|field| !exchange.json["errors"][**field].is_null());
    refused.map(|field| &exchange.sent[*field])
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
