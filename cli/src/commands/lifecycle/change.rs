//! The change as it is made to many.

use super::everything::{self, CustomerArgs, LastRun, Left};
use super::resource::{Resource, ResourceKind, by_customer, contents, few};
use super::resume;
use super::row::LifecycleRow;
use super::send;
use super::transition::Transition;
use crate::bulk::{
    Applied, BulkOperation, Item, Label, NamedServer, PlannedRow, Question, RowOutcome, Step,
};
use crate::context::Context;
use crate::error::CliError;
use crate::references::{self, FoundDomain, FoundServer, PrefixPolicy, ServerTarget};
use crate::session::current_run::RunKind;
use crate::session::prompt::ConfirmationLevel;
use crate::state::changes::Scope;
use crate::values::durations::counted;
use secmon::model::CustomerId;
use std::cell::RefCell;
use std::collections::HashSet;

/// What a change is about.
#[derive(Debug)]
pub enum Selection<'a> {
    /// Servers that were named, on the command line or in a file.
    Servers(&'a [NamedServer]),
    /// Domains that were named.
    Domains(&'a [String]),
    /// All servers of a customer.
    AllServers(CustomerId),
    /// All domains of a customer.
    AllDomains(CustomerId),
    /// Everything that a customer has.
    Everything(CustomerId, &'a CustomerArgs),
}

/// A change of servers, domains or of all that a customer has.
pub struct LifecycleChange<'a> {
    /// What a command works with.
    pub context: &'a Context,
    /// What is done.
    pub to: Transition,
    /// To what.
    pub selection: Selection<'a>,
    /// The records that the plan was about.
    planned: RefCell<HashSet<String>>,
    /// Those that are now as they were wanted, after a call.
    changed: RefCell<HashSet<String>>,
}

impl BulkOperation for LifecycleChange<'_> {
    type Row = LifecycleRow;

    fn kind(&self) -> RunKind {
        let (scope, customer) = match &self.selection {
            Selection::Servers(named) if named.iter().any(|one| one.word.line.is_some()) => {
                (Scope::File, None)
            }
            Selection::Servers([_]) => (Scope::One, None),
            Selection::Domains([_]) => (Scope::One, None),
            Selection::Servers(_) | Selection::Domains(_) => (Scope::Named, None),
            Selection::AllServers(customer) | Selection::AllDomains(customer) => {
                (Scope::All, Some(*customer))
            }
            Selection::Everything(customer, _) => (Scope::Customer, Some(*customer)),
        };
        let verb = match (&self.selection, self.to) {
            (Selection::Everything(..), Transition::Suspend) => "customer_suspend",
            (Selection::Everything(..), Transition::Resume) => "customer_resume",
            (Selection::Everything(..), _) => "customer_leave",
            (Selection::Domains(_) | Selection::AllDomains(_), to) => {
                to.operation(ResourceKind::Domain)
            }
            (_, to) => to.operation(ResourceKind::Server),
        };
        RunKind {
            verb,
            scope,
            customer,
        }
    }

    async fn plan(&self) -> Result<Vec<PlannedRow<LifecycleRow>>, CliError> {
        match &self.selection {
            Selection::Servers(named) => self.named_servers(named).await,
            Selection::Domains(names) => self.named_domains(names).await,
            Selection::AllServers(customer) => {
                let session = &self.context.session;
                let listed = references::all_endpoints(session, Some(*customer)).await?;
                let servers = listed.into_iter().map(ServerTarget::from);
                let all = servers.map(|server| Resource::Server(Box::new(server)));
                self.all(*customer, all.collect()).await
            }
            Selection::AllDomains(customer) => {
                let session = &self.context.session;
                let listed = references::all_domains(session, *customer).await?;
                let all = listed.into_iter();
                let all = all.map(|domain| Resource::Domain(Box::new(domain)));
                self.all(*customer, all.collect()).await
            }
            Selection::Everything(customer, args) => {
                let all = everything::read(self.context, *customer, args).await?;
                self.all(*customer, all).await
            }
        }
    }

    fn label(&self, row: &LifecycleRow) -> Label {
        Label {
            row: row.line,
            name: row.name.clone(),
            customer: row.resource.as_ref().and_then(Resource::customer),
        }
    }

    fn question(&self, rows: &[&LifecycleRow]) -> Question {
        let all: Vec<&Resource> = rows
            .iter()
            .filter_map(|row| row.resource.as_ref())
            .collect();
        let levels = all.iter().map(|one| self.to.level(one.kind()));
        let level = levels.max().unwrap_or(ConfirmationLevel::Mild);
        match &self.selection {
            Selection::Everything(customer, _) => self.question_of_customer(*customer, level, &all),
            Selection::AllServers(customer) | Selection::AllDomains(customer)
                if self.to == Transition::Resume =>
            {
                resume::question(self.context, *customer, &all)
            }
            _ => Question {
                level: level.times(all.len()),
                text: format!(
                    "About to {} {}.{}",
                    self.to.verb(),
                    named(&all),
                    self.consequence(&all)
                ),
                typed: match all.as_slice() {
                    [one] => one.handle(),
                    many => many.len().to_string(),
                },
            },
        }
    }

    async fn apply(&self, row: &LifecycleRow) -> Result<RowOutcome, CliError> {
        let Some(resource) = &row.resource else {
            return Ok(RowOutcome::Planned);
        };
        let outcome = send::apply(&self.context.session, resource, self.to).await?;
        if outcome.applied().is_some() {
            self.changed.borrow_mut().insert(resource.record());
        }
        Ok(outcome)
    }

    /// Records go before the subscriptions that pay for them, and come back after: else the platform would choose which
    /// of them it pauses.
    fn stage(&self, row: &LifecycleRow) -> u8 {
        let kind = row.resource.as_ref().map(Resource::kind);
        let is_subscription = kind == Some(ResourceKind::Subscription);
        u8::from(is_subscription != (self.to == Transition::Resume))
    }
}

