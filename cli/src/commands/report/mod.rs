//! `secmon report`: one page about a customer that can be sent to them. It shows counts of leaks, never records.

pub mod args;
mod charts;
mod contents;
mod logo;
mod page;
mod todo;

use self::args::ReportArgs;
use self::contents::Report;
use crate::commands::common::findings;
use crate::commands::common::overwriting::{self, Written};
use crate::commands::rules::rule::ends_soon;
use crate::context::Context;
use crate::error::CliError;
use crate::machine::files;
use crate::references;
use crate::ui::outcome::{Block, Outcome, Table};
use crate::values::durations::counted;
use chrono::Utc;
use secmon::model::{CustomerId, EndpointDetail, PortAlertStatus};
use secmon::operations::{GetScanHistory, ListDomains};
use serde_json::json;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// The option that names the page.
const HTML: &str = "--html";

/// Runs the command.
pub async fn run(context: &Context, args: &ReportArgs) -> Result<Outcome, CliError> {
    let read: Vec<&Path> = args.logo.as_deref().into_iter().collect();
    files::refuse_input(HTML, &args.html, &read)?;
    let written = Written {
        option: HTML,
        path: &args.html,
        what: "report of secmon",
        is_one: page::is_one,
    };
    overwriting::agree(context, &written)?;
    let customer = context.customer()?;
    let report = collect(context, customer, args).await?;
    if report.servers.is_empty() && report.domains.is_empty() {
        return Err(CliError::not_found(format!(
            "nothing to report for customer {customer}: no servers or domains were found, so no page was written. Is the number right?"
        )));
    }
    let name = args.html.display();
    let html = page::render(&report);
    if args.html == Path::new("-") {
        return Ok(Outcome::text(html));
    }
    if let Some(said) = context.session.only_said(&format!("write {name}")) {
        return Ok(said);
    }
    let mut file = files::create(HTML, &args.html, &mut File::options())?;
    file.write_all(html.as_bytes())
        .map_err(|error| CliError::io(&format!("cannot write {name}"), &error))?;
    let (servers, domains) = (report.servers.len(), report.domains.len());
    let sentence = format!(
        "The report about customer {customer} is in {name}: {}, {}.",
        counted(servers, "server"),
        counted(domains, "domain")
    );
    let result = json!({ "file": args.html, "servers": servers, "domains": domains });
    Ok(Outcome::record(result, Table::default()).tell(vec![Block::text(sentence)]))
}

async fn collect(
    context: &Context,
    customer: CustomerId,
    args: &ReportArgs,
) -> Result<Report, CliError> {
    let logo = args.logo.as_deref().map(logo::data_url).transpose()?;
    let endpoints = references::all_endpoints(&context.session, Some(customer)).await?;
    let progress = context.screen.progress(endpoints.len());
    let mut servers = Vec::with_capacity(endpoints.len());
    for endpoint in &endpoints {
        servers.push(findings::read(&context.session, endpoint.id).await?);
        progress.advance(0);
    }
    progress.finish();
    add_further_alerts(context, customer, &mut servers).await?;
    let list = ListDomains::new(customer);
    let overview = context.session.read(list).await?;
    let mut domains = Vec::new();
    for domain in references::listed_domains(overview, customer)? {
        let history = GetScanHistory::new(customer, domain.id);
        let history = context.session.read(history).await?;
        domains.push((domain, history.scans));
    }
    let mut expiring = references::all_rules(&context.session, |list| {
        list.billing_customer_id = Some(customer)
    })
    .await?;
    // The rules of a server that has ended allow nothing.
    let is_there = |id| servers.iter().any(|server| server.data.id == id);
    expiring.retain(|rule| ends_soon(rule) && rule.endpoint_id.is_none_or(is_there));
    expiring.sort_by_key(|rule| rule.expires_at.as_ref().map(|end| end.date_time()));
    Ok(Report {
        customer,
        client_name: args.client_name.clone(),
        brand: args.brand.clone(),
        logo,
        made_at: Utc::now().date_naive(),
        servers,
        domains,
        expiring,
    })
}

/// The read of a server has its first ten alerts only; the customer's list has all.
async fn add_further_alerts(
    context: &Context,
    customer: CustomerId,
    servers: &mut [EndpointDetail],
) -> Result<(), CliError> {
    let alerts = references::all_alerts(&context.session, customer, |list| {
        list.status = Some(PortAlertStatus::Open)
    })
    .await?;
    for alert in alerts {
        let server = servers.iter_mut().find(|server| {
            alert.endpoint_id == Some(server.data.id)
                || alert.ip_address.as_ref() == Some(&server.data.ip_address)
        });
        if let Some(server) = server
            && !server.alerts.iter().any(|known| known.id == alert.id)
        {
            server.alerts.push(alert);
        }
    }
    Ok(())
}
