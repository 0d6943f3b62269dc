//! `secmon domain suspend`, `resume` and `terminate`.

use crate::bulk::args::RunArgs;
use crate::bulk::{self, ChangeOfMany, Done, End, Journal, Key, Label, Origin, Prior};
use crate::commands::common::resume_all::{self, Suspended, SuspendedKind};
use crate::commands::common::transition::Transition;
use crate::context::Context;
use crate::error::CliError;
use crate::notebook::way_back::{Switched, WayBack};
use crate::references::{self, DomainRef};
use crate::session::Session;
use crate::session::prompt::Prompt;
use crate::ui::outcome::{Line, Outcome, to_json};
use clap::Args;
use secmon::model::DomainStatus;
use secmon::operations::{ResumeDomain, SuspendDomain, TerminateDomain};
use serde_json::Value;
use uuid::Uuid;

/// The end of the page of `suspend`.
pub const SUSPEND_EXAMPLES: &str = "\
Examples:
  secmon domain suspend example.com -c 42
  secmon domain suspend --all -c 42                   a customer does not pay: all of its domains
  secmon endpoint suspend --all -c 42                 and all of its servers";

/// Domains to suspend or to resume.
#[derive(Debug, Args)]
pub struct DomainSwitch {
    /// All domains of the customer given with -c
    #[arg(long, conflicts_with = "domains")]
    pub all: bool,
    /// The domains: names or ids
    #[arg(value_name = "DOMAIN", required_unless_present = "all")]
    pub domains: Vec<String>,
    /// How to go on with an earlier run
    #[command(flatten)]
    pub run: RunArgs,
}

/// Domains to change.
#[derive(Debug, Args)]
pub struct DomainTargets {
    /// The domains: names or ids
    #[arg(value_name = "DOMAIN", required = true)]
    pub domains: Vec<String>,
    /// How to go on with an earlier run
    #[command(flatten)]
    pub run: RunArgs,
}

const DOMAINS: SuspendedKind = SuspendedKind {
    operations: &["domain"],
    one: "domain",
    stopped_by: "domain suspend --all",
    resume_one: "`domain resume NAME -c ID`",
};

/// A domain, and the word that names it.
struct DomainRow {
    word: String,
    domain: DomainRef,
}

impl Suspended for DomainRow {
    fn id(&self) -> Uuid {
        self.domain.id.into()
    }

    fn name(&self) -> String {
        self.domain.label()
    }
}

/// The change as it is made to many.
struct DomainsChanging<'a> {
    context: &'a Context,
    change: Transition,
}

impl DomainsChanging<'_> {
    fn key_of(&self, word: &str) -> Key {
        Key::of(
            self.operation(),
            self.context.session.settings.customer,
            word,
        )
    }
}

/// Whether a domain that is listed in this state shows that the change does not stand, or no longer.
pub fn is_undone_by(change: Transition, status: &DomainStatus) -> bool {
    match change {
        Transition::Suspend => *status == DomainStatus::Active,
        Transition::Resume => *status == DomainStatus::Paused,
        Transition::Terminate => true,
    }
}

impl ChangeOfMany for DomainsChanging<'_> {
    type Target = DomainRow;

    fn operation(&self) -> &'static str {
        match self.change {
            Transition::Suspend => "suspend_domain",
            Transition::Resume => "resume_domain",
            Transition::Terminate => "terminate_domain",
        }
    }

    fn label(&self, row: &DomainRow) -> Label {
        Label::of(row.domain.label(), row.domain.customer)
    }

    fn key(&self, row: &DomainRow) -> Key {
        self.key_of(&row.word)
    }

    fn kept(&self, row: &DomainRow) -> Value {
        to_json(&row.domain)
    }

    /// One whose state nobody told was suspended or resumed by its id; to do that again changes nothing.
    fn stands(&self, row: &DomainRow) -> bool {
        match &row.domain.status {
            Some(status) => !is_undone_by(self.change, status),
            None => self.change == Transition::Terminate,
        }
    }

    async fn apply(&self, row: &DomainRow, prior: Prior) -> Result<End, CliError> {
        let end = transition(&self.context.session, &row.domain, self.change).await?;
        Ok(end.after(prior))
    }
}

