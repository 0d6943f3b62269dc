//! The configuration file: named pairs of address and key. Writing keeps the comments of a person.

use crate::error::CliError;
use crate::machine::files;
use secmon::model::CustomerId;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use toml_edit::{DocumentMut, Item, Table, TableLike};

/// The name that means the embedded mock, and so cannot be a profile.
pub const LOCAL: &str = "local";

/// What the configuration file says.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigFile {
    /// The profile used when none is named.
    pub default_profile: Option<String>,
    /// The profiles by name.
    #[serde(default)]
    pub profiles: BTreeMap<String, Profile>,
    /// Why somebody else can write what the file says, where that is so.
    #[serde(skip)]
    pub foreign_hands: Option<String>,
}

/// A pair of address and key, with the settings that go with it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Address of the service.
    pub base_url: Option<String>,
    /// File that holds the key, readable by its owner only; relative to the configuration file.
    pub key_file: Option<PathBuf>,
    /// Command that prints the key.
    pub key_command: Option<String>,
    /// The customer when no `-c` is given.
    pub customer: Option<u64>,
    /// `billing` or `provisioning`.
    pub namespace: Option<String>,
    /// As `60,100/60s`, or `off`.
    pub rate_limits: Option<String>,
    /// Hosts that plain http may reach.
    #[serde(default)]
    pub allow_http: Vec<String>,
    /// Names of plans that are sold.
    #[serde(default)]
    pub plans: Vec<String>,
    /// Form of results.
    pub output: Option<String>,
    /// Refuses every change.
    #[serde(default)]
    pub read_only: bool,
    /// Asks for the name or count before every change that is asked about.
    #[serde(default)]
    pub protected: bool,
    /// Customers by their numbers, and servers as `ip:192.0.2.10`: every change of these is typed.
    #[serde(default)]
    pub protect: Vec<Protected>,
}

/// What no change passes by unseen.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "WrittenProtected")]
pub enum Protected {
    /// All that a customer has.
    Customer(CustomerId),
    /// A server by its address.
    Address(IpAddr),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenProtected {
    Number(u64),
    Text(String),
}

impl TryFrom<WrittenProtected> for Protected {
    type Error = String;

    fn try_from(written: WrittenProtected) -> Result<Self, String> {
        let text = match written {
            WrittenProtected::Number(number) => number.to_string(),
            WrittenProtected::Text(text) => text,
        };
        let read = match text.strip_prefix("ip:") {
            Some(address) => address.trim().parse().ok().map(Self::Address),
            None => text.trim().parse().ok().map(Self::Customer),
        };
        read.ok_or_else(|| {
            format!(
                "protect: {text:?} is neither a customer's number nor an address as ip:192.0.2.10"
            )
        })
    }
}

impl fmt::Display for Protected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Customer(customer) => write!(f, "{customer}"),
            Self::Address(address) => write!(f, "{address}"),
        }
    }
}

impl ConfigFile {
    /// Reads the file; one that is not there says nothing.
    pub fn read(path: &Path) -> Result<Self, CliError> {
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(unreadable(path, &error)),
        };
        let mut text = String::new();
        file.read_to_string(&mut text)
            .map_err(|error| unreadable(path, &error))?;
        // Of the file that was read, whatever has its name by now.
        let foreign_hands = files::in_foreign_hands(&file, path);
        Ok(Self {
            foreign_hands: foreign_hands.map_err(|error| unreadable(path, &error))?,
            ..Self::parse(&text, path)?
        })
    }

    /// Reads the text of a configuration file; `path` is for what is wrong with it.
    pub fn parse(text: &str, path: &Path) -> Result<Self, CliError> {
        toml::from_str(text).map_err(|error| {
            let reason = error.message().replace('\n', " ");
            let at = error
                .span()
                .and_then(|span| text.get(..span.start))
                .map(|before| before.matches('\n').count() + 1);
            let at = at.map(|line| format!(", line {line}")).unwrap_or_default();
            CliError::usage(format!(
                "configuration file {}{at}: {reason}",
                path.display()
            ))
            .hint("correct the file, or name another with --config")
        })
    }

    /// The profile of this name.
    pub fn profile(&self, name: &str) -> Result<&Profile, CliError> {
        self.profiles.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.profiles.keys().map(String::as_str).collect();
            let known = if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            };
            CliError::usage(format!("there is no profile {name:?} (profiles: {known})"))
                .hint("list them: `profile list`; to create one: `auth login --profile NAME`")
        })
    }
}

/// The file as a document that can be changed without losing its comments.
pub struct ConfigDocument {
    document: DocumentMut,
}

impl ConfigDocument {
    /// Opens the file, or begins a new one.
    pub fn open(path: &Path) -> Result<Self, CliError> {
        let text = read_optional(path)?.unwrap_or_default();
        let document = text.parse::<DocumentMut>().map_err(|error| {
            CliError::usage(format!(
                "configuration file {}: {}",
                path.display(),
                error.message()
            ))
        })?;
        Ok(Self { document })
    }

