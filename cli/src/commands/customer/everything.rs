//! `secmon customer suspend`, `resume` and `leave`: one change of all that a customer has.

use super::number_of;
use crate::bulk::args::RunArgs;
use crate::bulk::{self, ChangeOfMany, End, Item, Journal, Key, Label, Origin, Prior, Trace};
use crate::commands::common::resume_all::{self, Suspended, SuspendedKind};
use crate::commands::common::transition::Transition;
use crate::commands::domain::{provision, switch as domain};
use crate::commands::endpoint::change::{self as server, ServerChange};
use crate::commands::subscription::switch as subscription;
use crate::commands::subscription::target::Subscription;
use crate::context::Context;
use crate::error::CliError;
use crate::notebook::history;
use crate::references::{self, DomainRef, ServerTarget};
use crate::session::prompt::Danger;
use crate::ui::outcome::{Line, Outcome, to_json};
use crate::values::durations::counted;
use clap::Args;
use secmon::model::{CustomerId, SubscriptionId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// The end of the page of `suspend`.
pub const SUSPEND_EXAMPLES: &str = "\
The service lists no subscriptions. Those that were set or changed from this machine are
suspended too, after the servers and the domains; name another one with --service and --product.

Examples:
  secmon customer suspend 42                          a customer does not pay
  secmon customer resume 42                           they have paid: what was stopped goes on
  secmon customer suspend 42 --service 501 --product port_monitoring";

/// The end of the page of `leave`.
pub const LEAVE_EXAMPLES: &str = "\
The service lists no subscriptions. Those that were set or changed from this machine end too,
after the servers and the domains; name another one with --service and --product.

Examples:
  secmon customer leave 42 -n                         what would be sent
  secmon customer leave 42 --confirm=42               without a question";

/// All that a customer has.
#[derive(Debug, Args)]
pub struct Everything {
    /// The customer's number
    #[arg(value_name = "CUSTOMER")]
    pub number: String,
    /// Number of a billing service with a subscription that this machine has not recorded
    #[arg(long, value_name = "ID", requires = "product")]
    pub service: Option<String>,
    /// The product of that subscription: port_monitoring, domain_monitoring or endpoint
    #[arg(long, value_name = "PRODUCT", requires = "service")]
    pub product: Option<String>,
    /// How to go on with an earlier run
    #[command(flatten)]
    pub run: RunArgs,
}

const ANYTHING: SuspendedKind = SuspendedKind {
    operations: &["endpoint", "domain", "subscription"],
    one: "record",
    stopped_by: "customer suspend",
};

/// Something that a customer has.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Possession {
    Server(ServerTarget),
    Domain(DomainRef),
    Subscription {
        /// As this machine has recorded it; none for one that was named.
        id: Option<SubscriptionId>,
        which: Subscription,
    },
}

impl Possession {
    fn key(&self) -> String {
        match self {
            Self::Server(server) => server.id.to_string(),
            Self::Domain(domain) => domain.id.to_string(),
            Self::Subscription { which, .. } => which.label(),
        }
    }

    /// Whether the change is still to be made, as far as the service shows.
    fn needs(&self, to: Transition) -> bool {
        match self {
            Self::Server(server) => {
                let status = server.status.as_ref();
                status.is_some_and(|status| ServerChange::To(to).is_undone_by(status))
            }
            Self::Domain(domain) => {
                let status = domain.status.as_ref();
                status.is_some_and(|status| domain::is_undone_by(to, status))
            }
            Self::Subscription { .. } => true,
        }
    }

    fn is_subscription(&self) -> bool {
        matches!(self, Self::Subscription { .. })
    }
}

impl Suspended for Possession {
    /// One that was named is no record of the history.
    fn id(&self) -> Uuid {
        match self {
            Self::Server(server) => server.id.into(),
            Self::Domain(domain) => domain.id.into(),
            Self::Subscription { id, .. } => id.map(Uuid::from).unwrap_or_default(),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Server(server) => server.name.clone(),
            Self::Domain(domain) => domain.label(),
            Self::Subscription { which, .. } => {
                format!("{} of service {}", which.product, which.service)
            }
        }
    }
}

/// The change as it is made to all of them.
struct CustomerChanging<'a> {
    context: &'a Context,
    customer: CustomerId,
    to: Transition,
}

