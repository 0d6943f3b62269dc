//! `secmon rules add`: ports that are allowed from now on.

use super::add_listed;
use super::add_listed::RuleList;
use super::create::{self, ADDED, OnOverlap};
use super::rule::EVERY_SERVER;
use super::wanted_rule::{Place, RuleTerms, WantedRule};
use crate::bulk::args::RunArgs;
use crate::commands::common::args::{Justification, justification};
use crate::context::Context;
use crate::error::CliError;
use crate::references::{self, PrefixPolicy};
use crate::session::Session;
use crate::session::prompt::ConfirmationLevel;
use crate::ui::invocation::quoted;
use crate::ui::outcome::{Outcome, count_or_unknown};
use crate::values::ports::PortSpec;
use clap::Args;
use secmon::model::CustomerId;
use secmon::operations::ListEndpoints;
use std::net::IpAddr;
use std::path::PathBuf;

const ADD_EXAMPLES: &str = "\
A port is 22, 22/tcp, 53/udp, 53/* (both), 8000-8100/tcp, or a name such as ssh. Without /protocol it is tcp.

Examples:
  secmon rules add web-1 22/tcp -m \"SSH for the operations team\"
  secmon rules add web-1 80 443 -m \"public web site\" --expires 90d
  secmon rules add --global 443 -c 42 -m \"every server of this customer serves HTTPS\"
  secmon rules add --global 9100 --account -m \"our monitoring, on every server of every customer\"
  secmon rules list web-1 -o csv | secmon rules add -f - --to web-2";

/// Ports to allow.
#[derive(Debug, Args)]
#[command(after_help = ADD_EXAMPLES)]
pub struct RuleAddArgs {
    /// The server, then the ports; with --global or -e, ports only
    #[arg(value_name = "ENDPOINT PORT", num_args = 1..)]
    pub words: Vec<String>,
    /// Add the rules in a file (- for standard input), as printed by `rules list -o csv` or `-o json`
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["words", "endpoints", "global"])]
    #[arg(conflicts_with_all = ["message", "service", "expires"])]
    pub file: Option<PathBuf>,
    /// With -f: add all server rules to this server, instead of the servers that the list names
    #[arg(long, value_name = "ENDPOINT", requires = "file")]
    pub to: Option<String>,
    /// Why the port is meant to be open
    #[command(flatten)]
    pub justification: Justification,
    /// Server to allow the ports on (repeatable); with this, all arguments are ports
    #[arg(short, long = "endpoint", value_name = "ENDPOINT")]
    pub endpoints: Vec<String>,
    /// Allow on all servers of the customer given with -c, or of every customer with --account
    #[arg(long, conflicts_with = "endpoints")]
    pub global: bool,
    /// With --global: allow on the servers of every customer of the account; asks for confirmation
    #[arg(long, requires = "global")]
    pub account: bool,
    /// Name of the service on the port, at most 100 characters
    #[arg(long, value_name = "NAME")]
    pub service: Option<String>,
    /// Last day on which the rule applies: 2026-12-31, 31.12.2026, 90d from today, or "end of next month"
    #[arg(long, value_name = "DAY|PERIOD", alias = "until")]
    pub expires: Option<String>,
    /// Skip ports that a rule already covers, instead of failing
    #[arg(long)]
    pub skip_existing: bool,
    /// How to go on with an earlier run
    #[command(flatten)]
    pub run: RunArgs,
}

