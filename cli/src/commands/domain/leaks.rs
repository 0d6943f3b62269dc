//! `secmon domain leaks`: credentials that leaked.

use super::named;
use crate::context::Context;
use crate::error::{CliError, Own};
use crate::notebook::leaks::LookedAt;
use crate::ui::outcome::{Cell, Field, Outcome, shown, with_room};
use clap::{Args, ValueEnum};
use secmon::model::{DomainId, LeakCategory, LeakRecord, Timestamp};
use secmon::operations::ListCredentialLeaks;
use serde_json::Value;
use std::cmp::Reverse;

/// Whose credentials leaked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum CategoryArg {
    /// People who work for the domain's owner.
    Employees,
    /// People who have accounts there.
    Customers,
    /// Others.
    ThirdParties,
}

const LEAK: &[Field<LeakRecord>] = &[
    with_room("leaked_at")
        .of(|record| leaked_at(record).map_or_else(|| field_of(record, "leaked_at"), Cell::Time)),
    shown("category").of(|record| field_of(record, "category")),
    shown("email").of(|record| field_of(record, "email")),
    shown("source").of(|record| field_of(record, "source")),
];

/// Whose leaked credentials.
#[derive(Debug, Args)]
pub struct DomainLeaksArgs {
    /// The domain: name or id
    pub domain: String,
    /// Only this category
    #[arg(long)]
    pub category: Option<CategoryArg>,
    /// Only leaks that this machine has not shown before
    #[arg(long)]
    pub new: bool,
}

/// `secmon domain leaks`.
pub async fn run(context: &Context, args: &DomainLeaksArgs) -> Result<Outcome, CliError> {
    let (name, category) = (args.domain.as_str(), args.category);
    let (domain, customer) = named::one(context, name).await?;
    let mut list = ListCredentialLeaks::new(customer, domain.id);
    list.category = category.map(leak_category);
    // Which records are new, only all of them tell.
    let limit = context.screen.limit().filter(|_| !args.new);
    let most = limit.unwrap_or(usize::MAX);
    let mut pages = context.session.client()?.pages(list).max_items(most);
    let mut records: Vec<LeakRecord> = Vec::new();
    let mut total = None;
    while let Some(page) = pages.next().await {
        let page = page?.into_data();
        if let Some(reason) = page.unavailable() {
            return Err(CliError::new(
                Own::LeaksUnavailable,
                format!("the leak records cannot be read now: {reason}"),
            ));
        }
        if !page.enabled {
            return Err(CliError::new(
                Own::LeaksDisabled,
                "the service has no leak records: its dataset is not configured",
            ));
        }
        total = page.total;
        records.extend(page.items);
    }
    let account = context.session.account()?;
    let mut looked_at = LookedAt::read(account, domain.id);
    let mut records = match args.new {
        true => {
            if looked_at.is_first() {
                context
                    .screen
                    .note("this machine has shown none of them before: all count as new");
            }
            records.retain(|record| !looked_at.has(record));
            records.truncate(context.screen.limit().unwrap_or(usize::MAX));
            records
        }
        false => context.screen.cut(records, total),
    };
    // The newest first; those without a date that can be read come last.
    records.sort_by_key(|record| Reverse(leaked_at(record)));
    if !context.session.settings.safety.dry_run {
        remember(context, &mut looked_at, (account, domain.id), &records);
    }
    Ok(Outcome::list(&records, LEAK).of_kind("leak", Some(customer)))
}

/// What cannot be kept is shown as new once more.
fn remember(
    context: &Context,
    looked_at: &mut LookedAt,
    place: (&str, DomainId),
    records: &[LeakRecord],
) {
    if let Err(error) = looked_at.add(place, records) {
        context
            .screen
            .note(&format!("warning: {}", error.message()));
    }
}

/// When a record leaked, where the service gives it as a point in time.
fn leaked_at(record: &LeakRecord) -> Option<Timestamp> {
    record.get("leaked_at")?.as_str()?.parse().ok()
}

/// A field as the service tells it.
fn field_of(record: &LeakRecord, name: &str) -> Cell {
    let text = |value: &Value| match value {
        Value::String(text) => Cell::text(text),
        other => Cell::text(other),
    };
    record.get(name).map_or(Cell::Missing, text)
}

fn leak_category(argument: CategoryArg) -> LeakCategory {
    match argument {
        CategoryArg::Employees => LeakCategory::Employees,
        CategoryArg::Customers => LeakCategory::Customers,
        CategoryArg::ThirdParties => LeakCategory::ThirdParties,
    }
}
