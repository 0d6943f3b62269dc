//! What interrupted runs have left: where that is written down, and taking it away.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::case::take_away;
use crate::ledger::{Ledger, Left};
use crate::service::Service;

use super::arguments::At;
use super::reach::service;
use super::stop::Stop;

/// Where the ledger of a service is.
pub(super) fn ledger_path(service: &Service) -> PathBuf {
    let folder = |name: &str| {
        env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let state = folder("XDG_STATE_HOME")
        .or_else(|| folder("LOCALAPPDATA"))
        .or_else(|| Some(folder("HOME")?.join(".local/state")))
        .unwrap_or_else(env::temp_dir);
    let name: String = service
        .url
        .chars()
        .map(|sign| {
            if sign.is_ascii_alphanumeric() {
                sign
            } else {
                '-'
            }
        })
        .collect();
    state.join("secmon-contract").join(format!("{name}.jsonl"))
}

pub(super) fn left_in(path: &Path) -> Result<BTreeMap<(u64, String), Left>, Stop> {
    Ledger::left(path)
        .map_err(|error| Stop::other(format!("{} cannot be read: {error}", path.display())))
}

/// Takes away what earlier runs left.
pub(super) fn clean(at: &At) -> Result<ExitCode, Stop> {
    let service = service(at)?;
    let path = ledger_path(&service);
    let left = left_in(&path)?;
    let mut problems = 0;
    for ((_, case), left) in &left {
        match take_away(case, &service, left) {
            Ok(()) => println!("taken away: what {case} made"),
            Err(failure) => {
                problems += 1;
                println!("{case}: {}", failure.message);
            }
        }
    }
    if left.is_empty() {
        println!("nothing is left of earlier runs");
    }
    if problems > 0 {
        return Ok(ExitCode::from(1));
    }
    if path.exists() {
        let removed = std::fs::remove_file(&path);
        removed.map_err(|error| {
            Stop::other(format!("{} cannot be removed: {error}", path.display()))
        })?;
    }
    Ok(ExitCode::SUCCESS)
}
