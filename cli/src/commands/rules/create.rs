//! Adding Allowed Ports rules: what is allowed already is not sent, and a rule whose answer was lost is looked for, never
//! sent again.

use super::existing::{self, ExistingRules, WiderRule};
use super::wanted_rule::{Place, WantedRule, day};
use crate::bulk::args::RunArgs;
use crate::bulk::{
    self, Applied, BulkOperation, Created, Item, Label, PlannedRow, Question, RowOutcome,
    VerbLabels,
};
use crate::commands::common::views::ports_of;
use crate::context::Context;
use crate::error::{CliError, LocalErrorKind};
use crate::session::Session;
use crate::session::calls::PlannedChange;
use crate::session::current_run::RunKind;
use crate::state::changes::Scope;
use crate::state::records::{Observation, RuleRecord};
use crate::state::rule_owner::RuleOwner;
use crate::ui::outcome::{Outcome, to_json};
use secmon::model::Rule;
use serde_json::json;
use std::collections::{BTreeSet, HashMap};

const OPERATION: &str = "create_rule";

/// What a rule that was added is called.
pub const ADDED: VerbLabels = VerbLabels {
    done: "allowed",
    skipped: "already allowed",
};

/// What a port that a rule covers already does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnOverlap {
    /// It is an error.
    Fail,
    /// It is an error that tells of --skip-existing.
    OfferToSkip,
    /// It is passed over.
    Skip,
}

/// Rules that are added.
struct Adding<'a> {
    context: &'a Context,
    wanted: &'a [WantedRule],
    on_overlap: OnOverlap,
}

/// A rule that is added, or not.
struct PlannedRule {
    wanted: WantedRule,
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
        let there = ExistingRules::read(session, self.wanted).await?;
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
        Label::of(row.wanted.name(), row.wanted.place.customer())
    }

    fn question(&self, _rows: &[&PlannedRule]) -> Question {
        Question::none()
    }

    async fn apply(&self, row: &PlannedRule) -> Result<RowOutcome, CliError> {
        let PlannedRule { wanted, wider } = row;
        let outcome = add(&self.context.session, wanted, self.on_overlap).await?;
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
    fn settled(&self, there: &ExistingRules, row: &PlannedRule) -> Option<RowOutcome> {
        let (session, wanted) = (&self.context.session, &row.wanted);
        let rules = there.at(&wanted.place);
        if let Some(rule) = made_in(session, wanted, rules) {
            let is_ours = session.settle_pending_rule(OPERATION, &wanted.name(), rule);
            let mut applied = skipped(wanted, rule);
            applied.note = is_ours.then(|| "perhaps by the interrupted run".to_owned());
            return Some(match is_ours {
                true => RowOutcome::Applied(applied),
                false => RowOutcome::Skipped(applied),
            });
        }
        let mut rules = rules.iter();
        if let Some(rule) = rules.find(|rule| is_in_the_way(session, wanted, rule)) {
            return Some(overlap(wanted, rule, self.on_overlap).unwrap_or_else(RowOutcome::Failed));
        }
        let wider = row.wider.as_ref()?;
        let is_enough = wider.lasts_until(wanted.terms.expires_at.as_ref());
        match self.on_overlap {
            OnOverlap::Skip if is_enough => Some(RowOutcome::Skipped(covered(wanted, wider))),
            _ => None,
        }
    }
}

/// The rule that is as the wanted one would be.
fn made_in<'a>(session: &Session, wanted: &WantedRule, rules: &'a [Rule]) -> Option<&'a Rule> {
    let is_it = |rule: &&Rule| wanted.is_made(rule) && !is_elsewhere(session, wanted, rule);
    rules.iter().find(is_it)
}

/// Whether a rule is known to be of another place: the list of the account has the rules of each customer, too.
fn is_elsewhere(session: &Session, wanted: &WantedRule, rule: &Rule) -> bool {
    let owner = existing::owner_of(session, rule);
    matches!(wanted.place, Place::Everywhere(None))
        && owner.is_some_and(|owner| owner.customer().is_some())
}

/// Whether the service refuses the wanted rule for this one. Whose a rule for all servers is, no list tells: where this
/// computer does not know it either, the service decides.
fn is_in_the_way(session: &Session, wanted: &WantedRule, rule: &Rule) -> bool {
    let is_of_place = match wanted.place {
        Place::Server(_) => true,
        Place::Everywhere(customer) => {
            let owner = existing::owner_of(session, rule);
            owner.is_some_and(|owner| owner.customer() == customer)
        }
    };
    is_of_place && wanted.port.meets(rule)
}

fn allowed_by(wider: &WiderRule) -> String {
    format!("allowed already by {}", wider.name())
}

/// What a rule for more servers allows already, and is not added.
fn covered(wanted: &WantedRule, wider: &WiderRule) -> Applied {
    Applied {
        id: wider.id.clone(),
        record: json!({ "id": wider.id }),
        sentence: format!("No rule was added for {}.", wanted.name()),
        note: Some(allowed_by(wider)),
        ..Applied::default()
    }
}

