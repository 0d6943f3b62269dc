//! `secmon scan`: look for open ports now.

use super::findings;
use super::wait::{self, Wait};
use crate::args::ScanArgs;
use crate::context::Context;
use crate::durations;
use crate::error::{CliError, Exit};
use crate::outcome::{Cell, Column, Line, Outcome, Table, shown, to_json};
use crate::references::{self, Prefixes};
use secmon::model::Endpoint;
use secmon::operations::{QueuedScan, ScanEndpoint};
use secmon::{ErrorCode, Namespace, Response};
use serde_json::{Value, json};

const COLUMNS: &[Column] = &[
    shown("id"),
    shown("endpoint"),
    shown("status"),
    shown("cooldown_seconds"),
];

/// Runs the command.
pub async fn run(context: &Context, args: ScanArgs) -> Result<Outcome, CliError> {
    if context.settings.namespace == Namespace::Provisioning {
        return Err(CliError::usage(
            "a scan is asked for under the billing namespace only: leave out --namespace provisioning",
        ));
    }
    let length = durations::length("--wait-timeout", &args.wait.wait_timeout)?;
    let endpoints = references::endpoints(context, &args.endpoints, Prefixes::Accepted).await?;
    let mut started = Vec::new();
    for endpoint in &endpoints {
        if let Some(scan) = start(context, endpoint, args.respect_cooldown).await? {
            started.push((endpoint, scan));
        }
    }
    let mut outcome = report(&started);
    if args.wait.wait && !started.is_empty() {
        let names: Vec<String> = endpoints
            .iter()
            .map(|endpoint| endpoint.id.to_string())
            .collect();
        let wait = Wait::new(length, format!("endpoint wait {}", names.join(" ")));
        wait::for_scans(context, &endpoints, wait).await?;
        add_findings(context, &endpoints, &mut outcome).await?;
    }
    Ok(outcome)
}

/// Asks for a scan; a server in cooldown is waited for only when `respect_cooldown` says so.
async fn start(
    context: &Context,
    endpoint: &Endpoint,
    respect_cooldown: bool,
) -> Result<Option<Response<QueuedScan>>, CliError> {
    let name = references::name_of(endpoint);
    let customer = references::owner(context, endpoint)?;
    let about = format!("scan of {name}");
    context.ready().await?;
    loop {
        let scan = ScanEndpoint::new(customer, endpoint.id);
        let error = match context.client()?.send(scan).await {
            Ok(scan) => return Ok(Some(scan)),
            Err(error) if error.kind() == secmon::ErrorKind::Refused => {
                return context.refused(context.guard()?, &about);
            }
            Err(error) => error,
        };
        let cooldown = error
            .retry_after()
            .filter(|_| error.code() == Some(&ErrorCode::RateLimited));
        match cooldown {
            Some(cooldown) if respect_cooldown => {
                context.ui.note(&format!(
                    "{name} was scanned a moment ago: next try in {}",
                    durations::shown(cooldown)
                ));
                context.rest(cooldown).await;
            }
            Some(cooldown) => {
                let hint = format!(
                    "it may be scanned again in {}; to wait for that: `scan {} --respect-cooldown`",
                    durations::shown(cooldown),
                    endpoint.id
                );
                return Err(CliError::from(error)
                    .during(format!("scanning {name}"))
                    .hint(hint));
            }
            None if error.code() == Some(&ErrorCode::EndpointNotActive) => {
                let hint = format!(
                    "scan it on schedule again: `endpoint resume {}`",
                    endpoint.id
                );
                return Err(CliError::from(error)
                    .during(format!("scanning {name}"))
                    .hint(hint));
            }
            None => return Err(CliError::from(error).during(format!("scanning {name}"))),
        }
    }
}

fn report(started: &[(&Endpoint, Response<QueuedScan>)]) -> Outcome {
    let mut table = Table::new(COLUMNS);
    let mut story = Vec::new();
    for (endpoint, scan) in started {
        let name = references::name_of(endpoint);
        table.rows.push(vec![
            Cell::text(scan.data.scan_id),
            Cell::text(&name),
            Cell::state(&scan.data.status),
            scan.data
                .cooldown_seconds
                .map_or(Cell::Missing, Cell::Number),
        ]);
        story.push(Line::text(format!("A scan of {name} is on its way.")));
    }
    let result = match started {
        [(_, scan)] => to_json(&scan.data),
        many => Value::Array(
            many.iter()
                .map(|(endpoint, scan)| with_endpoint(endpoint, scan))
                .collect(),
        ),
    };
    Outcome {
        result,
        table,
        story,
        exit: Exit::Done,
    }
}

fn with_endpoint(endpoint: &Endpoint, scan: &Response<QueuedScan>) -> Value {
    let mut scan = to_json(&scan.data);
    scan["endpoint_id"] = json!(endpoint.id);
    scan
}

async fn add_findings(
    context: &Context,
    endpoints: &[Endpoint],
    outcome: &mut Outcome,
) -> Result<(), CliError> {
    outcome.story.clear();
    for (i, endpoint) in endpoints.iter().enumerate() {
        let detail = findings::read(context, endpoint.id).await?;
        findings::check(&detail)?;
        let scanned = to_json(&detail.latest_scan);
        match &mut outcome.result {
            Value::Array(scans) => {
                if let Some(scan) = scans.get_mut(i) {
                    scan["latest_scan"] = scanned;
                }
            }
            scan => scan["latest_scan"] = scanned,
        }
        outcome.story.push(Line::text(format!(
            "{} has been scanned.",
            references::name_of(&detail.data)
        )));
        outcome.story.extend(findings::story(&detail));
        if endpoints.len() == 1 {
            outcome.story.extend(findings::next(&detail));
        }
    }
    Ok(())
}
