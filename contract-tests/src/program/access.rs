//! Address and key of a service, as `secmon` finds them: a profile that is named, the environment, the default profile, a
//! question.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::Stop;

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
        let text = fs::read_to_string(&path).unwrap_or_default();
        let config: Config = toml::from_str(&text)
            .map_err(|error| Stop::usage(format!("{}: {}", path.display(), error.message())))?;
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
        let (Some(url), Some(file)) = (own, &profile.key_file) else {
            return Err(Stop::usage(format!(
                "profile {name:?} has no base_url and key_file: set SECMON_API_KEY_FILE to a file with the key"
            )));
        };
        let file = path.parent().unwrap_or(Path::new("")).join(file);
        Ok(Some(Self::at(url, &read_key(&file)?)))
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