/// A rule in the way, of which the ports are not the same or something else is not.
fn overlap(
    wanted: &WantedRule,
    rule: &Rule,
    on_overlap: OnOverlap,
) -> Result<RowOutcome, CliError> {
    match on_overlap {
        OnOverlap::Skip => Ok(RowOutcome::Skipped(skipped(wanted, rule))),
        OnOverlap::Fail | OnOverlap::OfferToSkip => {
            let (ports, place) = (ports_of(rule), wanted.place.name());
            let message = format!("there is already a different rule for {ports} on {place}");
            let error = CliError::new(LocalErrorKind::Overlap, message);
            Err(in_the_way(error, wanted, rule, on_overlap))
        }
    }
}

/// What can be done about a rule that keeps a wanted one from being added.
fn in_the_way(
    error: CliError,
    wanted: &WantedRule,
    rule: &Rule,
    on_overlap: OnOverlap,
) -> CliError {
    let id = rule.id;
    let mut hint = format!("rule {id} for {} is in the way: ", ports_of(rule));
    hint += &match (wanted.edit_of(rule), wanted.port.is_same(rule)) {
        (Some(options), true) => format!("change it with `rules edit {id} {options}`"),
        _ => format!("look at it with `rules show {id}`"),
    };
    if on_overlap == OnOverlap::OfferToSkip {
        hint += "; or skip such ports with --skip-existing";
    }
    error.hint(hint)
}

fn skipped(wanted: &WantedRule, rule: &Rule) -> Applied {
    let (ports, name) = (ports_of(rule), wanted.place.name());
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

/// Adds rules. The same command later does not send again what is there.
pub async fn run(
    context: &Context,
    labels: VerbLabels,
    wanted: &[WantedRule],
    on_overlap: OnOverlap,
    args: &RunArgs,
) -> Result<Outcome, CliError> {
    let wide = wanted.iter().filter_map(|wanted| wanted.port.if_wide());
    for sentence in wide.collect::<BTreeSet<_>>() {
        context.screen.note(&sentence);
    }
    let items = add_all(context, wanted, on_overlap, args).await?;
    bulk::conclude(&context.screen, labels, items)
}

/// The same, with what became of each.
pub async fn add_all(
    context: &Context,
    wanted: &[WantedRule],
    on_overlap: OnOverlap,
    args: &RunArgs,
) -> Result<Vec<Item>, CliError> {
    let adding = Adding {
        context,
        wanted,
        on_overlap,
    };
    bulk::run_bulk(context, &adding, args).await
}

/// Adds one rule.
pub async fn add(
    session: &Session,
    wanted: &WantedRule,
    on_overlap: OnOverlap,
) -> Result<RowOutcome, CliError> {
    let place = &wanted.place;
    let about = wanted.name();
    let request = wanted.request();
    let planned = PlannedChange::new(about.as_str())
        .of(place.customer())
        .on(place.server());
    let error = match session.write(request, planned).await {
        Ok(Some(answer)) => {
            learn(session, place, &answer.data);
            return Ok(RowOutcome::Applied(made(wanted, &answer.data)));
        }
        Ok(None) => return Ok(RowOutcome::Planned),
        Err(error) => error.during(format!("allowing {about}")),
    };
    not_made(session, wanted, on_overlap, error).await
}

/// Whose a rule of all servers is, the service never says: whoever made it knows.
fn learn(session: &Session, place: &Place, rule: &Rule) {
    let customer = place.customer();
    session.learn(Observation::Rules(vec![RuleRecord::of(customer, rule)]));
    if let Place::Everywhere(customer) = place {
        let owner = customer.map_or(RuleOwner::Account, RuleOwner::Customer);
        session.learn(Observation::GlobalRules(HashMap::from([(rule.id, owner)])));
    }
}

/// What becomes of a rule that was not added as it was asked for.
async fn not_made(
    session: &Session,
    wanted: &WantedRule,
    on_overlap: OnOverlap,
    error: CliError,
) -> Result<RowOutcome, CliError> {
    if error.may_have_happened() {
        return match same_rule(session, wanted).await {
            Ok(Some(rule)) => {
                session.settle_pending_rule(OPERATION, &wanted.name(), &rule);
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
    let there = wanted.place.live_rules(session).await;
    let there = there.unwrap_or_default();
    // Somebody may have added the very same since the rules were read.
    if let Some(same) = made_in(session, wanted, &there) {
        return Ok(RowOutcome::Skipped(skipped(wanted, same)));
    }
    let Some(rule) = there.into_iter().find(|rule| wanted.port.meets(rule)) else {
        return Err(error);
    };
    match on_overlap {
        OnOverlap::Skip => Ok(RowOutcome::Skipped(skipped(wanted, &rule))),
        OnOverlap::Fail | OnOverlap::OfferToSkip => {
            Err(in_the_way(error, wanted, &rule, on_overlap))
        }
    }
}

/// The rule that a call whose answer was lost has made, where it has.
async fn same_rule(session: &Session, wanted: &WantedRule) -> Result<Option<Rule>, CliError> {
    let there = wanted.place.live_rules(session).await?;
    Ok(made_in(session, wanted, &there).cloned())
}

fn made(wanted: &WantedRule, rule: &Rule) -> Applied {
    Applied {
        created: Created::Yes,
        ..applied(wanted, rule)
    }
}

fn applied(wanted: &WantedRule, rule: &Rule) -> Applied {
    let (port, name) = (&wanted.port, wanted.place.name());
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
