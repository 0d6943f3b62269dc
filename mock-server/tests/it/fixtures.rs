//! Fixtures: what an account starts with (M12).

use secmon_mock::Fixtures;
use serde_json::json;

use crate::client::{Caller, Stage, text};
use crate::durable::Folder;
use crate::program::{Program, command, run};

const EXAMPLE: &str = include_str!("../../fixtures.toml");

fn example() -> Fixtures {
    Fixtures::parse(EXAMPLE).expect("the example is TOML")
}

/// Servers of a customer, by nickname, with the status that is shown.
fn servers(caller: &Caller, customer: u64) -> Vec<(String, String)> {
    let listed = caller.get(&format!(
        "/api/v1/endpoints?billing_customer_id={customer}&per_page=50"
    ));
    let listed = listed.expect(200).at("/data");
    let mut servers: Vec<_> = (listed.as_array().into_iter().flatten())
        .map(|server| (text(&server["nickname"]), text(&server["status"])))
        .collect();
    servers.sort();
    servers
}

fn check_example(caller: &Caller) {
    let of = |customer| servers(caller, customer);
    let paused: Vec<String> = (of(42).into_iter())
        .filter(|(_, status)| status == "paused")
        .map(|(name, _)| name)
        .collect();
    assert_eq!(of(42).len(), 6);
    assert_eq!(paused, ["old-1"]);
    assert!(
        of(43).iter().all(|(_, status)| status == "paused"),
        "{:?}",
        of(43)
    );
    assert_eq!(of(44).len(), 1, "{:?}", of(44));

    let alerts = caller.get("/api/v1/alerts?billing_customer_id=42&status=open&per_page=50");
    let alerts = alerts.expect(200).at("/data/alerts");
    let mut ports: Vec<u64> = (alerts.as_array().into_iter().flatten())
        .filter_map(|alert| alert["port"].as_u64())
        .collect();
    ports.sort_unstable();
    assert_eq!(ports, [22, 22, 22, 53, 3306, 6379, 8080, 8080]);

    let domains = caller
        .get("/api/v1/domains?billing_customer_id=42")
        .expect(200);
    assert_eq!(domains.at("/data/slots_total"), 2);
    assert_eq!(
        domains.at("/data/domains").as_array().map(Vec::len),
        Some(2)
    );
    let rules = caller
        .get("/api/v1/whitelists?billing_customer_id=42")
        .expect(200);
    assert_eq!(rules.at("/meta/total"), 4);
}

#[test]
fn the_example_is_there_in_process_and_again_after_a_reset_m12() {
    let stage = Stage::of(|builder| builder.fixtures(example()));
    check_example(&stage.acme);
    stage.endpoint(42, "192.0.2.1");
    stage.anyone.post("/_mock/reset", json!({})).expect(204);
    check_example(&stage.acme);
    let other = stage.anyone.with_key("test_key_globex");
    assert_eq!(servers(&other, 42), []);
}

#[test]
fn the_program_reads_them_and_a_state_that_exists_wins_m12() {
    let folder = Folder::new();
    let file = folder.0.path().join("fixtures.toml");
    std::fs::write(&file, EXAMPLE).expect("a file");
    let (file, state) = (
        file.display().to_string(),
        folder.state().display().to_string(),
    );
    let flags = ["--state", &state, "--fixtures", &file];
    let mut program = Program::start(&flags);
    let caller = program.caller().with_key("test_key_acme");
    check_example(&caller);
    let body = json!({ "client_id": 45, "ip_address": "192.0.2.1" });
    caller.post("/api/v1/billing/provision", body).expect(201);
    program.terminate();

    let mut again = Program::start(&flags);
    let caller = again.caller().with_key("test_key_acme");
    check_example(&caller);
    assert_eq!(servers(&caller, 45).len(), 1);
    again.terminate();
    let errors = again.errors();
    assert!(errors.contains("the fixtures are not used"), "{errors}");
}

#[test]
fn an_account_is_made_with_them_m12() {
    let stage = Stage::new();
    let fixtures = json!({
        "customers": [{ "id": 7, "servers": [{ "address": "192.0.2.7", "nickname": "one" }] }]
    });
    let made = stage
        .anyone
        .post("/_mock/tenants", json!({ "fixtures": fixtures }))
        .expect(201);
    let caller = stage.anyone.with_key(&text(&made.at("/api_key")));
    assert_eq!(
        servers(&caller, 7),
        [("one".to_owned(), "active".to_owned())]
    );
}

