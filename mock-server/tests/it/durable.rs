//! Durable state: what was acknowledged is there after the worst end.

use std::path::{Path, PathBuf};

use secmon_mock::{Instant, MockServer, StartError};
use serde_json::{Value, json};

use crate::client::{Caller, Reply, START, coded, text};
use crate::program::{Program, command, run};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn state(&self) -> PathBuf {
        self.0.path().join("state.redb")
    }
}

fn server(state: &Path) -> Result<MockServer, StartError> {
    let start = Instant::parse(START).expect("a timestamp");
    MockServer::builder()
        .manual_clock(start)
        .seed(1)
        .state(state)
        .start()
}

fn acme(url: &str) -> Caller {
    Caller::new(url).with_key("test_key_acme")
}

fn provision(caller: &Caller, address: &str) -> String {
    let body = json!({ "client_id": 42, "ip_address": address });
    text(
        &caller
            .post("/api/v1/billing/provision", body)
            .expect(201)
            .at("/data/endpoint_id"),
    )
}

/// What a customer can see of its records.
fn seen(caller: &Caller) -> Vec<Value> {
    [
        "/api/v1/endpoints",
        "/api/v1/alerts?billing_customer_id=42",
        "/api/v1/whitelists",
    ]
    .map(|path| {
        let body = caller.get(path).expect(200).json();
        body["data"].clone()
    })
    .into()
}

#[test]
fn everything_is_there_after_a_restart() {
    let folder = Folder::new();
    let (before, made) = {
        let server = server(&folder.state()).expect("a server");
        let caller = acme(server.url());
        let id = provision(&caller, "192.0.2.1");
        let admin = Caller::new(server.url());
        admin
            .post("/_mock/clock", json!({ "advance_seconds": 2 }))
            .expect(200);
        admin
            .put(
                &format!("/_mock/endpoints/{id}/ports"),
                json!({ "open": [] }),
            )
            .expect(204);
        let rule =
            json!({ "port_start": 22, "protocol": "tcp", "justification": "SSH for operations" });
        caller.post("/api/v1/whitelists", rule).expect(201);
        let made = admin
            .post("/_mock/tenants", json!({ "name": "mine" }))
            .expect(201)
            .json();
        admin
            .post("/_mock/tenants/mine/clock", json!({ "advance_seconds": 7 }))
            .expect(200);
        (seen(&caller), made)
    };
    let server = server(&folder.state()).expect("a server");
    let (caller, admin) = (acme(server.url()), Caller::new(server.url()));
    assert_eq!(seen(&caller), before);
    assert_eq!(
        admin.get("/_mock/clock").at("/now"),
        "2026-01-01T00:00:02+00:00"
    );
    assert_eq!(
        admin.get("/_mock/tenants/mine/clock").at("/now"),
        "2026-01-01T00:00:09+00:00"
    );
    admin
        .with_key(&text(&made["api_key"]))
        .get("/api/v1/endpoints")
        .expect(200);
    admin
        .post("/_mock/clock", json!({ "advance_seconds": 86_402 }))
        .expect(200);
    let open = caller.get("/api/v1/alerts?billing_customer_id=42&status=open");
    assert_eq!(
        open.at("/data/total"),
        0,
        "the world that was set is kept too"
    );
}

#[test]
fn time_never_goes_back_in_a_state_that_is_opened_again() {
    let folder = Folder::new();
    let opened_at = |start: &str, act: &dyn Fn(&Caller)| {
        let server = MockServer::builder()
            .manual_clock(Instant::parse(start).expect("a timestamp"))
            .state(folder.state())
            .start()
            .expect("a server");
        let admin = Caller::new(server.url());
        let now = text(&admin.get("/_mock/clock").at("/now"));
        act(&admin);
        now
    };
    let nothing = |_: &Caller| {};
    let a_day = |admin: &Caller| {
        let day = json!({ "advance_seconds": 86_400 });
        admin.post("/_mock/clock", day).expect(200);
    };
    opened_at("2026-06-01T00:00:00+00:00", &a_day);
    let later = "2026-06-02T00:00:00+00:00";
    assert_eq!(opened_at(START, &nothing), later);
    assert_eq!(opened_at("2026-06-01T00:00:00+00:00", &nothing), later);
    let much_later = "2026-07-01T00:00:00+00:00";
    assert_eq!(opened_at(much_later, &nothing), much_later);
    let reset = |admin: &Caller| {
        admin.post("/_mock/reset", json!({})).expect(204);
    };
    assert_eq!(opened_at(START, &reset), much_later);
    assert_eq!(opened_at(START, &nothing), START, "a reset starts again");
}

