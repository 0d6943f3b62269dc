//! Steering a mock from the command line.

use crate::shell::{Account, Shell, account, mock, provision};
use secmon_mock::MockServer;
use std::io::{Read, Write};
use std::net::TcpStream;

#[test]
fn time_moves_and_trouble_is_ordered() {
    let server = MockServer::start().expect("the mock starts");
    let tenant = Account::of(server.tenant());
    let shell = Shell::of(&tenant).with("SECMON_MOCK_ADMIN_URL", server.admin_url());
    provision(&shell, "203.0.113.10", "web-1");
    let now = shell.line("mock clock advance 1h -o json").exits(0).json();
    assert!(now["now"].is_string(), "{now}");
    assert!(shell.line("endpoint show web-1 -o json").exits(0).json()["latest_scan"].is_object());

    shell
        .line(
            "mock fault add status=503,code=SCANNING_UNAVAILABLE --path */scan-endpoint --times 0",
        )
        .exits(0);
    assert_eq!(
        shell
            .line("mock fault list -o json")
            .exits(0)
            .json()
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    let run = shell
        .line("scan web-1 -o json --timeout 1s --max-wait 0")
        .exits(7);
    assert_eq!(run.error()["code"], "SCANNING_UNAVAILABLE");
    shell.line("mock fault clear").exits(0);
    let aimed = "mock fault add status=500 --match client_id=43 --times 0 --operation";
    shell
        .line(&format!("{aimed} provision_endpoint --probability 1"))
        .exits(0);
    let misspelt = shell.line(&format!("{aimed} provision_endpont")).exits(0);
    let shown = format!("{}{}", misspelt.stdout, misspelt.stderr);
    assert!(
        shown.contains("did you mean provision_endpoint?"),
        "{shown}"
    );
    shell
        .line("provision 203.0.113.43 -c 43 --timeout 1s")
        .exits(7);
    shell.line("provision 203.0.113.42 -c 42").exits(0);
    shell.line("mock fault clear").exits(0);
    shell.line("scan web-1").exits(0);
    shell.line("mock fault add nonsense").exits(2);

    let state = shell.line("mock state export").exits(0).stdout;
    shell.line("mock reset -n").exits(2);
    shell.line("endpoint show web-1").exits(0);
    shell.line("mock reset").exits(0);
    shell.line("endpoint list").exits(3);
    shell
        .feed(&state, &["mock", "state", "import", "-"])
        .exits(0);
    shell.line("endpoint show web-1").exits(0);
}

#[test]
fn a_fault_is_one_of_the_mocks_before_it_is_sent() {
    let server = MockServer::start().expect("the mock starts");
    let tenant = Account::of(server.tenant());
    let shell = Shell::of(&tenant).with("SECMON_MOCK_ADMIN_URL", server.admin_url());
    for (effect, said) in [
        ("close=sideways", "before, after, mid_body, reset"),
        ("status=503,latency=1ms", "There is no field status"),
        ("status=200", "an integer from 400 to 599"),
    ] {
        let refused = shell.line(&format!("mock fault add {effect}")).exits(2);
        assert!(refused.stderr.contains(said), "{refused:?}");
    }
    shell
        .line("mock fault add latency=2s --method post --match client_id=42 --after 3")
        .exits(0);
    let listed = shell.line("mock fault list -o json").exits(0).json();
    let fault = &listed[0];
    assert_eq!(fault["effect"]["latency_ms"], 2000, "{fault}");
    assert_eq!(fault["method"], "POST", "{fault}");
    assert_eq!(fault["match"]["client_id"], 42, "{fault}");
    assert!(fault["path"].is_null() && fault["after"] == 3, "{fault}");
}

#[test]
fn the_embedded_mock_is_steered_too() {
    let shell = Shell::new();
    shell.line("--local provision 203.0.113.10 -c 42").exits(0);
    shell.line("--local mock clock advance 1m").exits(0);
    let found = shell
        .line("--local endpoint show 203.0.113.10 -o json")
        .exits(0)
        .json();
    assert!(found["latest_scan"].is_object(), "{found}");
    let refused = shell.line("--local mock fault add status=503").exits(2);
    assert!(
        refused.stderr.contains("ends with each command"),
        "{refused:?}"
    );
}

#[test]
fn what_is_no_mock_is_said_to_be_none() {
    let shell = Shell::of(&account());
    let run = shell
        .line("mock clock show --admin-url http://127.0.0.1:1 -o json")
        .exits(7);
    assert!(
        run.error()["hint"]
            .as_str()
            .unwrap_or_default()
            .contains("mock serve"),
        "{run:?}"
    );
    shell
        .run(&["mock", "clock", "show", "--admin-url", mock().admin_url()])
        .exits(0);
}

#[test]
fn what_happens_in_the_world_is_found_by_a_scan() {
    let server = MockServer::start().expect("the mock starts");
    let shell = Shell::of(&server.tenant()).with("SECMON_MOCK_ADMIN_URL", server.admin_url());
    provision(&shell, "203.0.113.10", "web-1");
    shell
        .line("subscription set 501 --product domain_monitoring --quantity 5 -c 42")
        .exits(0);
    shell
        .line("domain provision example.com --service 501 -c 42")
        .exits(0);
    shell.line("mock clock advance 1m").exits(0);

    let open = || {
        let detail = shell.line("endpoint show web-1 -o json").exits(0).json();
        detail["latest_scan"]["open_ports"].clone()
    };
    shell
        .line("mock trigger port-open web-1 mysql 53/udp")
        .exits(0);
    assert_eq!(open(), serde_json::json!([22, 53, 80, 443, 3306, 8080]));
    shell
        .line("mock trigger port-closed web-1 8080 22")
        .exits(0);
    assert_eq!(open(), serde_json::json!([53, 80, 443, 3306]));
    shell
        .line("mock trigger port-closed web-1 53/udp --no-scan")
        .exits(0);
    assert_eq!(open(), serde_json::json!([53, 80, 443, 3306]));
    shell.line("mock trigger port-open web-1 99999").exits(2);
    shell.line("mock trigger port-open web-1 25 -n").exits(2);

    shell
        .line("mock trigger leak example.com --category third_parties --count 3 -c 42")
        .exits(0);
    shell
        .line("mock trigger mention example.com -c 42")
        .exits(0);
    let found = shell
        .line("domain show example.com -c 42 -o json")
        .exits(0)
        .json();
    assert_eq!(found["third_parties_compromised"], 4, "{found}");
    assert_eq!(found["employees_compromised"], 2, "{found}");
    assert_eq!(found["dark_web_mentions_count"], 2, "{found}");
}

#[test]
fn a_state_larger_than_an_answer_of_the_service_comes_out_whole() {
    use std::io::{Read, Write};
    const SIZE: usize = 17 * 1024 * 1024;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let serving = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a call");
        let mut request = [0; 4096];
        let _ = stream.read(&mut request).expect("a request");
        let body = format!("{{\"records\":\"{}\"}}", "x".repeat(SIZE));
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("a reader");
        stream.write_all(body.as_bytes()).expect("a reader");
    });
    let shell = Shell::new()
        .with("SECMON_BASE_URL", &address)
        .with("SECMON_API_KEY", "a-key-of-a-test");
    let run = shell.line("mock state export").exits(0);
    assert!(run.stdout.len() > SIZE, "{}", run.stdout.len());
    serving.join().expect("no panic");
}

