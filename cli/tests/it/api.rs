//! `api`: any path.

use crate::shell::{Shell, account, provision};
use serde_json::json;

#[test]
fn any_path_can_be_read_and_written() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let id = provision(&shell, "203.0.113.10", "web-1");
    for path in [
        "endpoints",
        "/api/v1/endpoints",
        "/endpoints?billing_customer_id=42",
    ] {
        let list = shell.run(&["api", path]).exits(0).json();
        assert_eq!(list["data"][0]["id"], id.as_str(), "{path}");
    }
    let narrowed = shell
        .line("api endpoints -X GET -F billing_customer_id=7")
        .exits(0)
        .json();
    assert_eq!(narrowed["data"], json!([]));
    let suspended = shell
        .run(&["api", "billing/suspend", "-f", &format!("endpoint_id={id}")])
        .exits(0)
        .json();
    assert_eq!(suspended["data"]["status"], "paused");
    let body = shell.file("body.json", &format!(r#"{{"endpoint_id":"{id}"}}"#));
    let resumed = shell
        .run(&["api", "billing/resume", "--input", &body, "-i"])
        .exits(0);
    assert!(resumed.stdout.starts_with("HTTP 200"), "{resumed:?}");
}

#[test]
fn what_the_service_refuses_is_printed_and_decides_the_exit_code() {
    let shell = Shell::of(&account());
    let missing = shell
        .line("api endpoints/0b9e0b5e-0000-4000-8000-000000000000")
        .exits(4);
    assert_eq!(missing.json()["error"]["code"], 404);
    let told = shell
        .line("api endpoints/0b9e0b5e-0000-4000-8000-000000000000 -o json")
        .exits(4);
    assert_eq!(
        (&told.error()["status"], &told.error()["exit_code"]),
        (&json!(404), &json!(4))
    );
    let scan = "api billing/scan-endpoint -F client_id=42 -f endpoint_id=0b9e0b5e-0000-4000-8000-000000000000";
    let unknown = shell.line(&format!("{scan} -o json")).exits(4).error();
    assert_eq!(unknown["code"], "ENDPOINT_NOT_FOUND");
    let hint = unknown["hint"].as_str().unwrap_or_default();
    assert!(hint.contains("endpoint list"), "{unknown}");
    let invalid = shell.line("api billing/provision -F client_id=0").exits(5);
    assert!(
        invalid.json()["errors"]["client_id"].is_array(),
        "{invalid:?}"
    );
    shell.line("api nothing/here").exits(4);
}

#[test]
fn the_keys_own_header_cannot_be_changed() {
    let shell = Shell::of(&account());
    shell
        .run(&["api", "endpoints", "-H", "Authorization: Bearer other"])
        .exits(2);
    shell
        .run(&["api", "endpoints", "-H", "X-Sandbox: true"])
        .exits(0);
}

#[test]
fn all_pages_of_a_list_come_as_one_array() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let targets: Vec<String> = (1..=7).map(|n| format!("203.0.113.{n}")).collect();
    let mut line = vec!["provision", "-c", "42"];
    line.extend(targets.iter().map(String::as_str));
    shell.run(&line).exits(0);
    let count = |path: &str| {
        let run = shell.run(&["api", path, "--paginate", "--jq", "length"]);
        run.exits(0).stdout
    };
    let before = tenant.calls("GET", "/api/v1/endpoints").len();
    assert_eq!(count("endpoints?per_page=3"), "7\n");
    assert_eq!(tenant.calls("GET", "/api/v1/endpoints").len(), before + 3);
    assert_eq!(count("alerts?billing_customer_id=42&per_page=10"), "28\n");
    assert_eq!(count("endpoints?per_page=3&page=3"), "1\n");
    let none = shell.line("api endpoints --paginate -X GET -f billing_customer_id=9");
    assert_eq!(none.exits(0).json(), serde_json::json!([]));
    let record = shell.line("api health --paginate").exits(0).json();
    assert_eq!(record["status"], "ok");
    shell.line("api endpoints/nonsense --paginate").exits(4);
    shell.line("api billing/suspend -f x=1 --paginate").exits(2);
}