impl ChangeOfMany for CustomerChanging<'_> {
    type Target = Possession;

    fn operation(&self) -> &'static str {
        match self.to {
            Transition::Suspend => "suspend_customer",
            Transition::Resume => "resume_customer",
            Transition::Terminate => "leave",
        }
    }

    fn label(&self, one: &Possession) -> Label {
        Label {
            row: None,
            name: one.name(),
            customer: Some(self.customer),
        }
    }

    fn key(&self, one: &Possession) -> Key {
        Key::of(self.operation(), Some(self.customer), &one.key())
    }

    fn kept(&self, one: &Possession) -> Value {
        to_json(one)
    }

    /// No read tells the state of a subscription.
    fn stands(&self, one: &Possession) -> bool {
        one.is_subscription() || !one.needs(self.to)
    }

    async fn apply(&self, one: &Possession, prior: Prior) -> Result<End, CliError> {
        let (session, notebook) = (&self.context.session, &self.context.notebook);
        let end = match one {
            Possession::Server(target) => {
                server::send(session, notebook, target, ServerChange::To(self.to)).await
            }
            Possession::Domain(target) => domain::transition(session, target, self.to).await,
            Possession::Subscription { which, .. } => {
                subscription::send(self.context, which, self.to).await
            }
        };
        Ok(end?.after(prior))
    }
}

/// Runs the command.
pub async fn run(
    context: &Context,
    args: &Everything,
    to: Transition,
) -> Result<Outcome, CliError> {
    let customer = number_of(&args.number)?;
    let changing = CustomerChanging {
        context,
        customer,
        to,
    };
    let all = possessions(context, customer, args).await?;
    let origin = Origin::Customer(customer);
    let journal = Journal::open(context, changing.operation(), origin, &[], &args.run)?;
    let (begun, fresh): (Vec<Possession>, Vec<Possession>) = all
        .into_iter()
        .partition(|one| journal.subject(&changing.key(one)).is_some());
    refuse_those_that_came_back(&changing, &journal, &begun)?;
    let fresh = fresh.into_iter().filter(|one| one.needs(to)).collect();
    let (mut chosen, stay) = match to {
        Transition::Resume => chosen_to_resume(context, customer, fresh)?,
        Transition::Suspend | Transition::Terminate => {
            confirm(&changing, &fresh)?;
            (fresh, None)
        }
    };
    let unlisted = unlisted(&journal, &begun);
    chosen.extend(begun.into_iter().chain(unlisted));
    let stages = in_stages(to, chosen);
    let run = (&journal, &args.run);
    let items = bulk::change_in_stages(context, &changing, &stages, run).await?;
    conclude(&changing, &items, stay)
}

/// What was ended, and has been provisioned again since.
fn refuse_those_that_came_back(
    changing: &CustomerChanging<'_>,
    journal: &Journal,
    begun: &[Possession],
) -> Result<(), CliError> {
    let came_back = |one: &&Possession| {
        let trace = Trace {
            undone: false,
            ..bulk::trace(changing, one)
        };
        !changing.stands(one) && journal.answer(&trace).is_some()
    };
    match begun.iter().find(came_back) {
        Some(one) if changing.to == Transition::Terminate => {
            Err(bulk::came_back(&one.name(), &one.name(), "end"))
        }
        _ => Ok(()),
    }
}

/// All servers and domains, and the subscriptions that are known here.
async fn possessions(
    context: &Context,
    customer: CustomerId,
    args: &Everything,
) -> Result<Vec<Possession>, CliError> {
    let named = named(context, customer, args)?;
    let (session, notebook) = (&context.session, &context.notebook);
    let servers = references::all_endpoints(session, notebook, Some(customer)).await?;
    let domains = references::all_domains(session, notebook, customer).await?;
    if servers.is_empty() && domains.is_empty() {
        references::refuse_unknown(session, customer).await?;
    }
    let recorded = session.known()?.subscriptions.iter();
    let theirs = recorded.filter(|one| one.customer == customer);
    let recorded = theirs.map(|one| Possession::Subscription {
        id: Some(one.id),
        which: Subscription {
            customer,
            service: one.service,
            product: one.product.clone(),
        },
    });
    let servers = servers.into_iter().map(ServerTarget::from);
    let mut all: Vec<Possession> = servers
        .map(Possession::Server)
        .chain(domains.into_iter().map(Possession::Domain))
        .chain(recorded)
        .collect();
    all.retain(|one| named.as_ref().is_none_or(|named| named.key() != one.key()));
    all.extend(named);
    Ok(all)
}

/// The subscription that was named.
fn named(
    context: &Context,
    customer: CustomerId,
    args: &Everything,
) -> Result<Option<Possession>, CliError> {
    let Some((service, product)) = args.service.as_deref().zip(args.product.clone()) else {
        return Ok(None);
    };
    let service = provision::service(&context.prompt, Some(service))?;
    let which = Subscription {
        customer,
        service,
        product,
    };
    Ok(Some(Possession::Subscription { id: None, which }))
}

