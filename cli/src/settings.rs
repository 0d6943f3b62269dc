//! What the flags, the environment and the profile come to. Strongest first: flags, environment, profile, default.

use crate::args::{ColorChoice, GlobalArgs, OutputFormat, TimeStyle};
use crate::error::CliError;
use crate::pace::Limits;
use crate::profile::{ConfigFile, LOCAL, Profile};
use crate::{durations, env_vars, paths, service};
use clap::ValueEnum;
use secmon::model::CustomerId;
use secmon::{ApiKey, Namespace};
use std::path::PathBuf;
use std::time::Duration;

/// Everything that is settled before a command runs.
#[derive(Debug)]
pub struct Settings {
    /// Which service, with which key.
    pub service: Result<Service, CliError>,
    /// The configuration file, whether it is there or not.
    pub config_path: PathBuf,
    /// What the configuration file says.
    pub config: ConfigFile,
    /// The profile that was named, or would be used.
    pub profile_name: Option<String>,
    /// The address given with `--base-url`.
    pub base_url_flag: Option<String>,
    /// The customer of `-c`, the environment or the profile.
    pub customer: Option<CustomerId>,
    /// The provisioning paths to call.
    pub namespace: Namespace,
    /// Client-side rate limits.
    pub rate_limits: RateLimits,
    /// Hosts that plain http may reach.
    pub allow_http: Vec<String>,
    /// Longest time of one call.
    pub timeout: Option<Duration>,
    /// Longest sleep for a 429.
    pub max_wait: Option<Duration>,
    /// Mark provisioning calls as simulated.
    pub sandbox: bool,
    /// What may be changed, and what must be asked.
    pub safety: Safety,
    /// How results are shown.
    pub display: Display,
    /// Sentences to say once, before anything else.
    pub warnings: Vec<String>,
}

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
    /// A file.
    File(PathBuf),
    /// A command that prints it.
    Command(String),
    /// Nowhere yet: a person is asked.
    Ask,
}

/// Client-side rate limits.
#[derive(Debug, Clone, Copy)]
pub enum RateLimits {
    /// None.
    Off,
    /// These.
    On(Limits),
}

/// What may be changed, and what must be asked.
#[derive(Debug, Clone, Default)]
pub struct Safety {
    /// `--yes`.
    pub yes: bool,
    /// `--confirm`.
    pub confirm: Option<String>,
    /// `--no-input`.
    pub no_input: bool,
    /// `--dry-run`.
    pub dry_run: bool,
    /// The profile refuses every change.
    pub read_only: bool,
    /// The profile wants the name or count typed.
    pub protected: bool,
}

/// How results are shown.
#[derive(Debug, Clone, Default)]
pub struct Display {
    /// The form.
    pub format: Option<OutputFormat>,
    /// Columns of a list.
    pub columns: Vec<String>,
    /// Column to sort by.
    pub sort: Option<String>,
    /// At most this many items.
    pub limit: Option<usize>,
    /// Leave out headings.
    pub no_headers: bool,
    /// How times are shown.
    pub time: TimeStyle,
    /// When to colour.
    pub color: ColorChoice,
    /// Say nothing but the result and errors.
    pub quiet: bool,
    /// Show no progress.
    pub no_progress: bool,
}

impl Settings {
    /// Lays the flags over the environment over the profile.
    pub fn resolve(flags: &GlobalArgs) -> Result<Self, CliError> {
        let config_path = match flags
            .config
            .clone()
            .or(env_vars::text("SECMON_CONFIG")?.map(PathBuf::from))
        {
            Some(path) => path,
            None => paths::config_file()?,
        };
        let config = ConfigFile::read(&config_path)?;
        let choice = service::Choice::make(flags, &config)?;
        let profile = choice
            .profile
            .as_ref()
            .and_then(|name| config.profiles.get(name));
        let profile = profile.cloned().unwrap_or_default();
        let mut warnings = Vec::new();
        let service = service::resolve(&choice, &config, &config_path, &mut warnings);
        let local = choice.local;
        Ok(Self {
            service,
            profile_name: if local {
                Some(LOCAL.to_owned())
            } else {
                choice.profile.clone()
            },
            base_url_flag: flags.base_url.clone(),
            customer: customer(flags, &profile)?,
            namespace: namespace(flags, &profile)?,
            rate_limits: match (rate_limits(flags, &profile)?, local) {
                (_, true) => RateLimits::Off,
                (limits, false) => limits,
            },
            allow_http: allow_http(&profile)?,
            timeout: optional_length("--timeout", flags.timeout.as_deref())?,
            max_wait: optional_length("--max-wait", flags.max_wait.as_deref())?,
            sandbox: flags.sandbox,
            safety: safety(flags, &profile)?,
            display: display(flags, &profile)?,
            warnings,
            config_path,
            config,
        })
    }

