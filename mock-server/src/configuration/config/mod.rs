//! The configuration file: accounts, keys, products, limits, timings and names.

pub(crate) mod mistake;

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::path::Path;

use secmon_engine::{Catalogue, Limits, RateLimits, Timings};
use serde::{Deserialize, Deserializer};

use crate::configuration::checks;
use crate::configuration::start_error::StartError;
use crate::values::secret::Secret;
use mistake::Mistake;
use secmon_engine::Scenario;

/// The default configuration, for a person to start from.
pub(crate) const DEFAULT: &str = include_str!("../../../default-config.toml");

/// What a server is made of; every part has a default. Read from TOML, or filled in by code.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// How many servers accounts and customers may have.
    pub limits: Limits,
    /// How long things take, in seconds.
    pub timings: Timings,
    /// Calls per window and key.
    pub rate_limits: RateLimits,
    /// Names and the addresses that they resolve to; all other names resolve by themselves (B2).
    pub dns: BTreeMap<String, IpAddr>,
    /// What is sold: plans that are given are added to the default ones (B4).
    #[serde(deserialize_with = "added_plans")]
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

/// Plans that are given are added to the default ones.
fn added_plans<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Catalogue, D::Error> {
    let given = Catalogue::deserialize(deserializer)?;
    let mut catalogue = Catalogue::default();
    catalogue.port_monitoring.extend(given.port_monitoring);
    Ok(catalogue)
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
    /// One sentence that names the line, the field and the mistake; unknown keys are mistakes.
    pub fn parse(text: &str) -> Result<Self, String> {
        mistake::check_tables(text).map_err(|mistake| mistake.in_text(text))?;
        let config: Self = toml::from_str(text).map_err(|error| mistake::read(text, &error))?;
        config.check().map_err(|mistake| mistake.in_text(text))?;
        Ok(config)
    }

    /// The accounts, with the default ones where none are given.
    pub(crate) fn tenants(&self) -> Vec<TenantConfig> {
        self.tenants.clone().unwrap_or_else(default_tenants)
    }

    /// What types cannot say: names and keys are given once, and what bounds or divides is not 0.
    pub(crate) fn check(&self) -> Result<(), Mistake> {
        let of = |field: String, judged: checks::Judged| {
            judged.map_err(|reason| Mistake::new(field, reason))
        };
        of(
            "rate_limits.window".to_owned(),
            checks::rate_limits(&self.rate_limits),
        )?;
        for name in self.dns.keys() {
            of(format!("dns.{name}"), checks::dns_name(name))?;
        }
        let tenants = self.tenants();
        for (place, tenant) in tenants.iter().enumerate() {
            let field = |name: &str| format!("tenants.{place}.{name}");
            of(field("name"), checks::account_name(&tenant.name))?;
            if let Some(domain) = &tenant.portal_domain {
                of(field("portal_domain"), checks::portal_domain(domain))?;
            }
        }
        let names = |tenant: &TenantConfig| vec![tenant.name.clone().into()];
        given_once(&tenants, "name", names)?;
        given_once(&tenants, "keys", |tenant| tenant.keys.clone())?;
        for (place, tenant) in tenants.iter().enumerate() {
            for key in &tenant.keys {
                of(
                    format!("tenants.{place}.keys"),
                    checks::api_key(key.expose()),
                )?;
            }
        }
        Ok(())
    }
}

/// Keys pass through here: the texts stay out of the message.
fn given_once(
    tenants: &[TenantConfig],
    field: &str,
    texts: impl Fn(&TenantConfig) -> Vec<Secret>,
) -> Result<(), Mistake> {
    let mut seen = BTreeSet::new();
    for (place, tenant) in tenants.iter().enumerate() {
        for text in texts(tenant) {
            if text.expose().is_empty() || !seen.insert(text) {
                return Err(Mistake::new(
                    format!("tenants.{place}.{field}"),
                    "is empty or given twice; give every account its own",
                ));
            }
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
