//! State files: servers killed while they write, and disks that fill up. What was acknowledged is there afterwards.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Instant;

use serde_json::json;

use crate::Field;
use crate::chance::Chance;
use crate::client::{Caller, PATIENCE};
use crate::mock::{Mock, STANDING};
use crate::table::{Outcome, Seen, Table, hold};

/// Servers killed while they write.
#[derive(clap::Args)]
pub struct Kills {
    /// How often
    #[arg(long, default_value_t = 60)]
    kills: usize,
}

/// A disk that fills up.
#[derive(clap::Args)]
pub struct FullDisk;

/// Writers at once.
const WRITERS: u64 = 16;

/// A server that was acknowledged: its id and its address.
type Acknowledged = (String, String);

impl Kills {
    pub fn attack(&self, field: &Field) -> Outcome {
        let table = Table::of("kills");
        table.attempt("kill -9 while 16 write", || {
            let folder = tempfile::tempdir()?;
            let state = folder.path().join("state.db");
            let mut chance = Chance::new(field.seed);
            let mut acknowledged = Vec::new();
            let roomy = json!({ "account_endpoint_limit": 1_000_000 });
            let mock = field.program.start_on(&state, STANDING)?;
            let key = mock
                .anyone()
                .post("/_mock/tenants", &roomy)?
                .expect(201)?
                .text("/api_key")?;
            mock.kill()?;
            for round in 0..self.kills {
                let mock = field.program.start_on(&state, STANDING)?;
                let writer = mock.anyone().with_key(&key);
                let last = acknowledged.len().saturating_sub(200);
                all_there(&writer, &acknowledged[last..])?;
                let writes = chance.below(400);
                acknowledged.extend(written_until_killed(mock, &writer, round, writes)?);
            }
            let mock = field.program.start_on(&state, STANDING)?;
            all_there(&mock.anyone().with_key(&key), &acknowledged)?;
            mock.kill()?;
            field.program.exports(&state)?;
            let result = format!(
                "all of {} acknowledged writes are there",
                acknowledged.len()
            );
            Ok(Seen::of(self.kills, result))
        })
    }
}

impl FullDisk {
    pub fn attack(&self, field: &Field) -> Outcome {
        let table = Table::of("full-disk");
        table.attempt("files that may not grow", || {
            let folder = tempfile::tempdir()?;
            // SIGXFSZ would end the server; ignored, it finds that it cannot write.
            let limits = "trap '' XFSZ; ulimit -f 2048";
            filled(field, &folder.path().join("state.db"), limits)
        })?;
        let folder = tempfile::tempdir()?;
        let Some(_disk) = SmallDisk::mount(folder.path()) else {
            println!(
                "{:<9} a disk of 2 MiB is not tried: it cannot be mounted here",
                "full-disk"
            );
            return Ok(());
        };
        table.attempt("a disk of 2 MiB", || {
            filled(field, &folder.path().join("state.db"), ":")
        })
    }
}

/// Adds servers until one cannot be saved; another server opens a copy with more room.
fn filled(field: &Field, state: &Path, limits: &str) -> Outcome<Seen> {
    let mock = field.program.start_under(limits, Some(state), STANDING)?;
    let acme = mock.acme();
    let mut acknowledged = Vec::new();
    let refused = loop {
        let answer = added(&acme, acknowledged.len() as u64, 1)?;
        if answer.status != 201 {
            break answer;
        }
        acknowledged.push((
            answer.text("/data/endpoint_id")?,
            address(acknowledged.len() as u64),
        ));
        hold(acknowledged.len() < 20_000, || {
            "it never fills up".to_owned()
        })?;
    };
    hold(refused.text("/error/code")? == "STATE_NOT_SAVED", || {
        format!("the refusal says {}", refused.beginning())
    })?;
    for path in ["/api/v1/endpoints", "/_mock/tenants"] {
        mock.acme().get(path)?.expect(500)?;
    }
    mock.anyone().get("/_mock/health")?.expect(503)?;
    mock.kill()?;
    let elsewhere = tempfile::tempdir()?;
    let copy = elsewhere.path().join("state.db");
    fs::copy(state, &copy)?;
    let log = |state: &Path| state.with_file_name("state.db-wal");
    if log(state).exists() {
        fs::copy(log(state), log(&copy))?;
    }
    let mock = field.program.start_on(&copy, STANDING)?;
    all_there(&mock.acme(), &acknowledged)?;
    let total = mock
        .acme()
        .get("/api/v1/endpoints")?
        .number("/meta/total")?;
    hold(total == acknowledged.len() as u64, || {
        format!("{total} servers, {} acknowledged", acknowledged.len())
    })?;
    Ok(Seen::of(
        acknowledged.len(),
        "exactly what was acknowledged is there",
    ))
}

/// A file system of 2 MiB in a folder; gone when it is dropped.
struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    /// Nothing where this user may not mount.
    fn mount(folder: &'a Path) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"])
            .arg(folder);
        mount
            .output()
            .is_ok_and(|ended| ended.status.success())
            .then_some(Self(folder))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        // Where it stays, the folder stays, and that is all.
        let _ = Command::new("umount").arg(self.0).output();
    }
}

/// What writers were acknowledged until the server was killed, after more than so many writes.
fn written_until_killed(
    mock: Mock,
    writer: &Caller,
    round: usize,
    writes: u64,
) -> Outcome<Vec<Acknowledged>> {
    let total = || {
        writer
            .get("/api/v1/endpoints?per_page=1")?
            .number("/meta/total")
    };
    let before = total()?;
    thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|number| scope.spawn(move || written(writer, round as u64 * WRITERS + number + 1)))
            .collect();
        let within = Instant::now() + PATIENCE;
        while total()? <= before + writes {
            hold(Instant::now() < within, || "nothing is written".to_owned())?;
        }
        mock.kill()?;
        let written = writers
            .into_iter()
            .flat_map(|writer| writer.join().unwrap_or_default());
        Ok(written.collect())
    })
}

/// Adds servers of a customer until the server is gone or the customer has all it may have.
fn written(writer: &Caller, client: u64) -> Vec<Acknowledged> {
    let added = (0..25).map_while(|number| {
        let answer = added(writer, number, client).ok()?.expect(201).ok()?;
        Some((answer.text("/data/endpoint_id").ok()?, address(number)))
    });
    added.collect()
}

fn added(caller: &Caller, number: u64, client: u64) -> Outcome<crate::client::Answer> {
    // Where there are more than a customer may have, each has a few.
    let client = client + number / 25;
    let server =
        json!({ "client_id": client, "ip_address": address(number), "hostname": "h".repeat(200) });
    caller.post("/api/v1/billing/provision", &server)
}

fn address(number: u64) -> String {
    format!(
        "10.{}.{}.{}",
        number / 65_536,
        number / 256 % 256,
        number % 256
    )
}

fn all_there(caller: &Caller, acknowledged: &[Acknowledged]) -> Outcome {
    for (id, address) in acknowledged {
        let shown = caller.get(&format!("/api/v1/endpoints/{id}"))?;
        hold(shown.status == 200, || {
            format!("the server {id}, which was acknowledged, is gone")
        })?;
        let kept = shown.text("/data/ip_address")?;
        hold(kept == *address, || {
            format!("the server {id} has the address {kept}, and {address} was acknowledged")
        })?;
    }
    Ok(())
}
