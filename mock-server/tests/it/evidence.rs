//! What `exec` leaves and holds: `--report`, `--require`, `--deny-notices`.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::client::{Caller, text};
use crate::durable::Folder;
use crate::program::command;

/// How a program with a command beside it ended.
pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub errors: String,
}

/// Runs a program whose command tells where to call and ends when its input does; the calls are made from here.
pub fn beside(arguments: &[&str], calls: impl FnOnce(&Caller)) -> Ended {
    let mut program = piped(command(arguments)).spawn().expect("the binary runs");
    let mut out = BufReader::new(program.stdout.take().expect("a pipe"));
    let mut told = String::new();
    out.read_line(&mut told).expect("a line");
    let (url, key) = told.trim().split_once(' ').expect("an address and a key");
    calls(&Caller::new(url).with_key(key));
    drop(program.stdin.take());
    let (mut rest, mut errors) = (String::new(), String::new());
    out.read_to_string(&mut rest).expect("text");
    let mut error = program.stderr.take().expect("a pipe");
    error.read_to_string(&mut errors).expect("text");
    Ended {
        code: program.wait().expect("an end").code(),
        out: rest,
        errors,
    }
}

/// Runs `exec` with these flags and a command that makes these calls and ends with `code`; its exit code, and what is said.
fn exec(flags: &[&str], code: i32, calls: impl FnOnce(&Caller)) -> (Option<i32>, String) {
    let script = format!("echo $SECMON_BASE_URL $SECMON_API_KEY; read end; exit {code}");
    let arguments = [&["exec"], flags, &["--", "sh", "-c", &script]].concat();
    let ended = beside(&arguments, calls);
    (ended.code, ended.errors)
}

fn piped(mut command: Command) -> Command {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn provision(caller: &Caller) {
    let body = json!({ "client_id": 42, "ip_address": "192.0.2.1" });
    caller.post("/api/v1/billing/provision", body).expect(201);
}

fn file(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect("a file of the report")
}

#[test]
fn what_is_required_and_never_met_is_named() {
    let required = ["--require", "201,429,ENDPOINT_LIMIT_EXCEEDED"];
    let (code, errors) = exec(&required, 0, provision);
    assert_eq!(code, Some(1));
    assert_eq!(
        errors,
        "error: 429 was never met\nerror: ENDPOINT_LIMIT_EXCEEDED was never met\n"
    );
    let (code, errors) = exec(&["--require", "201"], 0, provision);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    let (code, _) = exec(&required, 7, provision);
    assert_eq!(code, Some(7), "the command failed already");
}

#[test]
fn a_code_is_met_by_its_name() {
    let limit = |caller: &Caller| {
        for number in 1..=26 {
            let body = json!({ "client_id": 42, "ip_address": format!("192.0.2.{number}") });
            caller.post("/api/v1/billing/provision", body);
        }
    };
    let (code, errors) = exec(&["--require", "403,ENDPOINT_LIMIT_EXCEEDED"], 0, limit);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
}

#[test]
fn what_nobody_can_meet_is_refused_before_the_command_runs() {
    let refused = command(&["exec", "--require", "ENDPOINT_LIMIT", "--", "true"]).output();
    let refused = refused.expect("the binary runs");
    assert_eq!(refused.status.code(), Some(125));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        said.contains("'ENDPOINT_LIMIT'") && said.contains("no operation"),
        "{said}"
    );
}

#[test]
fn notices_are_denied_by_name() {
    let careless = |caller: &Caller| {
        provision(caller);
        caller.get("/api/v1/endpoints").expect(200);
        caller.get("/api/v1/endpoints").expect(200);
    };
    let (code, errors) = exec(&["--deny-notices"], 0, careless);
    assert_eq!(code, Some(1));
    assert!(
        errors.starts_with("error: no_customer: account acme: list_endpoints without"),
        "{errors}"
    );
    assert!(errors.ends_with("(call 2, and once more)\n"), "{errors}");
    let (code, errors) = exec(&["--deny-notices"], 0, provision);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    let (code, _) = exec(&["--deny-notices=off"], 0, careless);
    assert_eq!(code, Some(0));
}

