//! Partners who do at random what partners do, for as long as wanted: with faults, moving clocks, and a server that is
//! killed, stopped and started. After every round, what must always hold is looked for.

mod ledger;
mod partner;
mod truths;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Field;
use crate::chance::Chance;
use crate::client::Caller;
use crate::mock::{Mock, mebibytes};
use crate::table::{Lost, Outcome, Seen, Table, hold};
use partner::Partner;

/// Partners at random, faults, moving clocks and restarts.
#[derive(clap::Args)]
pub struct Soak {
    /// For so many minutes
    #[arg(long, conflicts_with = "seconds")]
    minutes: Option<u64>,
    /// For so many seconds [default: 60]
    #[arg(long)]
    seconds: Option<u64>,
}

/// Accounts at once.
const ACCOUNTS: usize = 6;

/// What the server may take at most: the journals of its accounts, and as much again.
const MEMORY: u64 = 2 * (ACCOUNTS as u64 + 1) * (64 << 20);

const FLAGS: &[&str] = &["--clock", "manual", "--rate-limit", "off"];

/// What came of all rounds so far.
#[derive(Default)]
struct Tally {
    rounds: usize,
    calls: usize,
    kills: usize,
    stops: usize,
    faults: usize,
    peak: u64,
}

impl Soak {
    pub fn attack(&self, field: &Field) -> Outcome {
        let table = Table::of("soak");
        let minutes = self.minutes.map(|minutes| minutes * 60);
        let span = Duration::from_secs(minutes.or(self.seconds).unwrap_or(60));
        table.attempt(&format!("{} s from seed {}", span.as_secs(), field.seed), || {
            let folder = tempfile::tempdir()?;
            let tally = soak(field, &folder.path().join("state.db"), span)?;
            let Tally { rounds, calls, kills, stops, faults, peak } = tally;
            let result = format!("{rounds} rounds, {kills} kills, {stops} stops, {faults} faults; memory at most {}", mebibytes(peak));
            Ok(Seen::of(calls, result))
        })
    }
}

fn soak(field: &Field, state: &Path, span: Duration) -> Outcome<Tally> {
    let until = Instant::now() + span;
    let mut told = Instant::now();
    let mut chance = Chance::new(field.seed);
    let mut tally = Tally::default();
    let mut partners: Vec<Partner> = Vec::new();
    let mut mock = field.program.start_on(state, FLAGS)?;
    while Instant::now() < until {
        let admin = mock.anyone();
        let before = |lost: Lost| lost.at(&format!("round {}", tally.rounds));
        change_accounts(&admin, &mut partners, &mut chance).map_err(before)?;
        tally.faults += place_faults(&admin, &partners, &mut chance).map_err(before)?;
        let ending = *chance.pick(&[Ending::Kill, Ending::Kill, Ending::Stop, Ending::GoOn]);
        mock = round(field, state, mock, &mut partners, ending, &mut chance).map_err(before)?;
        let held = truths::hold_all(&mock, &mut partners).map_err(before)?;
        tally.calls += held;
        for partner in &mut partners {
            tally.calls += std::mem::take(&mut partner.calls);
        }
        tally.rounds += 1;
        tally.kills += usize::from(matches!(ending, Ending::Kill));
        tally.stops += usize::from(matches!(ending, Ending::Stop));
        tally.peak = tally.peak.max(mock.memory()?.peak);
        hold(tally.peak <= MEMORY, || {
            format!("the server takes {}", mebibytes(tally.peak))
        })?;
        if told.elapsed() > Duration::from_secs(60) {
            told = Instant::now();
            println!(
                "          {} rounds, {} calls, memory at most {}",
                tally.rounds,
                tally.calls,
                mebibytes(tally.peak)
            );
        }
    }
    Ok(tally)
}

/// How a round ends for the server.
#[derive(Clone, Copy)]
enum Ending {
    Kill,
    Stop,
    GoOn,
}

