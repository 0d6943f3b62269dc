//! What the flags, the environment and the profile come to. Strongest first: flags, environment, profile, default.

use crate::error::CliError;
use crate::machine::{env_vars, paths};
use crate::session::call_log::{DebugFile, Telling};
use crate::session::flags::GlobalArgs;
use crate::session::profile::{ConfigFile, LOCAL, Profile, Protected};
use crate::session::rate_limit::Limits;
use crate::session::service::{self, Service};
use crate::ui::{Display, OutputFormat, jq};
use crate::values::durations;
use clap::ValueEnum;
use secmon::Namespace;
use secmon::model::CustomerId;
use std::path::PathBuf;
use std::sync::Arc;
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
    /// Whether this computer remembers anything between two commands.
    pub keeps_state: bool,
    /// Hosts that plain http may reach.
    pub allow_http: Vec<String>,
    /// Names of plans that are sold.
    pub plans: Vec<String>,
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
    /// What is told of calls.
    pub telling: Telling,
    /// Sentences to say once, before anything else.
    pub warnings: Vec<String>,
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
    /// What no change passes by unseen.
    pub protect: Vec<Protected>,
    /// Profile and portal, where more than one is configured.
    pub place: Option<String>,
}

/// Whether a configuration file must be right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// It must.
    Strict,
    /// It is there to be mended: one that cannot be read says nothing.
    EvenBroken,
}

impl Settings {
    /// Which service, with which key.
    pub fn service(&self) -> Result<&Service, CliError> {
        self.service.as_ref().map_err(Clone::clone)
    }

    /// Lays the flags over the environment over the profile.
    pub fn resolve(flags: &GlobalArgs, reading: Reading) -> Result<Self, CliError> {
        let named = env_vars::text("SECMON_CONFIG")?.map(PathBuf::from);
        let named = flags.config.clone().or(named);
        let mut warnings = Vec::new();
        if let Some(path) = named.as_deref().filter(|path| !path.exists()) {
            let path = path.display();
            warnings.push(format!("there is no configuration file {path}"));
        }
        let config_path = named.map_or_else(paths::config_file, Ok)?;
        let config = match (ConfigFile::read(&config_path), reading) {
            (Err(_), Reading::EvenBroken) => ConfigFile::default(),
            (read, _) => read?,
        };
        let choice = service::Choice::make(flags, &config)?;
        let profile = choice
            .profile
            .as_ref()
            .and_then(|name| config.profiles.get(name));
        let profile = profile.cloned().unwrap_or_default();
        let service = service::resolve(&choice, &config, &config_path, &mut warnings);
        let local = choice.local;
        let safety = Safety {
            place: place(&choice, &config, service.as_ref().ok()),
            ..safety(flags, &profile)?
        };
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
            keeps_state: env_vars::switch("SECMON_STATE")?.unwrap_or(true),
            allow_http: allow_http(&profile)?,
            plans: profile.plans.clone(),
            timeout: timeout(flags)?,
            max_wait: optional_length("--max-wait", flags.max_wait.as_deref())?,
            sandbox: flags.sandbox,
            safety,
            display: display(flags, &profile)?,
            telling: Telling {
                verbosity: flags.verbose,
                file: flags.debug_file.clone().map(DebugFile::new).map(Arc::new),
            },
            warnings,
            config_path,
            config,
        })
    }

    /// Refuses what is there under the billing namespace only; `what` is as `prices are kept`.
    pub fn need_billing(&self, what: &str) -> Result<(), CliError> {
        match self.namespace {
            Namespace::Provisioning => Err(CliError::usage(format!(
                "{what} only under the billing namespace: leave out --namespace provisioning"
            ))),
            _ => Ok(()),
        }
    }

    /// The folder that relative paths of the configuration start from.
    pub fn config_folder(&self) -> &std::path::Path {
        self.config_path
            .parent()
            .unwrap_or(std::path::Path::new("."))
    }
}

/// Profile and portal, where somebody could mean another one.
fn place(
    choice: &service::Choice,
    config: &ConfigFile,
    service: Option<&Service>,
) -> Option<String> {
    let profile = choice
        .profile
        .as_ref()
        .filter(|_| config.profiles.len() > 1)?;
    let portal = service::origin_of(&service?.base_url);
    Some(format!("profile {profile}, {portal}"))
}

/// Judges a value that a setting of a profile is to have, as it would be judged when it counts.
pub fn check_field(field: &str, value: &str) -> Result<(), CliError> {
    match field {
        "base_url" => service::check_address(value),
        "customer" => parse_customer(field, value).map(drop),
        "namespace" => parse_namespace(field, value).map(drop),
        "rate_limits" => parse_rate_limits(field, value).map(drop),
        "output" => parse_format(field, value).map(drop),
        _ => Ok(()),
    }
}

