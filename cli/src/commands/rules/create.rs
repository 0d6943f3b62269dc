//! Adding Allowed Ports rules. A rule whose answer was lost is looked for, never sent again.

use super::rule::{self, EVERY_SERVER};
use crate::bulk::args::RunArgs;
use crate::bulk::{
    self, ChangeOfMany, Created, Done, End, Journal, Key, Label, Origin, Prior, Words,
};
use crate::commands::common::views::ports_of;
use crate::context::Context;
use crate::error::CliError;
use crate::notebook::index::{Record, Seen};
use crate::notebook::way_back::WayBack;
use crate::references;
use crate::session::Session;
use crate::ui::outcome::{Outcome, to_json};
use crate::values::days;
use crate::values::ports::PortSpec;
use secmon::model::{CustomerId, Endpoint, EndpointId, Expiry, PortRange, Protocol, Rule};
use secmon::operations::CreateRule;
use secmon::{FieldErrors, Operation, Response};
use std::collections::HashSet;
use std::num::NonZeroU16;

const OPERATION: &str = "create_rule";

/// What a rule that was added is called.
pub const ADDED: Words = Words {
    done: "allowed",
    skipped: "already allowed",
};

/// Where a rule is to count.
#[derive(Debug, Clone)]
pub enum Place {
    /// On one server.
    Server(Box<Endpoint>),
    /// On all servers of a customer, or of the account.
    Everywhere(Option<CustomerId>),
}

/// What all rules of one command have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Addition {
    /// Why the ports are meant to be open.
    pub justification: String,
    /// Name of the service.
    pub service: Option<String>,
    /// Last day.
    pub expires_at: Option<Expiry>,
}

/// What a port that a rule covers already does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It is an error that tells of --skip-existing.
    Fail,
    /// It is passed over.
    Skip,
}

impl Addition {
    /// Reads the last day and applies every limit of the service, before anything is sent or looked up.
    pub fn new(
        justification: String,
        service: Option<String>,
        expires: Option<&str>,
    ) -> Result<Self, CliError> {
        let expires_at = expires.map(|day| days::day("--expires", day)).transpose()?;
        let addition = Self {
            justification,
            service,
            expires_at,
        };
        addition.check()?;
        Ok(addition)
    }

    /// Applies every limit of the service.
    pub fn check(&self) -> Result<(), CliError> {
        let any = PortSpec {
            range: PortRange::single(NonZeroU16::MIN),
            protocol: Protocol::Tcp,
        };
        let mut problems = FieldErrors::default();
        self.request(&Place::Everywhere(None), &any)
            .validate(&mut problems);
        crate::references::targets::refuse(&problems)
    }

    fn request(&self, place: &Place, port: &PortSpec) -> CreateRule {
        let (range, protocol, reason) = (
            port.range,
            port.protocol.clone(),
            self.justification.as_str(),
        );
        let mut create = match place {
            Place::Server(endpoint) => {
                CreateRule::for_endpoint(endpoint.id, range, protocol, reason)
            }
            Place::Everywhere(_) => CreateRule::account_wide(range, protocol, reason),
        };
        create.billing_customer_id = customer_of(place);
        create.service.clone_from(&self.service);
        create.expires_at = self.expires_at;
        create
    }
}

fn customer_of(place: &Place) -> Option<CustomerId> {
    match place {
        Place::Server(endpoint) => endpoint.billing_customer_id,
        Place::Everywhere(customer) => *customer,
    }
}

fn name_of(place: &Place) -> String {
    match place {
        Place::Server(endpoint) => references::name_of(endpoint),
        Place::Everywhere(Some(customer)) => format!("all servers of customer {customer}"),
        Place::Everywhere(None) => EVERY_SERVER.to_owned(),
    }
}

/// A rule that is wanted.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Where.
    pub place: Place,
    /// Which ports.
    pub port: PortSpec,
    /// What else it says.
    pub addition: Addition,
}

