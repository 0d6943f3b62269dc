//! `secmon subscription ...`

mod change;
mod one_change;
pub mod plans;
mod set;
pub mod switch;
pub mod target;

use self::change::SubscriptionChangeArgs;
use self::set::SubscriptionSetArgs;
use self::switch::SUSPEND_EXAMPLES;
use self::target::SubscriptionTarget;
use crate::commands::lifecycle::Transition;
use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::Outcome;
use clap::Subcommand;

/// Subscriptions of a customer's services. PRODUCT is port_monitoring (by plan), domain_monitoring (by quantity) or endpoint.
#[derive(Debug, Subcommand)]
pub enum SubscriptionCommand {
    /// Create or update the subscription of a service
    Set(SubscriptionSetArgs),
    /// List the plan names that this computer knows: from the configuration and from earlier answers
    Plans,
    /// Change the plan or quantity; a downgrade below what is in use is refused
    Change(SubscriptionChangeArgs),
    /// Suspend a subscription: servers or domains over the new limit are paused, newest first, and a pro-rata window is recorded
    #[command(after_help = SUSPEND_EXAMPLES)]
    Suspend(SubscriptionTarget),
    /// Resume a subscription: what the platform paused is resumed, oldest first, and a pro-rata window is recorded
    Resume(SubscriptionTarget),
    /// End a subscription: nothing is deleted, servers or domains over the new limit are paused, and a pro-rata window is recorded
    Terminate(SubscriptionTarget),
}

/// Runs the command.
pub async fn run(context: &Context, command: SubscriptionCommand) -> Result<Outcome, CliError> {
    match command {
        SubscriptionCommand::Set(args) => set::run(context, args).await,
        SubscriptionCommand::Plans => plans::run(context),
        SubscriptionCommand::Change(args) => change::run(context, args).await,
        SubscriptionCommand::Suspend(target) => {
            switch::run(context, &target, Transition::Suspend).await
        }
        SubscriptionCommand::Resume(target) => {
            switch::run(context, &target, Transition::Resume).await
        }
        SubscriptionCommand::Terminate(target) => {
            switch::run(context, &target, Transition::Terminate).await
        }
    }
}
