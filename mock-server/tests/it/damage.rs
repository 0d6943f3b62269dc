//! State files that are broken, of others or on a full disk: refused and left as they are, and
//! never less than what was acknowledged.

use std::path::Path;

use secmon_mock::StartError;
use serde_json::{Value, json};

use crate::client::{Reply, coded, text};
use crate::durable::{Folder, acme, provision, seen, server};
use crate::program::{Program, command, run};

#[test]
fn a_second_server_on_the_file_is_refused() {
    let folder = Folder::new();
    let first = server(&folder.state()).expect("a server");
    let error = server(&folder.state()).expect_err("held");
    assert!(matches!(error, StartError::StateLocked { .. }));
    let state = folder.state();
    let arguments = [
        "--listen",
        "127.0.0.1:0",
        "--state",
        state.to_str().expect("a path"),
    ];
    let (code, out, error) = run(&mut command(&arguments));
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(error.contains("held by another process"), "{error}");
    drop(first);
    server(&folder.state()).expect("free again");
}

/// Every way to spoil a file is refused in one sentence that leaves it as it was.
fn refuses(file: &Path, spoilt: &[u8]) {
    std::fs::write(file, spoilt).expect("a file");
    let error = server(file)
        .err()
        .unwrap_or_else(|| panic!("{} bytes were accepted", spoilt.len()));
    assert!(matches!(error, StartError::State { .. }), "{error}");
    assert!(!error.to_string().contains('\n'), "{error}");
    assert_eq!(std::fs::read(file).expect("a file"), spoilt, "{error}");
}

#[test]
fn a_broken_file_is_refused_and_left_untouched() {
    let folder = Folder::new();
    let file = folder.state();
    {
        let server = server(&file).expect("a server");
        provision(&acme(server.url()), "192.0.2.1");
    }
    let good = std::fs::read(&file).expect("a file");
    refuses(&file, b"this is no state file");
    refuses(&file, &good[..good.len() / 2]);
    refuses(&file, &good[..100]);
    std::fs::write(&file, &good).expect("a file");
    server(&file).expect("the good file is still good");
}

#[test]
fn a_flipped_bit_is_refused_or_changes_nothing() {
    let folder = Folder::new();
    let file = folder.state();
    let before = {
        let server = server(&file).expect("a server");
        let caller = acme(server.url());
        provision(&caller, "192.0.2.1");
        seen(&caller)
    };
    let good = std::fs::read(&file).expect("a file");
    let mut refused = 0;
    let mut state = 1_u64;
    for _ in 0..150 {
        // Knuth's generator: the same places, all over the file, in every run.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let place = (state >> 33) as usize % (good.len() * 8);
        let mut spoilt = good.clone();
        spoilt[place / 8] ^= 1 << (place % 8);
        std::fs::write(&file, &spoilt).expect("a file");
        match server(&file) {
            Err(StartError::State { .. }) => refused += 1,
            Err(error) => panic!("bit {place}: {error}"),
            Ok(server) => assert_eq!(seen(&acme(server.url())), before, "bit {place}"),
        }
    }
    assert!(refused > 0);
}

/// A file as `kill -9` leaves it, and what a customer sees in it.
fn left_by_kill_9(folder: &Folder) -> (Vec<u8>, Vec<Value>) {
    let file = folder.0.path().join("killed.redb");
    let server = server(&file).expect("a server");
    let caller = acme(server.url());
    for last in 1..=5 {
        provision(&caller, &format!("192.0.2.{last}"));
    }
    let left = std::fs::read(&file).expect("a file");
    (left, seen(&caller))
}

#[test]
fn a_flipped_bit_in_a_file_left_by_kill_9_is_refused_or_changes_nothing() {
    let folder = Folder::new();
    let file = folder.state();
    let (left, before) = left_by_kill_9(&folder);
    let used: Vec<usize> = (0..left.len()).filter(|at| left[*at] != 0).collect();
    const FLAGS: usize = 9;
    let everywhere = (0..200).map(|step| used[step * used.len() / 200]);
    let places = (0..8)
        .map(|bit| (FLAGS, bit))
        .chain(everywhere.map(|at| (at, at % 8)));
    let mut refused = 0;
    for (at, bit) in places {
        let mut spoilt = left.clone();
        spoilt[at] ^= 1 << bit;
        std::fs::write(&file, &spoilt).expect("a file");
        match server(&file) {
            Err(StartError::State { .. }) => {
                refused += 1;
                assert_eq!(std::fs::read(&file).expect("a file"), spoilt, "{at}.{bit}");
            }
            Err(error) => panic!("{at}.{bit}: {error}"),
            Ok(server) => assert_eq!(seen(&acme(server.url())), before, "{at}.{bit}"),
        }
    }
    assert!(refused > 0);
}

