//! `secmon mock fault`: trouble that is wanted.

use super::admin::{Admin, AdminArgs, field_of};
use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::{Block, Field, Outcome, Table, shown};
use crate::values::durations;
use clap::{Args, Subcommand};
use http::Method;
use secmon_mock::{Effect, Fault};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

const FAULT_EXAMPLES: &str = "\
An effect is status=503, status=503,code=SCANNING_UNAVAILABLE, latency=250ms, close=before, \
close=after, close=mid_body, close=reset, or body=TEXT (with status=200 in front, if it is to be another).
tls=expired, tls=wrong_host and tls=untrusted spoil the certificate of the next connection by https.

Examples:
  secmon mock fault add status=429 --path '/api/v1/billing/*'
  secmon mock fault add close=after --method POST --times 2
  secmon mock fault add status=503 --operation provision_endpoint --match client_id=42";

/// Trouble that is wanted.
#[derive(Debug, Subcommand)]
pub enum FaultCommand {
    /// Add a fault
    Add(FaultAddArgs),
    /// List the faults, and how often each was applied
    List,
    /// Remove all faults
    Clear,
}

/// A fault.
#[derive(Debug, Args)]
#[command(after_help = FAULT_EXAMPLES)]
pub struct FaultAddArgs {
    /// What happens to the call, or to its connection
    pub effect: String,
    /// Only calls of this method
    #[arg(long)]
    pub method: Option<String>,
    /// Only calls of this path; * stands for anything
    #[arg(long)]
    pub path: Option<String>,
    /// Only calls of this operation, by a name that `secmon-mock routes` prints
    #[arg(long, value_name = "NAME")]
    pub operation: Option<String>,
    /// Only calls that say this in their body, path or query; repeatable
    #[arg(long = "match", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub matching: Vec<(String, Value)>,
    /// Probability that it applies to a matching call, from 0 to 1
    #[arg(long, value_name = "P")]
    pub probability: Option<f64>,
    /// How many calls it hits; 0 until it is removed
    #[arg(long, default_value_t = 1)]
    pub times: u64,
    /// How many matching calls pass first
    #[arg(long, default_value_t = 0)]
    pub after: u64,
}

const FAULT: &[Field<Value>] = &[
    shown("id").of(|fault| field_of(fault, "id")),
    shown("method").of(|fault| field_of(fault, "method")),
    shown("path").of(|fault| field_of(fault, "path")),
    shown("operation").of(|fault| field_of(fault, "operation")),
    shown("match").of(|fault| field_of(fault, "match")),
    shown("times").of(|fault| field_of(fault, "times")),
    shown("after").of(|fault| field_of(fault, "after")),
    shown("hits").of(|fault| field_of(fault, "hits")),
    shown("effect").of(|fault| field_of(fault, "effect")),
];

/// Runs the command.
pub async fn run(
    context: &Context,
    admin: &AdminArgs,
    command: FaultCommand,
) -> Result<Outcome, CliError> {
    if Admin::is_embedded(context, admin)? {
        return Err(CliError::usage(
            "the embedded mock ends with each command, and its faults end with it",
        )
        .hint("start a mock that stays with `mock serve`, and say where it is with --admin-url"));
    }
    match command {
        FaultCommand::Add(args) => {
            let fault = json!(fault(&args)?);
            let made = Admin::of(context, admin)?
                .call(Method::POST, "faults", Some(fault))
                .await?;
            let mut lines = vec![Block::text(format!("Fault {} is set.", made["id"]))];
            let warnings = made["warnings"].as_array().into_iter().flatten();
            lines.extend(warnings.filter_map(Value::as_str).map(Block::text));
            Ok(Outcome::record(made, Table::default()).tell(lines))
        }
        FaultCommand::List => {
            let mut listed = Admin::of(context, admin)?
                .call(Method::GET, "faults", None)
                .await?;
            let faults = listed["faults"].take();
            let table = Table::of(FAULT, faults.as_array().into_iter().flatten());
            Ok(Outcome::record(faults, table))
        }
        FaultCommand::Clear => {
            Admin::of(context, admin)?
                .call(Method::DELETE, "faults", None)
                .await?;
            Ok(Outcome::said(Value::Null, "All faults are removed."))
        }
    }
}

/// The fault that the arguments describe, by the mock's own rules for one.
fn fault(args: &FaultAddArgs) -> Result<Fault, CliError> {
    let aim = json!({ "method": args.method, "path": args.path, "effect": effect(&args.effect)? });
    let mut fault = parsed::<Fault>(aim)?.times(args.times).after(args.after);
    if let Some(name) = &args.operation {
        fault = fault.operation(name);
    }
    for (name, value) in &args.matching {
        fault = fault.matching(name, value.clone());
    }
    if let Some(probability) = args.probability {
        fault = fault.probability(probability);
    }
    Ok(fault)
}

/// Reads a part of a fault; what the mock would refuse is refused here in its words.
fn parsed<T: DeserializeOwned>(written: Value) -> Result<T, CliError> {
    serde_json::from_value(written).map_err(|refused| {
        CliError::usage(refused.to_string()).hint("see the effects: `mock fault add --help`")
    })
}

/// `client_id=42`: JSON where it is JSON, else a text.
fn name_and_value(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    let text = || Value::String(value.to_owned());
    let value = serde_json::from_str(value).unwrap_or_else(|_| text());
    Ok((name.to_owned(), value))
}

/// `status=503,code=X`, `latency=250ms`, `close=after`, `tls=expired`, `body=TEXT`; a body takes the rest of the word.
fn effect(text: &str) -> Result<Effect, CliError> {
    let wrong = || {
        CliError::usage(format!("{text:?} is not an effect that a fault can have"))
            .hint("see the effects: `mock fault add --help`")
    };
    let mut effect = Map::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (name, after) = rest.split_once('=').ok_or_else(wrong)?;
        let (value, next) = if name == "body" {
            (after, "")
        } else {
            after.split_once(',').unwrap_or((after, ""))
        };
        let (name, value) = match name {
            "status" => ("status", json!(value.parse::<u16>().map_err(|_| wrong())?)),
            "latency" => {
                let length = durations::length("latency", value)?;
                (
                    "latency_ms",
                    json!(u64::try_from(length.as_millis()).map_err(|_| wrong())?),
                )
            }
            "code" | "close" | "body" | "tls" => (name, json!(value)),
            _ => return Err(wrong()),
        };
        effect.insert(name.to_owned(), value);
        rest = next;
    }
    if effect.is_empty() {
        return Err(wrong());
    }
    parsed(Value::Object(effect))
}