#[test]
fn only_the_notices_that_are_named_are_denied_m13() {
    let careless = |caller: &Caller| {
        provision(caller);
        caller.get("/api/v1/endpoints").expect(200);
        let list = "/api/v1/endpoints?billing_customer_id=42&pages=2";
        caller.get(list).expect(200);
    };
    let codes = |flags: &[&str]| {
        let (code, errors) = exec(flags, 0, careless);
        let codes = errors.lines().map(|line| {
            let line = line.strip_prefix("error: ").expect("an error");
            line.split(':').next().unwrap_or_default().to_owned()
        });
        (code, codes.collect::<Vec<_>>())
    };
    let both = vec!["no_customer".to_owned(), "unknown_parameter".to_owned()];
    assert_eq!(codes(&["--deny-notices"]), (Some(1), both.clone()));
    assert_eq!(
        codes(&["--deny-notices=unknown_parameter,too_early"]),
        (Some(1), both[1..].to_vec())
    );
    assert_eq!(
        codes(&["--deny-notices", "--allow-notices", "unknown_parameter"]),
        (Some(1), both[..1].to_vec())
    );
    let allowed = "no_customer,unknown_parameter";
    assert_eq!(
        codes(&["--deny-notices", "--allow-notices", allowed]),
        (Some(0), Vec::new())
    );
    let (code, errors) = exec(&["--allow-notices", "too_early"], 0, careless);
    assert_eq!((code, errors.as_str()), (Some(0), ""), "nothing is denied");
    let (code, errors) = exec_refused(&["--deny-notices=no_costumer"]);
    assert_eq!(code, Some(125));
    assert!(errors.contains("did you mean no_customer?"), "{errors}");
    let (_, errors) = exec_refused(&["--allow-notices", "nonsense"]);
    let listed = errors.split("There are ").nth(1).unwrap_or_default();
    let listed = listed.lines().next().unwrap_or_default().split(", ");
    assert_eq!(listed.count(), 24, "{errors}");
}

/// Runs `exec` with flags that it refuses; its exit code, and what is said.
fn exec_refused(flags: &[&str]) -> (Option<i32>, String) {
    let arguments = [&["exec"], flags, &["--", "true"]].concat();
    let refused = command(&arguments).output().expect("the binary runs");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    (refused.status.code(), said)
}

#[test]
fn a_run_without_a_call_is_told_and_fails_where_something_is_asked_m13() {
    let none = |flags: &[&str]| exec(flags, 0, |_| {});
    let sentence = "no call came: does the command call SECMON_BASE_URL?\n";
    assert_eq!(none(&[]), (Some(0), format!("warning: {sentence}")));
    assert_eq!(
        none(&["--deny-notices"]),
        (Some(1), format!("error: {sentence}"))
    );
    let elsewhere = exec(&["--deny-notices"], 0, |caller| {
        caller.get("/v1/domains").expect(404);
    });
    let told = "error: no call came under /api/v1: the first was GET /v1/domains; send it to SECMON_BASE_URL/api/v1/...\n";
    assert_eq!(elsewhere, (Some(1), told.to_owned()));
    assert_eq!(
        none(&["--require", "201"]),
        (
            Some(1),
            format!("error: 201 was never met\nerror: {sentence}")
        )
    );
}

