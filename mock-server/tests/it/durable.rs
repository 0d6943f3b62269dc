//! Durable state: what was acknowledged is there after the worst end.

use std::path::{Path, PathBuf};

use secmon_mock::{Instant, MockServer, StartError};
use serde_json::{Value, json};

use crate::client::{Caller, START, text};
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
