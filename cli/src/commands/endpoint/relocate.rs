//! `secmon endpoint move`: a server gets another address. The new one is provisioned, name and rules go along, and only
//! then the old one ends. Where a step fails or a run ends early, the same command goes on.

use super::change::{self, ServerChange};
use crate::bulk::args::RunArgs;
use crate::bulk::{self, ChangeOfMany, End, Journal, Key, Label, Origin, Prior, Words};
use crate::commands::common::other_owners;
use crate::commands::common::transition::Transition;
use crate::commands::common::usage::Usage;
use crate::commands::common::views::ports_of;
use crate::commands::provision::sending;
use crate::commands::rules::create::{self, Existing, Place, Wanted};
use crate::context::Context;
use crate::error::{CliError, Own};
use crate::references::targets::{NewServer, Target};
use crate::references::{self, ServerTarget};
use crate::session::prompt::Danger;
use crate::ui::outcome::{Line, Outcome, to_json};
use crate::values::durations::counted;
use clap::Args;
use secmon::model::{Address, CustomerId, Endpoint, EndpointStatus, Rule, RuleScope, RuleStatus};
use secmon::operations::{ListEndpoints, ProvisionEndpoint};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::cell::{Cell, OnceCell};
use std::net::IpAddr;
use uuid::Uuid;

/// A server and its new address.
#[derive(Debug, Args)]
pub struct EndpointMoveArgs {
    /// The server: id, IP address, host name or nickname
    pub endpoint: String,
    /// Its new IP address
    #[arg(value_name = "NEW-IP")]
    pub address: IpAddr,
    /// How to go on with an earlier run
    #[command(flatten)]
    pub run: RunArgs,
}

const OPERATION: &str = "move";
const DANGER: Danger = Danger::Moderate;
const MOVED: Words = Words {
    done: "done",
    skipped: "already so",
};

/// What moves, as it was before the first step.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Belongings {
    server: Endpoint,
    customer: CustomerId,
    rules: Vec<Rule>,
}

/// One call of a move.
enum Step {
    Provision,
    Allow(Box<Rule>),
    Suspend,
    Terminate,
}

impl Belongings {
    /// The steps by which they go along. What somebody has suspended stays so, since a provisioned server is active.
    fn along(&self) -> Vec<Step> {
        let rules = self.rules.iter().cloned().map(Box::new);
        let suspend = self.is_suspended().then_some(Step::Suspend);
        rules.map(Step::Allow).chain(suspend).collect()
    }

    fn is_suspended(&self) -> bool {
        self.server.status == EndpointStatus::Paused && self.server.quota_paused != Some(true)
    }
}

/// A move, and how far it has come.
struct Moving<'a> {
    context: &'a Context,
    args: &'a EndpointMoveArgs,
    before: Belongings,
    /// The server at its new address, once it is provisioned.
    new: OnceCell<Endpoint>,
    /// Steps between the first and the last that are still to be done.
    missing: Cell<usize>,
}

/// Runs the command.
pub async fn run(context: &Context, args: &EndpointMoveArgs) -> Result<Outcome, CliError> {
    let keys = ["provision", "terminate"].map(|step| key(context, args, step));
    let journal = Journal::open(context, OPERATION, Origin::Rows, &keys, &args.run)?;
    let before = match journal.recalled(&keys[0]) {
        Some(before) => before,
        None => {
            let before = belongings(context, args).await?;
            confirm(context, args, &before).await?;
            before
        }
    };
    let along = before.along();
    let server = &before.server;
    let named = references::name_of(server);
    bulk::refuse_restored(
        &journal,
        (&keys[1], server.id.into()),
        (&named, "terminate"),
    )?;
    let moving = Moving {
        context,
        args,
        before,
        new: OnceCell::new(),
        missing: Cell::new(along.len()),
    };
    moving.take_up(&journal, &keys[0]);
    let stages = [&[Step::Provision], along.as_slice(), &[Step::Terminate]];
    let items = bulk::change_in_stages(context, &moving, &stages, (&journal, &args.run)).await?;
    let mut outcome = bulk::report(&context.screen, MOVED, &items)?;
    if items.iter().all(|item| item.end.error().is_none()) {
        outcome.story.insert(0, Line::text(moving.sentence()));
    } else if moving.new.get().is_none() {
        let server = references::name_of(&moving.before.server);
        let stays = format!("Nothing was changed: {server} stays where it is.");
        outcome.story.insert(0, Line::text(stays));
    }
    Ok(outcome)
}

