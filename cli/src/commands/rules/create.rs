//! Adding Allowed Ports rules: what is allowed already is not sent, and a rule whose answer was lost is looked for, never
//! sent again.

use super::rule::{self, EVERY_SERVER};
use super::there::{self, RulesThere, WiderRule};
use crate::bulk::args::RunArgs;
use crate::bulk::{
    self, Applied, BulkOperation, Created, Item, Label, PlannedRow, Question, RowOutcome,
    VerbLabels,
};
use crate::commands::common::views::ports_of;
use crate::context::Context;
use crate::error::{CliError, LocalErrorKind};
use crate::references;
use crate::session::Session;
use crate::session::batch::RunKind;
use crate::session::calls::PlannedChange;
use crate::state::changes::Scope;
use crate::state::records::{Observation, RuleRecord};
use crate::state::rule_owner::RuleOwner;
use crate::ui::outcome::{Outcome, to_json};
use crate::values::days;
use crate::values::ports::PortSpec;
use secmon::model::{CustomerId, Endpoint, EndpointId, Expiry, PortRange, Protocol, Rule};
use secmon::operations::CreateRule;
use secmon::{FieldErrors, Operation};
use serde_json::json;
use std::collections::HashMap;
use std::num::NonZeroU16;

const OPERATION: &str = "create_rule";

/// What a rule that was added is called.
pub const ADDED: VerbLabels = VerbLabels {
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
    /// The last day as it was typed: a period is measured from the day on which a rule was made.
    pub expires: Option<String>,
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
            expires: expires.map(str::to_owned),
        };
        refuse_options(&addition.problems())?;
        Ok(addition)
    }

    /// Applies every limit of the service.
    pub fn check(&self) -> Result<(), CliError> {
        crate::references::targets::refuse(&self.problems())
    }

    fn problems(&self) -> FieldErrors {
        let any = PortSpec {
            range: PortRange::single(NonZeroU16::MIN),
            protocol: Protocol::Tcp,
        };
        let mut problems = FieldErrors::default();
        self.request(&Place::Everywhere(None), &any)
            .validate(&mut problems);
        problems
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

/// Refuses what the service would refuse of a rule, by the names of the options.
pub fn refuse_options(problems: &FieldErrors) -> Result<(), CliError> {
    let sentences = problems.iter();
    let sentences =
        sentences.map(|(field, problems)| format!("{}: {}", option_of(field), problems.join(" ")));
    let sentences: Vec<String> = sentences.collect();
    match sentences.is_empty() {
        true => Ok(()),
        false => Err(CliError::usage(sentences.join("; "))),
    }
}

/// The option that a field of a rule comes from.
fn option_of(field: &str) -> &str {
    match field {
        "justification" => "-m (justification)",
        "service" => "--service",
        "expires_at" => "--expires",
        other => other,
    }
}

/// Whose a place is.
pub fn customer_of(place: &Place) -> Option<CustomerId> {
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
                expires: None,
            },
        })
    }

    /// What it is called in sentences.
    pub fn name(&self) -> String {
        format!("{} on {}", self.port, name_of(&self.place))
    }

    /// Whether a rule of its place is as this one would be.
    pub fn is_made(&self, rule: &Rule) -> bool {
        let text = |text: Option<&str>| text.map(str::trim).unwrap_or_default().to_owned();
        let addition = &self.addition;
        self.port.is_same(rule)
            && text(rule.justification.as_deref()) == addition.justification.trim()
            && text(rule.service.as_deref()) == text(addition.service.as_deref())
            && self.ends_with(rule)
    }

    /// A period is measured from the day on which the rule was made.
    fn ends_with(&self, rule: &Rule) -> bool {
        let end = rule.expires_at.as_ref().map(|end| day(end.as_str()));
        let wanted = self.addition.expires_at.map(|end| end.to_string());
        if end == wanted.as_deref().map(day) {
            return true;
        }
        let made = rule
            .created_at
            .as_ref()
            .map(|made| made.date_time().date_naive());
        let counted = self.addition.expires.as_deref().zip(made);
        let counted = counted.and_then(|(text, made)| days::read(text, made));
        counted.is_some() && counted.map(|day| day.to_string()).as_deref() == end
    }
}

