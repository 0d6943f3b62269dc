//! `secmon rules list`.

use super::owners;
use crate::commands::common::live::Live;
use crate::commands::common::new_customer;
use crate::commands::common::streamed::Stream;
use crate::commands::common::views;
use crate::context::Context;
use crate::error::CliError;
use crate::references;
use crate::state::records::{Observation, RuleRecord};
use crate::state::rule_owner::RuleOwner;
use crate::ui::Reader;
use crate::ui::outcome::{Block, Cell, Outcome, to_json};
use crate::values::durations;
use chrono::{DateTime, NaiveTime, Utc};
use clap::{Args, ValueEnum};
use secmon::model::{CustomerId, Rule, RuleId, RuleScope, RuleStatus, Timestamp};
use secmon::operations::ListRules;
use serde_json::Value;
use std::collections::HashMap;
use std::time::Duration;

/// What a ? in the place of a customer means.
const UNKNOWN_OWNER: &str = "?: the service does not say whether a rule for all servers belongs to one customer or to the whole account. Listing with -c ID can tell, once this computer has seen two customers.";

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
    /// It is in force.
    Active,
    /// Its last day has passed.
    Expired,
}

/// Filters of the list.
#[derive(Debug, Args)]
pub struct RuleListArgs {
    /// Only rules of this server, followed by rules for all servers that apply to it: id, IP address, host name or
    /// nickname; with --scope global only the latter
    #[arg(value_name = "ENDPOINT")]
    pub endpoint: Option<String>,
    /// Only rules of this scope
    #[arg(long)]
    pub scope: Option<RuleScopeArg>,
    /// Only rules in force, or only expired ones
    #[arg(long)]
    pub status: Option<RuleStatusArg>,
    /// Only rules that expire within this time, as 14d
    #[arg(long, value_name = "TIME")]
    pub expiring: Option<String>,
}

/// Runs the command.
pub async fn run(context: &Context, args: &RuleListArgs) -> Result<Outcome, CliError> {
    let server = match &args.endpoint {
        Some(name) => Some(references::endpoint(context, name).await?),
        None => None,
    };
    let owner = server
        .as_ref()
        .and_then(|server| server.billing_customer_id);
    let length = |text| durations::length("--expiring", text);
    let within = args.expiring.as_deref().map(length).transpose()?;
    let narrow = |list: &mut ListRules| {
        list.scope = args.scope.map(scope);
        list.status = args.status.map(status);
        match (&server, args.scope) {
            (Some(_), Some(RuleScopeArg::Global)) => list.billing_customer_id = owner,
            (Some(server), _) => list.endpoint_id = Some(server.id),
            (None, _) => {}
        }
    };
    let mut rows = Rows {
        context,
        whose: owner.or(context.session.settings.customer),
        latest: within.map(|within| end_of_due(Utc::now(), within)),
        live: None,
    };
    if context.screen.streams() {
        return stream(context, narrow, rows).await;
    }
    let mut rules = references::all_rules(&context.session, narrow).await?;
    // Rules of all servers first, then by server and port.
    rules.sort_by_cached_key(|rule| {
        let server = rule.endpoint.as_ref().map(references::name_of);
        (server, rule.port_start)
    });
    if rules.is_empty() && server.is_none() {
        new_customer::tell_of_list(context).await;
    }
    let own = rows.of(rules).await?;
    let further = match (&server, args.scope) {
        (Some(_), None) if context.screen.shows_text() => {
            let mut global = references::all_rules(&context.session, |list| {
                list.billing_customer_id = owner;
                list.scope = Some(RuleScope::Global);
                list.status = args.status.map(status);
            })
            .await?;
            global.sort_by_key(|rule| rule.port_start);
            Some(rows.of(global).await?)
        }
        _ => None,
    };
    Ok(with_notes(own, further))
}

/// The moment before which a rule must end: of days, the end of the last one.
fn end_of_due(now: DateTime<Utc>, within: Duration) -> DateTime<Utc> {
    let latest = now + within;
    match within < DAY {
        true => latest,
        false => (latest + DAY)
            .with_time(NaiveTime::MIN)
            .earliest()
            .unwrap_or(latest),
    }
}

const DAY: Duration = Duration::from_secs(86_400);