#[test]
fn a_fault_that_never_hit_is_told_with_the_nearest_call_m13() {
    let flags = ["--admin-key", "steering", "--deny-notices"];
    let (code, errors) = exec(&flags, 0, |caller| {
        let admin = caller.with_key("steering");
        let place = |fault: Value| {
            let placed = admin.post("/_mock/faults", fault).expect(201);
            placed.at("/id").as_u64().expect("an id")
        };
        let effect = json!({ "status": 503 });
        place(json!({
            "operation": "provision_endpoint", "match": { "ip_address": "192.0.2.9" }, "effect": effect,
        }));
        place(json!({ "path": "/api/v1/billing/provision", "effect": { "latency_ms": 1 } }));
        let removed = place(json!({ "path": "/api/v1/endpoint", "after": 2, "effect": effect }));
        provision(caller);
        caller
            .get("/api/v1/endpoints?billing_customer_id=42")
            .expect(200);
        admin
            .delete(&format!("/_mock/faults/{removed}"))
            .expect(204);
    });
    let told = "error: a fault never hit: it waits for path /api/v1/endpoint, after 2 such calls; the nearest call was GET /api/v1/endpoints (call 2)\n\
        error: a fault never hit: it waits for operation provision_endpoint, match {\"ip_address\":\"192.0.2.9\"}; \
        the nearest call was POST /api/v1/billing/provision (call 1)\n";
    assert_eq!((code, errors.as_str()), (Some(1), told));
}

#[test]
fn a_list_that_is_not_read_to_its_end_is_told_when_the_run_ends_m10() {
    let read = |last_page: u64| {
        move |caller: &Caller| {
            for number in 1..=13 {
                let body = json!({ "client_id": 42, "ip_address": format!("192.0.2.{number}") });
                caller.post("/api/v1/billing/provision", body).expect(201);
            }
            for page in 1..=last_page {
                let list =
                    format!("/api/v1/endpoints?billing_customer_id=42&per_page=6&page={page}");
                caller.get(&list).expect(200);
            }
        }
    };
    let told = [
        "only the first page of list_endpoints was read, which said that there is more; read on while there is (call 14)",
        "page 2 of 3 was the last page of list_endpoints that was read; read on while there is more (call 15)",
    ];
    for (last_page, sentence) in (1..).zip(told) {
        let (code, errors) = exec(&["--deny-notices"], 0, read(last_page));
        assert_eq!(code, Some(1));
        assert_eq!(
            errors,
            format!("error: first_page_only: account acme: {sentence}\n")
        );
    }
    let (code, errors) = exec(&["--deny-notices"], 0, read(3));
    assert_eq!((code, errors.as_str()), (Some(0), ""));
}

/// Makes these reads of a run whose customer 42 has thirteen servers; what `exec` says of them.
fn said_of_reads(reads: &[&str]) -> (Option<i32>, String) {
    exec(&["--deny-notices"], 0, |caller| {
        for number in 1..=13 {
            let body = json!({ "client_id": 42, "ip_address": format!("192.0.2.{number}") });
            caller.post("/api/v1/billing/provision", body).expect(201);
        }
        for read in reads {
            let list = format!("/api/v1/endpoints?billing_customer_id={read}");
            caller.get(&list).expect(200);
        }
    })
}

#[test]
fn a_look_at_a_few_records_is_told_where_nobody_in_the_run_reads_on_m10() {
    let told = "error: first_page_only: account acme: only the first page of list_endpoints was read, which said that there is more, and no call of the run asked for page 2; read on while there is more (call 14)\n";
    for few in ["42&per_page=5", "42&per_page=2"] {
        assert_eq!(said_of_reads(&[few, few]), (Some(1), told.to_owned()));
    }
    for reads in [
        &["42&per_page=5", "43&per_page=5&page=2"][..],
        &["42&per_page=5&page=2", "42&per_page=3"],
        &["42&per_page=5", "42&per_page=20"],
        &["42&per_page=1"],
    ] {
        assert_eq!(said_of_reads(reads), (Some(0), String::new()), "{reads:?}");
    }
}

