//! `secmon rules copy`: the rules of one server for others.

use super::create::{self, ADDED, OnOverlap};
use super::wanted_rule::{Place, WantedRule};
use crate::bulk::args::RunArgs;
use crate::context::Context;
use crate::error::CliError;
use crate::references::{self, PrefixPolicy};
use crate::ui::outcome::Outcome;
use clap::Args;
use secmon::model::{RuleScope, RuleStatus};

/// Rules to copy.
#[derive(Debug, Args)]
pub struct RuleCopyArgs {
    /// The server whose rules to copy
    #[arg(value_name = "ENDPOINT")]
    pub from: String,
    /// The servers to copy them to
    #[arg(long, value_name = "ENDPOINT", required = true, num_args = 1..)]
    pub to: Vec<String>,
    /// How to go on with an earlier run
    #[command(flatten)]
    pub run: RunArgs,
}

/// Runs the command.
pub async fn run(context: &Context, args: &RuleCopyArgs) -> Result<Outcome, CliError> {
    references::refuse_empty(std::iter::once(&args.from).chain(&args.to))?;
    let from = references::endpoint(context, &args.from).await?;
    let to = references::endpoints(context, &args.to, PrefixPolicy::Accepted).await?;
    let rules = references::all_rules(&context.session, |list| {
        list.endpoint_id = Some(from.id);
        list.scope = Some(RuleScope::Endpoint);
        list.status = Some(RuleStatus::Active);
    })
    .await?;
    if rules.is_empty() {
        return Err(CliError::not_found(format!(
            "{} has no active rule of its own to copy",
            references::name_of(&from)
        )));
    }
    let on_all = |rule| {
        let places = to.iter().map(|to| Place::Server(Box::new(to.clone())));
        places.filter_map(move |place| WantedRule::like(rule, place).ok())
    };
    let wanted: Vec<WantedRule> = rules.iter().flat_map(on_all).collect();
    create::run(context, ADDED, &wanted, OnOverlap::Skip, &args.run).await
}