/// Rules that are added.
struct Adding<'a> {
    context: &'a Context,
    wanted: &'a [Wanted],
    existing: Existing,
}

/// A rule that is added, or not.
struct PlannedRule {
    wanted: Wanted,
    /// What allows its ports already.
    wider: Option<WiderRule>,
}

impl BulkOperation for Adding<'_> {
    type Row = PlannedRule;

    fn kind(&self) -> RunKind {
        let scope = match self.wanted {
            [_] => Scope::One,
            _ => Scope::Named,
        };
        RunKind {
            verb: OPERATION,
            scope,
            customer: None,
        }
    }

    async fn plan(&self) -> Result<Vec<PlannedRow<PlannedRule>>, CliError> {
        let session = &self.context.session;
        let there = RulesThere::read(session, self.wanted).await?;
        let planned = self.wanted.iter().map(|wanted| {
            let row = PlannedRule {
                wanted: wanted.clone(),
                wider: there.wider(session, wanted),
            };
            match self.settled(&there, &row) {
                Some(outcome) => PlannedRow::settled(row, outcome),
                None => PlannedRow::send(row),
            }
        });
        Ok(planned.collect())
    }

    fn label(&self, row: &PlannedRule) -> Label {
        Label::of(row.wanted.name(), customer_of(&row.wanted.place))
    }

    fn question(&self, _rows: &[&PlannedRule]) -> Question {
        Question::none()
    }

    async fn apply(&self, row: &PlannedRule) -> Result<RowOutcome, CliError> {
        let PlannedRule { wanted, wider } = row;
        let outcome = add(&self.context.session, wanted, self.existing).await?;
        let Some(wider) = wider else {
            return Ok(outcome);
        };
        Ok(match outcome {
            RowOutcome::Applied(done) => RowOutcome::Applied(Applied {
                note: Some(allowed_by(wider)),
                ..done
            }),
            RowOutcome::Planned => {
                let (name, note) = (wanted.name(), allowed_by(wider));
                self.context.screen.note(&format!("{name}: {note}"));
                RowOutcome::Planned
            }
            other => other,
        })
    }
}

impl Adding<'_> {
    /// What becomes of a rule that need not be sent, or would be refused.
    fn settled(&self, there: &RulesThere, row: &PlannedRule) -> Option<RowOutcome> {
        let (session, wanted) = (&self.context.session, &row.wanted);
        let rules = there.at(&wanted.place);
        if let Some(rule) = made_in(session, wanted, rules) {
            let is_ours =
                session.settle_pending_create(OPERATION, &wanted.name(), (rule.id.into(), rule));
            let mut applied = skipped(wanted, rule);
            applied.note = is_ours.then(|| "perhaps by the interrupted run".to_owned());
            return Some(match is_ours {
                true => RowOutcome::Applied(applied),
                false => RowOutcome::Skipped(applied),
            });
        }
        let mut rules = rules.iter();
        if let Some(rule) = rules.find(|rule| is_in_the_way(session, wanted, rule)) {
            return Some(overlap(wanted, rule, self.existing).unwrap_or_else(RowOutcome::Failed));
        }
        let wider = row.wider.as_ref()?;
        let is_enough = wider.lasts_until(wanted.addition.expires_at.as_ref());
        match self.existing {
            Existing::Skip if is_enough => Some(RowOutcome::Skipped(covered(wanted, wider))),
            _ => None,
        }
    }
}

/// The rule that is as the wanted one would be.
fn made_in<'a>(session: &Session, wanted: &Wanted, rules: &'a [Rule]) -> Option<&'a Rule> {
    let is_it = |rule: &&Rule| wanted.is_made(rule) && !is_elsewhere(session, wanted, rule);
    rules.iter().find(is_it)
}

