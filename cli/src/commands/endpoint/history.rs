//! `secmon endpoint history`: what happened on one server, by what the service shows and this computer remembers.

use super::earlier_server::{self, EarlierServer};
use crate::commands::common::findings;
use crate::commands::common::views::{port_of, ports_of};
use crate::context::Context;
use crate::error::{CliError, Exit};
use crate::references::{self, Reference, ServerNames};
use crate::session::Session;
use crate::state::changes::ChangeResult;
use crate::state::history::ChangeRow;
use crate::ui::outcome::{Block, Cell, Field, Outcome, shown, wide};
use crate::values::days;
use clap::Args;
use secmon::model::{
    CustomerId, EndpointDetail, EndpointId, PortAlert, Rule, RuleScope, ScanStatus, Timestamp,
};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// A server, and how far to look back.
#[derive(Debug, Args)]
pub struct EndpointHistoryArgs {
    /// The server: id, IP address, host name or nickname
    pub endpoint: String,
    /// Only what happened since then: monday, yesterday, 2026-11-23, or 7d
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
}

/// Something that happened.
#[derive(Debug, Serialize)]
struct Event {
    at: Timestamp,
    kind: EventKind,
    event: String,
    /// Who did it, where it was done from this computer.
    user: Option<String>,
    /// The record: an alert, a rule, or the server.
    record: Option<String>,
    /// Where this is known from.
    source: Source,
    /// Its place among the changes from this computer.
    #[serde(skip)]
    place: Option<usize>,
}