#[test]
fn ten_mistakes_are_named_by_their_places_and_nothing_is_applied_m12() {
    let stage = Stage::new();
    let fixtures = json!({
        "custumers": [],
        "customers": [
            {
                "id": 42,
                "nmae": "Ada",
                "services": [{ "id": 1, "product": "port_monitoring", "plan": "gold" }],
                "servers": [
                    { "address": "192.0.2.300" },
                    { "address": "192.0.2.1", "open": ["ssh"] },
                    { "address": "192.0.2.2", "status": "gone" },
                    { "address": "192.0.2.3", "scanned": "yes" },
                ],
                "domains": [{ "name": "shop.example", "service": 9, "findings": { "staff": 1 } }],
                "rules": [{ "ports": 22, "server": "nowhere", "reason": "The office needs it." }],
            },
        ],
        "rules": [{ "ports": 22, "reason": "short" }],
    });
    let tenants = stage.anyone.get("/_mock/tenants").expect(200).json();
    let refused = stage
        .anyone
        .post("/_mock/tenants", json!({ "fixtures": fixtures }));
    let refused = text(&refused.expect(400).at("/error"));
    for place in [
        "custumers: There is no such field; did you mean customers?",
        "customers.0.nmae: There is no such field; did you mean name?",
        "customers.0.services.0.plan: ",
        "customers.0.servers.0.address: ",
        "customers.0.servers.1.open: This must list ports",
        "customers.0.servers.2.status: This must be active, suspended or terminated.",
        "customers.0.servers.3.scanned: This must be true or false.",
        "customers.0.domains.0",
        "customers.0.rules.0.server: The customer has no server",
        "rules.0.reason: ",
    ] {
        assert!(refused.contains(place), "{place} in {refused}");
    }
    assert_eq!(
        stage.anyone.get("/_mock/tenants").expect(200).json(),
        tenants
    );
}

#[test]
fn a_file_that_is_wrong_is_refused_at_the_start_m12() {
    let folder = Folder::new();
    let file = folder.0.path().join("fixtures.toml");
    let path = file.display().to_string();
    for (content, sentence) in [
        ("customers = [", "--fixtures"),
        (
            "[[customers]]\nnumber = 4",
            "customers.0.number: There is no such field",
        ),
    ] {
        std::fs::write(&file, content).expect("a file");
        let state = folder.state().display().to_string();
        let arguments = [
            "--listen",
            "127.0.0.1:0",
            "--fixtures",
            &path,
            "--state",
            &state,
        ];
        let (code, out, error) = run(&mut command(&arguments));
        assert_eq!((code, out.as_str()), (Some(2), ""));
        assert!(error.contains(sentence), "{error}");
    }
}

#[test]
fn a_copy_of_what_fixtures_made_is_the_same_m12() {
    let stage = Stage::of(|builder| builder.fixtures(example()));
    let made = stage
        .anyone
        .post("/_mock/tenants", json!({ "like": "acme" }))
        .expect(201);
    let caller = stage.anyone.with_key(&text(&made.at("/api_key")));
    check_example(&caller);
}

#[test]
fn mistakes_are_told_in_the_words_of_the_fixtures_m12() {
    let stage = Stage::new();
    let fixtures = json!({
        "customers": [{
            "id": "x",
            "servers": [{ "address": "192.0.2.300" }, { "address": "192.0.2.1" }],
            "rules": [{ "ports": 0, "reason": "The office needs it." }],
        }],
    });
    let refused = stage
        .anyone
        .post("/_mock/tenants", json!({ "fixtures": fixtures }));
    let refused = text(&refused.expect(400).at("/error"));
    for (told, times) in [
        ("customers.0.id: The id must be", 1),
        ("customers.0.servers.0.address: The address must be", 1),
        ("customers.0.rules.0.ports: The ports must be", 1),
        ("client_id", 0),
        ("billing_customer_id", 0),
        ("ip_address", 0),
        ("port_start", 0),
    ] {
        assert_eq!(refused.matches(told).count(), times, "{told}: {refused}");
    }
}
