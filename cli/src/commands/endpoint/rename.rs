//! `secmon endpoint rename`.

use crate::commands::common::views;
use crate::context::Context;
use crate::error::CliError;
use crate::references;
use crate::session::calls::PlannedChange;
use crate::state::records::{Observation, Server};
use crate::ui::outcome::{Block, Outcome, Table, to_json};
use clap::Args;
use secmon::operations::UpdateEndpoint;
use serde_json::Value;

/// A server and its new name.
#[derive(Debug, Args)]
pub struct EndpointRenameArgs {
    /// The server: id, IP address, host name or nickname
    pub endpoint: String,
    /// The new name, at most 255 characters
    pub name: String,
}

/// Runs the command.
pub async fn run(context: &Context, args: &EndpointRenameArgs) -> Result<Outcome, CliError> {
    if args.name.trim().is_empty() {
        return Err(CliError::usage(
            "the new name is empty: give a name of 1 to 255 characters",
        ));
    }
    let endpoint = references::endpoint(context, &args.endpoint).await?;
    let customer = references::owner(context, &endpoint)?;
    let update = UpdateEndpoint::new(customer, endpoint.id).nickname(&args.name);
    if endpoint.nickname.as_deref() == Some(args.name.as_str()) {
        let sentence = format!("Server {} has this name already.", endpoint.ip_address);
        let table = Table::of(views::ENDPOINT, [&endpoint]);
        return Ok(Outcome::record(to_json(&endpoint), table).tell(vec![Block::text(sentence)]));
    }
    let planned = PlannedChange::new(format!(
        "the nickname of {}",
        references::name_of(&endpoint)
    ));
    let sent = context.session.write(update, planned.before(&endpoint));
    let Some(answer) = sent.await? else {
        let table = Table::of(views::ENDPOINT, []);
        return Ok(Outcome::record(Value::Null, table));
    };
    let seen = Observation::Servers(vec![Server::from(&answer.data)]);
    context.session.learn(seen);
    let name = references::handle_of(&answer.data);
    let sentence = format!("Server {} is now named {name}.", endpoint.ip_address);
    let table = Table::of(views::ENDPOINT, [&answer.data]);
    Ok(Outcome::record(to_json(&answer.data), table).tell(vec![Block::text(sentence)]))
}
