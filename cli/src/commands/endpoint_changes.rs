//! Suspend, resume, terminate and delete: the same road for one server and for many.

use super::transition::Transition;
use crate::args::{EndpointTargets, OnError};
use crate::bulk::{self, Done, End, Item, Words};
use crate::context::{Context, Danger};
use crate::error::CliError;
use crate::files;
use crate::outcome::{Outcome, to_json};
use crate::references::{self, Prefixes, ServerTarget};
use secmon::Response;
use secmon::operations::{
    DeleteEndpoint, EndpointState, ResumeEndpoint, SuspendEndpoint, TerminateEndpoint,
};
use serde_json::{Value, json};

/// What is done to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Its state changes.
    To(Transition),
    /// It leaves every list.
    Delete,
}

impl Change {
    fn verb(self) -> &'static str {
        match self {
            Self::To(transition) => transition.verb(),
            Self::Delete => "delete",
        }
    }

    fn words(self) -> Words {
        match self {
            Self::To(transition) => transition.words(),
            Self::Delete => Words {
                done: "deleted",
                skipped: "deleted before",
            },
        }
    }

    fn danger(self) -> Danger {
        match self {
            Self::To(transition) => transition.danger(),
            Self::Delete => Danger::Moderate,
        }
    }

    fn prefixes(self) -> Prefixes {
        match self.danger() {
            Danger::Mild => Prefixes::Accepted,
            Danger::Moderate | Danger::Severe => Prefixes::Refused,
        }
    }
}

/// Runs the command: every server is found before any is changed.
pub async fn run(
    context: &Context,
    targets: &EndpointTargets,
    change: Change,
) -> Result<Outcome, CliError> {
    let servers = references::server_targets(context, &names(targets)?, change.prefixes()).await?;
    confirm(context, change, &servers)?;
    let ends = bulk::run(context, &servers, OnError::Continue, async |server| {
        send(context, server, change).await
    })
    .await;
    let items = servers.iter().zip(ends).map(|(server, end)| Item {
        row: None,
        target: server.name.clone(),
        customer: server.owner,
        end,
    });
    bulk::conclude(context, change.words(), items.collect())
}

fn names(targets: &EndpointTargets) -> Result<Vec<String>, CliError> {
    let mut names = files::or_stdin(&targets.endpoints)?;
    if let Some(path) = &targets.file {
        names.extend(files::read_words(path, &path.display().to_string())?);
    }
    if names.is_empty() {
        return Err(CliError::usage(
            "no server is named: give ids, addresses or names, or a file with -f",
        ));
    }
    Ok(names)
}

fn confirm(context: &Context, change: Change, servers: &[ServerTarget]) -> Result<(), CliError> {
    let (what, typed) = match servers {
        [one] => (String::new(), one.handle.clone()),
        many => (format!("{} servers: ", many.len()), many.len().to_string()),
    };
    let question = format!(
        "About to {} {what}{}.",
        change.verb(),
        bulk::preview(servers, named)
    );
    context.confirm(change.danger().times(servers.len()), &question, &typed)
}

fn named(server: &ServerTarget) -> String {
    let owner = server
        .owner
        .map(|id| format!(" of customer {id}"))
        .unwrap_or_default();
    format!("{}{owner}", server.name)
}

async fn send(context: &Context, server: &ServerTarget, change: Change) -> Result<End, CliError> {
    let owner = server
        .owner
        .map(|id| format!(", customer {id}"))
        .unwrap_or_default();
    let about = format!("endpoint {}{owner}", server.name);
    let id = server.id;
    let sent = match change {
        Change::To(Transition::Suspend) => {
            moved(context.write(SuspendEndpoint::new(id), &about).await)
        }
        Change::To(Transition::Resume) => {
            moved(context.write(ResumeEndpoint::new(id), &about).await)
        }
        Change::To(Transition::Terminate) => {
            moved(context.write(TerminateEndpoint::new(id), &about).await)
        }
        Change::Delete => {
            let sent = context.write(DeleteEndpoint::new(id), &about).await;
            sent.map(|sent| sent.map(|_| (json!({ "endpoint_id": id, "deleted": true }), None)))
        }
    };
    let sent = sent.map_err(|error| error.during(format!("{}: {}", change.verb(), server.name)))?;
    let Some((record, note)) = sent else {
        return Ok(End::Planned);
    };
    let sentence = format!("Server {}{owner}: {}.", server.name, change.words().done);
    let skipped = note.is_some();
    let done = Done {
        id: id.to_string(),
        record,
        created: None,
        note,
        sentence,
    };
    Ok(if skipped {
        End::Skipped(done)
    } else {
        End::Done(done)
    })
}

type Sent = Option<(Value, Option<String>)>;

fn moved(sent: Result<Option<Response<EndpointState>>, CliError>) -> Result<Sent, CliError> {
    Ok(sent?.map(|answer| (to_json(&answer.data), answer.note().map(str::to_owned))))
}
