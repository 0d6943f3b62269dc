//! `secmon domain history`: the last scans.

use super::bars;
use super::named::{self, DomainArg};
use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::{Block, Cell, Field, Outcome, count_or_unknown, shown, with_room};
use secmon::model::DomainScan;
use secmon::operations::GetScanHistory;

const SCAN: &[Field<DomainScan>] = &[
    shown("id").of(|scan| Cell::text(scan.id)),
    shown("created_at").of(|scan| Cell::time(scan.created_at.as_ref())),
    with_room("status").of(|scan| Cell::state(&scan.status)),
    shown("employees_compromised").of(|scan| Cell::count(scan.employees_compromised)),
    shown("customers_compromised").of(|scan| Cell::count(scan.customers_compromised)),
    shown("third_parties_compromised").of(|scan| Cell::count(scan.third_parties_compromised)),
];

/// `secmon domain history`.
pub async fn run(context: &Context, args: &DomainArg) -> Result<Outcome, CliError> {
    let name = args.domain.as_str();
    let (domain, customer) = named::one(context, name).await?;
    let history = GetScanHistory::new(customer, domain.id);
    let scans = context.session.read(history).await?.scans;
    let mut outcome = Outcome::list(&scans, SCAN);
    if scans.len() > 1 {
        let line = |label, count: fn(&DomainScan) -> Option<u64>| {
            let counts: Vec<u64> = scans.iter().rev().filter_map(count).collect();
            let now = count_or_unknown(scans.first().and_then(count));
            Block::Field(
                label,
                Cell::text(format!("{} now {now}", bars::sparkline(&counts))),
            )
        };
        outcome.text = vec![
            Block::text(format!(
                "The last {} scans of {}, oldest on the left:",
                scans.len(),
                domain.name
            )),
            line("employees", |scan| scan.employees_compromised),
            line("customers", |scan| scan.customers_compromised),
            line("third parties", |scan| scan.third_parties_compromised),
            Block::text(""),
            Block::Rows,
        ];
    }
    Ok(outcome)
}
