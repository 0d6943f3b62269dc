//! `secmon endpoint ...`: the monitored servers.

use super::transition::Transition;
use super::wait::{self, Awaited, Wait};
use super::{
    elsewhere, endpoint_changes, endpoint_listing, findings, provision, scan, unknown_customer,
    views,
};
use crate::args::{EndpointAddArgs, EndpointCommand, EndpointStatusArg, EndpointWaitArgs, WaitFor};
use crate::bulk::{self, Created, Done, End, Item, Words};
use crate::context::Context;
use crate::error::CliError;
use crate::machine::files;
use crate::notebook::index::{Seen, Server};
use crate::references::targets;
use crate::references::{self, Prefixes};
use crate::ui::outcome::{Cell, Line, Outcome, Table, to_json};
use crate::values::durations;
use chrono::DateTime;
use endpoint_changes::Change;
use secmon::model::{Endpoint, EndpointStatus, Timestamp};
use secmon::operations::{CreateEndpoint, UpdateEndpoint};
use secmon::{FieldErrors, Operation};
use std::time::Duration;

const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// Runs the command.
pub async fn run(context: &Context, command: EndpointCommand) -> Result<Outcome, CliError> {
    match command {
        EndpointCommand::List(args) => endpoint_listing::run(context, &args).await,
        EndpointCommand::Show {
            endpoint,
            ports: true,
        } => show_ports(context, &endpoint).await,
        EndpointCommand::Show {
            endpoint,
            ports: false,
        } => show(context, &endpoint).await,
        EndpointCommand::Provision(args) => provision::run(context, *args).await,
        EndpointCommand::Add(args) => add(context, args).await,
        EndpointCommand::Rename { endpoint, name } => rename(context, &endpoint, name).await,
        EndpointCommand::Suspend(servers) => {
            endpoint_changes::switch(context, &servers, Transition::Suspend).await
        }
        EndpointCommand::Resume(servers) => {
            endpoint_changes::switch(context, &servers, Transition::Resume).await
        }
        EndpointCommand::Terminate(targets) => {
            endpoint_changes::run(context, &targets, Change::To(Transition::Terminate)).await
        }
        EndpointCommand::Delete(targets) => {
            endpoint_changes::run(context, &targets, Change::Delete).await
        }
        EndpointCommand::Scan(args) => scan::run(context, args).await,
        EndpointCommand::Wait(args) => wait_for(context, args).await,
    }
}

/// The state that an argument names.
pub fn status(argument: EndpointStatusArg) -> EndpointStatus {
    match argument {
        EndpointStatusArg::Active => EndpointStatus::Active,
        EndpointStatusArg::Paused => EndpointStatus::Paused,
    }
}

async fn show_ports(context: &Context, name: &str) -> Result<Outcome, CliError> {
    let endpoint = references::endpoint(context, name).await?;
    let detail = findings::read(context, endpoint.id).await?;
    Ok(Outcome::record(
        to_json(&detail.latest_scan),
        findings::ports(&detail),
    ))
}

async fn show(context: &Context, name: &str) -> Result<Outcome, CliError> {
    let endpoint = references::endpoint(context, name).await?;
    let detail = findings::read(context, endpoint.id).await?;
    let data = &detail.data;
    let mut story = vec![
        Line::text(references::name_of(data)),
        Line::Field("id", Cell::text(data.id)),
        Line::Field("customer", Cell::maybe(data.billing_customer_id)),
        Line::Field("host name", Cell::maybe(data.hostname.as_ref())),
        Line::Field("status", Cell::text(standing(data))),
        Line::Field("platform", Cell::maybe(data.platform.as_ref())),
        Line::Field("next scan", Cell::due(data.next_scan_at.as_ref())),
    ];
    if !detail.whitelisted_ports.is_empty() {
        story.push(Line::Field(
            "allowed ports",
            Cell::text(detail.whitelisted_ports.join(" ").replace(':', "/")),
        ));
    }
    for (label, ports) in [
        ("newly open", &detail.new_ports),
        ("newly closed", &detail.closed_ports),
    ] {
        if !ports.is_empty() {
            let ports: Vec<String> = ports.iter().map(ToString::to_string).collect();
            story.push(Line::Field(label, Cell::text(ports.join(" "))));
        }
    }
    story.extend(findings::story(&detail));
    let table = Table::one(views::ENDPOINT, views::endpoint(data));
    Ok(Outcome::record(to_json(&detail), table).tell(story))
}

/// The state, and who paused the server.
fn standing(endpoint: &Endpoint) -> String {
    match endpoint.quota_paused {
        Some(true) => format!(
            "{} (by the platform: the capacity is used up)",
            endpoint.status
        ),
        _ => endpoint.status.to_string(),
    }
}