    /// The folder that relative paths of the configuration start from.
    pub fn config_folder(&self) -> &std::path::Path {
        self.config_path
            .parent()
            .unwrap_or(std::path::Path::new("."))
    }
}

fn customer(flags: &GlobalArgs, profile: &Profile) -> Result<Option<CustomerId>, CliError> {
    let named = match &flags.customer {
        Some(text) => Some(("--customer", text.clone())),
        None => env_vars::text("SECMON_CUSTOMER")?
            .map(|text| ("SECMON_CUSTOMER", text))
            .or(profile
                .customer
                .map(|number| ("the profile's customer", number.to_string()))),
    };
    named
        .map(|(name, text)| parse_customer(name, &text))
        .transpose()
}

/// Reads a customer's number; `name` says where it came from.
pub fn parse_customer(name: &str, text: &str) -> Result<CustomerId, CliError> {
    text.trim().parse().map_err(|_| {
        CliError::usage(format!("{name}: {text:?} is no customer: it is the number your billing system gave the customer, 1 or more"))
    })
}

fn namespace(flags: &GlobalArgs, profile: &Profile) -> Result<Namespace, CliError> {
    let named = flags
        .namespace
        .clone()
        .or(env_vars::text("SECMON_NAMESPACE")?);
    match named.or_else(|| profile.namespace.clone()).as_deref() {
        None | Some("billing") => Ok(Namespace::Billing),
        Some("provisioning") => Ok(Namespace::Provisioning),
        Some(other) => Err(CliError::usage(format!(
            "--namespace: {other:?} is neither billing nor provisioning"
        ))),
    }
}

fn rate_limits(flags: &GlobalArgs, profile: &Profile) -> Result<RateLimits, CliError> {
    let named = flags
        .rate_limits
        .clone()
        .or(env_vars::text("SECMON_RATE_LIMITS")?);
    named
        .or_else(|| profile.rate_limits.clone())
        .map_or(Ok(RateLimits::On(Limits::DOCUMENTED)), |text| {
            parse_rate_limits(&text)
        })
}

fn parse_rate_limits(text: &str) -> Result<RateLimits, CliError> {
    if text == "off" {
        return Ok(RateLimits::Off);
    }
    let wrong = || {
        CliError::usage(format!(
            "--rate-limits: {text:?} is no pair of limits: write it as 60,100/60s, or off"
        ))
    };
    let (limits, window) = text.split_once('/').ok_or_else(wrong)?;
    let (strict, default) = limits.split_once(',').ok_or_else(wrong)?;
    let number = |text: &str| {
        text.trim()
            .parse::<u32>()
            .ok()
            .filter(|n| *n > 0)
            .ok_or_else(wrong)
    };
    let window = durations::length("--rate-limits", window)?;
    if window.is_zero() {
        return Err(wrong());
    }
    Ok(RateLimits::On(Limits {
        strict: number(strict)?,
        default: number(default)?,
        window,
    }))
}

fn allow_http(profile: &Profile) -> Result<Vec<String>, CliError> {
    let named = env_vars::text("SECMON_ALLOW_HTTP")?;
    Ok(named.map_or_else(
        || profile.allow_http.clone(),
        |hosts| {
            hosts
                .split(',')
                .map(|host| host.trim().to_owned())
                .filter(|host| !host.is_empty())
                .collect()
        },
    ))
}

fn safety(flags: &GlobalArgs, profile: &Profile) -> Result<Safety, CliError> {
    Ok(Safety {
        yes: flags.yes,
        confirm: flags.confirm.clone(),
        no_input: flags.no_input || env_vars::switch("SECMON_NO_INPUT")?.unwrap_or(false),
        dry_run: flags.dry_run,
        read_only: profile.read_only,
        protected: profile.protected,
    })
}

fn display(flags: &GlobalArgs, profile: &Profile) -> Result<Display, CliError> {
    let named = flags
        .output
        .clone()
        .or(env_vars::text("SECMON_OUTPUT")?)
        .or_else(|| profile.output.clone());
    let format = named.map(|text| {
        OutputFormat::from_str(&text, true).map_err(|_| {
            CliError::usage(format!(
                "--output: {text:?} is none of table, wide, json, jsonl, csv, ids"
            ))
        })
    });
    Ok(Display {
        format: format.transpose()?,
        columns: flags.columns.clone(),
        sort: flags.sort.clone(),
        limit: flags.limit,
        no_headers: flags.no_headers,
        time: flags.time.unwrap_or_default(),
        color: flags.color.unwrap_or_default(),
        quiet: flags.quiet,
        no_progress: flags.no_progress,
    })
}

fn optional_length(name: &str, text: Option<&str>) -> Result<Option<Duration>, CliError> {
    text.map(|text| durations::length(name, text)).transpose()
}
