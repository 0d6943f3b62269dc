//! `secmon endpoint move`: a server gets another address, or another customer. The new one is made, name, rules and paused
//! state go along, and only then the old one ends. The same command again goes on with what is left.

mod read;
mod send;
mod source;

use self::source::{is_suspended, own_hostname, own_nickname, resource};
use crate::bulk::args::RunArgs;
use crate::bulk::{self, BulkOperation, Label, PlannedRow, Question, RowOutcome, Step};
use crate::commands::common::args::ClientContact;
use crate::commands::common::moving::{DANGER, MOVE_SERVER, MOVED, settled};
use crate::commands::common::views::ports_of;
use crate::commands::lifecycle::{self, Transition};
use crate::commands::rules::existing::ExistingRules;
use crate::commands::rules::wanted_rule::{Place, WantedRule};
use crate::context::Context;
use crate::error::{CliError, Exit};
use crate::references;
use crate::session::current_run::RunKind;
use crate::state::changes::Scope;
use crate::ui::outcome::{Block, Outcome};
use crate::values::durations::counted;
use clap::Args;
use secmon::model::{CustomerId, Endpoint, EndpointStatus, Rule};
use std::cell::{Cell, OnceCell, RefCell};
use std::net::IpAddr;
use std::rc::Rc;

/// The end of the page.
pub const MOVE_EXAMPLES: &str = "\
Examples:
  secmon endpoint move web-1 198.51.100.7             its address has changed
  secmon endpoint move web-1 --customer-to 43         it has got another owner; `domain move` does domains";

/// How it is typed: the address may be left out where the customer is given.
pub const MOVE_USAGE: &str = "\
secmon endpoint move [OPTIONS] <ENDPOINT> <NEW-IP>
       secmon endpoint move [OPTIONS] <ENDPOINT> [NEW-IP] --customer-to <ID>";

/// A server and its new address.
#[derive(Debug, Args)]
pub struct EndpointMoveArgs {
    /// The server: id, IP address, host name or nickname
    pub endpoint: String,
    /// Its new IP address; with --customer-to it may be left out, and stays
    #[arg(value_name = "NEW-IP", required_unless_present = "customer_to")]
    pub address: Option<IpAddr>,
    /// Move it to this customer
    #[arg(long, value_name = "ID", alias = "to-customer")]
    pub customer_to: Option<String>,
    /// Number of the billing service that pays for the server after the move; the old mapping cannot be read, so it is not moved
    #[arg(long, value_name = "ID")]
    pub service: Option<String>,
    /// Who the new customer is, if the service does not know them yet
    #[command(flatten)]
    pub contact: ClientContact,
    /// How the run is made
    #[command(flatten)]
    pub run: RunArgs,
}

/// One call of a move.
enum MoveStep {
    Create,
    Name(String),
    Allow(Box<Rule>),
    Suspend,
    Terminate,
}

/// What moves, as it was read last.
struct MoveSource {
    server: Endpoint,
    from: CustomerId,
    to: CustomerId,
    address: IpAddr,
    rules: Vec<Rule>,
    /// What a person should know before it begins.
    remark: String,
    /// What does not go along.
    left_behind: String,
}

/// A move, and how far it has come.
struct Moving<'a> {
    context: &'a Context,
    args: &'a EndpointMoveArgs,
    source: RefCell<Option<Rc<MoveSource>>>,
    /// The server at its new address, once it is there.
    new: OnceCell<Endpoint>,
    /// Steps between the first and the last that are still to be done.
    missing: Cell<usize>,
    /// Whether the new address was in no list, and was known to the service all the same.
    is_restored: Cell<bool>,
}

/// Runs the command.
pub async fn run(context: &Context, args: &EndpointMoveArgs) -> Result<Outcome, CliError> {
    let moving = Moving {
        context,
        args,
        source: RefCell::default(),
        new: OnceCell::new(),
        missing: Cell::new(0),
        is_restored: Cell::new(false),
    };
    let items = bulk::run_bulk(context, &moving, &args.run).await?;
    let mut outcome = bulk::report(&context.screen, MOVED, &items)?;
    let sentence = match moving.source.borrow().as_ref() {
        None => return Ok(outcome),
        Some(source) if outcome.exit == Exit::Done => moving.sentence(source),
        Some(source) if moving.new.get().is_none() => {
            let server = references::name_of(&source.server);
            format!("Nothing was changed: {server} stays where it is.")
        }
        Some(_) => return Ok(outcome),
    };
    outcome.text.insert(0, Block::text(sentence));
    Ok(outcome)
}