fn key(context: &Context, args: &EndpointMoveArgs, step: &str) -> Key {
    let target = format!("{} {} {step}", args.endpoint, args.address);
    Key::of(OPERATION, context.session.settings.customer, &target)
}

/// The server as it is, with the rules that are its own.
async fn belongings(context: &Context, args: &EndpointMoveArgs) -> Result<Belongings, CliError> {
    let server = references::endpoint(context, &args.endpoint).await?;
    if server.ip_address == Address::from(args.address) {
        return Err(CliError::usage(format!(
            "{} has this address already: give the new one",
            references::name_of(&server)
        )));
    }
    let customer = references::owner(context, &server)?;
    refuse_taken(context, args, customer).await?;
    let rules = references::all_rules(&context.session, |list| {
        list.endpoint_id = Some(server.id);
        list.scope = Some(RuleScope::Endpoint);
        list.status = Some(RuleStatus::Active);
    })
    .await?;
    Ok(Belongings {
        server,
        customer,
        rules,
    })
}

/// An address that the customer has already would take the name of one server and end the other.
async fn refuse_taken(
    context: &Context,
    args: &EndpointMoveArgs,
    customer: CustomerId,
) -> Result<(), CliError> {
    let session = &context.session;
    let servers = references::all_endpoints(session, Some(customer)).await?;
    let address = Address::from(args.address);
    match servers.iter().find(|server| server.ip_address == address) {
        Some(there) => Err(CliError::usage(format!(
            "{} is a server of customer {customer} already: {}",
            args.address,
            references::name_of(there)
        ))
        .hint(format!(
            "give another address, or end that server first: `endpoint terminate {}`",
            there.id
        ))),
        None => Ok(()),
    }
}

/// Until the old server ends there are both, which a full plan does not allow. It is told where a question or a dry run
/// shows it; what cannot be read keeps nobody from being asked.
async fn want_of_room(context: &Context, customer: CustomerId) -> String {
    if !context.prompt.shows_preview(DANGER) {
        return String::new();
    }
    let list = ListEndpoints::new(customer).per_page(1);
    let Ok(page) = context.session.read(list).await else {
        return String::new();
    };
    let usage = Usage::of_servers(&page.meta);
    match (usage.used, usage.capacity) {
        (Some(used), Some(capacity)) if used >= capacity => format!(
            " The plan is full ({used} of {capacity} servers): the service is likely to refuse the new server, and then nothing changes."
        ),
        _ => String::new(),
    }
}

async fn confirm(
    context: &Context,
    args: &EndpointMoveArgs,
    before: &Belongings,
) -> Result<(), CliError> {
    let name = args.address.to_string();
    let place = (name.as_str(), args.address, before.customer);
    other_owners::confirm(context, Some(place)).await?;
    let question = format!(
        "About to move {} of customer {} to {name}: provision {name}, take its name and {} along{}, and terminate {}.{}",
        references::name_of(&before.server),
        before.customer,
        counted(before.rules.len(), "rule"),
        if before.is_suspended() {
            ", suspend it as this one is"
        } else {
            ""
        },
        before.server.ip_address,
        want_of_room(context, before.customer).await
    );
    let handle = references::handle_of(&before.server);
    context.prompt.confirm(DANGER, &question, &handle)
}

