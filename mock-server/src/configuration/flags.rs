//! The flags of a serving mock, shared by every program that starts one.

use std::path::PathBuf;
use std::str::FromStr;

use crate::configuration::address::ListenAddress;
use crate::values::secret::Secret;
use secmon_engine::Scenario;

/// Flags that say how to serve; each has an environment name `SECMON_MOCK_...`. The
/// configuration file is not among them: each program names that flag itself.
#[derive(Clone, Debug, clap::Args)]
pub struct ServeFlags {
    /// Address and port to listen on; port 0 takes a free one [default: 127.0.0.1:4010]
    #[arg(long, value_name = "ADDR", env = "SECMON_MOCK_LISTEN")]
    pub listen: Option<Given<ListenAddress>>,

    /// File to write the port to, once the server accepts connections
    #[arg(long, value_name = "PATH", env = "SECMON_MOCK_PORT_FILE")]
    pub port_file: Option<Given<PathBuf>>,

    /// Durable state: an acknowledged change survives a crash; without it all is in memory
    #[arg(long, value_name = "FILE", env = "SECMON_MOCK_STATE")]
    pub state: Option<Given<PathBuf>>,

    /// What the first account starts with, TOML or JSON: customers, servers, domains, rules; ignored if the state file already exists
    #[arg(long, value_name = "FILE", env = "SECMON_MOCK_FIXTURES")]
    pub fixtures: Option<Given<PathBuf>>,

    /// Same seed and same calls: same ids, same findings [default: random]
    #[arg(long, value_name = "N", env = "SECMON_MOCK_SEED")]
    pub seed: Option<Given<u64>>,

    /// `manual`: the clock stands still until the admin API moves it [default: real]
    #[arg(long, value_name = "real|manual", env = "SECMON_MOCK_CLOCK")]
    pub clock: Option<Given<ClockFlag>>,

    /// Where a manual clock starts [default: 2026-01-01T00:00:00+00:00]
    #[arg(long, value_name = "TIMESTAMP", env = "SECMON_MOCK_NOW")]
    pub now: Option<Given<String>>,

    /// Whether calls are limited per minute and key [default: on]
    #[arg(long, value_name = "on|off", env = "SECMON_MOCK_RATE_LIMIT")]
    pub rate_limit: Option<Given<Switch>>,

    /// Starting scenario of every account: clean, warnings or critical [default: warnings]
    #[arg(long, value_name = "NAME", env = "SECMON_MOCK_SCENARIO")]
    pub scenario: Option<Given<ScenarioFlag>>,

    /// A further name that counts like loopback; repeatable
    #[arg(
        long,
        value_name = "NAME",
        env = "SECMON_MOCK_HOST",
        value_delimiter = ','
    )]
    pub host: Vec<Given<String>>,

    /// Serves the admin API on an address of its own, and no longer on the public one
    #[arg(long, value_name = "ADDR", env = "SECMON_MOCK_ADMIN_LISTEN")]
    pub admin_listen: Option<Given<ListenAddress>>,

    /// File to write the admin API's port to
    #[arg(
        long,
        value_name = "PATH",
        env = "SECMON_MOCK_ADMIN_PORT_FILE",
        requires = "admin_listen"
    )]
    pub admin_port_file: Option<Given<PathBuf>>,

    /// Https as well.
    #[command(flatten)]
    pub tls: TlsFlags,

    /// Valid but awkward answers: extra fields, unknown enum values, small default pages,
    /// slow first bytes
    #[arg(
        long,
        value_name = "on|off",
        env = "SECMON_MOCK_UNKIND",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "on"
    )]
    pub unkind: Option<Given<Switch>>,

    /// Key that admin calls must carry; required when listening on anything but loopback
    #[arg(
        long,
        value_name = "KEY",
        env = "SECMON_MOCK_ADMIN_KEY",
        hide_env_values = true
    )]
    pub admin_key: Option<Given<Secret>>,
}

/// Flags that say where https is served.
#[derive(Clone, Debug, clap::Args)]
pub struct TlsFlags {
    /// Serves https as well, under an authority of its own: GET /_mock/ca.pem; port 0 takes a free one
    #[arg(long, value_name = "ADDR", env = "SECMON_MOCK_TLS_LISTEN")]
    pub tls_listen: Option<Given<ListenAddress>>,

    /// Folder that keeps the authority for the next start; never put it into a trust store of the whole system
    #[arg(long, value_name = "DIR", env = "SECMON_MOCK_TLS_DIR")]
    pub tls_dir: Option<Given<PathBuf>>,

    /// File that gets the port of https, written like the other
    #[arg(long, value_name = "PATH", env = "SECMON_MOCK_TLS_PORT_FILE")]
    pub tls_port_file: Option<Given<PathBuf>>,
}

/// A flag's value, or nothing: an empty environment variable is as if unset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given<T>(Option<T>);

impl<T> Given<T> {
    /// The value, when the text was not empty.
    pub fn value(self) -> Option<T> {
        self.0
    }
}

impl<T: FromStr> FromStr for Given<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        if text.is_empty() {
            return Ok(Self(None));
        }
        text.parse().map(|value| Self(Some(value)))
    }
}

/// On or off; also understood: 1, true, yes and 0, false, no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// Switched on.
    On,
    /// Switched off.
    Off,
}

impl FromStr for Switch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Ok(Self::On),
            "0" | "false" | "no" | "off" => Ok(Self::Off),
            _ => Err("write on or off".to_owned()),
        }
    }
}

/// Which clock the server follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockFlag {
    /// The machine's clock.
    Real,
    /// Time stands until the admin API moves it.
    Manual,
}

impl FromStr for ClockFlag {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "real" => Ok(Self::Real),
            "manual" => Ok(Self::Manual),
            _ => Err("write real or manual".to_owned()),
        }
    }
}

/// A scenario by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScenarioFlag(pub Scenario);

impl FromStr for ScenarioFlag {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Scenario::from_name(text)
            .map(Self)
            .ok_or_else(|| "write clean, warnings or critical".to_owned())
    }
}