#[test]
fn a_manual_clock_starts_where_a_real_one_left_the_state() {
    let folder = Folder::new();
    {
        let server = MockServer::builder().state(folder.state());
        let server = server.start().expect("a server");
        let admin = Caller::new(server.url());
        let year = json!({ "advance_seconds": 365 * 86_400 });
        admin.post("/_mock/clock", year).expect(200);
        provision(&acme(server.url()), "192.0.2.1");
    }
    let server = server(&folder.state()).expect("a server");
    let list = acme(server.url()).get("/api/v1/endpoints");
    let made = text(&list.at("/data/0/created_at"));
    let now = text(&Caller::new(server.url()).get("/_mock/clock").at("/now"));
    assert!(made <= now, "{made} {now}");
}

#[test]
fn the_seed_is_kept_so_that_ids_go_on() {
    let ids = |restart_between: &dyn Fn(MockServer) -> MockServer, folder: &Folder| {
        let first = server(&folder.state()).expect("a server");
        let one = provision(&acme(first.url()), "192.0.2.1");
        let second = restart_between(first);
        [one, provision(&acme(second.url()), "192.0.2.2")]
    };
    let (whole, broken) = (Folder::new(), Folder::new());
    let without = ids(&|server| server, &whole);
    let with = ids(
        &|running| {
            drop(running);
            MockServer::builder()
                .state(broken.state())
                .start()
                .expect("a server")
        },
        &broken,
    );
    assert_eq!(with, without);
}

#[test]
fn what_reset_clears_stays_cleared() {
    let folder = Folder::new();
    {
        let server = server(&folder.state()).expect("a server");
        let admin = Caller::new(server.url());
        provision(&acme(server.url()), "192.0.2.1");
        admin
            .post("/_mock/tenants", json!({ "name": "mine" }))
            .expect(201);
        admin
            .post("/_mock/tenants", json!({ "name": "other" }))
            .expect(201);
        admin.delete("/_mock/tenants/other").expect(204);
        admin
            .post("/_mock/clock", json!({ "advance_seconds": 60 }))
            .expect(200);
        admin.post("/_mock/reset", json!({})).expect(204);
    }
    let server = server(&folder.state()).expect("a server");
    let admin = Caller::new(server.url());
    assert_eq!(
        acme(server.url())
            .get("/api/v1/endpoints")
            .at("/meta/total"),
        0
    );
    assert_eq!(admin.get("/_mock/clock").at("/now"), START);
    assert_eq!(
        admin
            .get("/_mock/tenants")
            .at("/tenants")
            .as_array()
            .map(Vec::len),
        Some(3)
    );
}

#[test]
fn an_accounts_own_reset_is_kept_too() {
    let folder = Folder::new();
    {
        let server = server(&folder.state()).expect("a server");
        provision(&acme(server.url()), "192.0.2.1");
        Caller::new(server.url())
            .post("/_mock/tenants/acme/reset", json!({}))
            .expect(204);
    }
    let server = server(&folder.state()).expect("a server");
    assert_eq!(
        acme(server.url())
            .get("/api/v1/endpoints")
            .at("/meta/total"),
        0
    );
    provision(&acme(server.url()), "192.0.2.1");
}

#[test]
fn rotated_keys_are_kept() {
    let folder = Folder::new();
    let key = {
        let server = server(&folder.state()).expect("a server");
        let admin = Caller::new(server.url());
        admin
            .delete("/_mock/tenants/acme/keys/test_key_acme")
            .expect(204);
        text(
            &admin
                .post("/_mock/tenants/acme/keys", json!({}))
                .expect(201)
                .at("/api_key"),
        )
    };
    let server = server(&folder.state()).expect("a server");
    acme(server.url()).get("/api/v1/endpoints").expect(401);
    Caller::new(server.url())
        .with_key(&key)
        .get("/api/v1/endpoints")
        .expect(200);
}

