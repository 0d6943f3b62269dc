//! `secmon rules remove`: by their ids, or by the ports of a server.

use super::rule::{self, danger_of};
use crate::bulk::args::RunArgs;
use crate::bulk::{self, ChangeOfMany, Done, End, Journal, Key, Label, Origin, Prior, Words};
use crate::commands::common::views::{owner_of, ports_of};
use crate::context::Context;
use crate::error::{CliError, Exit};
use crate::machine::files;
use crate::notebook::index::Seen;
use crate::notebook::way_back::WayBack;
use crate::references::{self, Reference};
use crate::session::Session;
use crate::session::prompt::{Danger, Prompt};
use crate::ui::invocation::quoted;
use crate::ui::outcome::{Outcome, to_json};
use crate::values::durations::counted;
use crate::values::ports::PortSpec;
use clap::Args;
use secmon::model::{Rule, RuleScope};
use secmon::operations::DeleteRule;
use serde_json::{Value, json};

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

const OPERATION: &str = "remove_rule";
const REMOVED: Words = Words {
    done: "removed",
    skipped: "already removed",
};

/// A rule, and the word that names it.
struct NamedRule {
    word: String,
    rule: Rule,
    /// An earlier run has asked for its end, and it is no longer there.
    is_gone: bool,
}

/// Rules that are removed, and the run that this one may go on with.
struct Removing<'a> {
    context: &'a Context,
    args: &'a RuleRemoveArgs,
    journal: Journal,
}

impl<'a> Removing<'a> {
    fn begin(
        context: &'a Context,
        args: &'a RuleRemoveArgs,
        words: &[String],
    ) -> Result<Self, CliError> {
        let keys: Vec<Key> = words
            .iter()
            .map(|word| key(&context.session, args, word))
            .collect();
        let journal = Journal::open(context, OPERATION, Origin::Rows, &keys, &args.run)?;
        Ok(Self {
            context,
            args,
            journal,
        })
    }

    /// The rule that a word names, as it was found; or as the earlier run knew it.
    fn row(&self, word: &str, found: Result<Rule, CliError>) -> Result<NamedRule, CliError> {
        let key = key(&self.context.session, self.args, word);
        let earlier: Option<Rule> = self.journal.recalled(&key);
        let (rule, is_gone) = match (found, earlier) {
            (Ok(rule), Some(earlier)) if rule.id != earlier.id => {
                let place = format!("the rule for {}", rule::place(&self.context.session, &rule));
                return Err(bulk::came_back(word, &place, "remove"));
            }
            (Ok(rule), _) => (rule, false),
            (Err(error), Some(rule)) if error.exit() == Exit::NotFound => (rule, true),
            (Err(error), _) => return Err(error),
        };
        Ok(NamedRule {
            word: word.to_owned(),
            rule,
            is_gone,
        })
    }

    async fn by_ids(&self, names: &[String]) -> Result<Vec<NamedRule>, CliError> {
        let mut rows = Vec::new();
        for name in names {
            let found = rule::find(&self.context.session, name).await;
            push(&mut rows, self.row(name, found)?);
        }
        Ok(rows)
    }

    /// A server's own rules for exactly these ports: one of several ports goes as a whole, or not at all.
    async fn on_server(
        &self,
        ports: &[PortSpec],
        server: &str,
    ) -> Result<Vec<NamedRule>, CliError> {
        let endpoint = match references::endpoint(self.context, server).await {
            Err(error) if error.exit() == Exit::NotFound => {
                return Err(self.with_rules_of_ended(error, ports, server).await);
            }
            found => found?,
        };
        let rules = references::all_rules(&self.context.session, |list| {
            list.endpoint_id = Some(endpoint.id);
            list.scope = Some(RuleScope::Endpoint);
        })
        .await?;
        let mut rows = Vec::new();
        for port in ports {
            let found = rules.iter().find(|rule| port.is_same(rule)).cloned();
            let none = || no_rule(&rules, port, &references::name_of(&endpoint), server);
            let row = self.row(&port.to_string(), found.ok_or_else(none))?;
            push(&mut rows, row);
        }
        Ok(rows)
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

/// A rule that is named twice is removed once.
fn push(rows: &mut Vec<NamedRule>, row: NamedRule) {
    if rows.iter().all(|other| other.rule.id != row.rule.id) {
        rows.push(row);
    }
}

fn key(session: &Session, args: &RuleRemoveArgs, word: &str) -> Key {
    let place = args.on.as_deref().unwrap_or_default();
    Key::of(
        OPERATION,
        session.settings.customer,
        &format!("{place} {word}"),
    )
}

impl ChangeOfMany for Removing<'_> {
    type Target = NamedRule;

    fn operation(&self) -> &'static str {
        OPERATION
    }

    fn label(&self, row: &NamedRule) -> Label {
        Label::of(ports_of(&row.rule), owner_of(&row.rule))
    }

