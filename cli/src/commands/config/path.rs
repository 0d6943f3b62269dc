//! `secmon config path`: where things are kept.

use crate::error::CliError;
use crate::machine::paths;
use crate::session::Session;
use crate::ui::outcome::{Block, Cell, Outcome, Table};
use clap::ValueEnum;
use serde_json::{Map, Value, json};

/// What is kept where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PathOf {
    /// The configuration file.
    Config,
    /// The folder with the keys.
    Keys,
    /// The database that records what was changed from this computer.
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
        let (_, path) = place(session, of)?;
        let text = vec![Block::Verbatim(format!("{path}\n"))];
        return Ok(Outcome::record(json!({ "path": path }), Table::default()).tell(text));
    }
    let mut result = Map::new();
    let mut text = Vec::new();
    for of in PathOf::value_variants() {
        let (name, path) = place(session, *of)?;
        text.push(Block::Field(name, Cell::text(&path)));
        result.insert(name.to_owned(), Value::from(path));
    }
    Ok(Outcome::record(Value::Object(result), Table::default()).tell(text))
}

/// The name of a place, and where it is.
fn place(session: &Session, of: PathOf) -> Result<(&'static str, String), CliError> {
    let settings = &session.settings;
    let (name, path) = match of {
        PathOf::Config => ("config", settings.config_path.clone()),
        PathOf::Keys => ("keys", settings.config_folder().join("keys")),
        PathOf::History => ("history", paths::state_database()?),
        PathOf::State => ("state", paths::state_folder()?),
        PathOf::Cache => ("cache", paths::cache_folder()?),
        PathOf::Local => ("local", paths::local_state_folder()?),
    };
    Ok((name, path.display().to_string()))
}
