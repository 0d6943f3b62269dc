//! `secmon domain move`: a domain gets another customer. It is watched for the new one, and only then the old record ends.
//! The same command again goes on with what is left.

use super::provision::{self, Presence};
use crate::bulk::args::RunArgs;
use crate::bulk::{self, BulkOperation, Label, PlannedRow, Question, RowOutcome, Step};
use crate::commands::common::args::ClientContact;
use crate::commands::common::moving::{DANGER, MOVE_DOMAIN, MOVED, settled, waits};
use crate::commands::common::new_customer;
use crate::commands::common::usage::Usage;
use crate::commands::lifecycle::{Resource, Transition, send};
use crate::context::Context;
use crate::error::{CliError, Exit};
use crate::references::{self, DomainRef, FoundDomain};
use crate::session::current_run::RunKind;
use crate::session::settings;
use crate::state::StateDb;
use crate::state::changes::Scope;
use crate::ui::outcome::{Block, Outcome};
use crate::values::domain_names;
use clap::Args;
use secmon::model::{CustomerId, DomainId, DomainStatus, ServiceId};
use secmon::operations::{ListDomains, ProvisionDomain};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use uuid::Uuid;

/// A domain and its new customer.
#[derive(Debug, Args)]
pub struct DomainMoveArgs {
    /// The domain: name or id
    pub domain: String,
    /// Move it to this customer
    #[arg(long, value_name = "ID", alias = "to-customer")]
    pub customer_to: String,
    /// Number of the new customer's billing service that pays for the slot
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MoveStep {
    Provision,
    Suspend,
    Terminate,
}

/// What moves, as it was read last.
struct MoveSource {
    old: DomainRef,
    /// The new customer's domain of this name, where there is one.
    new: Option<DomainRef>,
    /// What a person should know before it begins.
    remark: String,
}

/// What a move finds.
enum Found {
    /// The domain is there, to be moved.
    There(Box<MoveSource>),
    /// It was moved before; the new record.
    Moved(DomainId),
}

/// A move, and how far it has come.
struct Moving<'a> {
    context: &'a Context,
    args: &'a DomainMoveArgs,
    to: CustomerId,
    service: ServiceId,
    source: RefCell<Option<Rc<MoveSource>>>,
    /// Whether the new record is still to be suspended.
    is_to_be_suspended: Cell<bool>,
}

/// Runs the command.
pub async fn run(context: &Context, args: &DomainMoveArgs) -> Result<Outcome, CliError> {
    let to = settings::parse_customer("--customer-to", &args.customer_to)?;
    let service = provision::service_for(context, args.service.as_deref(), to)?;
    let from = references::customer_of_domains(context, std::slice::from_ref(&args.domain))?;
    if to == from {
        return Err(CliError::usage(format!(
            "{} already belongs to customer {to}: give another customer",
            args.domain
        )));
    }
    let moving = Moving {
        context,
        args,
        to,
        service,
        source: RefCell::default(),
        is_to_be_suspended: Cell::new(false),
    };
    let items = bulk::run_bulk(context, &moving, &args.run).await?;
    let mut outcome = bulk::report(&context.screen, MOVED, &items)?;
    if let Some(source) = moving.source.borrow().as_ref()
        && outcome.exit == Exit::Done
    {
        let sentence = moving.sentence(source);
        outcome.text.insert(0, Block::text(sentence));
    }
    Ok(outcome)
}

/// What somebody has suspended stays so; what the platform has paused, it decides anew.
fn is_suspended(domain: &DomainRef) -> bool {
    let listed = domain.listed.as_ref();
    listed.is_some_and(|domain| {
        domain.status == DomainStatus::Paused && domain.quota_paused != Some(true)
    })
}

