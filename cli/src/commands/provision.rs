//! `secmon provision`: one server, several, or a whole file.

use super::wait::{self, Wait};
use super::{findings, views};
use crate::args::{ProvisionArgs, WaitArgs};
use crate::bulk::{self, Done, End, FileOptions, Item, Known, ReportFile, Row, Words, input};
use crate::context::Context;
use crate::durations;
use crate::error::CliError;
use crate::invocation::quoted;
use crate::outcome::{Line, Outcome, to_json};
use crate::references;
use crate::targets::{BareNames, Defaults, RowFields, Target};
use secmon::model::{CustomerId, Endpoint, EndpointId, EndpointStatus};
use std::collections::BTreeSet;
use std::time::Duration;
use uuid::Uuid;

const WORDS: Words = Words {
    done: "provisioned",
    skipped: "there before",
};

/// Runs the command.
pub async fn run(context: &Context, args: ProvisionArgs) -> Result<Outcome, CliError> {
    if args.template {
        return Ok(Outcome::text(input::template()));
    }
    if args.file.is_some() {
        return from_file(context, &args).await;
    }
    let mut targets = from_arguments(context, &args)?;
    match targets.len() {
        1 => single(context, &targets.remove(0), &args.wait).await,
        _ => several(context, targets, &args).await,
    }
}

async fn from_file(context: &Context, args: &ProvisionArgs) -> Result<Outcome, CliError> {
    let Some(path) = &args.file else {
        return Err(no_target());
    };
    refuse_beside_file(args)?;
    let options = FileOptions {
        map: &args.map,
        delimiter: &args.delimiter,
    };
    let defaults = Defaults {
        customer: context.settings.customer,
        bare_names: bare_names(args),
    };
    let sheet = input::read(context, path, &options, &defaults)?;
    let mut report = match &args.report {
        Some(path) => Some(ReportFile::create(path, &sheet.header)?),
        None => None,
    };
    let items = send_rows(context, &sheet.rows, args, report.as_mut()).await?;
    finish(context, items, &args.wait).await
}

/// A file says per row what these options say for one server.
fn refuse_beside_file(args: &ProvisionArgs) -> Result<(), CliError> {
    let columns = [
        ("TARGET", !args.targets.is_empty()),
        ("--ip-address", !args.ip_address.is_empty()),
        ("--nickname", args.nickname.is_some()),
        ("--hostname", args.hostname.is_some()),
        ("--service", args.service.is_some()),
        ("--product", args.product.is_some()),
        ("--plan", args.plan.is_some()),
        ("--mrr", args.mrr.is_some()),
        ("--client-name", args.contact.client_name.is_some()),
        ("--client-email", args.contact.client_email.is_some()),
    ];
    match columns.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(CliError::usage(format!(
            "{option} does not go with --file: put it into the file, as a column"
        ))),
        None => Ok(()),
    }
}

fn from_arguments(context: &Context, args: &ProvisionArgs) -> Result<Vec<Target>, CliError> {
    let names: Vec<&String> = args.targets.iter().chain(&args.ip_address).collect();
    if names.is_empty() {
        return Err(no_target());
    }
    if let Some(file) = names
        .iter()
        .find(|name| name.ends_with(".csv") || std::path::Path::new(name).is_file())
    {
        return Err(
            CliError::usage(format!("{file:?} is a file, not a server")).hint(format!(
                "read the servers from it: `provision -f {}`",
                quoted(file)
            )),
        );
    }
    if args.nickname.is_some() && names.len() > 1 {
        return Err(CliError::usage(
            "--nickname names one server: give one target, or a file with a column nickname",
        ));
    }
    let defaults = Defaults {
        customer: Some(context.customer()?),
        bare_names: bare_names(args),
    };
    names
        .iter()
        .map(|name| Target::from_fields(&fields(name, args), &defaults))
        .collect()
}

fn fields(name: &str, args: &ProvisionArgs) -> RowFields {
    let text = |option: &Option<String>| option.clone().unwrap_or_default();
    RowFields {
        target: name.trim().to_owned(),
        customer: String::new(),
        hostname: text(&args.hostname),
        nickname: text(&args.nickname),
        service_id: text(&args.service),
        product_slug: text(&args.product),
        plan_slug: text(&args.plan),
        mrr: text(&args.mrr),
        client_name: text(&args.contact.client_name),
        client_email: text(&args.contact.client_email),
    }
}

