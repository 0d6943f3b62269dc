//! `secmon sync`: the billing system's view of its services, in calls of at most 500.

use super::common::capacity::{self, Kept};
use crate::bulk::args::{OnError, RunArgs};
use crate::bulk::{self, Applied, BulkOperation, Item, Label, PlannedRow, Question, RowOutcome};
use crate::bulk::{input, spreadsheet};
use crate::context::Context;
use crate::error::CliError;
use crate::machine::files;
use crate::session::Session;
use crate::session::current_run::RunKind;
use crate::session::prompt::{ConfirmationLevel, Prompt};
use crate::state::changes::Scope;
use crate::ui::outcome::{Block, Cell, Field, Outcome, Table, count_or_unknown, shown, to_json};
use crate::values::durations::{counted, counted_if_told};
use clap::Args;
use csv::StringRecord;
use secmon::Operation;
use secmon::model::{CapacityReport, CustomerId, SubscriptionStatus};
use secmon::operations::{ServiceReport, SyncResult, SyncServices, UnknownService};
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

const SYNC_EXAMPLES: &str = "\
The file has the columns service_id, client_id, product_slug and status,
which is active, suspended or cancelled; or it is a JSON list of objects with these fields.

Examples:
  secmon sync -f services.csv -n
  secmon sync -f services.csv --confirm=312";

/// Services to report.
#[derive(Debug, Args)]
#[command(after_help = SYNC_EXAMPLES)]
pub struct SyncArgs {
    /// CSV or JSON file, or - for standard input
    #[arg(short, long, value_name = "FILE", required = true)]
    pub file: PathBuf,
    /// Letters of a file that is neither UTF-8 nor UTF-16, as windows-1250, cp852 or macintosh
    #[arg(long, value_name = "NAME")]
    pub encoding: Option<String>,
    /// Version of your billing module, at most 20 characters
    #[arg(long, value_name = "VERSION")]
    pub module_version: Option<String>,
    /// Services in one call, 1 to 500
    #[arg(long, value_name = "N", default_value = "500", value_parser = clap::value_parser!(u16).range(1..=500))]
    pub chunk: u16,
    /// Use all 60 calls a minute; without this, 5 of them are left to other users
    #[arg(long)]
    pub use_whole_window: bool,
}

const COLUMNS: &[Field<(CustomerId, CapacityReport)>] = &[
    shown("customer").of(|(customer, _)| Cell::Number(customer.get())),
    shown("product_type").of(|(_, report)| Cell::text(&report.product_type)),
    shown("usage").of(|(_, report)| Cell::count(report.usage)),
    shown("capacity").of(|(_, report)| Cell::count(report.capacity)),
    shown("newly_paused").of(|(_, report)| joined(report.newly_paused.as_ref())),
    shown("unpaused").of(|(_, report)| joined(report.unpaused.as_ref())),
];

fn joined(names: Option<&Vec<String>>) -> Cell {
    Cell::maybe(names.map(|names| names.join(" ")))
}

/// The product whose every service stands for one server.
const ONE_SERVER: &str = "endpoint";

/// Runs the command.
pub async fn run(context: &Context, args: SyncArgs) -> Result<Outcome, CliError> {
    context.session.settings.need_billing("a sync is made")?;
    let syncing = Syncing {
        context,
        calls: requests(read(&context.prompt, &args)?, &args)?,
        outlook: RefCell::default(),
        total: RefCell::default(),
    };
    let run = RunArgs {
        use_whole_window: args.use_whole_window,
        ..RunArgs::default()
    };
    let items = bulk::run_bulk(context, &syncing, &run).await?;
    syncing.total.into_inner().until_failure(items)
}

/// A report of services, in calls that are made one after the other.
struct Syncing<'a> {
    context: &'a Context,
    calls: Vec<SyncServices>,
    /// What it may pause, as it was read last.
    outlook: RefCell<String>,
    /// What the calls did.
    total: RefCell<Total>,
}

impl Syncing<'_> {
    fn services(&self) -> impl Iterator<Item = &ServiceReport> {
        self.calls.iter().flat_map(|call| &call.services)
    }

    fn number_of(&self, status: SubscriptionStatus) -> usize {
        let these = self.services().filter(|service| service.status == status);
        these.count()
    }

    fn level(&self) -> ConfirmationLevel {
        let level = match self.number_of(SubscriptionStatus::Cancelled) {
            0 => ConfirmationLevel::Mild,
            _ => ConfirmationLevel::Moderate,
        };
        level.times(self.services().count())
    }

    fn about(&self, call: usize) -> String {
        let services = counted(self.calls[call].services.len(), "service");
        format!("the status of {services}")
    }

    fn text(&self) -> String {
        format!(
            "About to report {} ({} cancelled, {} suspended).{}",
            counted(self.services().count(), "service"),
            self.number_of(SubscriptionStatus::Cancelled),
            self.number_of(SubscriptionStatus::Suspended),
            self.outlook.borrow()
        )
    }
}