/// Suspends, resumes or terminates: every domain is found before any is changed.
pub async fn run(
    context: &Context,
    names: &[String],
    change: Transition,
    args: &RunArgs,
) -> Result<Outcome, CliError> {
    let changing = DomainsChanging { context, change };
    let keys: Vec<Key> = names.iter().map(|name| changing.key_of(name)).collect();
    let journal = Journal::open(context, changing.operation(), Origin::Rows, &keys, args)?;
    let met = |name: &str| journal.recalled(&changing.key_of(name));
    let found = references::domain_targets(context, names, met).await?;
    let named = |(place, domain): (usize, DomainRef)| DomainRow {
        word: names[place].clone(),
        domain,
    };
    let rows: Vec<DomainRow> = found.into_iter().map(named).collect();
    refuse_those_that_came_back(&changing, &journal, &rows)?;
    confirm(&context.prompt, &rows, change)?;
    let items = bulk::change_in_journal(context, &changing, &rows, (&journal, args)).await?;
    bulk::conclude(&context.screen, change.words(), items)
}

/// A domain that was terminated and provisioned again since, or another one by its name.
fn refuse_those_that_came_back(
    changing: &DomainsChanging<'_>,
    journal: &Journal,
    rows: &[DomainRow],
) -> Result<(), CliError> {
    if changing.change != Transition::Terminate {
        return Ok(());
    }
    let verb = changing.change.verb();
    for row in rows.iter().filter(|row| row.domain.status.is_some()) {
        let (key, named) = (changing.key(row), row.domain.named());
        if journal.record(&key).is_some_and(|id| id != row.id()) {
            return Err(bulk::came_back(&row.word, &named, verb));
        }
        bulk::refuse_ended(journal, changing, (row, row.id()), (&named, verb))?;
    }
    Ok(())
}

/// Suspends or resumes the domains that are named, or all of a customer that are in the other state.
pub async fn switch(
    context: &Context,
    targets: &DomainSwitch,
    change: Transition,
) -> Result<Outcome, CliError> {
    if !targets.all {
        return run(context, &targets.domains, change, &targets.run).await;
    }
    let customer = context.customer()?;
    let listed = references::monitored(&context.session, customer).await?;
    let total = listed.len();
    if total == 0 {
        references::refuse_unknown(&context.session, customer).await?;
    }
    let changing = DomainsChanging { context, change };
    let domains: Vec<DomainRow> = listed
        .into_iter()
        .filter(|domain| is_undone_by(change, &domain.status))
        .map(|domain| DomainRow {
            word: domain.id.to_string(),
            domain: DomainRef::listed(customer, domain),
        })
        .collect();
    let sentence = change.of_all(customer, total, "domain", domains.len());
    let (domains, stay) = match change {
        Transition::Resume => resume_all::choose(&context.prompt, customer, &DOMAINS, domains)?,
        Transition::Suspend | Transition::Terminate => {
            confirm(&context.prompt, &domains, change)?;
            (domains, Vec::new())
        }
    };
    let items = bulk::change_all(context, &changing, &domains, &targets.run).await?;
    let mut outcome = bulk::report(&context.screen, change.words(), &items)?;
    outcome
        .story
        .splice(0..0, [Line::text(sentence)].into_iter().chain(stay));
    if change == Transition::Suspend {
        outcome.story.extend([
            Line::Heading("Next:"),
            Line::next(
                format!("domain resume --all -c {customer}"),
                "resume all of them again",
            ),
        ]);
    }
    Ok(outcome)
}

/// Asks before a change of domains where a question is due.
fn confirm(prompt: &Prompt, rows: &[DomainRow], change: Transition) -> Result<(), CliError> {
    let (what, typed) = match rows {
        [one] => (String::new(), one.domain.label()),
        many => (format!("{} domains: ", many.len()), many.len().to_string()),
    };
    let names = bulk::preview(rows, |row| row.domain.named());
    let question = format!("About to {} {what}{names}.", change.verb());
    prompt.confirm(change.danger().times(rows.len()), &question, &typed)
}

/// Sends the change of one domain.
pub async fn transition(
    session: &Session,
    domain: &DomainRef,
    change: Transition,
) -> Result<End, CliError> {
    let id = domain.id;
    let about = format!("domain {}", domain.label());
    let sent = match change {
        Transition::Suspend => {
            let way_back = |_: &_| Some(WayBack::Resume(Switched::Domain { id }));
            let request = SuspendDomain::new(id);
            session
                .write_reversibly(request, &about, None, way_back)
                .await
        }
        Transition::Resume => {
            let way_back = |_: &_| Some(WayBack::Suspend(Switched::Domain { id }));
            let request = ResumeDomain::new(id);
            session
                .write_reversibly(request, &about, None, way_back)
                .await
        }
        Transition::Terminate => session.write(TerminateDomain::new(id), &about).await,
    };
    let sent =
        sent.map_err(|error| error.during(format!("{} {}", change.doing(), domain.label())))?;
    Ok(sent.map_or(End::Planned, |answer| {
        let what = format!("Domain {}", domain.label());
        let sentence = change.words().sentence(&what, answer.note());
        Done::answered(domain.id, &answer, sentence).changed()
    }))
}
