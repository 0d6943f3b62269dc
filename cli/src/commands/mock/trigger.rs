//! `secmon mock trigger`: something happens in the simulated world.

use super::admin::{Admin, AdminArgs};
use crate::commands::domain::leaks::CategoryArg;
use crate::context::Context;
use crate::error::{CliError, Exit};
use crate::references;
use crate::ui::outcome::{Outcome, to_json};
use crate::values::durations::counted;
use crate::values::ports::PortSpec;
use clap::{Args, Subcommand};
use http::Method;
use secmon::model::{EndpointDetail, PortAlert, Protocol};
use secmon::operations::{GetDomainSummary, GetEndpointDetail};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Something that happens.
#[derive(Debug, Subcommand)]
pub enum TriggerCommand {
    /// Ports of a server are open from now on
    PortOpen(TriggerPorts),
    /// Ports of a server are closed from now on
    PortClosed(TriggerPorts),
    /// More credentials of a domain leak
    Leak {
        /// The domain: name or id
        domain: String,
        /// Whose credentials
        #[arg(long, default_value = "employees")]
        category: CategoryArg,
        /// How many more
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
        count: u64,
        /// Do not scan now: the next scan will find it
        #[arg(long)]
        no_scan: bool,
    },
    /// A domain is mentioned on the dark web
    Mention {
        /// The domain: name or id
        domain: String,
        /// How many more mentions
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
        count: u64,
        /// Do not scan now: it shows at the next scan
        #[arg(long)]
        no_scan: bool,
    },
}

/// Ports of a server.
#[derive(Debug, Args)]
pub struct TriggerPorts {
    /// The server: id, IP address, host name or nickname
    pub endpoint: String,
    /// The ports, as 3306, 53/udp or mysql
    #[arg(value_name = "PORT", required = true)]
    pub ports: Vec<String>,
    /// Do not scan now: it shows at the next scan
    #[arg(long)]
    pub no_scan: bool,
}

/// What ports are from now on.
enum PortState {
    Open,
    Closed,
}

