//! Where the program keeps its files: the platform's folders, XDG everywhere.

use crate::error::CliError;
use std::path::PathBuf;

/// The configuration file when none is named.
pub fn config_file() -> Result<PathBuf, CliError> {
    Ok(base("XDG_CONFIG_HOME", ".config")?.join("secmon/config.toml"))
}

/// The folder with the embedded mock's state.
pub fn local_state_folder() -> Result<PathBuf, CliError> {
    Ok(base("XDG_DATA_HOME", ".local/share")?.join("secmon/local"))
}

/// The folder with what can be fetched again.
pub fn cache_folder() -> Result<PathBuf, CliError> {
    Ok(base("XDG_CACHE_HOME", ".cache")?.join("secmon"))
}

/// Where versions before the databases kept what they remembered: files that nobody reads any more.
pub fn former_files() -> Vec<PathBuf> {
    let state = state_folder().into_iter();
    let state = state
        .flat_map(|state| ["history.jsonl", "runs", "pace", "leaks"].map(|name| state.join(name)));
    let cache = cache_folder().into_iter();
    let cache = cache.flat_map(|cache| {
        let accounts = std::fs::read_dir(cache).into_iter().flatten().flatten();
        accounts
            .map(|entry| entry.path())
            .filter(|path| path.join("index.json").exists() || path.ends_with("profiles"))
    });
    state.chain(cache).filter(|path| path.exists()).collect()
}

/// The database of what this computer did and saw.
pub fn state_database() -> Result<PathBuf, CliError> {
    Ok(state_folder()?.join("state.db"))
}

/// The database of the rate limit's slots.
pub fn rate_database() -> Result<PathBuf, CliError> {
    Ok(state_folder()?.join("rate.db"))
}

/// The folder of what the programs of a user share and remember.
pub fn state_folder() -> Result<PathBuf, CliError> {
    Ok(base("XDG_STATE_HOME", ".local/state")?.join("secmon"))
}

/// The folder that a variable names, or else one of the home directory. A path that is not absolute counts as none, as
/// XDG says.
fn base(variable: &str, below_home: &str) -> Result<PathBuf, CliError> {
    let named = std::env::var_os(variable).map(PathBuf::from);
    match named.filter(|path| path.is_absolute()) {
        Some(path) => Ok(path),
        None => home(variable).map(|home| home.join(below_home)),
    }
}

fn home(instead: &str) -> Result<PathBuf, CliError> {
    match std::env::home_dir() {
        Some(home) if home.is_absolute() => Ok(home),
        Some(home) if !home.as_os_str().is_empty() => Err(CliError::usage(format!(
            "HOME is {home:?}, which is not an absolute path: set it to one, such as /home/me, or set {instead}"
        ))),
        _ => Err(CliError::usage(format!(
            "there is no home directory: set HOME, or {instead}"
        ))),
    }
}
