//! `secmon rules add -f`: the rules of a list, on the server that is named or where the list says.

use super::create::{self, ADDED, Existing, Place, Wanted};
use super::listed::{self, ListedRule, Scope};
use crate::bulk::args::RunArgs;
use crate::commands::common::views::ports_of;
use crate::context::Context;
use crate::error::CliError;
use crate::references::{self, Prefixes};
use crate::ui::outcome::{Line, Outcome};
use crate::values::durations::counted;
use secmon::model::{Endpoint, EndpointId, Rule};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;

/// Adds the rules of a list, on one server or where the list says; one that is there as it stands in the list is not
/// sent again.
pub async fn run(
    context: &Context,
    (file, server): (&Path, Option<&str>),
    existing: Existing,
    run: &RunArgs,
) -> Result<Outcome, CliError> {
    let rules = listed::read(file)?;
    let (expired, rules): (Vec<ListedRule>, Vec<ListedRule>) =
        rules.into_iter().partition(|rule| rule.is_expired);
    let placed = match server {
        Some(server) => on_server(context, server, rules).await?,
        None => where_listed(context, rules).await?,
    };
    let total = placed.len();
    let mut wanted = Vec::new();
    let mut overlapping = Vec::new();
    let mut there = BTreeMap::new();
    for one in placed {
        one.addition.check()?;
        let known = rules_at(context, &one.place, &mut there).await?;
        if known.iter().any(|rule| one.is_made(rule)) {
            continue;
        }
        if let Some(rule) = known.iter().find(|rule| one.port.meets(rule)) {
            overlapping.push(format!(
                "{} (a rule for {} is there)",
                one.name(),
                ports_of(rule)
            ));
        }
        wanted.push(one);
    }
    let preview = preview(total, wanted.len(), &overlapping, expired.len());
    if wanted.is_empty() {
        let outcome = Outcome::record(
            serde_json::json!({
                "summary": { "total": 0, "succeeded": 0, "failed": 0, "skipped": 0 },
                "items": [],
            }),
            Default::default(),
        );
        return Ok(outcome.tell(vec![Line::text(preview)]));
    }
    context.screen.note(&preview);
    create::run(context, ADDED, &wanted, existing, run).await
}

/// The rules of servers, all of them on one; what is for all servers stays so.
async fn on_server(
    context: &Context,
    server: &str,
    rules: Vec<ListedRule>,
) -> Result<Vec<Wanted>, CliError> {
    let endpoint = references::endpoint(context, server).await?;
    let (global, of_servers): (Vec<ListedRule>, Vec<ListedRule>) = rules
        .into_iter()
        .partition(|rule| rule.scope == Scope::Global);
    if !global.is_empty() {
        context.screen.note(&format!(
            "{} for all servers skipped: add them with --global",
            counted(global.len(), "rule")
        ));
    }
    let mut placed: Vec<Wanted> = Vec::new();
    for rule in of_servers {
        let one = wanted(Place::Server(Box::new(endpoint.clone())), rule);
        // Two servers of the list may have the same rule.
        if placed.iter().all(|other| other.name() != one.name()) {
            placed.push(one);
        }
    }
    Ok(placed)
}

/// Each rule on its own server, or on all servers of the customer that is named.
async fn where_listed(context: &Context, rules: Vec<ListedRule>) -> Result<Vec<Wanted>, CliError> {
    let mut ids: Vec<String> = Vec::new();
    for rule in &rules {
        match (rule.scope, context.session.settings.customer) {
            (Scope::Server(id), _) => ids.push(id.to_string()),
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
    let servers = references::endpoints(context, &ids, Prefixes::Refused).await?;
    let servers: BTreeMap<EndpointId, Endpoint> = servers
        .into_iter()
        .map(|server| (server.id, server))
        .collect();
    let place = |scope: Scope| match scope {
        Scope::Server(id) => Some(Place::Server(Box::new(servers.get(&id)?.clone()))),
        Scope::Global | Scope::Unsaid => Some(Place::Everywhere(context.session.settings.customer)),
    };
    let placed = rules.into_iter();
    let placed = placed.filter_map(|rule| Some(wanted(place(rule.scope)?, rule)));
    Ok(placed.collect())
}

fn wanted(place: Place, rule: ListedRule) -> Wanted {
    Wanted {
        place,
        port: rule.port,
        addition: rule.addition,
    }
}

/// The rules that are there already, read once for each place.
async fn rules_at<'a>(
    context: &Context,
    place: &Place,
    there: &'a mut BTreeMap<Option<EndpointId>, Vec<Rule>>,
) -> Result<&'a [Rule], CliError> {
    let server = match place {
        Place::Server(endpoint) => Some(endpoint.id),
        Place::Everywhere(_) => None,
    };
    Ok(match there.entry(server) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(unread) => {
            let rules = create::rules_of(&context.session, place).await?;
            unread.insert(rules)
        }
    })
}

fn preview(total: usize, to_add: usize, overlapping: &[String], expired: usize) -> String {
    let mut preview = format!(
        "{}: {} new, {} there already",
        counted(total, "rule"),
        to_add - overlapping.len(),
        total - to_add
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
