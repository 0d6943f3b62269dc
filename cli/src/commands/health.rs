//! `secmon health`

use crate::error::CliError;
use crate::session::Session;
use crate::ui::outcome::{Cell, Column, Line, Outcome, Table, shown, to_json};
use secmon::operations::GetHealth;

const COLUMNS: &[Column] = &[shown("status"), shown("version"), shown("timestamp")];

/// Runs the command. The health check takes no key, so none is read or asked for.
pub async fn run(session: &Session) -> Result<Outcome, CliError> {
    session.connect_without_key()?;
    let health = session.read(GetHealth::new()).await?.into_data();
    let version = health.meta.as_ref().and_then(|meta| meta.version.clone());
    let row = vec![
        Cell::text(&health.status),
        Cell::maybe(version.as_ref()),
        Cell::time(health.timestamp.as_ref()),
    ];
    let version = version
        .map(|version| format!(" (version {version})"))
        .unwrap_or_default();
    let sentence = format!("The service answers: {}{version}.", health.status);
    Ok(
        Outcome::record(to_json(&health), Table::one(COLUMNS, row))
            .tell(vec![Line::text(sentence)]),
    )
}