async fn add(context: &Context, args: EndpointAddArgs) -> Result<Outcome, CliError> {
    let address = targets::server_name(&args.address)?;
    let customer = context.customer()?;
    let mut create = CreateEndpoint::new(customer, address.as_str());
    create.nickname = args.nickname;
    create.status = args.status.map(status);
    create.client_name = args.contact.client_name;
    create.client_email = args.contact.client_email;
    let mut problems = FieldErrors::default();
    create.validate(&mut problems);
    targets::refuse(&problems)?;
    let named = address.parse().ok();
    let place = named.map(|ip| (address.as_str(), ip, customer));
    elsewhere::confirm(context, place).await?;
    unknown_customer::announce(context, customer).await?;
    let about = format!("server {} for customer {customer}", address);
    let sent = context
        .write(create, &about)
        .await
        .map_err(|error| error.during(format!("adding {}", address)))?;
    let end = match sent {
        None => End::Planned,
        Some(answer) => {
            let created = Created::by(&answer);
            let name = references::name_of(&answer.data);
            context.learn(Seen::Servers(vec![Server::from(&answer.data)]));
            let verb = match (created, answer.note()) {
                (Created::Yes, _) => "is now monitored",
                (Created::No, None) => "was there already",
                // The remark, or what stands behind it, says how it came to be there.
                _ => "is there",
            };
            let done = Done {
                id: answer.data.id.to_string(),
                record: to_json(&answer.data),
                created,
                note: answer.note().map(str::to_owned),
                sentence: format!(
                    "Server {name} {verb} for customer {customer}{}.",
                    created.aside()
                ),
            };
            done.made()
        }
    };
    let item = Item {
        row: None,
        target: address,
        customer: Some(customer),
        end,
    };
    bulk::conclude(
        context,
        Words {
            done: "added",
            skipped: "there already",
        },
        vec![item],
    )
}

async fn rename(context: &Context, name: &str, nickname: String) -> Result<Outcome, CliError> {
    if nickname.trim().is_empty() {
        return Err(CliError::usage(
            "the new name is empty: give a name of 1 to 255 characters",
        ));
    }
    let endpoint = references::endpoint(context, name).await?;
    let update =
        UpdateEndpoint::new(references::owner(context, &endpoint)?, endpoint.id).nickname(nickname);
    let about = format!("the nickname of {}", references::name_of(&endpoint));
    let Some(answer) = context.write(update, &about).await? else {
        return Ok(Outcome::record(
            serde_json::Value::Null,
            Table::new(views::ENDPOINT),
        ));
    };
    context.learn(Seen::Servers(vec![Server::from(&answer.data)]));
    let sentence = format!(
        "Server {} is now named {}.",
        endpoint.ip_address,
        references::handle_of(&answer.data)
    );
    let table = Table::one(views::ENDPOINT, views::endpoint(&answer.data));
    Ok(Outcome::record(to_json(&answer.data), table).tell(vec![Line::text(sentence)]))
}

async fn wait_for(context: &Context, args: EndpointWaitArgs) -> Result<Outcome, CliError> {
    let length = match (&args.wait_timeout, context.settings.timeout) {
        (Some(text), _) => durations::length("--wait-timeout", text)?,
        (None, Some(length)) => length,
        (None, None) => LONGEST_WAIT,
    };
    let after = after(&args)?;
    let endpoints = references::endpoints(
        context,
        &files::or_stdin(&args.endpoints)?,
        Prefixes::Accepted,
    )
    .await?;
    let ids: Vec<String> = endpoints
        .iter()
        .map(|endpoint| endpoint.id.to_string())
        .collect();
    let again = args
        .after
        .as_ref()
        .map(|after| format!(" --after {after}"))
        .unwrap_or_default();
    let resume = format!(
        "endpoint wait {} --for {}{again}",
        ids.join(" "),
        goal_name(args.goal)
    );
    let wait = Wait::new(length, resume).at_least(durations::length("--interval", &args.interval)?);
    let now = match args.goal {
        WaitFor::Scan => {
            let awaited = endpoints.iter().map(|server| {
                Ok(Awaited {
                    since: after.clone(),
                    ..Awaited::again(context, server)?
                })
            });
            let awaited: Result<Vec<Awaited>, CliError> = awaited.collect();
            wait.for_scans(context, &awaited?).await?
        }
        WaitFor::Active => for_status(context, wait, &endpoints, EndpointStatus::Active).await?,
        WaitFor::Paused => for_status(context, wait, &endpoints, EndpointStatus::Paused).await?,
    };
    let words = Words {
        done: reached(args.goal),
        skipped: "so before",
    };
    bulk::conclude(
        context,
        words,
        now.iter()
            .map(|endpoint| waited(endpoint, args.goal))
            .collect(),
    )
}

fn waited(endpoint: &Endpoint, goal: WaitFor) -> Item {
    let name = references::name_of(endpoint);
    let done = Done {
        id: endpoint.id.to_string(),
        record: to_json(endpoint),
        sentence: format!("{name}: {}.", reached(goal)),
        ..Done::default()
    };
    Item {
        row: None,
        target: name,
        customer: endpoint.billing_customer_id,
        end: End::Done(done),
    }
}

/// Waits until all servers are in a state.
async fn for_status(
    context: &Context,
    wait: Wait,
    endpoints: &[Endpoint],
    status: EndpointStatus,
) -> Result<Vec<Endpoint>, CliError> {
    wait.until(context, async || {
        let now = wait::current(context, endpoints).await?;
        let all = now.iter().all(|endpoint| endpoint.status == status);
        Ok(all.then_some(now))
    })
    .await
}

/// The moment after which a scan counts.
fn after(args: &EndpointWaitArgs) -> Result<Option<Timestamp>, CliError> {
    let Some(text) = &args.after else {
        return Ok(None);
    };
    let moment = DateTime::parse_from_rfc3339(text).map_err(|_| {
        CliError::usage(format!(
            "--after: {text:?} is no moment: write it as 2026-11-21T07:31:13+00:00"
        ))
    })?;
    Ok(Some(moment.into()))
}

fn reached(goal: WaitFor) -> &'static str {
    match goal {
        WaitFor::Scan => "scanned",
        WaitFor::Active => "active",
        WaitFor::Paused => "paused",
    }
}

fn goal_name(goal: WaitFor) -> &'static str {
    match goal {
        WaitFor::Scan => "scan",
        WaitFor::Active => "active",
        WaitFor::Paused => "paused",
    }
}
