//! `secmon domain leaks`: credentials that leaked.

use super::named;
use crate::commands::common::streamed::Stream;
use crate::context::Context;
use crate::error::{CliError, LocalErrorKind};
use crate::state::leaks::ShownLeaks;
use crate::ui::Reader;
use crate::ui::invocation::quoted;
use crate::ui::outcome::{Cell, Field, Outcome, shown, with_room};
use crate::values::days;
use crate::values::durations::counted;
use chrono::{DateTime, Utc};
use clap::{Args, ValueEnum};
use secmon::Pages;
use secmon::model::{CustomerId, LeakCategory, LeakRecord, Timestamp};
use secmon::operations::{CredentialLeaks, ListCredentialLeaks};
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
    /// Only leaks that this computer showed for the first time today, or has not shown yet
    #[arg(long)]
    pub new: bool,
    /// Only leaks since then: 7d, monday, yesterday or 2026-11-23; leaks without a date are left out
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
}

/// `secmon domain leaks`.
pub async fn run(context: &Context, args: &DomainLeaksArgs) -> Result<Outcome, CliError> {
    let (domain, customer) = named::one(context, &args.domain).await?;
    let mut list = ListCredentialLeaks::new(customer, domain.id);
    list.category = args.category.map(leak_category);
    let since = args.since.as_deref();
    let earliest = since.map(|text| days::since("--since", text)).transpose()?;
    // Which records are wanted, only all of them tell.
    let is_whole = !args.new && earliest.is_none();
    let limit = context.screen.limit().filter(|_| is_whole);
    let most = limit.unwrap_or(usize::MAX);
    let pages = context.session.client()?.pages(list).max_items(most);
    // A look uses nothing up: what was first shown today is new all day.
    let shown = match context.session.state() {
        Some(state) => state.leaks_shown_before(domain.id, start_of_today()),
        None => ShownLeaks::default(),
    };
    if args.new && shown.is_empty() {
        context
            .screen
            .note("this computer has shown none of them before: all count as new");
    }
    let wanted = Wanted {
        customer,
        only_new: args.new,
        earliest,
        alerts_since_then: format!(
            "alert list --domain {} --since {} -c {customer}",
            quoted(&domain.name),
            quoted(args.since.as_deref().unwrap_or_default())
        ),
    };
    let mut looked_at = SeenLeaks {
        shown,
        now: Vec::new(),
    };
    let outcome = match context.screen.streams() {
        true => stream(context, pages, &mut looked_at, &wanted).await,
        false => listed(context, pages, &mut looked_at, &wanted).await,
    };
    // What was shown was looked at, though a later page fail.
    let is_open = !context.session.settings.safety.dry_run;
    if let Some(state) = context.session.state().filter(|_| is_open) {
        state.leaks_are_shown(domain.id, &looked_at.shown, &looked_at.now);
    }
    outcome
}

/// Midnight of this computer's day, in milliseconds since 1970.
fn start_of_today() -> i64 {
    let now = chrono::Local::now();
    let midnight = now.date_naive().and_time(chrono::NaiveTime::MIN);
    let midnight = midnight.and_local_timezone(chrono::Local).earliest();
    midnight.unwrap_or(now).timestamp_millis()
}

/// What was shown before, and what is shown now.
struct SeenLeaks {
    shown: ShownLeaks,
    now: Vec<LeakRecord>,
}

/// Whose records, and which of them.
struct Wanted {
    customer: CustomerId,
    only_new: bool,
    earliest: Option<DateTime<Utc>>,
    /// The command that shows what was found since then, whenever it leaked.
    alerts_since_then: String,
}

impl Wanted {
    fn is_all(&self) -> bool {
        !self.only_new && self.earliest.is_none()
    }

    fn has(&self, record: &LeakRecord, shown: &ShownLeaks) -> bool {
        let is_recent = |earliest| leaked_at(record).is_some_and(|at| at.date_time() >= earliest);
        self.earliest.is_none_or(is_recent) && !(self.only_new && shown.has(record))
    }

    /// A leak is often found long after it happened.
    fn none_of_that_time(&self, all: usize) -> String {
        format!(
            "Of {}, none leaked since then (--since uses the date of the leak). To see what was found since then: `{}`; to see what this computer had not shown before today: --new.",
            counted(all, "leaked credential"),
            self.alerts_since_then
        )
    }

    fn rows(&self, records: &[LeakRecord]) -> Outcome {
        Outcome::list(records, LEAK).of_kind("leak", Some(self.customer))
    }
}

/// The records, the newest first; those without a date that can be read come last.
async fn listed(
    context: &Context,
    mut pages: Pages<ListCredentialLeaks>,
    looked_at: &mut SeenLeaks,
    wanted: &Wanted,
) -> Result<Outcome, CliError> {
    let (mut records, mut total) = (Vec::new(), None);
    while let Some(page) = pages.next().await {
        let page = whole(page?.into_inner())?;
        total = page.total;
        records.extend(page.items);
    }
    if !wanted.is_all() {
        let all = records.len();
        records.retain(|record| wanted.has(record, &looked_at.shown));
        if records.is_empty() && all > 0 && wanted.earliest.is_some() {
            context.screen.note(&wanted.none_of_that_time(all));
        }
        records.truncate(context.screen.limit().unwrap_or(usize::MAX));
    } else {
        records = context.screen.cut(records, total);
    }
    records.sort_by_key(|record| Reverse(leaked_at(record)));
    looked_at.now.extend(records.iter().cloned());
    Ok(wanted.rows(&records))
}

/// Shows the records as their pages come.
async fn stream(
    context: &Context,
    mut pages: Pages<ListCredentialLeaks>,
    looked_at: &mut SeenLeaks,
    wanted: &Wanted,
) -> Result<Outcome, CliError> {
    let (mut stream, mut total) = (Stream::new(&context.screen), None);
    while let Some(page) = pages.next().await {
        let page = whole(page?.into_inner())?;
        total = page.total.filter(|_| wanted.is_all());
        let mut records = page.items;
        records.retain(|record| wanted.has(record, &looked_at.shown));
        records.truncate(stream.room());
        looked_at.now.extend(records.iter().cloned());
        if stream.show(wanted.rows(&records))? == Reader::Gone {
            break;
        }
    }
    stream.tell_rest(total);
    Ok(Outcome::silent())
}

/// A page that says what there is, or why nothing can be said.
fn whole(page: CredentialLeaks) -> Result<CredentialLeaks, CliError> {
    if let Some(reason) = page.unavailable() {
        return Err(CliError::new(
            LocalErrorKind::LeaksUnavailable,
            format!("the leak records cannot be read now: {reason}"),
        ));
    }
    match page.enabled {
        true => Ok(page),
        false => Err(CliError::new(
            LocalErrorKind::LeaksDisabled,
            "the service has no leak records: its dataset is not configured",
        )),
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
