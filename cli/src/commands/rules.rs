//! `secmon rules ...`: Allowed Ports.

use super::rule_adding::{self, Addition, EVERY_SERVER, Place, Wanted};
use super::{rule_import, rule_removing, views};
use crate::args::{
    Justification, RuleAddArgs, RuleCommand, RuleCopyArgs, RuleEditArgs, RuleListArgs,
    RuleScopeArg, RuleStatusArg,
};
use crate::bulk::Words;
use crate::context::{Context, Danger};
use crate::error::{CliError, Exit};
use crate::references::{self, Named, Prefixes};
use crate::ui::invocation::quoted;
use crate::ui::outcome::{Cell, Column, Line, Outcome, Table, shown, to_json};
use crate::values::days;
use crate::values::durations;
use crate::values::ports::PortSpec;
use secmon::model::{EndpointSummary, Rule, RuleScope, RuleStatus};
use secmon::operations::{GetRule, GetRuleSummary, UpdateRule};
use serde_json::Value;
use uuid::Uuid;

const SUMMARY: &[Column] = &[
    shown("id"),
    shown("ip_address"),
    shown("nickname"),
    shown("rule_count"),
];
const ADDED: Words = Words {
    done: "allowed",
    skipped: "allowed before",
};
pub(super) const RULE: Named = Named {
    one: "rule",
    list: "rules list",
};

/// Rules that end within this many days are worth a look.
pub const SOON_DAYS: i64 = 14;

/// Whether a rule is in force and about to expire.
pub fn ends_soon(rule: &Rule) -> bool {
    let soon = chrono::Utc::now() + chrono::TimeDelta::days(SOON_DAYS);
    let end = rule.expires_at.as_ref();
    rule.is_active != Some(false) && end.is_some_and(|end| end.date_time() <= soon)
}

/// Runs the command.
pub async fn run(context: &Context, command: RuleCommand) -> Result<Outcome, CliError> {
    match command {
        RuleCommand::List(args) => list(context, &args).await,
        RuleCommand::Summary => summary(context).await,
        RuleCommand::Add(args) => add(context, args).await,
        RuleCommand::Show { rule } => show(context, &rule).await,
        RuleCommand::Edit(args) => edit(context, args).await,
        RuleCommand::Remove { rules, on } => {
            rule_removing::run(context, &rules, on.as_deref()).await
        }
        RuleCommand::Copy(args) => copy(context, &args).await,
        RuleCommand::Import(args) => rule_import::run(context, &args).await,
    }
}

async fn list(context: &Context, args: &RuleListArgs) -> Result<Outcome, CliError> {
    let endpoint = match &args.endpoint {
        Some(name) => Some(references::endpoint(context, name).await?.id),
        None => None,
    };
    let within = args
        .expiring
        .as_deref()
        .map(|text| durations::length("--expiring", text))
        .transpose()?;
    let mut rules = references::all_rules(context, |mut list| {
        list.endpoint_id = endpoint;
        list.scope = args.scope.map(scope);
        list.status = args.status.map(status);
        list
    })
    .await?;
    if let Some(within) = within {
        let latest = chrono::Utc::now() + within;
        rules.retain(|rule| {
            rule.expires_at
                .as_ref()
                .is_some_and(|end| end.date_time() <= latest)
        });
    }
    Ok(Outcome::list(&rules, views::RULE, views::rule))
}

fn scope(argument: RuleScopeArg) -> RuleScope {
    match argument {
        RuleScopeArg::Global => RuleScope::Global,
        RuleScopeArg::Endpoint => RuleScope::Endpoint,
    }
}

fn status(argument: RuleStatusArg) -> RuleStatus {
    match argument {
        RuleStatusArg::Active => RuleStatus::Active,
        RuleStatusArg::Expired => RuleStatus::Expired,
    }
}

