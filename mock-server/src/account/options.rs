//! What an account is made from (M4).

use std::time::Duration;

use secmon_engine::{AccountSettings, Limits, RateLimits, Scenario, Switch};

use crate::configuration::checks;
use crate::fixtures::document::Fixtures;
use crate::values::admin_error::AdminError;

/// An account to be made (M4). What is not given follows the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TenantOptions {
    /// The account's name; none makes one up.
    pub name: Option<String>,
    /// The portal domain of its keys; by default `portal.<name>.test`.
    pub portal_domain: Option<String>,
    /// Whether sandbox mode is on; by default it is.
    pub sandbox: Option<bool>,
    /// Whether the account is suspended; by default it is not.
    pub suspended: Option<bool>,
    /// Whether its calls are limited; by default as the server's flag says.
    pub rate_limit: Option<bool>,
    /// The sizes of its rate windows; by default the server's.
    pub rate_limits: Option<RateLimits>,
    /// Servers of a customer without a `port_monitoring` service.
    pub default_endpoint_limit: Option<u64>,
    /// Servers of the whole account.
    pub account_endpoint_limit: Option<u64>,
    /// What its scans find at first.
    pub scenario: Option<Scenario>,
    /// The account whose records it starts with a copy of, under the same ids (M11).
    pub like: Option<String>,
    /// What it starts with (M12).
    pub fixtures: Option<Fixtures>,
    /// After how much real time it is removed; by default never.
    pub expires_in: Option<Duration>,
}

impl TenantOptions {
    pub(super) fn check(&self) -> Result<(), AdminError> {
        if let Some(domain) = &self.portal_domain {
            checks::portal_domain(domain)
                .map_err(|reason| AdminError::BadInput(format!("The portal_domain {reason}.")))?;
        }
        if let Some(limits) = &self.rate_limits {
            checks::rate_limits(limits)
                .map_err(|reason| AdminError::BadInput(format!("rate_limits.window {reason}.")))?;
        }
        Ok(())
    }

    /// These settings, with what the options say.
    pub(super) fn settings(self, base: AccountSettings) -> AccountSettings {
        let switch = |given: Option<bool>, base: Switch| given.map_or(base, Switch::from);
        AccountSettings {
            sandbox: switch(self.sandbox, base.sandbox),
            suspended: switch(self.suspended, base.suspended),
            rate_limit: switch(self.rate_limit, base.rate_limit),
            rate_limits: self.rate_limits.unwrap_or(base.rate_limits),
            limits: Limits {
                default_endpoint_limit: self
                    .default_endpoint_limit
                    .unwrap_or(base.limits.default_endpoint_limit),
                account_endpoint_limit: self
                    .account_endpoint_limit
                    .unwrap_or(base.limits.account_endpoint_limit),
            },
            scenario: self.scenario.unwrap_or(base.scenario),
            portal_domain: self.portal_domain.unwrap_or(base.portal_domain),
            ..base
        }
    }
}
