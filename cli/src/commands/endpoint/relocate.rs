//! `secmon endpoint move`: a server gets another address, or another customer. The new one is made, name, rules and paused
//! state go along, and only then the old one ends. The same command again goes on with what is left.

use super::move_source::{is_suspended, made_by_move, own_hostname, own_nickname, resource};
use crate::bulk::args::RunArgs;
use crate::bulk::{
    self, Applied, BulkOperation, Created, Label, PlannedRow, Question, RowOutcome, Step,
    VerbLabels,
};
use crate::commands::common::other_owners;
use crate::commands::common::usage::Usage;
use crate::commands::common::views::ports_of;
use crate::commands::domain::provision;
use crate::commands::lifecycle::{Transition, send};
use crate::commands::rules::create::{self, Existing, Place, RulesThere, Wanted};
use crate::context::Context;
use crate::error::{CliError, Exit, LocalErrorKind};
use crate::references::{self, FoundServer, PrefixPolicy, Reference, ServerTarget};
use crate::session::batch::RunKind;
use crate::session::calls::PlannedChange;
use crate::session::prompt::ConfirmationLevel;
use crate::session::settings;
use crate::state::StateDb;
use crate::state::changes::Scope;
use crate::state::records::{Observation, Server};
use crate::ui::outcome::{Block, Outcome, to_json};
use crate::values::durations::counted;
use clap::Args;
use secmon::Response;
use secmon::model::{Address, CustomerId, Endpoint, EndpointStatus, Rule, RuleScope, RuleStatus};
use secmon::operations::{CreateEndpoint, ListEndpoints, ProvisionEndpoint, UpdateEndpoint};
use std::cell::{Cell, OnceCell, RefCell};
use std::net::IpAddr;
use std::rc::Rc;
use uuid::Uuid;

/// A server and its new address.
#[derive(Debug, Args)]
pub struct EndpointMoveArgs {
    /// The server: id, IP address, host name or nickname
    pub endpoint: String,
    /// Its new IP address; the same one with --customer-to
    #[arg(value_name = "NEW-IP")]
    pub address: IpAddr,
    /// Move it to this customer
    #[arg(long, value_name = "ID")]
    pub customer_to: Option<String>,
    /// Number of the billing service that pays for it from then on; the old mapping cannot be read and does not go along
    #[arg(long, value_name = "ID")]
    pub service: Option<String>,
    /// How the run is made
    #[command(flatten)]
    pub run: RunArgs,
}

/// How the run is remembered.
const VERB: &str = "endpoint_move";
const DANGER: ConfirmationLevel = ConfirmationLevel::Moderate;
const MOVED: VerbLabels = VerbLabels {
    done: "done",
    skipped: "already so",
};

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
    rules: Vec<Rule>,
    /// What a person should know before it begins.
    remark: String,
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