impl Event {
    /// What comes first of what happened in one second: what time alone brings, then what was done, then what came of it.
    fn rank(&self) -> u8 {
        match self.kind {
            _ if self.place.is_some() => 2,
            EventKind::Added => 0,
            EventKind::Scanned | EventKind::AlertRaised | EventKind::RuleExpired => 1,
            _ => 3,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum EventKind {
    Added,
    Scanned,
    AlertRaised,
    AlertResolved,
    RuleMade,
    RuleChanged,
    RuleExpired,
    /// Something else that was changed from this computer.
    Changed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Source {
    Service,
    ThisComputer,
}

const COLUMNS: &[Field<Event>] = &[
    shown("at").of(|event| Cell::Time(event.at.clone())),
    shown("user").of(|event| Cell::maybe(event.user.as_ref())),
    shown("event").of(|event| Cell::text(&event.event)),
    wide("record").of(|event| Cell::maybe(event.record.as_ref())),
    wide("source").of(|event| {
        Cell::text(match event.source {
            Source::Service => "service",
            Source::ThisComputer => "this computer",
        })
    }),
];

const WHAT_IS_NOT_SEEN: &str = "Allowed ports raise no alerts, so they appear only in scans. Changes made elsewhere show only as the alerts and rules they left, without a user.";

/// A server whose history is asked for.
struct Subject {
    id: EndpointId,
    customer: CustomerId,
    address: String,
    name: String,
    /// What it found last; none for one that has ended.
    detail: Option<EndpointDetail>,
}

impl Subject {
    async fn find(context: &Context, typed: &str) -> Result<Self, CliError> {
        let session = &context.session;
        let server = match references::endpoint(context, typed).await {
            Ok(server) => server,
            Err(error) if error.exit() == Exit::NotFound => {
                return Ok(Self::of_ended(earlier_server::ended(
                    session, typed, error,
                )?));
            }
            Err(error) => return Err(error),
        };
        Ok(Self {
            id: server.id,
            customer: references::owner(context, &server)?,
            address: server.ip_address.to_string(),
            name: references::name_of(&server),
            detail: Some(findings::read(session, server.id).await?),
        })
    }

    fn of_ended(ended: EarlierServer) -> Self {
        Self {
            id: ended.id,
            customer: ended.customer,
            name: ended.address.clone(),
            address: ended.address,
            detail: None,
        }
    }

    fn heading(&self) -> String {
        let Self { name, customer, .. } = self;
        match &self.detail {
            Some(_) => format!("{name} of customer {customer}"),
            None => format!("{name} of customer {customer}: this server has ended"),
        }
    }
}

/// Runs the command.
pub async fn run(context: &Context, args: &EndpointHistoryArgs) -> Result<Outcome, CliError> {
    let since = args.since.as_deref();
    let since = since.map(|text| days::since("--since", text)).transpose()?;
    let session = &context.session;
    let subject = Subject::find(context, &args.endpoint).await?;
    let changes = session.state().map(|state| state.changes());
    let changes = changes.unwrap_or_default();
    let mut events = of_service_now(session, &subject).await?;
    let earlier = earlier_servers(session, &changes, subject.id);
    for earlier in &earlier {
        events.extend(alerts_of_earlier(session, earlier).await?);
    }
    let names = names(session, &changes, &args.endpoint, &subject)?;
    let is_its = |change: &ChangeRow| is_about(change, names.as_ref(), subject.customer);
    let its = changes
        .iter()
        .filter(|change| is_its(change) || earlier.iter().any(|earlier| earlier.is_in(change)));
    with_changes(&mut events, its);
    events.retain(|event| since.is_none_or(|since| event.at.date_time() >= since));
    events.sort_by_key(|event| (event.at.date_time(), event.rank(), event.place));
    let mut text = vec![Block::text(subject.heading()), Block::Rows];
    if events.is_empty() {
        text.push(Block::text(match since {
            Some(_) => "  Nothing found since then.",
            None => "  Nothing found.",
        }));
    }
    text.extend([Block::text(""), Block::text(WHAT_IS_NOT_SEEN)]);
    if subject.detail.is_none()
        && let Some(new) = earlier_server::moved_to(session, &changes, subject.id)
    {
        text.push(Block::Heading("Next:"));
        text.push(Block::next(
            format!("endpoint history {new}"),
            "what it was moved to",
        ));
    }
    let latest = context.screen.latest(&events, events.len(), "event");
    Ok(Outcome::list(latest, COLUMNS).tell(text))
}

/// What the service shows of it.
async fn of_service_now(session: &Session, subject: &Subject) -> Result<Vec<Event>, CliError> {
    let alerts = references::all_alerts(session, subject.customer, |list| {
        list.endpoint_id = Some(subject.id);
    });
    let rules = rules(session, subject);
    let mut events: Vec<Event> = subject.detail.iter().flat_map(of_server).collect();
    events.extend(alerts.await?.iter().flat_map(of_alert));
    events.extend(rules.await?.iter().flat_map(of_rule));
    Ok(events)
}

/// Rules that are or were about the server, those of all servers included.
async fn rules(session: &Session, subject: &Subject) -> Result<Vec<Rule>, CliError> {
    let mut rules = references::all_rules(session, |list| {
        list.endpoint_id = Some(subject.id);
        list.scope = Some(RuleScope::Endpoint);
    })
    .await?;
    let of_all = references::all_rules(session, |list| {
        list.billing_customer_id = Some(subject.customer);
        list.scope = Some(RuleScope::Global);
    })
    .await?;
    rules.extend(of_all);
    Ok(rules)
}

/// What it was before this computer moved it; behind `-c` nothing of another customer is shown.
fn earlier_servers(session: &Session, changes: &[ChangeRow], id: EndpointId) -> Vec<EarlierServer> {
    let wall = session.settings.customer;
    let mut earlier = earlier_server::all(changes, id);
    earlier.retain(|earlier| wall.is_none_or(|customer| customer == earlier.customer));
    earlier
}

/// Alerts stay with the server that they were raised on.
async fn alerts_of_earlier(
    session: &Session,
    earlier: &EarlierServer,
) -> Result<Vec<Event>, CliError> {
    let alerts = references::all_alerts(session, earlier.customer, |list| {
        list.endpoint_id = Some(earlier.id);
    })
    .await?;
    let mut events: Vec<Event> = alerts.iter().flat_map(of_alert).collect();
    for event in &mut events {
        event.event.push_str(&format!(" on {earlier}"));
    }
    Ok(events)
}

/// What the server is called in changes, where any are remembered.
fn names<'a>(
    session: &Session,
    changes: &[ChangeRow],
    typed: &'a str,
    subject: &Subject,
) -> Result<Option<ServerNames<'a>>, CliError> {
    let typed = Reference::parse(typed)?;
    let state = session.state();
    Ok(state
        .map(|state| ServerNames::new(state, changes, &typed).and_of(subject.id, &subject.address)))
}

/// Whether a change was about the server, or about a rule for all servers. Another customer's server may have the same name.
fn is_about(change: &ChangeRow, names: Option<&ServerNames<'_>>, customer: CustomerId) -> bool {
    let is_theirs = change.customers.is_empty() || change.customers.contains(&customer);
    let is_of_all = change.server.is_none() && change.operation.ends_with("_rule");
    is_theirs && (is_of_all || names.is_some_and(|names| names.are_in(change)))
}

fn of_service(
    kind: EventKind,
    at: Option<&Timestamp>,
    event: String,
    record: impl ToString,
) -> Option<Event> {
    Some(Event {
        at: at?.clone(),
        kind,
        event,
        user: None,
        record: Some(record.to_string()),
        source: Source::Service,
        place: None,
    })
}

/// That it was added, and what its last two scans found.
fn of_server(detail: &EndpointDetail) -> Vec<Event> {
    let (server, id) = (&detail.data, detail.data.id);
    let added = server.created_at.as_ref();
    let added = of_service(EventKind::Added, added, "added".to_owned(), id);
    let scanned = detail.latest_scan.as_ref().and_then(|scan| {
        let found = found(detail, &scan.status);
        of_service(EventKind::Scanned, scan.scanned_at.as_ref(), found, id)
    });
    added.into_iter().chain(scanned).collect()
}

/// The ports of the last scan, and those of the one before.
fn found(detail: &EndpointDetail, status: &ScanStatus) -> String {
    let Some(now) = findings::open_ports(detail) else {
        return format!("last scan: {status}");
    };
    let now: BTreeSet<u16> = now.iter().copied().collect();
    let mut before = now.clone();
    before.retain(|port| !detail.new_ports.contains(port));
    before.extend(&detail.closed_ports);
    match now == before {
        true => format!("last scan: open {}", listed(&now)),
        false => format!(
            "last scan: open {}; the scan before: {}",
            listed(&now),
            listed(&before)
        ),
    }
}

fn listed(ports: &BTreeSet<u16>) -> String {
    if ports.is_empty() {
        return "no port".to_owned();
    }
    let ports: Vec<String> = ports.iter().map(ToString::to_string).collect();
    ports.join(" ")
}

/// That an alert was raised, and that it was resolved.
fn of_alert(alert: &PortAlert) -> Vec<Event> {
    let (port, id) = (port_of(alert), alert.id);
    let severity = alert.severity.as_ref();
    let severity = severity.map_or_else(String::new, |severity| format!("{severity} "));
    let raised = of_service(
        EventKind::AlertRaised,
        alert.first_detected_at.as_ref(),
        format!("{severity}alert: {port} is open"),
        id,
    );
    let resolved = of_service(
        EventKind::AlertResolved,
        alert.resolved_at.as_ref(),
        format!("alert of {port} resolved"),
        id,
    );
    raised.into_iter().chain(resolved).collect()
}

/// That a rule was made, that it was changed, and that it has expired.
fn of_rule(rule: &Rule) -> Vec<Event> {
    let place = match rule.endpoint_id {
        Some(_) => "",
        None => " on all servers",
    };
    let (ports, id) = (ports_of(rule), rule.id);
    let why = rule.justification.as_deref().unwrap_or_default();
    let made = rule.created_at.as_ref();
    let changed = rule.updated_at.as_ref().filter(|at| made != Some(at));
    let has_ended = rule.is_active == Some(false);
    let end = rule.expires_at.as_ref().filter(|_| has_ended);
    let events = [
        (
            EventKind::RuleMade,
            made,
            format!("{ports} allowed{place}: {why}"),
        ),
        (
            EventKind::RuleChanged,
            changed,
            format!("rule of {ports}{place} changed: {why}"),
        ),
        (
            EventKind::RuleExpired,
            end,
            format!("rule of {ports}{place} expired"),
        ),
    ];
    let events = events.into_iter();
    events
        .filter_map(|(kind, at, event)| of_service(kind, at, event, id))
        .collect()
}

/// Adds the changes from this computer. What one of them has left at the service is told once, in the service's words and
/// with the name of who did it.
fn with_changes<'a>(events: &mut Vec<Event>, changes: impl Iterator<Item = &'a ChangeRow>) {
    for (place, change) in changes.enumerate() {
        // A server that was ended and restored shows when it was added first: the change that did that comes first.
        let left = events
            .iter_mut()
            .filter(|event| event.source == Source::Service && has_left(change, event));
        let mut is_told = false;
        for event in left {
            event.user = Some(change.user.clone());
            event.source = Source::ThisComputer;
            event.place = Some(place);
            is_told = true;
        }
        if !is_told {
            events.extend(of_change(change).map(|event| Event {
                place: Some(place),
                ..event
            }));
        }
    }
}

/// Whether an event of the service is this change: the answer to it had the same record and moment.
fn has_left(change: &ChangeRow, event: &Event) -> bool {
    let (verbs, moment) = match event.kind {
        EventKind::Added => (&["create_"][..], "created_at"),
        EventKind::RuleMade => (&["create_", "ingest_"][..], "created_at"),
        EventKind::RuleChanged => (&["update_"][..], "updated_at"),
        EventKind::AlertResolved => (&["resolve_"][..], "resolved_at"),
        _ => return false,
    };
    let is_it = |record: &Value| {
        let text = |member| record.get(member).and_then(Value::as_str);
        let at = text(moment).and_then(|at| at.parse().ok());
        text("id") == event.record.as_deref() && at.as_ref() == Some(&event.at)
    };
    verbs.iter().any(|verb| change.operation.starts_with(verb)) && answered(change).any(is_it)
}

/// The records of an answer: one, or the rules that a firewall dump became.
fn answered(change: &ChangeRow) -> impl Iterator<Item = &Value> {
    let after = change.after.as_ref();
    let suggested = after.and_then(|after| after.get("suggested")?.as_array());
    after.into_iter().chain(suggested.into_iter().flatten())
}

/// A change that was refused has left nothing.
fn of_change(change: &ChangeRow) -> Option<Event> {
    let result = match change.result {
        ChangeResult::Refused => return None,
        ChangeResult::Changed => String::new(),
        other => format!(" ({})", other.as_str()),
    };
    Some(Event {
        at: change.at.parse().ok()?,
        kind: EventKind::Changed,
        event: format!(
            "{}: {}{result}",
            change.operation.replace('_', " "),
            change.about
        ),
        user: Some(change.user.clone()),
        record: change.record.clone(),
        source: Source::ThisComputer,
        place: None,
    })
}