impl Moving<'_> {
    fn request(&self, name: &str) -> ProvisionDomain {
        let contact = &self.args.contact;
        let mut request = ProvisionDomain::new(self.to, name, self.service);
        request.client_name.clone_from(&contact.client_name);
        request.client_email.clone_from(&contact.client_email);
        request
    }

    /// The domain as it is, and the new customer's of this name.
    async fn read(&self) -> Result<Found, CliError> {
        let name = std::slice::from_ref(&self.args.domain);
        let old = match references::domain_targets(self.context, name).await?.pop() {
            Some(FoundDomain::There(domain)) if domain.listed.is_some() => *domain,
            Some(FoundDomain::There(domain)) => {
                let error = CliError::not_found(format!("{} has ended", domain.name));
                return self
                    .moved_before(Some(domain.id), &domain.name, error)
                    .await;
            }
            Some(FoundDomain::Absent { id, error }) => {
                let name = domain_names::normalized(&self.args.domain);
                return self.moved_before(id, &name, error).await;
            }
            None => {
                let what = format!("no domain {}", self.args.domain);
                return Err(CliError::not_found(what));
            }
        };
        let overview = self.context.session.read(ListDomains::new(self.to)).await?;
        let usage = Usage::of_domains(&overview);
        let listed = references::listed_domains(overview, self.to)?;
        references::learn_domains(&self.context.session, self.to, &listed);
        let new = listed.into_iter().find(|domain| domain.domain == old.name);
        let to = self.to;
        let remark = match (&new, usage.used, usage.capacity) {
            (Some(_), ..) => format!(" Customer {to} has this domain already."),
            (None, Some(used), Some(capacity)) if used >= capacity => format!(
                " Customer {to} has no free slot ({used} of {capacity} in use): the service will probably refuse, and nothing will change."
            ),
            _ => String::new(),
        };
        if new.is_none() {
            new_customer::agree(self.context, to, &self.args.contact).await?;
        }
        Ok(Found::There(Box::new(MoveSource {
            old,
            new: new.map(|domain| DomainRef::listed(to, domain)),
            remark,
        })))
    }

    /// A domain that this computer has ended, where the new customer has it now, has moved.
    async fn moved_before(
        &self,
        id: Option<DomainId>,
        name: &str,
        error: CliError,
    ) -> Result<Found, CliError> {
        let state = self.context.session.state();
        let has_ended = |state: &StateDb, id: DomainId| state.ended_from_here(&id.to_string());
        if id.and_then(|id| has_ended(state?, id)).is_none() {
            return Err(error);
        }
        match self.new_record(name).await? {
            Some(new) => Ok(Found::Moved(new.id)),
            None => Err(error),
        }
    }

    /// The new customer's domain of this name.
    async fn new_record(&self, name: &str) -> Result<Option<DomainRef>, CliError> {
        let listed = references::all_domains(&self.context.session, self.to).await?;
        Ok(listed.into_iter().find(|domain| domain.name == name))
    }

    /// Whether an unfinished move from this computer has made it.
    fn is_ours(&self, new: &DomainRef) -> bool {
        let about = provision::about(&self.request(&new.name));
        let state = self.context.session.state();
        state
            .is_some_and(|state| state.made_by_unfinished(MOVE_DOMAIN, &new.id.to_string(), &about))
    }

    /// The steps from what was read to what is wanted.
    fn steps(&self, source: &MoveSource) -> Vec<PlannedRow<MoveStep>> {
        let first = match &source.new {
            None => PlannedRow::send(MoveStep::Provision),
            Some(new) => settled(MoveStep::Provision, new.id.to_string(), "already monitored"),
        };
        let mut rows = vec![first];
        // What the new customer had before stays as it was.
        let may_suspend = match &source.new {
            None => true,
            Some(new) => !is_suspended(new) && self.is_ours(new),
        };
        if is_suspended(&source.old) && may_suspend {
            rows.push(PlannedRow::send(MoveStep::Suspend));
        }
        let old = Resource::Domain(Box::new(source.old.clone()));
        rows.push(PlannedRow {
            row: MoveStep::Terminate,
            step: send::step(&self.context.session, &old, Transition::Terminate),
        });
        rows
    }

    fn sentence(&self, source: &MoveSource) -> String {
        let (name, from, to) = (&source.old.name, source.old.customer, self.to);
        format!(
            "{name} is monitored for customer {to}; the record of customer {from} is terminated and keeps its alerts. Its slot is free, and its subscription goes on."
        )
    }

    async fn suspend(&self, source: &MoveSource) -> Result<RowOutcome, CliError> {
        let new = match self.context.session.settings.safety.dry_run {
            // What is not there yet has no id.
            true => DomainRef {
                id: Uuid::nil().into(),
                customer: self.to,
                ..source.old.clone()
            },
            false => self.made(source).await?,
        };
        let new = Resource::Domain(Box::new(new));
        let outcome = send::apply(&self.context.session, &new, Transition::Suspend).await?;
        self.is_to_be_suspended.set(false);
        Ok(outcome)
    }

    /// The old record ends only once the service lists the new one.
    async fn terminate(&self, source: &MoveSource) -> Result<RowOutcome, CliError> {
        if !self.context.session.settings.safety.dry_run {
            self.made(source).await?;
            if self.is_to_be_suspended.get() {
                return Err(waits("the new record is not suspended yet"));
            }
        }
        let old = Resource::Domain(Box::new(source.old.clone()));
        send::apply(&self.context.session, &old, Transition::Terminate).await
    }

    async fn made(&self, source: &MoveSource) -> Result<DomainRef, CliError> {
        let name = &source.old.name;
        self.new_record(name).await?.ok_or_else(|| {
            waits(&format!(
                "the service lists no domain {name} of customer {}",
                self.to
            ))
        })
    }
}

