//! The journal of an account, filled with what is long in every part of a call.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::Field;
use crate::burners::{Cost, cost_of};
use crate::client::Caller;
use crate::mock::{KEY, Mock, STANDING, mebibytes};
use crate::table::{Outcome, Seen, Table, hold};

/// Calls that fill the journal, long in one part each.
#[derive(clap::Args)]
pub struct Journal {
    /// Calls of each kind
    #[arg(long, default_value_t = 1200)]
    calls: usize,
}

/// What the journal of an account holds at most, and what its keeping may cost besides.
const HELD: u64 = 64 << 20;
const SLACK: u64 = 24 << 20;

/// What reading all of it may take.
const READ: u64 = 6 * HELD;

/// How much more reading one costs than one of plain bodies.
const RATIO: f64 = 25.0;

/// A wait that nobody notices.
const HARDLY: Duration = Duration::from_millis(50);

/// A call that is long in one part.
struct Long {
    name: &'static str,
    key: String,
    method: String,
    path: String,
    body: Vec<u8>,
}

/// What came of filling a journal and reading it.
struct Filled {
    grown: u64,
    reading: Cost,
    took: Duration,
}

impl Journal {
    pub fn attack(&self, field: &Field) -> Outcome {
        let table = Table::of("journal");
        let mut usual = None;
        for long in kinds() {
            table.attempt(long.name, || {
                let filled = self.fill(&field.program.start(STANDING)?, &long)?;
                let work = filled.reading.work.as_secs_f64();
                let ratio = work / *usual.get_or_insert(work);
                filled.judge(ratio)?;
                let Filled {
                    grown,
                    reading,
                    took,
                } = filled;
                let (grown, read) = (mebibytes(grown), mebibytes(reading.grown));
                let result = format!(
                    "{grown}; read in {took:.1?} with {read}, others waited {:.1?}",
                    reading.wait
                );
                Ok(Seen::of(self.calls, result).ratio(ratio))
            })?;
        }
        Ok(())
    }

    fn fill(&self, mock: &Mock, long: &Long) -> Outcome<Filled> {
        let caller = mock.anyone().with_key(&long.key);
        prepare(&mock.acme())?;
        caller.send(&long.method, &long.path, &long.body)?;
        let before = mock.memory()?.now;
        for _ in 0..self.calls {
            let answer = caller.send(&long.method, &long.path, &long.body)?;
            hold(answer.status < 500, || answer.beginning())?;
        }
        let grown = mock.memory()?.now.saturating_sub(before);
        let (anyone, started) = (mock.anyone(), Instant::now());
        let (reading, _) = cost_of(mock, || anyone.get("/_mock/requests")?.expect(200))?;
        let took = started.elapsed();
        Ok(Filled {
            grown,
            reading,
            took,
        })
    }
}

impl Filled {
    fn judge(&self, ratio: f64) -> Outcome {
        let Self {
            grown,
            reading,
            took,
        } = self;
        hold(*grown <= HELD + SLACK, || {
            format!("the journal takes {}", mebibytes(*grown))
        })?;
        hold(reading.grown <= READ, || {
            format!("reading it takes {}", mebibytes(reading.grown))
        })?;
        hold(ratio <= RATIO, || {
            format!("reading it costs {ratio:.0} times a harmless one")
        })?;
        hold(reading.wait <= HARDLY.max(*took / 2), || {
            format!(
                "while it is read, for {took:.1?}, the account waits {:.1?}",
                reading.wait
            )
        })
    }
}

/// A hundred servers, for answers that are long.
fn prepare(acme: &Caller) -> Outcome {
    for number in 0..100 {
        let server =
            json!({ "client_id": 1 + number / 20, "ip_address": format!("192.0.2.{number}") });
        acme.post("/api/v1/billing/provision", &server)?
            .expect(201)?;
    }
    Ok(())
}

// A line is a kind.
#[rustfmt::skip]
fn kinds() -> Vec<Long> {
    let long = |name, key: &str, method: &str, path: String, body: &[u8]| {
        Long { name, key: key.to_owned(), method: method.to_owned(), path, body: body.to_vec() }
    };
    let (provision, list) = ("/api/v1/billing/provision".to_owned(), "/api/v1/endpoints?per_page=100".to_owned());
    let objects = format!("[{}0]", "{\"a\":0},".repeat(8000));
    vec![
        long("bodies of a mebibyte", KEY, "POST", provision.clone(), &[b'x'; 1 << 20]),
        long("bodies of seven bytes", KEY, "POST", provision.clone(), b"{\"a\":0}"),
        long("bodies of a key", KEY, "POST", provision.clone(), KEY.repeat(6000).as_bytes()),
        long("bodies of a bearer's short text", "a", "POST", provision.clone(), &[b'a'; 1 << 20]),
        long("bodies of escapes", "a", "POST", provision.clone(), "%61\\u0061%256".repeat(6000).as_bytes()),
        long("bodies of small objects", KEY, "POST", provision.clone(), objects.as_bytes()),
        long("long paths", KEY, "GET", format!("/api/v1/{}", "x".repeat(65_000)), b""),
        long("long queries", KEY, "GET", format!("{list}&{}", "x".repeat(65_000)), b""),
        long("long answers", KEY, "GET", list.clone(), b""),
        long("long methods", KEY, &"X".repeat(300_000), provision, b""),
        long("long unknown keys", &"k".repeat(300_000), "GET", list, b""),
    ]
}