fn bare_names(args: &ProvisionArgs) -> BareNames {
    if args.server {
        BareNames::Servers
    } else {
        BareNames::Unclear
    }
}

fn no_target() -> CliError {
    CliError::usage("there is no target: give the IP addresses of servers, or a file with -f")
        .hint("see how: `provision --help`")
}

async fn several(
    context: &Context,
    targets: Vec<Target>,
    args: &ProvisionArgs,
) -> Result<Outcome, CliError> {
    let rows: Vec<Row> = targets
        .into_iter()
        .map(|target| Row {
            line: None,
            target,
            cells: Vec::new(),
        })
        .collect();
    let items = send_rows(context, &rows, args, None).await?;
    finish(context, items, &args.wait).await
}

async fn send_rows(
    context: &Context,
    rows: &[Row],
    args: &ProvisionArgs,
    mut report: Option<&mut ReportFile>,
) -> Result<Vec<Item>, CliError> {
    let known = Known::read(context, rows).await?;
    if !args.use_whole_window {
        context.leave_calls_to_people()?;
    }
    bulk::announce(context, rows, &known);
    let send = async |row: &Row| match known.covering(&row.target) {
        Some(endpoint) => skip(context, &row.target, endpoint).await,
        None => send(context, &row.target).await,
    };
    let tell = |row: &Row, end: &End| {
        let written = report
            .as_mut()
            .map_or(Ok(()), |report| report.add(row, end));
        if let Err(error) = written {
            context.ui.note(&format!("warning: {}", error.message()));
        }
    };
    let ends = bulk::run_telling(context, rows, args.on_error, send, tell).await;
    let items = rows.iter().zip(ends).map(|(row, end)| Item {
        row: row.line,
        target: row.target.name.clone(),
        customer: Some(row.target.customer()),
        end,
    });
    Ok(items.collect())
}

/// A server that is there already gets the name of its row, if that is another one.
async fn skip(context: &Context, target: &Target, endpoint: &Endpoint) -> Result<End, CliError> {
    let there = |note: &str| Done {
        id: endpoint.id.to_string(),
        note: Some(note.to_owned()),
        created: Some(false),
        ..Done::default()
    };
    if target.nickname.is_none() || target.nickname == endpoint.nickname {
        return Ok(End::Skipped(there("already monitored")));
    }
    let renamed = name(context, target, endpoint.id).await?;
    Ok(renamed.map_or(End::Planned, |_| {
        End::Done(there("already monitored; it has the new nickname now"))
    }))
}

/// The provisioning call, and the second one that gives the nickname.
async fn send(context: &Context, target: &Target) -> Result<End, CliError> {
    let about = format!("server {} for customer {}", target.name, target.customer());
    let sent = context.write(target.request.clone(), &about).await;
    let Some(answer) = sent.map_err(|error| explained(error, target))? else {
        name(context, target, EndpointId::from(Uuid::nil())).await?;
        return Ok(End::Planned);
    };
    let id = answer.data.endpoint_id;
    let named = name(context, target, id).await?;
    let mut record = to_json(&answer.data);
    if let Some(named) = &named {
        record["nickname"] = to_json(&named.nickname);
    }
    let done = Done {
        id: id.to_string(),
        record,
        created: Some(answer.created()),
        note: answer.note().map(str::to_owned),
        sentence: sentence(target, answer.created(), &answer.data.status),
    };
    Ok(if answer.created() {
        End::Done(done)
    } else {
        End::Skipped(done)
    })
}

fn explained(error: CliError, target: &Target) -> CliError {
    let row = error.during(format!("provisioning {}", target.name));
    match row.code() {
        "ENDPOINT_LIMIT_EXCEEDED" => {
            let customer = target.customer();
            row.hint(format!("see what is using it: `endpoint list -c {customer}`; terminate or delete a server, or raise the plan with `subscription set SERVICE --product port_monitoring --plan PLAN -c {customer}`"))
        }
        _ => row,
    }
}

fn sentence(target: &Target, created: bool, status: &EndpointStatus) -> String {
    let label = target
        .nickname
        .as_deref()
        .map(|nickname| format!(" ({nickname})"))
        .unwrap_or_default();
    let verb = match (created, status) {
        (true, _) => "is now monitored".to_owned(),
        (false, EndpointStatus::Active) => "was monitored already".to_owned(),
        (false, other) => format!("is known already and {other}: it is not scanned"),
    };
    format!(
        "Server {}{label} {verb} for customer {}.",
        target.name,
        target.customer()
    )
}