/// Whether a rule is known to be of another place: the list of the account has the rules of each customer, too.
fn is_elsewhere(session: &Session, wanted: &Wanted, rule: &Rule) -> bool {
    let owner = there::owner_of(session, rule);
    matches!(wanted.place, Place::Everywhere(None))
        && owner.is_some_and(|owner| owner.customer().is_some())
}

/// Whether the service refuses the wanted rule for this one. Whose a rule for all servers is, no list tells: where this
/// computer does not know it either, the service decides.
fn is_in_the_way(session: &Session, wanted: &Wanted, rule: &Rule) -> bool {
    let is_of_place = match wanted.place {
        Place::Server(_) => true,
        Place::Everywhere(customer) => {
            let owner = there::owner_of(session, rule);
            owner.is_some_and(|owner| owner.customer() == customer)
        }
    };
    is_of_place && wanted.port.meets(rule)
}

fn allowed_by(wider: &WiderRule) -> String {
    format!("allowed already by {}", wider.name())
}

/// What a rule for more servers allows already, and is not added.
fn covered(wanted: &Wanted, wider: &WiderRule) -> Applied {
    Applied {
        id: wider.id.clone(),
        record: json!({ "id": wider.id }),
        sentence: format!("No rule was added for {}.", wanted.name()),
        note: Some(allowed_by(wider)),
        ..Applied::default()
    }
}

/// A rule in the way, of which the ports are not the same or something else is not.
fn overlap(wanted: &Wanted, rule: &Rule, existing: Existing) -> Result<RowOutcome, CliError> {
    match existing {
        Existing::Skip => Ok(RowOutcome::Skipped(skipped(wanted, rule))),
        Existing::Fail => Err(in_the_way(
            CliError::new(
                LocalErrorKind::Overlap,
                format!(
                    "there is already a rule for {} on {}, and it is not the same",
                    ports_of(rule),
                    name_of(&wanted.place)
                ),
            ),
            rule,
        )),
    }
}

fn in_the_way(error: CliError, rule: &Rule) -> CliError {
    let (id, ports) = (rule.id, ports_of(rule));
    error.hint(format!(
        "rule {id} for {ports} is in the way: look at it with `rules show {id}`; or skip such ports with --skip-existing"
    ))
}

fn skipped(wanted: &Wanted, rule: &Rule) -> Applied {
    let (ports, name) = (ports_of(rule), name_of(&wanted.place));
    let (note, sentence) = match wanted.port.is_same(rule) {
        true => (
            None,
            format!("{ports} was already allowed on {name}; nothing was changed."),
        ),
        false => (
            Some(format!("there is already a rule for {ports}")),
            format!(
                "No rule was added for {} on {name}; nothing was changed.",
                wanted.port
            ),
        ),
    };
    Applied {
        note,
        sentence,
        ..applied(wanted, rule)
    }
}

/// The server of a place, where it is one.
pub fn server_of(place: &Place) -> Option<EndpointId> {
    match place {
        Place::Server(endpoint) => Some(endpoint.id),
        Place::Everywhere(_) => None,
    }
}

/// Whether a rule is in force or not yet over.
pub fn is_live(rule: &Rule) -> bool {
    rule.is_active != Some(false)
}

/// Adds rules. The same command later does not send again what is there.
pub async fn run(
    context: &Context,
    labels: VerbLabels,
    wanted: &[Wanted],
    existing: Existing,
    args: &RunArgs,
) -> Result<Outcome, CliError> {
    let items = add_all(context, wanted, existing, args).await?;
    bulk::conclude(&context.screen, labels, items)
}

/// The same, with what became of each.
pub async fn add_all(
    context: &Context,
    wanted: &[Wanted],
    existing: Existing,
    args: &RunArgs,
) -> Result<Vec<Item>, CliError> {
    let adding = Adding {
        context,
        wanted,
        existing,
    };
    bulk::run_bulk(context, &adding, args).await
}

