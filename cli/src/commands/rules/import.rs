//! `secmon rules import`: a firewall dump becomes rules.

use crate::commands::common::views;
use crate::context::Context;
use crate::error::CliError;
use crate::machine::files;
use crate::notebook::way_back::WayBack;
use crate::references;
use crate::ui::outcome::{Line, Outcome, Table, to_json};
use crate::values::durations::counted_if_told;
use clap::{Args, ValueEnum};
use secmon::Response;
use secmon::model::FirewallFormat;
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
const MAX_BYTES: u64 = 256 * 1024;

/// Runs the command.
pub async fn run(context: &Context, args: &RuleImportArgs) -> Result<Outcome, CliError> {
    let name = files::name_of(&args.file);
    let bytes = files::read(&args.file, &name, MAX_BYTES)?;
    let content = String::from_utf8(bytes)
        .map_err(|_| CliError::usage(format!("{name} is not UTF-8 text")))?;
    if content.trim().is_empty() {
        return Err(CliError::usage(format!("{name} is empty"))
            .hint("pipe the dump in: iptables-save | `rules import ENDPOINT -`"));
    }
    let endpoint = references::endpoint(context, &args.endpoint).await?;
    let server = references::name_of(&endpoint);
    let mut request =
        IngestFirewall::new(references::owner(context, &endpoint)?, endpoint.id, content);
    request.format = args.format.map(format);
    let customer = request.billing_customer_id;
    let way_back = |answer: &Response<FirewallIngest>| {
        let rules = answer.data.suggested.as_ref()?;
        Some(WayBack::RemoveRules {
            rules: rules.iter().map(|rule| rule.id).collect(),
            customer: Some(customer),
        })
    };
    let about = format!("a firewall dump of {server}");
    let sent = context
        .session
        .write_reversibly(request, &about, None, way_back)
        .await;
    let Some(answer) = sent.map_err(|error| explained(error, &name, &server))? else {
        return Ok(Outcome::record(Value::Null, Table::of(views::RULE, [])));
    };
    let ingest = answer.into_inner();
    let table = Table::of(views::RULE, ingest.suggested.iter().flatten());
    let mut story = vec![Line::text(format!(
        "{} read from {name}; {} on {server}, {} skipped.",
        counted_if_told(ingest.parsed_rules, "accepted port"),
        counted_if_told(ingest.suggested.as_ref().map(Vec::len), "new rule"),
        counted_if_told(ingest.skipped.as_ref().map(Vec::len), "line")
    ))];
    if !table.rows.is_empty() {
        story.push(Line::Rows);
    }
    story.extend(
        ingest
            .skipped
            .iter()
            .flatten()
            .map(|skipped| Line::text(format!("  line {}: {}", skipped.line, skipped.reason))),
    );
    Ok(Outcome::record(to_json(&ingest), table).tell(story))
}

/// An import repeats itself without harm: what has a rule is passed over.
fn explained(error: CliError, file: &str, server: &str) -> CliError {
    let lost = error.may_have_happened();
    let error = error.during(format!("importing {file} for {server}"));
    match lost {
        true => error.hint(
            "run the same command again: ports that already have a rule are skipped, so none is added twice",
        ),
        false => error,
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
