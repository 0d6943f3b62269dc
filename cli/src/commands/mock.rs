//! `secmon mock ...`: the mock service, and its admin API.

pub mod admin;

use super::mock_trigger;
use crate::args::{
    AdminArgs, ClockCommand, FaultAddArgs, FaultCommand, MockServeArgs, MockSteering, StateCommand,
};
use crate::commands::mock::admin::Admin;
use crate::context::Context;
use crate::error::{CliError, Own};
use crate::machine::files;
use crate::ui::outcome::{Cell, Column, Line, Outcome, Table, shown};
use crate::values::durations;
use http::Method;
use secmon_mock::flags::Given;
use serde_json::{Map, Value, json};

const FAULT: &[Column] = &[
    shown("id"),
    shown("method"),
    shown("path"),
    shown("times"),
    shown("after"),
    shown("hits"),
    shown("effect"),
];
const MAX_STATE: u64 = 1024 * 1024 * 1024;

/// Serves the mock, which speaks for itself until it is told to stop. It has a runtime of its own, and so a thread.
pub fn serve(args: MockServeArgs) -> Result<Outcome, CliError> {
    let config = args.mock_config.and_then(Given::value);
    let served = std::thread::spawn(move || secmon_mock::run(args.flags, config)).join();
    match served {
        Ok(Ok(())) => Ok(Outcome::text("")),
        Ok(Err(error)) => Err(CliError::usage(error.to_string())),
        Err(_) => Err(CliError::new(
            Own::MockFailed,
            "the mock ended unexpectedly: start it again",
        )),
    }
}

/// Runs the command.
pub async fn run(context: &Context, command: MockSteering) -> Result<Outcome, CliError> {
    match command {
        MockSteering::Clock { admin, command } => clock(context, &admin, command).await,
        MockSteering::Fault { admin, command } => fault(context, &admin, command).await,
        MockSteering::Trigger { admin, command } => {
            mock_trigger::run(context, &admin, command).await
        }
        MockSteering::Reset { admin } => reset(context, &admin).await,
        MockSteering::State { admin, command } => state(context, &admin, command).await,
    }
}

async fn clock(
    context: &Context,
    admin: &AdminArgs,
    command: ClockCommand,
) -> Result<Outcome, CliError> {
    let admin = Admin::of(context, admin)?;
    let clock = match command {
        ClockCommand::Show => admin.call(Method::GET, "clock", None).await?,
        ClockCommand::Advance { length } => {
            let seconds = durations::length("LENGTH", &length)?.as_secs();
            admin
                .call(
                    Method::POST,
                    "clock",
                    Some(json!({ "advance_seconds": seconds })),
                )
                .await?
        }
    };
    let sentence = format!(
        "It is {} for the mock.",
        clock["now"].as_str().unwrap_or_default()
    );
    Ok(Outcome::record(clock, Table::new(&[])).tell(vec![Line::text(sentence)]))
}

async fn fault(
    context: &Context,
    admin: &AdminArgs,
    command: FaultCommand,
) -> Result<Outcome, CliError> {
    if Admin::is_embedded(context, admin)? {
        return Err(CliError::usage(
            "the embedded mock ends with each command, and what trouble is ordered ends with it",
        )
        .hint("start a mock that stays with `mock serve`, and say where it is with --admin-url"));
    }
    match command {
        FaultCommand::Add(args) => {
            let fault = to_json(&args)?;
            let made = Admin::of(context, admin)?
                .call(Method::POST, "faults", Some(fault))
                .await?;
            let sentence = format!("Fault {} is ordered.", made["id"]);
            Ok(Outcome::record(made, Table::new(&[])).tell(vec![Line::text(sentence)]))
        }
        FaultCommand::List => {
            let mut listed = Admin::of(context, admin)?
                .call(Method::GET, "faults", None)
                .await?;
            let faults = listed["faults"].take();
            let mut table = Table::new(FAULT);
            table.rows = faults.as_array().into_iter().flatten().map(row).collect();
            Ok(Outcome::record(faults, table))
        }
        FaultCommand::Clear => {
            Admin::of(context, admin)?
                .call(Method::DELETE, "faults", None)
                .await?;
            Ok(said("No trouble is ordered any more."))
        }
    }
}

fn row(fault: &Value) -> Vec<Cell> {
    let cell = |column: &Column| match &fault[column.name] {
        Value::Null => Cell::Missing,
        Value::String(text) => Cell::text(text),
        other => Cell::text(other),
    };
    FAULT.iter().map(cell).collect()
}

fn to_json(args: &FaultAddArgs) -> Result<Value, CliError> {
    let mut fault =
        json!({ "times": args.times, "after": args.after, "effect": effect(&args.effect)? });
    for (name, value) in [("method", &args.method), ("path", &args.path)] {
        if let Some(value) = value {
            fault[name] = json!(value);
        }
    }
    Ok(fault)
}

/// `status=503,code=X`, `latency=250ms`, `close=after`, `body=TEXT`; a body takes the rest of the word.
fn effect(text: &str) -> Result<Value, CliError> {
    let wrong = || {
        CliError::usage(format!("{text:?} is no effect of a fault"))
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
            "code" | "close" | "body" => (name, json!(value)),
            _ => return Err(wrong()),
        };
        effect.insert(name.to_owned(), value);
        rest = next;
    }
    if effect.is_empty() {
        return Err(wrong());
    }
    Ok(Value::Object(effect))
}

async fn reset(context: &Context, admin: &AdminArgs) -> Result<Outcome, CliError> {
    Admin::of(context, admin)?
        .call(Method::POST, "reset", None)
        .await?;
    Ok(said("The mock is as it was at its start."))
}

async fn state(
    context: &Context,
    admin: &AdminArgs,
    command: StateCommand,
) -> Result<Outcome, CliError> {
    match command {
        StateCommand::Export => {
            let state = Admin::of(context, admin)?
                .call(Method::GET, "state", None)
                .await?;
            Ok(Outcome::text(format!("{state}\n")))
        }
        StateCommand::Import { file } => {
            let name = files::name_of(&file);
            let bytes = files::read(&file, &name, MAX_STATE)?;
            let state = serde_json::from_slice(&bytes)
                .map_err(|error| CliError::usage(format!("{name} is no JSON: {error}")))?;
            Admin::of(context, admin)?
                .call(Method::PUT, "state", Some(state))
                .await?;
            Ok(said("The mock has the imported state."))
        }
    }
}

fn said(sentence: &str) -> Outcome {
    Outcome::record(Value::Null, Table::new(&[])).tell(vec![Line::text(sentence)])
}