impl Moving<'_> {
    /// The server as it is, and the one at the new address where there is one.
    async fn read(&self) -> Result<Option<MoveSource>, CliError> {
        let name = std::slice::from_ref(&self.args.endpoint);
        let mut found = match self.named_but_new().await? {
            Some(server) => vec![FoundServer::There(Box::new(ServerTarget::from(server)))],
            None => references::server_targets(self.context, name, PrefixPolicy::Accepted).await?,
        };
        let server = match found.pop() {
            Some(FoundServer::There(found)) => match found.listed {
                Some(server) => server,
                None => {
                    let error = CliError::not_found(format!("no server {}", found.id));
                    return self.moved_before(Some(found.id.into()), error).await;
                }
            },
            Some(FoundServer::Absent { id, error }) => {
                return self.moved_before(id.map(Uuid::from), error).await;
            }
            None => return Ok(None),
        };
        let from = references::owner(self.context, &server)?;
        let to = match &self.args.customer_to {
            Some(number) => settings::parse_customer("--customer-to", number)?,
            None => from,
        };
        if server.ip_address == Address::from(self.args.address) && to == from {
            let (id, about) = (server.id.to_string(), self.about_new(to));
            let state = self.context.session.state();
            // The name that was typed has gone along to the new server, and the old one has ended.
            let is_moved = |state: &StateDb| {
                state.made_by_unfinished(VERB, &id, &about) || made_by_move(state, &id, &about)
            };
            if state.is_some_and(is_moved) {
                self.new.get_or_init(|| server);
                return Ok(None);
            }
            return Err(CliError::usage(format!(
                "{} has this address already: give the new one",
                references::name_of(&server)
            )));
        }
        let rules = references::all_rules(&self.context.session, |list| {
            list.endpoint_id = Some(server.id);
            list.scope = Some(RuleScope::Endpoint);
            list.status = Some(RuleStatus::Active);
        })
        .await?;
        let remark = self.look_at_new(&server, from, to).await?;
        Ok(Some(MoveSource {
            server,
            from,
            to,
            rules,
            remark,
        }))
    }

    /// An unfinished move has given its name to the new server, too: of the two, the old one is meant.
    async fn named_but_new(&self) -> Result<Option<Endpoint>, CliError> {
        let session = &self.context.session;
        let reference = Reference::parse(&self.args.endpoint)?;
        if reference.id.is_some() {
            return Ok(None);
        }
        let listed = references::all_endpoints(session, session.settings.customer).await?;
        let fit = reference.fit(&listed);
        let address = Address::from(self.args.address);
        let (new, old): (Vec<&Endpoint>, Vec<&Endpoint>) = fit
            .servers
            .into_iter()
            .partition(|server| server.ip_address == address);
        Ok(match (new.as_slice(), old.as_slice()) {
            ([_], [old]) => Some((*old).clone()),
            _ => None,
        })
    }

    /// A server that this computer has ended, where it is at its new address now, has moved.
    async fn moved_before(
        &self,
        id: Option<Uuid>,
        error: CliError,
    ) -> Result<Option<MoveSource>, CliError> {
        let session = &self.context.session;
        let state = session.state();
        let ended = id.and_then(|id| state?.ended_from_here(&id.to_string()));
        let customer = match (&self.args.customer_to, session.settings.customer) {
            (Some(number), _) => Some(settings::parse_customer("--customer-to", number)?),
            (None, customer) => customer,
        };
        if ended.is_none() {
            return Err(error);
        }
        let servers = references::all_endpoints(session, customer).await?;
        let address = Address::from(self.args.address);
        match servers
            .into_iter()
            .find(|server| server.ip_address == address)
        {
            Some(new) => {
                self.new.get_or_init(|| new);
                Ok(None)
            }
            None => Err(error),
        }
    }

    /// A server that stands at the new address is gone on with where an unfinished move of this computer has made it;
    /// else a person is asked. Gives what is said before the question.
    async fn look_at_new(
        &self,
        server: &Endpoint,
        from: CustomerId,
        to: CustomerId,
    ) -> Result<String, CliError> {
        let session = &self.context.session;
        let servers = references::all_endpoints(session, Some(to)).await?;
        let address = Address::from(self.args.address);
        let Some(there) = servers.into_iter().find(|one| one.ip_address == address) else {
            if address != server.ip_address {
                let name = self.args.address.to_string();
                let place = (name.as_str(), self.args.address, to);
                other_owners::confirm(self.context, Some(place)).await?;
            }
            return self.want_of_room(from, to).await;
        };
        let state = session.state();
        let is_ours = state.is_some_and(|state| {
            state.made_by_unfinished(VERB, &there.id.to_string(), &self.about_new(to))
        });
        let remark = match (is_ours, self.context.prompt.may_ask()) {
            (true, _) => String::new(),
            (false, true) => format!(
                " {} is a server of customer {to} already, and gets this one's name and rules.",
                references::name_of(&there)
            ),
            (false, false) => {
                return Err(CliError::usage(format!(
                    "{} is a server of customer {to} already: {}",
                    self.args.address,
                    references::name_of(&there)
                ))
                .hint(format!(
                    "look at it: `endpoint show {}`; to give it this one's name and rules, run the same line in a terminal, where it is asked about",
                    there.id
                )));
            }
        };
        self.new.get_or_init(|| there);
        Ok(remark)
    }

    /// Until the old server ends there are both, which a full plan does not allow. What cannot be read keeps nobody from
    /// being asked.
    async fn want_of_room(&self, from: CustomerId, to: CustomerId) -> Result<String, CliError> {
        if from != to || !self.context.prompt.shows_preview(DANGER) {
            return Ok(String::new());
        }
        let list = ListEndpoints::new(to).per_page(1);
        let Ok(page) = self.context.session.read(list).await else {
            return Ok(String::new());
        };
        let usage = Usage::of_servers(&page.meta);
        Ok(match (usage.used, usage.capacity) {
            (Some(used), Some(capacity)) if used >= capacity => format!(
                " The plan is full ({used} of {capacity} servers): the service is likely to refuse the new server, and then nothing changes."
            ),
            _ => String::new(),
        })
    }

    /// The steps from what was read to what is wanted.
    async fn steps(&self, source: &MoveSource) -> Result<Vec<PlannedRow<MoveStep>>, CliError> {
        let mut rows = Vec::new();
        let nickname = own_nickname(&source.server);
        let Some(new) = self.new.get() else {
            rows.push(PlannedRow::send(MoveStep::Create));
            // The endpoints call makes it with its name and state; only the provisioning call maps a service.
            if self.args.service.is_some() {
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
            if self.args.service.is_some() && is_suspended(&source.server) {
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
        let wanted: Vec<Wanted> = source
            .rules
            .iter()
            .map(|rule| Wanted::like(rule, Place::Server(Box::new(new.clone()))))
            .collect::<Result<_, _>>()?;
        let there = RulesThere::read(&self.context.session, &wanted).await?;
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

    fn about_new(&self, to: CustomerId) -> String {
        format!("server {} for customer {to}", self.args.address)
    }

    fn ending(&self, source: &MoveSource) -> PlannedRow<MoveStep> {
        let old = resource(&source.server);
        PlannedRow {
            row: MoveStep::Terminate,
            step: send::step(&self.context.session, &old, Transition::Terminate),
        }
    }

    fn sentence(&self, source: &MoveSource) -> String {
        let state = match is_suspended(&source.server) {
            true => "suspended as before",
            false => "monitored",
        };
        let restored = match self.is_restored.get() {
            true => format!(
                " {} was known before and is restored: rules that it had then may count again.",
                self.args.address
            ),
            false => String::new(),
        };
        format!(
            "{} of customer {} is {state} at {}, with {}; {} is terminated.{restored}",
            references::handle_of(&source.server),
            source.to,
            self.args.address,
            counted(source.rules.len(), "rule"),
            source.server.ip_address
        )
    }

    async fn create(&self, source: &MoveSource) -> Result<RowOutcome, CliError> {
        let session = &self.context.session;
        let (address, to) = (self.args.address, source.to);
        let about = PlannedChange::new(self.about_new(to)).was_absent();
        let named = own_nickname(&source.server);
        let mut new = source.server.clone();
        new.ip_address = address.into();
        new.billing_customer_id = Some(to);
        let outcome = match &self.args.service {
            Some(service) => {
                let mut request = ProvisionEndpoint::new(to);
                request.ip_address = Some(address.into());
                request.service_id = Some(provision::service(&self.context.prompt, Some(service))?);
                request.hostname = own_hostname(&source.server);
                let answered = session.change(request, about).await?;
                answered.map(|answered| {
                    let id = answered.response.data.endpoint_id;
                    self.note_restored(&answered.response);
                    let created = Created::by(&answered.response);
                    let sentence = format!("Server {address} is monitored for customer {to}.");
                    (
                        id,
                        Applied {
                            created,
                            ..Applied::answered(id, &answered.response, sentence)
                        },
                    )
                })
            }
            None => {
                let mut request = CreateEndpoint::new(to, address);
                request.nickname = named;
                request.status = is_suspended(&source.server).then_some(EndpointStatus::Paused);
                let answered = session.change(request, about).await?;
                answered.map(|answered| {
                    let data = &answered.response.data;
                    self.note_restored(&answered.response);
                    session.learn(Observation::Servers(vec![Server::from(data)]));
                    let created = Created::by(&answered.response);
                    let sentence = format!("Server {address} is added for customer {to}.");
                    (
                        data.id,
                        Applied {
                            created,
                            ..Applied::answered(data.id, &answered.response, sentence)
                        },
                    )
                })
            }
        };
        let Some((id, applied)) = outcome else {
            new.id = Uuid::nil().into();
            self.new.get_or_init(|| new);
            return Ok(RowOutcome::Planned);
        };
        new.id = id;
        self.new.get_or_init(|| new);
        Ok(RowOutcome::Applied(applied))
    }

    fn note_restored<T>(&self, answer: &Response<T>) {
        self.is_restored.set(answer.was_created() == Some(false));
    }

    async fn name(&self, source: &MoveSource, name: &str) -> Result<RowOutcome, CliError> {
        let new = self.new_server()?;
        let update = UpdateEndpoint::new(source.to, new.id).nickname(name);
        let planned =
            PlannedChange::new(format!("the nickname of {}", self.args.address)).before(new);
        let sent = self.context.session.change(update, planned).await?;
        Ok(sent.map_or(RowOutcome::Planned, |answered| {
            let sentence = format!("Server {} is now named {name}.", self.args.address);
            RowOutcome::Applied(Applied::answered(new.id, &answered.response, sentence))
        }))
    }

    async fn allow(&self, rule: &Rule) -> Result<RowOutcome, CliError> {
        let place = Place::Server(Box::new(self.new_server()?.clone()));
        let wanted = Wanted::like(rule, place)?;
        create::add(&self.context.session, &wanted, Existing::Skip).await
    }

    fn new_server(&self) -> Result<&Endpoint, CliError> {
        let new = self.new.get();
        new.ok_or_else(|| waits("the new address is not provisioned"))
    }

    async fn change(&self, server: &Endpoint, to: Transition) -> Result<RowOutcome, CliError> {
        send::apply(&self.context.session, &resource(server), to).await
    }

    async fn terminate(&self, source: &MoveSource) -> Result<RowOutcome, CliError> {
        self.new_server()?;
        if self.missing.get() > 0 {
            return Err(waits(
                "the new server does not have everything of the old one",
            ));
        }
        self.change(&source.server, Transition::Terminate).await
    }
}

fn settled(step: MoveStep, id: String, note: &str) -> PlannedRow<MoveStep> {
    let applied = Applied {
        id,
        note: Some(note.to_owned()),
        record: to_json(&note),
        ..Applied::default()
    };
    PlannedRow::settled(step, RowOutcome::Skipped(applied))
}

/// A step that waits for the one before.
fn waits(reason: &str) -> CliError {
    CliError::new(
        LocalErrorKind::NotSent,
        format!("not sent, because {reason}"),
    )
}

impl BulkOperation for Moving<'_> {
    type Row = MoveStep;

    fn kind(&self) -> RunKind {
        RunKind {
            verb: VERB,
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
        let new = self.args.address;
        let old = source.as_ref().map_or_else(
            || self.args.endpoint.clone(),
            |source| source.server.ip_address.to_string(),
        );
        let name = match step {
            MoveStep::Create => format!("provision {new}"),
            MoveStep::Name(name) => format!("name {new} {name}"),
            MoveStep::Allow(rule) => format!("allow {} on {new}", ports_of(rule)),
            MoveStep::Suspend => format!("suspend {new}"),
            MoveStep::Terminate => format!("terminate {old}"),
        };
        Label::of(name, source.as_ref().map(|source| source.to))
    }

    fn question(&self, _rows: &[&MoveStep]) -> Question {
        let source = self.source.borrow();
        let Some(source) = source.as_ref() else {
            return Question::none();
        };
        let name = self.args.address;
        let whom = match source.from == source.to {
            true => String::new(),
            false => format!(" and to customer {}", source.to),
        };
        let mapping = match &self.args.service {
            Some(service) => format!(", map it to billing service {service}"),
            None => ". A billing service that it is mapped to does not go along (--service ID)"
                .to_owned(),
        };
        let text = format!(
            "About to move {} of customer {} to {name}{whom}: provision {name}, take its name and {} along{}, and terminate {}{mapping}.{}",
            references::name_of(&source.server),
            source.from,
            counted(source.rules.len(), "rule"),
            match is_suspended(&source.server) {
                true => ", suspend it as this one is",
                false => "",
            },
            source.server.ip_address,
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
