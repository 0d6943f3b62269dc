//! `secmon rules add -f`: the rules of a list, on the server that is named or where the list says.

use super::create::{self, ADDED, OnOverlap};
use super::existing::ExistingRules;
use super::listed::{self, ListedRule, Scope};
use super::wanted_rule::{Place, WantedRule};
use crate::bulk::args::RunArgs;
use crate::commands::common::views::ports_of;
use crate::context::Context;
use crate::error::CliError;
use crate::references::{self, PrefixPolicy, Reference};
use crate::session::prompt::ConfirmationLevel;
use crate::ui::outcome::Outcome;
use crate::values::durations::counted;
use secmon::model::Endpoint;
use std::path::Path;

/// A list of rules that are to be added.
pub struct RuleList<'a> {
    /// The file.
    pub file: &'a Path,
    /// The server that they are for; where there is none, the list says it.
    pub server: Option<&'a str>,
    /// What a port that a rule covers already does.
    pub on_overlap: OnOverlap,
}

/// Adds the rules of a list; one that is there as it stands in the list is not sent again.
pub async fn run(
    context: &Context,
    list: &RuleList<'_>,
    run: &RunArgs,
) -> Result<Outcome, CliError> {
    let rules = listed::read(list.file)?;
    let (expired, rules): (Vec<ListedRule>, Vec<ListedRule>) =
        rules.into_iter().partition(|rule| rule.is_expired);
    let placed = match list.server {
        Some(server) => on_server(context, server, rules).await?,
        None => where_listed(context, rules).await?,
    };
    for one in &placed {
        one.terms.check()?;
    }
    let there = ExistingRules::read(&context.session, &placed).await?;
    let (mut new, mut overlapping) = (0, Vec::new());
    for one in &placed {
        let known = there.at(&one.place);
        match known.iter().find(|rule| one.port.meets(rule)) {
            Some(rule) if !known.iter().any(|rule| one.is_made(rule)) => overlapping.push(format!(
                "{} (a rule for {} is there)",
                one.name(),
                ports_of(rule)
            )),
            Some(_) => {}
            None => new += 1,
        }
    }
    context
        .screen
        .note(&preview(placed.len(), new, &overlapping, expired.len()));
    create::run(context, ADDED, &placed, list.on_overlap, run).await
}

/// The rules of servers, all of them on one; what is for all servers stays so.
async fn on_server(
    context: &Context,
    server: &str,
    rules: Vec<ListedRule>,
) -> Result<Vec<WantedRule>, CliError> {
    let endpoint = references::endpoint(context, server).await?;
    let (global, of_servers): (Vec<ListedRule>, Vec<ListedRule>) = rules
        .into_iter()
        .partition(|rule| rule.scope == Scope::Global);
    ask_about_several(context, &endpoint, &of_servers)?;
    if !global.is_empty() {
        context.screen.note(&format!(
            "{} for all servers skipped: add them with --global",
            counted(global.len(), "rule")
        ));
    }
    let mut placed: Vec<WantedRule> = Vec::new();
    for rule in of_servers {
        let one = wanted(Place::Server(Box::new(endpoint.clone())), rule);
        // Two servers of the list may have the same rule.
        if placed.iter().all(|other| other.name() != one.name()) {
            placed.push(one);
        }
    }
    Ok(placed)
}

/// A list of several servers is put on one only by somebody who says so.
fn ask_about_several(
    context: &Context,
    endpoint: &Endpoint,
    rules: &[ListedRule],
) -> Result<(), CliError> {
    let mut places: Vec<&Scope> = Vec::new();
    for rule in rules {
        if rule.scope != Scope::Unsaid && !places.contains(&&rule.scope) {
            places.push(&rule.scope);
        }
    }
    if places.len() < 2 {
        return Ok(());
    }
    let question = format!(
        "The list has rules of {}: with --to {} all of them are added there, without it each on its own server.",
        counted(places.len(), "server"),
        references::name_of(endpoint)
    );
    let count = rules.len().to_string();
    context
        .prompt
        .confirm(ConfirmationLevel::Moderate, &question, &count)
}

/// Each rule on its own server, or on all servers of the customer that is named.
async fn where_listed(
    context: &Context,
    rules: Vec<ListedRule>,
) -> Result<Vec<WantedRule>, CliError> {
    let mut ids: Vec<String> = Vec::new();
    for rule in &rules {
        match (&rule.scope, context.session.settings.customer) {
            (Scope::Server(id), _) => ids.push(id.to_string()),
            (Scope::Named(name), _) => ids.push(name.clone()),
            (Scope::Global, Some(_)) => {}
            (Scope::Global, None) => {
                return Err(CliError::usage(
                    "the list has rules for all servers, but does not say whose: give -c ID",
                ));
            }
            (Scope::Unsaid, _) => {
                return Err(CliError::usage(format!(
                    "the list does not say on which server {} is allowed: give --to ENDPOINT",
                    rule.port
                )));
            }
        }
    }
    ids.sort();
    ids.dedup();
    let servers = references::endpoints(context, &ids, PrefixPolicy::Refused).await?;
    let server_of = |scope: &Scope| match scope {
        Scope::Server(id) => servers.iter().find(|server| server.id == *id),
        Scope::Named(name) => {
            let named = Reference::parse(name).ok()?;
            named.fit(&servers).servers.first().copied()
        }
        Scope::Global | Scope::Unsaid => None,
    };
    let place = |rule: &ListedRule| match rule.scope {
        Scope::Global | Scope::Unsaid => Ok(Place::Everywhere(context.session.settings.customer)),
        Scope::Server(_) | Scope::Named(_) => match server_of(&rule.scope) {
            Some(server) => Ok(Place::Server(Box::new(server.clone()))),
            None => Err(CliError::not_found(format!(
                "the server of the rule for {} is gone",
                rule.port
            ))),
        },
    };
    let placed = rules.into_iter();
    placed.map(|rule| Ok(wanted(place(&rule)?, rule))).collect()
}

fn wanted(place: Place, rule: ListedRule) -> WantedRule {
    WantedRule {
        place,
        port: rule.port,
        terms: rule.terms,
    }
}

fn preview(total: usize, new: usize, overlapping: &[String], expired: usize) -> String {
    let mut preview = format!(
        "{}: {} new, {} there already",
        counted(total, "rule"),
        new,
        total - new - overlapping.len()
    );
    if !overlapping.is_empty() {
        preview += &format!(
            ", {} overlapping: {}",
            overlapping.len(),
            crate::bulk::preview(overlapping, String::clone)
        );
    }
    if expired > 0 {
        preview += &format!("; {} skipped", counted(expired, "expired rule"));
    }
    preview
}