fn customer(flags: &GlobalArgs, profile: &Profile) -> Result<Option<CustomerId>, CliError> {
    let kept = profile.customer.map(|number| number.to_string());
    setting("customer", &flags.customer, kept, parse_customer)
}

/// Reads a customer's number; `name` says where it came from.
pub fn parse_customer(name: &str, text: &str) -> Result<CustomerId, CliError> {
    text.trim().parse().map_err(|_| {
        CliError::usage(format!("{name}: {text:?} is not a customer number: give the number from your billing system, 1 or more"))
    })
}

fn namespace(flags: &GlobalArgs, profile: &Profile) -> Result<Namespace, CliError> {
    let kept = profile.namespace.clone();
    let named = setting("namespace", &flags.namespace, kept, parse_namespace)?;
    Ok(named.unwrap_or(Namespace::Billing))
}

fn parse_namespace(name: &str, text: &str) -> Result<Namespace, CliError> {
    match text {
        "billing" => Ok(Namespace::Billing),
        "provisioning" => Ok(Namespace::Provisioning),
        other => Err(CliError::usage(format!(
            "{name}: {other:?} is neither billing nor provisioning"
        ))),
    }
}

fn rate_limits(flags: &GlobalArgs, profile: &Profile) -> Result<RateLimits, CliError> {
    let kept = profile.rate_limits.clone();
    let named = setting("rate_limits", &flags.rate_limits, kept, parse_rate_limits)?;
    Ok(named.unwrap_or(RateLimits::On(Limits::DOCUMENTED)))
}

fn parse_rate_limits(name: &str, text: &str) -> Result<RateLimits, CliError> {
    if text == "off" {
        return Ok(RateLimits::Off);
    }
    let wrong = || {
        CliError::usage(format!(
            "{name}: {text:?} is not a pair of limits: write it as 60,100/60s, or off"
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
    let window = durations::length(name, window)?;
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
        protect: profile.protect.clone(),
        place: None,
    })
}

fn display(flags: &GlobalArgs, profile: &Profile) -> Result<Display, CliError> {
    let jq = flags.jq.as_deref().map(jq::Filter::parse).transpose()?;
    let format = match &jq {
        Some(_) => filtered_format(flags)?,
        None => format(flags, profile)?,
    };
    Ok(Display {
        format,
        jq: jq.map(Arc::new),
        csv: flags.csv.unwrap_or_default(),
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

fn format(flags: &GlobalArgs, profile: &Profile) -> Result<OutputFormat, CliError> {
    let kept = profile.output.clone();
    Ok(setting("output", &flags.output, kept, parse_format)?.unwrap_or_default())
}

fn parse_format(name: &str, text: &str) -> Result<OutputFormat, CliError> {
    OutputFormat::from_str(text, true).map_err(|_| {
        CliError::usage(format!(
            "{name}: {text:?} is not an output format: use table, wide, json, jsonl, csv or ids"
        ))
    })
}

/// A filter reads JSON, whatever the environment or the profile prefer; another form typed beside it is a mistake.
fn filtered_format(flags: &GlobalArgs) -> Result<OutputFormat, CliError> {
    match flags.output.as_deref() {
        None | Some("json" | "jsonl") => Ok(OutputFormat::Json),
        Some(other) => Err(CliError::usage(format!(
            "--jq filters what -o json prints: leave -o {other} out"
        ))),
    }
}

/// A setting from the strongest of its places: the option, the variable, the profile. Each is named after the field.
fn setting<T>(
    field: &str,
    flag: &Option<String>,
    kept: Option<String>,
    parse: fn(&str, &str) -> Result<T, CliError>,
) -> Result<Option<T>, CliError> {
    let variable = format!("SECMON_{}", field.to_ascii_uppercase());
    let typed = env_vars::text(&variable)?;
    let places = [
        (format!("--{}", field.replace('_', "-")), flag.clone()),
        (variable, typed),
        (format!("the profile's {field}"), kept),
    ];
    let named = places
        .into_iter()
        .find_map(|(name, text)| Some((name, text?)));
    named.map(|(name, text)| parse(&name, &text)).transpose()
}

/// Without any time no call could be made.
fn timeout(flags: &GlobalArgs) -> Result<Option<Duration>, CliError> {
    match optional_length("--timeout", flags.timeout.as_deref())? {
        Some(Duration::ZERO) => Err(CliError::usage(
            "--timeout must be more than 0, as 30s or 2m",
        )),
        length => Ok(length),
    }
}

fn optional_length(name: &str, text: Option<&str>) -> Result<Option<Duration>, CliError> {
    text.map(|text| durations::length(name, text)).transpose()
}
