//! `secmon domain ...`: the monitored domains.

pub mod bars;
mod history;
pub mod leaks;
mod list;
mod mentions;
pub mod named;
pub mod provision;
mod release;
mod rename;
mod show;
mod switch;

use self::leaks::CategoryArg;
use self::provision::DomainProvisionArgs;
use self::switch::{DomainSwitch, DomainTargets, SUSPEND_EXAMPLES};
use crate::commands::common::transition::Transition;
use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::Outcome;
use clap::Subcommand;

/// Monitored domains. A domain belongs to a customer: name it with -c.
#[derive(Debug, Subcommand)]
pub enum DomainCommand {
    /// List the monitored domains of a customer, and its slots
    List,
    /// Show one domain: compromised credentials, mentions, slots
    Show {
        /// The domain: name or id
        domain: String,
    },
    /// Start watching domains; each takes a slot of a domain_monitoring subscription
    Provision(DomainProvisionArgs),
    /// Watch another name under the same record; its history stays
    Rename {
        /// The domain: name or id
        domain: String,
        /// The new name
        new: String,
    },
    /// Stop scanning domains and keep their findings
    #[command(after_help = SUSPEND_EXAMPLES)]
    Suspend(DomainSwitch),
    /// Scan suspended domains again
    Resume(DomainSwitch),
    /// End monitoring; provisioning the domain again restores it
    Terminate(DomainTargets),
    /// Give up a domain and its slot for good: record, alerts and history are gone
    Release {
        /// The domain: name or id
        domain: String,
        /// Number of the billing service whose slot is given up
        #[arg(long, value_name = "ID")]
        service: Option<String>,
    },
    /// Leaked credentials of a domain
    Leaks {
        /// The domain: name or id
        domain: String,
        /// Only this category
        #[arg(long)]
        category: Option<CategoryArg>,
    },
    /// Mentions of a domain on the dark web
    Mentions {
        /// The domain: name or id
        domain: String,
        /// Only those nobody has seen yet; a list without this marks them as seen
        #[arg(long)]
        new: bool,
    },
    /// The last 25 scans of a domain
    History {
        /// The domain: name or id
        domain: String,
    },
}

/// Runs the command.
pub async fn run(context: &Context, command: DomainCommand) -> Result<Outcome, CliError> {
    match command {
        DomainCommand::List => list::run(context).await,
        DomainCommand::Show { domain } => show::run(context, &domain).await,
        DomainCommand::Provision(args) => provision::run(context, args).await,
        DomainCommand::Rename { domain, new } => rename::run(context, &domain, new).await,
        DomainCommand::Suspend(domains) => {
            switch::switch(context, &domains, Transition::Suspend).await
        }
        DomainCommand::Resume(domains) => {
            switch::switch(context, &domains, Transition::Resume).await
        }
        DomainCommand::Terminate(targets) => {
            switch::run(
                context,
                &targets.domains,
                Transition::Terminate,
                &targets.run,
            )
            .await
        }
        DomainCommand::Release { domain, service } => release::run(context, &domain, service).await,
        DomainCommand::Leaks { domain, category } => leaks::run(context, &domain, category).await,
        DomainCommand::Mentions { domain, new } => mentions::run(context, &domain, new).await,
        DomainCommand::History { domain } => history::run(context, &domain).await,
    }
}
