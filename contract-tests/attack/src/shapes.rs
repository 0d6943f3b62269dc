//! Requests that no client library would send: each is answered properly or its connection closed, and nothing changes.

// A line is a shape.
#[rustfmt::skip]
mod all;

use std::time::{Duration, Instant};

use serde_json::json;

use crate::Field;
use crate::client::{Caller, statuses};
use crate::mock::{Mock, STANDING};
use crate::table::{Outcome, Seen, Table, hold};

/// Malformed requests, pipelines and connections that end early.
#[derive(clap::Args)]
pub struct Shapes {
    /// How often each shape is tried
    #[arg(long, default_value_t = 20)]
    rounds: usize,
}

/// What may come back.
#[derive(Clone, Copy)]
enum Due {
    /// So many answers of 200.
    Served(usize),
    /// One answer of a 4xx status, or none; never a second one, which would be that of a smuggled request.
    Refused,
    /// Answers of any status below 500, or none.
    Either,
}

struct Shape {
    name: String,
    pieces: Vec<Vec<u8>>,
    due: Due,
}

/// The longest that a harmless call may take beside a shape.
const PROMPT: Duration = Duration::from_secs(5);

impl Shapes {
    pub fn attack(&self, field: &Field) -> Outcome {
        let table = Table::of("shapes");
        let mock = field.program.start(STANDING)?;
        let server = json!({ "client_id": 1, "ip_address": "192.0.2.1" });
        mock.acme()
            .post("/api/v1/billing/provision", &server)?
            .expect(201)?;
        for (kind, shapes) in [
            ("split, pipelined, dripped", all::sequences()),
            ("bodies in chunks", all::chunks()),
            ("lengths", all::lengths()),
            ("heads", all::heads()),
            ("targets", all::targets()),
            ("methods", all::methods()),
            ("connections that end early", all::early_ends()),
        ] {
            table.attempt(kind, || self.try_all(&mock, &shapes))?;
        }
        Ok(())
    }

    fn try_all(&self, mock: &Mock, shapes: &[Shape]) -> Outcome<Seen> {
        let anyone = mock.anyone();
        let before = anyone.get("/_mock/state")?.expect(200)?.body;
        let mut slowest = Duration::ZERO;
        for shape in shapes {
            for _ in 0..self.rounds {
                let heard = anyone.exchange(&shape.pieces);
                let heard = heard.map_err(|lost| lost.at(&shape.name))?;
                shape
                    .due
                    .judge(&heard)
                    .map_err(|lost| lost.at(&shape.name))?;
                slowest = slowest.max(harmless_call(&anyone)?);
            }
            let after = anyone.get("/_mock/state")?.expect(200)?.body;
            hold(after == before, || {
                format!("{} changed the state", shape.name)
            })?;
        }
        hold(slowest < PROMPT, || {
            format!("a harmless call took {slowest:?}")
        })?;
        let result = format!("answered or closed; then a harmless call within {slowest:.1?}");
        Ok(Seen::of(shapes.len() * self.rounds, result))
    }
}

/// How long a harmless call takes.
fn harmless_call(anyone: &Caller) -> Outcome<Duration> {
    let started = Instant::now();
    anyone.get("/api/v1/health")?.expect(200)?;
    Ok(started.elapsed())
}

impl Due {
    fn judge(self, heard: &[u8]) -> Outcome {
        let found = statuses(heard);
        let is_due = match self {
            Self::Served(count) => {
                found.len() == count && found.iter().all(|status| *status == 200)
            }
            Self::Refused => {
                found.len() <= 1 && found.iter().all(|status| (400..500).contains(status))
            }
            Self::Either => found.iter().all(|status| (100..500).contains(status)),
        };
        let is_http = heard.is_empty() || heard.starts_with(b"HTTP/1.");
        hold(is_due && is_http, || format!("answered {found:?}"))
    }
}
