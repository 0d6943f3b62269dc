//! Everything that a server is started with, whoever starts it.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use secmon_engine::Instant;

use crate::configuration::address::ListenAddress;
use crate::configuration::config::Config;
use crate::configuration::flags::{ClockFlag, Given, ServeFlags, Switch, TlsFlags};
use crate::configuration::start_error::StartError;
use crate::fixtures::document::Fixtures;
use crate::values::clock::TimeSource;
use crate::values::secret::Secret;
use secmon_engine::Scenario;

/// Where the binary listens unless told otherwise.
const DEFAULT_PORT: u16 = 4010;

/// Where a manual clock starts unless told otherwise.
const DEFAULT_START: &str = "2026-01-01T00:00:00+00:00";

/// Whether calls are counted against the rate windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateLimit {
    /// Calls beyond the window are answered 429 (A10).
    On,
    /// Calls are never limited.
    Off,
}

/// How the server behaves within what is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerStyle {
    /// Answers just as documented.
    Plain,
    /// Extra fields, unknown enum values, small default pages, slow first bytes.
    Unkind,
}

/// Where https is served, and whose certificates it has.
#[derive(Clone, Debug)]
pub(crate) struct TlsSettings {
    pub(crate) listen: ListenAddress,
    /// Keeps the authority from one start to the next.
    #[cfg_attr(not(feature = "tls"), expect(dead_code))]
    pub(crate) dir: Option<PathBuf>,
    pub(crate) port_file: Option<PathBuf>,
}

impl TlsSettings {
    fn of(flags: TlsFlags) -> Result<Option<Self>, StartError> {
        let (dir, port_file) = (value(flags.tls_dir), value(flags.tls_port_file));
        let Some(listen) = value(flags.tls_listen) else {
            return match dir.is_some() || port_file.is_some() {
                true => Err(StartError::Settings(
                    "--tls-dir and --tls-port-file are for https; add --tls-listen, or leave them out".to_owned(),
                )),
                false => Ok(None),
            };
        };
        Ok(Some(Self {
            listen,
            dir,
            port_file,
        }))
    }
}

/// What a server is started with.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) listen: ListenAddress,
    pub(crate) admin_listen: Option<ListenAddress>,
    pub(crate) tls: Option<TlsSettings>,
    pub(crate) port_file: Option<PathBuf>,
    pub(crate) admin_port_file: Option<PathBuf>,
    pub(crate) state: Option<PathBuf>,
    pub(crate) config: Config,
    /// None lets the state file decide, or chance.
    pub(crate) seed: Option<u64>,
    pub(crate) time: TimeSource,
    pub(crate) rate_limit: RateLimit,
    pub(crate) scenario: Scenario,
    /// Names that count like loopback (A4, M7).
    pub(crate) hosts: Vec<String>,
    pub(crate) answer_style: AnswerStyle,
    pub(crate) admin_key: Option<Secret>,
    /// What the first account starts with.
    pub(crate) fixtures: Option<Fixtures>,
}

impl Settings {
    /// The defaults on a free port of loopback.
    pub(crate) fn on_a_free_port() -> Self {
        Self::on_port(0)
    }

    fn on_port(port: u16) -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, port)).into(),
            admin_listen: None,
            tls: None,
            port_file: None,
            admin_port_file: None,
            state: None,
            config: Config::default(),
            seed: None,
            time: TimeSource::Real,
            rate_limit: RateLimit::On,
            scenario: Scenario::Warnings,
            hosts: Vec::new(),
            answer_style: AnswerStyle::Plain,
            admin_key: None,
            fixtures: None,
        }
    }

    /// What a serving program's flags and configuration file say.
    pub(crate) fn of_program(
        flags: ServeFlags,
        config: Option<PathBuf>,
    ) -> Result<Self, StartError> {
        Self::on_port(DEFAULT_PORT).overridden(flags, config)
    }

    /// What flags and a configuration file say, these settings where they say nothing.
    pub(crate) fn overridden(
        self,
        flags: ServeFlags,
        config: Option<PathBuf>,
    ) -> Result<Self, StartError> {
        let defaults = self;
        Ok(Self {
            listen: value(flags.listen).unwrap_or(defaults.listen),
            admin_listen: value(flags.admin_listen),
            tls: TlsSettings::of(flags.tls)?,
            port_file: value(flags.port_file),
            admin_port_file: value(flags.admin_port_file),
            state: value(flags.state),
            config: config
                .as_deref()
                .map_or_else(|| Ok(Config::default()), Config::read)?,
            seed: value(flags.seed),
            time: time_source(value(flags.clock), value(flags.now))?,
            rate_limit: match value(flags.rate_limit) {
                Some(Switch::Off) => RateLimit::Off,
                Some(Switch::On) | None => RateLimit::On,
            },
            scenario: value(flags.scenario).map_or(defaults.scenario, |flag| flag.0),
            hosts: host_names(flags.host),
            answer_style: match value(flags.unkind) {
                Some(Switch::On) => AnswerStyle::Unkind,
                Some(Switch::Off) | None => AnswerStyle::Plain,
            },
            admin_key: value(flags.admin_key).filter(|key| !key.is_blank()),
            fixtures: value(flags.fixtures).as_deref().map(fixtures).transpose()?,
        })
    }

    /// Where the admin API is served.
    pub(crate) fn admin_addresses(&self) -> impl Iterator<Item = &ListenAddress> {
        let secured = self.tls.as_ref().map(|tls| &tls.listen);
        let (first, second) = match &self.admin_listen {
            Some(own) => (own, None),
            None => (&self.listen, secured),
        };
        std::iter::once(first).chain(second)
    }

    /// Files that get a port.
    pub(crate) fn port_files(&self) -> impl Iterator<Item = &PathBuf> {
        let secured = self.tls.as_ref().and_then(|tls| tls.port_file.as_ref());
        let files = [
            self.port_file.as_ref(),
            self.admin_port_file.as_ref(),
            secured,
        ];
        files.into_iter().flatten()
    }
}

fn fixtures(path: &Path) -> Result<Fixtures, StartError> {
    let wrong = |reason| StartError::Settings(format!("--fixtures {}: {reason}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    Fixtures::parse(&text).map_err(wrong)
}

fn value<T>(flag: Option<Given<T>>) -> Option<T> {
    flag.and_then(Given::value)
}

/// Lists in the environment may have blanks around their commas.
fn host_names(given: Vec<Given<String>>) -> Vec<String> {
    let names = given.into_iter().filter_map(Given::value);
    names
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

fn time_source(clock: Option<ClockFlag>, now: Option<String>) -> Result<TimeSource, StartError> {
    match (clock, now) {
        (Some(ClockFlag::Manual), now) => {
            let now = now.unwrap_or_else(|| DEFAULT_START.to_owned());
            Instant::parse(&now).map(TimeSource::Manual).ok_or_else(|| {
                StartError::Settings(format!(
                    "--now `{now}` is not a timestamp with an offset; write it as {DEFAULT_START}"
                ))
            })
        }
        (_, Some(_)) => Err(StartError::Settings(
            "--now sets where a manual clock starts; add --clock manual, or leave --now out"
                .to_owned(),
        )),
        (_, None) => Ok(TimeSource::Real),
    }
}
