//! The configuration file: accounts, keys, products, limits, timings and names.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::path::Path;

use secmon_engine::{Catalogue, Hostname, Limits, RateLimits, Timings};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::{Scenario, Secret, StartError};

/// What a server is made of; every part has a default. Read from TOML, or filled in by code.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// How many servers accounts and customers may have.
    #[serde(deserialize_with = "over_defaults")]
    pub limits: Limits,
    /// How long things take, in seconds.
    #[serde(deserialize_with = "over_defaults")]
    pub timings: Timings,
    /// Calls per window and key.
    #[serde(deserialize_with = "over_defaults")]
    pub rate_limits: RateLimits,
    /// Names and the addresses that they resolve to; all other names resolve by themselves (B2).
    pub dns: BTreeMap<String, IpAddr>,
    /// What is sold: plans that are given are added to the default ones (B4).
    #[serde(deserialize_with = "over_defaults")]
    pub products: Catalogue,
    /// The accounts; none stands for the default ones.
    pub tenants: Option<Vec<TenantConfig>>,
}

/// One account.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TenantConfig {
    /// The account's name in the admin API.
    pub name: String,
    /// The portal domain that its keys are bound to; by default `portal.<name>.test`.
    pub portal_domain: Option<String>,
    /// Its API keys.
    #[serde(default)]
    pub keys: Vec<Secret>,
    /// Whether sandbox mode is on.
    #[serde(default = "sandbox_by_default")]
    pub sandbox: bool,
    /// Whether the account is suspended.
    #[serde(default)]
    pub suspended: bool,
    /// What its scans find at first; by default the server's starting scenario.
    #[serde(default)]
    pub scenario: Option<Scenario>,
}

/// Reads a part of which only some keys are given: the others keep their defaults, and a key that
/// the defaults do not have is a mistake.
fn over_defaults<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Default + Serialize + DeserializeOwned,
    D: Deserializer<'de>,
{
    let given = Value::deserialize(deserializer)?;
    let mut whole = serde_json::to_value(T::default()).map_err(D::Error::custom)?;
    overlay(&mut whole, given).map_err(D::Error::custom)?;
    serde_json::from_value(whole).map_err(D::Error::custom)
}

/// Puts `given` over `defaults`. Among plans every name is welcome: they map names to numbers.
fn overlay(defaults: &mut Value, given: Value) -> Result<(), String> {
    let (Value::Object(defaults), Value::Object(given)) = (defaults, given) else {
        return Err("a table is needed here".to_owned());
    };
    for (key, value) in given {
        match defaults.get_mut(&key) {
            Some(Value::Object(plans)) => match value {
                Value::Object(given) => plans.extend(given),
                _ => return Err(format!("`{key}` must be a table of plan = servers")),
            },
            Some(known) => *known = value,
            None => return Err(format!("unknown key `{key}`")),
        }
    }
    Ok(())
}

fn sandbox_by_default() -> bool {
    true
}

impl Config {
    /// Reads a configuration file.
    pub(crate) fn read(path: &Path) -> Result<Self, StartError> {
        let problem = |reason| StartError::Config {
            path: path.to_owned(),
            reason,
        };
        let text = std::fs::read_to_string(path)
            .map_err(|error| problem(format!("{error}; name a TOML file that can be read")))?;
        Self::parse(&text).map_err(problem)
    }

    /// Reads a configuration from TOML.
    ///
    /// # Errors
    ///
    /// One sentence that names the line and the mistake; unknown keys are mistakes.
    pub fn parse(text: &str) -> Result<Self, String> {
        let config: Self = toml::from_str(text).map_err(|error| {
            let message = error.message().replace('\n', " ");
            match error.span() {
                Some(span) => {
                    let line = text.as_bytes()[..span.start.min(text.len())]
                        .iter()
                        .filter(|byte| **byte == b'\n')
                        .count();
                    format!("line {}: {message}", line + 1)
                }
                None => message,
            }
        })?;
        config.check()?;
        Ok(config)
    }

    /// The accounts, with the default ones where none are given.
    pub(crate) fn tenants(&self) -> Vec<TenantConfig> {
        self.tenants.clone().unwrap_or_else(default_tenants)
    }

    /// What types cannot say: names and keys are given once, and what bounds or divides is not 0.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.rate_limits.window == 0 {
            return Err("rate_limits.window is 0 seconds; write at least 1".to_owned());
        }
        if let Some(name) = self.dns.keys().find(|name| Hostname::parse(name).is_err()) {
            return Err(format!(
                "dns: `{name}` is not a host name; write names as in \"web.example.com\""
            ));
        }
        let tenants = self.tenants();
        if let Some(tenant) = tenants.iter().find(|tenant| !is_account_name(&tenant.name)) {
            return Err(format!(
                "tenants: the name `{}` must be 1 to 64 letters, digits, hyphens, underscores and dots",
                tenant.name.escape_debug()
            ));
        }
        let names = tenants.iter().map(|tenant| tenant.name.as_str());
        given_once(names, "tenants: a name")?;
        let keys = tenants
            .iter()
            .flat_map(|tenant| tenant.keys.iter().map(Secret::expose));
        given_once(keys, "tenants: a key")
    }
}

/// Whether an account may have this name: it stands in paths and in the state file.
pub(crate) fn is_account_name(name: &str) -> bool {
    const LONGEST: usize = 64;
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    (1..=LONGEST).contains(&name.len()) && name.chars().all(plain)
}

/// Keys pass through here: the texts stay out of the message.
fn given_once<'a>(texts: impl Iterator<Item = &'a str>, what: &str) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for text in texts {
        if text.is_empty() || !seen.insert(text) {
            return Err(format!(
                "{what} is empty or given twice; give every account its own"
            ));
        }
    }
    Ok(())
}

fn default_tenants() -> Vec<TenantConfig> {
    let tenant = |name: &str, key: &str| TenantConfig {
        name: name.to_owned(),
        portal_domain: None,
        keys: vec![key.into()],
        sandbox: true,
        suspended: false,
        scenario: None,
    };
    vec![
        tenant("acme", "test_key_acme"),
        TenantConfig {
            sandbox: false,
            ..tenant("globex", "test_key_globex")
        },
        TenantConfig {
            suspended: true,
            ..tenant("umbrella", "test_key_suspended")
        },
    ]
}