#[test]
fn a_report_tells_what_was_met_and_what_never_was() {
    let folder = Folder::new();
    let report = folder.0.path().join("new/report");
    let flags = [
        "--report",
        report.to_str().expect("a path"),
        "--require",
        "429",
    ];
    let (code, _) = exec(&flags, 0, |caller| {
        provision(caller);
        caller.get("/api/v1/endpoints?billing_customer_id=42&x=test_key_acme");
    });
    assert_eq!(code, Some(1));

    let journal: Value = serde_json::from_str(&file(&report, "journal.json")).expect("JSON");
    assert_eq!(journal["requests"].as_array().map(Vec::len), Some(2));
    let archive: Value = serde_json::from_str(&file(&report, "journal.har")).expect("JSON");
    let first = &archive["log"]["entries"][0];
    assert_eq!(
        first["request"]["url"],
        "http://secmon-mock/api/v1/billing/provision"
    );
    assert_eq!(
        first["request"]["postData"]["text"],
        r#"{"client_id":42,"ip_address":"192.0.2.1"}"#
    );
    assert_eq!(first["response"]["status"], 201);
    let header = |message: &str, name: &str| {
        let headers = first[message]["headers"].as_array().expect("a list");
        let of_name = headers.iter().find(|header| header["name"] == name);
        of_name.map(|header| text(&header["value"]))
    };
    assert_eq!(header("request", "authorization").as_deref(), Some("****"));
    assert_eq!(
        header("response", "content-type").as_deref(),
        Some("application/json")
    );

    let outcomes: Value = serde_json::from_str(&file(&report, "outcomes.json")).expect("JSON");
    let met = json!({ "operation": "provision_endpoint", "outcome": "201", "times": 1 });
    let never =
        json!({ "operation": "provision_endpoint", "outcome": "403 ENDPOINT_LIMIT_EXCEEDED" });
    let holds = |list: &str, item: &Value| {
        outcomes[list]
            .as_array()
            .is_some_and(|all| all.contains(item))
    };
    assert!(holds("met", &met) && holds("never", &never), "{outcomes}");

    let junit = file(&report, "junit.xml");
    for line in [
        "tests=\"2\" failures=\"1\"",
        "name=\"429 was met\">\n    <failure>429 was never met</failure>",
        "name=\"calls came, and faults met them\">\n  </testcase>",
    ] {
        assert!(junit.contains(line), "{junit}");
    }
    assert!(
        !junit.contains("provision_endpoint"),
        "only what was asked for"
    );
    for name in ["journal.json", "journal.har", "outcomes.json", "junit.xml"] {
        assert!(!file(&report, name).contains("test_key_acme"), "{name}");
    }
}

#[test]
fn a_report_tells_of_accounts_that_were_removed_meanwhile() {
    let folder = Folder::new();
    let report = folder.0.path().join("report");
    let flags = ["--admin-key", "steering", "--report"];
    let flags = [&flags[..], &[report.to_str().expect("a path")]].concat();
    let (code, errors) = exec(&flags, 0, |caller| {
        let admin = caller.with_key("steering");
        let made = admin
            .post("/_mock/tenants", json!({ "name": "short-lived" }))
            .expect(201);
        let key = text(&made.at("/api_key"));
        provision(&caller.with_key(&key));
        admin.delete("/_mock/tenants/short-lived").expect(204);
        caller.with_key(&key).get("/api/v1/endpoints").expect(401);
    });
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    let journal = file(&report, "journal.json");
    let calls: Value = serde_json::from_str(&journal).expect("JSON");
    assert_eq!(calls["requests"][0]["tenant"], "short-lived");
    assert_eq!(calls["requests"][0]["status"], 201);
    assert_eq!(calls["requests"][1]["status"], 401);
    let outcomes: Value = serde_json::from_str(&file(&report, "outcomes.json")).expect("JSON");
    let met = json!({ "operation": "provision_endpoint", "outcome": "201", "times": 1 });
    let all = outcomes["met"].as_array().expect("a list");
    assert!(all.contains(&met), "{outcomes}");
}
