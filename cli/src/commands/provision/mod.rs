//! `secmon provision`: one server or domain, several, or a whole file.

pub mod args;
mod plan;
pub mod sending;
pub mod single;
mod waiting;

use self::args::ProvisionArgs;
use self::plan::KnownTargets;
use self::waiting::Provisioned;
use crate::bulk::args::OnError;
use crate::bulk::{
    self, Applied, BulkOperation, FileOptions, Item, Label, PlannedRow, Question, REPORT,
    ReportFile, Row, RowOutcome, VerbLabels, input,
};
use crate::commands::common::args::WaitArgs;
use crate::commands::common::overwriting::{self, Written};
use crate::commands::common::{new_customer, other_owners, unreachable};
use crate::commands::domain::provision as domain;
use crate::context::Context;
use crate::error::CliError;
use crate::machine::files;
use crate::references::targets::{self, BareNames, Defaults, RowFields, Target};
use crate::session::current_run::RunKind;
use crate::session::prompt::Prompt;
use crate::session::rate_limit::INTERACTIVE_RESERVE;
use crate::state::changes::Scope;
use crate::ui::invocation::quoted;
use crate::ui::outcome::Outcome;
use crate::values::durations;
use csv::StringRecord;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::Path;

const OPERATION: &str = "provision";
const LABELS: VerbLabels = VerbLabels {
    done: "provisioned",
    skipped: "already there",
};

/// Runs the command.
pub async fn run(context: &Context, args: ProvisionArgs) -> Result<Outcome, CliError> {
    if args.template {
        return Ok(Outcome::text(input::template()));
    }
    // A length that cannot be read is told before anything is sent.
    durations::length("--wait-timeout", &args.wait.wait_timeout)?;
    if let Some(path) = &args.file {
        return from_file(context, path, &args).await;
    }
    let mut targets = from_arguments(context, &args)?;
    match targets.len() {
        1 => single::run(context, &targets.remove(0), &args).await,
        _ => several(context, targets, &args).await,
    }
}

async fn from_file(
    context: &Context,
    path: &Path,
    args: &ProvisionArgs,
) -> Result<Outcome, CliError> {
    refuse_beside_file(args)?;
    let options = FileOptions {
        map: &args.map,
        delimiter: &args.delimiter,
        encoding: args.encoding.as_deref(),
    };
    let defaults = Defaults {
        customer: context.session.settings.customer,
        bare_names: bare_names(args),
        service: args.service.as_deref().filter(|_| args.domain),
    };
    let sheet = input::read(context, path, &options, &defaults)?;
    let wanted = args
        .report
        .as_ref()
        .filter(|_| !context.session.settings.safety.dry_run);
    if let Some(report) = wanted {
        files::refuse_input(REPORT, report, &[path])?;
        let written = Written {
            option: REPORT,
            path: report,
            what: "report of an earlier run",
            is_one: ReportFile::is_one,
        };
        overwriting::agree(context, &written)?;
    }
    let report = wanted.map(|path| ReportFile::create(path, &sheet));
    send_rows(context, &sheet.rows, args, report.transpose()?).await
}

/// A file says per row what these options say for one server.
fn refuse_beside_file(args: &ProvisionArgs) -> Result<(), CliError> {
    let columns = [
        ("TARGET", !args.targets.is_empty()),
        ("--ip-address", !args.ip_address.is_empty()),
        ("--nickname", args.nickname.is_some()),
        ("--hostname", args.hostname.is_some()),
        ("--service", args.service.is_some() && !args.domain),
        ("--product", args.product.is_some()),
        ("--plan", args.plan.is_some()),
        ("--mrr", args.mrr.is_some()),
        ("--client-name", args.contact.client_name.is_some()),
        ("--client-email", args.contact.client_email.is_some()),
    ];
    match columns.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(CliError::usage(format!(
            "{option} cannot be used with --file: put it into the file as a column"
        ))),
        None => Ok(()),
    }
}

fn from_arguments(context: &Context, args: &ProvisionArgs) -> Result<Vec<Target>, CliError> {
    let names = args.targets.iter().chain(&args.ip_address);
    // As in a list that was copied: 203.0.113.1, 203.0.113.2
    let names: Vec<&str> = names.map(|name| name.trim_end_matches(',')).collect();
    if names.is_empty() {
        return Err(CliError::usage(
            "no target given: give the IP addresses of servers, or a file with -f",
        )
        .hint("see how: `provision --help`"));
    }
    if let Some(file) = names
        .iter()
        .find(|name| name.ends_with(".csv") || Path::new(name).is_file())
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
    let customer = context.customer()?;
    let mut asked_service = None;
    let mut targets = Vec::new();
    for name in names {
        let mut fields = fields(name, args);
        let bare_names = asked_bare_names(&context.prompt, &fields.target, bare_names(args))?;
        if targets::is_domain(&fields.target, bare_names) && fields.service_id.is_empty() {
            let service = match asked_service {
                Some(service) => Ok(service),
                None => domain::service_for(context, None, customer),
            };
            let activity = format!("provisioning the domain {}", fields.target);
            let service = service.map_err(|error| error.during(activity))?;
            fields.service_id = asked_service.insert(service).to_string();
        }
        let defaults = Defaults {
            customer: Some(customer),
            bare_names,
            service: None,
        };
        targets.push(Target::from_fields(&fields, &defaults)?);
    }
    Ok(targets)
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

/// What a bare name is, where the options do not say it and a person can be asked.
fn asked_bare_names(prompt: &Prompt, target: &str, said: BareNames) -> Result<BareNames, CliError> {
    let is_open = said == BareNames::Unclear && targets::is_bare_name(target);
    if !is_open || !prompt.may_ask() {
        return Ok(said);
    }
    let options = [
        "a server: its address is looked up, and its ports are scanned".to_owned(),
        "a domain: leaked credentials and mentions of it are watched".to_owned(),
    ];
    let chosen = prompt.choose(&format!("{target} is"), &options)?;
    Ok(match chosen {
        0 => BareNames::Servers,
        _ => BareNames::Domains,
    })
}

fn bare_names(args: &ProvisionArgs) -> BareNames {
    match (args.server, args.domain) {
        (true, _) => BareNames::Servers,
        (false, true) => BareNames::Domains,
        (false, false) => BareNames::Unclear,
    }
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
            cells: StringRecord::new(),
        })
        .collect();
    send_rows(context, &rows, args, None).await
}