/// An open port: its number and `tcp` or `udp`.
type OpenPort = (u16, &'static str);

/// Runs the command.
pub async fn run(
    context: &Context,
    admin: &AdminArgs,
    command: TriggerCommand,
) -> Result<Outcome, CliError> {
    let admin = Admin::of(context, admin)?;
    match command {
        TriggerCommand::PortOpen(args) => ports(context, &admin, &args, PortState::Open).await,
        TriggerCommand::PortClosed(args) => ports(context, &admin, &args, PortState::Closed).await,
        TriggerCommand::Leak {
            domain,
            category,
            count,
            no_scan,
        } => {
            let field = match category {
                CategoryArg::Employees => "employees",
                CategoryArg::Customers => "customers",
                CategoryArg::ThirdParties => "third_parties",
            };
            findings(context, &admin, &domain, field, count, no_scan).await
        }
        TriggerCommand::Mention {
            domain,
            count,
            no_scan,
        } => findings(context, &admin, &domain, "mentions", count, no_scan).await,
    }
}

async fn ports(
    context: &Context,
    admin: &Admin,
    args: &TriggerPorts,
    state: PortState,
) -> Result<Outcome, CliError> {
    let mut wanted = Vec::new();
    for text in &args.ports {
        wanted.extend(each(&PortSpec::parse(text)?));
    }
    let endpoint = references::endpoint(context, &args.endpoint).await?;
    let customer = references::owner(context, &endpoint)?;
    let detail = context
        .session
        .read(GetEndpointDetail::account_wide(endpoint.id))
        .await?;
    let alerts = references::all_alerts(&context.session, customer, |list| {
        list.endpoint_id = Some(endpoint.id)
    })
    .await?;
    let mut open = found_open(&detail, &alerts);
    let state = match state {
        PortState::Open => {
            open.extend(wanted);
            "open"
        }
        PortState::Closed => {
            open.retain(|port| !wanted.contains(port));
            "closed"
        }
    };
    let open: Vec<Value> = open
        .iter()
        .map(|(port, protocol)| json!({ "port": port, "protocol": protocol }))
        .collect();
    let world = json!({ "open": open });
    let path = format!("endpoints/{}", endpoint.id);
    admin
        .call(Method::PUT, &format!("{path}/ports"), Some(world.clone()))
        .await?;
    let place = references::name_of(&endpoint);
    let happened = format!("{} {state} on {place} now", are(&args.ports));
    concluded(admin, &path, &happened, world, args.no_scan).await
}

/// `Port 22 is`, or `Ports 22, 53/udp are`.
fn are(ports: &[String]) -> String {
    match ports {
        [one] => format!("Port {one} is"),
        several => format!("Ports {} are", several.join(", ")),
    }
}

/// Each port of a range, with each protocol it stands for.
fn each(spec: &PortSpec) -> Vec<OpenPort> {
    let protocols: &[&'static str] = match spec.protocol {
        Protocol::Udp => &["udp"],
        Protocol::Any => &["tcp", "udp"],
        _ => &["tcp"],
    };
    let numbers = spec.range.start().get()..=spec.range.end().get();
    numbers
        .flat_map(|number| protocols.iter().map(move |protocol| (number, *protocol)))
        .collect()
}

/// What the last scan found. It gives numbers alone; alerts and rules tell the protocol of most, and the rest is tcp.
fn found_open(detail: &EndpointDetail, alerts: &[PortAlert]) -> BTreeSet<OpenPort> {
    let numbers = detail
        .latest_scan
        .iter()
        .flat_map(|scan| scan.open_ports.iter().flatten().copied());
    let udp = |port: u16| {
        let alerted = alerts
            .iter()
            .any(|alert| alert.port == port && alert.protocol == Protocol::Udp);
        let allowed = format!("{port}:udp");
        let allowed_as_udp_only = detail.whitelisted_ports.contains(&allowed)
            && !detail.whitelisted_ports.contains(&format!("{port}:tcp"));
        alerted || allowed_as_udp_only
    };
    numbers
        .map(|port| (port, if udp(port) { "udp" } else { "tcp" }))
        .collect()
}

async fn findings(
    context: &Context,
    admin: &Admin,
    name: &str,
    field: &str,
    more: u64,
    no_scan: bool,
) -> Result<Outcome, CliError> {
    let domain = references::domain(context, name).await?;
    let summary = GetDomainSummary::new(context.customer()?, domain.id);
    let summary = to_json(&context.session.read(summary).await?);
    let count = |field: &str| summary[field].as_u64().unwrap_or_default();
    let mut world = json!({
        "employees": count("employees_compromised"),
        "customers": count("customers_compromised"),
        "third_parties": count("third_parties_compromised"),
        "mentions": count("dark_web_mentions_count"),
    });
    world[field] = json!(
        world[field]
            .as_u64()
            .unwrap_or_default()
            .saturating_add(more)
    );
    let path = format!("domains/{}", domain.id);
    admin
        .call(
            Method::PUT,
            &format!("{path}/findings"),
            Some(world.clone()),
        )
        .await?;
    let what = match field {
        "mentions" => counted(more, "more mention"),
        whose => {
            let credentials = counted(more, "more leaked credential");
            format!("{credentials} of {}", whose.replace('_', " "))
        }
    };
    let happened = format!("{} has {what}", domain.name);
    concluded(admin, &path, &happened, world, no_scan).await
}

/// A scan finds what happened, unless it is left to the next one.
async fn concluded(
    admin: &Admin,
    path: &str,
    happened: &str,
    world: Value,
    no_scan: bool,
) -> Result<Outcome, CliError> {
    let told = |sentence: String| Ok(Outcome::said(world, sentence));
    if no_scan {
        return told(format!("{happened}; the next scan finds it."));
    }
    match admin
        .call(Method::POST, &format!("{path}/scan"), None)
        .await
    {
        Ok(_) => told(format!("{happened}, and a scan has found it.")),
        // What happened stands, though nobody looks: a paused server has no scans.
        Err(error) if error.exit() == Exit::Conflict => told(format!(
            "{happened}, but there was no scan: {}",
            error.message()
        )),
        Err(error) => Err(error.during(format!("a scan, after this: {happened}"))),
    }
}
