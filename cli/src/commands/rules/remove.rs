//! `secmon rules remove`: by their ids, or by the ports of a server.

use super::existing::{self, WiderRule};
use super::rule::{self, danger_of};
use crate::bulk::args::RunArgs;
use crate::bulk::{
    self, Applied, BulkOperation, Label, PlannedRow, Question, RowOutcome, VerbLabels,
};
use crate::commands::common::views::{owner_of, ports_of};
use crate::context::Context;
use crate::error::{CliError, Exit};
use crate::machine::files;
use crate::references::{self, Reference};
use crate::session::Session;
use crate::session::current_run::RunKind;
use crate::session::prompt::ConfirmationLevel;
use crate::state::changes::Scope;
use crate::ui::invocation::quoted;
use crate::ui::outcome::Outcome;
use crate::values::durations::counted;
use crate::values::ports::PortSpec;
use clap::Args;
use secmon::model::{CustomerId, Endpoint, Rule, RuleId, RuleScope};
use serde_json::json;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Rules to remove.
#[derive(Debug, Args)]
pub struct RuleRemoveArgs {
    /// Ids of the rules, or - to read them from standard input, one per line; with --on, their ports
    #[arg(value_name = "RULE|PORT", required = true)]
    pub rules: Vec<String>,
    /// The server whose own rules for these ports are removed: id, IP address, host name or nickname
    #[arg(long, value_name = "ENDPOINT")]
    pub on: Option<String>,
    /// How to go on with an earlier run
    #[command(flatten)]
    pub run: RunArgs,
}

const OPERATION: &str = "delete_rule";
const REMOVED: VerbLabels = VerbLabels {
    done: "removed",
    skipped: "already removed",
};

/// What names a rule, and the rule where there is one.
struct NamedRule {
    word: String,
    rule: Option<Rule>,
    /// What allows its ports all the same.
    wider: Option<WiderRule>,
}

/// Rules that are removed.
struct Removing<'a> {
    context: &'a Context,
    args: &'a RuleRemoveArgs,
    words: Vec<String>,
    ports: Vec<PortSpec>,
}