async fn send_rows(
    context: &Context,
    rows: &[Row],
    args: &ProvisionArgs,
    report: Option<ReportFile>,
) -> Result<Outcome, CliError> {
    let places = rows.iter().filter_map(|row| row.target.place());
    unreachable::tell(context, places.clone());
    let domains: Vec<_> = rows.iter().filter_map(|row| row.target.watched()).collect();
    other_owners::tell_of_domains(&context.session, &context.screen, &domains);
    other_owners::confirm(context, places).await?;
    let provisioning = Provisioning {
        context,
        rows,
        args,
        known: RefCell::default(),
        customers_agreed: Cell::new(false),
        halves: RefCell::default(),
        report: RefCell::new(report),
    };
    let items = bulk::run_bulk(context, &provisioning, &args.run).await?;
    finish(context, rows, &items, &args.wait).await
}

/// Rows that are provisioned.
struct Provisioning<'a> {
    context: &'a Context,
    rows: &'a [Row],
    args: &'a ProvisionArgs,
    /// What was there when the plan was made.
    known: RefCell<KnownTargets>,
    /// Whether customers of whom nothing is known were agreed to.
    customers_agreed: Cell<bool>,
    /// What is done of rows that need two calls, until the second has ended.
    halves: RefCell<HashMap<u64, RowOutcome>>,
    /// Where each row is reported as it ends.
    report: RefCell<Option<ReportFile>>,
}

impl<'a> BulkOperation for Provisioning<'a> {
    type Row = &'a Row;

    fn kind(&self) -> RunKind {
        let scope = match self.args.file {
            Some(_) => Scope::File,
            None => Scope::Named,
        };
        RunKind {
            verb: OPERATION,
            scope,
            customer: None,
        }
    }

    async fn plan(&self) -> Result<Vec<PlannedRow<&'a Row>>, CliError> {
        let context = self.context;
        let known = KnownTargets::read(context, self.rows).await?;
        let customers = self.rows.iter().map(|row| row.target.customer()).collect();
        let served = known.customers();
        if !self.customers_agreed.get() {
            new_customer::agree_to_all(context, &customers, &served, &self.args.contact).await?;
            self.customers_agreed.set(true);
        }
        let left_to_people = match self.args.run.use_whole_window {
            true => 0,
            false => INTERACTIVE_RESERVE,
        };
        plan::announce(context, self.rows, &known, left_to_people);
        let planned =
            self.rows
                .iter()
                .map(|row| match known.settled(&context.session, &row.target) {
                    Some(outcome) => PlannedRow::settled(row, outcome),
                    None => PlannedRow::send(row),
                });
        let planned = planned.collect();
        self.known.replace(known);
        Ok(planned)
    }

    fn label(&self, row: &&Row) -> Label {
        Label {
            row: row.line,
            name: row.target.name().to_owned(),
            customer: Some(row.target.customer()),
        }
    }

    fn question(&self, _rows: &[&&Row]) -> Question {
        Question::none()
    }

    fn on_error(&self) -> OnError {
        self.args.on_error
    }

    fn on_result(&self, row: &&Row, outcome: &RowOutcome) {
        let mut report = self.report.borrow_mut();
        let written = report
            .as_mut()
            .map_or(Ok(()), |report| report.add(row, outcome));
        if let Err(error) = written {
            let warning = format!("warning: {}", error.message());
            self.context.screen.note(&warning);
        }
    }

    fn unfinished(&self, row: &&Row) -> Option<RowOutcome> {
        self.halves.borrow_mut().remove(&row.line?)
    }

    async fn apply(&self, row: &&Row) -> Result<RowOutcome, CliError> {
        let session = &self.context.session;
        let there = self.known.borrow().named(&row.target).cloned();
        if let (Target::Server(server), Some(endpoint)) = (&row.target, there) {
            return sending::rename(session, server, &endpoint).await;
        }
        let presence = self.known.borrow().presence(&row.target);
        let halfway = |applied: Applied| {
            if let Some(line) = row.line {
                self.halves.borrow_mut().insert(line, applied.made());
            }
        };
        sending::send(session, &row.target, presence, halfway).await
    }
}

/// Tells what became of the targets; where asked to, waits for the first scans.
async fn finish(
    context: &Context,
    rows: &[Row],
    items: &[Item],
    args: &WaitArgs,
) -> Result<Outcome, CliError> {
    let mut outcome = bulk::report_named(&context.screen, LABELS, items)?;
    if args.wait && context.session.check_interrupted().is_ok() {
        let length = durations::length("--wait-timeout", &args.wait_timeout)?;
        let targets = rows.iter().map(|row| &row.target).zip(items);
        let made = Provisioned::of(targets);
        outcome.deferred_error = waiting::all(context, &made, length, &mut outcome)
            .await
            .err();
    }
    Ok(outcome)
}
