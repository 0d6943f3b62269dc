//! The server inside a test process.

use std::net::TcpListener;
use std::time::Duration;

use secmon_mock::{
    AdminError, ClientId, MockServer, OpenPort, Progress, Protocol, ScanOutcome, StartError,
};
use serde_json::json;

use crate::client::{Caller, PATIENCE, Stage, text};

fn provision(caller: &Caller) -> String {
    let body = json!({ "client_id": 42, "ip_address": "192.0.2.1" });
    text(
        &caller
            .post("/api/v1/billing/provision", body)
            .expect(201)
            .at("/data/endpoint_id"),
    )
}

/// In a process of its own: a program that another test starts holds every socket of this one for a moment.
#[test]
fn dropping_the_server_closes_its_port_before_it_returns() {
    let tests = std::env::current_exe().expect("this program");
    let alone = "embedded::alone_a_dropped_server_has_closed_its_port";
    let mut command = std::process::Command::new(tests);
    let ran = command.args(["--exact", alone, "--ignored"]).output();
    let ran = ran.expect("the test runs");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(said.contains("1 passed"), "{said}");
}

#[test]
#[ignore = "runs alone, by the test above"]
fn alone_a_dropped_server_has_closed_its_port() {
    // A port that is closed only a moment later is often closed in time: many servers tell.
    for _ in 0..30 {
        let server = MockServer::start().expect("a server");
        let address = server.url().trim_start_matches("http://").to_owned();
        Caller::new(server.url()).get("/api/v1/health").expect(200);
        drop(server);
        TcpListener::bind(&address).expect("the port is free again");
    }
}

#[test]
fn dropping_the_server_does_not_wait_for_a_call_in_flight() {
    let stage = Stage::new();
    let slow = secmon_mock::Fault::latency(Duration::from_secs(3600));
    let tenant = stage.server.tenant();
    tenant.fault(slow);
    let caller = stage.anyone.with_key(tenant.api_key());
    let waiting =
        std::thread::spawn(move || caller.try_send("GET", "/api/v1/health", b"").is_err());
    while stage.anyone.get("/_mock/faults").at("/faults/0/hits") == 0 {
        std::thread::yield_now();
    }
    drop(stage);
    assert!(waiting.join().expect("the caller ends"));
}

#[test]
fn a_port_in_use_is_a_start_error_that_names_it() {
    let first = MockServer::start().expect("a server");
    let address = first.url().trim_start_matches("http://").to_owned();
    let error = MockServer::builder()
        .listen(address.parse().expect("an address"))
        .start()
        .expect_err("taken");
    assert!(matches!(error, StartError::Listen { .. }));
    assert!(error.to_string().contains(&address), "{error}");
}

#[test]
fn beyond_loopback_an_admin_key_is_required() {
    let everywhere = || MockServer::builder().listen(([0, 0, 0, 0], 0).into());
    let error = everywhere().start().expect_err("no key");
    assert!(matches!(error, StartError::AdminKeyRequired { .. }));
    let error = everywhere().admin_key(" ").start().expect_err("blank");
    assert!(matches!(error, StartError::AdminKeyRequired { .. }));
    everywhere().admin_key("k").start().expect("a server");
    everywhere()
        .admin_listen(([127, 0, 0, 1], 0).into())
        .start()
        .expect("a server");
}

#[test]
fn tenants_do_not_meet() {
    let stage = Stage::new();
    let (one, two) = (stage.server.tenant(), stage.server.tenant());
    assert_ne!(one.name(), two.name());
    let (first, second) = (
        stage.anyone.with_key(one.api_key()),
        stage.anyone.with_key(two.api_key()),
    );
    provision(&first);
    provision(&second);
    one.advance(Duration::from_secs(2)).expect("time moves");
    assert_eq!(
        first
            .get("/api/v1/alerts?billing_customer_id=42")
            .at("/data/total"),
        4
    );
    assert_eq!(
        second
            .get("/api/v1/alerts?billing_customer_id=42")
            .at("/data/total"),
        0
    );
    assert_eq!(one.journal().len(), 2);
    assert_eq!(two.journal()[0].path, "/api/v1/billing/provision");
}

#[test]
fn a_tenant_steers_its_world_and_scans() {
    let stage = Stage::new();
    let tenant = stage.server.tenant();
    let caller = stage.anyone.with_key(tenant.api_key());
    tenant.set_progress(Progress::Manual).expect("progress");
    let id = provision(&caller);
    let uuid = id.parse().expect("a uuid");
    let dns = OpenPort {
        port: 53.try_into().expect("a port"),
        protocol: Protocol::Udp,
    };
    tenant.set_ports(uuid, &[dns]).expect("ports");
    tenant
        .scan_now(uuid, ScanOutcome::Completed)
        .expect("a scan");
    let detail = caller
        .get(&format!("/api/v1/endpoints/{id}/detail"))
        .expect(200);
    assert_eq!(detail.at("/latest_scan/open_ports"), json!([53]));
    let client = ClientId::new(42).expect("a client");
    tenant
        .remove_portal_account(client)
        .expect("an account to remove");
    let strange = "11111111-2222-4333-8444-555555555555"
        .parse()
        .expect("a uuid");
    assert!(matches!(
        tenant.scan_now(strange, ScanOutcome::Failed),
        Err(AdminError::Unknown(_))
    ));
}