impl Removing<'_> {
    async fn by_ids(&self) -> Result<Vec<PlannedRow<NamedRule>>, CliError> {
        let mut rows = Vec::new();
        for word in &self.words {
            let found = rule::find(&self.context.session, word).await;
            self.add(&mut rows, word, found)?;
        }
        Ok(rows)
    }

    /// Adds what was named; a rule that is named twice is removed once.
    fn add(
        &self,
        rows: &mut Vec<PlannedRow<NamedRule>>,
        word: &str,
        found: Result<Rule, CliError>,
    ) -> Result<(), CliError> {
        let id = |row: &PlannedRow<NamedRule>| row.row.rule.as_ref().map(|rule| rule.id);
        let named = |rule| NamedRule {
            word: word.to_owned(),
            rule,
            wider: None,
        };
        match found {
            Ok(rule) if rows.iter().any(|row| id(row) == Some(rule.id)) => {}
            Ok(rule) => rows.push(PlannedRow::send(named(Some(rule)))),
            Err(error) if error.exit() == Exit::NotFound => {
                let state = self.context.session.state();
                let ended = state.and_then(|state| state.ended_from_here(word.trim()));
                rows.push(match ended {
                    Some(_) => removed_before(word, word.trim()),
                    None => PlannedRow::settled(named(None), RowOutcome::Failed(error)),
                });
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// A server's own rules for exactly these ports: one of several ports goes as a whole, or not at all.
    async fn on_server(&self, server: &str) -> Result<Vec<PlannedRow<NamedRule>>, CliError> {
        let endpoint = match references::endpoint(self.context, server).await {
            Err(error) if error.exit() == Exit::NotFound => {
                return Err(self.with_rules_of_ended(error, &self.ports, server).await);
            }
            found => found?,
        };
        let rules = references::all_rules(&self.context.session, |list| {
            list.endpoint_id = Some(endpoint.id);
            list.scope = Some(RuleScope::Endpoint);
        })
        .await?;
        let mut rows = Vec::new();
        let state = self.context.session.state();
        let removed = state.map(|state| state.removed_rules(&endpoint.id.to_string()));
        let removed = removed.unwrap_or_default().into_iter();
        let removed: Vec<Rule> = removed
            .filter_map(|rule| serde_json::from_value(rule).ok())
            .collect();
        for port in &self.ports {
            let found = rules.iter().find(|rule| port.is_same(rule)).cloned();
            let earlier = removed.iter().find(|rule| port.is_same(rule));
            if let (None, Some(earlier)) = (&found, earlier) {
                rows.push(removed_before(&port.to_string(), &earlier.id.to_string()));
                continue;
            }
            let found = match found {
                Some(rule) => Ok(rule),
                None => {
                    let name = references::name_of(&endpoint);
                    let error = CliError::not_found(format!(
                        "{name} has no rule of its own for exactly {port}"
                    ));
                    Err(match rules.iter().find(|rule| port.meets(rule)) {
                        Some(rule) => covered_by(error, rule),
                        None => self.with_global_rule(error, port, &endpoint).await,
                    })
                }
            };
            self.add(&mut rows, &port.to_string(), found)?;
        }
        Ok(rows)
    }

    /// Looks for rules for all servers that go on allowing what is removed.
    async fn find_wider(&self, rows: &mut [PlannedRow<NamedRule>]) -> Result<(), CliError> {
        let session = &self.context.session;
        let removed = rows.iter().filter_map(|row| row.row.rule.as_ref());
        let removed: Vec<RuleId> = removed.map(|rule| rule.id).collect();
        let mut global: BTreeMap<CustomerId, Vec<Rule>> = BTreeMap::new();
        for row in rows.iter_mut().map(|row| &mut row.row) {
            let of_server = row.rule.as_ref().filter(|rule| rule.endpoint_id.is_some());
            let Some((rule, owner)) = of_server.and_then(|rule| Some((rule, owner_of(rule)?)))
            else {
                continue;
            };
            if let Entry::Vacant(unread) = global.entry(owner) {
                unread.insert(existing::global_rules(session, Some(owner)).await?);
            }
            let stay = global.get(&owner).into_iter().flatten();
            let stay = stay.filter(|rule| !removed.contains(&rule.id));
            row.wider = WiderRule::among(stay, session, &rule::ports(rule)?);
        }
        Ok(())
    }

    /// The error of a port that no rule of a server is for, with the rule for all servers that allows it.
    async fn with_global_rule(
        &self,
        error: CliError,
        port: &PortSpec,
        server: &Endpoint,
    ) -> CliError {
        let owner = server.billing_customer_id;
        let global = existing::global_rules(&self.context.session, owner).await;
        let global = global.unwrap_or_default();
        error.hint(match global.iter().find(|rule| port.meets(rule)) {
            Some(rule) => format!(
                "{} is allowed there by a rule for all servers: `rules show {}`",
                ports_of(rule),
                rule.id
            ),
            None => format!(
                "see which rules there are: `rules list {}`",
                quoted(self.args.on.as_deref().unwrap_or_default())
            ),
        })
    }

    /// The error of a server that is in no list, with the rules that are left of it: they go by their ids.
    async fn with_rules_of_ended(
        &self,
        error: CliError,
        ports: &[PortSpec],
        server: &str,
    ) -> CliError {
        let session = &self.context.session;
        let rules = references::all_rules(session, |list| list.scope = Some(RuleScope::Endpoint));
        let (Ok(reference), Ok(rules)) = (Reference::parse(server), rules.await) else {
            return error;
        };
        let is_meant = |rule: &&Rule| ports.iter().any(|port| port.is_same(rule));
        let left = rules.iter().filter(is_meant).filter(|rule| {
            let server = rule.endpoint.as_ref().map(std::slice::from_ref);
            server.is_some_and(|server| {
                let is_its_id = reference.id == Some(server[0].id);
                is_its_id || !reference.fit(server).servers.is_empty()
            })
        });
        let left: Vec<String> = left.map(|rule| rule.id.to_string()).collect();
        match left.is_empty() {
            true => error,
            false => error.hint(format!(
                "the server has ended, and its rule is removed by id: `rules remove {}`",
                left.join(" ")
            )),
        }
    }
}

/// A rule that this computer has removed before.
fn removed_before(word: &str, id: &str) -> PlannedRow<NamedRule> {
    let outcome = RowOutcome::Skipped(Applied {
        id: id.to_owned(),
        record: json!({ "id": id, "removed": true }),
        sentence: format!("The rule {word} was already removed from this computer."),
        note: Some("already removed, from this computer".to_owned()),
        ..Applied::default()
    });
    let row = NamedRule {
        word: word.to_owned(),
        rule: None,
        wider: None,
    };
    PlannedRow::settled(row, outcome)
}

impl BulkOperation for Removing<'_> {
    type Row = NamedRule;

    fn kind(&self) -> RunKind {
        let scope = match self.args.rules.as_slice() {
            [one] if one != "-" => Scope::One,
            _ => Scope::Named,
        };
        RunKind {
            verb: OPERATION,
            scope,
            customer: None,
        }
    }

    async fn plan(&self) -> Result<Vec<PlannedRow<NamedRule>>, CliError> {
        let mut rows = match &self.args.on {
            Some(server) => self.on_server(server).await,
            None => self.by_ids().await,
        }?;
        self.find_wider(&mut rows).await?;
        Ok(rows)
    }

    fn label(&self, row: &NamedRule) -> Label {
        match &row.rule {
            Some(rule) => Label::of(ports_of(rule), owner_of(rule)),
            None => Label::of(&row.word, None),
        }
    }

    fn question(&self, rows: &[&NamedRule]) -> Question {
        let session = &self.context.session;
        let rules: Vec<&Rule> = rows.iter().filter_map(|row| row.rule.as_ref()).collect();
        let levels = rules
            .iter()
            .map(|rule| danger_of(session, rule, ConfirmationLevel::Moderate));
        Question {
            level: levels
                .max()
                .unwrap_or(ConfirmationLevel::Moderate)
                .times(rules.len()),
            text: format!(
                "About to remove {}: {}.",
                counted(rules.len(), "rule"),
                bulk::preview(&rules, |rule| rule::place(session, rule))
            ),
            typed: match rules.as_slice() {
                [one] => one.id.to_string(),
                many => many.len().to_string(),
            },
        }
    }

    async fn apply(&self, row: &NamedRule) -> Result<RowOutcome, CliError> {
        match &row.rule {
            Some(rule) => remove_one(&self.context.session, rule, row.wider.as_ref()).await,
            None => Ok(RowOutcome::Planned),
        }
    }
}

/// Runs the command: every rule is found before any is removed.
pub async fn run(context: &Context, args: &RuleRemoveArgs) -> Result<Outcome, CliError> {
    let (words, ports) = match &args.on {
        Some(_) => (Vec::new(), PortSpec::parse_all(&args.rules)?),
        None => {
            refuse_ports(&args.rules)?;
            (files::or_stdin(&args.rules)?, Vec::new())
        }
    };
    let removing = Removing {
        context,
        args,
        words,
        ports,
    };
    let items = bulk::run_bulk(context, &removing, &args.run).await?;
    bulk::conclude(&context.screen, REMOVED, items)
}

/// The error of a port that no rule of a server is for, with the rule that it is part of.
fn covered_by(error: CliError, rule: &Rule) -> CliError {
    error.hint(format!(
        "there is a rule for {}; to remove it as a whole: `rules remove {}`",
        ports_of(rule),
        rule.id
    ))
}

/// A server and its ports name no rule, and ports alone do not either.
fn refuse_ports(names: &[String]) -> Result<(), CliError> {
    // Six digits could be the beginning of an id.
    let no_id =
        |name: &String| name.contains('/') || references::check_named(rule::RULE, name).is_err();
    let is_port = |name: &String| no_id(name) && PortSpec::looks_like_port(name);
    let error = CliError::usage("a rule is removed by its id, or by its port on a server");
    if names.iter().all(is_port) {
        return Err(error.hint("say on which server with --on; see the ids: `rules list`"));
    }
    let is_before = |server: &&String| !is_port(server);
    let (server, ports) = match (names.split_first(), names.split_last()) {
        (Some((server, ports @ [_, ..])), _) if is_before(&server) => (server, ports),
        (_, Some((server, ports @ [_, ..]))) => (server, ports),
        _ => return Ok(()),
    };
    if !ports.iter().all(is_port) {
        return Ok(());
    }
    Err(error.hint(format!(
        "name the server with --on: `rules remove {} --on {}`",
        ports.join(" "),
        quoted(server)
    )))
}

async fn remove_one(
    session: &Session,
    rule: &Rule,
    wider: Option<&WiderRule>,
) -> Result<RowOutcome, CliError> {
    let customer = rule::customer_of(session, rule);
    Ok(match rule::remove(session, rule, customer).await? {
        true => RowOutcome::Applied(removed(session, rule, wider)),
        false => RowOutcome::Planned,
    })
}

fn removed(session: &Session, rule: &Rule, wider: Option<&WiderRule>) -> Applied {
    let place = rule::place(session, rule);
    let effect = match wider {
        Some(wider) => format!("It stays allowed there by {}.", wider.name()),
        None => "If a port is still open, the next scan raises an alert.".to_owned(),
    };
    Applied {
        id: rule.id.to_string(),
        record: json!({ "id": rule.id, "removed": true }),
        sentence: format!("The rule for {place} is removed. {effect}"),
        ..Applied::default()
    }
}