impl BulkOperation for Moving<'_> {
    type Row = MoveStep;

    fn kind(&self) -> RunKind {
        RunKind {
            verb: MOVE_DOMAIN,
            scope: Scope::One,
            customer: None,
        }
    }

    async fn plan(&self) -> Result<Vec<PlannedRow<MoveStep>>, CliError> {
        let (source, rows) = match self.read().await? {
            Found::There(source) => {
                let rows = self.steps(&source);
                (Some(Rc::from(source)), rows)
            }
            Found::Moved(new) => {
                let row = settled(MoveStep::Terminate, new.to_string(), "already moved");
                (None, vec![row])
            }
        };
        let is_sent = |row: &PlannedRow<MoveStep>| {
            row.row == MoveStep::Suspend && !matches!(row.step, Step::Settled(_))
        };
        self.is_to_be_suspended.set(rows.iter().any(is_sent));
        *self.source.borrow_mut() = source;
        Ok(rows)
    }

    fn label(&self, step: &MoveStep) -> Label {
        let source = self.source.borrow();
        let source = source.as_ref().map(|source| &source.old);
        let name = source.map_or(self.args.domain.as_str(), |old| old.name.as_str());
        let to = Some(self.to);
        match step {
            MoveStep::Provision => {
                Label::of(format!("provision {name} for customer {}", self.to), to)
            }
            MoveStep::Suspend => Label::of(format!("suspend {name} of customer {}", self.to), to),
            MoveStep::Terminate => {
                let whose =
                    source.map_or_else(String::new, |old| format!(" of customer {}", old.customer));
                Label::of(
                    format!("terminate {name}{whose}"),
                    source.map(|old| old.customer),
                )
            }
        }
    }

    fn question(&self, _rows: &[&MoveStep]) -> Question {
        let source = self.source.borrow();
        let Some(source) = source.as_ref() else {
            return Question::none();
        };
        let (name, from, to) = (&source.old.name, source.old.customer, self.to);
        let suspended = match self.is_to_be_suspended.get() {
            true => ", suspend it there too",
            false => "",
        };
        let text = format!(
            "About to move {name} of customer {from} to customer {to}: provision it for {to} with a slot of service {}{suspended}, and terminate the record of {from}, which keeps its alerts and history.{}",
            self.service, source.remark
        );
        Question {
            level: DANGER,
            text,
            typed: name.clone(),
        }
    }

    async fn apply(&self, step: &MoveStep) -> Result<RowOutcome, CliError> {
        let Some(source) = self.source.borrow().clone() else {
            return Ok(RowOutcome::Planned);
        };
        match step {
            MoveStep::Provision => {
                let request = self.request(&source.old.name);
                provision::send(&self.context.session, &request, Presence::Absent).await
            }
            MoveStep::Suspend => self.suspend(&source).await,
            MoveStep::Terminate => self.terminate(&source).await,
        }
    }

    fn stage(&self, step: &MoveStep) -> u8 {
        match step {
            MoveStep::Provision => 0,
            MoveStep::Suspend => 1,
            MoveStep::Terminate => 2,
        }
    }
}