#[test]
fn a_tenant_rotates_its_keys_and_starts_again() {
    let stage = Stage::new();
    let tenant = stage.server.tenant();
    let key = tenant.issue_key().expect("a key");
    let caller = stage.anyone.with_key(&key);
    provision(&caller);
    tenant.revoke_key(tenant.api_key()).expect("revoked");
    stage
        .anyone
        .with_key(tenant.api_key())
        .get("/api/v1/endpoints")
        .expect(401);
    tenant.reset().expect("reset");
    assert_eq!(
        caller
            .get("/api/v1/endpoints")
            .expect(200)
            .at("/meta/total"),
        0
    );
}

#[test]
fn a_tenant_verifies_what_was_called() {
    let stage = Stage::new();
    let tenant = stage.server.tenant();
    let caller = stage.anyone.with_key(tenant.api_key());
    let nothing = tenant.verify("GET", "*", 1).expect_err("no call yet");
    assert!(nothing.contains("called 0 times"), "{nothing}");
    let id = provision(&caller);
    caller.get(&format!("/api/v1/endpoints/{id}")).expect(200);
    tenant
        .verify("POST", "/api/v1/*/provision", 1)
        .expect("one provision");
    tenant.verify("DELETE", "*", 0).expect("no deletion");
    let wrong = tenant
        .verify("GET", "/api/v1/endpoints/*", 2)
        .expect_err("one read only");
    assert!(
        wrong.contains(&id) && wrong.contains("called 1 times"),
        "{wrong}"
    );
    assert_eq!(tenant.calls("GET", "*")[0].status, Some(200));
}

#[test]
fn a_tenant_tells_of_careless_calls_m10() {
    let stage = Stage::new();
    let tenant = stage.server.tenant();
    let caller = stage.anyone.with_key(tenant.api_key());
    let servers = "/api/v1/endpoints?billing_customer_id=42";
    caller.get(servers).expect(200);
    tenant.verify_no_notices().expect("a careful call");
    caller.get(&format!("{servers}&perpage=5")).expect(200);
    let told = tenant.verify_no_notices().expect_err("a careless call");
    assert!(told.starts_with("GET /api/v1/endpoints: "), "{told}");
    assert!(
        told.contains("perpage") && told.contains("per_page"),
        "{told}"
    );
}

#[test]
fn a_tenant_tells_of_lists_that_were_not_read_to_their_end_m10() {
    let stage = Stage::new();
    let tenant = stage.server.tenant();
    let caller = stage.anyone.with_key(tenant.api_key());
    for number in 1..=7 {
        let body = json!({ "client_id": 42, "ip_address": format!("192.0.2.{number}") });
        caller.post("/api/v1/billing/provision", body).expect(201);
    }
    let page = |number: u64| {
        let servers = "/api/v1/endpoints?billing_customer_id=42&per_page=6";
        caller.get(&format!("{servers}&page={number}")).expect(200);
    };
    page(1);
    let told = tenant.verify_no_notices().expect_err("the rest is unread");
    assert!(
        told.starts_with("call 8: account") && told.contains("first page of list_endpoints"),
        "{told}"
    );
    page(2);
    tenant.verify_no_notices().expect("the whole list");
}

#[test]
fn the_router_answers_without_a_network() {
    use axum::body::Body;
    use http_body_util::BodyExt;
    use hyper::service::Service;

    let server = MockServer::start().expect("a server");
    let router = hyper_util::service::TowerToHyperService::new(server.router());
    let ask = |path: &str| {
        let request = http::Request::get(path)
            .header("host", "localhost")
            .body(Body::empty());
        router.call(request.expect("a request"))
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let answer = ask("/api/v1/health").await.expect("an answer");
        assert_eq!(answer.status(), 200);
        let body = answer
            .into_body()
            .collect()
            .await
            .expect("a body")
            .to_bytes();
        assert!(body.starts_with(br#"{"success":true,"status":"ok""#));
        let journal = ask("/_mock/requests").await.expect("an answer");
        assert_eq!(journal.status(), 200);
        assert_eq!(ask("/nothing").await.expect("an answer").status(), 404);
    });
}

#[test]
fn keys_do_not_show_in_debug() {
    let stage = Stage::of(|builder| builder.admin_key("opensesame"));
    let tenant = stage.server.tenant();
    let shown = format!(
        "{tenant:?} {:?} {:?}",
        stage.server,
        MockServer::builder().admin_key("opensesame")
    );
    assert!(!shown.contains(tenant.api_key()));
    assert!(!shown.contains("opensesame"));
}

#[tokio::test]
async fn a_tenant_waits_for_calls_that_come_late_m11() {
    let stage = Stage::new();
    let tenant = stage.server.tenant();
    let caller = stage.anyone.with_key(tenant.api_key());
    let calling = std::thread::spawn(move || provision(&caller));
    let came = tenant
        .wait_for("POST", "*/provision", 1, PATIENCE)
        .await
        .expect("the call comes");
    assert_eq!(came[0].status, Some(201));
    calling.join().expect("an answer");
}

#[tokio::test]
async fn a_tenant_that_waits_in_vain_hears_what_came_nearest_m11() {
    let stage = Stage::new();
    let tenant = stage.server.tenant();
    let caller = stage.anyone.with_key(tenant.api_key());
    provision(&caller);
    caller.get("/api/v1/endpoints");
    let waited = tenant.wait_for("POST", "*/provision-domain", 1, Duration::from_millis(50));
    let near = waited.await.expect_err("nothing comes");
    assert_eq!(
        near,
        "POST */provision-domain was called 0 times in 50ms, not 1; nearest came \
         POST /api/v1/billing/provision, GET /api/v1/endpoints"
    );
}