#[test]
fn another_programs_database_is_refused_and_so_is_an_empty_file() {
    let folder = Folder::new();
    let file = folder.state();
    {
        let database = redb::Database::create(&file).expect("a database");
        let transaction = database.begin_write().expect("a transaction");
        let theirs: redb::TableDefinition<&str, u32> = redb::TableDefinition::new("theirs");
        transaction
            .open_table(theirs)
            .expect("a table")
            .insert("count", 1)
            .expect("a row");
        transaction.commit().expect("a commit");
    }
    let theirs = std::fs::read(&file).expect("a file");
    refuses(&file, &theirs);
    std::fs::write(&file, b"").expect("a file");
    refuses(&file, b"");
    let error = server(&file).expect_err("it is refused").to_string();
    assert!(error.contains("it is empty"), "{error}");
}

/// A program that finds the disk full when a file grows beyond 2 MiB.
#[cfg(unix)]
fn on_a_full_disk(state: &Path) -> Program {
    let limited = "trap '' XFSZ; ulimit -f 4096; exec \"$@\"";
    let mut program = command(&["--rate-limit", "off", "--clock", "manual"]);
    program.arg("--state").arg(state);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", limited, "sh"]).arg(program.get_program());
    shell.args(program.get_args());
    Program::of(shell)
}

#[cfg(unix)]
#[test]
fn after_a_failed_write_nothing_is_acknowledged_and_nothing_acknowledged_is_lost() {
    let folder = Folder::new();
    let state = folder.state();
    let mut program = on_a_full_disk(&state);
    let caller = program.caller().with_key("test_key_acme").unjudged();
    let add = |number: u64| {
        let body = json!({
            "client_id": number / 20 + 1,
            "ip_address": format!("10.0.{}.{}", number / 250, number % 250 + 1),
            "hostname": "h".repeat(250),
        });
        caller.post("/api/v1/billing/provision", body)
    };
    let mut acknowledged = Vec::new();
    let refused = loop {
        let reply = add(acknowledged.len() as u64);
        if reply.status != 201 {
            break reply;
        }
        acknowledged.push(text(&reply.at("/data/endpoint_id")));
        assert!(acknowledged.len() < 10_000, "the disk never fills");
    };
    let not_saved = |reply: Reply| coded(reply, 500, "STATE_NOT_SAVED");
    not_saved(refused);
    not_saved(add(acknowledged.len() as u64));
    let suspend = json!({ "endpoint_id": acknowledged[0] });
    for _ in 0..2 {
        not_saved(caller.post("/api/v1/billing/suspend", suspend.clone()));
    }
    not_saved(caller.get("/api/v1/endpoints"));
    not_saved(caller.with_key("nobody").get("/api/v1/endpoints"));
    for _ in 0..2 {
        let body = json!({ "name": "mine" });
        caller.post("/_mock/tenants", body).expect(500);
    }
    caller.get("/_mock/clock").expect(500);
    caller.get("/_mock/tenants/nobody/clock").expect(500);
    caller.get("/_mock/health").expect(200);
    assert_eq!(program.terminate().code(), Some(0));
    let said = program.errors();
    let errors: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with("error: "))
        .collect();
    assert_eq!(errors.len(), 1, "{said}");
    assert!(errors[0].contains("could not be saved"), "{said}");

    let server = server(&state).expect("a server");
    let caller = acme(server.url());
    let list = caller.get("/api/v1/endpoints");
    assert_eq!(list.at("/meta/total"), acknowledged.len());
    let first = caller.get(&format!("/api/v1/endpoints/{}", acknowledged[0]));
    assert_eq!(first.at("/data/status"), "active");
}

#[test]
fn a_newer_format_is_refused() {
    let folder = Folder::new();
    let file = folder.state();
    drop(server(&file).expect("a server"));
    {
        let database = redb::Database::open(&file).expect("a database");
        let transaction = database.begin_write().expect("a transaction");
        let formats: redb::TableDefinition<&str, u32> = redb::TableDefinition::new("format");
        transaction
            .open_table(formats)
            .expect("a table")
            .insert("format", 99)
            .expect("a format");
        transaction.commit().expect("a commit");
    }
    let spoilt = std::fs::read(&file).expect("a file");
    let error = server(&file).expect_err("a newer format");
    assert!(error.to_string().contains("newer"), "{error}");
    assert_eq!(std::fs::read(&file).expect("a file"), spoilt);
}
