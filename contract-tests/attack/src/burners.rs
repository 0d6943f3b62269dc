//! Requests of up to a mebibyte that could cost much more than they look like.

// A line is a burner.
#[rustfmt::skip]
mod bodies;
#[rustfmt::skip]
mod dumps;
mod jumps;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::Field;
use crate::client::{Answer, Caller};
use crate::mock::{KEY, Mock, Program, STANDING, mebibytes};
use crate::table::{Outcome, Seen, Table, hold};

/// Inputs that could cost time or memory out of proportion.
#[derive(clap::Args)]
pub struct Burners {
    /// Servers that a jump of the clock finds
    #[arg(long, default_value_t = 1000)]
    servers: u64,
}

/// The largest body of a partner's call.
const MEBIBYTE: usize = 1 << 20;

/// How much more than a harmless call of its size a call may cost.
const RATIO: f64 = 100.0;

/// How much memory a single call may take.
const GROWTH: u64 = 16 << 20;

/// How long one call may keep all others waiting. A build without optimization is not held to it.
const HELD: Duration = Duration::from_millis(if cfg!(debug_assertions) { 5000 } else { 50 });

/// What a call cost the server.
pub struct Cost {
    pub work: Duration,
    /// The longest that a harmless call waited meanwhile.
    pub wait: Duration,
    /// Memory, at the most.
    pub grown: u64,
}

impl Burners {
    pub fn attack(&self, field: &Field) -> Outcome {
        let table = Table::of("burners");
        let stage = Stage::new(&field.program)?;
        for (kind, burners) in [
            (
                "bodies of a bearer's short text, escapes",
                bodies::of_secrets(),
            ),
            ("JSON", bodies::of_json()),
            ("fields, lists of services", bodies::of_fields()),
            ("queries and heads", bodies::of_heads()),
            ("firewall dumps", dumps::all(&stage.endpoint)),
            ("admin bodies, documents", bodies::of_admin(&stage.endpoint)),
        ] {
            table.attempt(kind, || stage.try_all(&burners))?;
        }
        table.attempt("searches in a full journal", || searches(&field.program))?;
        jumps::attack(field, &table, self.servers)
    }
}

/// Where burners are tried: each on a server of its own, so that none finds memory that another left.
struct Stage<'a> {
    program: &'a Program,
    /// The only server of the only customer, scanned once. Its id is the same on every server.
    endpoint: String,
    usual: Usual,
}

/// What harmless calls cost, by their size.
struct Usual(Vec<(usize, Duration)>);

/// A request that burns, but for who receives it.
struct Burner {
    name: String,
    key: String,
    method: &'static str,
    path: String,
    body: Vec<u8>,
}

impl<'a> Stage<'a> {
    fn new(program: &'a Program) -> Outcome<Self> {
        let (mock, endpoint) = prepared(program)?;
        let mut usual = Vec::new();
        for size in [MEBIBYTE / 16, MEBIBYTE / 4, MEBIBYTE] {
            let harmless = harmless(size);
            let mut works = Vec::new();
            for _ in 0..9 {
                works.push(harmless.cost(&mock)?.work);
            }
            works.sort_unstable();
            usual.push((size, works[works.len() / 2]));
        }
        let usual = Usual(usual);
        Ok(Self {
            program,
            endpoint,
            usual,
        })
    }

    /// Tries each; the dearest by a harmless call of its size.
    fn try_all(&self, burners: &[Burner]) -> Outcome<Seen> {
        let (mut worst, mut dearest) = (0.0_f64, "");
        let (mut wait, mut grown) = (Duration::ZERO, 0);
        for burner in burners {
            let (mock, _) = prepared(self.program)?;
            let judged = burner.cost(&mock).and_then(|cost| {
                let ratio =
                    cost.work.as_secs_f64() / self.usual.of(burner.body.len()).as_secs_f64();
                cost.judge(ratio)?;
                Ok((cost, ratio))
            });
            let (cost, ratio) = judged.map_err(|lost| lost.at(&burner.name))?;
            if ratio > worst {
                (worst, dearest) = (ratio, &burner.name);
            }
            (wait, grown) = (wait.max(cost.wait), grown.max(cost.grown));
        }
        let result = format!(
            "dearest: {dearest}; others waited {:.1} ms, memory {}",
            wait.as_secs_f64() * 1000.0,
            mebibytes(grown)
        );
        Ok(Seen::of(burners.len(), result).ratio(worst))
    }
}

impl Usual {
    /// What a harmless call of at least this size costs.
    fn of(&self, size: usize) -> Duration {
        let known = self.0.iter().find(|(known, _)| size <= *known);
        known
            .or(self.0.last())
            .map_or(Duration::MAX, |(_, work)| *work)
    }
}