impl Wanted {
    /// The same as a rule that is there, at another place.
    pub fn like(rule: &Rule, place: Place) -> Result<Self, CliError> {
        Ok(Self {
            place,
            port: rule::ports(rule)?,
            addition: Addition {
                justification: rule.justification.clone().unwrap_or_default(),
                service: rule.service.clone(),
                expires_at: rule.expires_at.as_ref().map(|end| end.date_time().into()),
            },
        })
    }

    /// What it is called in sentences.
    pub fn name(&self) -> String {
        format!("{} on {}", self.port, name_of(&self.place))
    }

    /// Whether a rule of its place is as this one would be.
    pub fn is_made(&self, rule: &Rule) -> bool {
        let last_day = self.addition.expires_at.map(|end| end.to_string());
        self.port.is_same(rule)
            && rule.justification.as_deref() == Some(self.addition.justification.as_str())
            && rule.expires_at.as_ref().map(|end| day(end.as_str())) == last_day.as_deref().map(day)
    }

    fn key(&self) -> Key {
        let place = match &self.place {
            Place::Server(endpoint) => endpoint.id.to_string(),
            Place::Everywhere(_) => String::new(),
        };
        let target = format!("{place} {}", self.port);
        Key::of(OPERATION, customer_of(&self.place), &target)
    }
}

/// Rules that are added.
struct Adding<'a> {
    context: &'a Context,
    existing: Existing,
    journal: &'a Journal,
    /// The rules there are, where an earlier run has added some.
    live: HashSet<String>,
}

impl ChangeOfMany for Adding<'_> {
    type Target = Wanted;

    fn operation(&self) -> &'static str {
        OPERATION
    }

    fn label(&self, wanted: &Wanted) -> Label {
        Label::of(wanted.name(), customer_of(&wanted.place))
    }

    fn key(&self, wanted: &Wanted) -> Key {
        wanted.key()
    }

    fn wanted(&self, wanted: &Wanted) -> String {
        to_json(&wanted.addition.request(&wanted.place, &wanted.port)).to_string()
    }

    fn stands(&self, wanted: &Wanted) -> bool {
        let added = self.journal.earlier_id(&wanted.key());
        added.is_none_or(|id| self.live.contains(id))
    }

    async fn apply(&self, wanted: &Wanted, prior: Prior) -> Result<End, CliError> {
        add(&self.context.session, wanted, self.existing, prior).await
    }
}

/// Adds rules. A later run of the same command does not send again what an earlier one has added.
pub async fn run(
    context: &Context,
    words: Words,
    wanted: &[Wanted],
    existing: Existing,
    args: &RunArgs,
) -> Result<Outcome, CliError> {
    let keys: Vec<Key> = wanted.iter().map(Wanted::key).collect();
    let journal = Journal::open(context, OPERATION, Origin::Rows, &keys, args)?;
    let adding = Adding {
        context,
        existing,
        journal: &journal,
        live: live_rules(&context.session, &journal).await?,
    };
    let items = bulk::change_in_journal(context, &adding, wanted, (&journal, args)).await?;
    bulk::conclude(&context.screen, words, items)
}

/// The ids of the rules there are; asked for only where the journal tells of some.
async fn live_rules(session: &Session, journal: &Journal) -> Result<HashSet<String>, CliError> {
    if journal.is_empty() {
        return Ok(HashSet::new());
    }
    let rules = references::all_rules(session, |_| {}).await?;
    Ok(rules.iter().map(|rule| rule.id.to_string()).collect())
}