impl BulkOperation for Syncing<'_> {
    type Row = usize;

    fn kind(&self) -> RunKind {
        RunKind {
            verb: "sync_services",
            scope: Scope::File,
            customer: None,
        }
    }

    async fn plan(&self) -> Result<Vec<PlannedRow<usize>>, CliError> {
        let (session, prompt) = (&self.context.session, &self.context.prompt);
        let services: Vec<&ServiceReport> = self.services().collect();
        let outlook = outlook(session, prompt, self.level(), &services).await;
        self.outlook.replace(outlook);
        if session.settings.safety.dry_run {
            self.context.screen.note(&self.text());
        }
        Ok((0..self.calls.len()).map(PlannedRow::send).collect())
    }

    fn label(&self, call: &usize) -> Label {
        Label::of(self.about(*call), None)
    }

    fn question(&self, _rows: &[&usize]) -> Question {
        Question {
            level: self.level(),
            text: self.text(),
            typed: self.services().count().to_string(),
        }
    }

    /// What it did is added to the total.
    async fn apply(&self, call: &usize) -> Result<RowOutcome, CliError> {
        let (request, about) = (self.calls[*call].clone(), self.about(*call));
        let sent = self.context.session.write(request, &about).await?;
        Ok(sent.map_or(RowOutcome::Planned, |answer| {
            self.total.borrow_mut().add(answer.into_inner());
            RowOutcome::Applied(Applied::default())
        }))
    }

    fn record_count(&self, _rows: &[PlannedRow<usize>]) -> usize {
        self.services().count()
    }

    /// A later report of a customer is made after the earlier one, or not at all.
    fn on_error(&self) -> OnError {
        OnError::Stop
    }
}

/// All calls of a sync, checked before the first is sent.
fn requests(body: Body, args: &SyncArgs) -> Result<Vec<SyncServices>, CliError> {
    let module_version = args.module_version.clone().or(body.module_version);
    let mut requests = Vec::new();
    for chunk in chunks(body.services, usize::from(args.chunk)) {
        let mut request = SyncServices::new(chunk);
        request.module_version.clone_from(&module_version);
        let mut problems = secmon::FieldErrors::default();
        request.validate(&mut problems);
        crate::references::targets::refuse(&problems)?;
        requests.push(request);
    }
    Ok(requests)
}

fn read(prompt: &Prompt, args: &SyncArgs) -> Result<Body, CliError> {
    let name = files::name_of(&args.file);
    let text = input::decoded(prompt, &args.file, &name, args.encoding.as_deref())?.text;
    let wrong = |error: serde_json::Error| CliError::usage(format!("{name}: {error}"));
    let body = match text.trim_start().chars().next() {
        Some('[') => Body::of(serde_json::from_str(&text).map_err(wrong)?),
        Some('{') => serde_json::from_str(&text).map_err(wrong)?,
        _ => Body::of(read_csv(&name, &text)?),
    };
    if body.services.is_empty() {
        return Err(CliError::usage(format!(
            "{name} lists no service: nothing was sent"
        )));
    }
    Ok(body)
}

/// What the call itself would carry. A member that it does not have would be passed over, so it is refused.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    module_version: Option<String>,
    services: Vec<ServiceReport>,
}

impl Body {
    fn of(services: Vec<ServiceReport>) -> Self {
        Self {
            module_version: None,
            services,
        }
    }
}

fn read_csv(name: &str, text: &str) -> Result<Vec<ServiceReport>, CliError> {
    const COLUMNS: &str =
        "the columns are service_id, client_id, product_slug and status: `sync --help`";
    let mut records = spreadsheet::records(text, spreadsheet::delimiter("auto", text)?, name)?;
    records.heading.trim();
    let services = records.read_all(name, |_, record| service(record, &records.heading));
    services.map_err(|error| error.hint(COLUMNS))
}

/// One row, judged by itself, so that what is wrong is told of it and not of its place in a call.
fn service(record: &StringRecord, heading: &StringRecord) -> Result<ServiceReport, CliError> {
    const PLACE: &str = "services.0.";
    let mut record = record.clone();
    record.trim();
    let service: ServiceReport = record
        .deserialize(Some(heading))
        .map_err(|error| CliError::usage(reason(&error, heading)))?;
    let mut problems = secmon::FieldErrors::default();
    SyncServices::new(vec![service.clone()]).validate(&mut problems);
    crate::references::targets::refuse(&problems)
        .map_err(|error| CliError::usage(error.message().replace(PLACE, "")))?;
    Ok(service)
}

/// What is wrong with a record, without the reader's own count of records and lines.
fn reason(error: &csv::Error, heading: &StringRecord) -> String {
    match error.kind() {
        csv::ErrorKind::Deserialize { err, .. } => {
            let place = err.field().and_then(|place| usize::try_from(place).ok());
            let column = place.and_then(|place| heading.get(place));
            let column = column.map(|column| format!("{column}: "));
            format!("{}{}", column.unwrap_or_default(), err.kind())
        }
        _ => error.to_string(),
    }
}