/// What the call that makes the new server is about, where it is remembered.
fn about_new(address: IpAddr, to: CustomerId) -> String {
    format!("server {address} for customer {to}")
}

impl MoveSource {
    fn is_to_another(&self) -> bool {
        self.from != self.to
    }

    /// The old server, with its customer where that tells the two apart.
    fn old_server(&self) -> String {
        let old = &self.server.ip_address;
        match self.is_to_another() {
            true => format!("{old} of customer {}", self.from),
            false => old.to_string(),
        }
    }

    /// The new server, likewise.
    fn new_server(&self) -> String {
        let new = self.address;
        match self.is_to_another() {
            true => format!("{new} for customer {}", self.to),
            false => new.to_string(),
        }
    }
}

impl Moving<'_> {
    /// The steps from what was read to what is wanted.
    async fn steps(&self, source: &MoveSource) -> Result<Vec<PlannedRow<MoveStep>>, CliError> {
        let mut rows = Vec::new();
        let nickname = own_nickname(&source.server);
        let Some(new) = self.new.get() else {
            rows.push(PlannedRow::send(MoveStep::Create));
            if self.is_provisioned(source) {
                rows.extend(nickname.map(|name| PlannedRow::send(MoveStep::Name(name))));
            }
            rows.extend(
                source
                    .rules
                    .iter()
                    .cloned()
                    .map(Box::new)
                    .map(MoveStep::Allow)
                    .map(PlannedRow::send),
            );
            if self.is_provisioned(source) && is_suspended(&source.server) {
                rows.push(PlannedRow::send(MoveStep::Suspend));
            }
            rows.push(self.ending(source));
            return Ok(rows);
        };
        rows.push(settled(
            MoveStep::Create,
            new.id.to_string(),
            "already there",
        ));
        if let Some(name) = nickname.filter(|name| new.nickname.as_ref() != Some(name)) {
            rows.push(PlannedRow::send(MoveStep::Name(name)));
        }
        let wanted: Vec<WantedRule> = source
            .rules
            .iter()
            .map(|rule| WantedRule::like(rule, Place::Server(Box::new(new.clone()))))
            .collect::<Result<_, _>>()?;
        let there = ExistingRules::read(&self.context.session, &wanted).await?;
        for (rule, wanted) in source.rules.iter().zip(&wanted) {
            let made = there
                .at(&wanted.place)
                .iter()
                .find(|there| wanted.is_made(there));
            let step = MoveStep::Allow(Box::new(rule.clone()));
            rows.push(match made {
                Some(made) => settled(step, made.id.to_string(), "already allowed"),
                None => PlannedRow::send(step),
            });
        }
        if is_suspended(&source.server) && new.status == EndpointStatus::Active {
            rows.push(PlannedRow::send(MoveStep::Suspend));
        }
        rows.push(self.ending(source));
        Ok(rows)
    }

    /// Whether the provisioning call makes the new server: it alone maps a service and takes a host name along. The
    /// endpoints call makes one with its nickname and state.
    fn is_provisioned(&self, source: &MoveSource) -> bool {
        self.args.service.is_some() || own_hostname(&source.server).is_some()
    }

    fn ending(&self, source: &MoveSource) -> PlannedRow<MoveStep> {
        let old = resource(&source.server);
        PlannedRow {
            row: MoveStep::Terminate,
            step: lifecycle::send::step(&self.context.session, &old, Transition::Terminate),
        }
    }

    fn sentence(&self, source: &MoveSource) -> String {
        let state = match is_suspended(&source.server) {
            true => "suspended as before",
            false => "monitored",
        };
        let restored = match self.is_restored.get() {
            true => format!(
                " {} was monitored before and has been restored: its old rules may apply again.",
                source.address
            ),
            false => String::new(),
        };
        format!(
            "{} of customer {} is {state} at {}, with {}; {} is terminated.{restored}{}",
            references::handle_of(&source.server),
            source.to,
            source.address,
            counted(source.rules.len(), "rule"),
            source.old_server(),
            source.left_behind
        )
    }
}

