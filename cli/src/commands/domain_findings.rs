//! What was found about a domain: leaks, mentions, the history of its scans.

use super::domain::one;
use crate::args::CategoryArg;
use crate::context::Context;
use crate::error::{CliError, Own};
use crate::ui::outcome::{Cell, Column, Line, Outcome, count_or_unknown, shown, wide, with_room};
use secmon::model::{DomainScan, LeakCategory, LeakRecord, Mention, MonitoredDomain};
use secmon::operations::{GetScanHistory, ListCredentialLeaks, ListMentions};

const MENTION: &[Column] = &[
    shown("id"),
    with_room("published_at"),
    with_room("source_name"),
    shown("title"),
    shown("is_new"),
    wide("author"),
    wide("content_preview"),
];

const SCAN: &[Column] = &[
    shown("id"),
    shown("created_at"),
    with_room("status"),
    shown("employees_compromised"),
    shown("customers_compromised"),
    shown("third_parties_compromised"),
];

const LEAK: &[Column] = &[
    with_room("leaked_at"),
    shown("category"),
    shown("email"),
    shown("source"),
];

/// Steps of a sparkline, lowest first.
const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const BAR_WIDTH: u64 = 30;
const PAGE_SIZE: u32 = 50;

/// What was found about a domain, as bars.
pub fn counts(domain: &MonitoredDomain) -> Vec<Line> {
    bars(&[
        ("employees", domain.employees_compromised),
        ("customers", domain.customers_compromised),
        ("third parties", domain.third_parties_compromised),
        ("mentions", domain.dark_web_mentions_count),
    ])
}

/// Counts as bars, one a line, on one scale.
fn bars(counts: &[(&'static str, Option<u64>)]) -> Vec<Line> {
    let told = counts.iter().filter_map(|(_, count)| *count);
    let most = told.max().unwrap_or(0).max(1);
    let bar =
        |count: u64| "█".repeat(usize::try_from((count * BAR_WIDTH).div_ceil(most)).unwrap_or(0));
    let text = |count: Option<u64>| match count {
        Some(count) => format!("{count:>5} {}", bar(count)),
        None => count_or_unknown(None),
    };
    counts
        .iter()
        .map(|(label, count)| Line::Field(label, Cell::text(text(*count))))
        .collect()
}

/// The rise and fall of a count, oldest first.
fn sparkline(counts: &[u64]) -> String {
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let step = |count: &u64| usize::try_from(count * (STEPS.len() as u64 - 1) / most).unwrap_or(0);
    counts
        .iter()
        .map(|count| STEPS[step(count).min(STEPS.len() - 1)])
        .collect()
}

/// `secmon domain leaks`.
pub async fn leaks(
    context: &Context,
    name: &str,
    category: Option<CategoryArg>,
) -> Result<Outcome, CliError> {
    let (domain, customer) = one(context, name).await?;
    let mut list = ListCredentialLeaks::new(customer, domain.id);
    list.category = category.map(leak_category);
    let most = context.limit().unwrap_or(usize::MAX);
    let mut pages = context.client()?.pages(list).max_items(most);
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
    let records = context.cut(records, total);
    Ok(Outcome::list(&records, LEAK, leak))
}

fn leak(record: &LeakRecord) -> Vec<Cell> {
    LEAK.iter()
        .map(|column| {
            let value = record.get(column.name);
            value.map_or(Cell::Missing, |value| {
                Cell::text(
                    value
                        .as_str()
                        .map_or_else(|| value.to_string(), str::to_owned),
                )
            })
        })
        .collect()
}

fn leak_category(argument: CategoryArg) -> LeakCategory {
    match argument {
        CategoryArg::Employees => LeakCategory::Employees,
        CategoryArg::Customers => LeakCategory::Customers,
        CategoryArg::ThirdParties => LeakCategory::ThirdParties,
    }
}

/// `secmon domain mentions`.
pub async fn mentions(context: &Context, name: &str, only_new: bool) -> Result<Outcome, CliError> {
    let (domain, customer) = one(context, name).await?;
    let mut list = ListMentions::new(customer, domain.id).per_page(PAGE_SIZE);
    list.is_new = only_new.then_some(true);
    let most = context.limit().unwrap_or(usize::MAX);
    let mut pages = context.client()?.pages(list).max_items(most);
    let (mut mentions, mut total) = (Vec::new(), None);
    while let Some(page) = pages.next().await {
        let page = page?.into_data();
        total = page.total;
        mentions.extend(page.mentions);
    }
    let mentions = context.cut(mentions, total);
    Ok(Outcome::list(&mentions, MENTION, mention))
}

fn mention(mention: &Mention) -> Vec<Cell> {
    vec![
        Cell::text(mention.id),
        Cell::time(mention.published_at.as_ref()),
        Cell::maybe(mention.source_name.as_ref()),
        Cell::maybe(mention.title.as_ref()),
        Cell::maybe(mention.is_new.map(|new| if new { "new" } else { "seen" })),
        Cell::maybe(mention.author.as_ref()),
        Cell::maybe(mention.content_preview.as_ref()),
    ]
}

/// `secmon domain history`.
pub async fn history(context: &Context, name: &str) -> Result<Outcome, CliError> {
    let (domain, customer) = one(context, name).await?;
    let scans = context
        .read(GetScanHistory::new(customer, domain.id))
        .await?
        .into_data()
        .scans;
    let mut outcome = Outcome::list(&scans, SCAN, scan);
    if scans.len() > 1 {
        let line = |label, count: fn(&DomainScan) -> Option<u64>| {
            let counts: Vec<u64> = scans.iter().rev().filter_map(count).collect();
            let now = count_or_unknown(scans.first().and_then(count));
            Line::Field(
                label,
                Cell::text(format!("{} now {now}", sparkline(&counts))),
            )
        };
        outcome.story = vec![
            Line::text(format!(
                "The last {} scans of {}, oldest on the left:",
                scans.len(),
                domain.name.as_deref().unwrap_or(name)
            )),
            line("employees", |scan| scan.employees_compromised),
            line("customers", |scan| scan.customers_compromised),
            line("third parties", |scan| scan.third_parties_compromised),
            Line::text(""),
            Line::Rows,
        ];
    }
    Ok(outcome)
}

fn scan(scan: &DomainScan) -> Vec<Cell> {
    vec![
        Cell::text(scan.id),
        Cell::time(scan.created_at.as_ref()),
        Cell::state(&scan.status),
        Cell::count(scan.employees_compromised),
        Cell::count(scan.customers_compromised),
        Cell::count(scan.third_parties_compromised),
    ]
}
