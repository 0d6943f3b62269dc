//! `secmon endpoint show`.

use crate::commands::common::{findings, views};
use crate::context::Context;
use crate::error::CliError;
use crate::references;
use crate::ui::outcome::{Block, Cell, Outcome, Table, to_json};
use clap::Args;
use secmon::model::{Endpoint, EndpointDetail};

/// The server to show.
#[derive(Debug, Args)]
pub struct EndpointShowArgs {
    /// The server: id, IP address, host name or nickname
    pub endpoint: String,
    /// Show only the open ports
    #[arg(long)]
    pub ports: bool,
}

/// Runs the command.
pub async fn run(context: &Context, args: &EndpointShowArgs) -> Result<Outcome, CliError> {
    let endpoint = references::endpoint(context, &args.endpoint).await?;
    let detail = findings::read(&context.session, endpoint.id).await?;
    if args.ports {
        let ports = findings::ports(&detail);
        let text = below_ports(&detail, ports.rows.is_empty());
        return Ok(Outcome::record(to_json(&detail.latest_scan), ports).tell(text));
    }
    let data = &detail.data;
    let mut text = vec![
        Block::text(references::name_of(data)),
        Block::Field("id", Cell::text(data.id)),
        Block::Field("customer", Cell::maybe(data.billing_customer_id)),
        Block::Field("host name", Cell::maybe(data.hostname.as_ref())),
        Block::Field("status", Cell::text(status_and_why(data))),
        Block::Field("platform", Cell::maybe(data.platform.as_ref())),
        Block::Field("next scan", Cell::due(data.next_scan_at.as_ref())),
    ];
    if !detail.whitelisted_ports.is_empty() {
        text.push(Block::LongField(
            "allowed ports",
            Cell::text(in_ranges(&detail.whitelisted_ports)),
        ));
    }
    for (label, ports) in [
        ("newly open", &detail.new_ports),
        ("newly closed", &detail.closed_ports),
    ] {
        if !ports.is_empty() {
            let ports: Vec<String> = ports.iter().map(ToString::to_string).collect();
            text.push(Block::LongField(label, Cell::text(ports.join(" "))));
        }
    }
    text.extend(findings::text(&detail));
    let table = Table::of(views::ENDPOINT, [data]);
    Ok(Outcome::record(to_json(&detail), table).tell(text))
}

/// The ports with what makes the list a proof: a port that is not in it was not open at that moment.
fn below_ports(detail: &EndpointDetail, is_empty: bool) -> Vec<Block> {
    let scanned = match findings::scan_time(detail) {
        None => "It has not been scanned yet.".to_owned(),
        Some(time) if is_empty => format!("No port was open in the scan of {time}."),
        Some(time) => format!("Ports that are not listed were not open in the scan of {time}."),
    };
    match is_empty {
        true => vec![Block::text(scanned)],
        false => vec![Block::Rows, Block::text(scanned)],
    }
}

/// `22/tcp 8000-8010/tcp`: ports that follow one another as one range. What is no port and protocol stays as it is.
fn in_ranges(ports: &[String]) -> String {
    let mut ranges: Vec<(u16, u16, &str)> = Vec::new();
    let mut others = Vec::new();
    for text in ports {
        let parts = text.split_once(':');
        let Some((Ok(port), protocol)) = parts.map(|(port, protocol)| (port.parse(), protocol))
        else {
            others.push(text.replace(':', "/"));
            continue;
        };
        let before = |range: &&mut (u16, u16, &str)| {
            range.2 == protocol && range.1.checked_add(1) == Some(port)
        };
        // One for each protocol: the service lists by port.
        match ranges.iter_mut().rev().take(2).find(before) {
            Some(range) => range.1 = port,
            None => ranges.push((port, port, protocol)),
        }
    }
    let ranges = ranges
        .iter()
        .map(|(first, last, protocol)| match first == last {
            true => format!("{first}/{protocol}"),
            false => format!("{first}-{last}/{protocol}"),
        });
    ranges.chain(others).collect::<Vec<_>>().join(" ")
}

/// The state, and who paused the server.
fn status_and_why(endpoint: &Endpoint) -> String {
    match endpoint.quota_paused {
        Some(true) => format!(
            "{} (by the platform: the capacity is used up)",
            endpoint.status
        ),
        Some(false) if views::is_paused(endpoint) => format!("{} (by hand)", endpoint.status),
        _ => endpoint.status.to_string(),
    }
}
