//! `secmon rules summary`: how many rules each server has.

use crate::commands::common::new_customer;
use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::{Block, Cell, Field, Outcome, Table, shown, to_json};
use secmon::model::EndpointSummary;
use secmon::operations::GetRuleSummary;

const SUMMARY: &[Field<EndpointSummary>] = &[
    shown("id").of(|endpoint| Cell::text(endpoint.endpoint_id)),
    shown("ip_address").of(|endpoint| Cell::maybe(endpoint.ip_address.as_ref())),
    shown("nickname").of(|endpoint| Cell::maybe(endpoint.nickname.as_ref())),
    shown("rule_count").of(|endpoint| Cell::count(endpoint.rule_count)),
];

/// Runs the command.
pub async fn run(context: &Context) -> Result<Outcome, CliError> {
    let customer = context.customer()?;
    let summary = GetRuleSummary::new(customer);
    let summary = context.session.read(summary).await?;
    if summary.endpoints.is_empty() && summary.global_count.unwrap_or(0) == 0 {
        new_customer::tell_of_list(context).await;
    }
    let table = Table::of(SUMMARY, &summary.endpoints);
    let global = Block::Field("for all servers", Cell::count(summary.global_count));
    Ok(Outcome::record(to_json(&summary), table).tell(vec![Block::Rows, global]))
}
