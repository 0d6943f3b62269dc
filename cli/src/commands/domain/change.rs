//! `secmon domain suspend`, `resume` and `terminate`.

use crate::bulk;
use crate::bulk::args::RunArgs;
use crate::commands::lifecycle::change::of_all;
use crate::commands::lifecycle::{LifecycleChange, ResourceKind, Selection, Transition};
use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::{Block, Outcome};
use clap::Args;

/// The end of the page of `suspend`.
pub const SUSPEND_EXAMPLES: &str = "\
Examples:
  secmon domain suspend example.com -c 42
  secmon domain suspend --all -c 42                   a customer does not pay: all of its domains
  secmon endpoint suspend --all -c 42                 and all of its servers";

/// Domains to suspend or to resume.
#[derive(Debug, Args)]
pub struct DomainSelection {
    /// All domains of the customer given with -c
    #[arg(long, conflicts_with = "domains")]
    pub all: bool,
    /// The domains: names or ids
    #[arg(value_name = "DOMAIN", required_unless_present = "all")]
    pub domains: Vec<String>,
    /// How the run is made
    #[command(flatten)]
    pub run: RunArgs,
}

/// Domains to change.
#[derive(Debug, Args)]
pub struct DomainTargets {
    /// The domains: names or ids
    #[arg(value_name = "DOMAIN", required = true)]
    pub domains: Vec<String>,
    /// How the run is made
    #[command(flatten)]
    pub run: RunArgs,
}

/// Changes the domains that are named.
pub async fn run_named(
    context: &Context,
    names: &[String],
    to: Transition,
    args: &RunArgs,
) -> Result<Outcome, CliError> {
    let change = LifecycleChange::new(context, to, Selection::Domains(names));
    let items = bulk::run_bulk(context, &change, args).await?;
    bulk::conclude(&context.screen, to.labels(), items)
}

/// Changes the domains that are named, or all of a customer that are in the other state.
pub async fn run(
    context: &Context,
    targets: &DomainSelection,
    to: Transition,
) -> Result<Outcome, CliError> {
    if !targets.all {
        return run_named(context, &targets.domains, to, &targets.run).await;
    }
    let customer = context.customer()?;
    let change = LifecycleChange::new(context, to, Selection::AllDomains(customer));
    let items = bulk::run_bulk(context, &change, &targets.run).await?;
    let mut outcome = bulk::report(&context.screen, to.labels(), &items)?;
    let sentence = of_all(to, customer, ResourceKind::Domain, &items);
    outcome.text.insert(0, Block::text(sentence));
    outcome.text.extend(bulk::stays(&items));
    if to == Transition::Suspend {
        outcome.text.extend([
            Block::Heading("Next:"),
            Block::next(
                format!("domain resume --all -c {customer}"),
                "resume all of them again",
            ),
        ]);
    }
    Ok(outcome)
}
