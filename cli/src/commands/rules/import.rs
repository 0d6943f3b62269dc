//! `secmon rules import`: a firewall dump becomes rules.

use super::import_report::{Report, allowed_ports, report};
use super::rule;
use crate::bulk::input;
use crate::commands::common::views;
use crate::context::Context;
use crate::error::{CliError, Exit};
use crate::machine::files;
use crate::references;
use crate::session::calls::PlannedChange;
use crate::session::prompt::ConfirmationLevel;
use crate::ui::outcome::{Outcome, Table, to_json};
use crate::values::ports::PortSpec;
use clap::{Args, ValueEnum};
use secmon::Response;
use secmon::model::{Endpoint, FirewallFormat, Rule, RuleScope};
use secmon::operations::{FirewallIngest, IngestFirewall};
use serde_json::Value;
use std::path::PathBuf;

/// A firewall dump.
#[derive(Debug, Args)]
pub struct RuleImportArgs {
    /// The server the dump was taken on
    pub endpoint: String,
    /// File with the output of iptables-save, nft list ruleset, ufw status or firewall-cmd --list-all, or -
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Format of the dump; without this, the service detects it
    #[arg(long)]
    pub format: Option<FirewallFormatArg>,
    /// Port that should still raise alerts although the firewall accepts it: no rule is imported for it (repeatable)
    #[arg(long, value_name = "PORT")]
    pub except: Vec<String>,
}

/// Programs whose dumps are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FirewallFormatArg {
    /// iptables-save.
    Iptables,
    /// nft list ruleset.
    Nftables,
    /// ufw status verbose.
    Ufw,
    /// firewall-cmd --list-all.
    Firewalld,
}

/// The service takes no larger dump.
const MAX_BYTES: usize = 256 * 1024;

/// Runs the command.
pub async fn run(context: &Context, args: &RuleImportArgs) -> Result<Outcome, CliError> {
    let name = files::name_of(&args.file);
    let except = PortSpec::parse_all(&args.except)?;
    let content = read(context, args, &name)?;
    let endpoint = references::endpoint(context, &args.endpoint).await?;
    let server = references::name_of(&endpoint);
    confirm(context, &name, &server, &except)?;
    let Some(mut ingest) = ingest(context, args, &endpoint, content.clone()).await? else {
        return Ok(Outcome::record(Value::Null, Table::of(views::RULE, [])));
    };
    let removed = remove_excepted(context, &endpoint, &except).await?;
    take_out(&mut ingest, &removed);
    let table = Table::of(views::RULE, ingest.suggested.iter().flatten());
    let text = report(&Report {
        ingest: &ingest,
        removed: &removed,
        content: &content,
        file: &name,
        server: &server,
    });
    Ok(Outcome::record(to_json(&ingest), table).tell(text))
}

fn read(context: &Context, args: &RuleImportArgs, name: &str) -> Result<String, CliError> {
    let content = input::read_text(&context.screen, &args.file, name)?;
    if content.trim().is_empty() {
        return Err(CliError::usage(format!("{name} is empty"))
            .hint("pipe the dump in: iptables-save | `rules import ENDPOINT -`"));
    }
    if content.len() > MAX_BYTES {
        return Err(CliError::usage(format!(
            "{name} is larger than 256 KiB, which is all that the service takes"
        ))
        .hint("send the part that lets packets in: iptables-save -t filter"));
    }
    Ok(content)
}

/// Asks first: a dump may open more than a person has in mind.
fn confirm(
    context: &Context,
    name: &str,
    server: &str,
    except: &[PortSpec],
) -> Result<(), CliError> {
    let but = match except {
        [] => String::new(),
        ports => {
            let ports: Vec<String> = ports.iter().map(PortSpec::to_string).collect();
            format!(", except {}", ports.join(", "))
        }
    };
    let question = format!(
        "About to allow every port on {server} that {name} lets in from the whole internet{but}. Open alerts for them are resolved."
    );
    context
        .prompt
        .confirm(ConfirmationLevel::Moderate, &question, server)
}