impl Burner {
    fn post(name: &str, path: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            name: name.to_owned(),
            key: KEY.to_owned(),
            method: "POST",
            path: path.to_owned(),
            body: body.into(),
        }
    }

    fn cost(&self, mock: &Mock) -> Outcome<Cost> {
        let caller = mock.anyone().with_key(&self.key);
        let (cost, answer) = cost_of(mock, || caller.send(self.method, &self.path, &self.body))?;
        hold(answer.status < 500, || {
            format!("{}: {}", answer.status, answer.beginning())
        })?;
        Ok(cost)
    }
}

/// A call of so many bytes that costs what reading them costs.
fn harmless(size: usize) -> Burner {
    let frame = r#"{"client_id":1,"ip_address":"192.0.2.1","x":""}"#;
    let filling = "x".repeat(size.saturating_sub(frame.len()));
    let body = frame.replace("\"\"", &format!("\"{filling}\""));
    Burner::post("harmless", "/api/v1/billing/provision", body)
}

/// A server with one scanned server, and that one's id. It has answered once already: what is allocated once counts for
/// no call.
fn prepared(program: &Program) -> Outcome<(Mock, String)> {
    let mock = program.start(STANDING)?;
    let acme = mock.acme();
    let server = json!({ "client_id": 1, "ip_address": "192.0.2.1" });
    let made = acme
        .post("/api/v1/billing/provision", &server)?
        .expect(201)?;
    acme.post("/_mock/clock", &json!({ "advance_seconds": 2 }))?
        .expect(200)?;
    Ok((mock, made.text("/data/endpoint_id")?))
}

/// What a call costs this server; an account calls meanwhile.
pub fn cost_of(mock: &Mock, call: impl FnOnce() -> Outcome<Answer>) -> Outcome<(Cost, Answer)> {
    let is_over = AtomicBool::new(false);
    let acme = mock.acme();
    mock.forget_peak()?;
    let (memory, work) = (mock.memory()?, mock.work()?);
    let (answer, wait) = thread::scope(|scope| {
        let others = scope.spawn(|| longest_wait(&acme, &is_over));
        let answer = call();
        is_over.store(true, Ordering::Relaxed);
        (answer, others.join())
    });
    let answer = answer?;
    let cost = Cost {
        work: mock.work()?.saturating_sub(work),
        wait: wait.unwrap_or(Ok(Duration::MAX))?,
        grown: mock.memory()?.peak.saturating_sub(memory.now),
    };
    Ok((cost, answer))
}

/// Calls now and then until it is over.
fn longest_wait(acme: &Caller, is_over: &AtomicBool) -> Outcome<Duration> {
    let mut longest = Duration::ZERO;
    while !is_over.load(Ordering::Relaxed) {
        let started = Instant::now();
        acme.get("/api/v1/endpoints?per_page=1")?;
        longest = longest.max(started.elapsed());
        // Calling all the time would be what costs.
        thread::sleep(Duration::from_millis(5));
    }
    Ok(longest)
}

impl Cost {
    fn judge(&self, ratio: f64) -> Outcome {
        hold(ratio <= RATIO, || {
            format!(
                "costs {ratio:.0} times a harmless call of its size, {:.1?}",
                self.work
            )
        })?;
        // Others also wait for whatever else the machine does; not longer than the server works, for the call.
        let held = self.wait.min(self.work);
        hold(held <= HELD, || {
            format!("keeps all others waiting for {held:.1?}")
        })?;
        hold(self.grown <= GROWTH, || {
            format!("takes {} of memory", mebibytes(self.grown))
        })
    }
}

/// Looks for paths with many stars among a thousand long ones.
fn searches(program: &Program) -> Outcome<Seen> {
    let mock = program.start(STANDING)?;
    let acme = mock.acme();
    for number in 0..1000 {
        acme.get(&format!("/api/v1/{}{number}", "a".repeat(60_000)))?;
    }
    let read = |query: &str| {
        let path = format!("/_mock/requests?limit=1&{query}");
        cost_of(&mock, || acme.get(&path)?.expect(200))
    };
    let usual = read("path=/b")?.0.work;
    let (mut worst, mut wait) = (0.0_f64, Duration::ZERO);
    let searches = [
        "*a".repeat(2000) + "b",
        "*".repeat(4000) + "b",
        format!("*{}b", "a".repeat(4000)),
        "*aab".repeat(1000),
    ];
    for search in &searches {
        let cost = read(&format!("path={search}"))?.0;
        worst = worst.max(cost.work.as_secs_f64() / usual.as_secs_f64());
        wait = wait.max(cost.wait);
    }
    hold(worst < RATIO, || {
        format!("costs {worst:.0} times a search without stars")
    })?;
    let result = format!(
        "longest wait of others {:.1} ms",
        wait.as_secs_f64() * 1000.0
    );
    Ok(Seen::of(searches.len(), result).ratio(worst))
}

/// A list of as many items as fit into so many bytes.
fn list(item: impl Fn(usize) -> String, size: usize) -> String {
    let mut text = String::new();
    for number in 0.. {
        let next = item(number);
        if text.len() + next.len() + 1 > size {
            break;
        }
        if number > 0 {
            text.push(',');
        }
        text += &next;
    }
    text
}