impl Moving<'_> {
    /// What an earlier run has provisioned is the new server.
    fn take_up(&self, journal: &Journal, provision: &Key) {
        let id = journal.earlier_id(provision);
        if let Some(id) = id.and_then(|id| id.parse().ok()) {
            self.is_at(id);
        }
        let along = self.before.along();
        let missing = |step: &&Step| journal.earlier_id(&self.key(step)).is_none();
        self.missing.set(along.iter().filter(missing).count());
    }

    fn is_at(&self, id: Uuid) {
        self.new.get_or_init(|| {
            let mut new = self.before.server.clone();
            new.id = id.into();
            new.ip_address = self.args.address.into();
            new
        });
    }

    fn sentence(&self) -> String {
        let state = match self.before.is_suspended() {
            true => "suspended as before",
            false => "monitored",
        };
        format!(
            "{} of customer {} is {state} at {}, with {}; {} is terminated.",
            references::handle_of(&self.before.server),
            self.before.customer,
            self.args.address,
            counted(self.before.rules.len(), "rule"),
            self.before.server.ip_address
        )
    }

    async fn provision(&self) -> Result<End, CliError> {
        let name = self.args.address.to_string();
        let server = &self.before.server;
        let mut request = ProvisionEndpoint::new(self.before.customer);
        request.ip_address = Some(self.args.address.into());
        let own_name = |host: &&String| server.ip_address != host.as_str();
        request.hostname = server.hostname.as_ref().filter(own_name).cloned();
        let nickname = server.nickname.as_ref().filter(own_name).cloned();
        let target = Target::Server(Box::new(NewServer {
            name,
            address: Some(self.args.address),
            request,
            nickname,
        }));
        let end = sending::send(&self.context.session, &target, |_| {}).await?;
        let id = end.done().and_then(|done| done.id.parse().ok());
        match (&end, id) {
            (End::Planned, _) => self.is_at(Uuid::nil()),
            (_, Some(id)) => self.is_at(id),
            (_, None) => {}
        }
        Ok(end)
    }

    async fn allow(&self, rule: &Rule, prior: Prior) -> Result<End, CliError> {
        let place = Place::Server(Box::new(self.new_server()?.clone()));
        let wanted = Wanted::like(rule, place)?;
        let session = &self.context.session;
        let end = create::add(session, &wanted, Existing::Skip, prior).await?;
        self.is_along();
        Ok(end)
    }

    async fn suspend(&self) -> Result<End, CliError> {
        let end = self.change(self.new_server()?, Transition::Suspend).await?;
        self.is_along();
        Ok(end)
    }

    fn new_server(&self) -> Result<&Endpoint, CliError> {
        let new = self.new.get();
        new.ok_or_else(|| waits("the new address is not provisioned"))
    }

    fn is_along(&self) {
        self.missing.update(|missing| missing.saturating_sub(1));
    }

    async fn change(&self, server: &Endpoint, to: Transition) -> Result<End, CliError> {
        let server = ServerTarget::from(server.clone());
        let session = &self.context.session;
        change::send(session, &server, ServerChange::To(to)).await
    }

    async fn terminate(&self) -> Result<End, CliError> {
        self.new_server()?;
        if self.missing.get() > 0 {
            return Err(waits(
                "the new server does not have everything of the old one",
            ));
        }
        self.change(&self.before.server, Transition::Terminate)
            .await
    }
}

/// A step that waits for the one before.
fn waits(reason: &str) -> CliError {
    CliError::new(Own::NotSent, format!("not sent, because {reason}"))
}

impl ChangeOfMany for Moving<'_> {
    type Target = Step;

    fn operation(&self) -> &'static str {
        OPERATION
    }

    fn label(&self, step: &Step) -> Label {
        let (old, new) = (&self.before.server.ip_address, self.args.address);
        let name = match step {
            Step::Provision => format!("provision {new}"),
            Step::Allow(rule) => format!("allow {} on {new}", ports_of(rule)),
            Step::Suspend => format!("suspend {new}"),
            Step::Terminate => format!("terminate {old}"),
        };
        Label::of(name, Some(self.before.customer))
    }

    fn key(&self, step: &Step) -> Key {
        match step {
            Step::Provision => key(self.context, self.args, "provision"),
            Step::Allow(rule) => key(self.context, self.args, &rule.id.to_string()),
            Step::Suspend => key(self.context, self.args, "suspend"),
            Step::Terminate => key(self.context, self.args, "terminate"),
        }
    }

    /// With the first step everything that the others need.
    fn kept(&self, step: &Step) -> Value {
        match step {
            Step::Provision => to_json(&self.before),
            Step::Allow(_) | Step::Suspend | Step::Terminate => Value::Null,
        }
    }

    async fn apply(&self, step: &Step, prior: Prior) -> Result<End, CliError> {
        let end = match step {
            Step::Provision => self.provision().await,
            Step::Allow(rule) => self.allow(rule, prior).await,
            Step::Suspend => self.suspend().await,
            Step::Terminate => self.terminate().await,
        };
        Ok(end?.after(prior))
    }
}
