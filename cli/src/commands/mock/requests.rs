//! `secmon mock requests`: the calls that came in.

use super::admin::{Admin, AdminArgs, field_of};
use crate::context::Context;
use crate::error::CliError;
use crate::ui::Reader;
use crate::ui::outcome::{Cell, Field, Outcome, Table, shown};
use clap::Args;
use form_urlencoded::Serializer;
use http::Method;
use serde_json::Value;

/// The calls that came in, oldest first, without keys.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  secmon mock requests
  secmon mock requests -f --status 422
  secmon mock requests --path '*/provision' --body '{\"client_id\":42}' -o json")]
pub struct RequestsArgs {
    /// Go on showing calls as they come, until Ctrl-C
    #[arg(short, long)]
    pub follow: bool,
    /// Only calls of this account of the mock
    #[arg(long, value_name = "NAME")]
    pub tenant: Option<String>,
    /// Only calls with this method
    #[arg(long)]
    pub method: Option<String>,
    /// Only calls of this path; * stands for anything
    #[arg(long)]
    pub path: Option<String>,
    /// Only calls that were answered with this status
    #[arg(long)]
    pub status: Option<u16>,
    /// Only calls whose JSON body has this part
    #[arg(long, value_name = "JSON")]
    pub body: Option<String>,
}

const CALL: &[Field<Value>] = &[
    shown("id").of(|call| field_of(call, "id")),
    shown("time").of(|call| field_of(call, "at")),
    shown("method").of(|call| field_of(call, "method")),
    shown("path").of(|call| field_of(call, "path")),
    shown("status").of(status),
    shown("notices").of(notices),
];

/// How long the mock holds an answer back until a call comes, in seconds.
const WAIT: &str = "30";

/// Runs the command.
pub async fn run(
    context: &Context,
    admin: &AdminArgs,
    args: &RequestsArgs,
) -> Result<Outcome, CliError> {
    let admin = Admin::of(context, admin)?;
    let mut calls = read(&admin, args, None).await?;
    if !args.follow {
        return Ok(listed(calls));
    }
    let mut last = 0;
    loop {
        last = calls
            .iter()
            .filter_map(|call| call["id"].as_u64())
            .fold(last, u64::max);
        if !calls.is_empty() && context.screen.part(listed(calls))? == Reader::Gone {
            return Ok(Outcome::silent());
        }
        calls = read(&admin, args, Some(last)).await?;
    }
}

/// The calls that fit; with the number of the last one that is known, those that come after it.
async fn read(
    admin: &Admin,
    args: &RequestsArgs,
    since: Option<u64>,
) -> Result<Vec<Value>, CliError> {
    let since = since.map(|id| id.to_string());
    let status = args.status.map(|status| status.to_string());
    let mut query = Serializer::new(String::new());
    for (name, value) in [
        ("tenant", &args.tenant),
        ("method", &args.method),
        ("path", &args.path),
        ("status", &status),
        ("body", &args.body),
        ("since", &since),
        ("wait", &since.as_ref().map(|_| WAIT.to_owned())),
    ] {
        if let Some(value) = value {
            query.append_pair(name, value);
        }
    }
    let path = format!("requests?{}", query.finish());
    let mut answer = admin.call(Method::GET, &path, None).await?;
    match answer["requests"].take() {
        Value::Array(calls) => Ok(calls),
        _ => Ok(Vec::new()),
    }
}

fn listed(calls: Vec<Value>) -> Outcome {
    let table = Table::of(CALL, &calls);
    Outcome::record(Value::Array(calls), table)
}

/// The status, or why there was none.
fn status(call: &Value) -> Cell {
    match (call["status"].as_u64(), call["processed"].as_bool()) {
        (Some(status), _) => Cell::text(status),
        (None, Some(true)) => Cell::text("answer lost"),
        (None, _) => Cell::text("not processed"),
    }
}

fn notices(call: &Value) -> Cell {
    let notices = call["notices"].as_array().into_iter().flatten();
    let codes: Vec<&str> = notices
        .filter_map(|notice| notice["code"].as_str())
        .collect();
    match codes.is_empty() {
        true => Cell::Missing,
        false => Cell::text(codes.join(", ")),
    }
}