/// What `customer suspend` has stopped, and the subscription that was named.
fn chosen_to_resume(
    context: &Context,
    customer: CustomerId,
    suspended: Vec<Possession>,
) -> Result<(Vec<Possession>, Option<Line>), CliError> {
    // Whether a subscription rests, only the history tells.
    let stopped = history::stopped_with_all("subscription")?;
    let rests = |one: &Possession| !one.is_subscription() || stopped.contains(&one.id());
    let (suspended, others): (Vec<Possession>, Vec<Possession>) =
        suspended.into_iter().partition(rests);
    let is_named = |one: &Possession| matches!(one, Possession::Subscription { id: None, .. });
    let named = others.into_iter().filter(is_named);
    let (mut chosen, stay) = resume_all::choose(&context.prompt, customer, &ANYTHING, suspended)?;
    chosen.extend(named);
    Ok((chosen, stay))
}

/// What an earlier run has begun with, and no list has any more.
fn unlisted(journal: &Journal, listed: &[Possession]) -> Vec<Possession> {
    let subjects = journal.subjects().cloned();
    let earlier = subjects.filter_map(|subject| serde_json::from_value(subject).ok());
    let is_listed = |one: &Possession| listed.iter().any(|other| other.key() == one.key());
    earlier.filter(|one| !is_listed(one)).collect()
}

/// A subscription that rests before its servers would have the platform choose which of them it pauses.
fn in_stages(to: Transition, all: Vec<Possession>) -> [Vec<Possession>; 2] {
    let (subscriptions, others) = all.into_iter().partition(Possession::is_subscription);
    match to {
        Transition::Resume => [subscriptions, others],
        Transition::Suspend | Transition::Terminate => [others, subscriptions],
    }
}

fn confirm(changing: &CustomerChanging<'_>, all: &[Possession]) -> Result<(), CliError> {
    if all.is_empty() {
        return Ok(());
    }
    let customer = changing.customer;
    let (danger, verb, typed) = match changing.to {
        Transition::Terminate => (Danger::Severe, "end", customer.to_string()),
        to => (
            Danger::Moderate.times(all.len()),
            to.verb(),
            all.len().to_string(),
        ),
    };
    let question = format!(
        "About to {verb} all that customer {customer} has: {}. Subscriptions that this machine has not recorded cannot be seen.",
        contents(all)
    );
    let prompt = &changing.context.prompt;
    prompt.confirm(danger, &question, &typed)
}

/// `9 servers (web-1, web-2, web-3 and 6 more), 2 domains (a.example, b.example)`
fn contents(all: &[Possession]) -> String {
    let of_kind = |kind: &str, is_one: fn(&Possession) -> bool| {
        let names: Vec<String> = all
            .iter()
            .filter(|one| is_one(one))
            .map(Suspended::name)
            .collect();
        (!names.is_empty()).then(|| format!("{} ({})", counted(names.len(), kind), few(&names)))
    };
    let kinds = [
        of_kind("server", |one| matches!(one, Possession::Server(_))),
        of_kind("domain", |one| matches!(one, Possession::Domain(_))),
        of_kind("subscription", Possession::is_subscription),
    ];
    kinds.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn few(names: &[String]) -> String {
    const NAMED: usize = 3;
    match names.split_at_checked(NAMED) {
        Some((first, rest)) if !rest.is_empty() => {
            format!("{} and {} more", first.join(", "), rest.len())
        }
        _ => names.join(", "),
    }
}

fn conclude(
    changing: &CustomerChanging<'_>,
    items: &[Item],
    stay: Option<Line>,
) -> Result<Outcome, CliError> {
    if let Some(error) = bulk::refused(items) {
        return Err(error);
    }
    let customer = changing.customer;
    let mut outcome = bulk::report(&changing.context.screen, changing.to.words(), items);
    if items.is_empty() {
        let sentence = format!(
            "Nothing of customer {customer} was left to {}.",
            changing.to.verb()
        );
        outcome.story.insert(0, Line::text(sentence));
    }
    let changed = items.iter().filter(|item| matches!(item.end, End::Done(_)));
    let changed: Vec<String> = changed.map(|item| item.target.clone()).collect();
    if !changed.is_empty() {
        let done = changing.to.words().done;
        let sentence = format!("Customer {customer}: {} {done}.", few(&changed));
        outcome.story.insert(0, Line::text(sentence));
    }
    outcome.story.extend(stay);
    if changing.to == Transition::Terminate && !changed.is_empty() {
        outcome.story.push(Line::Hint(
            "rules and alerts of what has ended stay in the lists, and have no effect".to_owned(),
        ));
    }
    if changing.to == Transition::Suspend && !items.is_empty() {
        outcome.story.extend([
            Line::Heading("Next:"),
            Line::next(
                format!("customer resume {customer}"),
                "resume what was suspended now",
            ),
        ]);
    }
    Ok(outcome)
}
