//! Which address and which key: always a pair from one source, so that a key never travels to another's address.

use crate::error::CliError;
use crate::machine::env_vars;
use crate::session::credentials;
use crate::session::flags::GlobalArgs;
use crate::session::profile::{ConfigFile, LOCAL};
use http::Uri;
use secmon::ApiKey;
use std::path::{Path, PathBuf};

/// The address under which calls to the embedded mock are made; the transport puts its real port in.
pub const LOCAL_URL: &str = "http://localhost";

/// An address and the key that goes with it.
#[derive(Debug, Clone)]
pub struct Service {
    /// Which pair it is.
    pub source: Source,
    /// The address; the embedded mock has one of its own.
    pub base_url: String,
    /// Where the key is.
    pub key: KeySource,
}

/// Which pair of address and key is in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The embedded mock.
    Local,
    /// A profile.
    Profile(String),
    /// The environment, or the command line.
    Environment,
}

/// Where the key is; it is not read before a command needs it.
#[derive(Debug, Clone)]
pub enum KeySource {
    /// The key of the embedded mock's first account.
    Local,
    /// `SECMON_API_KEY`.
    Environment(ApiKey),
    /// A file of the profile, closed to others.
    File(PathBuf),
    /// The file of `SECMON_API_KEY_FILE`: secrets that a container mounts can often be read by others.
    Mounted(PathBuf),
    /// A command that prints it.
    Command(String),
    /// Nowhere yet: a person is asked.
    Ask,
}

/// What the command line and the environment name.
#[derive(Debug)]
pub struct Choice {
    /// The embedded mock.
    pub local: bool,
    /// A profile: named, or the default one.
    pub profile: Option<String>,
    /// Whether the profile (or the mock) was named, and so beats the environment's pair.
    named: bool,
    base_url_flag: Option<String>,
    environment: EnvironmentPair,
}

#[derive(Debug)]
struct EnvironmentPair {
    base_url: Option<String>,
    /// Read only when it is used: one that is ignored may be anything.
    has_key: bool,
    key_file: Option<PathBuf>,
}

impl EnvironmentPair {
    fn read() -> Result<Self, CliError> {
        Ok(Self {
            base_url: env_vars::text("SECMON_BASE_URL")?,
            has_key: env_vars::is_set("SECMON_API_KEY"),
            key_file: env_vars::text("SECMON_API_KEY_FILE")?.map(PathBuf::from),
        })
    }

    fn key_source(&self) -> Result<Option<KeySource>, CliError> {
        Ok(credentials::from_environment()?
            .map(KeySource::Environment)
            .or_else(|| self.key_file.clone().map(KeySource::Mounted)))
    }

    /// The variables that are set.
    fn names(&self) -> Vec<&'static str> {
        let set = [
            ("SECMON_BASE_URL", self.base_url.is_some()),
            ("SECMON_API_KEY", self.has_key),
            ("SECMON_API_KEY_FILE", self.key_file.is_some()),
        ];
        set.into_iter()
            .filter(|(_, set)| *set)
            .map(|(name, _)| name)
            .collect()
    }

    fn is_empty(&self) -> bool {
        self.names().is_empty()
    }
}

impl Choice {
    /// Reads the flags and the environment.
    pub fn make(flags: &GlobalArgs, config: &ConfigFile) -> Result<Self, CliError> {
        for (option, value) in [
            ("--profile", &flags.profile),
            ("--base-url", &flags.base_url),
        ] {
            if value
                .as_deref()
                .is_some_and(|value| value.trim().is_empty())
            {
                return Err(CliError::usage(format!(
                    "{option} is empty: give a value, or leave it out"
                )));
            }
        }
        let named = flags.profile.clone().or(if flags.local {
            None
        } else {
            env_vars::text("SECMON_PROFILE")?
        });
        let local = flags.local || named.as_deref() == Some(LOCAL);
        if flags.local && named.as_deref().is_some_and(|name| name != LOCAL) {
            return Err(CliError::usage(
                "--local and --profile name two services: leave one out",
            ));
        }
        if local && flags.base_url.is_some() {
            return Err(CliError::usage(
                "--local and --base-url name two services: leave one out",
            ));
        }
        let environment = EnvironmentPair::read()?;
        let default = environment
            .is_empty()
            .then(|| config.default_profile.clone())
            .flatten();
        let is_named = local || named.is_some();
        let profile = if local { None } else { named.or(default) };
        Ok(Self {
            local,
            profile,
            named: is_named,
            base_url_flag: flags.base_url.clone(),
            environment,
        })
    }
}

/// Settles the pair. An error here counts only for commands that call the service.
pub fn resolve(
    choice: &Choice,
    config: &ConfigFile,
    config_path: &Path,
    warnings: &mut Vec<String>,
) -> Result<Service, CliError> {
    if choice.named && !choice.environment.is_empty() {
        let winner = choice
            .profile
            .as_ref()
            .map_or("the embedded mock".to_owned(), |name| {
                format!("profile {name}")
            });
        let names = choice.environment.names().join(" and ");
        warnings.push(format!(
            "{names} ignored: {winner} supplies the address and the key"
        ));
    }
    if choice.local {
        let base_url = LOCAL_URL.to_owned();
        return Ok(Service {
            source: Source::Local,
            base_url,
            key: KeySource::Local,
        });
    }
    match &choice.profile {
        Some(name) => from_profile(name, choice, config, config_path),
        None => from_environment(choice, config_path),
    }
}

