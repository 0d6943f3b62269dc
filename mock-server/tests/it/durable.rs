//! Durable state: what was acknowledged is there after the worst end.

use std::path::{Path, PathBuf};

use secmon_mock::{Instant, MockServer, StartError};
use serde_json::{Value, json};

use crate::client::{Caller, START, text};
use crate::program::{Program, command, run};

pub struct Folder(pub tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub fn state(&self) -> PathBuf {
        self.0.path().join("state.sqlite")
    }
}

/// What was changed last, and is not in the file itself while a server has it.
pub fn log_of(state: &Path) -> PathBuf {
    state.with_extension("sqlite-wal")
}

/// How many changes were acknowledged, for the next start to compare.
pub fn count_of(state: &Path) -> PathBuf {
    state.with_extension("sqlite-commits")
}

/// The names of all files in a folder.
pub fn files(folder: &Folder) -> Vec<String> {
    let files = std::fs::read_dir(folder.0.path()).expect("a folder");
    let name = |file: std::io::Result<std::fs::DirEntry>| file.expect("a file").file_name();
    let names = files.map(|file| name(file).to_string_lossy().into_owned());
    names.collect()
}

pub fn server(state: &Path) -> Result<MockServer, StartError> {
    let start = Instant::parse(START).expect("a timestamp");
    MockServer::builder()
        .manual_clock(start)
        .seed(1)
        .state(state)
        .start()
}

pub fn acme(url: &str) -> Caller {
    Caller::new(url).with_key("test_key_acme")
}

pub fn provision(caller: &Caller, address: &str) -> String {
    let body = json!({ "client_id": 42, "ip_address": address });
    text(
        &caller
            .post("/api/v1/billing/provision", body)
            .expect(201)
            .at("/data/endpoint_id"),
    )
}

/// What a customer can see of its records.
pub fn seen(caller: &Caller) -> Vec<Value> {
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
    assert_eq!(files(&folder), ["state.sqlite"]);
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

/// The moment that the state of a running server knows as its last.
fn last_moment(folder: &Folder) -> String {
    let copy = folder.0.path().join("copy.sqlite");
    std::fs::copy(folder.state(), &copy).expect("a copy");
    std::fs::copy(log_of(&folder.state()), log_of(&copy)).expect("a copy");
    let copy = copy.to_str().expect("a path");
    let (code, document, error) = run(&mut command(&["export", "--state", copy]));
    assert_eq!(code, Some(0), "{error}");
    let document: Value = serde_json::from_str(&document).expect("a document");
    text(&document["moment"])
}

#[test]
fn a_manual_clock_starts_where_a_real_one_left_the_state() {
    let folder = Folder::new();
    let last = {
        let server = MockServer::builder().state(folder.state());
        let server = server.start().expect("a server");
        let before = last_moment(&folder);
        provision(&acme(server.url()), "192.0.2.1");
        let last = last_moment(&folder);
        assert!(before < last, "{before} {last}");
        last
    };
    let server = server(&folder.state()).expect("a server");
    let now = text(&Caller::new(server.url()).get("/_mock/clock").at("/now"));
    assert_eq!(now[..19], last[..19]);
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

/// Something that was acknowledged: where it can be read, and what must stand there.
struct Acknowledged {
    path: String,
    members: Value,
}

impl Acknowledged {
    fn is_there(&self, caller: &Caller) {
        let shown = caller.get(&self.path).expect(200).at("/data");
        for (name, value) in self.members.as_object().into_iter().flatten() {
            assert_eq!(shown[name], *value, "{}", self.path);
        }
    }
}

#[test]
fn acknowledged_changes_survive_kill_9() {
    let folder = Folder::new();
    let state = folder.state();
    let state = state.to_str().expect("a path");
    let start = || {
        let program = Program::start(&["--state", state, "--rate-limit", "off"]);
        let caller = program.caller().with_key("test_key_acme");
        (program, caller)
    };
    let mut acknowledged: Vec<Acknowledged> = Vec::new();
    let mut of_last_round = 0;
    for round in 0..50_u64 {
        let (program, caller) = start();
        for record in acknowledged.iter().rev().take(of_last_round) {
            record.is_there(&caller);
        }
        let count = || caller.get("/api/v1/endpoints").at("/meta/total").as_u64();
        let enough = count().map(|before| before + 20);
        let writers: Vec<_> = (0..16_u64)
            .map(|writer| {
                let caller = caller.clone();
                std::thread::spawn(move || write_until_it_ends(&caller, 1 + round * 16 + writer))
            })
            .collect();
        while count() < enough {
            std::thread::yield_now();
        }
        program.kill();
        let before = acknowledged.len();
        for writer in writers {
            acknowledged.extend(writer.join().expect("a writer"));
        }
        of_last_round = acknowledged.len() - before;
    }
    assert!(acknowledged.len() >= 1000, "{}", acknowledged.len());
    let (_program, caller) = start();
    for record in &acknowledged {
        record.is_there(&caller);
    }
}

/// Adds servers of a customer, and a rule for each, until the server is gone; what was acknowledged.
fn write_until_it_ends(caller: &Caller, client: u64) -> Vec<Acknowledged> {
    let post = |path: &str, body: Value| {
        let reply = caller.try_send("POST", path, body.to_string().as_bytes());
        reply.ok().map(|reply| reply.expect(201).at("/data"))
    };
    let mut acknowledged = Vec::new();
    for last in 1..=25 {
        let server = json!({ "client_id": client, "ip_address": format!("192.0.2.{last}") });
        let Some(made) = post("/api/v1/billing/provision", server) else {
            break;
        };
        let id = text(&made["endpoint_id"]);
        acknowledged.push(Acknowledged {
            path: format!("/api/v1/endpoints/{id}"),
            members: json!({ "billing_customer_id": client, "ip_address": format!("192.0.2.{last}") }),
        });
        let justification = format!("Asked for by writer {client}");
        let rule = json!({ "port_start": last, "protocol": "tcp", "justification": justification, "endpoint_id": id });
        let Some(made) = post("/api/v1/whitelists", rule) else {
            break;
        };
        acknowledged.push(Acknowledged {
            path: format!("/api/v1/whitelists/{}", text(&made["id"])),
            members: json!({ "port_start": last, "justification": justification, "endpoint_id": id }),
        });
    }
    acknowledged
}