async fn summary(context: &Context) -> Result<Outcome, CliError> {
    let customer = context.customer()?;
    let summary = context
        .read(GetRuleSummary::new(customer))
        .await?
        .into_data();
    let mut table = Table::new(SUMMARY);
    table.rows = summary.endpoints.iter().map(summary_row).collect();
    let global = Line::Field("for all servers", Cell::count(summary.global_count));
    Ok(Outcome::record(to_json(&summary), table).tell(vec![Line::Rows, global]))
}

fn summary_row(endpoint: &EndpointSummary) -> Vec<Cell> {
    vec![
        Cell::text(endpoint.endpoint_id),
        Cell::maybe(endpoint.ip_address.as_ref()),
        Cell::maybe(endpoint.nickname.as_ref()),
        Cell::count(endpoint.rule_count),
    ]
}

async fn show(context: &Context, name: &str) -> Result<Outcome, CliError> {
    let rule = find(context, name).await?;
    let table = Table::one(views::RULE, views::rule(&rule));
    let story = vec![
        Line::text(sentence(&rule, &views::place_of(&rule))),
        Line::Field("id", Cell::text(rule.id)),
        Line::Field("reason", Cell::maybe(rule.justification.as_ref())),
        Line::Field("service", Cell::maybe(rule.service.as_ref())),
        Line::Field("expires", Cell::due(rule.expires_at.as_ref())),
        Line::Field("active", Cell::maybe(rule.is_active)),
        Line::Field("made", Cell::time(rule.created_at.as_ref())),
    ];
    Ok(Outcome::record(to_json(&rule), table).tell(story))
}

/// A rule in one sentence.
fn sentence(rule: &Rule, place: &str) -> String {
    let ports = views::ports_of(rule);
    match rule.is_active {
        Some(false) => format!("{ports} was allowed on {place}; the rule has expired."),
        _ => format!("{ports} is allowed on {place}."),
    }
}

/// The servers that a change of a rule is about. Whose a global rule is, the service tells only by refusing to change it
/// for a customer who does not own it.
fn servers_of(context: &Context, rule: &Rule) -> String {
    match (rule.endpoint_id, context.settings.customer) {
        (Some(_), _) => views::place_of(rule),
        (None, Some(customer)) => format!("all servers of customer {customer}"),
        (None, None) => format!("{EVERY_SERVER} (or of one customer: name them with -c)"),
    }
}

/// How hard a change of a rule is to take back: one that may be the account's is everybody's.
pub(super) fn danger_of(context: &Context, rule: &Rule, of_one: Danger) -> Danger {
    match (rule.endpoint_id, context.settings.customer) {
        (None, None) => Danger::Severe,
        _ => of_one,
    }
}

/// What a rule is about, in a list.
pub(super) fn place(context: &Context, rule: &Rule) -> String {
    format!("{} on {}", views::ports_of(rule), servers_of(context, rule))
}

/// What a change of a rule is about.
pub(super) fn about(context: &Context, rule: &Rule) -> String {
    format!("rule for {}", place(context, rule))
}

/// A rule that every customer sees and none may change is the account's.
pub(super) fn refused_for_customer(context: &Context, rule: &Rule, error: CliError) -> CliError {
    match (rule.endpoint_id, context.settings.customer) {
        (None, Some(customer)) if error.exit() == Exit::NotFound => CliError::not_found(format!(
            "rule {} is not customer {customer}'s: it counts for the whole account",
            rule.id
        ))
        .hint("to change it for every customer, name none: leave -c out"),
        _ => error,
    }
}

pub(super) fn server_of(rule: &Rule) -> Option<Uuid> {
    rule.endpoint_id.map(Uuid::from)
}

pub(super) async fn find(context: &Context, name: &str) -> Result<Rule, CliError> {
    references::check_named(RULE, name)?;
    if let Ok(id) = name.trim().parse::<Uuid>() {
        let mut get = GetRule::account_wide(id.into());
        get.billing_customer_id = context.settings.customer;
        let found = context.read(get).await;
        if let (Err(error), Some(customer)) = (&found, context.settings.customer)
            && error.exit() == Exit::NotFound
        {
            references::refuse_unknown(context, customer).await?;
        }
        return Ok(found?.into_data());
    }
    let rules = references::all_rules(context, |list| list).await?;
    references::by_id_or_prefix(context, name, RULE, rules, |rule| rule.id.to_string())
}