#[test]
fn the_mock_can_be_named_in_front_of_what_is_done_to_it() {
    let shell = Shell::new();
    for line in [
        [
            "mock",
            "clock",
            "--admin-url",
            mock().admin_url(),
            "show",
            "-o",
            "json",
        ],
        [
            "-o",
            "json",
            "mock",
            "clock",
            "--admin-url",
            mock().admin_url(),
            "show",
        ],
    ] {
        let now = shell.run(&line).exits(0).json();
        assert!(now["now"].is_string(), "{now}");
    }
}

#[test]
fn a_mock_that_cannot_start_says_so_in_the_form_that_was_asked_for() {
    let shell = Shell::new();
    let run = shell
        .line("mock serve --mock-config /nowhere/mock.toml -o json")
        .exits(2);
    assert!(
        run.error()["message"]
            .as_str()
            .is_some_and(|said| said.contains("/nowhere/mock.toml")),
        "{run:?}"
    );
    let named = shell.with("SECMON_MOCK_CONFIG", "/nowhere/other.toml");
    let run = named.line("mock serve").exits(2);
    assert!(run.stderr.contains("/nowhere/other.toml"), "{run:?}");
}

#[test]
fn the_calls_that_came_in_are_shown_with_what_a_careless_client_should_hear_of() {
    let server = MockServer::start().expect("the mock starts");
    let tenant = Account::of(server.tenant()).provoking_notices();
    let shell = Shell::of(&tenant).with("SECMON_MOCK_ADMIN_URL", server.admin_url());
    provision(&shell, "203.0.113.10", "web-1");
    // The command line's own calls raise none.
    let misspelt = format!(
        "GET /api/v1/endpoints?perpage=5 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n",
        tenant.api_key()
    );
    let address = server.url().trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.write_all(misspelt.as_bytes()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    let calls = shell.line("mock requests -o json").exits(0).json();
    assert!(
        calls.as_array().is_some_and(|calls| calls.len() >= 3),
        "{calls}"
    );

    let misspelt = shell.line("mock requests --path */endpoints").exits(0);
    assert!(
        misspelt.stdout.contains("unknown_parameter"),
        "{}",
        misspelt.stdout
    );
    let body = r#"{"client_id":42}"#;
    let provisioned = shell.run(&["mock", "requests", "--body", body, "-o", "json"]);
    assert_eq!(
        provisioned.exits(0).json().as_array().map(Vec::len),
        Some(1)
    );
    let none = shell.line("mock requests --status 503 -o json").exits(0);
    assert_eq!(none.json(), serde_json::json!([]));
}
