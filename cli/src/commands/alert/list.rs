//! `secmon alert list`: the worst first.

use super::filter::{self, AlertFilter, AlertKind, AlertStatusArg};
use crate::commands::common::{new_customer, views};
use crate::context::Context;
use crate::error::CliError;
use crate::references::alerts::Alert;
use crate::ui::outcome::{Cell, Field, Line, Outcome, shown, with_room};
use crate::ui::severity_rank;
use crate::values::durations::counted;
use clap::Args;
use secmon::model::{CustomerId, PortAlert, Timestamp};
use std::cmp::Reverse;
use std::collections::BTreeMap;

const LIST_EXAMPLES: &str = "\
Examples:
  secmon alert list -c 42
  secmon alert list -c 42 --status open --severity high+
  secmon alert list --endpoint web-1
  secmon alert list --domain example.com -c 42";

/// Filters of the list.
#[derive(Debug, Args)]
#[command(after_help = LIST_EXAMPLES)]
pub struct AlertListArgs {
    /// Only alerts in this state
    #[arg(long)]
    pub status: Option<AlertStatusArg>,
    /// Which alerts
    #[command(flatten)]
    pub filter: AlertFilter,
}

/// Columns where alerts of both kinds stand together.
pub const ANY: &[Field<Alert>] = &[
    shown("id").of(|alert| Cell::text(alert.handle())),
    shown("severity").of(|alert| {
        alert
            .severity()
            .cloned()
            .map_or(Cell::Missing, Cell::Severity)
    }),
    shown("alert").of(|alert| Cell::text(alert.finding())),
    shown("on").of(|alert| Cell::maybe(alert.place())),
    shown("status").of(|alert| Cell::state(alert.status())),
    with_room("first_detected_at").of(|alert| Cell::time(alert.first_seen())),
];

/// Runs the command.
pub async fn run(context: &Context, args: &AlertListArgs) -> Result<Outcome, CliError> {
    let mut found = filter::read(context, &args.filter, args.status).await?;
    let named = args.filter.endpoint.is_some() || args.filter.domain.is_some();
    if found.alerts.is_empty() && !named {
        new_customer::tell(&context.session, &context.screen, found.customer).await;
    }
    found.alerts.sort_by_key(|alert| {
        let seen = alert.first_seen().map(Timestamp::date_time);
        Reverse((alert.severity().map(severity_rank), seen))
    });
    let mut outcome = listed(&found.alerts, &args.filter);
    let owner = Cell::Number(found.customer.get());
    outcome.table.insert(2, with_room("customer"), &owner);
    if !found.alerts.is_empty() {
        outcome.story = vec![
            Line::Rows,
            Line::text(counts(found.customer, &found.alerts)),
        ];
    }
    Ok(outcome)
}

/// How many alerts there are, and in which states.
fn counts(customer: CustomerId, alerts: &[Alert]) -> String {
    let mut states: BTreeMap<String, usize> = BTreeMap::new();
    for alert in alerts {
        *states.entry(alert.status()).or_default() += 1;
    }
    let states: Vec<String> = states
        .iter()
        .map(|(state, count)| format!("{count} {state}"))
        .collect();
    let count = counted(alerts.len(), "alert");
    format!("{count} of customer {customer}: {}", states.join(", "))
}

/// Where only alerts of ports can stand, they have columns of their own. What was asked for decides, not what is
/// found, so that a script meets the same columns every time.
pub fn listed(alerts: &[Alert], filter: &AlertFilter) -> Outcome {
    if filter.kind != Some(AlertKind::Port) && filter.endpoint.is_none() {
        return Outcome::list(alerts, ANY);
    }
    let ports: Vec<PortAlert> = alerts
        .iter()
        .filter_map(|alert| match alert {
            Alert::Port(alert) => Some((**alert).clone()),
            Alert::Domain(_) => None,
        })
        .collect();
    Outcome::list(&ports, views::ALERT)
}
