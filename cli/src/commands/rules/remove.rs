//! `secmon rules remove`: by their ids, or by the ports of a server.

use super::rule::{self, danger_of, refused_for_customer, server_of};
use crate::bulk::args::OnError;
use crate::bulk::{self, Done, End, Item, Words};
use crate::commands::common::views::ports_of;
use crate::context::{Context, Danger};
use crate::error::CliError;
use crate::machine::files;
use crate::notebook::index::Seen;
use crate::references;
use crate::ui::invocation::quoted;
use crate::ui::outcome::Outcome;
use crate::values::durations::counted;
use crate::values::ports::PortSpec;
use secmon::model::{Rule, RuleScope};
use secmon::operations::DeleteRule;
use serde_json::json;

const REMOVED: Words = Words {
    done: "removed",
    skipped: "removed before",
};

/// Runs the command: every rule is found before any is removed.
pub async fn run(
    context: &Context,
    names: &[String],
    server: Option<&str>,
) -> Result<Outcome, CliError> {
    let rules = match server {
        Some(server) => on_server(context, names, server).await?,
        None => by_ids(context, names).await?,
    };
    let question = format!(
        "About to remove {}: {}.",
        counted(rules.len(), "rule"),
        bulk::preview(&rules, |rule| rule::place(context, rule))
    );
    let name = match rules.as_slice() {
        [one] => one.id.to_string(),
        many => many.len().to_string(),
    };
    let danger = rules
        .iter()
        .map(|rule| danger_of(context, rule, Danger::Moderate))
        .max();
    let danger = danger.unwrap_or(Danger::Moderate).times(rules.len());
    context.confirm(danger, &question, &name)?;
    let ends = bulk::run(context, &rules, OnError::Continue, async |rule| {
        remove_one(context, rule).await
    })
    .await;
    let items = rules.iter().zip(ends).map(|(rule, end)| Item {
        row: None,
        target: ports_of(rule),
        customer: rule
            .endpoint
            .as_ref()
            .and_then(|endpoint| endpoint.billing_customer_id),
        end,
    });
    bulk::conclude(context, REMOVED, items.collect())
}

async fn by_ids(context: &Context, names: &[String]) -> Result<Vec<Rule>, CliError> {
    refuse_ports(names)?;
    let mut rules = Vec::new();
    for name in files::or_stdin(names)? {
        rules.push(rule::find(context, &name).await?);
    }
    Ok(rules)
}

/// A server's own rules for exactly these ports: one of several ports goes as a whole, or not at all.
async fn on_server(
    context: &Context,
    ports: &[String],
    server: &str,
) -> Result<Vec<Rule>, CliError> {
    let ports = PortSpec::parse_all(ports)?;
    let endpoint = references::endpoint(context, server).await?;
    let rules = references::all_rules(context, |mut list| {
        list.endpoint_id = Some(endpoint.id);
        list.scope = Some(RuleScope::Endpoint);
        list
    })
    .await?;
    let is_named = |rule: &Rule| ports.iter().any(|port| port.is_same(rule));
    let has_rule = |port: &&PortSpec| rules.iter().any(|rule| port.is_same(rule));
    match ports.iter().find(|port| !has_rule(port)) {
        Some(port) => Err(no_rule(
            &rules,
            port,
            &references::name_of(&endpoint),
            server,
        )),
        None => Ok(rules.into_iter().filter(is_named).collect()),
    }
}

/// The error of a port that no rule of a server is for, with the rule that it may be part of.
fn no_rule(rules: &[Rule], port: &PortSpec, name: &str, server: &str) -> CliError {
    let covering = rules.iter().find(|rule| port.meets(rule));
    let way_out = match covering {
        Some(rule) => format!(
            "a rule for {} is there; to remove all of it: `rules remove {}`",
            ports_of(rule),
            rule.id
        ),
        None => format!("see the rules there are: `rules list {}`", quoted(server)),
    };
    CliError::not_found(format!("no rule of {name} is for {port} alone")).hint(way_out)
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

async fn remove_one(context: &Context, rule: &Rule) -> Result<End, CliError> {
    let mut request = DeleteRule::account_wide(rule.id);
    request.billing_customer_id = context.settings.customer;
    let sent = context
        .write_touching(request, &rule::about(context, rule), server_of(rule))
        .await
        .map_err(|error| refused_for_customer(context, rule, error));
    let Some(_) = sent.map_err(|error| error.during(format!("removing rule {}", rule.id)))? else {
        return Ok(End::Planned);
    };
    context.learn(Seen::Gone(rule.id.into()));
    Ok(End::Done(Done {
        id: rule.id.to_string(),
        record: json!({ "id": rule.id, "removed": true }),
        sentence: format!(
            "The rule for {} is removed. If a port is still open, the next scan raises an alert.",
            rule::place(context, rule)
        ),
        ..Done::default()
    }))
}
