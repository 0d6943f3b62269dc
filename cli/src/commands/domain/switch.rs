//! `secmon domain suspend`, `resume` and `terminate`.

use super::named::{is_watched, moved};
use crate::bulk::args::OnError;
use crate::bulk::{self, End, Item};
use crate::commands::common::resume_all::{self, Kind, Suspended};
use crate::commands::common::transition::Transition;
use crate::context::Context;
use crate::error::CliError;
use crate::references::{self, DomainRef};
use crate::ui::outcome::{Line, Outcome};
use crate::values::durations::counted;
use clap::Args;
use secmon::model::{DomainStatus, MonitoredDomain};
use secmon::operations::{ResumeDomain, SuspendDomain, TerminateDomain};
use uuid::Uuid;

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
}

/// Domains to change.
#[derive(Debug, Args)]
pub struct DomainTargets {
    /// The domains: names or ids
    #[arg(value_name = "DOMAIN", required = true)]
    pub domains: Vec<String>,
}

const DOMAINS: Kind = Kind {
    operation: "domain",
    one: "domain",
};

/// Suspends, resumes or terminates: every domain is found before any is changed.
pub async fn run(
    context: &Context,
    names: &[String],
    change: Transition,
) -> Result<Outcome, CliError> {
    let domains = references::domains(context, names).await?;
    confirm(context, &domains, change)?;
    let items = apply(context, &domains, change).await;
    bulk::conclude(context, change.words(), items)
}

impl Suspended for DomainRef {
    fn id(&self) -> Uuid {
        self.id.into()
    }

    fn name(&self) -> String {
        self.label()
    }
}

/// Suspends or resumes the domains that are named, or all of a customer that are in the other state.
pub async fn switch(
    context: &Context,
    targets: &DomainSwitch,
    change: Transition,
) -> Result<Outcome, CliError> {
    if !targets.all {
        return run(context, &targets.domains, change).await;
    }
    let customer = context.customer()?;
    let listed = references::monitored(context, customer).await?;
    let total = listed.len();
    if total == 0 {
        references::refuse_unknown(context, customer).await?;
    }
    let is_undone = |domain: &MonitoredDomain| match change {
        Transition::Suspend => is_watched(domain),
        Transition::Resume => domain.status == DomainStatus::Paused,
        Transition::Terminate => true,
    };
    let domains: Vec<DomainRef> = listed
        .into_iter()
        .filter(is_undone)
        .map(|domain| DomainRef::listed(customer, domain))
        .collect();
    let sentence = format!(
        "Customer {customer} has {}; {} not {} before.",
        counted(total, "domain"),
        domains.len(),
        change.words().done
    );
    let (domains, stay) = match change {
        Transition::Resume => resume_all::choose(context, customer, &DOMAINS, domains)?,
        Transition::Suspend | Transition::Terminate => {
            confirm(context, &domains, change)?;
            (domains, None)
        }
    };
    let items = apply(context, &domains, change).await;
    if let Some(error) = bulk::refused(&items) {
        return Err(error);
    }
    let mut outcome = bulk::report(context, change.words(), &items);
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
fn confirm(context: &Context, domains: &[DomainRef], change: Transition) -> Result<(), CliError> {
    let question = match domains {
        [one] => format!("About to {} {}.", change.verb(), one.named()),
        many => format!(
            "About to {} {} domains: {}.",
            change.verb(),
            many.len(),
            bulk::preview(many, DomainRef::named)
        ),
    };
    let typed = if let [one] = domains {
        one.label()
    } else {
        domains.len().to_string()
    };
    context.confirm(change.danger().times(domains.len()), &question, &typed)
}

/// Changes domains that were found.
async fn apply(context: &Context, domains: &[DomainRef], change: Transition) -> Vec<Item> {
    let ends = bulk::run(context, domains, OnError::Continue, async |domain| {
        transition(context, domain, change).await
    })
    .await;
    let items = domains.iter().zip(ends).map(|(domain, end)| Item {
        row: None,
        target: domain.label(),
        customer: domain.customer,
        end,
    });
    items.collect()
}

async fn transition(
    context: &Context,
    domain: &DomainRef,
    change: Transition,
) -> Result<End, CliError> {
    let about = format!("domain {}", domain.label());
    let sent = match change {
        Transition::Suspend => context.write(SuspendDomain::new(domain.id), &about).await,
        Transition::Resume => context.write(ResumeDomain::new(domain.id), &about).await,
        Transition::Terminate => context.write(TerminateDomain::new(domain.id), &about).await,
    };
    let sent =
        sent.map_err(|error| error.during(format!("{} {}", change.doing(), domain.label())))?;
    Ok(sent.map_or(End::Planned, |answer| {
        moved(
            domain.id,
            &answer,
            format!("Domain {}: {}.", domain.label(), change.words().done),
        )
    }))
}