async fn add(context: &Context, args: RuleAddArgs) -> Result<Outcome, CliError> {
    let (servers, ports) = split(&args)?;
    let ports = PortSpec::parse_all(ports).map_err(|error| suggest_order(error, &args))?;
    let reason = justification(context, &args.justification)?;
    let addition = Addition::new(reason, args.service.clone(), args.expires.as_deref())?;
    let places = if args.global {
        vec![everywhere(context, &args, &ports).await?]
    } else {
        let found = references::endpoints(context, &servers, Prefixes::Accepted).await;
        found
            .map_err(|error| suggest_global(error, &args))?
            .into_iter()
            .map(|endpoint| Place::Server(Box::new(endpoint)))
            .collect()
    };
    let wanted: Vec<Wanted> = places
        .iter()
        .flat_map(|place| ports.iter().map(move |port| (place, port)))
        .map(|(place, port)| Wanted {
            place: place.clone(),
            port: port.clone(),
            addition: addition.clone(),
        })
        .collect();
    let existing = if args.skip_existing {
        rule_adding::Existing::Skip
    } else {
        rule_adding::Existing::FailNamingOption
    };
    rule_adding::run(context, ADDED, &wanted, existing, Some(&args.run)).await
}

/// All servers of one customer, or of the account where that was said and confirmed.
async fn everywhere(
    context: &Context,
    args: &RuleAddArgs,
    ports: &[PortSpec],
) -> Result<Place, CliError> {
    match (context.settings.customer, args.account) {
        (Some(customer), false) => {
            references::refuse_unknown(context, customer).await?;
            Ok(Place::Everywhere(Some(customer)))
        }
        (Some(customer), true) => Err(CliError::usage(format!(
            "--account is for the servers of every customer, but customer {customer} is named: leave one of them out"
        ))),
        (None, false) => Err(CliError::usage(
            "--global does not say for whose servers: give -c ID for all servers of one customer, or --account for those of every customer",
        )),
        (None, true) => {
            let ports: Vec<String> = ports.iter().map(ToString::to_string).collect();
            let question = format!("About to allow {} on {EVERY_SERVER}.", ports.join(", "));
            context.confirm(Danger::Severe, &question, "account")?;
            Ok(Place::Everywhere(None))
        }
    }
}

/// The first word is the server, unless the servers are said otherwise.
fn split(args: &RuleAddArgs) -> Result<(Vec<String>, &[String]), CliError> {
    let said = args.global || !args.endpoints.is_empty();
    let (servers, ports) = match args.words.split_first() {
        Some((server, ports)) if !said => (vec![server.clone()], ports),
        _ => (args.endpoints.clone(), args.words.as_slice()),
    };
    if ports.is_empty() {
        return Err(CliError::usage("there is no port to allow: give the server, then its ports")
            .hint("as in `rules add web-1 22/tcp -m \"SSH for the operations team\"`; for all servers of a customer: `rules add --global PORT -m TEXT -c ID`"));
    }
    Ok((servers, ports))
}

/// The ports in front of the server: the same command in its order.
fn suggest_order(error: CliError, args: &RuleAddArgs) -> CliError {
    let is_port = |word: &&String| PortSpec::looks_like_port(word);
    let (ports, servers): (Vec<&String>, Vec<&String>) = args.words.iter().partition(is_port);
    match (servers.as_slice(), args.words.first()) {
        ([server], Some(first)) if first != *server => {
            let ports: Vec<&str> = ports.iter().map(|port| port.as_str()).collect();
            error.hint(format!(
                "the server comes first: `rules add {} {} -m {}`",
                quoted(server),
                ports.join(" "),
                reason_typed(args)
            ))
        }
        _ => error,
    }
}

