//! Where the program keeps its files: the platform's folders, XDG everywhere.

use crate::error::CliError;
use etcetera::base_strategy::{BaseStrategy, Xdg};
use std::path::PathBuf;

/// The configuration file when none is named.
pub fn config_file() -> Result<PathBuf, CliError> {
    Ok(folders()?.config_dir().join("secmon").join("config.toml"))
}

/// The folder with the embedded mock's state.
pub fn local_state_folder() -> Result<PathBuf, CliError> {
    Ok(folders()?.data_dir().join("secmon").join("local"))
}

/// The folder with what can be fetched again.
pub fn cache_folder() -> Result<PathBuf, CliError> {
    Ok(folders()?.cache_dir().join("secmon"))
}

/// The folder of the journals of runs over many.
pub fn runs_folder() -> Result<PathBuf, CliError> {
    Ok(state_folder()?.join("runs"))
}

/// The file that records what was changed from this machine.
pub fn history_file() -> Result<PathBuf, CliError> {
    Ok(state_folder()?.join("history.jsonl"))
}

/// The database of what this computer did and saw.
#[expect(dead_code, reason = "what is kept in it comes next")]
pub fn state_database() -> Result<PathBuf, CliError> {
    Ok(state_folder()?.join("state.db"))
}

/// The database of the rate limit's slots.
pub fn rate_database() -> Result<PathBuf, CliError> {
    Ok(state_folder()?.join("rate.db"))
}

/// The folder of what the programs of a user share and remember.
pub fn state_folder() -> Result<PathBuf, CliError> {
    let folders = folders()?;
    let state = folders.state_dir().unwrap_or_else(|| folders.data_dir());
    Ok(state.join("secmon"))
}

fn folders() -> Result<Xdg, CliError> {
    Xdg::new().map_err(|_| {
        CliError::usage(
            "there is no home directory: set HOME, or XDG_CONFIG_HOME and XDG_DATA_HOME",
        )
    })
}
