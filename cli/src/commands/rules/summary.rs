//! `secmon rules summary`: how many rules each server has.

use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::{Cell, Column, Line, Outcome, Table, shown, to_json};
use secmon::model::EndpointSummary;
use secmon::operations::GetRuleSummary;

const SUMMARY: &[Column] = &[
    shown("id"),
    shown("ip_address"),
    shown("nickname"),
    shown("rule_count"),
];

/// Runs the command.
pub async fn run(context: &Context) -> Result<Outcome, CliError> {
    let customer = context.customer()?;
    let summary = context
        .session
        .read(GetRuleSummary::new(customer))
        .await?
        .into_data();
    let mut table = Table::new(SUMMARY);
    table.rows = summary.endpoints.iter().map(summary_row).collect();
    let global = Line::Field("for all servers", Cell::count(summary.global_count));
    Ok(Outcome::record(to_json(&summary), table).tell(vec![Line::Rows, global]))
}

fn summary_row(endpoint: &EndpointSummary) -> Vec<Cell> {
    vec![
        Cell::text(endpoint.endpoint_id),
        Cell::maybe(endpoint.ip_address.as_ref()),
        Cell::maybe(endpoint.nickname.as_ref()),
        Cell::count(endpoint.rule_count),
    ]
}