#[test]
fn the_key_of_a_removed_account_stays_unknown_when_its_name_is_used_again_m3() {
    let folder = Folder::new();
    let mut keys = Vec::<String>::new();
    for _ in 0..3 {
        let server = server(&folder.state()).expect("a server");
        let admin = Caller::new(server.url());
        for _ in 0..2 {
            let made = admin.post("/_mock/tenants", json!({ "name": "mine" }));
            let key = text(&made.expect(201).at("/api_key"));
            for old in &keys {
                admin.with_key(old).get("/api/v1/endpoints").expect(401);
            }
            admin.with_key(&key).get("/api/v1/endpoints").expect(200);
            keys.push(key);
            admin.delete("/_mock/tenants/mine").expect(204);
        }
        let state = admin.get("/_mock/state").expect(200).json();
        admin.put("/_mock/state", state).expect(204);
    }
    let server = server(&folder.state()).expect("a server");
    let admin = Caller::new(server.url());
    admin.post("/_mock/reset", json!({})).expect(204);
    let made = admin.post("/_mock/tenants", json!({ "name": "mine" }));
    assert_eq!(
        made.at("/api_key"),
        keys[0].as_str(),
        "the sequence starts again"
    );
}

#[test]
fn a_new_configuration_holds_for_accounts_that_are_there_already() {
    let folder = Folder::new();
    drop(server(&folder.state()).expect("a server"));
    let config = secmon_mock::Config::parse("[limits]\ndefault_endpoint_limit = 0\n")
        .expect("a configuration");
    let server = MockServer::builder()
        .state(folder.state())
        .config(config)
        .start()
        .expect("a server");
    let body = json!({ "client_id": 42, "ip_address": "192.0.2.1" });
    acme(server.url())
        .post("/api/v1/billing/provision", body)
        .expect(403);
}

#[test]
fn acknowledged_changes_survive_kill_9() {
    let folder = Folder::new();
    let state = folder.state();
    let arguments = [
        "--state",
        state.to_str().expect("a path"),
        "--rate-limit",
        "off",
    ];
    let mut acknowledged: Vec<(u64, String)> = Vec::new();
    for round in 0..5_u64 {
        let program = Program::start(&arguments);
        let caller = program.caller().with_key("test_key_acme");
        for (client, id) in &acknowledged {
            let shown = caller.get(&format!("/api/v1/endpoints/{id}")).expect(200);
            assert_eq!(shown.at("/data/billing_customer_id"), *client);
        }
        let writers: Vec<_> = (0..4_u64)
            .map(|writer| {
                let caller = caller.clone();
                std::thread::spawn(move || write_until_it_ends(&caller, 1 + round * 4 + writer))
            })
            .collect();
        while caller.get("/api/v1/endpoints").at("/meta/total").as_u64()
            < Some(acknowledged.len() as u64 + 20)
        {
            std::thread::yield_now();
        }
        program.kill();
        for writer in writers {
            acknowledged.extend(writer.join().expect("a writer"));
        }
    }
    assert!(acknowledged.len() >= 50, "{}", acknowledged.len());
}

/// Provisions until the server is gone; what was acknowledged.
fn write_until_it_ends(caller: &Caller, client: u64) -> Vec<(u64, String)> {
    let mut acknowledged = Vec::new();
    for last in 1..=25 {
        let body =
            json!({ "client_id": client, "ip_address": format!("192.0.2.{last}") }).to_string();
        match caller.try_send("POST", "/api/v1/billing/provision", body.as_bytes()) {
            Ok(reply) => acknowledged.push((client, text(&reply.at("/data/endpoint_id")))),
            Err(_) => break,
        }
    }
    acknowledged
}

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
fn another_programs_database_is_refused_and_an_empty_file_is_new() {
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
    server(&file).expect("an empty file is new");
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
    let errors = program.errors();
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(errors.contains("could not be saved"), "{errors}");

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
