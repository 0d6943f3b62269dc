//! `secmon endpoint suspend`, `resume`, `terminate` and `delete`.

use crate::bulk::args::RunArgs;
use crate::bulk::{self, NamedServer};
use crate::commands::lifecycle::change::of_all;
use crate::commands::lifecycle::{LifecycleChange, ResourceKind, Selection, Transition};
use crate::context::Context;
use crate::error::CliError;
use crate::machine::files::{self, Word};
use crate::session::Session;
use crate::ui::outcome::{Block, Outcome};
use clap::Args;
use std::path::{Path, PathBuf};

/// The end of the page of `suspend`.
pub const SUSPEND_EXAMPLES: &str = "\
Examples:
  secmon endpoint suspend web-1 203.0.113.10
  secmon endpoint suspend --all -c 42                 a customer does not pay: all of its servers
  secmon domain suspend --all -c 42                   and all of its domains
  secmon endpoint list -c 42 -o ids | secmon endpoint suspend -";

/// Servers by name, or all of a customer.
#[derive(Debug, Args)]
pub struct EndpointSelection {
    /// All servers of the customer given with -c
    #[arg(long, conflicts_with_all = ["endpoints", "file"])]
    pub all: bool,
    /// The servers: id, IP address, host name or nickname, or - to read them from standard input
    #[arg(value_name = "ENDPOINT")]
    pub endpoints: Vec<String>,
    /// Read the servers from a file (- for standard input): one per line, or a CSV file as for `provision`
    #[arg(short, long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// How the run is made
    #[command(flatten)]
    pub run: RunArgs,
}

/// Changes the servers that are named, or all of a customer that are not so already.
pub async fn run(
    context: &Context,
    servers: &EndpointSelection,
    to: Transition,
) -> Result<Outcome, CliError> {
    if !servers.all {
        let named = named_servers(servers)?;
        if named.is_empty() {
            return Err(nothing_named(&context.session, servers, to));
        }
        let change = LifecycleChange::new(context, to, Selection::Servers(&named));
        let items = bulk::run_bulk(context, &change, &servers.run).await?;
        return bulk::conclude(&context.screen, to.labels(), items);
    }
    let customer = context.customer()?;
    let change = LifecycleChange::new(context, to, Selection::AllServers(customer));
    let items = bulk::run_bulk(context, &change, &servers.run).await?;
    let mut outcome = bulk::report(&context.screen, to.labels(), &items)?;
    let sentence = of_all(to, customer, ResourceKind::Server, &items);
    outcome.text.insert(0, Block::text(sentence));
    outcome.text.extend(bulk::stays(&items));
    if to == Transition::Suspend {
        outcome.text.extend([
            Block::Heading("Next:"),
            Block::next(
                format!("endpoint resume --all -c {customer}"),
                "resume all of them again",
            ),
            Block::next(
                format!("domain suspend --all -c {customer}"),
                "suspend their domains too: they are still watched",
            ),
        ]);
    }
    Ok(outcome)
}

/// The error of a command that names no server, with the ways to name some.
fn nothing_named(session: &Session, targets: &EndpointSelection, to: Transition) -> CliError {
    let error = CliError::usage("no server given: give ids, addresses or names, or a file with -f");
    let verb = to.verb();
    if targets.endpoints.is_empty() && targets.file.is_none() && files::stdin_is_a_pipe() {
        return error.hint(format!(
            "to read the servers from standard input: `endpoint {verb} -`"
        ));
    }
    match session.settings.customer {
        Some(customer) => error.hint(format!(
            "for all servers of customer {customer}: `endpoint {verb} --all -c {customer}`"
        )),
        None => error,
    }
}

/// The names typed, and those of the file or of standard input with their lines.
fn named_servers(targets: &EndpointSelection) -> Result<Vec<NamedServer>, CliError> {
    let mut named = Vec::new();
    for name in &targets.endpoints {
        match name.as_str() {
            "-" => named.extend(bulk::named_in(Path::new("-"), "standard input")?),
            text => named.push(NamedServer::from(Word {
                line: None,
                text: text.to_owned(),
            })),
        }
    }
    if let Some(path) = &targets.file {
        named.extend(bulk::named_in(path, &files::name_of(path))?);
    }
    Ok(named)
}
