//! `secmon rules list`.

use crate::commands::common::views;
use crate::context::Context;
use crate::error::CliError;
use crate::references;
use crate::ui::outcome::Outcome;
use crate::values::durations;
use clap::{Args, ValueEnum};
use secmon::model::{RuleScope, RuleStatus};

/// Where a rule counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RuleScopeArg {
    /// All servers of a customer, or of the account.
    Global,
    /// One server.
    Endpoint,
}

/// Whether a rule still counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RuleStatusArg {
    /// It counts.
    Active,
    /// Its last day is over.
    Expired,
}

/// Filters of the list.
#[derive(Debug, Args)]
pub struct RuleListArgs {
    /// Only rules of this server: id, IP address, host name or nickname
    #[arg(value_name = "ENDPOINT")]
    pub endpoint: Option<String>,
    /// Only rules of this scope
    #[arg(long)]
    pub scope: Option<RuleScopeArg>,
    /// Only rules that count, or only those that expired
    #[arg(long)]
    pub status: Option<RuleStatusArg>,
    /// Only rules that expire within this time, as 14d
    #[arg(long, value_name = "TIME")]
    pub expiring: Option<String>,
}

/// Runs the command.
pub async fn run(context: &Context, args: &RuleListArgs) -> Result<Outcome, CliError> {
    let endpoint = match &args.endpoint {
        Some(name) => Some(references::endpoint(context, name).await?.id),
        None => None,
    };
    let within = args
        .expiring
        .as_deref()
        .map(|text| durations::length("--expiring", text))
        .transpose()?;
    let mut rules = references::all_rules(&context.session, &context.notebook, |mut list| {
        list.endpoint_id = endpoint;
        list.scope = args.scope.map(scope);
        list.status = args.status.map(status);
        list
    })
    .await?;
    if let Some(within) = within {
        let latest = chrono::Utc::now() + within;
        rules.retain(|rule| {
            rule.expires_at
                .as_ref()
                .is_some_and(|end| end.date_time() <= latest)
        });
    }
    // Rules of all servers first, then by server and port.
    rules.sort_by_cached_key(|rule| {
        let server = rule.endpoint.as_ref().map(references::name_of);
        (server, rule.port_start)
    });
    let owner = context.session.settings.customer;
    Ok(Outcome::list(&rules, views::RULE).of_kind("rule", owner))
}

fn scope(argument: RuleScopeArg) -> RuleScope {
    match argument {
        RuleScopeArg::Global => RuleScope::Global,
        RuleScopeArg::Endpoint => RuleScope::Endpoint,
    }
}

fn status(argument: RuleStatusArg) -> RuleStatus {
    match argument {
        RuleStatusArg::Active => RuleStatus::Active,
        RuleStatusArg::Expired => RuleStatus::Expired,
    }
}
