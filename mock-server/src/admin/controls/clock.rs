//! Time (M3).

use std::time::Duration;

use secmon_engine::{Instant, Timestamp};
use serde_json::json;

use crate::admin::call::{AdminCall, Answered};
use crate::admin::input;
use crate::values::admin_error::AdminError;
use crate::values::clock::{FURTHEST, Movement};
use crate::values::fields::readers;

pub(crate) fn show(call: &AdminCall) -> Result<Answered, AdminError> {
    Ok(shown(call, call.mock.accounts.now()))
}

pub(crate) fn show_one(call: &AdminCall) -> Result<Answered, AdminError> {
    let shared = call.mock.accounts.account(call.part(0))?;
    Ok(shown(call, shared.time(call.mock.accounts.now())))
}

pub(crate) fn move_all(call: &AdminCall) -> Result<Answered, AdminError> {
    let commit = call.mock.accounts.move_all_clocks(movement(call)?)?;
    Ok(Answered {
        commit,
        ..show(call)?
    })
}

pub(crate) fn move_one(call: &AdminCall) -> Result<Answered, AdminError> {
    let commit = call
        .mock
        .accounts
        .move_clock_of(call.part(0), movement(call)?)?;
    Ok(Answered {
        commit,
        ..show_one(call)?
    })
}

fn shown(call: &AdminCall, now: Instant) -> Answered {
    let mode = call.mock.accounts.settings.time.name();
    Answered::shown(&json!({ "now": Timestamp(now).to_string(), "mode": mode }))
}

fn movement(call: &AdminCall) -> Result<Movement, AdminError> {
    let mut fields = input::fields(&call.body, &["advance_seconds", "set"]);
    let advance = fields.optional("advance_seconds", |raw| {
        let seconds = readers::number(0.0..=FURTHEST.as_secs_f64())(raw)?;
        Ok(Movement::Advance(Duration::from_secs_f64(seconds)))
    });
    let set = fields.optional("set", |raw| {
        let moment = Instant::parse(readers::string(raw)?);
        let moment =
            moment.ok_or("must be a timestamp with an offset, as 2026-01-01T00:00:00+00:00.")?;
        Ok(Movement::Set(moment))
    });
    if !fields.failed("advance_seconds")
        && !fields.failed("set")
        && advance.is_some() == set.is_some()
    {
        fields.reject(
            "set",
            "Give advance_seconds or set, one of the two.".to_owned(),
        );
    }
    input::finish(fields, || advance.or(set))
}
