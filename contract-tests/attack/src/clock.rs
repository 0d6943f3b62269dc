//! Clocks that jump, stand, or are behind what a state file remembers: nobody is told to wait longer than a window lasts.

use std::path::Path;

use serde_json::json;

use crate::Field;
use crate::client::Caller;
use crate::table::{Outcome, Seen, Table, hold};

/// Jumps of the clock, and clocks that were set back between two starts.
#[derive(clap::Args)]
pub struct Clock {
    /// Jumps over one to ten years, until the calendar ends
    #[arg(long, default_value_t = 1000)]
    jumps: usize,
}

/// How long a rate window and the cooldown of a scan last, in seconds.
const WINDOW: u64 = 60;
const COOLDOWN: u64 = 300;

const LIMITED: &[&str] = &["--seed", "1", "--clock"];

impl Clock {
    pub fn attack(&self, field: &Field) -> Outcome {
        let table = Table::of("clock");
        for mode in ["manual", "real"] {
            table.attempt(&format!("jumps of a {mode} clock"), || {
                let mock = field.program.start(&[LIMITED, &[mode]].concat())?;
                jumps(&mock.acme(), self.jumps)
            })?;
        }
        table.attempt("a clock that stands", || {
            let mock = field.program.start(&[LIMITED, &["manual"]].concat())?;
            let acme = mock.acme();
            let told = throttled(&acme)?;
            hold(told == WINDOW && throttled(&acme)? == WINDOW, || {
                format!("Retry-After is {told}")
            })?;
            advance(&acme, WINDOW)?;
            acme.get("/api/v1/endpoints")?.expect(200)?;
            Ok(Seen::of(2, "the same wait until time moves on"))
        })?;
        table.attempt("a clock set back between two starts", || {
            let folder = tempfile::tempdir()?;
            set_back(field, &folder.path().join("state.db"))
        })
    }
}

/// Moves time as far as it goes; in between no wait is longer than a window.
fn jumps(acme: &Caller, count: usize) -> Outcome<Seen> {
    let mut made = 0;
    let steps = [1, 59, 61, 86_400, 365 * 86_400, 3660 * 86_400];
    for step in steps
        .into_iter()
        .chain(std::iter::repeat(3660 * 86_400))
        .take(count)
    {
        let moved = acme.post("/_mock/clock", &json!({ "advance_seconds": step }))?;
        made += 1;
        // Here the calendar ends, and time with it.
        if moved.expect(200)?.text("/now")?.starts_with("9999-12-31") {
            break;
        }
        // Every tenth: a window is a hundred calls.
        if made < 10 || made % 10 == 0 {
            let told = throttled(acme)?;
            hold((1..=WINDOW).contains(&told), || {
                format!("Retry-After is {told} after a jump of {step} s")
            })?;
        }
    }
    let back = json!({ "set": "2026-01-01T00:00:00+00:00" });
    acme.post("/_mock/clock", &back)?.expect(400)?;
    acme.get("/_mock/state")?.expect(200)?;
    let now = acme.get("/_mock/clock")?.text("/now")?;
    Ok(Seen::of(
        made,
        format!("no wait beyond a window, until {now}"),
    ))
}

/// A state closed in the year 2031 is opened by the machine's clock.
fn set_back(field: &Field, state: &Path) -> Outcome<Seen> {
    let ahead = [LIMITED, &["manual", "--now", "2031-01-01T00:00:00+00:00"]].concat();
    let mock = field.program.start_on(state, &ahead)?;
    let acme = mock.acme();
    let server = json!({ "client_id": 1, "ip_address": "192.0.2.1" });
    let id = acme
        .post("/api/v1/billing/provision", &server)?
        .expect(201)?
        .text("/data/endpoint_id")?;
    let scan = json!({ "client_id": 1, "endpoint_id": id });
    acme.post("/api/v1/billing/scan-endpoint", &scan)?
        .expect(202)?;
    mock.kill()?;
    let mock = field
        .program
        .start_on(state, &[LIMITED, &["real"]].concat())?;
    let acme = mock.acme();
    let cooling = acme
        .post("/api/v1/billing/scan-endpoint", &scan)?
        .expect(429)?;
    let told = cooling.number("/error/details/retry_after_seconds")?;
    hold(told <= COOLDOWN, || format!("the cooldown lasts {told} s"))?;
    let wait = throttled(&acme)?;
    hold(wait <= WINDOW, || format!("Retry-After is {wait}"))?;
    let now = acme.get("/_mock/clock")?.text("/now")?;
    hold(now.starts_with("2031"), || {
        format!("time went back to {now}")
    })?;
    Ok(Seen::of(
        1,
        format!("Retry-After {wait}, a cooldown of {told} s"),
    ))
}

/// Calls until it is told to wait; how long.
fn throttled(acme: &Caller) -> Outcome<u64> {
    for _ in 0..=200 {
        let answer = acme.get("/api/v1/endpoints?per_page=1")?;
        if answer.status == 429 {
            let told = answer
                .header("retry-after")
                .and_then(|told| told.parse().ok());
            return Ok(told.unwrap_or(u64::MAX));
        }
        answer.expect(200)?;
    }
    Err(crate::table::Lost::new("no call is throttled"))
}

fn advance(acme: &Caller, seconds: u64) -> Outcome {
    acme.post("/_mock/clock", &json!({ "advance_seconds": seconds }))?
        .expect(200)?;
    Ok(())
}
