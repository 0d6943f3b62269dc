//! `secmon alert list`: the worst first.

use super::filter::{self, AlertFilter, AlertPlace, AlertQuery, AlertScope, AlertStatusArg};
use super::rows;
use super::stream::{self, OfEnded};
use crate::commands::common::live::Live;
use crate::commands::common::new_customer;
use crate::context::Context;
use crate::error::{CliError, Exit};
use crate::references;
use crate::references::alert::Alert;
use crate::ui::outcome::{Block, Cell, Outcome, shown, with_room};
use crate::ui::severity_rank;
use crate::values::durations::counted;
use clap::Args;
use secmon::model::{CustomerId, Timestamp};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

const LIST_EXAMPLES: &str = "\
Examples:
  secmon alert list -c 42
  secmon alert list -c 42 --status open --severity high+
  secmon alert list --all-customers --port 3306 --status open
  secmon alert list -c 42 --status open --severity critical --exit-code   exit code 1 if any
  secmon alert list --endpoint web-1
  secmon alert list --domain example.com -c 42";

/// Filters of the list.
#[derive(Debug, Args)]
#[command(after_help = LIST_EXAMPLES)]
pub struct AlertListArgs {
    /// Only alerts in this state
    #[arg(long)]
    pub status: Option<AlertStatusArg>,
    /// Alerts of every customer with a server, or with a domain that this computer has seen; two or more calls each
    #[arg(long, conflicts_with_all = ["endpoint", "domain"])]
    pub all_customers: bool,
    /// Exit with code 1 if any alert is listed; an unreachable service is code 7
    #[arg(long)]
    pub exit_code: bool,
    /// Which alerts
    #[command(flatten)]
    pub filter: AlertFilter,
}

impl AlertListArgs {
    fn query(&self) -> AlertQuery<'_> {
        AlertQuery {
            filter: &self.filter,
            status: self.status,
        }
    }

    /// What is not counted is not shown: a job that mails what it is shown stays silent.
    fn of_ended(&self) -> OfEnded {
        match self.exit_code {
            true => OfEnded::LeftOut,
            false => OfEnded::Marked,
        }
    }
}

/// Runs the command.
pub async fn run(context: &Context, args: &AlertListArgs) -> Result<Outcome, CliError> {
    let Asked { places, mut live } = Asked::read(context, args).await?;
    if context.screen.streams() {
        return streamed(context, args, &places, live).await;
    }
    let mut found = Vec::new();
    for place in &places {
        let alerts = filter::read_at(context, args.query(), place).await?;
        let owned = alerts.into_iter().map(|alert| (place.customer, alert));
        found.extend(owned);
    }
    if found.is_empty() {
        tell_unknown(context, args, &places).await?;
    }
    found.sort_by_key(|(_, alert)| {
        let seen = alert.first_seen().map(Timestamp::date_time);
        Reverse((alert.severity().map(severity_rank), seen))
    });
    let whose = match args.all_customers {
        true => None,
        false => found.first().map(|(owner, _)| *owner),
    };
    let are_ports = found.iter().map(|(_, alert)| alert.is_of_port());
    let read = async || Live::read(&context.session, whose).await;
    let live = Live::read_once(&mut live, are_ports, read).await?;
    let has_ended = |alert: &Alert| rows::has_ended(live, alert);
    if args.of_ended() == OfEnded::LeftOut {
        found.retain(|(_, alert)| !has_ended(alert));
    }
    let (owners, alerts): (Vec<CustomerId>, Vec<Alert>) = found.into_iter().unzip();
    let mut outcome = rows::listed(&alerts, &args.filter);
    rows::name_servers(&mut outcome, &context.screen, &alerts, live);
    let rows = owners.iter().zip(&alerts);
    outcome.result = rows
        .map(|(owner, alert)| rows::row(owner, alert, has_ended(alert)))
        .collect();
    let is_open = |alert: &Alert| alert.status() == "open";
    let ended = |alert: &Alert| {
        let is_marked = is_open(alert) && has_ended(alert);
        is_marked.then(|| Cell::state("server ended"))
    };
    outcome.table.amend("status", alerts.iter().map(ended));
    let column = match args.all_customers {
        true => shown("customer"),
        false => with_room("customer"),
    };
    let cells = owners.iter().map(|owner| Cell::Number(owner.get()));
    outcome.table.insert(2, column, cells);
    if !alerts.is_empty() {
        outcome.text = vec![
            Block::Rows,
            Block::text(counts(&owners, &alerts, has_ended)),
        ];
        if args.exit_code {
            outcome.exit = Exit::Other;
        }
    }
    Ok(outcome)
}

