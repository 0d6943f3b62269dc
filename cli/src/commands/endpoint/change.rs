//! `secmon endpoint suspend`, `resume`, `terminate` and `delete`: the same road for one server and for many.

use crate::bulk::args::RunArgs;
use crate::bulk::{
    self, ChangeOfMany, Created, Done, End, Journal, Key, Label, NamedServer, Origin, Prior, Words,
};
use crate::commands::common::resume_all::{self, Suspended, SuspendedKind};
use crate::commands::common::transition::Transition;
use crate::context::Context;
use crate::error::CliError;
use crate::machine::files::{self, Word};
use crate::notebook::index::Seen;
use crate::notebook::way_back::{Switched, WayBack};
use crate::references::{self, Prefixes, ServerTarget};
use crate::session::Session;
use crate::session::prompt::{Danger, Prompt};
use crate::ui::outcome::{Line, Outcome, to_json};
use crate::values::durations::counted;
use clap::Args;
use secmon::Response;
use secmon::model::{CustomerId, Endpoint, EndpointStatus};
use secmon::operations::{
    DeleteEndpoint, EndpointState, ResumeEndpoint, SuspendEndpoint, TerminateEndpoint,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use uuid::Uuid;

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
    /// Read the servers from a file, one per line, or with a heading as for provision, or - for standard input
    #[arg(short, long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// How to go on with an earlier run
    #[command(flatten)]
    pub run: RunArgs,
}

const SERVERS: SuspendedKind = SuspendedKind {
    operations: &["endpoint"],
    one: "server",
    stopped_by: "endpoint suspend --all",
    resume_one: "`endpoint resume NAME`",
};

/// What is done to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerChange {
    /// Its state changes.
    To(Transition),
    /// It leaves every list.
    Delete,
}

