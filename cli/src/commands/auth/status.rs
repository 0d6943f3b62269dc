//! `secmon auth status`.

use crate::error::CliError;
use crate::session::Session;
use crate::session::service::{KeySource, Source};
use crate::ui::outcome::{Block, Cell, Outcome, Table, shown};
use secmon::Client;
use secmon::operations::ListEndpoints;
use serde_json::json;

/// Whether the service takes the key, by a read of one record.
pub async fn accepts(client: &Client) -> Result<(), CliError> {
    client
        .send(ListEndpoints::account_wide().per_page(1))
        .await?;
    Ok(())
}

/// Runs the command.
pub async fn run(session: &Session) -> Result<Outcome, CliError> {
    let service = session.settings.service()?;
    let key = session.key_in_use()?;
    let name = match &service.source {
        Source::Local => "embedded mock".to_owned(),
        Source::Profile(name) => format!("profile {name}"),
        Source::Environment => "environment".to_owned(),
    };
    let source = source_name(&service.key);
    session.ready().await?;
    let refusal = accepts(session.client()?).await.err();
    let accepted = refusal.as_ref().map_or("yes", |_| "no");
    let masked = key.masked_tail();
    let result = json!({
        "service": name, "base_url": service.base_url, "key": masked, "key_source": source, "accepted": refusal.is_none(),
    });
    let row = [
        (shown("service"), Cell::text(&name)),
        (shown("base_url"), Cell::text(&service.base_url)),
        (shown("key"), Cell::text(&masked)),
        (shown("key_source"), Cell::text(&source)),
        (shown("accepted"), Cell::text(accepted)),
    ];
    if let Some(error) = refusal {
        return Err(error.during(format!(
            "asking {} with the key {masked} from {source} ({name})",
            service.base_url
        )));
    }
    let text = vec![
        Block::text(format!("The service accepts the key ({name}).")),
        Block::Field("address", Cell::text(&service.base_url)),
        Block::Field("key", Cell::text(masked)),
        Block::Field("key source", Cell::text(source)),
    ];
    Ok(Outcome::record(result, Table::one(row)).tell(text))
}

/// Where a key is kept, in words.
pub fn source_name(source: &KeySource) -> String {
    match source {
        KeySource::Local => "the embedded mock".to_owned(),
        KeySource::Environment(_) => "SECMON_API_KEY".to_owned(),
        KeySource::File(path) | KeySource::Mounted(path) => format!("file {}", path.display()),
        KeySource::Command(command) => format!("command {command:?}"),
        KeySource::Ask => "the terminal".to_owned(),
    }
}