/// The rules of a list, below them those that count there besides, and what the lists do not say.
fn with_notes(own: Listed, further: Option<Listed>) -> Outcome {
    let further = further.filter(|further| !further.outcome.table.rows.is_empty());
    let is_owner_unknown = own.is_owner_unknown
        || further
            .as_ref()
            .is_some_and(|further| further.is_owner_unknown);
    let mut outcome = own.outcome;
    let mut notes = Vec::new();
    if let Some(further) = further {
        notes.push(Block::Heading("For all servers, and so for this one:"));
        notes.push(Block::Table(further.outcome.table));
    }
    if is_owner_unknown {
        notes.push(Block::text(UNKNOWN_OWNER));
    }
    if !notes.is_empty() {
        outcome.text = std::iter::once(Block::Rows).chain(notes).collect();
    }
    outcome
}

/// Shows the rules as their pages come.
async fn stream(
    context: &Context,
    narrow: impl FnOnce(&mut ListRules),
    mut rows: Rows<'_>,
) -> Result<Outcome, CliError> {
    let mut pages = references::rule_pages(&context.session, narrow).await?;
    let mut stream = Stream::new(&context.screen);
    while let Some(page) = pages.next().await {
        let rules = page?.into_inner().data;
        let seen = rules.iter();
        let seen = seen.map(|rule| RuleRecord::of(context.session.settings.customer, rule));
        context.session.learn(Observation::Rules(seen.collect()));
        if stream.show(rows.of(rules).await?.outcome)? == Reader::Gone {
            break;
        }
    }
    if stream.shown() == 0 {
        new_customer::tell_of_list(context).await;
    }
    Ok(Outcome::silent())
}

/// Makes rows of rules, with what the service does not say of them.
struct Rows<'a> {
    context: &'a Context,
    /// For whom they are listed.
    whose: Option<CustomerId>,
    /// No rule is wanted that lasts longer.
    latest: Option<DateTime<Utc>>,
    /// The servers there are; asked for once, and only where a rule of one counts.
    live: Option<Live>,
}

impl Rows<'_> {
    async fn of(&mut self, mut rules: Vec<Rule>) -> Result<Listed, CliError> {
        let counts = |rule: &Rule| rule.endpoint_id.is_some() && rule.is_active != Some(false);
        let session = &self.context.session;
        let read = async || Live::read(session, session.settings.customer).await;
        let live = Live::read_once(&mut self.live, rules.iter().map(counts), read).await?;
        if let Some(latest) = self.latest {
            let ends = |rule: &Rule| rule.expires_at.as_ref().map(Timestamp::date_time);
            // A day counts to its end, as it does where a rule's end is typed.
            let is_due = |rule: &Rule| ends(rule).is_some_and(|end| end < latest);
            rules.retain(|rule| is_due(rule) && !live.has_ended(rule));
        }
        let owners = owners::of(self.context, &rules, self.whose).await?;
        Ok(listed(&rules, &owners, live))
    }
}

/// Rules as rows.
struct Listed {
    outcome: Outcome,
    /// Whether nobody here knows whose one of them is.
    is_owner_unknown: bool,
}

/// The rules with what the service does not say of them: whose the global ones are, and which servers have ended.
fn listed(rules: &[Rule], owners: &HashMap<RuleId, RuleOwner>, live: &Live) -> Listed {
    let owner = |rule: &Rule| owners.get(&rule.id).filter(|_| rule.endpoint_id.is_none());
    let has_ended = |rule: &Rule| rule.is_active != Some(false) && live.has_ended(rule);
    let mut outcome = Outcome::list(rules, views::RULE);
    let cells = rules.iter().map(|rule| owner(rule).map(Cell::text));
    outcome.table.amend("billing_customer_id", cells);
    let ended = |rule| has_ended(rule).then(|| Cell::state("server ended"));
    outcome.table.amend("status", rules.iter().map(ended));
    let records = outcome.result.as_array_mut().into_iter().flatten();
    for (record, rule) in records.filter_map(Value::as_object_mut).zip(rules) {
        if let Some(owner) = owner(rule) {
            record.insert("billing_customer_id".to_owned(), to_json(&owner.customer()));
        }
        record.insert("server_ended".to_owned(), has_ended(rule).into());
    }
    let is_unknown = |rule: &Rule| rule.endpoint_id.is_none() && owner(rule).is_none();
    Listed {
        outcome: outcome.of_kind("rule", None),
        is_owner_unknown: rules.iter().any(is_unknown),
    }
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
