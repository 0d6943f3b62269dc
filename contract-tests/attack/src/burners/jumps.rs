//! What grows with what there is: jumps of the clock over a year, with many servers to scan and rules to expire, and rules
//! among many.

use std::time::Duration;

use serde_json::json;

use super::{Cost, cost_of};
use crate::Field;
use crate::client::Caller;
use crate::mock::{Mock, STANDING};
use crate::table::{Outcome, Seen, Table, hold};

/// How much more a jump may cost than a plain one.
const RATIO: f64 = 10.0;

pub(super) fn attack(field: &Field, table: &Table, servers: u64) -> Outcome {
    table.attempt("a year over rules, of which one ends each day", || {
        let plain = jump(&populated(field, servers)?, 365)?;
        let mock = populated(field, servers)?;
        let acme = mock.acme();
        for day in 1..=365 {
            let (month, day_of_month) = month_and_day(day);
            let rule = json!({
                "port_start": 1000 + day, "protocol": "tcp", "justification": "For an attack",
                "expires_at": format!("2026-{month:02}-{day_of_month:02}"),
            });
            acme.post("/api/v1/whitelists", &rule)?.expect(201)?;
        }
        told(&plain, &jump(&mock, 365)?)
    })?;
    table.attempt("a year over a server with 20,000 open ports", || {
        let mock = populated(field, 1)?;
        let acme = mock.acme();
        let id = acme.get("/api/v1/endpoints")?.text("/data/0/id")?;
        let open: Vec<_> = (1..=20_000)
            .map(|port| json!({ "port": port, "protocol": "tcp" }))
            .collect();
        acme.put(
            &format!("/_mock/endpoints/{id}/ports"),
            &json!({ "open": open }),
        )?
        .expect(204)?;
        jump(&mock, 2)?;
        told(&jump(&mock, 2)?, &jump(&mock, 365)?)
    })?;
    table.attempt("a rule among thousands", || {
        let mock = populated(field, 1)?;
        let few = rules(&mock, 1..=100)?;
        rules(&mock, 101..=4_900)?;
        let among = rules(&mock, 4_901..=5_000)?;
        let ratio = among.as_secs_f64() / few.as_secs_f64();
        hold(ratio < RATIO, || {
            format!("costs {ratio:.1} times one among few")
        })?;
        Ok(Seen::of(5_000, format!("{:.1?} each", among / 100)).ratio(ratio))
    })
}

/// Adds an account-wide rule for each of these ports; what all of them cost.
fn rules(mock: &Mock, ports: std::ops::RangeInclusive<u64>) -> Outcome<Duration> {
    let (acme, before) = (mock.acme(), mock.work()?);
    for port in ports {
        let rule = json!({ "port_start": 1000 + port * 2, "protocol": "tcp", "justification": "For an attack" });
        acme.post("/api/v1/whitelists", &rule)?.expect(201)?;
    }
    Ok(mock.work()?.saturating_sub(before))
}

/// What a jump cost by what a plain one costs.
fn told(plain: &Cost, cost: &Cost) -> Outcome<Seen> {
    let ratio = cost.work.as_secs_f64() / plain.work.as_secs_f64();
    hold(ratio < RATIO, || {
        format!("costs {ratio:.1} times a plain jump")
    })?;
    let millis = |span: Duration| span.as_secs_f64() * 1000.0;
    let result = format!(
        "{:.1} ms; others waited {:.1} ms",
        millis(cost.work),
        millis(cost.wait)
    );
    Ok(Seen::of(1, result).ratio(ratio))
}

fn jump(mock: &Mock, days: u64) -> Outcome<Cost> {
    let anyone = mock.anyone();
    let body = json!({ "advance_seconds": days * 86_400 });
    Ok(cost_of(mock, || anyone.post("/_mock/clock", &body)?.expect(200))?.0)
}

/// A server with so many servers in it, each scanned once.
fn populated(field: &Field, servers: u64) -> Outcome<Mock> {
    let mock = field.program.start(STANDING)?;
    let acme: Caller = mock.acme();
    for number in 0..servers {
        let server = json!({ "client_id": number / 20 + 1, "ip_address": format!("10.0.{}.{}", number / 250, number % 250) });
        acme.post("/api/v1/billing/provision", &server)?
            .expect(201)?;
    }
    acme.post("/_mock/clock", &json!({ "advance_seconds": 2 }))?
        .expect(200)?;
    Ok(mock)
}

/// The month and the day in it, so many days after the first of January 2026.
fn month_and_day(mut day: u64) -> (u64, u64) {
    for (month, length) in (1..).zip([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) {
        if day < length {
            return (month, day + 1);
        }
        day -= length;
    }
    (12, 31)
}