impl<'a> LifecycleChange<'a> {
    /// A change of what is selected.
    pub fn new(context: &'a Context, to: Transition, selection: Selection<'a>) -> Self {
        Self {
            context,
            to,
            selection,
            planned: RefCell::default(),
            changed: RefCell::default(),
        }
    }

    /// What an end means for what is about to end.
    fn consequence(&self, all: &[&Resource]) -> &'static str {
        match (self.to, all.first().map(|one| one.kind())) {
            (Transition::Terminate, Some(ResourceKind::Server)) => {
                " Terminated servers are no longer listed; provisioning the same address restores one."
            }
            (Transition::Terminate, Some(ResourceKind::Domain)) => {
                " Terminated domains are no longer listed; provisioning the same name restores one."
            }
            (Transition::Delete, _) => {
                " Deleted servers are gone from every list and can no longer be read by id; adding the address again restores one."
            }
            _ => "",
        }
    }

    /// What a customer still has after the change.
    pub async fn left(&self, customer: CustomerId) -> Result<Left, CliError> {
        let (planned, changed) = (self.planned.borrow().clone(), self.changed.borrow().clone());
        let run = LastRun {
            to: self.to,
            planned: &planned,
            changed: &changed,
        };
        everything::left(&self.context.session, customer, &run).await
    }

    async fn named_servers(
        &self,
        named: &[NamedServer],
    ) -> Result<Vec<PlannedRow<LifecycleRow>>, CliError> {
        let names: Vec<String> = named.iter().map(|named| named.word.text.clone()).collect();
        let prefixes = match self.to.ends() {
            true => PrefixPolicy::Refused,
            false => PrefixPolicy::Accepted,
        };
        let found = references::server_targets(self.context, &names, prefixes).await?;
        let mut rows: Vec<PlannedRow<LifecycleRow>> = Vec::new();
        for (named, found) in named.iter().zip(found) {
            let named_row = LifecycleRow::named(named.word.line, &named.word.text);
            match self.terminated_earlier(found).await? {
                FoundServer::There(server) => {
                    refuse_another_owner(named, &server)?;
                    self.add(&mut rows, named_row.of(Resource::Server(server)));
                }
                FoundServer::Absent { id, error } => {
                    rows.push(self.absent(named_row, id.map(|id| id.to_string()), error));
                }
            }
        }
        Ok(rows)
    }

    /// What was terminated from here is in no list any more, and can still be deleted: by its id.
    async fn terminated_earlier(&self, found: FoundServer) -> Result<FoundServer, CliError> {
        let id = match &found {
            FoundServer::Absent { id: Some(id), .. } if self.to == Transition::Delete => {
                id.to_string()
            }
            _ => return Ok(found),
        };
        let state = self.context.session.state();
        let ended = state.and_then(|state| state.ended_from_here(&id));
        if ended.is_none_or(|ended| {
            ended.operation == Transition::Delete.operation(ResourceKind::Server)
        }) {
            return Ok(found);
        }
        let by_id = references::server_targets(self.context, &[id], PrefixPolicy::Refused).await?;
        Ok(by_id.into_iter().next().unwrap_or(found))
    }

    async fn named_domains(
        &self,
        names: &[String],
    ) -> Result<Vec<PlannedRow<LifecycleRow>>, CliError> {
        let found = references::domain_targets(self.context, names).await?;
        let mut rows: Vec<PlannedRow<LifecycleRow>> = Vec::new();
        for (name, found) in names.iter().zip(found) {
            let named_row = LifecycleRow::named(None, name);
            match found {
                FoundDomain::There(domain) => {
                    self.add(&mut rows, named_row.of(Resource::Domain(domain)));
                }
                FoundDomain::Absent { id, error } => {
                    rows.push(self.absent(named_row, id.map(|id| id.to_string()), error));
                }
            }
        }
        Ok(rows)
    }

    /// Adds what was named and is there; what is named twice is changed once.
    fn add(&self, rows: &mut Vec<PlannedRow<LifecycleRow>>, row: LifecycleRow) {
        let record = row.resource.as_ref().map(Resource::record);
        let is_same = |other: &PlannedRow<LifecycleRow>| {
            other.row.resource.as_ref().map(Resource::record) == record
        };
        if rows.iter().any(is_same) {
            return;
        }
        let step = row
            .resource
            .as_ref()
            .map_or(Step::Send, |resource| self.step(resource));
        rows.push(PlannedRow { row, step });
    }

    /// What was named and is in no list.
    fn absent(
        &self,
        row: LifecycleRow,
        id: Option<String>,
        error: CliError,
    ) -> PlannedRow<LifecycleRow> {
        let outcome = self.ended_from_here(&row.name, id.as_deref(), error);
        PlannedRow::settled(row, outcome)
    }

    /// Whoever names one record in a command of its own has looked at it since an earlier run.
    fn step(&self, resource: &Resource) -> Step {
        let session = &self.context.session;
        let kind = self.kind();
        match send::step(session, resource, self.to) {
            Step::Doubtful(_) if kind.scope == Scope::One && !session.continues_a_run(&kind) => {
                Step::Send
            }
            step => step,
        }
    }

    /// A name that fits nothing: already ended where this computer saw it end, else not found.
    fn ended_from_here(&self, typed: &str, id: Option<&str>, error: CliError) -> RowOutcome {
        let state = self.context.session.state();
        let ended = id.and_then(|id| state?.ended_from_here(id));
        let ended = ended.and_then(|ended| chrono::DateTime::from_timestamp_millis(ended.sent_ms));
        let Some(ended) = ended else {
            return RowOutcome::Failed(error);
        };
        let at = ended.format("%Y-%m-%d %H:%M UTC");
        if !self.to.ends() {
            return RowOutcome::Failed(CliError::not_found(format!(
                "{typed:?} was ended from this computer on {at}"
            )));
        }
        let note = format!("already ended from this computer on {at}");
        RowOutcome::Skipped(Applied {
            id: id.unwrap_or_default().to_owned(),
            sentence: format!("{typed} was {note}."),
            note: Some(note),
            ..Applied::default()
        })
    }

    /// All that a customer has of something.
    async fn all(
        &self,
        customer: CustomerId,
        all: Vec<Resource>,
    ) -> Result<Vec<PlannedRow<LifecycleRow>>, CliError> {
        if all.is_empty() && matches!(self.selection, Selection::Everything(..)) {
            let state = self.context.session.state();
            let verb = self.kind().verb;
            // What an interrupted run has ended is in no list any more.
            if state.is_some_and(|state| state.has_unfinished(verb, customer)) {
                return Ok(Vec::new());
            }
            return Err(CliError::not_found(format!(
                "No servers or domains found for customer {customer}. Is the number right?"
            ))
            .hint("a subscription alone is named with --service ID --product PRODUCT"));
        }
        if all.is_empty() {
            references::refuse_unknown(&self.context.session, customer).await?;
        }
        *self.planned.borrow_mut() = all.iter().map(Resource::record).collect();
        if self.to == Transition::Resume {
            let named = match &self.selection {
                Selection::Everything(_, args) => everything::named(self.context, customer, args)?,
                _ => None,
            };
            return Ok(resume::choose(self.context, customer, all, named.as_ref()));
        }
        let planned = |resource: Resource| PlannedRow {
            step: send::step(&self.context.session, &resource, self.to),
            row: LifecycleRow::listed(resource),
        };
        Ok(all.into_iter().map(planned).collect())
    }

    fn question_of_customer(
        &self,
        customer: CustomerId,
        level: ConfirmationLevel,
        all: &[&Resource],
    ) -> Question {
        // Whichever way: what is confirmed of a customer is their number.
        let typed = customer.to_string();
        if self.to == Transition::Resume {
            let question = resume::question(self.context, customer, all);
            return Question { typed, ..question };
        }
        let (verb, level) = match self.to.ends() {
            true => ("end", ConfirmationLevel::Severe),
            false => (
                self.to.verb(),
                level.max(ConfirmationLevel::Moderate).times(all.len()),
            ),
        };
        let text = format!(
            "About to {verb} everything customer {customer} has: {}. Only subscriptions that were set up from this computer are included; check your billing system for others.",
            contents(all)
        );
        Question { level, text, typed }
    }
}

