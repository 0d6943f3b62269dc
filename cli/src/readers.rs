//! The readers of what other people wrote, as functions of it: what was read, or the sentence that refuses it.
//! `fuzz/` feeds them.

use crate::bulk::input::{self, FileOptions};
use crate::error::CliError;
use crate::machine::encoding;
use crate::references::Reference;
use crate::references::targets::{BareNames, Defaults};
use crate::session::profile::ConfigFile;
use crate::values::{days, durations, ports::PortSpec};
use std::path::Path;

/// The rows of a spreadsheet that `provision -f` would send: each row's line, and its cells.
pub fn spreadsheet(file: &[u8]) -> Result<Vec<(u64, Vec<String>)>, String> {
    let options = FileOptions {
        map: &[],
        delimiter: "auto",
        encoding: None,
    };
    let defaults = Defaults {
        customer: "42".parse().ok(),
        bare_names: BareNames::Servers,
        service: None,
    };
    const NAME: &str = "the file";
    let decoded = encoding::refuse_other_formats(file, NAME)
        .and_then(|()| encoding::unmistakable(file, NAME))
        .map_err(sentence)?
        .or_else(|| encoding::in_charset(file, encoding::likeliest(file)?))
        .ok_or_else(|| "its letters are not known".to_owned())?;
    let read = input::parse(&decoded, NAME, &options, &defaults);
    let rows = read.map_err(sentence)?.rows.into_iter();
    Ok(rows
        .map(|row| {
            let cells = row.cells.iter().map(str::to_owned).collect();
            (row.line.unwrap_or_default(), cells)
        })
        .collect())
}

/// A configuration file.
pub fn configuration(text: &str) -> Result<(), String> {
    ConfigFile::parse(text, Path::new("config.toml"))
        .map(drop)
        .map_err(sentence)
}

/// A port with its protocol, as it is shown.
pub fn port(text: &str) -> Result<String, String> {
    PortSpec::parse(text)
        .map(|port| port.to_string())
        .map_err(sentence)
}

/// What is left of a reference without its mark and what surrounds it.
pub fn reference(text: &str) -> Result<&str, String> {
    Reference::parse(text)
        .map(|reference| reference.text)
        .map_err(sentence)
}

/// A day, as the API takes it.
pub fn day(text: &str) -> Result<String, String> {
    days::day("--expires", text)
        .map(|day| day.to_string())
        .map_err(sentence)
}

/// A length of time.
pub fn length(text: &str) -> Result<std::time::Duration, String> {
    durations::length("--since", text).map_err(sentence)
}

fn sentence(error: CliError) -> String {
    error.message().to_owned()
}