/// Runs the command.
pub async fn run(context: &Context, args: RuleAddArgs) -> Result<Outcome, CliError> {
    let on_overlap = match args.skip_existing {
        true => OnOverlap::Skip,
        false => OnOverlap::OfferToSkip,
    };
    if let Some(file) = &args.file {
        let list = RuleList {
            file,
            server: args.to.as_deref(),
            on_overlap,
        };
        return add_listed::run(context, &list, &args.run).await;
    }
    refuse_split_reason(&args)?;
    let (servers, ports) = split(&args)?;
    let ports = PortSpec::parse_all(ports).map_err(|error| suggest_order(error, &args))?;
    let reason = justification(context, &args.justification, &what(&servers, &ports))?;
    let terms = RuleTerms::new(reason, args.service.clone(), args.expires.as_deref())?;
    let places = if args.global {
        vec![everywhere(context, &args, &ports).await?]
    } else {
        let found = references::endpoints(context, &servers, PrefixPolicy::Accepted).await;
        found
            .map_err(|error| suggest_global(error, &args, &context.session))?
            .into_iter()
            .map(|endpoint| Place::Server(Box::new(endpoint)))
            .collect()
    };
    let wanted: Vec<WantedRule> = places
        .iter()
        .flat_map(|place| ports.iter().map(move |port| (place, port)))
        .map(|(place, port)| WantedRule {
            place: place.clone(),
            port: port.clone(),
            terms: terms.clone(),
        })
        .collect();
    create::run(context, ADDED, &wanted, on_overlap, &args.run).await
}

/// What is meant to be open, as it was typed.
fn what(servers: &[String], ports: &[PortSpec]) -> String {
    let ports: Vec<String> = ports.iter().map(PortSpec::to_string).collect();
    let place = match servers {
        [] => "all servers".to_owned(),
        servers => servers.join(", "),
    };
    format!("{} on {place}", ports.join(", "))
}

/// A reason of one word with ports in front of it and words behind it has most likely lost its quotation marks: a number
/// in it would become a port.
fn refuse_split_reason(args: &RuleAddArgs) -> Result<(), CliError> {
    let reason = args.justification.message.as_deref().unwrap_or_default();
    if reason.is_empty() || reason.contains(char::is_whitespace) {
        return Ok(());
    }
    let typed = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let typed: Vec<String> = typed.collect();
    // `-m TEXT`, `-mTEXT` or `--reason=TEXT`.
    let is_option = |word: &str| word.starts_with('-');
    let ends_reason = |place: &usize| {
        let word = typed[*place].as_str();
        let is_value = *place > 0 && word == reason && is_option(&typed[place - 1]);
        is_value || is_option(word) && word.ends_with(reason)
    };
    let Some(end) = (0..typed.len()).find(ends_reason) else {
        return Ok(());
    };
    let is_positional = |word: &&String| args.words.contains(word);
    let ports_in_front = typed[..end].iter().filter(is_positional);
    let has_port_in_front = ports_in_front
        .into_iter()
        .any(|word| PortSpec::looks_like_port(word));
    let stray = typed[end + 1..].iter().take_while(is_positional);
    let stray: Vec<&str> = stray.map(String::as_str).collect();
    if stray.is_empty() || !has_port_in_front {
        return Ok(());
    }
    let stray = stray.join(" ");
    Err(CliError::usage(format!(
        "{stray:?} comes after the reason {reason:?}: is it part of the reason?"
    ))
    .hint(format!(
        "put the reason in quotation marks, as -m \"{reason} {stray}\", and ports in front of -m"
    )))
}

/// All servers of one customer, which is told, or of the account where that was said and confirmed.
async fn everywhere(
    context: &Context,
    args: &RuleAddArgs,
    ports: &[PortSpec],
) -> Result<Place, CliError> {
    let session = &context.session;
    let ports: Vec<String> = ports.iter().map(ToString::to_string).collect();
    let ports = ports.join(", ");
    match (session.settings.customer, args.account) {
        (Some(customer), false) => {
            references::refuse_unknown(session, customer).await?;
            let servers = number_of_servers(session, ListEndpoints::new(customer)).await;
            context.screen.note(&format!(
                "This allows {ports} on all servers of customer {customer} ({servers} now), and on those that are added later."
            ));
            Ok(Place::Everywhere(Some(customer)))
        }
        (Some(customer), true) => Err(CliError::usage(format!(
            "--account is for the servers of every customer, but customer {customer} is named: leave one of them out"
        ))),
        (None, false) => Err(CliError::usage(
            "--global needs -c ID for all servers of one customer, or --account for those of every customer",
        )),
        (None, true) => {
            let servers = number_of_servers(session, ListEndpoints::account_wide()).await;
            let question = format!(
                "About to allow {ports} on {EVERY_SERVER} ({servers} now), and on those that are added later."
            );
            let prompt = &context.prompt;
            prompt.confirm(ConfirmationLevel::Severe, &question, "account")?;
            Ok(Place::Everywhere(None))
        }
    }
}

