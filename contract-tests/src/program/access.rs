//! Address and key of a service, as `secmon` finds them: a profile that is named, the environment, the default profile, a
//! question.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::stop::Stop;

/// Where a service is, and the key it is asked with.
pub struct Access {
    /// The address.
    pub url: String,
    /// The key.
    pub key: String,
}

/// What of `secmon`'s configuration says so.
#[derive(Default, Deserialize)]
struct Config {
    default_profile: Option<String>,
    #[serde(default)]
    profiles: BTreeMap<String, Profile>,
}

#[derive(Deserialize)]
struct Profile {
    base_url: Option<String>,
    key_command: Option<String>,
    key_file: Option<PathBuf>,
}

impl Access {
    /// Of the service at this address, or of this profile.
    pub fn find(url: Option<&str>, profile: Option<&str>) -> Result<Self, Stop> {
        // What is named supplies both, and the environment's pair is not looked at.
        let (told, key) = match profile {
            Some(_) => (None, None),
            None => (text("SECMON_BASE_URL"), key_of_environment()?),
        };
        let url = url.or(told.as_deref());
        if key.is_none()
            && let Some(found) = Self::of_profile(url, profile)?
        {
            return Ok(found);
        }
        let none =
            || Stop::usage("no address of a service: give --url URL, or set SECMON_BASE_URL");
        let url = url.ok_or_else(none)?;
        Ok(Self::at(url, &key.map_or_else(asked_for, Ok)?))
    }

    fn at(url: &str, key: &str) -> Self {
        let (url, key) = (url.to_owned(), key.trim().to_owned());
        Self { url, key }
    }

    /// Of the profile that is named, or of the default one; nothing where that is another service's.
    fn of_profile(url: Option<&str>, named: Option<&str>) -> Result<Option<Self>, Stop> {
        let Some(path) = configuration() else {
            return Ok(None);
        };
        let wrong = |why: &str| Stop::usage(format!("{}: {why}", path.display()));
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            read => read.map_err(|error| wrong(&error.to_string()))?,
        };
        let config: Config = toml::from_str(&text).map_err(|error| wrong(error.message()))?;
        let Some(name) = named.or(config.default_profile.as_deref()) else {
            return Ok(None);
        };
        let profile = config.profiles.get(name);
        let profile =
            profile.ok_or_else(|| Stop::usage(format!("there is no profile {name:?}")))?;
        let own = profile.base_url.as_deref();
        if let (Some(url), true) = (url, url != own) {
            return match named {
                Some(_) => Err(Stop::usage(format!(
                    "--url {url} is not the address of profile {name:?}, whose key is for that alone"
                ))),
                None => Ok(None),
            };
        }
        let none = || Stop::usage(format!("profile {name:?} has no base_url"));
        let url = own.ok_or_else(none)?;
        Ok(Some(Self::at(url, &profile.key(&path)?)))
    }
}

impl Profile {
    /// From where this profile of a configuration has its key.
    fn key(&self, config: &Path) -> Result<String, Stop> {
        let folder = config.parent().unwrap_or(Path::new(""));
        match (&self.key_command, &self.key_file) {
            (Some(command), _) => {
                // Whoever can write the configuration would choose what runs here.
                refuse_others(config, 0o022)?;
                refuse_others(
                    &fs::canonicalize(config).unwrap_or_default().join(".."),
                    0o022,
                )?;
                printed_by(command)
            }
            (None, Some(file)) => {
                let file = folder.join(file);
                refuse_others(&file, 0o077)?;
                read_key(&file)
            }
            (None, None) => asked_for(),
        }
    }
}

/// Refuses a file or folder that is another user's, or gives others any of these bits of its mode.
#[cfg(unix)]
fn refuse_others(path: &Path, bits: u32) -> Result<(), Stop> {
    use std::os::unix::fs::MetadataExt as _;
    let Ok(metadata) = fs::metadata(path) else {
        return Ok(());
    };
    let is_ours = [0, rustix::process::geteuid().as_raw()].contains(&metadata.uid());
    // In a sticky folder only its owner removes a file.
    let is_sticky = metadata.is_dir() && metadata.mode() & 0o1000 != 0;
    match is_ours && (is_sticky || metadata.mode() & bits == 0) {
        true => Ok(()),
        false => Err(Stop::usage(format!(
            "others can use or change {}: make it yours alone, with chown and chmod go-rwx",
            path.display()
        ))),
    }
}

#[cfg(not(unix))]
fn refuse_others(_: &Path, _: u32) -> Result<(), Stop> {
    Ok(())
}

/// The first line that a command of a profile prints.
fn printed_by(command: &str) -> Result<String, Stop> {
    let (shell, flag) = if cfg!(windows) {
        ("cmd", "/C")
    } else {
        ("sh", "-c")
    };
    let mut run = Command::new(shell);
    run.args([flag, command]).env_remove("SECMON_API_KEY");
    let ran = run.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let failed = |why: &str| Stop::usage(format!("key_command {command:?} {why}"));
    let ran = ran.map_err(|error| failed(&error.to_string()))?;
    let text = String::from_utf8(ran.stdout).unwrap_or_default();
    match text.lines().next() {
        Some(key) if ran.status.success() => Ok(key.to_owned()),
        _ => Err(failed(&format!("printed no key ({})", ran.status))),
    }
}

/// A variable of the environment that says something.
pub fn text(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn key_of_environment() -> Result<Option<String>, Stop> {
    match (text("SECMON_API_KEY"), text("SECMON_API_KEY_FILE")) {
        (Some(key), _) => Ok(Some(key)),
        (None, Some(file)) => read_key(Path::new(&file)).map(Some),
        (None, None) => Ok(None),
    }
}

fn read_key(file: &Path) -> Result<String, Stop> {
    let read = fs::read_to_string(file);
    read.map_err(|error| {
        Stop::usage(format!(
            "the key file {} cannot be read: {error}",
            file.display()
        ))
    })
}

fn configuration() -> Option<PathBuf> {
    let folder = |name| text(name).map(PathBuf::from);
    let config = || folder("XDG_CONFIG_HOME").or_else(|| folder("APPDATA"));
    let config = || config().or_else(|| Some(folder("HOME")?.join(".config")));
    folder("SECMON_CONFIG").or_else(|| Some(config()?.join("secmon").join("config.toml")))
}

/// The key that a person types, without echo.
fn asked_for() -> Result<String, Stop> {
    let none = || {
        Stop::usage(
            "no key: set SECMON_API_KEY, or SECMON_API_KEY_FILE to a file that holds it, or name a --profile",
        )
    };
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(none());
    }
    let asked = dialoguer::Password::new().with_prompt("API key").interact();
    asked.map_err(|_| none())
}