/// Adds one rule.
pub async fn add(
    session: &Session,
    wanted: &Wanted,
    existing: Existing,
) -> Result<RowOutcome, CliError> {
    let Wanted {
        place,
        port,
        addition,
    } = wanted;
    let about = wanted.name();
    let request = addition.request(place, port);
    let planned = PlannedChange::new(about.as_str())
        .of(customer_of(place))
        .on(server_of(place));
    let error = match session.write(request, planned).await {
        Ok(Some(answer)) => {
            learn(session, place, &answer.data);
            return Ok(RowOutcome::Applied(made(wanted, &answer.data)));
        }
        Ok(None) => return Ok(RowOutcome::Planned),
        Err(error) => error.during(format!("allowing {about}")),
    };
    not_made(session, wanted, existing, error).await
}

/// Whose a rule of all servers is, the service never says: whoever made it knows.
fn learn(session: &Session, place: &Place, rule: &Rule) {
    let customer = customer_of(place);
    session.learn(Observation::Rules(vec![RuleRecord::of(customer, rule)]));
    if let Place::Everywhere(customer) = place {
        let owner = customer.map_or(RuleOwner::Account, RuleOwner::Customer);
        session.learn(Observation::GlobalRules(HashMap::from([(rule.id, owner)])));
    }
}

/// What becomes of a rule that was not added as it was asked for.
async fn not_made(
    session: &Session,
    wanted: &Wanted,
    existing: Existing,
    error: CliError,
) -> Result<RowOutcome, CliError> {
    if error.may_have_happened() {
        return match same_rule(session, wanted).await {
            Ok(Some(rule)) => {
                session.settle_pending_create(OPERATION, &wanted.name(), (rule.id.into(), &rule));
                learn(session, &wanted.place, &rule);
                Ok(RowOutcome::Applied(made(wanted, &rule)))
            }
            Err(_) => Err(error),
            // The answer itself names the rule to look at.
            Ok(None) if error.is(LocalErrorKind::OtherAnswer) => Err(error),
            Ok(None) => Err(error.hint("the rule was not added: run the command again")),
        };
    }
    if !error.concerns_field("port_start") {
        return Err(error);
    }
    let there = rules_of(session, &wanted.place).await;
    let there = there.unwrap_or_default();
    // Somebody may have added the very same since the rules were read.
    if let Some(same) = made_in(session, wanted, &there) {
        return Ok(RowOutcome::Skipped(skipped(wanted, same)));
    }
    let Some(rule) = there.into_iter().find(|rule| wanted.port.meets(rule)) else {
        return Err(error);
    };
    match existing {
        Existing::Skip => Ok(RowOutcome::Skipped(skipped(wanted, &rule))),
        Existing::Fail => Err(in_the_way(error, &rule)),
    }
}

/// The rule that a call whose answer was lost has made, where it has.
async fn same_rule(session: &Session, wanted: &Wanted) -> Result<Option<Rule>, CliError> {
    let there = rules_of(session, &wanted.place).await?;
    Ok(made_in(session, wanted, &there).cloned())
}

/// The day of a timestamp, or the day itself.
pub fn day(moment: &str) -> &str {
    moment.get(..10).unwrap_or(moment)
}

fn made(wanted: &Wanted, rule: &Rule) -> Applied {
    Applied {
        created: Created::Yes,
        ..applied(wanted, rule)
    }
}

fn applied(wanted: &Wanted, rule: &Rule) -> Applied {
    let (port, name) = (&wanted.port, name_of(&wanted.place));
    let until = rule
        .expires_at
        .as_ref()
        .map(|end| format!(" until {}", day(end.as_str())));
    let until = until.unwrap_or_default();
    Applied {
        id: rule.id.to_string(),
        record: to_json(rule),
        sentence: format!(
            "{port} is now allowed on {name}{until}, and raises no alert there any more."
        ),
        ..Applied::default()
    }
}

/// The live rules of a place.
pub async fn rules_of(session: &Session, place: &Place) -> Result<Vec<Rule>, CliError> {
    let endpoint = server_of(place);
    let rules = references::all_rules(session, |list| {
        list.endpoint_id = endpoint;
        list.billing_customer_id = customer_of(place);
    })
    .await?;
    let here = |rule: &Rule| rule.endpoint_id == endpoint && is_live(rule);
    Ok(rules.into_iter().filter(here).collect())
}