    fn key(&self, row: &NamedRule) -> Key {
        key(&self.context.session, self.args, &row.word)
    }

    fn kept(&self, row: &NamedRule) -> Value {
        to_json(&row.rule)
    }

    fn stands(&self, row: &NamedRule) -> bool {
        row.is_gone
    }

    async fn already(&self, row: &NamedRule, prior: Prior) -> Result<Option<End>, CliError> {
        let is_gone = row.is_gone && prior == Prior::PerhapsDone;
        let end = || End::Skipped(removed(&self.context.session, &row.rule));
        Ok(is_gone.then(|| end().after(prior)))
    }

    async fn apply(&self, row: &NamedRule, _prior: Prior) -> Result<End, CliError> {
        remove_one(&self.context.session, &row.rule).await
    }
}

/// Runs the command: every rule is found before any is removed.
pub async fn run(context: &Context, args: &RuleRemoveArgs) -> Result<Outcome, CliError> {
    let (removing, rows) = match &args.on {
        Some(server) => {
            let ports = PortSpec::parse_all(&args.rules)?;
            let words: Vec<String> = ports.iter().map(ToString::to_string).collect();
            let removing = Removing::begin(context, args, &words)?;
            let rows = removing.on_server(&ports, server).await?;
            (removing, rows)
        }
        None => {
            refuse_ports(&args.rules)?;
            let words = files::or_stdin(&args.rules)?;
            let removing = Removing::begin(context, args, &words)?;
            let rows = removing.by_ids(&words).await?;
            (removing, rows)
        }
    };
    confirm(&context.session, &context.prompt, &rows)?;
    let run = (&removing.journal, &args.run);
    let items = bulk::change_in_journal(context, &removing, &rows, run).await?;
    bulk::conclude(&context.screen, REMOVED, items)
}

fn confirm(session: &Session, prompt: &Prompt, rows: &[NamedRule]) -> Result<(), CliError> {
    let question = format!(
        "About to remove {}: {}.",
        counted(rows.len(), "rule"),
        bulk::preview(rows, |row| rule::place(session, &row.rule))
    );
    let name = match rows {
        [one] => one.rule.id.to_string(),
        many => many.len().to_string(),
    };
    let danger = rows
        .iter()
        .map(|row| danger_of(session, &row.rule, Danger::Moderate))
        .max();
    let danger = danger.unwrap_or(Danger::Moderate).times(rows.len());
    prompt.confirm(danger, &question, &name)
}

/// The error of a port that no rule of a server is for, with the rule that it may be part of.
fn no_rule(rules: &[Rule], port: &PortSpec, name: &str, server: &str) -> CliError {
    let covering = rules.iter().find(|rule| port.meets(rule));
    let way_out = match covering {
        Some(rule) => format!(
            "there is a rule for {}; to remove it as a whole: `rules remove {}`",
            ports_of(rule),
            rule.id
        ),
        None => format!("see which rules there are: `rules list {}`", quoted(server)),
    };
    CliError::not_found(format!("{name} has no rule for exactly {port}")).hint(way_out)
}

/// A server and its ports name no rule.
fn refuse_ports(names: &[String]) -> Result<(), CliError> {
    let Some((server, ports)) = names.split_first() else {
        return Ok(());
    };
    // Six digits could be the beginning of an id.
    let no_id =
        |name: &String| name.contains('/') || references::check_named(rule::RULE, name).is_err();
    let is_port = |name: &String| no_id(name) && PortSpec::looks_like_port(name);
    if ports.is_empty() || !ports.iter().all(is_port) {
        return Ok(());
    }
    Err(
        CliError::usage("a rule is removed by its id, or by its port on a server").hint(format!(
            "name the server with --on: `rules remove {} --on {}`",
            ports.join(" "),
            quoted(server)
        )),
    )
}

async fn remove_one(session: &Session, rule: &Rule) -> Result<End, CliError> {
    let mut request = DeleteRule::account_wide(rule.id);
    request.billing_customer_id = session.settings.customer;
    // Whose servers a global rule is for, nobody could say later.
    let way_back = rule::owner_of(session, rule).map(|customer| WayBack::AddRule {
        rule: Box::new(rule.clone()),
        customer,
    });
    let sent = rule::send(session, ("removing", rule), request, way_back).await?;
    Ok(sent.map_or(End::Planned, |_| {
        session.learn(Seen::Gone(rule.id.into()));
        End::Done(removed(session, rule))
    }))
}

fn removed(session: &Session, rule: &Rule) -> Done {
    Done {
        id: rule.id.to_string(),
        record: json!({ "id": rule.id, "removed": true }),
        sentence: format!(
            "The rule for {} is removed. If a port is still open, the next scan raises an alert.",
            rule::place(session, rule)
        ),
        ..Done::default()
    }
}