impl ServerChange {
    fn verb(self) -> &'static str {
        match self {
            Self::To(transition) => transition.verb(),
            Self::Delete => "delete",
        }
    }

    fn doing(self) -> &'static str {
        match self {
            Self::To(transition) => transition.doing(),
            Self::Delete => "deleting",
        }
    }

    fn words(self) -> Words {
        match self {
            Self::To(transition) => transition.words(),
            Self::Delete => Words {
                done: "deleted",
                skipped: "already deleted",
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

    /// What is said of a change to all servers of a customer, of which so many are not so already.
    fn of_all(self, customer: CustomerId, total: usize, left: usize) -> String {
        match self {
            Self::To(to @ (Transition::Suspend | Transition::Resume)) => {
                to.of_all(customer, total, "server", left)
            }
            Self::To(Transition::Terminate) | Self::Delete => {
                format!("Customer {customer} had {}.", counted(total, "server"))
            }
        }
    }

    /// Whether a server that is listed in this state shows that the change does not stand, or no longer.
    pub fn is_undone_by(self, status: &EndpointStatus) -> bool {
        match self {
            Self::To(Transition::Suspend) => *status != EndpointStatus::Paused,
            Self::To(Transition::Resume) => *status != EndpointStatus::Active,
            Self::To(Transition::Terminate) | Self::Delete => true,
        }
    }
}

/// A server, and the word that names it.
struct ServerRow {
    word: Word,
    server: ServerTarget,
}

impl ServerRow {
    /// A server that nobody named: its id stands for it.
    fn listed(endpoint: Endpoint) -> Self {
        Self {
            word: Word {
                line: None,
                text: endpoint.id.to_string(),
            },
            server: ServerTarget::from(endpoint),
        }
    }
}

impl Suspended for ServerRow {
    fn id(&self) -> Uuid {
        self.server.id.into()
    }

    fn name(&self) -> String {
        self.server.name.clone()
    }
}

/// Every server is found before any is changed.
async fn run_named(
    context: &Context,
    targets: &EndpointSelection,
    change: ServerChange,
) -> Result<Outcome, CliError> {
    let named = named_servers(targets)?;
    if named.is_empty() {
        return Err(nothing_named(&context.session, targets, change));
    }
    let names: Vec<String> = named.iter().map(|named| named.word.text.clone()).collect();
    let keys: Vec<Key> = names
        .iter()
        .map(|name| key(&context.session, change, name))
        .collect();
    let origin = Origin::of(targets.file.as_deref());
    let journal = Journal::open(context, change.verb(), origin, &keys, &targets.run)?;
    let known = |name: &str| journal.recalled(&key(&context.session, change, name));
    let servers = references::server_targets(context, &names, change.prefixes(), known).await?;
    let mut rows = Vec::new();
    for (place, server) in servers {
        refuse_another_owner(&named[place], &server)?;
        let word = named[place].word.clone();
        rows.push(ServerRow { word, server });
    }
    let changing = ServersChanging { context, change };
    refuse_those_that_came_back(&changing, &journal, &rows)?;
    confirm(&context.prompt, change, &rows)?;
    let run = (&journal, &targets.run);
    let items = bulk::change_in_journal(context, &changing, &rows, run).await?;
    bulk::conclude(&context.screen, change.words(), items)
}

/// Changes the servers that are named, or all of a customer that are not so already.
pub async fn run(
    context: &Context,
    servers: &EndpointSelection,
    change: ServerChange,
) -> Result<Outcome, CliError> {
    if !servers.all {
        return run_named(context, servers, change).await;
    }
    let customer = context.customer()?;
    let listed = references::all_endpoints(&context.session, Some(customer)).await?;
    let total = listed.len();
    if total == 0 {
        references::refuse_unknown(&context.session, customer).await?;
    }
    let rows: Vec<ServerRow> = listed
        .into_iter()
        .filter(|endpoint| change.is_undone_by(&endpoint.status))
        .map(ServerRow::listed)
        .collect();
    let sentence = change.of_all(customer, total, rows.len());
    let (rows, stay) = match change {
        ServerChange::To(Transition::Resume) => {
            resume_all::choose(&context.prompt, customer, &SERVERS, rows)?
        }
        _ if rows.is_empty() => (rows, Vec::new()),
        _ => {
            confirm(&context.prompt, change, &rows)?;
            (rows, Vec::new())
        }
    };
    let changing = ServersChanging { context, change };
    let keys: Vec<Key> = rows.iter().map(|row| changing.key(row)).collect();
    let journal = Journal::open(context, change.verb(), Origin::Rows, &keys, &servers.run)?;
    refuse_those_that_came_back(&changing, &journal, &rows)?;
    let run = (&journal, &servers.run);
    let items = bulk::change_in_journal(context, &changing, &rows, run).await?;
    let mut outcome = bulk::report(&context.screen, change.words(), &items)?;
    outcome
        .story
        .splice(0..0, [Line::text(sentence)].into_iter().chain(stay));
    if change == ServerChange::To(Transition::Suspend) {
        outcome.story.extend([
            Line::Heading("Next:"),
            Line::next(
                format!("endpoint resume --all -c {customer}"),
                "resume all of them again",
            ),
            Line::next(
                format!("domain suspend --all -c {customer}"),
                "suspend their domains too: they are still watched",
            ),
        ]);
    }
    Ok(outcome)
}

/// The change as it is made to many.
struct ServersChanging<'a> {
    context: &'a Context,
    change: ServerChange,
}

impl ChangeOfMany for ServersChanging<'_> {
    type Target = ServerRow;

    fn operation(&self) -> &'static str {
        self.change.verb()
    }

    fn label(&self, row: &ServerRow) -> Label {
        Label {
            row: row.word.line,
            name: row.server.name.clone(),
            customer: row.server.owner,
        }
    }

    fn key(&self, row: &ServerRow) -> Key {
        key(&self.context.session, self.change, &row.word.text)
    }

    fn kept(&self, row: &ServerRow) -> Value {
        to_json(&row.server)
    }

    fn stands(&self, row: &ServerRow) -> bool {
        let status = row.server.status.as_ref();
        status.is_none_or(|status| !self.change.is_undone_by(status))
    }

    async fn apply(&self, row: &ServerRow, prior: Prior) -> Result<End, CliError> {
        let end = send(&self.context.session, &row.server, self.change).await?;
        Ok(end.after(prior))
    }
}