/// What the report may pause, of the first customers.
async fn outlook(
    session: &Session,
    prompt: &Prompt,
    danger: ConfirmationLevel,
    services: &[&ServiceReport],
) -> String {
    const NAMED: usize = 10;
    let ends = |service: &&ServiceReport| service.status != SubscriptionStatus::Active;
    let (servers, shares): (Vec<&ServiceReport>, Vec<&ServiceReport>) = services
        .iter()
        .copied()
        .filter(ends)
        .partition(|service| service.product_slug.as_str() == ONE_SERVER);
    let shares: BTreeSet<(CustomerId, &str)> = shares
        .iter()
        .map(|service| (service.client_id, service.product_slug.as_str()))
        .collect();
    let mut text = String::new();
    for (customer, product) in shares.iter().take(NAMED) {
        text +=
            &capacity::outlook(session, prompt, danger, *customer, product, Kept::Unknown).await;
    }
    if shares.len() > NAMED {
        let more = shares.len() - NAMED;
        text += &match more {
            1 => " The limit of one more customer or product is lowered too.".to_owned(),
            more => format!(" The limits of {more} more customers or products are lowered too."),
        };
    }
    if !servers.is_empty() {
        let services = counted(servers.len(), "service");
        let stops = match servers.len() {
            1 => "also stops its server; secmon cannot tell which server that is",
            _ => "also stop their servers; secmon cannot tell which servers these are",
        };
        text += &format!(" {services} of product {ONE_SERVER} {stops}.");
    }
    text
}

/// Services of one customer stay together and in order, so that each customer is settled once.
fn chunks(services: Vec<ServiceReport>, size: usize) -> Vec<Vec<ServiceReport>> {
    let mut customers: BTreeMap<_, Vec<ServiceReport>> = BTreeMap::new();
    for service in services {
        customers
            .entry(service.client_id)
            .or_default()
            .push(service);
    }
    let mut chunks: Vec<Vec<ServiceReport>> = Vec::new();
    for services in customers.into_values() {
        for part in services.chunks(size) {
            match chunks.last_mut() {
                Some(last) if last.len() + part.len() <= size => last.extend_from_slice(part),
                _ => chunks.push(part.to_vec()),
            }
        }
    }
    chunks
}

/// A service that the platform does not know, as it is named in sentences.
fn named(unknown: &UnknownService) -> String {
    match (unknown.service_id(), unknown.client_id()) {
        (Some(service), Some(customer)) => format!("service {service} of customer {customer}"),
        (Some(service), None) => format!("service {service}"),
        (None, _) => unknown.as_value().to_string(),
    }
}

/// What all calls did together; what one of them does not tell is unknown of all.
struct Total {
    changed: Option<u64>,
    unchanged: Option<u64>,
    unknown: Option<Vec<UnknownService>>,
    enforcement: Option<Map<String, Value>>,
    reports: Vec<(CustomerId, CapacityReport)>,
}

impl Default for Total {
    fn default() -> Self {
        Self {
            changed: Some(0),
            unchanged: Some(0),
            unknown: Some(Vec::new()),
            enforcement: Some(Map::new()),
            reports: Vec::new(),
        }
    }
}

impl Total {
    /// What the calls did until one failed.
    fn until_failure(self, calls: Vec<Item>) -> Result<Outcome, CliError> {
        let mut outcome = self.outcome();
        let mut calls = calls.into_iter().enumerate();
        match calls.find_map(|(i, call)| Some((i, call.outcome.error()?.clone()))) {
            Some((0, error)) => return Err(error),
            Some((_, error)) => {
                outcome.deferred_error = Some(error.during(
                    "a later call of the sync; the results of the earlier calls are shown above",
                ));
            }
            None => {}
        }
        Ok(outcome)
    }

    fn add(&mut self, result: SyncResult) {
        let sum = |all: Option<u64>, more: Option<u64>| Some(all? + more?);
        self.changed = sum(self.changed, result.changed);
        self.unchanged = sum(self.unchanged, result.unchanged);
        let unknown = self.unknown.take().zip(result.unknown_services);
        self.unknown = unknown.map(|(mut all, more)| {
            all.extend(more);
            all
        });
        if result.enforcement.is_none() {
            self.enforcement = None;
        }
        for (customer, reports) in result.enforcement.iter().flatten() {
            if let Some(all) = &mut self.enforcement {
                all.insert(customer.to_string(), to_json(reports));
            }
            let reports = reports.iter().cloned();
            self.reports
                .extend(reports.map(|report| (*customer, report)));
        }
    }

    fn outcome(self) -> Outcome {
        let mut text = vec![Block::text(format!(
            "{} changed, {} unchanged, {} unknown to the platform",
            counted_if_told(self.changed, "service"),
            count_or_unknown(self.unchanged),
            count_or_unknown(self.unknown.as_ref().map(|unknown| unknown.len() as u64))
        ))];
        if !self.reports.is_empty() {
            text.push(Block::Rows);
        }
        for unknown in self.unknown.iter().flatten() {
            text.push(Block::text(format!("  unknown: {}", named(unknown))));
        }
        let result = json!({
            "changed": self.changed,
            "unchanged": self.unchanged,
            "unknown_services": self.unknown,
            "enforcement": self.enforcement,
        });
        Outcome::record(result, Table::of(COLUMNS, &self.reports)).tell(text)
    }
}