/// The provisioning call takes no nickname.
async fn name(
    context: &Context,
    target: &Target,
    id: EndpointId,
) -> Result<Option<Endpoint>, CliError> {
    let Some(rename) = target.rename(id) else {
        return Ok(None);
    };
    let renamed = context
        .write(rename, &format!("the nickname of server {}", target.name))
        .await;
    let renamed = renamed.map_err(|error| {
        error.during(format!(
            "naming server {}, which is monitored now as {id}",
            target.name
        ))
    })?;
    Ok(renamed.map(secmon::Response::into_data))
}

/// Tells what became of the targets; where asked to, waits for the first scans.
async fn finish(context: &Context, items: Vec<Item>, args: &WaitArgs) -> Result<Outcome, CliError> {
    let length = durations::length("--wait-timeout", &args.wait_timeout)?;
    let mut outcome = bulk::report(context, WORDS, &items);
    if args.wait {
        outcome.trouble = all_scanned(context, &items, length).await.err();
    }
    Ok(outcome)
}

async fn all_scanned(context: &Context, items: &[Item], length: Duration) -> Result<(), CliError> {
    let waiting = unscanned(context, items).await?;
    let ids: Vec<String> = waiting
        .iter()
        .map(|endpoint| endpoint.id.to_string())
        .collect();
    let wait = Wait::new(length, format!("endpoint wait {}", ids.join(" ")));
    wait::for_scans(context, &waiting, wait).await
}

async fn unscanned(context: &Context, items: &[Item]) -> Result<Vec<Endpoint>, CliError> {
    let ids: BTreeSet<&str> = items
        .iter()
        .filter_map(|item| item.end.done())
        .map(|done| done.id.as_str())
        .collect();
    let done = items.iter().filter(|item| item.end.done().is_some());
    let customers: BTreeSet<CustomerId> = done.filter_map(|item| item.customer).collect();
    let mut waiting = Vec::new();
    for customer in customers {
        let all = references::all_endpoints(context, Some(customer)).await?;
        let ours = all
            .into_iter()
            .filter(|endpoint| ids.contains(endpoint.id.to_string().as_str()));
        waiting.extend(ours.filter(|endpoint| endpoint.last_scan_at.is_none()));
    }
    Ok(waiting)
}

async fn single(context: &Context, target: &Target, args: &WaitArgs) -> Result<Outcome, CliError> {
    let length = durations::length("--wait-timeout", &args.wait_timeout)?;
    let end = send(context, target).await?;
    let id = end
        .done()
        .and_then(|done| done.id.parse::<EndpointId>().ok());
    let customer = target.customer();
    let item = Item {
        row: None,
        target: target.name.clone(),
        customer: Some(customer),
        end,
    };
    let mut outcome = bulk::conclude(context, WORDS, vec![item])?;
    let Some(id) = id else { return Ok(outcome) };
    if args.wait {
        outcome.trouble = add_findings(context, id, length, &mut outcome).await.err();
        return Ok(outcome);
    }
    let first = match outcome.result["status"].as_str() {
        Some("paused") => Line::next(format!("endpoint resume {id}"), "have it scanned again"),
        _ => Line::next(format!("endpoint wait {id}"), "wait for the first scan"),
    };
    outcome.story.extend([
        Line::Heading("Next:"),
        first,
        Line::next(
            format!("alert list -c {customer}"),
            "see the alerts of this customer",
        ),
    ]);
    Ok(outcome)
}

async fn add_findings(
    context: &Context,
    id: EndpointId,
    length: Duration,
    outcome: &mut Outcome,
) -> Result<(), CliError> {
    let wait = Wait::new(length, format!("endpoint wait {id}"));
    let detail = wait
        .until(context, async || {
            let detail = findings::read(context, id).await?;
            if detail.latest_scan.is_none() && views::is_paused(&detail.data) {
                return Err(wait::paused(&detail.data));
            }
            Ok(detail.latest_scan.is_some().then_some(detail))
        })
        .await?;
    findings::check(&detail)?;
    outcome.result["latest_scan"] = to_json(&detail.latest_scan);
    outcome.story.extend(findings::story(&detail));
    outcome.story.extend(findings::next(&detail));
    Ok(())
}