/// A run that is gone on with must not end what came after it: a server that took over the name of one that the run
/// has ended already, or one that somebody has brought back since.
fn refuse_those_that_came_back(
    changing: &ServersChanging<'_>,
    journal: &Journal,
    rows: &[ServerRow],
) -> Result<(), CliError> {
    let change = changing.change;
    if change.danger() == Danger::Mild {
        return Ok(());
    }
    let verb = change.verb();
    for row in rows {
        let (key, named) = (changing.key(row), named(row));
        if journal.record(&key).is_some_and(|id| id != row.id()) {
            return Err(bulk::came_back(&row.word.text, &named, verb));
        }
        if row.server.status.is_some() {
            bulk::refuse_ended(journal, changing, (row, row.id()), (&named, verb))?;
        }
    }
    Ok(())
}

/// The error of a command that names no server, with the ways to name some.
fn nothing_named(session: &Session, targets: &EndpointSelection, change: ServerChange) -> CliError {
    let error =
        CliError::usage("no server is named: give ids, addresses or names, or a file with -f");
    let verb = change.verb();
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

/// A spreadsheet that says whose a server is must be right about it.
fn refuse_another_owner(named: &NamedServer, server: &ServerTarget) -> Result<(), CliError> {
    match (named.customer, server.owner) {
        (Some(customer), Some(owner)) if customer != owner => Err(CliError::usage(format!(
            "row {}: {} belongs to customer {owner}, not to {customer}: nothing was sent",
            named.word.line.unwrap_or_default(),
            server.name
        ))),
        _ => Ok(()),
    }
}

fn key(session: &Session, change: ServerChange, name: &str) -> Key {
    Key::of(change.verb(), session.settings.customer, name)
}

fn confirm(prompt: &Prompt, change: ServerChange, rows: &[ServerRow]) -> Result<(), CliError> {
    let (what, typed) = match rows {
        [one] => (String::new(), one.server.handle.clone()),
        many => (format!("{} servers: ", many.len()), many.len().to_string()),
    };
    let question = format!(
        "About to {} {what}{}.",
        change.verb(),
        bulk::preview(rows, named)
    );
    prompt.confirm(change.danger().times(rows.len()), &question, &typed)
}

fn named(row: &ServerRow) -> String {
    format!("{}{}", row.server.name, of_owner(" of", &row.server))
}

fn of_owner(of: &str, server: &ServerTarget) -> String {
    let owner = server.owner.map(|id| format!("{of} customer {id}"));
    owner.unwrap_or_default()
}

/// Sends the change of one server.
pub async fn send(
    session: &Session,
    server: &ServerTarget,
    change: ServerChange,
) -> Result<End, CliError> {
    let owner = of_owner(",", server);
    let about = format!("endpoint {}{owner}", server.name);
    let id = server.id;
    let sent = match change {
        ServerChange::To(Transition::Suspend) => {
            let way_back = |_: &_| Some(WayBack::Resume(Switched::Server { id }));
            let request = SuspendEndpoint::new(id);
            moved(
                session
                    .write_reversibly(request, &about, None, way_back)
                    .await,
            )
        }
        ServerChange::To(Transition::Resume) => {
            let way_back = |_: &_| Some(WayBack::Suspend(Switched::Server { id }));
            let request = ResumeEndpoint::new(id);
            moved(
                session
                    .write_reversibly(request, &about, None, way_back)
                    .await,
            )
        }
        ServerChange::To(Transition::Terminate) => {
            moved(session.write(TerminateEndpoint::new(id), &about).await)
        }
        ServerChange::Delete => {
            let sent = session
                .write(DeleteEndpoint::account_wide(id), &about)
                .await;
            sent.map(|sent| sent.map(|_| (json!({ "endpoint_id": id, "deleted": true }), None)))
        }
    };
    let sent = sent.map_err(|error| error.during(format!("{} {}", change.doing(), server.name)))?;
    let Some((record, note)) = sent else {
        return Ok(End::Planned);
    };
    if matches!(
        change,
        ServerChange::Delete | ServerChange::To(Transition::Terminate)
    ) {
        session.learn(Seen::Gone(id.into()));
    }
    let what = format!("Server {}{owner}", server.name);
    let sentence = change.words().sentence(&what, note.as_deref());
    let done = Done {
        id: id.to_string(),
        record,
        created: Created::NoRecord,
        note,
        sentence,
    };
    Ok(done.changed())
}

type Sent = Option<(Value, Option<String>)>;

fn moved(sent: Result<Option<Response<EndpointState>>, CliError>) -> Result<Sent, CliError> {
    Ok(sent?.map(|answer| (to_json(&answer.data), answer.note().map(str::to_owned))))
}
