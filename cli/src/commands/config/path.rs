//! `secmon config path`: where things are kept.

use crate::error::CliError;
use crate::machine::paths;
use crate::session::Session;
use crate::ui::outcome::{Cell, Line, Outcome, Table};
use clap::ValueEnum;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// What is kept where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PathOf {
    /// The configuration file.
    Config,
    /// The folder with the keys.
    Keys,
    /// The file that records what was changed from this machine.
    History,
    /// The folder with what the programs of this user share and remember.
    State,
    /// The folder with what can be fetched again.
    Cache,
    /// The folder with the embedded mock's state.
    Local,
}

/// Runs the command.
pub fn run(session: &Session, of: Option<PathOf>) -> Result<Outcome, CliError> {
    if let Some(of) = of {
        let path = place(session, of)?.display().to_string();
        let story = vec![Line::Verbatim(format!("{path}\n"))];
        return Ok(Outcome::record(json!({ "path": path }), Table::default()).tell(story));
    }
    let mut result = Map::new();
    let mut story = Vec::new();
    for of in PathOf::value_variants() {
        let path = place(session, *of)?.display().to_string();
        let name = of.label();
        story.push(Line::Field(name, Cell::text(&path)));
        result.insert(name.to_owned(), Value::from(path));
    }
    Ok(Outcome::record(Value::Object(result), Table::default()).tell(story))
}

impl PathOf {
    fn label(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Keys => "keys",
            Self::History => "history",
            Self::State => "state",
            Self::Cache => "cache",
            Self::Local => "local",
        }
    }
}

fn place(session: &Session, of: PathOf) -> Result<PathBuf, CliError> {
    match of {
        PathOf::Config => Ok(session.settings.config_path.clone()),
        PathOf::Keys => Ok(session.settings.config_folder().join("keys")),
        PathOf::History => paths::history_file(),
        PathOf::State => paths::state_folder(),
        PathOf::Cache => paths::cache_folder(),
        PathOf::Local => paths::local_state_folder(),
    }
}