/// The same where each alert is shown as its page comes.
async fn streamed(
    context: &Context,
    args: &AlertListArgs,
    places: &[AlertPlace],
    live: Option<Live>,
) -> Result<Outcome, CliError> {
    let shown = stream::show(context, args.query(), places, args.of_ended(), live).await?;
    if shown == 0 {
        tell_unknown(context, args, places).await?;
    }
    let mut outcome = Outcome::silent();
    if args.exit_code && shown > 0 {
        outcome.exit = Exit::Other;
    }
    Ok(outcome)
}

/// Whose alerts are wanted.
struct Asked {
    places: Vec<AlertPlace>,
    /// The servers there are, where all had to be read: the service lists alerts by customer, and no customers.
    live: Option<Live>,
}

impl Asked {
    async fn read(context: &Context, args: &AlertListArgs) -> Result<Self, CliError> {
        let session = &context.session;
        if !args.all_customers {
            let named = args.filter.endpoint.is_some() || args.filter.domain.is_some();
            if session.settings.customer.is_none() && !named && context.prompt.may_ask() {
                context
                    .screen
                    .note("for every customer's alerts: `alert list --all-customers`");
            }
            return Ok(Self {
                places: vec![filter::place(context, &args.filter).await?],
                live: None,
            });
        }
        if let Some(customer) = session.settings.customer {
            return Err(CliError::usage(format!(
                "--all-customers is for every customer, but customer {customer} is named: leave one of them out"
            )));
        }
        if context.prompt.may_ask() {
            context.screen.note(
            "the service cannot list customers: customers with domains but no servers are included only if this computer has seen them",
        );
        }
        let servers = references::all_endpoints(session, None).await?;
        let domains = session.known()?.domains.iter();
        let owners = servers
            .iter()
            .filter_map(|server| server.billing_customer_id);
        let customers: BTreeSet<CustomerId> = owners
            .chain(domains.map(|domain| domain.customer))
            .collect();
        let places = customers.into_iter().map(|customer| AlertPlace {
            customer,
            scope: AlertScope::Customer,
        });
        Ok(Self {
            places: places.collect(),
            live: Some(Live::all(servers)),
        })
    }
}

/// A word about a customer that has no alerts since nobody knows it.
async fn tell_unknown(
    context: &Context,
    args: &AlertListArgs,
    places: &[AlertPlace],
) -> Result<(), CliError> {
    let [place] = places else {
        return Ok(());
    };
    if args.exit_code {
        // A script that watches a customer must not stay silent for ever about a number that was mistyped.
        references::refuse_unknown(&context.session, place.customer).await?;
    } else if matches!(place.scope, AlertScope::Customer) {
        new_customer::tell(&context.session, &context.screen, place.customer).await;
    }
    Ok(())
}

/// How many alerts there are, whose, and in which states.
fn counts(owners: &[CustomerId], alerts: &[Alert], has_ended: impl Fn(&Alert) -> bool) -> String {
    let whose: BTreeSet<&CustomerId> = owners.iter().collect();
    let whose = match whose.first() {
        Some(owner) if whose.len() == 1 => format!("customer {owner}"),
        _ => counted(whose.len(), "customer"),
    };
    let mut states: BTreeMap<String, usize> = BTreeMap::new();
    for alert in alerts {
        let ended = if has_ended(alert) {
            " on ended servers"
        } else {
            ""
        };
        let state = format!("{}{ended}", alert.status());
        *states.entry(state).or_default() += 1;
    }
    let states: Vec<String> = states
        .iter()
        .map(|(state, count)| format!("{count} {state}"))
        .collect();
    let count = counted(alerts.len(), "alert");
    format!("{count} of {whose}: {}", states.join(", "))
}
