//! `secmon rules ...`: Allowed Ports.

mod add;
mod add_listed;
mod copy;
pub mod create;
mod edit;
pub mod existing;
mod import;
mod import_report;
mod list;
mod listed;
mod owners;
mod remove;
pub mod rule;
mod show;
mod summary;
pub mod wanted_rule;

use self::add::RuleAddArgs;
use self::copy::RuleCopyArgs;
use self::edit::RuleEditArgs;
use self::import::RuleImportArgs;
use self::list::RuleListArgs;
use self::remove::RuleRemoveArgs;
use self::show::RuleShowArgs;
use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::Outcome;
use clap::Subcommand;

/// Allowed Ports rules.
#[derive(Debug, Subcommand)]
pub enum RuleCommand {
    /// List rules; rules of ended servers are marked
    List(RuleListArgs),
    /// Count the rules of each server of a customer
    Summary,
    /// Allow ports; open alerts that the rule covers are resolved
    Add(RuleAddArgs),
    /// Show one rule
    Show(RuleShowArgs),
    /// Change a rule
    Edit(RuleEditArgs),
    /// Remove rules, by id or by port on a server; ports that are still open raise alerts at the next scan
    #[command(alias = "delete", alias = "rm")]
    Remove(RuleRemoveArgs),
    /// Copy the rules of one server to others
    Copy(RuleCopyArgs),
    /// Create rules from what a server's own firewall accepts: iptables-save | secmon rules import web-1 -
    Import(RuleImportArgs),
}

/// Runs the command.
pub async fn run(context: &Context, command: RuleCommand) -> Result<Outcome, CliError> {
    match command {
        RuleCommand::List(args) => list::run(context, &args).await,
        RuleCommand::Summary => summary::run(context).await,
        RuleCommand::Add(args) => add::run(context, args).await,
        RuleCommand::Show(args) => show::run(&context.session, &args).await,
        RuleCommand::Edit(args) => edit::run(context, args).await,
        RuleCommand::Remove(args) => remove::run(context, &args).await,
        RuleCommand::Copy(args) => copy::run(context, &args).await,
        RuleCommand::Import(args) => import::run(context, &args).await,
    }
}