/// A port in the place of the server: the same command for all servers of the customer.
fn suggest_global(error: CliError, args: &RuleAddArgs) -> CliError {
    match args.words.first() {
        Some(first) if args.endpoints.is_empty() && PortSpec::looks_like_port(first) => {
            error.hint(format!(
                "the first word is the server; for all servers of the customer: `rules add --global {} -m {} -c ID`",
                args.words.join(" "),
                reason_typed(args)
            ))
        }
        _ => error,
    }
}

/// The reason as it was typed, or its place.
fn reason_typed(args: &RuleAddArgs) -> String {
    let reason = args.justification.message.as_deref();
    reason.map_or_else(|| "TEXT".to_owned(), quoted)
}

/// The reason every rule needs: given, or asked for.
pub fn justification(context: &Context, given: &Justification) -> Result<String, CliError> {
    match &given.message {
        Some(message) => Ok(message.clone()),
        None => context.ask(
            "-m TEXT",
            "the reason why the port is meant to be open",
            "Why is this port meant to be open (10 to 500 characters)",
        ),
    }
}

async fn edit(context: &Context, args: RuleEditArgs) -> Result<Outcome, CliError> {
    if args.port.is_none()
        && args.justification.message.is_none()
        && args.service.is_none()
        && args.expires.is_none()
    {
        return Err(CliError::usage(
            "nothing is to be changed: give --port, -m, --service or --expires",
        ));
    }
    let rule = find(context, &args.rule).await?;
    let mut update = changed(&rule, args)?;
    update.billing_customer_id = context.settings.customer;
    let about = about(context, &rule);
    context.confirm(
        danger_of(context, &rule, Danger::Mild),
        &format!("About to change the {about}."),
        &rule.id.to_string(),
    )?;
    let sent = context
        .write_touching(update, &about, server_of(&rule))
        .await
        .map_err(|error| refused_for_customer(context, &rule, error));
    let Some(answer) = sent.map_err(|error| error.during(format!("changing rule {}", rule.id)))?
    else {
        return Ok(Outcome::record(Value::Null, Table::new(views::RULE)));
    };
    let table = Table::one(views::RULE, views::rule(&answer.data));
    Ok(
        Outcome::record(to_json(&answer.data), table).tell(vec![Line::text(sentence(
            &answer.data,
            &servers_of(context, &rule),
        ))]),
    )
}

/// The rule as it is, with the changes: the service replaces the whole rule.
fn changed(rule: &Rule, args: RuleEditArgs) -> Result<UpdateRule, CliError> {
    let unreadable =
        || CliError::not_found(format!("rule {} has no ports that can be read", rule.id));
    let mut update = UpdateRule::from_rule(rule).ok_or_else(unreadable)?;
    if let Some(text) = &args.port {
        let port = PortSpec::parse(text)?;
        update.ports = port.range;
        if text.contains('/') {
            update.protocol = port.protocol;
        }
    }
    if let Some(message) = args.justification.message {
        update.justification = message;
    }
    update.service = args.service.or(update.service);
    match args.expires.as_deref() {
        Some("never") => update.expires_at = None,
        Some(day) => update.expires_at = Some(days::day("--expires", day)?),
        None => {}
    }
    Ok(update)
}

async fn copy(context: &Context, args: &RuleCopyArgs) -> Result<Outcome, CliError> {
    references::refuse_empty(std::iter::once(&args.from).chain(&args.to))?;
    let from = references::endpoint(context, &args.from).await?;
    let to = references::endpoints(context, &args.to, Prefixes::Accepted).await?;
    let rules = references::all_rules(context, |mut list| {
        list.endpoint_id = Some(from.id);
        list.scope = Some(RuleScope::Endpoint);
        list.status = Some(RuleStatus::Active);
        list
    })
    .await?;
    if rules.is_empty() {
        return Err(CliError::not_found(format!(
            "{} has no active rule of its own to copy",
            references::name_of(&from)
        )));
    }
    rule_adding::copy(context, ADDED, &rules, &to).await
}