impl BulkOperation for Moving<'_> {
    type Row = MoveStep;

    fn kind(&self) -> RunKind {
        RunKind {
            verb: MOVE_SERVER,
            scope: Scope::One,
            customer: None,
        }
    }

    async fn plan(&self) -> Result<Vec<PlannedRow<MoveStep>>, CliError> {
        let source = self.read().await?;
        let rows = match &source {
            Some(source) => self.steps(source).await?,
            None => {
                let id = self.new.get().map(|new| new.id.to_string());
                vec![settled(
                    MoveStep::Terminate,
                    id.unwrap_or_default(),
                    "already moved",
                )]
            }
        };
        let along = |row: &&PlannedRow<MoveStep>| {
            self.stage(&row.row) == 1 && !matches!(row.step, Step::Settled(_))
        };
        self.missing.set(rows.iter().filter(along).count());
        *self.source.borrow_mut() = source.map(Rc::new);
        Ok(rows)
    }

    fn label(&self, step: &MoveStep) -> Label {
        let source = self.source.borrow();
        let Some(source) = source.as_ref() else {
            return Label::of(format!("move {}", self.args.endpoint), None);
        };
        let (new, address) = (source.new_server(), source.address);
        let name = match step {
            MoveStep::Create => format!("provision {new}"),
            MoveStep::Name(name) => format!("name {address} {name}"),
            MoveStep::Allow(rule) => format!("allow {} on {address}", ports_of(rule)),
            MoveStep::Suspend => format!("suspend {address}"),
            MoveStep::Terminate => {
                return Label::of(
                    format!("terminate {}", source.old_server()),
                    Some(source.from),
                );
            }
        };
        Label::of(name, Some(source.to))
    }

    fn question(&self, _rows: &[&MoveStep]) -> Question {
        let source = self.source.borrow();
        let Some(source) = source.as_ref() else {
            return Question::none();
        };
        let mapping = match &self.args.service {
            Some(service) => format!(
                ", and map {} to billing service {service}",
                source.new_server()
            ),
            None => ". Its mapping to a billing service is not moved: give the new one with --service ID"
                .to_owned(),
        };
        let and = match &self.args.service {
            Some(_) => "",
            None => "and ",
        };
        let whither = match (source.is_to_another(), self.args.address) {
            (true, None) => format!("customer {}", source.to),
            (true, Some(address)) => format!("{address} and to customer {}", source.to),
            (false, _) => source.address.to_string(),
        };
        let text = format!(
            "About to move {} of customer {} to {whither}: provision {}, take its name and {} along{}, {and}terminate {}{mapping}.{}{}",
            references::name_of(&source.server),
            source.from,
            source.new_server(),
            counted(source.rules.len(), "rule"),
            match is_suspended(&source.server) {
                true => ", suspend it there too",
                false => "",
            },
            source.old_server(),
            source.left_behind,
            source.remark
        );
        Question {
            level: DANGER,
            text,
            typed: references::handle_of(&source.server),
        }
    }

    async fn apply(&self, step: &MoveStep) -> Result<RowOutcome, CliError> {
        let Some(source) = self.source.borrow().clone() else {
            return Ok(RowOutcome::Planned);
        };
        let outcome = match step {
            MoveStep::Create => self.create(&source).await,
            MoveStep::Name(name) => self.name(&source, name).await,
            MoveStep::Allow(rule) => self.allow(rule).await,
            MoveStep::Suspend => self.change(self.new_server()?, Transition::Suspend).await,
            MoveStep::Terminate => self.terminate(&source).await,
        }?;
        if self.stage(step) == 1 {
            self.missing.update(|missing| missing.saturating_sub(1));
        }
        Ok(outcome)
    }

    fn stage(&self, step: &MoveStep) -> u8 {
        match step {
            MoveStep::Create => 0,
            MoveStep::Name(_) | MoveStep::Allow(_) | MoveStep::Suspend => 1,
            MoveStep::Terminate => 2,
        }
    }
}