fn from_profile(
    name: &str,
    choice: &Choice,
    config: &ConfigFile,
    config_path: &Path,
) -> Result<Service, CliError> {
    let profile = config.profile(name)?;
    refuse_foreign(config, config_path)?;
    let own = profile.base_url.clone().ok_or_else(|| {
        CliError::usage(format!(
            "profile {name:?} has no base_url in {}",
            config_path.display()
        ))
        .hint(format!(
            "give it one: `auth login --profile {name} --base-url https://portal.example.com`"
        ))
    })?;
    let base_url = match &choice.base_url_flag {
        Some(other) if !may_move(&own, other) => {
            return Err(CliError::usage(format!(
                "--base-url {other} is not the address of profile {name:?} ({own}), and its key must not go there: use another profile, or SECMON_API_KEY"
            )));
        }
        Some(other) => other.clone(),
        None => own,
    };
    let folder = config_path.parent().unwrap_or(Path::new("."));
    let key = match (&profile.key_command, &profile.key_file) {
        (Some(command), _) => KeySource::Command(command.clone()),
        (None, Some(file)) => KeySource::File(folder.join(file)),
        (None, None) => KeySource::Ask,
    };
    Ok(Service {
        source: Source::Profile(name.to_owned()),
        base_url,
        key,
    })
}

/// Whoever can write the configuration would choose what runs here, and where the key goes.
pub fn refuse_foreign(config: &ConfigFile, config_path: &Path) -> Result<(), CliError> {
    let Some(reason) = &config.foreign_hands else {
        return Ok(());
    };
    let path = config_path.display();
    Err(CliError::usage(format!(
        "{reason}, so no address, key or command is taken from {path}"
    ))
    .hint(
        "look at what is in it, then make file and folder yours alone, with chown and chmod go-w",
    ))
}

fn from_environment(choice: &Choice, config_path: &Path) -> Result<Service, CliError> {
    let base_url = choice
        .base_url_flag
        .clone()
        .or_else(|| choice.environment.base_url.clone());
    let key = choice.environment.key_source()?;
    match base_url {
        Some(base_url) => {
            Ok(Service { source: Source::Environment, base_url, key: key.unwrap_or(KeySource::Ask) })
        }
        None if key.is_some() => Err(CliError::usage(
            "there is a key in the environment but no address to send it to: set SECMON_BASE_URL, or give --base-url",
        )),
        None => Err(CliError::usage(no_service(config_path)).hint("save your portal's address and key: `auth login`; or try the embedded mock: `--local status`")),
    }
}

fn no_service(config_path: &Path) -> String {
    let file = config_path.display();
    match config_path.exists() {
        true => format!("no service is configured: {file} names no default_profile"),
        false => format!("no service is configured: there is no {file}"),
    }
}

/// A profile's key goes only to the profile's own origin, or to this computer.
pub fn may_move(own: &str, other: &str) -> bool {
    is_loopback(other) || matches!((origin(own), origin(other)), (Some(a), Some(b)) if a == b)
}

fn origin(url: &str) -> Option<(String, String, u16)> {
    let uri: Uri = url.parse().ok()?;
    let scheme = uri.scheme_str()?.to_ascii_lowercase();
    let default = if scheme == "https" { 443 } else { 80 };
    let host = uri.host()?.to_ascii_lowercase();
    Some((scheme, host, uri.port_u16().unwrap_or(default)))
}

/// Whether a profile can have this address at all.
pub fn check_address(url: &str) -> Result<(), CliError> {
    match origin(url) {
        Some((scheme, _, _)) if scheme == "https" || scheme == "http" => Ok(()),
        _ => {
            check_scheme(url)?;
            Err(CliError::usage(format!(
                "{url:?} is not the address of a service: write it as https://portal.example.com"
            )))
        }
    }
}

/// An address as people shorten it, whole: this computer is reached by http, all others by https.
pub fn with_scheme(text: &str) -> String {
    let text = text.trim();
    match (text.contains("://"), is_loopback(&format!("http://{text}"))) {
        (true, _) => text.to_owned(),
        (false, true) => format!("http://{text}"),
        (false, false) => format!("https://{text}"),
    }
}

/// Refuses an address without a scheme, and says how it is written whole.
pub fn check_scheme(base_url: &str) -> Result<(), CliError> {
    let whole = with_scheme(base_url);
    match base_url.trim() == whole {
        true => Ok(()),
        false => Err(CliError::usage(format!(
            "the address {base_url:?} has no scheme: write it as {whole}"
        ))),
    }
}

/// An address without its path, as one name for one service.
pub fn origin_of(url: &str) -> String {
    origin(url).map_or_else(
        || url.to_owned(),
        |(scheme, host, port)| format!("{scheme}://{host}:{port}"),
    )
}

/// Whether an address is on this computer.
pub fn is_loopback(url: &str) -> bool {
    let Some(uri) = url.parse::<Uri>().ok() else {
        return false;
    };
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let address = host.parse::<std::net::IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}