/// Adds one rule.
pub async fn add(
    session: &Session,
    wanted: &Wanted,
    existing: Existing,
    prior: Prior,
) -> Result<End, CliError> {
    if prior == Prior::PerhapsDone
        && let Some(rule) = same_rule(session, wanted)
            .await
            .map_err(CliError::about_something_lost)?
    {
        return Ok(End::Done(made(wanted, &rule)));
    }
    let Wanted {
        place,
        port,
        addition,
    } = wanted;
    let about = wanted.name();
    let way_back = |answer: &Response<Rule>| {
        Some(WayBack::RemoveRules {
            rules: vec![answer.data.id],
            customer: customer_of(place),
        })
    };
    let request = addition.request(place, port);
    let sent = session
        .write_reversibly(request, &about, None, way_back)
        .await;
    let error = match sent {
        Ok(Some(answer)) => {
            let record = Record::of(customer_of(place), &answer.data);
            session.learn(Seen::Rules(vec![record]));
            return Ok(End::Done(made(wanted, &answer.data)));
        }
        Ok(None) => return Ok(End::Planned),
        Err(error) => error.during(format!("allowing {about}")),
    };
    not_made(session, wanted, existing, error).await
}

/// What becomes of a rule that was not added as it was asked for.
async fn not_made(
    session: &Session,
    wanted: &Wanted,
    existing: Existing,
    error: CliError,
) -> Result<End, CliError> {
    if error.may_have_happened() {
        return match same_rule(session, wanted).await {
            Ok(Some(rule)) => Ok(End::Done(made(wanted, &rule))),
            Err(_) => Err(error),
            Ok(None) => Err(error.hint("the rule was not added: run the command again")),
        };
    }
    if !error.concerns_field("port_start") {
        return Err(error);
    }
    let there = rules_of(session, &wanted.place).await;
    let mut there = there.unwrap_or_default().into_iter();
    let Some(rule) = there.find(|rule| wanted.port.meets(rule)) else {
        return Err(error);
    };
    let (id, ports) = (rule.id, ports_of(&rule));
    if existing == Existing::Skip {
        let note = Some(format!("there is already a rule for {ports}"));
        let name = name_of(&wanted.place);
        let sentence = match wanted.port.is_same(&rule) {
            true => format!("{ports} was already allowed on {name}; nothing was changed."),
            false => format!(
                "No rule was added for {} on {name}; nothing was changed.",
                wanted.port
            ),
        };
        return Ok(End::Skipped(Done {
            note,
            sentence,
            ..done(wanted, &rule)
        }));
    }
    Err(error.hint(format!(
        "rule {id} for {ports} is in the way: change it with `rules edit {id} --port PORT`; or skip such ports with --skip-existing"
    )))
}

/// The rule that a call whose answer was lost has made, where it has.
async fn same_rule(session: &Session, wanted: &Wanted) -> Result<Option<Rule>, CliError> {
    let there = rules_of(session, &wanted.place).await?;
    Ok(there.into_iter().find(|rule| wanted.is_made(rule)))
}

/// The day of a timestamp, or the day itself.
fn day(moment: &str) -> &str {
    moment.get(..10).unwrap_or(moment)
}

fn made(wanted: &Wanted, rule: &Rule) -> Done {
    Done {
        created: Created::Yes,
        ..done(wanted, rule)
    }
}

fn done(wanted: &Wanted, rule: &Rule) -> Done {
    let (port, name) = (&wanted.port, name_of(&wanted.place));
    let until = wanted.addition.expires_at.map(|end| end.to_string());
    let until = until.map(|end| format!(" until {}", day(&end)));
    let until = until.unwrap_or_default();
    Done {
        id: rule.id.to_string(),
        record: to_json(rule),
        sentence: format!(
            "{port} is allowed on {name}{until}; an alert for it, if one was open, is resolved."
        ),
        ..Done::default()
    }
}

/// The live rules of a place.
pub async fn rules_of(session: &Session, place: &Place) -> Result<Vec<Rule>, CliError> {
    let endpoint: Option<EndpointId> = match place {
        Place::Server(endpoint) => Some(endpoint.id),
        Place::Everywhere(_) => None,
    };
    let rules = references::all_rules(session, |list| {
        list.endpoint_id = endpoint;
        list.billing_customer_id = customer_of(place);
    })
    .await?;
    let here = |rule: &Rule| rule.endpoint_id == endpoint && rule.is_active != Some(false);
    Ok(rules.into_iter().filter(here).collect())
}