/// How many servers a list has. The look is for a word beside the change, so one that fails says nothing.
async fn number_of_servers(session: &Session, list: ListEndpoints) -> String {
    let page = session.read(list.per_page(1)).await;
    count_or_unknown(page.ok().and_then(|page| page.meta.total))
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
    let are_addresses = servers.iter().all(|word| word.parse::<IpAddr>().is_ok());
    match (servers.as_slice(), args.words.first()) {
        ([_, _, ..], _) if are_addresses && !ports.is_empty() => {
            let servers = servers.iter().map(|server| format!("-e {server}"));
            let words = servers.chain(ports.iter().map(|port| quoted(port)));
            let words: Vec<String> = words.collect();
            error.hint(format!(
                "give each of several servers with -e: `rules add {} {}`",
                words.join(" "),
                typed_options(args)
            ))
        }
        ([to], _) if ["to", "bis", "-"].contains(&to.as_str()) => {
            error.hint("a range of ports is one word, as 9000-9010")
        }
        ([server], Some(first)) if first != *server => {
            let ports: Vec<&str> = ports.iter().map(|port| port.as_str()).collect();
            error.hint(format!(
                "the server comes first: `rules add {} {} {}`",
                quoted(server),
                ports.join(" "),
                typed_options(args)
            ))
        }
        _ => error,
    }
}

/// A port, or the number of a customer, in the place of the server: the same command for all servers of the customer.
fn suggest_global(error: CliError, args: &RuleAddArgs, session: &Session) -> CliError {
    let Some((first, others)) = args.words.split_first() else {
        return error;
    };
    if !args.endpoints.is_empty() {
        return error;
    }
    if ["all", "any", "*"].contains(&first.to_lowercase().as_str()) {
        return error.hint(global_line(args, others));
    }
    if !PortSpec::looks_like_port(first) {
        return error;
    }
    let given = session.settings.customer;
    let is_seen = |customer: &CustomerId| {
        references::seen_customers(session).is_ok_and(|seen| seen.contains(customer))
    };
    let number = first.parse::<CustomerId>().ok();
    let number =
        number.filter(|number| given == Some(*number) || given.is_none() && is_seen(number));
    if let Some(number) = number
        && (given.is_some() || others.is_empty())
    {
        return error.hint(format!(
            "{number} is the customer's number, but the first argument must be the server; for all servers of the customer, use --global instead"
        ));
    }
    // Nobody wants a port allowed that is the number of the customer.
    let ports = match number {
        Some(_) => others,
        None => args.words.as_slice(),
    };
    error.hint(format!(
        "the first argument must be the server; {}",
        global_line(args, ports)
    ))
}

/// The same for all servers of a customer, who is named once more.
fn global_line(args: &RuleAddArgs, ports: &[String]) -> String {
    format!(
        "for all servers of the customer: `rules add --global {} {} -c ID`",
        ports.join(" "),
        typed_options(args)
    )
}

/// What else was said of the rule.
fn typed_options(args: &RuleAddArgs) -> String {
    let mut options = format!("-m {}", reason_typed(args));
    let others = [("--service", &args.service), ("--expires", &args.expires)];
    for (option, value) in others {
        if let Some(value) = value {
            options += &format!(" {option} {}", quoted(value));
        }
    }
    options
}

/// The reason as it was typed, or its place.
fn reason_typed(args: &RuleAddArgs) -> String {
    let reason = args.justification.message.as_deref();
    reason.map_or_else(|| "TEXT".to_owned(), quoted)
}
