//! `secmon endpoint rename`.

use crate::commands::common::views;
use crate::context::Context;
use crate::error::CliError;
use crate::notebook::index::{Seen, Server};
use crate::notebook::way_back::WayBack;
use crate::references;
use crate::ui::outcome::{Line, Outcome, Table, to_json};
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
    let earlier = endpoint.nickname.clone().filter(|name| !name.is_empty());
    let way_back = earlier.map(|name| WayBack::RenameServer {
        server: endpoint.id,
        customer,
        name,
    });
    let about = format!("the nickname of {}", references::name_of(&endpoint));
    let session = &context.session;
    let sent = session.write_reversibly(update, &about, None, |_| way_back);
    let Some(answer) = sent.await? else {
        let table = Table::of(views::ENDPOINT, []);
        return Ok(Outcome::record(Value::Null, table));
    };
    let seen = Seen::Servers(vec![Server::from(&answer.data)]);
    context.session.learn(seen);
    let name = references::handle_of(&answer.data);
    let sentence = format!("Server {} is now named {name}.", endpoint.ip_address);
    let table = Table::of(views::ENDPOINT, [&answer.data]);
    Ok(Outcome::record(to_json(&answer.data), table).tell(vec![Line::text(sentence)]))
}
