//! `secmon rules copy`: the rules of one server for others.

use super::add::ADDED;
use super::create::{self, Addition, Existing, Place, Wanted};
use crate::bulk::args::RunArgs;
use crate::context::Context;
use crate::error::CliError;
use crate::references::{self, Prefixes};
use crate::ui::outcome::Outcome;
use crate::values::ports::PortSpec;
use clap::Args;
use secmon::model::{Endpoint, Rule, RuleScope, RuleStatus};

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
    let to = references::endpoints(context, &args.to, Prefixes::Accepted).await?;
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
    add_copies(context, &rules, &to, &args.run).await
}

/// Gives servers the rules of another; what they allow already is passed over.
async fn add_copies(
    context: &Context,
    rules: &[Rule],
    to: &[Endpoint],
    run: &RunArgs,
) -> Result<Outcome, CliError> {
    let mut wanted = Vec::new();
    for rule in rules {
        let Some(range) = rule.ports() else { continue };
        let addition = Addition {
            justification: rule.justification.clone().unwrap_or_default(),
            service: rule.service.clone(),
            expires_at: rule.expires_at.as_ref().map(|end| end.date_time().into()),
        };
        let port = PortSpec {
            range,
            protocol: rule.protocol.clone(),
        };
        wanted.extend(to.iter().map(|endpoint| Wanted {
            place: Place::Server(Box::new(endpoint.clone())),
            port: port.clone(),
            addition: addition.clone(),
        }));
    }
    create::run(context, ADDED, &wanted, Existing::Skip, run).await
}
