//! `secmon endpoint rename`.

use crate::bulk::args::RunArgs;
use crate::bulk::{self, Applied, BulkOperation, Item, Label, PlannedRow, Question, RowOutcome};
use crate::commands::common::views;
use crate::context::Context;
use crate::error::CliError;
use crate::references;
use crate::session::calls::PlannedChange;
use crate::session::current_run::RunKind;
use crate::state::changes::Scope;
use crate::state::records::{Observation, Server};
use crate::ui::outcome::{Outcome, Table, to_json};
use clap::Args;
use secmon::model::Endpoint;
use secmon::operations::UpdateEndpoint;
use std::cell::RefCell;

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
    let renaming = Renaming {
        context,
        args,
        now: RefCell::default(),
    };
    let items = bulk::run_bulk(context, &renaming, &RunArgs::default()).await?;
    let item = items.into_iter().next();
    let item = item.ok_or_else(|| CliError::not_found(format!("no server {}", args.endpoint)))?;
    conclude(item, renaming.now.take())
}

/// The server as it is now, as lists show it.
fn conclude(item: Item, now: Option<Endpoint>) -> Result<Outcome, CliError> {
    let mut outcome = bulk::conclude_one(item)?;
    outcome.table = Table::of(views::ENDPOINT, now.iter());
    if let Some(now) = &now {
        outcome.result = to_json(now);
    }
    Ok(outcome)
}

/// A server that gets another name.
struct Renaming<'a> {
    context: &'a Context,
    args: &'a EndpointRenameArgs,
    /// The server as it was read or answered last; nothing in a dry run.
    now: RefCell<Option<Endpoint>>,
}

impl BulkOperation for Renaming<'_> {
    type Row = Endpoint;

    fn kind(&self) -> RunKind {
        RunKind {
            verb: "update_endpoint",
            scope: Scope::One,
            customer: None,
        }
    }

    async fn plan(&self) -> Result<Vec<PlannedRow<Endpoint>>, CliError> {
        let server = references::endpoint(self.context, &self.args.endpoint).await?;
        references::owner(self.context, &server)?;
        if server.nickname.as_deref() != Some(self.args.name.as_str()) {
            return Ok(vec![PlannedRow::send(server)]);
        }
        let applied = Applied {
            id: server.id.to_string(),
            sentence: format!(
                "Server {} already has this name; nothing was changed.",
                server.ip_address
            ),
            ..Applied::default()
        };
        *self.now.borrow_mut() = Some(server.clone());
        Ok(vec![PlannedRow::settled(
            server,
            RowOutcome::Skipped(applied),
        )])
    }

    fn label(&self, server: &Endpoint) -> Label {
        Label::of(references::name_of(server), server.billing_customer_id)
    }

    fn question(&self, _rows: &[&Endpoint]) -> Question {
        Question::none()
    }

    async fn apply(&self, server: &Endpoint) -> Result<RowOutcome, CliError> {
        let session = &self.context.session;
        let customer = references::owner(self.context, server)?;
        let update = UpdateEndpoint::new(customer, server.id).nickname(&self.args.name);
        let about = format!("the nickname of {}", references::name_of(server));
        let sent = session
            .write(update, PlannedChange::new(about).before(server))
            .await?;
        Ok(sent.map_or(RowOutcome::Planned, |answer| {
            session.learn(Observation::Servers(vec![Server::from(&answer.data)]));
            *self.now.borrow_mut() = Some(answer.data.clone());
            let name = references::handle_of(&answer.data);
            let sentence = format!("Server {} is now named {name}.", server.ip_address);
            let mut applied = Applied::answered(server.id, &answer, sentence);
            // That it had the name already is no news here.
            applied.note = None;
            RowOutcome::Applied(applied)
        }))
    }
}