    /// Reads the file, changes it and puts it in its place, one process after another: who read it before another wrote
    /// it would take that change back.
    pub fn change(
        path: &Path,
        change: impl FnOnce(&mut Self) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        let _lock = lock(path)?;
        let mut document = Self::open(path)?;
        change(&mut document)?;
        files::replace(path, document.text().as_bytes())
    }

    /// Whether there is a profile of this name.
    fn has(&self, profile: &str) -> bool {
        let profiles = self.document.get("profiles").and_then(Item::as_table_like);
        profiles.is_some_and(|profiles| profiles.contains_key(profile))
    }

    fn profiles(&mut self) -> Option<&mut dyn TableLike> {
        self.document.get_mut("profiles")?.as_table_like_mut()
    }

    /// Refuses to make a profile in the place of another.
    pub fn refuse_taken(&self, profile: &str) -> Result<(), CliError> {
        match self.has(profile) {
            false => Ok(()),
            true => Err(CliError::usage(format!(
                "there is a profile {profile:?} already: choose another name, or delete it first"
            ))),
        }
    }

    /// The file as it will be.
    pub fn text(&self) -> String {
        self.document.to_string()
    }

    /// Every value with its dotted name, in the order of the file.
    pub fn values(&self) -> Vec<(String, String)> {
        let mut values = Vec::new();
        collect("", self.document.as_table(), &mut values);
        values
    }

    /// Gives a profile another name; its comments and its place stay.
    pub fn rename(&mut self, profile: &str, new: &str) {
        if let Some(profiles) = self.profiles()
            && let Some(entry) = profiles.remove(profile)
        {
            profiles.insert(new, entry);
        }
        if self.default_profile() == Some(profile) {
            self.set_default(new);
        }
    }

    /// Takes the profile used when none is named out.
    pub fn unset_default(&mut self) {
        self.document.remove("default_profile");
    }

    /// Sets one value of a profile, making the profile when it is new.
    pub fn set(&mut self, profile: &str, field: &str, value: impl Into<toml_edit::Value>) {
        let profiles = self
            .document
            .entry("profiles")
            .or_insert_with(implicit_table);
        if let Some(profiles) = profiles.as_table_like_mut() {
            let entry = profiles.entry(profile).or_insert(Item::Table(Table::new()));
            entry[field] = toml_edit::value(value);
        }
    }

    /// Removes one value of a profile.
    pub fn unset(&mut self, profile: &str, field: &str) {
        let entry = self
            .profiles()
            .and_then(|profiles| profiles.get_mut(profile));
        if let Some(entry) = entry.and_then(Item::as_table_like_mut) {
            entry.remove(field);
        }
    }

    /// Removes a profile.
    pub fn remove(&mut self, profile: &str) {
        if let Some(profiles) = self.profiles() {
            profiles.remove(profile);
        }
        if self.default_profile() == Some(profile) {
            self.unset_default();
        }
    }

    /// The profile used when none is named.
    pub fn default_profile(&self) -> Option<&str> {
        self.document.get("default_profile").and_then(Item::as_str)
    }

    /// Sets the profile used when none is named.
    pub fn set_default(&mut self, profile: &str) {
        self.document["default_profile"] = toml_edit::value(profile);
    }
}

fn collect(prefix: &str, table: &dyn TableLike, values: &mut Vec<(String, String)>) {
    for (name, item) in table.iter() {
        let name = format!("{prefix}{name}");
        match (item.as_table_like(), item.as_value()) {
            (Some(inner), _) => collect(&format!("{name}."), inner, values),
            (None, Some(value)) => values.push((name, plain(value))),
            (None, None) => {}
        }
    }
}

/// A value without quotes, a list with commas.
fn plain(value: &toml_edit::Value) -> String {
    match (value.as_str(), value.as_array()) {
        (Some(text), _) => text.to_owned(),
        (_, Some(list)) => list.iter().map(plain).collect::<Vec<_>>().join(","),
        _ => value.clone().decorated("", "").to_string(),
    }
}

fn implicit_table() -> Item {
    let mut table = Table::new();
    table.set_implicit(true);
    Item::Table(table)
}

/// A name a profile may have: it is also the name of a file.
pub fn check_name(name: &str) -> Result<(), CliError> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name == LOCAL {
        return Err(CliError::usage(
            "the profile name \"local\" means the embedded mock: choose another name",
        ));
    }
    if name.is_empty() || name.starts_with('.') || !name.chars().all(fits) {
        return Err(CliError::usage(format!(
            "{name:?} is not a name for a profile: use letters, digits, - and _"
        )));
    }
    Ok(())
}

/// Where `auth login` keeps the key of a profile, relative to the configuration file.
pub fn key_file_of(profile: &str) -> PathBuf {
    Path::new("keys").join(profile)
}

/// Keeps other processes from changing the configuration file. The lock stands beside it, as each change puts another
/// file in its place.
pub fn lock(path: &Path) -> Result<File, CliError> {
    files::lock(&path.with_extension("lock"))
}

/// The text of the file; one that is not there has none.
pub fn read_optional(path: &Path) -> Result<Option<String>, CliError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(path, &error)),
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> CliError {
    CliError::usage(format!("configuration file {}: {error}", path.display()))
}