/// `web-1 (203.0.113.1) of customer 42`; of several, how many of whom and the first names.
fn named(all: &[&Resource]) -> String {
    match all {
        [one] => one.named(),
        many => {
            let kind = many.first().map_or(ResourceKind::Server, |one| one.kind());
            let names: Vec<String> = many.iter().map(|one| one.name()).collect();
            format!("{} ({})", by_customer(many, kind), few(&names))
        }
    }
}

/// A spreadsheet that says whose a server is must be right about it.
fn refuse_another_owner(named: &NamedServer, server: &ServerTarget) -> Result<(), CliError> {
    match (named.customer, server.owner()) {
        (Some(customer), Some(owner)) if customer != owner => Err(CliError::usage(format!(
            "row {}: {} belongs to customer {owner}, not to {customer}: nothing was sent",
            named.word.line.unwrap_or_default(),
            server.name()
        ))),
        _ => Ok(()),
    }
}

/// How many of all that a customer has were to be changed.
pub fn of_all(to: Transition, customer: CustomerId, kind: ResourceKind, items: &[Item]) -> String {
    let total = counted(items.len(), kind.one());
    let is_left = |item: &&Item| !matches!(item.outcome, RowOutcome::Skipped(_));
    let state = match to {
        Transition::Suspend => "suspended",
        Transition::Resume => "active",
        Transition::Terminate | Transition::Delete => {
            return format!("Customer {customer} had {total}.");
        }
    };
    let were = match items.iter().filter(is_left).count() {
        1 => "1 was".to_owned(),
        left => format!("{left} were"),
    };
    format!("Customer {customer} has {total}; {were} not already {state}.")
}
