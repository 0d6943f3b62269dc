//! `secmon health`

use crate::error::CliError;
use crate::session::Session;
use crate::ui::outcome::{Block, Cell, Outcome, Table, shown, to_json};
use secmon::operations::GetHealth;

/// Runs the command. The health check takes no key, so none is read or asked for.
pub async fn run(session: &Session) -> Result<Outcome, CliError> {
    session.connect_without_key()?;
    let health = session.read(GetHealth::new()).await?;
    let version = health.meta.as_ref().and_then(|meta| meta.version.clone());
    let row = [
        (shown("status"), Cell::text(&health.status)),
        (shown("version"), Cell::maybe(version.as_ref())),
        (shown("timestamp"), Cell::time(health.timestamp.as_ref())),
    ];
    let version = version
        .map(|version| format!(" (version {version})"))
        .unwrap_or_default();
    let sentence = format!("The service answers: {}{version}.", health.status);
    Ok(Outcome::record(to_json(&health), Table::one(row)).tell(vec![Block::text(sentence)]))
}