/// All partners work at once, and the clock moves, until the server is ended; the server that is there afterwards.
fn round(
    field: &Field,
    state: &Path,
    mock: Mock,
    partners: &mut [Partner],
    ending: Ending,
    chance: &mut Chance,
) -> Outcome<Mock> {
    let is_over = AtomicBool::new(false);
    let span = Duration::from_millis(200 + chance.below(800));
    let anyone = mock.anyone();
    let mut own = chance.split();
    let left = thread::scope(|scope| {
        let workers: Vec<_> = partners
            .iter_mut()
            .map(|partner| scope.spawn(|| partner.work(&anyone, &is_over)))
            .collect();
        let until = Instant::now() + span;
        while Instant::now() < until && !is_over.load(Ordering::Relaxed) {
            disturb(&anyone, &mut own)?;
        }
        // A killed server ends in the middle of calls; else they come to their end first.
        let mock = match ending {
            Ending::Kill => mock.kill().map(|()| None)?,
            Ending::Stop | Ending::GoOn => Some(mock),
        };
        is_over.store(true, Ordering::Relaxed);
        for worker in workers {
            let worked = worker.join();
            worked.unwrap_or_else(|_| Err(Lost::new("a partner fails")))?;
        }
        Ok::<_, Lost>(mock)
    })?;
    let Some(mock) = left else {
        return field.program.start_on(state, FLAGS);
    };
    only_injected_loss(&anyone, partners)?;
    if matches!(ending, Ending::GoOn) {
        return Ok(mock);
    }
    let before = accounts(&mock)?;
    mock.stop()?;
    let mock = field.program.start_on(state, FLAGS)?;
    let is_same = accounts(&mock)? == before;
    hold(is_same, || {
        "the accounts are not the same after a stop".to_owned()
    })?;
    Ok(mock)
}

/// No more answers were lost than faults acted.
fn only_injected_loss(anyone: &Caller, partners: &[Partner]) -> Outcome {
    let faults = anyone.get("/_mock/faults")?.expect(200)?.json()?;
    let faults = faults["faults"].as_array().cloned().unwrap_or_default();
    let hits: u64 = faults
        .iter()
        .filter_map(|fault| fault["hits"].as_u64())
        .sum();
    let lost: u64 = partners.iter().map(|partner| partner.lost).sum();
    hold(lost <= hits, || {
        format!("{lost} answers were lost, {hits} of them by faults")
    })
}

/// The accounts as they are exported, but for the configured ones, which go by the configuration of each start.
fn accounts(mock: &Mock) -> Outcome<Value> {
    let mut document = mock.anyone().get("/_mock/state")?.expect(200)?.json()?;
    let mut accounts = document["accounts"].take();
    if let Some(accounts) = accounts.as_object_mut() {
        accounts.retain(|_, account| account["origin"] != "configured");
    }
    Ok(accounts)
}

/// Moves time, reads what is large, and lets scans end.
fn disturb(anyone: &Caller, chance: &mut Chance) -> Outcome {
    match chance.below(6) {
        0 => anyone
            .post(
                "/_mock/clock",
                &json!({ "advance_seconds": chance.below(200_000) }),
            )?
            .expect(200)?,
        1 => anyone.get("/_mock/state")?.expect(200)?,
        2 => anyone.get("/_mock/requests?limit=50")?.expect(200)?,
        _ => anyone.get("/_mock/health")?.expect(200)?,
    };
    thread::sleep(Duration::from_millis(chance.below(20)));
    Ok(())
}

/// Accounts come and go, and start over.
fn change_accounts(admin: &Caller, partners: &mut Vec<Partner>, chance: &mut Chance) -> Outcome {
    while partners.len() < 2 || (partners.len() < ACCOUNTS && chance.below(3) == 0) {
        let options = json!({ "default_endpoint_limit": 3 + chance.below(20), "account_endpoint_limit": 40 + chance.below(100) });
        let made = admin.post("/_mock/tenants", &options)?.expect(201)?;
        partners.push(Partner::new(
            made.text("/name")?,
            made.text("/api_key")?,
            chance.split(),
        ));
    }
    if chance.below(8) == 0 {
        let place = usize::try_from(chance.below(partners.len() as u64)).unwrap_or(0);
        let gone = partners.swap_remove(place);
        admin
            .delete(&format!("/_mock/tenants/{}", gone.name))?
            .expect(204)?;
        admin
            .with_key(&gone.key)
            .get("/api/v1/endpoints")?
            .expect(401)?;
    }
    if chance.below(10) == 0
        && let Some(partner) = partners.first_mut()
    {
        let path = format!("/_mock/tenants/{}/reset", partner.name);
        admin.post(&path, &json!({}))?.expect(204)?;
        partner.ledger.clear();
    }
    Ok(())
}

/// Some trouble for some; how much.
fn place_faults(admin: &Caller, partners: &[Partner], chance: &mut Chance) -> Outcome<usize> {
    admin.delete("/_mock/faults")?.expect(204)?;
    let effects = [
        json!({ "status": 503, "code": "SCANNING_UNAVAILABLE" }),
        json!({ "close": "before" }),
        json!({ "close": "after" }),
        json!({ "close": "mid_body" }),
        json!({ "close": "reset" }),
        json!({ "latency_ms": 20 }),
    ];
    let mut placed = 0;
    for partner in partners {
        for _ in 0..chance.below(4) {
            let fault = json!({ "tenant": partner.name, "times": 1 + chance.below(3), "after": chance.below(50), "effect": chance.pick(&effects) });
            admin.post("/_mock/faults", &fault)?.expect(201)?;
            placed += 1;
        }
    }
    Ok(placed)
}