async fn ingest(
    context: &Context,
    args: &RuleImportArgs,
    endpoint: &Endpoint,
    content: String,
) -> Result<Option<FirewallIngest>, CliError> {
    let (name, server) = (files::name_of(&args.file), references::name_of(endpoint));
    let customer = references::owner(context, endpoint)?;
    let mut request = IngestFirewall::new(customer, endpoint.id, content);
    request.format = args.format.map(format);
    let about = format!("a firewall dump of {server}");
    let planned = PlannedChange::new(about).on(Some(endpoint.id));
    if context.session.settings.safety.dry_run {
        context.screen.note(
            "The service reads the dump, so a dry run cannot tell which ports it would allow.",
        );
    }
    let sent = context.session.write(request, planned);
    let answer = sent
        .await
        .map_err(|error| explained(error, &name, &server, args.format))?;
    Ok(answer.map(Response::into_inner))
}

/// Removes imported rules for ports that are to have none: of this run, and of one that ended before it came to that.
async fn remove_excepted(
    context: &Context,
    endpoint: &Endpoint,
    except: &[PortSpec],
) -> Result<Vec<Rule>, CliError> {
    if except.is_empty() {
        return Ok(Vec::new());
    }
    let session = &context.session;
    let mut rules = references::all_rules(session, |list| {
        list.endpoint_id = Some(endpoint.id);
        list.scope = Some(RuleScope::Endpoint);
    })
    .await?;
    rules.retain(|rule| {
        rule.auto_suggested == Some(true) && except.iter().any(|port| port.meets(rule))
    });
    for rule in &rules {
        rule::remove(session, rule, endpoint.billing_customer_id).await?;
    }
    Ok(rules)
}

/// The answer as it is true once these rules are removed.
fn take_out(ingest: &mut FirewallIngest, removed: &[Rule]) {
    if let Some(suggested) = &mut ingest.suggested {
        suggested.retain(|rule| removed.iter().all(|removed| removed.id != rule.id));
    }
    for skipped in ingest.skipped.iter_mut().flatten() {
        let is_gone = |ports: &PortSpec| removed.iter().any(|rule| ports.meets(rule));
        if let Some(ports) = allowed_ports(&skipped.reason).filter(is_gone) {
            skipped.reason = format!("{ports} was excluded with --except");
        }
    }
}

/// An import repeats itself without harm: what has a rule is passed over.
fn explained(
    error: CliError,
    file: &str,
    server: &str,
    format: Option<FirewallFormatArg>,
) -> CliError {
    let lost = error.may_have_happened();
    let is_refused = error.exit() == Exit::Conflict;
    let error = error.during(format!("importing {file} for {server}"));
    match (lost, is_refused) {
        (true, _) => error.hint(
            "run the same command again: ports that already have a rule are skipped, so none is added twice",
        ),
        (false, true) => error.hint(good_dump(format)),
        (false, false) => error,
    }
}

/// The command that makes a dump which can be read.
fn good_dump(format: Option<FirewallFormatArg>) -> &'static str {
    match format {
        Some(FirewallFormatArg::Iptables) => "a dump that can be read: iptables-save -t filter",
        Some(FirewallFormatArg::Nftables) => "a dump that can be read: nft list ruleset",
        Some(FirewallFormatArg::Ufw) => "a dump that can be read: LC_ALL=C ufw status verbose",
        Some(FirewallFormatArg::Firewalld) => "a dump that can be read: firewall-cmd --list-all",
        None => {
            "dumps that can be read: iptables-save -t filter, nft list ruleset, LC_ALL=C ufw status verbose, firewall-cmd --list-all"
        }
    }
}

fn format(argument: FirewallFormatArg) -> FirewallFormat {
    match argument {
        FirewallFormatArg::Iptables => FirewallFormat::Iptables,
        FirewallFormatArg::Nftables => FirewallFormat::Nftables,
        FirewallFormatArg::Ufw => FirewallFormat::Ufw,
        FirewallFormatArg::Firewalld => FirewallFormat::Firewalld,
    }
}
